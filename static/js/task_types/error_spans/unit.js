// A screen of texts to mark: which words are chosen, and everything that follows from a mark.

import { announce } from "../../core/announce.js";
import { during } from "../../core/page.js";
import { fill } from "../../core/words.js";
import { Acts } from "./acts.js";
import { onKey } from "./keys.js";
import { Lists } from "./lists.js";
import { Marks } from "./marks.js";
import { Panel } from "./panel.js";
import { isNear, listen } from "./pointer.js";
import { TextView } from "./text.js";

// Of a long passage so many characters are enough to know which one is meant.
const SHOWN = 40;

export class Unit {
  constructor(root) {
    this.root = root;
    this.data = JSON.parse(root.querySelector("[data-spans-page] script").textContent);
    const sentences = root.querySelector("template[data-spans-words]").content.children;
    this.sentences = new Map([...sentences].map((one) => [one.dataset.word, one.textContent]));
    this.marks = new Marks({ ...this.data, positions: Object.keys(this.data.given).map(Number) });
    this.selection = null;
    this.chosen = null;
    this.views = this.data.texts.map((text) => this.makeView(text));
    this.acts = new Acts(this);
    this.panel = new Panel(root.querySelector("[data-spans-panel]"), {
      severity: (severity) => this.acts.apply({ severity }),
      category: (category) => this.acts.apply({ category }),
      verdict: (word) => this.acts.settle(word),
      remove: () => this.acts.remove(),
      shift: (edge, by) => this.acts.shift(edge, by),
      again: () => this.again(),
      close: () => this.leave(true),
    });
    this.lists = new Lists(this);
    this.lists.read();
    this.listen();
    this.draw();
  }

  word(name, values) {
    return fill(this.sentences.get(name) ?? "", values);
  }

  /** Put the letter or the name of a text in front of a sentence about it, where there are several. */
  about(question, sentence) {
    const { letter, name } = question.dataset;
    if (name) {
      return this.word("about-named", { name, sentence });
    }
    return letter ? this.word("about-text", { letter, sentence }) : sentence;
  }

  say(name, values) {
    announce(this.word(name, values));
  }

  makeView(text) {
    // On the page of a document each row has a source.
    const place = text.side === "output" ? text.position : text.row;
    const position = place === undefined ? "" : `[data-position="${place}"]`;
    const element = this.root.querySelector(`[data-spans-text][data-side="${text.side}"]${position}`);
    const isAsked = text.side === "output" && this.data.missing;
    return new TextView(element, text, {
      snap: this.data.snap,
      missing: isAsked ? { stored: this.data.missing, shown: this.word("missing") } : null,
      labelledBy: element.dataset.spansText,
      describedBy: this.root.querySelector("[data-spans-how]").id,
    });
  }

  listen() {
    for (const view of this.views) {
      listen(view, {
        select: (from, to, done) => this.select(view, from, to, { done }),
        tap: (place, extend) => this.tap(view, place, extend),
        over: (place) => this.guide(view, place),
      });
      view.box.addEventListener("focus", () => this.guide(view, view.active));
      view.box.addEventListener("blur", () => this.guide(view, null));
    }
    for (const group of this.root.querySelectorAll("[data-missing-in-texts]")) {
      group.hidden = false;
      group.addEventListener("click", (event) => this.missIn(event.target.closest("[data-missing-in]")));
    }
    this.root.addEventListener("keydown", (event) => onKey(this, event));
    this.root.querySelector("[data-spans-undo]").addEventListener("click", () => this.acts.undo(false));
    this.root.querySelector("[data-spans-redo]").addEventListener("click", () => this.acts.undo(true));
    document.addEventListener("click", (event) => this.onClickElsewhere(event), during());
    globalThis.addEventListener("resize", () => this.follow(), during());
    // A pane that scrolls takes its words along, and they their panel.
    document.addEventListener("scroll", (event) => event.target !== document && this.follow(), during({ capture: true, passive: true }));
  }

  /** A click beside the texts: it ends a choice of words whose first was pressed where it is near, else lets go. */
  onClickElsewhere(event) {
    const isOurs = event.target.closest("[data-spans-area], [data-spans-panel], [data-spans-list], [data-missing-in]");
    if (isOurs || !event.target.isConnected || !(this.selection || this.chosen)) {
      return;
    }
    const { open, view, from } = this.selection ?? {};
    if (open && isNear(view, event)) {
      this.tap(view, view.placeAt(event.clientX, event.clientY, from), false);
      view.box.focus({ preventScroll: true });
    } else {
      this.leave(false);
    }
  }

  /** The text that is worked on. */
  get atWork() {
    const mark = this.chosen && this.marks.find(this.chosen);
    return this.selection?.view ?? (mark && this.viewOf(mark));
  }

  viewOf(mark) {
    return this.views.find((view) => view.marked && view.side === mark.side && view.position === mark.position);
  }

  /** Choose words. While `done` is false they are still being drawn over, and the panel waits. */
  select(view, from, to, { done = true, open = false } = {}) {
    this.chosen = null;
    const end = view.tokens[from].missing ? from : Math.min(to, view.own - 1);
    this.selection = { view, from, to: end, open, extending: false };
    view.moveTo(end);
    this.guide(view, end);
    this.draw({ panel: done });
  }

  /** A word was pressed: the first of a choice, the last, or one with a mark. */
  tap(view, place, extend) {
    const current = this.selection;
    const here = this.marksAt(view, place);
    if (current?.view === view && (current.open || extend)) {
      this.select(view, current.from, place);
      this.saySelection();
    } else if (here.length > 0) {
      const next = here[(here.findIndex((mark) => mark.key === this.chosen) + 1) % here.length];
      this.open(next.key, place);
    } else {
      this.select(view, place, place, { open: true });
      this.saySelection();
    }
  }

  /** The word for what was left out stands once after the source: take up that of the text whose button was pressed. */
  missIn(button) {
    const view = button && this.views.find((one) => one.side === "output" && one.position === Number(button.dataset.missingIn));
    if (view) {
      // On a phone its column may not be the one that is shown.
      view.box.dispatchEvent(new CustomEvent("reveal", { bubbles: true }));
      view.box.focus({ preventScroll: true });
      const place = view.tokens.length - 1;
      const [mark] = this.marksAt(view, place);
      if (mark) {
        this.open(mark.key, place);
      } else {
        this.select(view, place, place);
        this.saySelection();
      }
      this.panel.focus();
    }
  }

  /** The marks on a word, the shortest first. */
  marksAt(view, place) {
    const { start, end } = view.tokens[place];
    const isHere = (mark) => mark.side === view.side && mark.start < end && start < mark.end;
    const length = (mark) => mark.end - mark.start;
    return this.marks.of(view.position).filter(isHere).sort((a, b) => length(a) - length(b));
  }

  /** Take up a mark, to change or to remove it. */
  open(key, place = null) {
    const mark = this.marks.find(key);
    const view = this.viewOf(mark);
    this.selection = null;
    this.chosen = key;
    view.moveTo(place ?? view.placesOf(mark)[0]);
    this.draw();
  }

  /** Take up the word the keyboard is at, or the mark on it, unless something is taken up already. */
  take(view) {
    if (this.selection || this.chosen) {
      return;
    }
    const [mark] = this.marksAt(view, view.active);
    if (mark) {
      this.open(mark.key, view.active);
    } else {
      this.select(view, view.active, view.active);
    }
  }

  /** Choose marked words once more, where marks may overlap. */
  again() {
    const view = this.atWork;
    this.select(view, view.active, view.active, { open: true });
    view.box.focus({ preventScroll: true });
  }

  leave(toText) {
    const view = this.atWork;
    const hadFocus = this.panel.hasFocus;
    this.selection = null;
    this.chosen = null;
    this.draw();
    if (toText || hadFocus) {
      view?.box.focus({ preventScroll: true });
    }
  }

  saySelection(sentence = "selected") {
    const { view, from, to } = this.selection;
    this.say(sentence, { words: this.short(view.textOf(view.rangeOf(from, to))) });
  }

  short(words) {
    const points = Array.from(words.replace(/\s+/g, " ").trim());
    return points.length > SHOWN ? `${points.slice(0, SHOWN).join("")}…` : points.join("");
  }

  /** What a mark looks like, and what it is in words. */
  looksOf(mark) {
    const severity = this.data.severities.find((one) => one.key === mark.severity);
    const category = this.marks.category(mark.category);
    const colour = this.data.severities.length > 0 ? severity?.level : category?.colour;
    const isOpen = !this.marks.isComplete(mark);
    const isUnsettled = mark.given > 0 && !mark.verdict;
    const named = [severity?.name, category?.name].filter(Boolean).join(", ") || this.word(isOpen ? "open" : "error");
    return {
      key: mark.key,
      start: mark.start,
      end: mark.end,
      level: colour ?? (this.data.severities.length + this.data.categories.length === 0 ? 3 : 0),
      state: isUnsettled ? "unsettled" : isOpen ? "open" : "done",
      what: isUnsettled ? `${named}, ${this.word("unsettled")}` : named,
    };
  }

  /** Light in all other texts the place that mirrors a word; none where `place` is null. */
  guide(view, place) {
    for (const other of this.data.guide ? this.views.filter((one) => one.row === view.row) : []) {
      other.light(other === view || place === null ? null : view.tokens[place], view.points.length);
    }
  }

  draw({ panel = true } = {}) {
    for (const view of this.views) {
      const own = this.selection?.view === view ? [this.selection.from, this.selection.to].sort((a, b) => a - b) : null;
      const marks = view.marked ? this.marks.of(view.position).filter((mark) => mark.side === view.side) : [];
      view.repaint(marks.map((mark) => this.looksOf(mark)), own, this.chosen);
    }
    this.lists.draw();
    if (panel && this.atWork) {
      this.panel.open(...this.forPanel());
    } else {
      this.panel.close();
    }
  }

  follow() {
    if (this.panel.isOpen && this.atWork) {
      this.panel.moveTo(this.forPanel()[1]);
    }
  }

  /** What the panel shows of what is taken up, and where on the page that is. */
  forPanel() {
    const view = this.atWork;
    const mark = this.chosen ? this.marks.find(this.chosen) : null;
    const range = mark ?? view.rangeOf(this.selection.from, this.selection.to);
    const problem = mark ? null : this.marks.problem(view.position, { side: view.side, ...range });
    const shown = {
      words: this.short(view.textOf(range)),
      language: view.plain.lang,
      rightToLeft: view.rightToLeft,
      side: view.side,
      missing: range.start >= view.points.length,
      severity: mark?.severity,
      category: mark?.category,
      given: Boolean(mark?.given),
      verdict: mark?.verdict,
      isMark: mark !== null,
      canRepeat: mark !== null && this.data.overlaps,
      note: problem ? this.word(problem, { n: this.data.most }) : "",
    };
    return [shown, view.boxOf(view.placesOf(range), Boolean(this.selection?.open))];
  }
}
