// A text with a set time. The server decides when the time is over; this clock counts along, covers the text or sends
// the page, and says the time left when it is asked, and once by itself.

import { announce } from "./announce.js";
import { atEnd } from "./page.js";
import { fill, numeral } from "./words.js";

const TICK = 200;
// Seconds before the end at which a screen reader is told, where the time is at least twice as long.
const WARNS_AT = 10;

/** The clock: seconds since the text was shown and seconds left, both from what the server said when it made the page. */
export class SetTime {
  constructor({ elapsed, left, now }) {
    Object.assign(this, { before: elapsed, given: left, now, began: now() });
  }

  /** Seconds since the text was shown. */
  get shown() {
    return this.before + (this.now() - this.began) / 1000;
  }

  /** Whole seconds left, the last one counted until it is over. */
  get left() {
    return Math.max(0, Math.ceil(this.given - (this.now() - this.began) / 1000));
  }

  get isOver() {
    return this.now() - this.began >= this.given * 1000;
  }
}

/** Take what is to be read out of the page, so that nothing brings it back. */
function cover(form, words) {
  for (const media of form.querySelectorAll("audio, video")) {
    media.pause();
  }
  for (const beside of form.querySelectorAll(".beside, .media-list, figure.media, [data-jump]")) {
    beside.remove();
  }
  for (const text of form.querySelectorAll(".text")) {
    const note = document.createElement("p");
    note.className = "quiet";
    note.textContent = words;
    const box = document.createElement("div");
    box.className = "text-box";
    box.append(note);
    const heading = text.querySelector(":scope > .text-head");
    text.replaceChildren(...(heading ? [heading] : []), box);
  }
}

/**
 * Start the clock of a page. `send` sends it as it is. Returns a function that gives the seconds since the text was shown,
 * or nothing where no time is set.
 */
export function start(form, log, send) {
  const panel = form.querySelector("[data-set-time]");
  if (!panel) {
    return () => undefined;
  }
  const { left, elapsed, part, over, leftWords, covered } = panel.dataset;
  const clock = new SetTime({ elapsed: Number(elapsed), left: Number(left), now: () => performance.now() });
  if (left === undefined) {
    return () => clock.shown;
  }
  const figure = panel.querySelector("[data-set-time-left]");
  const say = panel.querySelector("[data-set-time-say]");
  const words = () => fill(leftWords, { n: numeral(clock.left) });
  const warns = clock.given >= 2 * WARNS_AT;
  let warned = false;
  for (const shown of [figure, say]) {
    shown.hidden = false;
  }
  say.addEventListener("click", () => announce(words()));

  const end = () => {
    clearInterval(timer);
    log.add("time_over");
    announce(over);
    figure.textContent = over;
    say.remove();
    if (part === "reading") {
      cover(form, covered);
    } else {
      send();
    }
  };
  const tick = () => {
    if (clock.isOver) {
      end();
      return;
    }
    figure.textContent = words();
    if (warns && !warned && clock.left <= WARNS_AT) {
      warned = true;
      announce(words());
    }
  };
  const timer = setInterval(tick, TICK);
  atEnd(() => clearInterval(timer));
  tick();
  return () => clock.shown;
}
