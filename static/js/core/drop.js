// A field for files, onto which files can be dragged. Without this, its button chooses them.

export function dropped(zone) {
  const input = zone.querySelector('input[type="file"]');
  const hint = zone.querySelector("[data-drop-hint]");
  if (!input) {
    return;
  }
  if (hint) {
    hint.hidden = false;
  }
  const mark = (event, over) => {
    event.preventDefault();
    zone.classList.toggle("ew-drop-over", over);
  };
  zone.addEventListener("dragenter", (event) => mark(event, true));
  zone.addEventListener("dragover", (event) => mark(event, true));
  zone.addEventListener("dragleave", (event) => mark(event, zone.contains(event.relatedTarget)));
  zone.addEventListener("drop", (event) => {
    mark(event, false);
    const files = event.dataTransfer?.files;
    if (!files?.length) {
      return;
    }
    const chosen = new DataTransfer();
    for (const file of input.multiple ? files : [files[0]]) {
      chosen.items.add(file);
    }
    input.files = chosen.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
    input.focus();
  });
}

for (const zone of document.querySelectorAll("[data-drop]")) {
  dropped(zone);
}
