// Keys of a judging page. A task type adds its own digits with onDigit; the list opens with "?".

import { during } from "./page.js";
import { currentQuestion, focusQuestion, nextOpen, openQuestions, questionsOf } from "./questions.js";
import { local } from "./store.js";
import { digitOf, isComposing } from "./typed.js";

const OFF = "evalweb:keys-off";

/** Say whether a key press belongs to a field in which one types. */
export function isTyping(target) {
  const typed = ["text", "number", "search", "email", "url", "tel", "password"];
  return (
    target.tagName === "TEXTAREA" ||
    target.tagName === "SELECT" ||
    target.isContentEditable === true ||
    (target.tagName === "INPUT" && typed.includes(target.type))
  );
}

/** The step that a digit means: 1 to 9, and 0 for the tenth. */
export function stepOf(digit) {
  return Number(digit) || 10;
}

function isPlain(event) {
  return !event.ctrlKey && !event.metaKey && !event.altKey;
}

/** Mark the question that digits answer, to the eye where there are several: the one with the focus, else the first open one. */
function markCurrent(form) {
  const mark = () => {
    const all = questionsOf(form);
    const current = isOff() ? undefined : currentQuestion(form);
    for (const question of all) {
      if (question === current) {
        question.dataset.current = all.length > 1 ? "marked" : "";
      } else {
        delete question.dataset.current;
      }
    }
  };
  for (const name of ["focusin", "focusout", "change"]) {
    // What has lost the focus is known only once the event is over.
    form.addEventListener(name, () => queueMicrotask(mark));
  }
  mark();
}

/**
 * Call `handle(digit, question)` for digits pressed outside of fields, "0" to "9" on whatever keyboard; it returns
 * whether it made use of them.
 */
export function onDigit(form, handle) {
  if (form.querySelector("[data-no-digits]")) {
    // Where options stand in another order on each screen, the same digit would mean another answer.
    return;
  }
  markCurrent(form);
  document.addEventListener("keydown", (event) => {
    const digit = isPlain(event) ? digitOf(event) : null;
    // A page may have two scripts with digits: the one that comes first may already have moved on to another question.
    if (digit === null || event.defaultPrevented || isTyping(event.target) || isOff() || blocked(form)) {
      return;
    }
    const question = currentQuestion(form);
    if (question && handle(digit, question)) {
      event.preventDefault();
    }
  }, during());
}

/** Go to the next open question, or to the button where all are answered. */
export function goOn(form, question) {
  const next = nextOpen(form, question);
  if (next) {
    focusQuestion(next);
  }
}

/** Say whether the rater wants no single keys. */
export function isOff() {
  return local.read(OFF) === true;
}

function blocked(form) {
  return form.inert || document.querySelector("dialog:modal") !== null;
}

function fillList(dialog, form) {
  const list = dialog.querySelector("[data-keys-list]");
  const listed = new Set();
  for (const own of form.querySelectorAll("[data-keys]")) {
    // Several texts on a page have the same keys.
    if (!listed.has(own.textContent)) {
      listed.add(own.textContent);
      list.prepend(...own.children);
    }
    own.remove();
  }
  const choice = dialog.querySelector("[data-single-keys]");
  choice.checked = !isOff();
  choice.addEventListener("change", () => (choice.checked ? local.remove(OFF) : local.write(OFF, true)));
}

function onEnter(event, form) {
  if (event.repeat && event.target.tagName !== "TEXTAREA") {
    // A key that is held down would answer and send one page after the other.
    event.preventDefault();
    return;
  }
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    form.requestSubmit();
    return;
  }
  const question = event.target.closest?.("[data-question]");
  if (question && form.contains(question) && event.target.tagName === "INPUT") {
    event.preventDefault();
    const open = openQuestions(form);
    if (open.length === 0 || (open.length === 1 && open[0] === question)) {
      form.requestSubmit();
    } else {
      goOn(form, question);
    }
  }
}

/** Say whether the focus is on nothing that a key belongs to, as on a page that was just opened. */
function isNowhere(target, form) {
  return target === document.body || target === form || ["MAIN", "H1"].includes(target.tagName);
}

/**
 * Enter with the focus nowhere: it presses the button that stands before the questions, goes to the next open question,
 * or sends what was answered on this page. A second press on the page before is not heard.
 */
function onEnterAnywhere(event, form, answered) {
  if (event.repeat || "settling" in (document.querySelector("[data-send]")?.dataset ?? {})) {
    return;
  }
  const first = [...form.querySelectorAll("[data-enter]")].find((button) => button.checkVisibility());
  const open = openQuestions(form)[0];
  if (first || open || answered) {
    event.preventDefault();
  }
  if (first) {
    first.click();
  } else if (open) {
    focusQuestion(open);
  } else if (answered) {
    form.requestSubmit();
  }
}

/** Start the keys of a judging page. */
export function start(form) {
  let answered = false;
  for (const name of ["change", "input"]) {
    form.addEventListener(name, () => {
      answered = true;
    });
  }
  const dialog = document.getElementById("keys");
  if (dialog) {
    fillList(dialog, form);
  }
  document.addEventListener("keydown", (event) => {
    // Digits appear on the controls once the keyboard is at work, and go when the pointer is.
    document.documentElement.dataset.keyboard = "";
    if (blocked(form) || isComposing(event)) {
      return;
    }
    if (event.key === "Enter" && isPlain(event) && isNowhere(event.target, form)) {
      onEnterAnywhere(event, form, answered);
    } else if (event.key === "Enter") {
      onEnter(event, form);
    } else if (["?", "؟", "？"].includes(event.key) && isPlain(event) && !isTyping(event.target) && !isOff()) {
      event.preventDefault();
      dialog?.showModal();
    }
  }, during());
  document.addEventListener("pointerdown", () => delete document.documentElement.dataset.keyboard, during({ capture: true }));
}
