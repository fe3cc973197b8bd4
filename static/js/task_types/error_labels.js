// Error labels: digits choose, what is asked after a label comes and goes with it, and the hierarchy is asked down one
// question at a time where the study wants it so. The radio buttons and boxes of the form stay the truth.

import { announce } from "../core/announce.js";
import { goOn, onDigit } from "../core/keys.js";
import { onEveryPage } from "../core/page.js";
import { focusQuestion } from "../core/questions.js";
import { fill } from "../core/words.js";

/**
 * Where answers down the hierarchy ("yes", "no" or "") lead: `open` is the question to be answered now, `label` what
 * they come to, the number of questions standing for "none of these". One of the two is null.
 */
export function walk(answers) {
  const stop = answers.findIndex((said) => said !== "no");
  if (stop === -1) {
    return { open: null, label: answers.length };
  }
  return answers[stop] === "yes" ? { open: null, label: stop } : { open: stop, label: null };
}

/** The answer that is taken back first: the last one given on the way; null where there is none. */
export function lastGiven(answers) {
  const { open, label } = walk(answers);
  const last = open === null ? Math.min(label, answers.length - 1) : open - 1;
  return last < 0 ? null : last;
}

/** Say whether a question that belongs to some labels is asked after this one. */
export function isAsked(after, label) {
  return after.split(" ").includes(label);
}

function changed(control) {
  control.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Give the focus without scrolling; the ring shows to who works with the keyboard. */
function focusOn(element) {
  const byKeyboard = "keyboard" in document.documentElement.dataset;
  element?.focus({ preventScroll: true, focusVisible: byKeyboard });
  element?.scrollIntoView({ block: "nearest" });
}

/** The questions down the hierarchy, one at a time. */
class Steps {
  constructor(root) {
    this.root = root;
    this.steps = [...root.querySelectorAll("[data-step]")];
    this.result = root.querySelector("[data-result]");
    this.back = root.querySelector("[data-back]");
    for (const step of this.steps) {
      // Without this script all questions show, and most are left open.
      step.ariaRequired = "true";
      step.querySelector(".error-label-options").hidden = true;
      step.querySelector("[data-buttons]").hidden = false;
    }
    root.addEventListener("click", (event) => {
      const button = event.target.closest("[data-set]");
      if (button) {
        this.answer(button.closest("[data-step]"), button.dataset.set);
      } else if (event.target.closest("[data-back] button")) {
        this.takeBack();
      }
    });
    this.result.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        root.closest("form").requestSubmit();
      }
    });
  }

  get answers() {
    return this.steps.map((step) => step.querySelector("input:checked")?.value ?? "");
  }

  /** The key of the label, or an empty text. */
  get label() {
    const { label } = walk(this.answers);
    return this.steps[label]?.dataset.label ?? "";
  }

  answer(step, said) {
    const radio = step.querySelector(`input[value="${said}"]`);
    radio.checked = true;
    changed(radio);
    this.goOn();
  }

  takeBack() {
    const last = lastGiven(this.answers);
    if (last !== null) {
      const radio = this.steps[last].querySelector("input:checked");
      radio.checked = false;
      changed(radio);
      this.goOn();
    }
  }

  /** Lead to the next question down the hierarchy, to what is asked after the label, or to the label itself. */
  goOn() {
    const { open } = walk(this.answers);
    const after = [...this.root.closest("[data-error-labels]").querySelectorAll("[data-after]")].find(
      (one) => !one.hidden && !one.querySelector("input:checked"),
    );
    if (open !== null) {
      focusOn(this.steps[open].querySelector("[data-takes-focus]"));
      this.steps[open].scrollIntoView({ block: "nearest" });
    } else {
      focusOn(after?.querySelector("input") ?? this.result);
    }
  }

  /** Show what the answers have come to: what was said as a line each, one open question, or the label. */
  update() {
    const answers = this.answers;
    const { open, label } = walk(answers);
    const reached = open ?? Math.min(label, answers.length - 1);
    this.steps.forEach((step, place) => {
      const past = place < reached || (open === null && place === reached);
      step.hidden = place > reached;
      step.toggleAttribute("data-past", past);
      step.toggleAttribute("data-optional", place !== open);
      step.querySelector(".question-body").hidden = past;
      step.querySelector("[data-words-long]").hidden = past;
      step.querySelector("[data-words-short]").hidden = !past;
      const said = step.querySelector("[data-said]");
      said.hidden = !past;
      said.textContent = past ? step.querySelector(`[data-set="${answers[place]}"] span`).textContent : "";
    });
    this.back.hidden = lastGiven(answers) === null;
    this.result.hidden = label === null;
    this.result.querySelector("[data-result-name]").textContent =
      label === null ? "" : (this.steps[label]?.dataset.name ?? this.result.dataset.validName);
  }
}

class Unit {
  constructor(root) {
    this.root = root;
    this.after = [...root.querySelectorAll("[data-after]")];
    this.asks = root.querySelector("[data-error-label-words]").content.querySelector("[data-word=asks]").textContent;
    const steps = root.querySelector("[data-steps-down]");
    this.steps = steps ? new Steps(steps) : null;
    for (const note of root.querySelectorAll("[data-without-script]")) {
      note.hidden = true;
    }
    this.label = this.chosen;
    this.update();
    // Before whoever counts the open questions hears of the change.
    root.closest("form").addEventListener("change", () => this.onChange(), { capture: true });
  }

  get chosen() {
    return this.steps ? this.steps.label : (this.root.querySelector("[data-labels] input:checked")?.value ?? "");
  }

  onChange() {
    const label = this.chosen;
    const other = label !== this.label;
    this.label = label;
    if (other) {
      // What was said about another label says nothing about this one.
      for (const radio of this.root.querySelectorAll("[data-after] input:checked")) {
        radio.checked = false;
      }
    }
    this.update();
    const asked = this.after.find((one) => !one.hidden);
    if (other && asked) {
      announce(fill(this.asks, { question: asked.querySelector(".question-words").textContent.trim() }));
    }
  }

  update() {
    this.steps?.update();
    for (const one of this.after) {
      one.hidden = !isAsked(one.dataset.after, this.label);
      one.toggleAttribute("data-optional", one.hidden || "may" in one.dataset);
    }
  }

  /** Use a digit: for the question at work, else for a box to tick. */
  press(key, question) {
    if (this.steps && key === "0") {
      this.steps.takeBack();
      return true;
    }
    const control = question.querySelector(`[data-key="${key}"]:is(button, input[type=radio])`);
    const usable = [...question.querySelectorAll(`[data-key="${key}"]`)].find((one) => one.checkVisibility());
    if (control && usable) {
      this.choose(usable, question);
      return true;
    }
    const box = this.root.querySelector(`[data-ticks] input[data-key="${key}"]`);
    box?.click();
    return box !== null;
  }

  choose(control, question) {
    if (control.type === "button") {
      control.click();
      return;
    }
    control.checked = true;
    changed(control);
    control.focus({ preventScroll: true, focusVisible: true });
    const asked = this.after.find((one) => !one.hidden && one !== question && !one.querySelector("input:checked"));
    if (asked) {
      focusQuestion(asked);
    } else {
      goOn(question.closest("form"), question);
    }
  }
}

/** Start every unit of a page. */
export function start(page) {
  for (const root of page.querySelectorAll("[data-error-labels]")) {
    const unit = new Unit(root);
    const form = root.closest("form[data-answer]");
    if (form) {
      onDigit(form, (key, question) => root.contains(question) && unit.press(key, question));
    }
  }
}

onEveryPage(() => start(document));
