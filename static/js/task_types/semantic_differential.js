// The semantic differential: digits choose a circle, counted from where the line begins, and go on to the next pair.
// Arrow keys are those of radio buttons.

import { goOn, onDigit, stepOf } from "../core/keys.js";
import { onEveryPage } from "../core/page.js";
import { goOnPaged } from "../core/paging.js";

/** Choose the circle that a digit means. Returns whether there is one. */
function choose(form, key, pair) {
  const radio = pair.querySelector(`input[data-key="${stepOf(key)}"]`);
  if (!radio) {
    return false;
  }
  radio.checked = true;
  radio.dispatchEvent(new Event("change", { bubbles: true }));
  radio.focus({ preventScroll: true, focusVisible: true });
  if (!goOnPaged(pair)) {
    goOn(form, pair);
  }
  return true;
}

onEveryPage(() => {
  const form = document.querySelector("form[data-answer]");
  if (form?.querySelector("[data-unit=semantic_differential]")) {
    onDigit(form, (key, pair) => choose(form, key, pair));
  }
});
