// What stands under a text: its marks as a list, those it came with, “no errors”, and the fields the form posts.

import { fill } from "../../core/words.js";

/** The controls of one text. */
class Question {
  constructor(element, root) {
    this.element = element;
    this.position = Number(element.dataset.spansQuestion);
    this.field = element.querySelector("[data-spans-field]");
    this.none = element.querySelector("[data-spans-none]");
    this.list = element.querySelector("[data-spans-list]");
    // Several texts of a page share one.
    this.item = root.querySelector("template[data-spans-item]");
    this.radios = [...element.querySelectorAll("[data-given]")];
    this.sentence = element.dataset.missing;
  }

  get verdicts() {
    return Object.fromEntries(this.radios.filter((radio) => radio.checked).map((radio) => [radio.dataset.given, radio.value]));
  }
}

function changed(control) {
  control.dispatchEvent(new Event("change", { bubbles: true }));
}

export class Lists {
  constructor(unit) {
    this.unit = unit;
    this.writing = false;
    this.questions = [...unit.root.querySelectorAll("[data-spans-question]")].map((element) => new Question(element, unit.root));
    unit.root.addEventListener("change", (event) => {
      // A draft that is put back, a verdict or a tick by hand; what is written from here is known already.
      if (!this.writing && event.target.closest("[data-spans-question]")) {
        unit.marks.change(() => this.read());
        unit.leave(false);
      }
    });
    for (const question of this.questions) {
      question.list.addEventListener("click", (event) => this.onClick(event.target.closest("button")));
      question.list.addEventListener("input", (event) => this.onReason(question, event.target));
      question.list.addEventListener("change", (event) => event.stopPropagation());
      question.list.addEventListener("keydown", (event) => {
        // Enter in a line of text would send the answer.
        if (event.key === "Enter" && event.target.dataset.reason) {
          event.preventDefault();
        }
      });
      question.element.addEventListener("reveal", () => this.reveal(question));
    }
  }

  onClick(button) {
    if (button?.dataset.remove) {
      this.unit.chosen = button.dataset.remove;
      this.unit.selection = null;
      this.unit.acts.remove();
    } else if (button?.dataset.open) {
      this.unit.open(button.dataset.open);
      this.unit.atWork.show();
      this.unit.draw();
      this.unit.panel.focus();
    }
  }

  /** Take over a reason as it is typed. The list stays as it is, since the focus is in it. */
  onReason(question, { value, dataset }) {
    const { marks } = this.unit;
    const mark = marks.find(dataset.reason);
    if (mark) {
      marks.setReason(mark, value.trim());
      this.write();
      this.tell(question);
    }
  }

  /** Something is missing: take up the mark that is not finished, in the text where it is. */
  reveal({ position }) {
    const { unit } = this;
    const open = unit.marks.of(position).find((mark) => !unit.marks.isComplete(mark) || (mark.given && !mark.verdict));
    if (unit.marks.left(position) === "reason") {
      const bare = unit.marks.of(position).find((mark) => !unit.marks.hasReason(mark));
      queueMicrotask(() => unit.root.querySelector(`[data-reason="${bare.key}"]`).focus());
      return;
    }
    const view = open ? unit.viewOf(open) : unit.views.find((one) => one.side === "output" && one.position === position);
    for (const one of unit.views.filter((other) => other.marked && other.position === position)) {
      one.box.toggleAttribute("data-takes-focus", one === view);
    }
    if (open) {
      unit.open(open.key);
      view.show();
      // A verdict that was given takes the focus otherwise, and that is not what is missing.
      queueMicrotask(() => view.box.focus({ preventScroll: true }));
    }
  }

  /** Take over what the form holds. */
  read() {
    for (const { position, field, none, verdicts } of this.questions) {
      this.unit.marks.read(position, field.value, verdicts, none.checked);
    }
  }

  /** Write the marks into the form, and let everybody on the page know of what changed. */
  write() {
    this.writing = true;
    for (const question of this.questions) {
      const { marks } = this.unit;
      const json = marks.json(question.position, question.field.value);
      const verdicts = marks.state.verdicts[question.position];
      const isNone = marks.state.none[question.position];
      if (question.none.checked !== isNone) {
        question.none.checked = isNone;
        changed(question.none);
      }
      for (const radio of question.radios) {
        const isChosen = verdicts[radio.dataset.given] === radio.value;
        if (radio.checked !== isChosen) {
          radio.checked = isChosen;
          changed(radio);
        }
      }
      if (question.field.value !== json) {
        question.field.value = json;
        changed(question.field);
      }
    }
    this.writing = false;
  }

  draw() {
    for (const question of this.questions) {
      const marks = this.unit.marks.of(question.position);
      const listed = marks.filter((mark) => !mark.given);
      this.drawList(question, listed);
      question.list.hidden = listed.length === 0;
      question.none.disabled = marks.some((mark) => !mark.given || mark.verdict === "keep");
      this.tell(question);
    }
  }

  /** Say what is left to do about a text. */
  tell(question) {
    const left = this.unit.marks.left(question.position);
    question.element.dataset.complete = String(left === "");
    // “Mark the errors” is the server's sentence; the others are about a mark that is there.
    const n = this.unit.marks.of(question.position).length;
    const own = left === "" || left === "nothing" ? "" : this.unit.word(`left-${left}`, { n });
    question.element.dataset.missing = own ? this.about(question, own) : question.sentence;
  }

  /** Write the list of a text, unless it is as it was: of a page of many texts one has changed. */
  drawList(question, listed) {
    const isChosen = listed.some((mark) => mark.key === this.unit.chosen);
    const looks = JSON.stringify([listed, isChosen && this.unit.chosen]);
    if (looks !== question.looks) {
      question.looks = looks;
      question.list.replaceChildren(...listed.map((mark) => this.itemOf(question, mark)));
    }
  }

  about(question, sentence) {
    return this.unit.about(question.element, sentence);
  }

  itemOf(question, mark) {
    const item = question.item.content.firstElementChild.cloneNode(true);
    const view = this.unit.viewOf(mark);
    const looks = this.unit.looksOf(mark);
    const words = this.unit.short(view.textOf(mark));
    const [open, remove] = item.querySelectorAll("button");
    open.dataset.open = mark.key;
    item.dataset.level = looks.level;
    item.dataset.state = looks.state;
    item.toggleAttribute("data-chosen", mark.key === this.unit.chosen);
    const quoted = item.querySelector("[data-item-words]");
    quoted.textContent = words;
    quoted.lang = view.plain.lang;
    item.querySelector("[data-item-kind]").textContent = looks.what;
    const origin = this.unit.marks.origin(mark);
    const came = item.querySelector("[data-item-origin]");
    came.hidden = !origin;
    came.textContent = origin ? this.unit.word(`origin-${origin}`) : "";
    const side = item.querySelector("[data-item-side]");
    side.hidden = mark.side !== "source";
    remove.dataset.remove = mark.key;
    const why = item.querySelector("[data-item-reason]");
    if (why) {
      why.dataset.reason = mark.key;
      why.value = mark.reason ?? "";
      why.setAttribute("aria-label", fill(why.getAttribute("aria-label"), { words }));
    }
    remove.setAttribute("aria-label", fill(remove.getAttribute("aria-label"), { words }));
    return item;
  }
}
