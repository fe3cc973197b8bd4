// Comprehension: the text alone until the rater has read it, how long that took, and questions that depend on others.

import { announce } from "../core/announce.js";
import { goOn, onDigit } from "../core/keys.js";
import { during, onEveryPage } from "../core/page.js";
import { focusQuestion, openQuestions } from "../core/questions.js";

// As the server bounds it.
const MOST_SECONDS = 86_400;

/** Counts milliseconds while it runs. `now` never goes back; `held` is what was counted before. */
export class Stopwatch {
  constructor(now, held = 0) {
    this.now = now;
    this.held = held;
    this.since = null;
  }

  run(runs) {
    const now = this.now();
    if (this.since !== null) {
      this.held += now - this.since;
    }
    this.since = runs ? now : null;
  }

  /** Go on from another count, as after a draft was put back. */
  restart(held) {
    this.held = held;
    this.since = this.since === null ? null : this.now();
  }

  get milliseconds() {
    return this.held + (this.since === null ? 0 : this.now() - this.since);
  }

  /** Seconds to the millisecond, as the form sends them. */
  get seconds() {
    return Math.min(MOST_SECONDS, this.milliseconds / 1000).toFixed(3);
  }
}

function changed(control) {
  control.dispatchEvent(new Event("change", { bubbles: true }));
}

class Unit {
  constructor(root, form) {
    const part = (name) => root.querySelector(`[data-${name}]`);
    Object.assign(this, { root, form, reading: part("reading"), asked: part("asked"), text: part("text") });
    Object.assign(this, { done: part("done"), field: part("seconds"), finish: part("finish") });
    this.send = document.querySelector("[data-send]");
    this.onBreak = false;
    this.watch = new Stopwatch(() => performance.now(), (Number(this.field.value) || 0) * 1000);
    this.finish.addEventListener("click", () => this.end());
    // A draft that is put back says what was counted before, and whether the text was read.
    this.field.addEventListener("change", () => this.watch.restart((Number(this.field.value) || 0) * 1000));
    this.done.addEventListener("change", () => this.show());
    document.addEventListener("visibilitychange", () => this.onVisible(), during());
    globalThis.addEventListener("pagehide", () => this.keep(), during());
    for (const cover of root.querySelectorAll("details[data-cover]")) {
      cover.addEventListener("toggle", () => this.tick());
    }
    this.heedBreaks();
    form.addEventListener("formdata", (event) => {
      if (this.isReading) {
        event.formData.set(this.field.name, this.watch.seconds);
      }
    });
    form.addEventListener("submit", (event) => this.onSubmit(event), { capture: true });
    this.show();
  }

  get isReading() {
    return this.done.value !== "1";
  }

  heedBreaks() {
    document.querySelector("[data-break-take]")?.addEventListener("click", () => this.pause(true));
    document.getElementById("break")?.addEventListener("close", () => this.pause(false));
  }

  pause(onBreak) {
    this.onBreak = onBreak;
    this.tick();
  }

  /** Let the watch run while the text is in view. */
  tick() {
    const covered = this.text.querySelector("details[data-cover]:not([open])") !== null;
    const visible = document.visibilityState === "visible";
    this.watch.run(this.isReading && visible && !covered && !this.onBreak);
  }

  onVisible() {
    this.tick();
    if (document.visibilityState === "hidden") {
      this.keep();
    }
  }

  /** Put the time so far into the draft: the page may not come back. */
  keep() {
    if (this.isReading && this.form.isConnected) {
      this.field.value = this.watch.seconds;
      changed(this.field);
    }
  }

  end() {
    this.watch.run(false);
    this.field.value = this.watch.seconds;
    this.done.value = "1";
    changed(this.done);
    announce(this.root.querySelector("template[data-reading-words]").content.textContent.trim());
    const open = openQuestions(this.form)[0];
    if (open) {
      focusQuestion(open);
    }
    globalThis.scrollTo?.({ top: 0 });
  }

  /** Show the text or the questions, or both. */
  show() {
    const { isReading } = this;
    this.root.dataset.phase = isReading ? "reading" : "questions";
    this.reading.hidden = !isReading;
    this.asked.hidden = isReading;
    this.text.hidden = !isReading && !("stays" in this.root.dataset);
    if (this.text.hidden) {
      // A sound would go on unseen.
      this.text.querySelectorAll("audio, video").forEach((player) => player.pause());
    }
    if (this.send) {
      this.send.hidden = isReading;
    }
    this.tick();
  }

  /** Nothing is sent before the text was read. */
  onSubmit(event) {
    if (this.isReading) {
      event.preventDefault();
      event.stopImmediatePropagation();
      this.finish.focus();
    }
  }
}

/** Show a question that depends on another one only after the answers that ask for it. */
class Dependent {
  constructor(root, form) {
    Object.assign(this, { root, form, question: root.querySelector("[data-question]") });
    this.answers = root.dataset.answers.split(" ");
    root.querySelector("[data-when]").hidden = true;
  }

  update() {
    const earlier = [...this.form.querySelectorAll("input:checked")].find((one) => one.name === this.root.dataset.after);
    const asked = earlier !== undefined && !earlier.closest("[data-after]")?.hidden && this.answers.includes(earlier.value);
    const appears = asked && this.root.hidden;
    this.root.hidden = !asked;
    if (asked) {
      delete this.question.dataset.complete;
    } else {
      // What is not asked is not open.
      this.question.dataset.complete = "true";
    }
    return appears;
  }
}

function startDependents(page, form) {
  const dependents = [...page.querySelectorAll("[data-after]")].map((root) => new Dependent(root, form));
  const update = (tells) => {
    for (const one of dependents) {
      if (one.update() && tells) {
        announce(one.root.querySelector(".question-words").textContent.trim());
      }
    }
  };
  form.addEventListener("change", () => update(true), { capture: true });
  update(false);
}

/** Start every unit of a page. */
export function start(page) {
  const form = page.querySelector("form[data-answer]");
  if (!form || "readOnly" in form.dataset) {
    // Whoever only looks at a screen sees all of it.
    for (const root of page.querySelectorAll("[data-comprehension]")) {
      root.dataset.phase = "questions";
    }
    return;
  }
  startDependents(page, form);
  for (const root of page.querySelectorAll("[data-comprehension]")) {
    new Unit(root, form);
  }
  onDigit(form, (key, question) => {
    const radio = question.closest("[hidden]") ? null : question.querySelector(`input[data-key="${key}"]`);
    if (radio) {
      radio.checked = true;
      radio.focus({ preventScroll: true, focusVisible: true });
      changed(radio);
      goOn(form, question);
    }
    return radio !== null;
  });
}

onEveryPage(() => start(document));
