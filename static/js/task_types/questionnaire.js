// The questionnaire: digits choose an answer and go on, or tick a box; an option that stands alone unticks the others.

import { goOn, onDigit, stepOf } from "../core/keys.js";
import { during, onEveryPage } from "../core/page.js";
import { goOnPaged } from "../core/paging.js";

function changed(control) {
  control.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Which boxes to untick when one is ticked: all others where either of the two stands alone. */
function clashing(ticked, others) {
  return others.filter((one) => one.checked && (ticked.alone || one.alone));
}

/** Keep an option such as "none of these" apart from the others. */
function onTick(event) {
  const question = event.target.closest("[data-boxes]");
  if (!question || event.target.type !== "checkbox" || !event.target.checked) {
    return;
  }
  const state = (box) => ({ box, checked: box.checked, alone: "alone" in box.dataset });
  const others = [...question.querySelectorAll("input[type=checkbox]")].filter((box) => box !== event.target);
  for (const { box } of clashing(state(event.target), others.map(state))) {
    box.checked = false;
    changed(box);
  }
}

/** Answer with a digit. Returns whether the question has such an option. */
function answer(form, key, question) {
  const control = question.querySelector(`input[data-key="${stepOf(key)}"]`);
  if (!control) {
    return false;
  }
  const isRadio = control.type === "radio";
  control.checked = isRadio || !control.checked;
  changed(control);
  control.focus({ preventScroll: true, focusVisible: true });
  if (isRadio && !goOnPaged(question)) {
    goOn(form, question);
  }
  return true;
}

onEveryPage(() => {
  document.addEventListener("change", onTick, during());
  const form = document.querySelector("form[data-answer]");
  if (form?.querySelector("[data-unit=questionnaire]")) {
    onDigit(form, (key, question) => answer(form, key, question));
  }
});
