// What editing took: keys pressed in the text area, and seconds of work in it.

import { Clock } from "../../core/timer.js";

// As the server bounds them.
const MOST_KEYS = 1_000_000;
const MOST_SECONDS = 86_400;

const MODIFIERS = ["Shift", "Control", "Alt", "AltGraph", "Meta", "OS", "CapsLock", "NumLock", "ScrollLock", "Fn", "FnLock"];

/** Counts on from what a draft or an earlier answer holds. `now` gives milliseconds that never go back. */
export class Effort {
  constructor(now, held = {}) {
    this.now = now;
    this.visible = true;
    this.working = false;
    this.restart(held);
  }

  restart({ keys = 0, seconds = 0 }) {
    this.keys = keys;
    this.clock = new Clock(this.now, { active: seconds * 1000 });
    this.clock.show(this.visible);
    this.clock.pause(!this.working);
  }

  /** The cursor went into the area, or out of it. */
  work(working) {
    this.working = working;
    this.clock.pause(!working);
  }

  show(visible) {
    this.visible = visible;
    this.clock.show(visible);
  }

  /** A sign of work; a key that is no mere Shift or Ctrl counts. */
  sign(key) {
    this.clock.sign();
    if (key !== undefined && !MODIFIERS.includes(key)) {
      this.keys = Math.min(MOST_KEYS, this.keys + 1);
    }
  }

  read() {
    const seconds = Math.min(MOST_SECONDS, this.clock.read().active / 1000);
    return { keys: this.keys, seconds: Math.round(seconds * 10) / 10 };
  }
}
