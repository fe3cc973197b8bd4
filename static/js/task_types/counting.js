// Counting: digits pressed outside of a field go into the number that is asked for; facts are answered as labels are.

import { onDigit } from "../core/keys.js";
import { onEveryPage } from "../core/page.js";
import "./labels.js";

/** Put a digit behind the number in a field. */
function type(field, digit) {
  field.focus({ preventScroll: true, focusVisible: true });
  field.value += digit;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

function start(page) {
  const form = page.querySelector("form[data-answer]");
  if (!form) {
    return;
  }
  onDigit(form, (digit, question) => {
    const field = question.querySelector("[data-count]");
    if (field) {
      type(field, digit);
    }
    return field !== null;
  });
}

onEveryPage(() => start(document));
