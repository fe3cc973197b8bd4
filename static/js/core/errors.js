// What is missing: a sentence at each question and a count beside the button. A summary with links stands only on a
// page that the server has sent back, since that begins at its top.

import { announce } from "./announce.js";
import { controlOf, focusQuestion, isAnswered, openQuestions, questionsOf } from "./questions.js";
import { word } from "./words.js";

function mark(question, sentence) {
  const error = question.querySelector("[data-error]");
  const group = question.matches("fieldset") ? question : controlOf(question);
  if (sentence) {
    question.dataset.wrong = "";
    group?.setAttribute("aria-invalid", "true");
  } else {
    delete question.dataset.wrong;
    group?.removeAttribute("aria-invalid");
  }
  if (error) {
    error.textContent = sentence;
    error.hidden = !sentence;
  }
}

/** The sentence about how much is left. */
function leftWords(count) {
  return count === 1 ? word("left-one") : word("left", { n: count });
}

/** Keeps the marks and the note beside the button in step with the answers. */
export class Missing {
  constructor(form) {
    this.form = form;
    this.summary = form.querySelector("[data-error-summary]");
    this.note = document.querySelector("[data-foot-note]");
    this.button = document.querySelector("[data-send]");
    this.told = Boolean(this.summary && !this.summary.hidden);
    form.addEventListener("change", () => {
      this.refresh();
      this.weigh();
    });
    this.weigh();
    if (this.told) {
      this.linkServerErrors();
      this.summary.focus();
    }
  }

  /** Links of a summary the server wrote lead to controls too, not only to anchors. */
  linkServerErrors() {
    for (const link of this.summary.querySelectorAll("a[href^='#']")) {
      link.addEventListener("click", (event) => {
        const question = document.getElementById(link.hash.slice(1))?.closest("[data-question]");
        if (question) {
          event.preventDefault();
          focusQuestion(question);
        }
      });
    }
  }

  /** Return true where nothing is missing; else say what is and go there. */
  check() {
    const open = openQuestions(this.form);
    if (open.length === 0) {
      this.clear();
      return true;
    }
    this.told = true;
    this.show(open);
    for (const question of open) {
      mark(question, question.dataset.missing);
    }
    focusQuestion(open[0]);
    announce(`${leftWords(open.length)}. ${open[0].dataset.missing}`);
    return false;
  }

  show(open) {
    if (this.summary) {
      this.summary.hidden = true;
    }
    if (this.note) {
      this.note.textContent = leftWords(open.length);
      this.note.dataset.state = "wrong";
    }
  }

  /** After a change: take back what is no longer missing. */
  refresh() {
    if (!this.told) {
      return;
    }
    for (const question of questionsOf(this.form)) {
      if ("wrong" in question.dataset && isAnswered(question)) {
        mark(question, "");
      }
    }
    const open = openQuestions(this.form);
    if (open.length === 0) {
      this.clear();
    } else {
      this.show(open);
    }
  }

  /** The button stands out once sending is the next thing to do. */
  weigh() {
    this.button?.classList.toggle("button-main", openQuestions(this.form).length === 0);
  }

  clear() {
    this.told = false;
    if (this.summary) {
      this.summary.hidden = true;
    }
    if (this.note) {
      this.note.textContent = "";
      delete this.note.dataset.state;
    }
  }
}
