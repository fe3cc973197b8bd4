// The pointer over a text. Mouse and pen draw over words, from the padding around them too and to wherever they are
// released; a finger taps the first and the last, since drawing with it scrolls.

import { during } from "../../core/page.js";

// Pixels that a hand may tremble on a word before it draws, and how far beside a text a press still means its words.
const TREMBLE = 4;
const REACH = 56;

const CONTROLS = "a, button, input, label, select, summary, textarea, audio, video";

/** Say whether a click on nothing else is so near to a text that it means the nearest of its words. */
export function isNear(view, event) {
  const { left, right, top, bottom } = view.area.getBoundingClientRect();
  const [x, y] = [event.clientX, event.clientY];
  const isBeside = x > left - REACH && x < right + REACH && y > top - REACH && y < bottom + REACH;
  return isBeside && event.detail > 0 && !event.target.closest(CONTROLS);
}

class Press {
  constructor(view, event) {
    const [x, y] = [event.clientX, event.clientY];
    Object.assign(this, { view, x, y, id: event.pointerId, from: view.placeAt(x, y), draws: false });
    this.to = this.from;
  }

  /** Follow the pointer. It draws once it has come to another word, or has left its own: a single word is drawn so. */
  follow({ clientX: x, clientY: y }) {
    this.to = this.view.placeAt(x, y, this.from);
    const trembles = Math.hypot(x - this.x, y - this.y) <= TREMBLE;
    const isOnWord = this.view.placeOf(document.elementFromPoint(x, y)) === this.from;
    this.draws ||= this.to !== this.from || !(trembles || isOnWord);
  }
}

/** Listen to the pointer: `on.select(from, to, done)`, `on.tap(place, extend)` and `on.over(place)` (null: gone). */
export function listen(view, on) {
  const { area, box } = view;
  let press = null;
  // The word that was pressed, for the click that follows; and whether that click only ends a drawing.
  let pressed = null;
  let ends = false;
  box.addEventListener("pointermove", (event) => event.pointerType !== "touch" && on.over(view.placeOf(event.target)));
  box.addEventListener("pointerleave", () => on.over(null));
  if (!view.marked) {
    return;
  }
  area.dataset.spansArea = "";

  const finish = () => {
    if (press?.draws) {
      ends = true;
      on.select(press.from, press.to, true);
      box.focus({ preventScroll: true });
    }
    press = null;
  };
  document.addEventListener("pointerdown", () => ([press, pressed, ends] = [null, null, false]), during({ capture: true }));
  area.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch" && event.button === 0 && !event.shiftKey) {
      press = new Press(view, event);
      pressed = press.from;
    }
  });
  document.addEventListener("pointermove", (event) => {
    if (event.pointerId !== press?.id) {
      return;
    }
    if (!(event.buttons & 1)) {
      // Released where no page hears of it.
      finish();
      return;
    }
    press.follow(event);
    if (press.draws) {
      on.select(press.from, press.to, false);
    }
  }, during());
  document.addEventListener("pointerup", (event) => {
    if (event.pointerId === press?.id) {
      press.follow(event);
      finish();
    }
  }, during());
  document.addEventListener("pointercancel", (event) => event.pointerId === press?.id && finish(), during());
  // A pen that draws must not scroll.
  area.addEventListener("touchmove", (event) => press && event.cancelable && event.preventDefault(), { passive: false });
  // Before anybody takes the click that ends a drawing for a press somewhere else; a click by a key is none.
  document.addEventListener(
    "click",
    (event) => {
      if (ends && event.detail > 0) {
        event.stopPropagation();
      }
      ends = false;
    },
    during({ capture: true }),
  );
  area.addEventListener("click", (event) => {
    const place = pressed ?? view.placeOf(event.target) ?? view.placeAt(event.clientX, event.clientY);
    pressed = null;
    on.tap(place, event.shiftKey);
    box.focus({ preventScroll: true });
  });
}
