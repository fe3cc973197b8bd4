// A text whose words can be walked through and marked: a list box of words for keyboards and screen readers, a text for
// everybody else. It draws, and says which word is at a point; pointer.js follows the pointer, unit.js decides.

import { mirrorOf, nearestPlace, onNextLine, pointsOf, tokensIn, tokensOf } from "./model.js";

// Pixels from a word to the end of its text within which what belongs to the word may stand below the text.
const NEAR_END = 200;

/** The box around boxes in the window, on the page. */
function around(boxes) {
  return {
    top: Math.min(...boxes.map((box) => box.top)) + scrollY,
    bottom: Math.max(...boxes.map((box) => box.bottom)) + scrollY,
    left: Math.min(...boxes.map((box) => box.left)) + scrollX,
    right: Math.max(...boxes.map((box) => box.right)) + scrollX,
  };
}

function make(name, className, text) {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  return element;
}

export class TextView {
  /** `element` holds the plain text; `data` is what the server says of it; `missing` the word for what was left out. */
  constructor(element, data, { snap, missing, labelledBy, describedBy }) {
    Object.assign(this, data);
    this.points = pointsOf(data.text);
    this.tokens = tokensOf(data.text, { inside: data.inside, snap, language: data.language });
    this.active = 0;
    this.box = make("div", `${element.className} spans-live`, "");
    this.box.lang = element.lang;
    this.box.dir = "auto";
    this.fill(data.marked && missing ? missing : null);
    if (this.marked && this.tokens.length > 0) {
      this.becomeList(labelledBy, describedBy);
      // The text in one piece, for those who read it with a screen reader before they mark.
      element.classList.add("visually-hidden");
      element.after(this.box);
    } else {
      this.marked = false;
      element.replaceWith(this.box);
    }
    this.plain = element;
  }

  fill(missing) {
    this.words = [];
    this.gaps = [];
    let at = 0;
    for (const token of this.tokens) {
      this.gap(at, token.start);
      this.words.push(this.wordOf(token));
      this.box.append(this.words.at(-1));
      at = token.end;
    }
    this.gap(at, this.points.length);
    if (missing) {
      const token = { start: this.points.length, end: this.points.length + 1, words: missing.stored, missing: true };
      const word = make("bdi", "spans-word spans-missing", missing.shown);
      this.tokens.push(token);
      this.words.push(word);
      this.box.append(" ", word);
    }
  }

  /** Say whether a range has characters that the study shows highlighted. */
  isHighlighted({ start, end }) {
    return (this.highlights ?? []).some(([from, to]) => start < to && from < end);
  }

  wordOf(token) {
    const isHighlighted = this.isHighlighted(token);
    return make("span", isHighlighted ? "spans-word spans-highlighted" : "spans-word", token.words);
  }

  gap(start, end) {
    if (start < end) {
      const className = this.isHighlighted({ start, end }) ? "spans-gap spans-highlighted" : "spans-gap";
      const element = make("span", className, this.points.slice(start, end).join(""));
      this.gaps.push({ start, end, element });
      this.box.append(element);
    }
  }

  becomeList(labelledBy, describedBy) {
    this.box.id = `${labelledBy}-words`;
    this.box.tabIndex = 0;
    this.box.toggleAttribute("data-takes-focus", this.side === "output");
    for (const [name, value] of [
      ["role", "listbox"],
      ["aria-multiselectable", "true"],
      ["aria-labelledby", labelledBy],
      ["aria-describedby", describedBy],
    ]) {
      this.box.setAttribute(name, value);
    }
    this.words.forEach((word, place) => {
      word.id = `${this.box.id}-${place}`;
      word.setAttribute("role", "option");
      word.setAttribute("aria-selected", "false");
    });
    this.moveTo(0);
  }

  get rightToLeft() {
    return getComputedStyle(this.box).direction === "rtl";
  }

  /** The number of tokens that belong to the text itself, without the word for what is missing. */
  get own() {
    return this.tokens.at(-1)?.missing ? this.tokens.length - 1 : this.tokens.length;
  }

  /** Make a word the one the keyboard is at. */
  moveTo(place) {
    this.words[this.active]?.removeAttribute("data-active");
    this.active = Math.max(0, Math.min(place, this.words.length - 1));
    const word = this.words[this.active];
    word.dataset.active = "";
    this.box.setAttribute("aria-activedescendant", word.id);
  }

  show() {
    this.words[this.active].scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Where a move leads from the word that the keyboard is at. */
  after(to) {
    const last = this.words.length - 1;
    if (to === "above" || to === "below") {
      // The word for what was left out may be out of sight; it stands behind the last one.
      const shown = this.words.map((word, place) => (word.checkVisibility() ? word : this.words[place - 1] ?? word));
      const boxes = shown.map((word) => word.getBoundingClientRect());
      return onNextLine(boxes, this.active, to === "below" ? 1 : -1);
    }
    const places = { next: this.active + 1, previous: this.active - 1, first: 0, last };
    return Math.max(0, Math.min(places[to], last));
  }

  /** The range of the text between two words, in code points; what is missing is never marked with words. */
  rangeOf(one, other) {
    const [first, last] = [Math.min(one, other), Math.max(one, other)];
    if (this.tokens[first].missing) {
      return { start: this.tokens[first].start, end: this.tokens[first].end };
    }
    return { start: this.tokens[first].start, end: this.tokens[Math.min(last, this.own - 1)].end };
  }

  /** The words of a range, as they stand in the text. */
  textOf({ start, end }) {
    return start >= this.points.length ? this.words.at(-1).textContent : this.points.slice(start, end).join("");
  }

  placesOf({ start, end }) {
    return tokensIn(this.tokens, start, end);
  }

  /** What belongs to the text on the page: its box with the padding around it. */
  get area() {
    return this.box.closest(".text-box") ?? this.box;
  }

  /** The number of the word that an element is, or null. */
  placeOf(element) {
    const word = element?.closest?.(".spans-word");
    return word && this.box.contains(word) ? this.words.indexOf(word) : null;
  }

  /** The number of the word at a point of the window, or the nearest to it; between two words the one towards `from`. */
  placeAt(x, y, from = null) {
    const under = this.placeOf(document.elementFromPoint(x, y));
    if (under !== null) {
      return under;
    }
    // A word that is broken over lines has a box on each.
    const boxes = this.words.flatMap((word, place) =>
      [...word.getClientRects()].map(({ left, right, top, bottom }) => ({ left, right, top, bottom, place })),
    );
    return nearestPlace(boxes, x, y, from);
  }

  /** Draw the marks, unless they look as they did: of a page of many texts one has changed. */
  repaint(marks, selected, chosen) {
    const looks = JSON.stringify([marks, selected, marks.some((mark) => mark.key === chosen) && chosen]);
    if (looks !== this.looks) {
      this.looks = looks;
      this.paint(marks, selected, chosen);
    }
  }

  /** Draw the marks. `marks` carry `level`, `what` (in words) and `state`; `selected` is a pair of places. */
  paint(marks, selected, chosen) {
    this.words.forEach((word, place) => {
      const token = this.tokens[place];
      const here = marks.filter((mark) => mark.start < token.end && token.start < mark.end);
      this.dress(word, here, token, chosen);
      if (this.marked) {
        const isSelected = selected !== null && place >= selected[0] && place <= selected[1];
        word.setAttribute("aria-selected", String(isSelected));
        const own = this.isHighlighted(token) ? [this.highlighted] : [];
        const said = [...own, ...here.map((mark) => mark.what).filter(Boolean)];
        if (said.length > 0) {
          word.setAttribute("aria-label", [word.textContent, ...said].join(", "));
        } else {
          word.removeAttribute("aria-label");
        }
      }
    });
    for (const gap of this.gaps) {
      const here = marks.filter((mark) => mark.start < gap.start && gap.end < mark.end);
      this.dress(gap.element, here, null, chosen);
      const places = selected && [this.tokens[selected[0]].end, this.tokens[selected[1]].start];
      gap.element.toggleAttribute("data-selected", Boolean(places && gap.start >= places[0] && gap.end <= places[1]));
    }
  }

  dress(element, here, token, chosen) {
    // Of marks that lie over each other the one at work is on top, else the shortest.
    const top = here.find((mark) => mark.key === chosen) ?? [...here].sort((a, b) => a.end - a.start - (b.end - b.start))[0];
    const looks = {
      level: top?.level,
      state: top?.state,
      several: here.length > 1 ? "" : undefined,
      chosen: top && top.key === chosen ? "" : undefined,
      first: top && token && top.start >= token.start ? "" : undefined,
      last: top && token && top.end <= token.end ? "" : undefined,
    };
    for (const [name, value] of Object.entries(looks)) {
      if (value === undefined) {
        delete element.dataset[name];
      } else {
        element.dataset[name] = value;
      }
    }
  }

  /** Light the proportional place of a range in another text; nothing where there is none. */
  light(range, length) {
    const places = range && mirrorOf(this.tokens.slice(0, this.own), range, length);
    this.words.forEach((word, place) => {
      word.toggleAttribute("data-near", Boolean(places && place >= places[0] && place <= places[1]));
    });
  }

  /**
   * The box around a range, as wide as its last line, on the page; `line` is the box of that line alone. Where the last word
   * is still to be pressed (`goesOn`) it is that of the whole text, as long as this ends near: what stands beside it covers
   * no words then. Of a text that goes on for long (`text`) the lines that follow stay free.
   */
  boxOf(places, goesOn = false) {
    const boxes = this.words.slice(places[0], places[1] + 1).map((word) => word.getBoundingClientRect());
    const bottom = Math.max(...boxes.map((box) => box.bottom));
    const line = around(boxes.filter((box) => box.bottom > bottom - 4));
    const area = around([this.area.getBoundingClientRect()]);
    const endsNear = area.bottom - bottom - scrollY < NEAR_END;
    if (goesOn && endsNear) {
      return { ...area, line };
    }
    return { ...line, top: around(boxes).top, line, text: goesOn ? area : null };
  }
}
