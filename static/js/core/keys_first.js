// Keys that a rater presses before the page's scripts have come wait here and are pressed again once they have. A
// classic script in the head: whoever is quick, or has a slow connection, would lose a page's first answer otherwise.
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
