// Ranking: number fields become one list that is the texts themselves. The fields stay the truth and are what the form
// sends.
//
// Texts have no place until the rater gives them one: by tapping them in order, by their letters, by dragging, by the
// buttons, or by typing a place. Of several criteria one is asked at a time, and the texts move along into its list.

import { announce } from "../core/announce.js";
import { onEveryPage } from "../core/page.js";
import { fill } from "../core/words.js";
import { dragging } from "./ranking/drag.js";
import { level } from "./ranking/headings.js";
import { listenToKeys, onArrow } from "./ranking/keys.js";
import * as ranks from "./ranking/order.js";

class List {
  constructor(question, unit, words) {
    Object.assign(this, { question, unit, words });
    this.ties = "ties" in unit.dataset;
    this.n = Number(unit.dataset.places);
    this.list = question.querySelector("[data-list]");
    this.rows = [...question.querySelectorAll("[data-row]")];
    this.inputs = this.rows.map((row) => row.querySelector("input"));
    this.marks = Object.fromEntries(
      ["best", "free", "worst", "pool"].map((name) => [name, question.querySelector(`[data-${name}]`)]),
    );
    this.marks.best.hidden = false;
    this.steps = [];
    this.undoButton = question.querySelector("[data-undo]");
    this.undoButton.hidden = false;
    this.undoButton.addEventListener("click", () => this.undo());
    this.list.classList.add("ranking-sorted");
    this.rows.forEach((row, text) => this.equip(row, text));
    dragging(this);
    this.render();
  }

  /** The place of each text: a number, null where there is none, NaN where what stands in the field is none. */
  get places() {
    return this.inputs.map((input) => ranks.parse(input.value, this.n));
  }

  letter(text) {
    return this.rows[text].dataset.letter;
  }

  say(name, values) {
    return fill(this.words.get(name) ?? "", values);
  }

  letters(texts) {
    const language = document.documentElement.lang || undefined;
    return new Intl.ListFormat(language, { type: "conjunction" }).format(texts.map((text) => this.letter(text)));
  }

  /** Give a row its grip and buttons, and listen to it. */
  equip(row, text) {
    const tools = this.unit.querySelector("template[data-ranking-tools]").content.cloneNode(true);
    const input = this.inputs[text];
    row.prepend(tools.querySelector("[data-grip]"));
    row.append(tools);
    const button = (name) => row.querySelector(`[data-${name}]`);
    button("up").setAttribute("aria-label", this.say("up", { letter: this.letter(text) }));
    button("down").setAttribute("aria-label", this.say("down", { letter: this.letter(text) }));
    button("up").addEventListener("click", () => this.move(text, -1));
    button("down").addEventListener("click", () => this.move(text, 1));
    button("put").addEventListener("click", () => this.put(text));
    input.addEventListener("input", () => this.onInput(text));
    input.addEventListener("change", (event) => (event.isTrusted ? this.commit(text) : this.render()));
    input.addEventListener("focus", () => input.select());
    row.addEventListener("keydown", (event) => onArrow(this, event, text));
    // A finger that taps; the mouse is heard by what drags.
    row.addEventListener("click", (event) => event.target.closest("input, button, summary, a, audio, video") || this.tap(text));
  }

  /** Take the texts in: each stands in its row, before its controls for whoever has the page read aloud. */
  takeTexts() {
    for (const row of this.rows) {
      row.prepend(this.unit.querySelector(`[data-text="${row.dataset.row}"]`));
    }
  }

  /** A text was tapped: it comes next, unless it has a place. */
  tap(text) {
    if (!Number.isInteger(this.places[text])) {
      this.put(text);
    }
  }

  /** The letter of a text was pressed: it comes next or loses its place; one that was placed as the last first stays. */
  press(text) {
    if (text === this.given) {
      this.given = undefined;
      announce(this.told(text));
    } else if (Number.isInteger(this.places[text])) {
      this.become(ranks.out(this.places, text), text);
    } else {
      this.put(text);
    }
    this.inputs[text].focus({ preventScroll: true, focusVisible: true });
    this.rows[text].scrollIntoView({ block: "nearest" });
  }

  /** Take the last step back. */
  undo() {
    const step = this.steps.pop();
    if (step) {
      this.become(step.places, step.text, { undoes: true });
    }
  }

  /** A place of one digit is taken as it is typed; where a second digit may follow, when the field is left. */
  onInput(text) {
    const input = this.inputs[text];
    if (this.n > 9 && input.value.trim() === "1") {
      return;
    }
    this.commit(text);
    if (document.activeElement === input) {
      input.select();
    }
  }

  commit(text) {
    const place = ranks.parse(this.inputs[text].value, this.n);
    const before = this.before ?? this.places;
    if (Number.isInteger(place)) {
      this.become(ranks.typed(before, text, place, this.ties), text);
    } else {
      this.become(ranks.out(before, text), text, { keep: Number.isNaN(place) });
    }
  }

  /** Go to the next text without a place; returns whether there is one. */
  goToOpen(from) {
    const next = ranks.order(this.places).find((text) => this.places[text] === null && this.inputs[text] !== from);
    this.inputs[next]?.focus();
    return next !== undefined;
  }

  move(text, by) {
    const next = ranks.step(this.places, text, by, this.ties);
    if (next.some((place, number) => place !== this.places[number])) {
      this.become(next, text);
    }
  }

  put(text) {
    const row = this.rows[text];
    const focused = row.contains(document.activeElement);
    this.become(ranks.put(this.places, text, this.ties), text);
    if (focused) {
      // The button is gone: go on where the work goes on.
      const next = this.rows.find((other) => !other.querySelector("[data-put]").hidden);
      (next?.querySelector("[data-put]") ?? row.querySelector("[data-up]")).focus({ preventScroll: true });
    }
  }

  /**
   * Write new places into the fields, tell everybody, and say what became of a text. Where a single text is left and
   * each place is given once, it has the place that is left.
   */
  become(wanted, text, { keep = false, undoes = false } = {}) {
    const before = this.before ?? this.places;
    const gives = Number.isInteger(wanted[text]) && !this.ties && !undoes;
    const next = gives ? ranks.completed(wanted) : wanted;
    const given = next.findIndex((place, number) => place !== wanted[number]);
    const isOver = text === this.given || next[this.given] === null;
    this.given = given >= 0 ? given : isOver ? undefined : this.given;
    next.forEach((place, number) => {
      if (!(keep && number === text)) {
        this.inputs[number].value = place === null ? "" : String(place);
      }
    });
    const changed = next.map((_place, number) => number).filter((number) => next[number] !== before[number]);
    if (changed.length > 0 && !undoes) {
      this.steps.push({ places: before, text });
    }
    for (const number of new Set([...changed, text])) {
      this.inputs[number].dispatchEvent(new Event("change", { bubbles: true }));
    }
    this.render();
    if (changed.includes(text)) {
      announce([text, given].filter((number) => number >= 0).map((number) => this.told(number)).join(" "));
    }
  }

  told(text) {
    const places = this.places;
    const about = { letter: this.letter(text), place: places[text], n: this.n };
    if (!Number.isInteger(places[text])) {
      return this.say("out", about);
    }
    const others = places.map((_place, number) => number).filter((one) => one !== text && places[one] === places[text]);
    return others.length > 0 ? this.say("tied", { ...about, others: this.letters(others) }) : this.say("moved", about);
  }

  /** Sort the rows, and say whether the question is answered and what is missing. */
  render() {
    const places = this.places;
    const sorted = ranks.order(places);
    const placed = sorted.filter((text) => Number.isInteger(places[text]));
    const open = sorted.filter((text) => !placed.includes(text));
    this.before = places.map((place) => (Number.isNaN(place) ? null : place));
    const { best, free, worst, pool } = this.marks;
    this.arrange([best, ...placed.map((text) => this.rows[text]), free, worst, pool, ...open.map((text) => this.rows[text])]);
    free.hidden = open.length === 0;
    worst.hidden = !free.hidden;
    pool.hidden = open.length === 0 && !("dragging" in this.list.dataset);
    this.undoButton.setAttribute("aria-disabled", String(this.steps.length === 0));
    this.rows.forEach((row, text) => this.showRow(row, text, places, placed));
    this.judge(places, open);
  }

  /** Bring what is in the list into order without taking the row with the focus out of the page. */
  arrange(wanted) {
    const still = Math.max(0, wanted.findIndex((one) => one.contains(document.activeElement)));
    for (const one of wanted.slice(0, still)) {
      this.list.insertBefore(one, wanted[still]);
    }
    this.list.append(...wanted.slice(still + 1));
  }

  showRow(row, text, places, placed) {
    const at = placed.indexOf(text);
    const [put, up, down] = ["put", "up", "down"].map((name) => row.querySelector(`[data-${name}]`));
    row.toggleAttribute("data-placed", at >= 0);
    row.toggleAttribute("data-tied", at > 0 && places[placed[at - 1]] === places[text]);
    put.hidden = at >= 0;
    up.hidden = down.hidden = at < 0;
    const stuck = (by) => ranks.step(places, text, by, this.ties).every((place, number) => Object.is(place, places[number]));
    up.setAttribute("aria-disabled", String(at >= 0 && stuck(-1)));
    down.setAttribute("aria-disabled", String(at >= 0 && stuck(1)));
    if (at < 0) {
      const place = ranks.nextPlace(places, this.ties);
      put.textContent = this.say("put", { place });
      put.setAttribute("aria-label", this.say("put-which", { place, letter: this.letter(text) }));
    }
    this.inputs[text].toggleAttribute("data-takes-focus", false);
  }

  judge(places, open) {
    const { question } = this;
    const wrong = places.findIndex((place) => Number.isNaN(place));
    const missing = this.ties ? ranks.gap(places) : null;
    const complete = open.length === 0 && missing === null;
    const behind = places.findIndex((place) => missing !== null && place > missing);
    question.dataset.complete = String(complete);
    if (wrong >= 0) {
      question.dataset.missing = this.say("wrong", { criterion: question.dataset.name, n: this.n });
    } else if (open.length > 0) {
      const letters = this.letters(open);
      question.dataset.missing = this.say(open.length === 1 ? "missing-one" : "missing-some", {
        criterion: question.dataset.name,
        letters,
      });
    } else if (missing !== null) {
      question.dataset.missing = this.say("gap", { criterion: question.dataset.name, place: missing });
    }
    this.inputs[wrong >= 0 ? wrong : (open[0] ?? Math.max(0, behind))].dataset.takesFocus = "";
    if (complete) {
      for (const input of this.inputs) {
        input.removeAttribute("aria-invalid");
      }
    }
  }
}

/** Make sortable lists of all rankings. */
export function start(root) {
  for (const unit of root.querySelectorAll("[data-ranking]")) {
    const spans = unit.querySelector("template[data-ranking-words]").content.querySelectorAll("[data-word]");
    const words = new Map([...spans].map((span) => [span.dataset.word, span.textContent]));
    unit.querySelector("[data-without-script]").hidden = true;
    unit.querySelector("[data-with-script]").hidden = false;
    const lists = new Map();
    for (const question of unit.querySelectorAll("[data-question]")) {
      lists.set(question, new List(question, unit, words));
    }
    level(unit);
    unit.addEventListener("shown", (event) => lists.get(event.target)?.takeTexts());
    [...lists.values()].find((one) => !one.question.hidden).takeTexts();
    unit.dataset.sorted = "";
    const form = unit.closest("form[data-answer]");
    if (form) {
      listenToKeys(form, lists);
    }
  }
}

onEveryPage(() => start(document));
