// Drafts: what a rater has chosen is kept while they work, here first and then on the server.
//
// Each change is written to this device at once and sent about a second later. The device's copy goes only when
// the server has confirmed one that is at least as new. The counter only grows, so that an older draft never
// replaces a newer one.

import { countdown, isPassing, pause } from "./retry.js";

const SETTLE = 1000;

/**
 * The state machine, without a page.
 *
 * `read()` gives the answer; `send(body, {last})` resolves to {status, counter, over, retryAfter} or rejects where the
 * network fails; `keep(copy)` and `forget()` are the device's copy, of which `keep` returns false where the device keeps
 * none; `show(state, seconds)` tells the rater.
 */
export class Drafts {
  constructor({ counter, read, send, keep, forget, show, timers = globalThis }) {
    Object.assign(this, { counter, read, send, keep, forget, show, timers });
    this.unsent = false;
    this.sending = false;
    this.stopped = false;
    this.tries = 0;
    this.timer = null;
    this.stopWaiting = null;
  }

  /** The answer has changed. */
  changed() {
    this.unsent = true;
    this.keep({ counter: this.counter + 1, answer: this.read() });
    if (this.stopped || this.stopWaiting) {
      return;
    }
    this.show("saving");
    this.timers.clearTimeout(this.timer);
    this.timer = this.timers.setTimeout(() => this.flush(), SETTLE);
  }

  /** Send now what is unsent. `last`: the page may be about to go. */
  async flush({ last = false } = {}) {
    this.timers.clearTimeout(this.timer);
    this.stopWaiting?.();
    this.stopWaiting = null;
    if (this.stopped || !this.unsent || (this.sending && !last)) {
      return;
    }
    this.unsent = false;
    this.sending = true;
    this.counter += 1;
    const body = { counter: this.counter, answer: this.read() };
    let reply;
    try {
      reply = await this.send(body, { last });
    } catch {
      reply = { status: 0 };
    }
    this.sending = false;
    this.settle(reply);
  }

  settle({ status, counter, over, retryAfter }) {
    this.counter = Math.max(this.counter, Number(counter) || 0);
    if (this.stopped) {
      return;
    }
    if (status === 0 || status === 500 || isPassing(status)) {
      this.wait(retryAfter);
      return;
    }
    this.tries = 0;
    if (status === 410) {
      this.end(`over-${over ?? "stopped"}`);
    } else if (status === 409) {
      this.forget();
      this.show("elsewhere");
    } else if (status !== 200) {
      // The server refuses it, and will again: the answer itself goes with the form.
      this.end("unsaved", { kept: true });
    } else if (!this.unsent) {
      this.forget();
      this.show("saved");
    }
    if (this.unsent && !this.stopped) {
      this.keep({ counter: this.counter + 1, answer: this.read() });
      this.timer = this.timers.setTimeout(() => this.flush(), SETTLE);
    }
  }

  wait(retryAfter) {
    this.unsent = true;
    const isKept = this.keep({ counter: this.counter + 1, answer: this.read() }) !== false;
    this.tries += 1;
    this.stopWaiting?.();
    this.stopWaiting = countdown(
      pause(this.tries, retryAfter),
      (seconds) => this.show(isKept ? "offline" : "offline-here", seconds),
      () => {
        this.stopWaiting = null;
        this.flush();
      },
      this.timers,
    );
  }

  /** No more drafts, since the answer itself is being sent or the assignment is over. */
  end(state, { kept = false } = {}) {
    this.stopped = true;
    this.timers.clearTimeout(this.timer);
    this.stopWaiting?.();
    this.stopWaiting = null;
    if (state && !kept) {
      this.forget();
    }
    if (state) {
      this.show(state);
    }
  }
}

/** Whether the device's copy is newer than what the server has drawn into the page. */
export function isNewer(copy, counter) {
  return Boolean(copy && copy.answer && Number(copy.counter) > counter);
}
