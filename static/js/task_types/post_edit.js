// Post-editing: the area of the chosen suggestion, what was changed in it, the way back, and what the work took.
//
// The areas are the browser's own, and so are undo, spelling and every key in them.

import { announce } from "../core/announce.js";
import { goOn, onDigit, stepOf } from "../core/keys.js";
import { during, onEveryPage } from "../core/page.js";
import { local } from "../core/store.js";
import { fill } from "../core/words.js";
import { changes, wordsIn } from "./post_edit/diff.js";
import { Effort } from "./post_edit/effort.js";

const CLOSED = "evalweb:changes-closed";
const SETTLE = 250;

/** A text area with its start, its changes and the way back. */
class Area {
  constructor(root, owner) {
    Object.assign(this, { root, owner });
    this.textarea = root.querySelector("textarea");
    this.start = root.querySelector("template[data-start]").content.textContent;
    root.append(owner.root.querySelector("template[data-edit-tools]").content.cloneNode(true));
    const part = (name) => root.querySelector(`[data-${name}]`);
    [this.panel, this.count, this.shown, this.reset, this.undo] = ["changes", "count", "shown", "reset", "undo"].map(part);
    this.shown.lang = this.textarea.lang;
    this.panel.open = local.read(CLOSED) !== true;
    this.panel.addEventListener("toggle", () => this.onToggle());
    this.reset.addEventListener("click", () => this.goBack());
    this.undo.addEventListener("click", () => this.write(this.kept));
    this.textarea.addEventListener("input", () => this.onInput());
    this.textarea.addEventListener("change", (event) => event.isTrusted || this.onInput());
    this.show();
  }

  get text() {
    return this.textarea.value;
  }

  get isChanged() {
    return this.text !== this.start;
  }

  onInput() {
    if (this.text !== this.start) {
      this.undo.hidden = true;
    }
    this.fit();
    this.owner.refresh(this);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.show(), SETTLE);
  }

  onToggle() {
    if (this.panel.open) {
      local.remove(CLOSED);
      this.show();
    } else {
      local.write(CLOSED, true);
    }
  }

  /** Where the browser does not let an area grow with its text, the script does. */
  fit() {
    if (!CSS.supports("field-sizing", "content")) {
      this.textarea.style.setProperty("--area-size", "auto");
      this.textarea.style.setProperty("--area-size", `${this.textarea.scrollHeight}px`);
    }
  }

  /** Draw what was changed, and count it. */
  show() {
    const runs = changes(this.start, this.text, this.textarea.lang);
    const added = wordsIn(runs, "new", this.textarea.lang);
    const removed = wordsIn(runs, "gone", this.textarea.lang);
    this.count.textContent = this.isChanged ? this.owner.say("counts", { added, removed }) : this.owner.say("none");
    this.reset.hidden = this.panel.hidden = !this.isChanged;
    if (this.panel.open) {
      this.shown.replaceChildren(...runs.map((run) => this.draw(run)));
    }
  }

  draw({ kind, text }) {
    if (kind === "same") {
      return document.createTextNode(text);
    }
    const mark = document.createElement(kind === "gone" ? "del" : "ins");
    // A line end that came or went is seen by a sign.
    mark.append(this.spoken(kind), text.replaceAll("\n", "↵\n"), this.spoken("over"));
    return mark;
  }

  /** A word that is heard and not seen: where a change begins, and where it is over. */
  spoken(word) {
    const span = document.createElement("span");
    span.className = "visually-hidden";
    span.textContent = this.owner.say(word);
    return span;
  }

  goBack() {
    this.kept = this.text;
    this.write(this.start);
    this.undo.hidden = false;
    announce(this.owner.say("reset"));
  }

  /** Replace the whole text as if it were typed, so that the browser's own undo can take it back. */
  write(text) {
    this.textarea.focus();
    this.textarea.select();
    if (!document.execCommand("insertText", false, text) || this.text !== text) {
      this.textarea.value = text;
    }
    this.textarea.dispatchEvent(new Event("change", { bubbles: true }));
    this.show();
  }
}

class Unit {
  constructor(root, form) {
    Object.assign(this, { root, form });
    const spans = root.querySelector("template[data-edit-words]").content.querySelectorAll("[data-word]");
    this.words = new Map([...spans].map((span) => [span.dataset.word, span.textContent]));
    this.question = root.querySelector("[data-edit]");
    this.most = Number(this.question.dataset.most);
    this.tick = root.querySelector("[data-unchanged]");
    this.radios = [...root.querySelectorAll("[data-choice] input")];
    this.areas = [...root.querySelectorAll("[data-area]")].map((area) => new Area(area, this));
    for (const radio of this.radios) {
      radio.addEventListener("change", () => this.choose());
    }
    this.tick.addEventListener("change", () => this.judge());
    for (const cover of root.querySelectorAll("details[data-cover]")) {
      cover.addEventListener("toggle", () => this.choose());
    }
    this.watch();
    this.choose();
  }

  say(name, values) {
    return fill(this.words.get(name) ?? "", values);
  }

  get chosen() {
    const checked = this.radios.findIndex((radio) => radio.checked);
    return this.radios.length > 0 ? this.areas[checked] : this.areas[0];
  }

  /** Count keys and seconds in the areas, and put them into whatever is sent. */
  watch() {
    const fields = { keys: this.root.querySelector("[data-keystrokes]"), seconds: this.root.querySelector("[data-seconds]") };
    const held = () => ({ keys: Number(fields.keys.value) || 0, seconds: Number(fields.seconds.value) || 0 });
    const effort = new Effort(() => performance.now(), held());
    for (const { textarea } of this.areas) {
      textarea.addEventListener("focus", () => effort.work(true));
      textarea.addEventListener("blur", () => effort.work(false));
      textarea.addEventListener("keydown", (event) => effort.sign(event.key));
      for (const name of ["input", "pointerdown", "pointermove", "wheel"]) {
        textarea.addEventListener(name, () => effort.sign(), { passive: true });
      }
    }
    document.addEventListener("visibilitychange", () => effort.show(document.visibilityState === "visible"), during());
    for (const field of Object.values(fields)) {
      // A draft that is put back brings what was counted before.
      field.addEventListener("change", () => effort.restart(held()));
    }
    this.form?.addEventListener("formdata", (event) => {
      const { keys, seconds } = effort.read();
      event.formData.set(fields.keys.name, String(keys));
      event.formData.set(fields.seconds.name, String(seconds));
    });
  }

  /** Show the area of the chosen suggestion; none before one is chosen. */
  choose() {
    const { chosen } = this;
    this.root.querySelector("[data-side]").hidden = chosen === undefined;
    for (const area of this.areas) {
      area.root.hidden = area !== chosen;
    }
    if (chosen) {
      chosen.fit();
      this.refresh(chosen);
      chosen.show();
    } else {
      this.judge();
    }
  }

  /** After a change of the text: it is changed or needs no change, not both. */
  refresh(area) {
    if (area !== this.chosen) {
      return;
    }
    if (area.isChanged && this.tick.checked) {
      this.tick.checked = false;
      this.tick.dispatchEvent(new Event("change", { bubbles: true }));
    }
    this.tick.closest("label").hidden = area.isChanged;
    this.judge();
  }

  /** Say whether the question is answered, and what is missing. */
  judge() {
    const { chosen, question } = this;
    const was = question.dataset.complete;
    for (const area of this.areas) {
      const cover = area.root.querySelector("details[data-cover]:not([open]) > summary");
      for (const control of area.root.querySelectorAll("[data-takes-focus]")) {
        delete control.dataset.takesFocus;
      }
      if (area === chosen) {
        (cover ?? area.textarea).dataset.takesFocus = "";
      }
    }
    const problem = chosen ? this.problem(chosen) : "";
    question.dataset.missing = problem || this.say("missing");
    // Before a suggestion is chosen there is nothing to edit, and only the choice is missing.
    question.dataset.complete = String(problem === "");
    if (was === "false" && problem === "" && chosen) {
      chosen.textarea.dispatchEvent(new CustomEvent("change", { bubbles: true }));
    }
  }

  problem(area) {
    if (area.text.trim() === "") {
      return this.say("empty");
    }
    if ([...area.text].length > this.most) {
      return this.say("long", { n: this.most });
    }
    return area.isChanged || this.tick.checked ? "" : this.say("missing");
  }
}

/** Start all units of a page. */
export function start(root) {
  const form = root.querySelector("form[data-answer]");
  for (const unit of root.querySelectorAll("[data-post-edit]")) {
    new Unit(unit, form);
  }
  if (form) {
    onDigit(form, (key, question) => {
      const radio = "choice" in question.dataset ? question.querySelector(`input[data-key="${stepOf(key)}"]`) : null;
      if (radio) {
        radio.checked = true;
        radio.dispatchEvent(new Event("change", { bubbles: true }));
        radio.focus({ preventScroll: true, focusVisible: true });
        goOn(form, question);
      }
      return radio !== null;
    });
  }
}

onEveryPage(() => start(document));
