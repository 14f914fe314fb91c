// Sets light or dark before anything is painted, if somebody chose; else the system's choice stands.
try {
  const chosen = JSON.parse(localStorage.getItem("numberline.theme"));
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // Nothing was chosen.
}
