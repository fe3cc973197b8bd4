// The questions of a unit, whatever its type: an element with data-question that holds named controls.

/** All questions of a form, in the order of the page. */
export function questionsOf(form) {
  return [...form.querySelectorAll("[data-question]")];
}

/**
 * Say whether a question has an answer: a choice made, or a field filled in. Where more is needed the type's script
 * says so itself, by data-complete="true" or "false". An optional question (data-optional) is never open, nor one
 * about a text that is skipped (data-skipped).
 */
export function isAnswered(question) {
  if ("optional" in question.dataset || question.closest("[data-skipped]")) {
    return true;
  }
  if (question.dataset.complete) {
    return question.dataset.complete === "true";
  }
  const controls = [...question.querySelectorAll("input[name], select[name], textarea[name]")];
  return controls.some((control) =>
    control.type === "radio" || control.type === "checkbox" ? control.checked : control.value.trim() !== "",
  );
}

/** The questions still open. */
export function openQuestions(form) {
  return questionsOf(form).filter((question) => !isAnswered(question));
}

/** The control of a question that takes the focus. */
export function controlOf(question) {
  return (
    question.querySelector("input:checked") ??
    question.querySelector("[data-takes-focus]") ??
    question.querySelector("input:not([type=hidden]):not([hidden]), select, textarea, button")
  );
}

/** Move the focus into a question and bring the whole of it into view; whoever hides questions hears "reveal" first. */
export function focusQuestion(question) {
  question.dispatchEvent(new CustomEvent("reveal", { bubbles: true }));
  controlOf(question)?.focus({ preventScroll: true, focusVisible: true });
  question.scrollIntoView({ block: "nearest" });
}

/** The question at work: the one that has the focus, or else the first that is open, of the text that has the focus. */
export function currentQuestion(form) {
  const focused = document.activeElement?.closest("[data-question]");
  if (focused && form.contains(focused)) {
    return focused;
  }
  const text = document.activeElement?.closest("[data-text]");
  return (text && openQuestions(text)[0]) ?? openQuestions(form)[0];
}

/** The next open question after one, going round; undefined where all are answered. */
export function nextOpen(form, question) {
  const all = questionsOf(form);
  const start = all.indexOf(question) + 1;
  return [...all.slice(start), ...all.slice(0, start)].find((one) => one !== question && !isAnswered(one));
}
