// @ts-check
// Sets the theme that the user chose, if any, before anything is painted; by default, the system's theme applies. Not a
// module, so that it runs immediately.
try {
  const theme = JSON.parse(localStorage.getItem("numberline.theme") ?? "null");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is switched off.
}
