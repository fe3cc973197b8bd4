// An answer that is looked at: the scripts of its task type draw it, and nothing in it can be changed.

// What turns from one question to the next, and what else moves about on the page and changes no answer.
const TURNS = "[data-paging-next], [data-paging-back]";
const MOVES = `a[href], summary, audio, video, ${TURNS}`;

const form = document.querySelector("form[data-read-only]");
const fields = form.querySelector("fieldset");

function refuse(event) {
  if (event.type === "keydown" && (event.key === "Tab" || event.ctrlKey || event.metaKey)) {
    return;
  }
  const moves = event.target instanceof Element && event.target.closest(MOVES) !== null;
  if (form.contains(event.target) && !moves) {
    event.stopImmediatePropagation();
    event.preventDefault();
  } else if (event.type === "keydown") {
    // Digits and letters answer wherever they are pressed.
    event.stopImmediatePropagation();
  }
}

// Before every other listener, wherever that is.
for (const type of ["click", "pointerdown", "mousedown", "touchstart", "keydown", "input", "change", "submit", "dragstart"]) {
  window.addEventListener(type, refuse, { capture: true, passive: false });
}

// Fields that are switched off belong to no form, and scripts would find no answer in it. They draw before the page is
// ready; after that every field is off by itself, but for what turns the page.
fields.disabled = false;
window.addEventListener("load", () => {
  for (const control of fields.querySelectorAll(`:is(input, select, textarea, button):not(${TURNS})`)) {
    control.disabled = true;
  }
});
