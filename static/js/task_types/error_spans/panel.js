// The panel of a mark: how grave, of which kind, where it starts and ends, away with it. At the words on a wide screen,
// at the foot on a phone (error_spans_panel.css). Its buttons stand in the template.

// What stays free between the words and the panel, and at the edges of the window.
const ROOM = 8;

/**
 * Where a panel of a size goes beside a box within a window: under it, above, to the right, to the left. Where a text goes on
 * below the box and is still to be pressed, above it or beside the whole text. Where there is no room it goes under the
 * box, and the window has to follow.
 */
export function placeFor(box, { width, height }, room) {
  const within = (value, least, most) => Math.max(least, Math.min(value, most));
  const [right, bottom] = [room.left + room.width - ROOM, room.top + room.height - ROOM];
  const across = within(box.left, room.left + ROOM, right - width);
  const along = within(box.top, room.top + ROOM, bottom - height);
  const under = { left: across, top: box.bottom + ROOM };
  const above = { left: across, top: box.top - ROOM - height };
  const beside = ({ left, right }) => [
    { left: right + ROOM, top: along },
    { left: left - ROOM - width, top: along },
  ];
  const fits = [...(box.text ? [above, ...beside(box.text)] : []), under, above, ...beside(box)].find(
    (place) =>
      place.top >= room.top && place.top + height <= bottom && place.left >= room.left && place.left + width <= right,
  );
  return fits ?? under;
}

function toggle(button, isOn) {
  button.setAttribute("aria-pressed", String(isOn));
}

export class Panel {
  /** `on` is told what was chosen: severity, category, verdict, remove, shift(edge, by), again, close. */
  constructor(element, on) {
    Object.assign(this, { element, on, group: null });
    this.words = element.querySelector("[data-panel-words]");
    this.note = element.querySelector("[data-panel-note]");
    this.severities = [...element.querySelectorAll("[data-severity]")];
    this.categories = [...element.querySelectorAll("[data-category]")];
    this.groups = [...element.querySelectorAll("[data-group]")];
    element.addEventListener("click", (event) => this.onClick(event.target.closest("button")));
  }

  get isOpen() {
    return this.element.matches(":popover-open");
  }

  /** The name of the group whose kinds are shown. */
  get groupName() {
    return this.groups.find((button) => button.dataset.group === this.group)?.dataset.name ?? "";
  }

  get hasFocus() {
    return this.element.contains(document.activeElement);
  }

  onClick(button) {
    if (!button) {
      return;
    }
    const { severity, category, group, verdict, shift, does } = button.dataset;
    if (severity !== undefined) {
      this.on.severity(severity);
    } else if (category !== undefined) {
      this.on.category(category);
    } else if (group !== undefined) {
      this.openGroup(this.group === group ? null : group);
    } else if (verdict !== undefined) {
      this.on.verdict(verdict);
    } else if (shift !== undefined) {
      const [edge, by] = shift.split(" ");
      this.on.shift(edge, Number(by));
    } else if (does !== undefined) {
      this.on[does]();
    }
  }

  /** Show the kinds below a group; null closes all of them. */
  openGroup(key) {
    this.group = key;
    for (const button of this.groups) {
      const isOpen = button.dataset.group === key;
      button.setAttribute("aria-expanded", String(isOpen));
      document.getElementById(button.getAttribute("aria-controls")).hidden = !isOpen;
    }
    this.place();
    this.reveal();
  }

  /** What a letter means: a kind to choose, a group that opens, or nothing. */
  letter(letter) {
    const known = (list) => list.find((button) => button.dataset.letter === letter && !button.hidden);
    const inside = this.group && known(this.categories.filter((one) => one.dataset.of === this.group));
    const found = inside || known([...this.groups, ...this.categories.filter((one) => !one.dataset.of)]);
    if (!found) {
      return false;
    }
    if (found.dataset.group !== undefined) {
      this.openGroup(found.dataset.group);
      return "group";
    }
    this.on.category(found.dataset.category);
    return "category";
  }

  severity(digit) {
    return this.severities[digit - 1]?.dataset.severity;
  }

  /**
   * Show a mark, or a choice of words that is not one yet. `view` says: words, language, rightToLeft, side, severity, category,
   * given, verdict, isMark, missing, canRepeat, note; `box` is where the words are on the page.
   */
  open(view, box) {
    this.box = box;
    this.words.textContent = view.words;
    this.words.lang = view.language;
    this.say(view.note);
    for (const button of this.severities) {
      toggle(button, button.dataset.severity === (view.severity ?? null));
    }
    for (const button of this.categories) {
      toggle(button, button.dataset.category === (view.category ?? null));
      button.hidden = !button.dataset.sides.split(" ").includes(view.side);
    }
    for (const button of this.element.querySelectorAll("[data-verdict]")) {
      toggle(button, button.dataset.verdict === view.verdict);
    }
    this.element.querySelector("[data-panel-range]").dir = view.rightToLeft ? "rtl" : "ltr";
    this.show("[data-panel-verdict]", view.given);
    this.show("[data-panel-range]", !view.given && !view.missing);
    this.show("[data-does='remove']", view.isMark && !view.given);
    this.show("[data-does='again']", view.canRepeat);
    if (!this.isOpen) {
      this.element.showPopover();
    }
    const group = this.categories.find((one) => one.dataset.category === view.category)?.dataset.of ?? null;
    this.openGroup(view.category ? group : this.group);
  }

  show(selector, isShown) {
    const found = this.element.querySelector(selector);
    if (found) {
      found.hidden = !isShown;
    }
  }

  /** Say in the panel why something is not possible. */
  say(sentence = "") {
    this.note.textContent = sentence;
    this.note.hidden = !sentence;
  }

  /** The words stand elsewhere on the page. */
  moveTo(box) {
    this.box = box;
    this.place();
  }

  /** Put the panel where it leaves the words in view: under them, above, or at a side. */
  place() {
    if (!this.isOpen || !this.box) {
      return;
    }
    const size = { width: this.element.offsetWidth, height: this.element.offsetHeight };
    const room = { left: scrollX, top: scrollY, width: document.documentElement.clientWidth, height: innerHeight };
    const { left, top } = placeFor(this.box, size, room);
    this.element.style.setProperty("--panel-x", `${Math.round(left)}px`);
    this.element.style.setProperty("--panel-y", `${Math.round(top)}px`);
  }

  /** Scroll the last line of the words out from under a panel at the foot, or a panel at the words into the window. */
  reveal() {
    if (!this.box) {
      return;
    }
    const panel = this.element.getBoundingClientRect();
    const [top, bottom] = [this.box.line.top - scrollY, this.box.line.bottom - scrollY];
    if (getComputedStyle(this.element).position !== "fixed") {
      scrollBy({ top: Math.max(0, Math.min(panel.bottom + ROOM - innerHeight, top - ROOM)) });
    } else if (bottom > panel.top) {
      scrollBy({ top: bottom + ROOM - panel.top });
    }
  }

  focus() {
    const buttons = [...this.element.querySelectorAll("button")].filter((button) => button.checkVisibility());
    const first = buttons.find((button) => button.getAttribute("aria-pressed") === "true" || !button.dataset.does);
    (first ?? buttons[0])?.focus({ focusVisible: true });
  }

  close() {
    if (this.isOpen) {
      this.element.hidePopover();
    }
    this.group = null;
    this.box = null;
  }
}
