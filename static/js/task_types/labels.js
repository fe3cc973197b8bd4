// Labels and predictions: digits choose, "None of these" stands alone, and a question after a label comes and goes with
// the label.

import { announce } from "../core/announce.js";
import { goOn, onDigit } from "../core/keys.js";
import { onEveryPage } from "../core/page.js";

/**
 * Return the boxes that stay ticked once one was ticked: a box such as "None of these" takes the others away, and they
 * take it away. `ticked` holds places, `single` the places of the boxes that stand alone.
 */
export function alone(ticked, now, single) {
  if (single.includes(now)) {
    return [now];
  }
  return ticked.filter((place) => !single.includes(place));
}

/** What still has to be answered in a question: "choose", the place of what is asked after a label, or null. */
export function stillOpen(chosen, after) {
  if (chosen === 0) {
    return "choose";
  }
  const place = after.findIndex((one) => one.asked && one.needed && !one.answered);
  return place === -1 ? null : place;
}

function changed(control) {
  control.dispatchEvent(new Event("change", { bubbles: true }));
}

class Question {
  constructor(root) {
    this.root = root;
    this.main = [...root.querySelectorAll("[data-main] input")];
    this.after = [...root.querySelectorAll("[data-after], [data-after-none]")];
    this.missing = root.dataset.missing;
    for (const which of root.querySelectorAll("[data-after-none] [data-which]")) {
      which.hidden = true;
    }
    root.addEventListener("change", (event) => this.onChange(event.target), { capture: true });
    root.addEventListener("input", () => this.count());
    // A tap goes on to the next page only where nothing more is asked here.
    root.addEventListener("click", (event) => this.update() !== null && event.stopPropagation());
    root.addEventListener("reveal", () => queueMicrotask(() => this.focusOpen()));
    this.update();
  }

  isAsked(one) {
    return this.main.some(
      (box) => box.checked && ("afterNone" in one.dataset ? "none" in box.dataset : box.dataset.option === one.dataset.after && !("none" in box.dataset)),
    );
  }

  isAnswered(one) {
    return one.querySelector("input:checked") !== null || Boolean(one.querySelector("textarea")?.value.trim());
  }

  /** What is open here; the page counts the question as answered once nothing is. */
  count() {
    const chosen = this.main.filter((box) => box.checked).length;
    const after = this.after.map((one) => ({
      asked: this.isAsked(one),
      needed: !("may" in one.dataset),
      answered: this.isAnswered(one),
    }));
    const open = stillOpen(chosen, after);
    this.root.dataset.complete = String(open === null);
    this.root.dataset.missing = typeof open === "number" ? this.after[open].dataset.afterMissing : this.missing;
    return open;
  }

  update() {
    const several = this.main.filter((box) => box.checked).length > 1;
    for (const one of this.after) {
      one.hidden = !this.isAsked(one);
      const which = one.querySelector("legend [data-which]");
      if (which) {
        which.hidden = !several;
      }
    }
    return this.count();
  }

  onChange(control) {
    if (!this.main.includes(control)) {
      this.count();
      return;
    }
    if (control.type === "checkbox" && control.checked) {
      const ticked = this.main.flatMap((box, place) => (box.checked ? [place] : []));
      const single = this.main.flatMap((box, place) => ("alone" in box.dataset ? [place] : []));
      const left = alone(ticked, this.main.indexOf(control), single);
      this.main.forEach((box, place) => {
        box.checked = left.includes(place);
      });
    }
    const before = this.after.filter((one) => !one.hidden);
    this.update();
    for (const one of before.filter((each) => each.hidden)) {
      // What was said after a label goes with it.
      for (const radio of one.querySelectorAll("input:checked")) {
        radio.checked = false;
      }
    }
    const fresh = this.after.find((one) => !one.hidden && !before.includes(one));
    if (fresh) {
      announce((fresh.querySelector("legend") ?? fresh.querySelector("label")).textContent.trim());
    }
  }

  /** Put the focus on what is still open after a label. */
  focusOpen() {
    const open = this.count();
    if (typeof open === "number") {
      this.after[open].querySelector("input, textarea").focus({ preventScroll: true, focusVisible: true });
      this.after[open].scrollIntoView({ block: "nearest" });
    }
    return typeof open === "number";
  }

  /** Use a digit. Returns whether there is such an option. */
  press(key) {
    const within = document.activeElement?.closest("[data-after]") ?? this.root.querySelector("[data-main]");
    const box = within.querySelector(`input[data-key="${key}"]`);
    if (!box) {
      return false;
    }
    box.checked = box.type === "radio" || !box.checked;
    box.focus({ preventScroll: true, focusVisible: true });
    changed(box);
    if (box.type === "radio" && !this.focusOpen()) {
      goOn(this.root.closest("form"), this.root);
    }
    return true;
  }
}

/** Start every question of a page that holds labels. */
export function start(page) {
  const questions = new Map();
  for (const root of page.querySelectorAll("[data-question][data-labels]")) {
    if (root.querySelector("[data-main]")) {
      questions.set(root, new Question(root));
    }
  }
  const form = page.querySelector("form[data-answer]");
  if (form) {
    onDigit(form, (key, question) => questions.get(question)?.press(key) ?? false);
  }
}

onEveryPage(() => start(document));
