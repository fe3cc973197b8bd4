// What is done to marks: made, changed, kept, removed, and taken back. Each act is written into the form and said aloud.

import { announce } from "../../core/announce.js";

export class Acts {
  constructor(unit) {
    this.unit = unit;
  }

  /** Say in the panel and aloud why something cannot be. */
  refuse(problem) {
    const { unit } = this;
    const sentence = unit.word(problem, { n: unit.data.most });
    unit.panel.say(sentence);
    announce(sentence);
  }

  /** Give what is taken up a severity or a category: it becomes a mark, if it is none yet. */
  apply(changes) {
    const { unit } = this;
    const view = unit.atWork;
    const old = unit.chosen && unit.marks.find(unit.chosen);
    const range = old ? { start: old.start, end: old.end } : view.rangeOf(unit.selection.from, unit.selection.to);
    const category = unit.marks.category(changes.category);
    if (category && !category.sides.includes(view.side)) {
      return;
    }
    const whole = category?.whole ? { start: 0, end: view.points.length } : range;
    const wanted = { side: view.side, severity: null, category: null, ...old, ...whole };
    const problem = unit.marks.problem(view.position, { ...wanted, ...changes }, old?.key);
    if (problem) {
      this.refuse(category?.whole ? "whole" : problem);
      return;
    }
    if (!old) {
      const severity = category?.severity || undefined;
      this.finish(unit.marks.add(view.position, { ...wanted, ...changes, ...(severity && { severity }) }));
    } else {
      this.finish(unit.marks.set(old.key, { ...whole, ...changes }));
    }
  }

  /** After a change: on to what is still open about the mark, or back to the text. */
  finish(key) {
    const { unit } = this;
    const mark = unit.marks.find(key);
    const words = unit.short(unit.viewOf(mark).textOf(mark));
    unit.lists.write();
    if (unit.marks.isComplete(mark)) {
      const n = unit.marks.of(mark.position).length;
      unit.chosen = key;
      unit.leave(false);
      unit.say(n === 1 ? "marked-one" : "marked", { words, what: unit.looksOf(mark).what, n });
      return;
    }
    unit.selection = null;
    unit.chosen = key;
    unit.draw();
    unit.say(unit.marks.severities.length > 0 && !mark.severity ? "ask-severity" : "ask-category", { words });
  }

  settle(word) {
    const { unit } = this;
    const mark = unit.marks.find(unit.chosen);
    if (word === "keep") {
      unit.marks.keep(mark.key);
      unit.lists.write();
      unit.leave(false);
      unit.say("kept", { words: unit.short(unit.viewOf(mark).textOf(mark)) });
    } else {
      this.remove();
    }
  }

  /** Remove the mark that is taken up, or the one the keyboard is at. */
  remove(view = this.unit.atWork) {
    const { unit } = this;
    if (unit.selection) {
      unit.leave(true);
      return;
    }
    const mark = unit.chosen ? unit.marks.find(unit.chosen) : unit.marksAt(view, view.active)[0];
    if (!mark) {
      unit.say("nothing-here");
      return;
    }
    const words = unit.short(unit.viewOf(mark).textOf(mark));
    unit.chosen = mark.key;
    const toText = unit.viewOf(mark);
    unit.marks.remove(mark.key);
    unit.chosen = null;
    unit.lists.write();
    unit.leave(false);
    toText.box.focus({ preventScroll: true });
    unit.say("removed", { words });
  }

  undo(forth) {
    const { unit } = this;
    const isDone = unit.marks.undo(forth);
    if (isDone) {
      unit.lists.write();
      unit.leave(false);
    }
    unit.say(isDone ? (forth ? "redone" : "undone") : forth ? "no-redo" : "no-undo", { n: unit.marks.all().length });
  }

  /** Move the start or the end of what is taken up by a word. */
  shift(edge, by) {
    const { unit } = this;
    const view = unit.atWork;
    const mark = unit.chosen && unit.marks.find(unit.chosen);
    const { from, to } = unit.selection ?? {};
    const [first, last] = mark ? view.placesOf(mark) : [Math.min(from, to), Math.max(from, to)];
    const next = edge === "start" ? [first + by, last] : [first, last + by];
    if (next[0] < 0 || next[1] >= view.own || next[0] > next[1]) {
      return;
    }
    if (!mark) {
      unit.select(view, ...next);
      unit.saySelection();
      return;
    }
    const range = view.rangeOf(...next);
    if (unit.marks.problem(view.position, { ...mark, ...range }, mark.key)) {
      this.refuse("overlap");
      return;
    }
    const isWhole = unit.marks.category(mark.category)?.whole;
    unit.chosen = unit.marks.set(mark.key, isWhole ? { ...range, category: null } : range);
    unit.lists.write();
    unit.draw();
    unit.say("selected", { words: unit.short(view.textOf(range)) });
  }
}
