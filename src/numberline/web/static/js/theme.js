// @ts-check
// Sets the theme that was chosen before anything is painted; otherwise the system's choice applies. Not a module,
// so that it runs at once.
try {
  const theme = JSON.parse(localStorage.getItem("numberline.theme") ?? "null");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is switched off.
}
