// The keyboard over a text: walking, choosing words, marking, going back a step. What keys mean is in commandOf.

import { isOff, isTyping } from "../../core/keys.js";
import { commandOf } from "./model.js";

// What keys do within the panel; its buttons keep Space, Enter and the arrows for themselves.
const IN_PANEL = ["severity", "category", "leave", "remove", "undo", "redo"];

/** Obey a key pressed within a unit; `view` is the text with the focus, or the one the panel is about. */
export function onKey(unit, event) {
  if (isTyping(event.target) || document.querySelector("dialog:modal")) {
    return;
  }
  const inPanel = unit.panel.hasFocus;
  const view = inPanel ? unit.atWork : unit.views.find((one) => one.marked && one.box === event.target);
  const singles = !isOff();
  const command = commandOf(event, { rightToLeft: Boolean(view?.rightToLeft), singles });
  const known = !view ? ["undo", "redo"] : inPanel ? IN_PANEL : null;
  if (command && (known === null || known.includes(command.does)) && obey(unit, view, command)) {
    event.preventDefault();
  }
}

/** Do what a command says; return whether it meant anything here. */
function obey(unit, view, command) {
  switch (command.does) {
    case "move":
      move(unit, view, command);
      return true;
    case "next-mark":
    case "previous-mark":
      toMark(unit, view, command.does === "next-mark");
      return true;
    case "anchor":
      anchor(unit, view);
      return true;
    case "open":
      unit.take(view);
      if (unit.selection) {
        unit.selection.extending = false;
      }
      unit.panel.focus();
      return true;
    case "leave": {
      const isBusy = Boolean(unit.selection || unit.chosen);
      if (isBusy) {
        unit.leave(true);
      }
      return isBusy;
    }
    case "remove":
      unit.acts.remove(view);
      return true;
    case "severity":
      return severity(unit, view, command.digit);
    case "category":
      return category(unit, view, command.letter);
    default:
      unit.acts.undo(command.does === "redo");
      return true;
  }
}

function move(unit, view, { to, extend }) {
  const place = view.after(to);
  const current = unit.selection?.view === view ? unit.selection : null;
  if (extend || current?.extending) {
    unit.select(view, current?.from ?? view.active, place);
    unit.selection.extending = Boolean(current?.extending);
    unit.saySelection();
  } else {
    unit.leave(false);
    view.moveTo(place);
    unit.guide(view, place);
  }
  view.show();
}

function toMark(unit, view, forward) {
  const places = unit.marks
    .of(view.position)
    .filter((mark) => mark.side === view.side)
    .map((mark) => view.placesOf(mark)[0]);
  const next = forward ? places.find((place) => place > view.active) : places.findLast((place) => place < view.active);
  if (next === undefined) {
    unit.say(forward ? "no-next" : "no-previous");
    return;
  }
  unit.leave(false);
  view.moveTo(next);
  view.show();
}

/** Start to choose words, or end it: for those who cannot hold Shift. */
function anchor(unit, view) {
  if (unit.selection?.extending) {
    unit.selection.extending = false;
    unit.saySelection();
    return;
  }
  unit.select(view, view.active, view.active);
  unit.selection.extending = true;
  unit.saySelection("extending");
}

function severity(unit, view, digit) {
  // Where nothing is told apart there is one button all the same: it marks.
  const key = unit.panel.severity(digit);
  if (key === undefined) {
    return false;
  }
  unit.take(view);
  unit.acts.apply({ severity: key });
  return true;
}

function category(unit, view, letter) {
  if (unit.data.categories.length === 0) {
    return false;
  }
  unit.take(view);
  const found = unit.panel.letter(letter);
  if (found === "group") {
    unit.say("group", { name: unit.panel.groupName });
  }
  return Boolean(found);
}
