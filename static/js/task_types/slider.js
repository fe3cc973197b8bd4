// The slider: a native range beside the number field, which stays the truth and is what the form sends.
//
// Nothing shows until the rater touches it: no thumb, no value. With the keyboard the first press of an arrow or a
// page key sets it to the middle, since any other start would favour one end, and the presses after it move it;
// Home, End and digits (tenths of the range) go to their place at once and need no start at all.

import { onEveryPage } from "../core/page.js";
import { numeral, word } from "../core/words.js";
import { onDigit } from "../core/keys.js";
import { digitOf, isComposing } from "../core/typed.js";

// Words nearer to each other than this share of the track have no room under it; on a narrow track they need more.
const ROOM = 0.16;
const ROOM_IF_NARROW = 0.24;

/** A range: its least and greatest value and its step. */
export class Range {
  constructor(low, high, step) {
    Object.assign(this, { low, high, step });
    this.steps = Math.round((high - low) / step);
  }

  /** The value of step n, without the dust of binary fractions. */
  at(n) {
    const digits = (String(this.step).split(".")[1] ?? "").length;
    return Number((this.low + Math.min(this.steps, Math.max(0, n)) * this.step).toFixed(digits));
  }

  /** The number of the step nearest to a value. */
  stepOf(value) {
    return Math.round((value - this.low) / this.step);
  }

  middle() {
    return this.at(Math.round(this.steps / 2));
  }

  share(value) {
    return (value - this.low) / (this.high - this.low);
  }

  /** Where a key leads from a value (null: not set yet); null for keys that mean nothing here. */
  after(key, value, rightToLeft = false) {
    const forward = rightToLeft ? "ArrowLeft" : "ArrowRight";
    const back = rightToLeft ? "ArrowRight" : "ArrowLeft";
    const moves = { [forward]: 1, ArrowUp: 1, [back]: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 };
    if (key === "Home") {
      return this.at(0);
    }
    if (key === "End") {
      return this.at(this.steps);
    }
    if (/^[0-9]$/.test(key)) {
      return this.at(Math.round((this.steps * Number(key)) / 10));
    }
    if (!(key in moves)) {
      return null;
    }
    return value === null ? this.middle() : this.at(this.stepOf(value) + moves[key]);
  }
}

/** The anchor nearest to a value; of two equally near, the lower. */
export function nearest(anchors, value) {
  return anchors.reduce(
    (best, one) => (!best || Math.abs(one.at - value) < Math.abs(best.at - value) ? one : best),
    undefined,
  );
}

/** The two anchors that a value lies between, lower first; the same one twice where it lies on one. */
export function around(anchors, value) {
  const sorted = [...anchors].sort((one, other) => one.at - other.at);
  const low = sorted.filter((one) => one.at <= value).at(-1);
  const high = sorted.find((one) => one.at >= value);
  return low && high ? [low, high] : [];
}

/** The least distance between two of these shares; 1 where there are fewer than two. */
export function leastGap(shares) {
  const sorted = [...shares].sort((a, b) => a - b);
  return Math.min(1, ...sorted.slice(1).map((share, place) => share - sorted[place]));
}

class Slider {
  constructor(question) {
    this.question = question;
    this.number = question.querySelector("input[type=number]");
    this.output = question.querySelector("[data-slider-value]");
    this.list = question.querySelector("[data-anchors]");
    this.showNumbers = "showNumbers" in question.dataset;
    // In a narrow column the number alone stands over the track.
    this.isBrief = this.showNumbers && question.closest("[data-document]") !== null;
    this.range = new Range(Number(this.number.min), Number(this.number.max), Number(this.number.step));
    this.anchors = [...this.list.children].map((item) => ({
      item,
      at: Number(item.dataset.at),
      words: item.querySelector(".anchor-words").textContent.trim(),
    }));
    this.build();
    this.place();
    this.update();
  }

  get value() {
    return this.number.value.trim() === "" ? null : Number(this.number.value);
  }

  /** Make the native range; it takes over the name, description and place of the number field. */
  build() {
    const range = document.createElement("input");
    range.type = "range";
    range.className = "slider-range";
    range.id = `${this.number.id}-range`;
    range.min = this.number.min;
    range.max = this.number.max;
    range.step = this.number.step;
    range.value = String(this.value ?? this.range.middle());
    range.dataset.takesFocus = "";
    range.setAttribute("aria-labelledby", `${this.number.id}-words`);
    range.setAttribute("aria-describedby", this.number.getAttribute("aria-describedby"));
    // Firefox offers a value it remembers from an earlier page.
    range.autocomplete = "off";
    this.native = range;
    this.track = document.createElement("div");
    this.track.className = "slider-track";
    this.track.append(range);
    this.number.before(this.track);
    this.number.hidden = true;
    this.output.hidden = false;
    range.addEventListener("input", () => this.set(Number(range.value)));
    // A press right in the middle changes nothing for the browser, but it is an answer. A finger gives no click, and a
    // finger that scrolls the page gives no pointerup.
    for (const end of ["click", "pointerup"]) {
      range.addEventListener(end, () => this.set(Number(range.value)));
    }
    range.addEventListener("change", (event) => event.stopPropagation());
    range.addEventListener("keydown", (event) => this.onKey(event));
    this.number.addEventListener("change", () => this.update());
    this.question.addEventListener("click", (event) => {
      if (event.target.closest("label")) {
        event.preventDefault();
        range.focus();
      }
    });
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || isComposing(event) || digitOf(event) !== null) {
      return;
    }
    const rightToLeft = getComputedStyle(this.native).direction === "rtl";
    const next = this.range.after(event.key, this.value, rightToLeft);
    if (next !== null) {
      event.preventDefault();
      this.set(next);
    }
  }

  set(value) {
    if (value !== this.value) {
      this.number.value = String(value);
      this.number.dispatchEvent(new Event("change", { bubbles: true }));
    }
  }

  /** Lay the words out along the track, each as wide as its neighbours allow; crowded ones stay a list. */
  place() {
    const shown = this.anchors.filter((one) => one.words || this.showNumbers);
    for (const one of this.anchors) {
      const share = this.range.share(one.at);
      const number = one.item.querySelector(".anchor-value");
      one.item.hidden = !shown.includes(one);
      // Emptied, not only hidden: a description takes in what is hidden.
      number.textContent = this.showNumbers ? `${numeral(one.at)} ` : "";
      one.item.style.setProperty("--at", String(share));
      if (share <= 0 || share >= 1) {
        one.item.dataset.end = share <= 0 ? "low" : "high";
      }
    }
    const gap = leastGap(shown.map((one) => this.range.share(one.at)));
    this.list.classList.toggle("anchors-ends", shown.length <= 2);
    this.list.classList.toggle("anchors-placed", gap >= ROOM);
    this.list.classList.toggle("anchors-roomy", gap >= ROOM_IF_NARROW);
    this.list.style.setProperty("--gap", String(gap));
    for (const one of shown) {
      const tick = document.createElement("span");
      tick.className = "slider-tick";
      tick.style.setProperty("--at", String(this.range.share(one.at)));
      this.track.prepend(tick);
    }
    this.output.classList.toggle("slider-value-between", shown.length > 2);
  }

  update() {
    const value = this.value;
    this.native.toggleAttribute("data-unset", value === null);
    const worded = this.anchors.filter((one) => one.words);
    const near = value === null ? undefined : nearest(worded, value);
    if (value !== null) {
      this.native.value = String(value);
    }
    for (const one of this.anchors) {
      one.item.toggleAttribute("data-near", this.anchors.length > 2 && one === near);
    }
    const place = value === null ? [] : around(worded, value);
    this.output.toggleAttribute("data-unset", value === null);
    this.output.textContent = value === null ? word("not-set") : this.words(value, place);
    this.native.setAttribute("aria-valuetext", value === null ? word("not-set") : this.spoken(value, place));
  }

  /** What stands over the track. Between the ends alone the place of the thumb says more than words. */
  words(value, place) {
    const says = !this.isBrief && (this.anchors.length > 2 || place[0] === place[1]);
    const parts = [this.showNumbers ? numeral(value) : "", says ? placeInWords(place, (one) => `\u2068${one}\u2069`) : ""];
    return parts.filter(Boolean).join(", ") || word("set");
  }

  /** What a screen reader says; it needs the number, since it cannot see the place. */
  spoken(value, place) {
    return [numeral(value), placeInWords(place)].filter(Boolean).join(", ");
  }
}

/** A place on the track in words: those of its anchor, or between which two it lies. `isolate` keeps their direction. */
function placeInWords([low, high], isolate = (words) => words) {
  if (!low) {
    return "";
  }
  return low === high ? isolate(low.words) : word("between", { low: isolate(low.words), high: isolate(high.words) });
}

/** Make sliders of all questions that ask for one and have none yet. */
export function start(root) {
  const sliders = new Map();
  for (const question of root.querySelectorAll("[data-slider]:not([data-slider='ready'])")) {
    question.dataset.slider = "ready";
    sliders.set(question, new Slider(question));
  }
  const form = root.querySelector("form[data-answer]");
  if (form) {
    onDigit(form, (key, question) => {
      const slider = sliders.get(question);
      slider?.set(slider.range.after(key, slider.value));
      return slider !== undefined;
    });
  }
}

onEveryPage(() => start(document));
