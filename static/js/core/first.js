// What has to run before a page is painted or its modules have come: a classic script in the head of every page.

// The rater's choice of light or dark: a module would run too late and the page would flash. Researchers choose in the
// frame of their pages, which stores JSON.
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

// Keys that a rater presses before the page's modules have come wait here and are pressed again once they have. Raters
// who are quick, or have a slow connection, would lose a page's first answer otherwise.
{
  const waiting = [];

  // What chooses, and only where no field takes it: sending stays a press on what is seen.
  const keep = (event) => {
    const chooses = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat;
    if (chooses && (event.target === document.body || event.target.tagName === "H1")) {
      const { key, code, shiftKey, isComposing } = event;
      waiting.push({ key, code, shiftKey, isComposing });
    }
  };

  const pressAgain = () => {
    document.removeEventListener("keydown", keep);
    for (const one of waiting) {
      const press = new KeyboardEvent("keydown", { ...one, bubbles: true, cancelable: true });
      (document.activeElement ?? document.body).dispatchEvent(press);
    }
  };

  document.addEventListener("keydown", keep);
  // Modules run before this.
  document.addEventListener("DOMContentLoaded", pressAgain);
}
