// Best-worst scaling: one text cannot be both ends, and a digit chooses a text for the end that is next.

import { announce } from "../core/announce.js";
import { goOn, onDigit, stepOf } from "../core/keys.js";
import { onEveryPage } from "../core/page.js";
import { fill } from "../core/words.js";

const OTHER = { best: "worst", worst: "best" };

/** The end that the next digit chooses for: the one at work, else the first that is open, else the best. */
export function nextEnd(atWork, chosen) {
  return atWork ?? ["best", "worst"].find((end) => chosen[end] === null) ?? "best";
}

/** What is missing: "both", "best" or "worst"; null where nothing is. */
export function missingOf(chosen) {
  const open = ["best", "worst"].filter((end) => chosen[end] === null);
  return open.length === 2 ? "both" : (open[0] ?? null);
}

class Question {
  constructor(root, words) {
    this.root = root;
    this.words = words;
    this.radios = [...root.querySelectorAll("input[data-end]")];
    root.addEventListener("change", (event) => this.changed(event.target));
    root.addEventListener("focusin", () => this.update());
    this.update();
  }

  /** What is chosen: end -> radio button or null. */
  get chosen() {
    const of = (end) => this.radios.find((radio) => radio.dataset.end === end && radio.checked) ?? null;
    return { best: of("best"), worst: of("worst") };
  }

  /** The end that has the focus. */
  get atWork() {
    const focused = document.activeElement;
    return this.radios.includes(focused) ? focused.dataset.end : null;
  }

  changed(radio) {
    const other = radio.checked ? this.chosen[OTHER[radio.dataset.end]] : null;
    if (other && other.value === radio.value) {
      other.checked = false;
      announce(fill(this.words.get("moved") ?? "", { word: other.dataset.word }));
    }
    this.update();
  }

  update() {
    const { chosen } = this;
    const missing = missingOf(chosen);
    this.root.dataset.complete = String(missing === null);
    this.root.dataset.missing = this.root.dataset[`missing${{ both: "Both", best: "Best", worst: "Worst" }[missing ?? "both"]}`];
    if (missing && "wrong" in this.root.dataset) {
      this.root.querySelector("[data-error]").textContent = this.root.dataset.missing;
    }
    this.root.dataset.turn = nextEnd(this.atWork, chosen);
    for (const radio of this.radios) {
      radio.closest(".best-worst-text, .best-worst-row")?.toggleAttribute(`data-${radio.dataset.end}`, radio.checked);
    }
  }

  /** Choose by digit, and hand the focus to the end that is still open. Returns whether there is such a text. */
  choose(digit, form) {
    const end = nextEnd(this.atWork, this.chosen);
    const radio = this.radios.find((one) => one.dataset.end === end && one.value === String(stepOf(digit)));
    if (!radio) {
      return false;
    }
    radio.checked = true;
    radio.focus({ preventScroll: true, focusVisible: true });
    radio.dispatchEvent(new Event("change", { bubbles: true }));
    const open = missingOf(this.chosen);
    if (open === null) {
      goOn(form, this.root);
    } else {
      this.radios.find((one) => one.dataset.end === open)?.focus({ preventScroll: true, focusVisible: true });
    }
    return true;
  }
}

function start(root) {
  for (const unit of root.querySelectorAll("[data-unit=best_worst]")) {
    const spans = unit.querySelector("[data-best-worst-words]").content.querySelectorAll("[data-word]");
    const words = new Map([...spans].map((span) => [span.dataset.word, span.textContent]));
    const questions = new Map();
    for (const question of unit.querySelectorAll("[data-best-worst]")) {
      questions.set(question, new Question(question, words));
    }
    const form = unit.closest("form[data-answer]");
    if (form) {
      onDigit(form, (key, question) => questions.get(question)?.choose(key, form) ?? false);
    }
  }
}

onEveryPage(() => start(document));
