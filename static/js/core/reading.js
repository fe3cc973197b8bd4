// Long texts: the way from a text to its questions and back to the line that was read, and where each text was left.
//
// Where there is room a long text is a pane beside or above its questions (panes.css). Elsewhere it stands above them, and
// the bar at the foot leads from one to the other.

import { during } from "./page.js";
import { questionsOf } from "./questions.js";
import { local } from "./store.js";

// As in panes.css.
const WIDE = "(min-width: 64rem) and (min-height: 40rem)";

/** What is asked: the questions, or where a question has its long text within it, what is answered in it. */
function askedOf(form) {
  const all = questionsOf(form).flatMap((one) => (one.querySelector(".text-tall") ? [...one.querySelectorAll("label")] : one));
  return all.filter((one) => one.checkVisibility());
}

/** Say whether some of what is asked is in view, between the bars. */
function isInView(asked) {
  const box = asked.getBoundingClientRect();
  return box.height > 0 && box.top < innerHeight * 0.8 && box.bottom > innerHeight * 0.1;
}

/** The bar that leads on and back. `place` is the scroll position at which the rater was last reading. */
class Jump {
  constructor(form, nav) {
    Object.assign(this, { form, nav, place: 0 });
    this.back = nav.querySelector("[data-jump-back]");
    this.on = nav.querySelector("[data-jump-on]");
    this.back.addEventListener("click", (event) => this.goBack(event));
    this.on.addEventListener("click", (event) => this.goOn(event));
    globalThis.addEventListener("scroll", () => this.update(), during({ passive: true }));
    globalThis.addEventListener("resize", () => this.update(), during({ passive: true }));
    this.update();
  }

  /** Show the way to the questions while text is read, else the way back: below the texts there is nothing to read. */
  update() {
    const isReading =
      !askedOf(this.form).some(isInView) && panesOf(this.form).some((one) => one.getBoundingClientRect().bottom > 0);
    if (isReading) {
      this.place = scrollY;
    }
    this.back.hidden = isReading;
    this.on.hidden = !isReading;
    this.nav.toggleAttribute("data-reading", isReading);
  }

  /** Go to the next question below what is read, or to the first. */
  goOn(event) {
    const all = askedOf(this.form);
    const next = all.find((one) => one.getBoundingClientRect().top > 0) ?? all[0];
    if (next) {
      event.preventDefault();
      next.tabIndex = -1;
      next.focus({ preventScroll: true, focusVisible: false });
      next.scrollIntoView({ block: "start" });
    }
  }

  goBack(event) {
    event.preventDefault();
    const { place } = this;
    const heading = document.querySelector("main h1");
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true, focusVisible: false });
    scrollTo({ top: place });
  }
}

function panesOf(form) {
  return [...form.querySelectorAll(".text-tall")];
}

/** What scrolls can be reached by the keyboard, and says what it is. */
function nameThem(panes, isWide) {
  for (const pane of panes.filter((one) => one.tagName !== "TEXTAREA")) {
    const heading = pane.closest(".text")?.querySelector(".text-head");
    pane.toggleAttribute("role", false);
    pane.removeAttribute("tabindex");
    pane.removeAttribute("aria-label");
    if (isWide && heading) {
      pane.setAttribute("role", "region");
      pane.tabIndex = 0;
      pane.setAttribute("aria-label", heading.textContent.trim());
    }
  }
}

/** Start what a page with a long text needs; where it was left is kept on this device under `key`. */
export function start(form, key) {
  const panes = panesOf(form);
  if (panes.length === 0) {
    return;
  }
  const wide = matchMedia(WIDE);
  const nav = document.querySelector("[data-jump]");
  const jump = nav && new Jump(form, nav);
  const name = () => nameThem(panes, wide.matches);
  wide.addEventListener("change", name, during());
  name();
  const left = local.read(key);
  // Another width has other lines.
  if (left && left.width === innerWidth) {
    panes.forEach((pane, number) => (pane.scrollTop = left.panes?.[number] ?? 0));
    scrollTo({ top: left.top ?? 0 });
  }
  const keep = () => {
    if (form.isConnected && !form.inert) {
      const top = wide.matches ? scrollY : (jump?.place ?? scrollY);
      local.write(key, { top, panes: panes.map((pane) => pane.scrollTop), width: innerWidth, at: Date.now() });
    }
  };
  document.addEventListener("visibilitychange", keep, during());
  globalThis.addEventListener("pagehide", keep, during());
}
