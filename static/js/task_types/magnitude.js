// Magnitude estimation: says what a number means as a ratio, what is wrong with it, and keeps the reference in view.
//
// The server reads numbers in the same way (magnitude/numbers.py) and has the last word.

import { announce } from "../core/announce.js";
import { onDigit } from "../core/keys.js";
import { atEnd, during, onEveryPage } from "../core/page.js";
import { fill, numeral } from "../core/words.js";
import { start as startTicks } from "./magnitude/ticks.js";

const MOST_DIGITS = 6;

// Source and reference stay in view where they take no more of the window's height than this.
const MOST_OF_WINDOW = 0.45;

// Numbers so many times the reference, or less than one such part of it, are asked about.
const FAR = 100;

// What can be wrong, in the order of the server.
const PATTERNS = [
  ["negative", /^[-−–]\s*\d+([.,]\d+)?$/],
  ["separators", /^\d{1,3}([.,٬'’\s]\d{3})+$/],
  ["fraction", /^(\d+[.,٫]\d*|[.,٫]\d+|\d+\s*[/⁄]\s*\d+)$/],
];

/** Digits of every script as 0 to 9: each script has its ten one after another. */
function plainDigits(text) {
  return text.replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0);
    let first = code;
    while (/^\p{Nd}$/u.test(String.fromCodePoint(first - 1))) {
      first -= 1;
    }
    return String((code - first) % 10);
  });
}

/** Read a whole number: { value } or { reason }; an empty object where nothing was typed. */
export function read(text) {
  const typed = plainDigits(text.replace(/[\u200e\u200f\u061c\u2066-\u2069\u202a-\u202e\ufeff]/g, "")).trim();
  if (typed === "") {
    return {};
  }
  if (/^[0-9]+$/.test(typed)) {
    const digits = typed.replace(/^0+/, "");
    if (digits === "") {
      return { reason: "zero" };
    }
    return digits.length > MOST_DIGITS ? { reason: "large" } : { value: Number(digits) };
  }
  return { reason: PATTERNS.find(([, pattern]) => pattern.test(typed))?.[0] ?? "text" };
}

/** What a number is in relation to the reference: the name of the words, and a number to put into them. */
export function ratioOf(value, worth) {
  const named = [["same", 1], ["twice", 2], ["half", 1 / 2], ["third", 1 / 3], ["quarter", 1 / 4]];
  const ratio = value / worth;
  // A third of 100 is written as 33.
  const near = named.find(([, share]) => Math.abs(value - share * worth) < 0.5 && Math.abs(ratio / share - 1) < 0.015);
  return near ? { name: near[0] } : { name: "times", n: ratio };
}

/** Whether a number is so far from the reference that it may be a slip. */
export function isFar(value, worth) {
  return value > worth * FAR || value * FAR < worth;
}

class Answer {
  constructor(question, worth, words) {
    Object.assign(this, { question, worth, words });
    this.field = question.querySelector("input");
    this.ratio = question.querySelector("[data-ratio]");
    this.error = question.querySelector("[data-error]");
    this.unanswered = question.dataset.missing;
    this.field.addEventListener("input", () => this.update());
    this.field.addEventListener("change", (event) => this.settle(event.isTrusted));
    this.update();
    this.ask();
  }

  sentence(reason) {
    return fill(this.words.get(reason) ?? "", { about: this.question.dataset.about });
  }

  /** Keep pace with typing: what the number means, and whether it is one. */
  update() {
    const { value, reason } = read(this.field.value);
    const right = value !== undefined;
    this.question.dataset.complete = String(right);
    this.question.dataset.missing = reason ? this.sentence(reason) : this.unanswered;
    delete this.ratio.dataset.far;
    const { name, n } = right ? ratioOf(value, this.worth) : {};
    this.ratio.textContent = right ? fill(this.words.get(name) ?? "", { n: numeral(n, { maximumSignificantDigits: 3 }) }) : this.ratio.dataset.reminder;
    if (right) {
      this.show("");
    }
  }

  /** A number far from the reference may be a slip: ask, and never refuse. */
  ask() {
    const { value } = read(this.field.value);
    if (value !== undefined && isFar(value, this.worth)) {
      this.ratio.dataset.far = "";
      this.ratio.textContent = `${this.ratio.textContent}. ${this.words.get("far")}`;
    }
  }

  /** When the rater is done with the field: say what is wrong, or what the number means. */
  settle(aloud) {
    this.update();
    this.ask();
    const { reason } = read(this.field.value);
    if (reason) {
      this.show(this.question.dataset.missing);
    }
    const said = reason ? this.question.dataset.missing : this.ratio.textContent;
    if (aloud && this.field.value.trim()) {
      announce(said);
    }
  }

  show(sentence) {
    this.error.textContent = sentence;
    this.error.hidden = sentence === "";
    this.question.toggleAttribute("data-wrong", sentence !== "");
    if (sentence) {
      this.field.setAttribute("aria-invalid", "true");
    } else {
      this.field.removeAttribute("aria-invalid");
    }
  }

  /** A digit typed elsewhere on the page begins this number. */
  type(digit) {
    this.field.focus({ focusVisible: true });
    this.field.value += digit;
    this.field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

/**
 * Keep source and reference in view where they leave most of the window to the texts; elsewhere they stand whole above
 * them. Tell the style sheet how high the bar on top and what stays are, so that neither covers what has the focus.
 */
function keepInView(pinned) {
  const bar = document.querySelector(".top");
  const root = document.documentElement;
  const boxes = [...pinned.querySelectorAll(".text-box")];
  const measure = () => {
    if (bar) {
      root.style.setProperty("--over", `${bar.offsetHeight}px`);
    }
    // They are as high, whether they stay or not.
    pinned.toggleAttribute("data-stays", pinned.offsetHeight <= MOST_OF_WINDOW * innerHeight);
    root.style.setProperty("--pinned", `${pinned.offsetHeight}px`);
    for (const box of boxes) {
      // A text that scrolls must be within reach of the keyboard.
      if (box.scrollHeight > box.clientHeight + 1) {
        box.tabIndex = 0;
      } else {
        box.removeAttribute("tabindex");
      }
    }
  };
  const watch = new ResizeObserver(measure);
  for (const one of [bar, pinned].filter(Boolean)) {
    watch.observe(one);
  }
  globalThis.addEventListener("resize", measure, during());
  atEnd(() => watch.disconnect());
  measure();
}

function start(root) {
  for (const unit of root.querySelectorAll("[data-unit=magnitude]")) {
    const spans = unit.querySelector("[data-magnitude-words]").content.querySelectorAll("[data-word]");
    const words = new Map([...spans].map((span) => [span.dataset.word, span.textContent]));
    const answers = new Map();
    for (const question of unit.querySelectorAll("[data-magnitude]")) {
      answers.set(question, new Answer(question, Number(unit.dataset.worth), words));
    }
    const form = unit.closest("form[data-answer]");
    if (form) {
      onDigit(form, (key, question) => {
        answers.get(question)?.type(key);
        return answers.has(question);
      });
      keepInView(unit.querySelector("[data-pinned]"));
    }
  }
}

onEveryPage(() => {
  start(document);
  startTicks(document);
});
