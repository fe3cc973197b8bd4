// How long a rater worked on a unit. Durations only: what time it is, the server's clock says.

import { during } from "./page.js";

/** A gap between two signs of life counts for so much at most. */
const LONGEST_GAP = 60_000;

const SIGNS_OF_LIFE = ["keydown", "pointerdown", "pointermove", "scroll", "wheel", "touchmove"];

/**
 * Counts active time (visible, gaps capped) and elapsed time (breaks taken off), in milliseconds.
 * `now` gives the time; it must never go back (performance.now).
 */
export class Clock {
  constructor(now, { active = 0, elapsed = 0 } = {}) {
    this.now = now;
    this.last = now();
    this.settled = { active, elapsed };
    this.visible = true;
    this.paused = false;
  }

  /** Close the gap since the last sign. */
  settle() {
    const gap = this.now() - this.last;
    if (!this.paused) {
      this.settled.elapsed += gap;
      if (this.visible) {
        this.settled.active += Math.min(gap, LONGEST_GAP);
      }
    }
    this.last += gap;
  }

  /** The rater did something. */
  sign() {
    this.settle();
  }

  show(visible) {
    this.settle();
    this.visible = visible;
  }

  pause(paused) {
    this.settle();
    this.paused = paused;
  }

  /** Active and elapsed milliseconds so far, without closing the gap. */
  read() {
    const gap = this.paused ? 0 : this.now() - this.last;
    return {
      active: this.settled.active + (this.visible ? Math.min(gap, LONGEST_GAP) : 0),
      elapsed: this.settled.elapsed + gap,
    };
  }
}

/** Feed a clock with what happens on the page. */
export function attach(clock) {
  for (const name of SIGNS_OF_LIFE) {
    document.addEventListener(name, () => clock.sign(), during({ passive: true, capture: true }));
  }
  clock.show(document.visibilityState === "visible");
  document.addEventListener("visibilitychange", () => clock.show(document.visibilityState === "visible"), during());
}

/** Milliseconds as seconds with one decimal, as the form sends them. */
export function seconds(milliseconds) {
  return (Math.max(0, milliseconds) / 1000).toFixed(1);
}
