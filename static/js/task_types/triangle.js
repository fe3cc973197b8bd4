// The triangle: digits choose a text or a step; what made it different is asked once a text is chosen.

import { announce } from "../core/announce.js";
import { onDigit } from "../core/keys.js";
import { onEveryPage } from "../core/page.js";
import { pickByDigit } from "./picks.js";

/** Hide the question after the motive until there is a choice, unless it holds words, or something is wrong with it. */
export class Motive {
  constructor(question, picks) {
    this.question = question;
    this.picks = picks;
    this.text = question.querySelector("textarea");
    question.hidden = !(this.chosen || this.text.value || "wrong" in question.dataset);
    question.addEventListener("reveal", () => this.show());
    this.text.addEventListener("change", () => this.show());
    picks.addEventListener("change", () => this.ask());
  }

  get chosen() {
    return this.picks.querySelector("input:checked") !== null;
  }

  /** Show the question for the first time, and say so: it stands after where the rater is. */
  ask() {
    if (this.question.hidden && this.chosen) {
      this.show();
      announce(this.question.querySelector(".question-words").textContent.trim().replace(/\s+/g, " "));
    }
  }

  show() {
    this.question.hidden = false;
  }
}

/** Start the motives of a page. Where questions come one at a time, theirs comes after the choice anyway. */
export function start(root) {
  for (const question of root.querySelectorAll("[data-motive]")) {
    const picks = question.closest(".questions").querySelector("[data-picks]");
    if (picks && !question.closest("[data-paged]")) {
      new Motive(question, picks);
    }
  }
  const form = root.querySelector("form[data-answer]");
  if (form) {
    onDigit(form, (key, question) => pickByDigit(form, key, question));
  }
}

onEveryPage(() => start(document));
