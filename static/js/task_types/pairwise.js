// Pairwise: digits choose an answer. How much better is asked once a text is chosen, and is then part of the answer.

import { announce } from "../core/announce.js";
import { goOn, onDigit, stepOf } from "../core/keys.js";
import { onEveryPage } from "../core/page.js";
import { pick, pickByDigit } from "./picks.js";

/** What a question still waits for: "better", "strength", or nothing. */
export function waitsFor({ chosen, side, strength }) {
  if (!chosen) {
    return "better";
  }
  return side && !strength ? "strength" : "";
}

/** A criterion that asks how much better as well. */
export class Preference {
  constructor(question, strength) {
    this.question = question;
    this.strength = strength;
    this.sentences = { better: question.dataset.missing, strength: question.dataset.missingStrength };
    strength.querySelector("[data-without-script]").hidden = true;
    // Whoever leads the rater here moves the focus to what is chosen already; what is missing comes after it.
    question.addEventListener("reveal", () => queueMicrotask(() => this.waits === "strength" && this.enter()));
    question.addEventListener("change", (event) => this.update(strength.contains(event.target) ? "" : "said"));
    this.update();
  }

  get chosen() {
    return [...this.question.querySelectorAll("input:checked")].find((one) => !this.strength.contains(one));
  }

  /** Show the second part where a text is chosen, and say what is still to be done. */
  update(how = "") {
    const side = this.chosen !== undefined && "side" in this.chosen.dataset;
    const answered = this.strength.querySelector("input:checked") !== null;
    const comes = side && this.strength.hidden;
    this.waits = waitsFor({ chosen: this.chosen !== undefined, side, strength: answered });
    this.strength.hidden = !side;
    this.question.dataset.complete = String(this.waits === "");
    this.question.dataset.missing = this.sentences[this.waits || "better"];
    if (this.waits && "wrong" in this.question.dataset) {
      this.question.querySelector("[data-error]").textContent = this.question.dataset.missing;
    }
    if (comes && how) {
      announce(this.strength.querySelector(".pair-strength-words").textContent.trim());
    }
  }

  /** Move the focus to how much better. */
  enter() {
    this.strength.querySelector("input").focus({ focusVisible: true });
  }

  /** Choose by a digit: in the second part once the focus is there. Returns whether there is such an answer. */
  press(form, key) {
    const inStrength = !this.strength.hidden && this.strength.contains(document.activeElement);
    const picks = inStrength ? this.strength : this.question.querySelector("[data-picks]");
    const radio = picks.querySelector(`input[data-key="${stepOf(key)}"]`);
    if (!radio) {
      return false;
    }
    pick(radio);
    if (this.waits) {
      this.enter();
    } else {
      goOn(form, this.question);
    }
    return true;
  }
}

/** Start the questions of a page. */
export function start(root) {
  const preferences = new Map();
  for (const strength of root.querySelectorAll("[data-strength]")) {
    const question = strength.closest("[data-question]");
    preferences.set(question, new Preference(question, strength));
  }
  const form = root.querySelector("form[data-answer]");
  if (form) {
    onDigit(form, (key, question) => preferences.get(question)?.press(form, key) ?? pickByDigit(form, key, question));
  }
}

onEveryPage(() => start(document));
