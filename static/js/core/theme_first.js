// The rater's choice of light or dark, applied before the first paint. A classic script in the head: a module
// would run too late and the page would flash. Researchers choose in the frame of their pages, which stores JSON.
try {
  const chosen =
    localStorage.getItem("evalweb:appearance") ?? (localStorage.getItem("adminTheme") ?? "").replaceAll('"', "");
  // A page that says itself how it looks is a preview.
  if (!document.documentElement.dataset.theme && (chosen === "light" || chosen === "dark")) {
    document.documentElement.dataset.theme = chosen;
  }
} catch {
  // Storage is refused in some private windows: the system's wish holds.
}
