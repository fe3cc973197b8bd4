// Questions one at a time: an element with data-paged (always), or data-paged="narrow" (on phones), that holds several
// [data-question]s. Its words and buttons stand in components/_paging_words.html. Without scripts all are listed.
//
// Who taps a radio button goes on by itself, as does who presses a digit (the type's script); arrow keys only move
// along the choices. A question that comes into view hears "shown". What belongs to several questions, such as their heading, has data-page-group: it is hidden while
// none of them is shown; data-page-first is only shown with the first question.

import { announce } from "./announce.js";
import { during } from "./page.js";
import { controlOf, isAnswered, questionsOf } from "./questions.js";
import { isComposing } from "./typed.js";
import { fill } from "./words.js";

const NARROW = "(max-width: 40rem)";

// Long enough to see the choice, and for a double tap to end on the question it was meant for.
const PAUSE = 200;

/** The place after `from`, going round, that still has something to do; -1 where there is none but itself. */
function nextToDo(toDo, from) {
  const places = toDo.map((_open, step) => (from + 1 + step) % toDo.length).filter((place) => place !== from);
  return places.find((place) => toDo[place]) ?? -1;
}

/** Where to begin: at the first mistake, else at the first open question, else at the first. */
function firstPlace(wrong, open) {
  return Math.max(0, wrong.includes(true) ? wrong.indexOf(true) : open.indexOf(true));
}

function isEmpty(question) {
  const controls = [...question.querySelectorAll("input[name], select[name], textarea[name]")];
  return !controls.some((control) =>
    control.type === "radio" || control.type === "checkbox" ? control.checked : control.value.trim() !== "",
  );
}

/** The pages of one element. */
export class Pages {
  constructor(root, template, narrow = globalThis.matchMedia(NARROW)) {
    this.root = root;
    this.questions = questionsOf(root);
    this.groups = [...root.querySelectorAll("[data-page-group]")];
    this.openings = [...root.querySelectorAll("[data-page-first]")];
    this.seen = new Set();
    this.place = 0;
    this.active = false;
    this.byPointer = false;
    this.timer = 0;
    this.build(template);
    this.listen();
    const always = root.dataset.paged !== "narrow";
    const set = () => (always || narrow.matches ? this.begin() : this.end());
    narrow.addEventListener("change", set, during());
    set();
  }

  build(template) {
    this.bar = template.content.firstElementChild.cloneNode(true);
    this.back = this.bar.querySelector("[data-paging-back]");
    this.next = this.bar.querySelector("[data-paging-next]");
    this.where = this.bar.querySelector("[data-paging-place]");
    this.words = this.where.dataset.words;
    this.bar.hidden = true;
    this.root.append(this.bar);
    this.back.addEventListener("click", () => this.go(this.place - 1));
    this.next.addEventListener("click", () => this.go(this.place + 1));
  }

  listen() {
    const { root } = this;
    root.addEventListener("reveal", (event) => this.active && this.reveal(this.placeOf(event.target)));
    root.addEventListener("pointerdown", () => (this.byPointer = true), { capture: true });
    root.addEventListener("keydown", (event) => this.onKey(event), { capture: true });
    root.addEventListener("click", (event) => this.onClick(event));
  }

  placeOf(element) {
    return this.questions.indexOf(element?.closest("[data-question]"));
  }

  /** Questions still to be seen to; an optional one is, until it has been shown. */
  toDo() {
    return this.questions.map(
      (one) => !isAnswered(one) || ("optional" in one.dataset && !this.seen.has(one) && isEmpty(one)),
    );
  }

  begin() {
    const focused = this.placeOf(document.activeElement);
    const wrong = this.questions.map((one) => "wrong" in one.dataset);
    this.active = true;
    this.root.dataset.pagingOn = "";
    this.bar.hidden = false;
    this.show(focused >= 0 ? focused : firstPlace(wrong, this.toDo()));
  }

  end() {
    this.active = false;
    this.bar.hidden = true;
    delete this.root.dataset.pagingOn;
    for (const one of [...this.questions, ...this.groups, ...this.openings]) {
      one.hidden = false;
    }
  }

  show(place) {
    if (place < 0) {
      return;
    }
    clearTimeout(this.timer);
    this.place = place;
    const shown = this.questions[place];
    this.seen.add(shown);
    for (const one of this.questions) {
      one.hidden = one !== shown;
    }
    for (const one of this.groups) {
      one.hidden = !one.contains(shown);
    }
    for (const one of this.openings) {
      one.hidden = place > 0;
    }
    this.back.hidden = place === 0;
    this.next.hidden = place === this.questions.length - 1;
    this.where.textContent = fill(this.words, { n: place + 1, total: this.questions.length });
    shown.dispatchEvent(new CustomEvent("shown", { bubbles: true }));
  }

  /** Show a question that somebody else moves the focus into. */
  reveal(place) {
    if (place >= 0 && place !== this.place) {
      this.show(place);
      announce(this.where.textContent);
    }
  }

  /** Show a question and put the focus there: into its control for a keyboard, else onto the question itself. */
  go(place) {
    this.show(place);
    const shown = this.questions[place];
    if ("keyboard" in document.documentElement.dataset) {
      controlOf(shown)?.focus({ preventScroll: true, focusVisible: true });
    } else {
      shown.tabIndex = -1;
      shown.focus({ preventScroll: true, focusVisible: false });
    }
    shown.scrollIntoView({ block: "nearest" });
    announce(this.where.textContent);
  }

  /** Go on to what is still to do. Returns whether there is such a question. */
  goOn() {
    const next = this.active ? nextToDo(this.toDo(), this.place) : -1;
    if (next >= 0) {
      this.go(next);
    }
    return next >= 0;
  }

  onKey(event) {
    this.byPointer = false;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !isComposing(event);
    const inField = event.target.tagName === "INPUT" && this.placeOf(event.target) >= 0;
    if (event.key === "Enter" && plain && inField && this.goOn()) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  /** A tap on a radio button goes on, also on the one that was chosen before; the arrow keys' clicks do not. */
  onClick(event) {
    if (this.active && this.byPointer && event.target.type === "radio" && this.placeOf(event.target) >= 0) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.goOn(), PAUSE);
    }
  }
}

const all = new WeakMap();

/** For scripts of task types: go on from a question that is shown alone. Returns whether it went somewhere. */
export function goOnPaged(question) {
  return all.get(question.closest("[data-paged]"))?.goOn() ?? false;
}

/** Page everything that asks for it. */
export function start(root = document) {
  const template = root.querySelector("template[data-paging]");
  for (const one of root.querySelectorAll("[data-paged]")) {
    if (template && questionsOf(one).length > 1 && !all.has(one)) {
      all.set(one, new Pages(one, template));
    }
    one.dataset.pagingReady = "";
  }
}
