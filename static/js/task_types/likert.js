// Likert: digits choose a step and go on to the next open question. Arrow keys are those of radio buttons.

import { goOn, onDigit, stepOf } from "../core/keys.js";
import { onEveryPage } from "../core/page.js";

/** Choose the step that a digit means. Returns whether the scale has it. */
function choose(form, key, question) {
  const radio = question.querySelector(`input[data-key="${stepOf(key)}"]`);
  if (!radio) {
    return false;
  }
  radio.checked = true;
  radio.dispatchEvent(new Event("change", { bubbles: true }));
  radio.focus({ preventScroll: true, focusVisible: true });
  goOn(form, question);
  return true;
}

onEveryPage(() => {
  const form = document.querySelector("form[data-answer]");
  if (form) {
    onDigit(form, (key, question) => "steps" in question.dataset && choose(form, key, question));
  }
});
