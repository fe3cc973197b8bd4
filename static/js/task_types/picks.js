// Answers that stand beside each other: a digit chooses one and goes on to the next open question.

import { goOn, stepOf } from "../core/keys.js";

/** Choose a radio button as a press on it would. */
export function pick(radio) {
  radio.checked = true;
  radio.dispatchEvent(new Event("change", { bubbles: true }));
  radio.focus({ preventScroll: true, focusVisible: true });
}

/** Choose the answer that a digit means. Returns whether the question has it. */
export function pickByDigit(form, key, question) {
  const radio = question.querySelector(`input[data-key="${stepOf(key)}"]`);
  if (!radio) {
    return false;
  }
  pick(radio);
  goOn(form, question);
  return true;
}
