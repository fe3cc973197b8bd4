// Options that are ticked about a text: digits tick them, and one that rules out the others stands alone.

import { onDigit } from "../../core/keys.js";

/**
 * Which boxes stay ticked once one was ticked. `ticked` holds places, `now` is the place that was ticked last,
 * `alone` the places of the boxes that rule out the others.
 */
export function kept(ticked, now, alone) {
  return alone.includes(now) ? [now] : ticked.filter((place) => !alone.includes(place));
}

class Ticks {
  constructor(root) {
    this.root = root;
    this.boxes = [...root.querySelectorAll("input[type=checkbox]")];
    this.error = root.querySelector("[data-error]");
    root.addEventListener("change", (event) => this.onChange(event.target), { capture: true });
    this.count();
  }

  places(wanted) {
    return this.boxes.flatMap((box, place) => (wanted(box) ? [place] : []));
  }

  count() {
    const complete = this.boxes.some((box) => box.checked);
    this.root.dataset.complete = String(complete);
    return complete;
  }

  onChange(box) {
    if (box.checked) {
      const alone = this.places((one) => "alone" in one.dataset);
      const left = kept(this.places((one) => one.checked), this.boxes.indexOf(box), alone);
      this.boxes.forEach((one, place) => {
        one.checked = left.includes(place);
      });
    }
    if (this.count()) {
      this.error.textContent = "";
      this.error.hidden = true;
      this.root.removeAttribute("data-wrong");
    }
  }

  press(key) {
    const box = this.boxes.find((one) => one.dataset.key === key);
    if (!box) {
      return false;
    }
    box.checked = !box.checked;
    box.focus({ preventScroll: true, focusVisible: true });
    box.dispatchEvent(new Event("change", { bubbles: true }));
    return true;
  }
}

/** Start every question with options to tick. */
export function start(root) {
  const questions = new Map([...root.querySelectorAll("[data-ticks]")].map((one) => [one, new Ticks(one)]));
  const form = root.querySelector("form[data-answer]");
  if (form && questions.size) {
    onDigit(form, (key, question) => questions.get(question)?.press(key) ?? false);
  }
}
