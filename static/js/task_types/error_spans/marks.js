// The marks of a screen: what was marked, what came with the texts, what may be, and how to take it back.

import { overlap } from "./model.js";

// Enough steps back for any text; older ones are forgotten.
const MOST_STEPS = 100;

const FIELDS = ["side", "start", "end", "severity", "category"];

/** A mark as the form posts it, with the number of the given mark that it was, and its reason, if it has them. */
function posted(mark) {
  const fields = Object.fromEntries(FIELDS.map((name) => [name, mark[name] ?? null]));
  const of = Number.isInteger(mark.of) && mark.of > 0 ? { of: mark.of } : {};
  return { ...fields, ...of, ...(mark.reason && { reason: mark.reason }) };
}

function isSame(one, other) {
  return FIELDS.every((name) => (one[name] || null) === (other[name] || null));
}

function isMark(one) {
  const numbers = Number.isInteger(one?.start) && Number.isInteger(one?.end);
  return numbers && one.start < one.end && ["output", "source"].includes(one.side);
}

/** Read what a form holds; half a draft is nothing. */
export function readJson(text) {
  try {
    const marks = JSON.parse(text || "[]");
    return Array.isArray(marks) ? marks.filter(isMark) : [];
  } catch {
    return [];
  }
}

/**
 * All marks of a screen, by the position of the text they are about.
 *
 * `given` are those a text came with and that are to be confirmed: they cannot be changed, only kept or removed; who
 * changes one removes it and makes a mark of their own that names it. `edited` are those that a text came with among
 * the own ones. Each method that changes something returns the key of the mark, and can be undone.
 */
export class Marks {
  constructor({ positions, given = {}, edited = {}, severities = [], categories = [], overlaps = false, most = 100, reason = "no" }) {
    Object.assign(this, { positions, given, edited, severities, categories, overlaps, most, reason });
    this.state = { own: {}, verdicts: {}, none: {} };
    for (const position of positions) {
      this.state.own[position] = [];
      this.state.verdicts[position] = {};
      this.state.none[position] = false;
    }
    this.number = 0;
    this.back = [];
    this.forth = [];
  }

  /** Take over what the form holds of a text: a draft, or the answer before. */
  read(position, json, verdicts, none) {
    this.state.own[position] = readJson(json).map((mark) => ({ ...posted(mark), key: this.newKey() }));
    this.state.verdicts[position] = { ...verdicts };
    this.state.none[position] = none;
  }

  newKey() {
    this.number += 1;
    return `own-${this.number}`;
  }

  /** The marks about a text, in the order of the texts; those given and removed are left out. */
  of(position) {
    const verdicts = this.state.verdicts[position];
    const given = (this.given[position] ?? []).map((mark, place) => ({
      ...posted(mark),
      key: `given-${position}-${place + 1}`,
      given: place + 1,
      verdict: verdicts[place + 1] ?? "",
      position,
    }));
    const own = this.state.own[position].map((mark) => ({ ...mark, given: 0, verdict: "", position }));
    const all = [...given.filter((mark) => mark.verdict !== "remove"), ...own];
    return all.sort((a, b) => (a.side === b.side ? a.start - b.start || a.end - b.end : a.side < b.side ? -1 : 1));
  }

  /** What became of a mark that the text came with and that is edited like an own one: "kept", "changed" or "". */
  origin(mark) {
    const before = mark.given ? null : this.edited[mark.position]?.[mark.of - 1];
    return before ? (isSame(before, mark) ? "kept" : "changed") : "";
  }

  all() {
    return this.positions.flatMap((position) => this.of(position));
  }

  find(key) {
    return this.all().find((mark) => mark.key === key);
  }

  category(key) {
    return this.categories.find((one) => one.key === key);
  }

  /** Say whether everything that is told apart was chosen. */
  isComplete(mark) {
    return (this.severities.length === 0 || Boolean(mark.severity)) && (this.categories.length === 0 || Boolean(mark.category));
  }

  /** Say whether a mark has its reason, where one is needed: kept marks that the text came with need none. */
  hasReason(mark) {
    return this.reason !== "required" || Boolean(mark.reason) || mark.given > 0 || this.origin(mark) === "kept";
  }

  /** Why a mark cannot stand there: "overlap", "most", or null. `except` is the key of one that it replaces. */
  problem(position, mark, except = "") {
    const others = this.of(position).filter((one) => one.key !== except);
    if (!this.overlaps && others.some((one) => overlap(one, mark))) {
      return "overlap";
    }
    return others.some((one) => isSame(one, mark)) ? "overlap" : others.length >= this.most ? "most" : null;
  }

  /** What is left to do about a text: "unsettled", "severity", "category", "nothing", or "" where it is done. */
  left(position) {
    const marks = this.of(position);
    if (marks.some((mark) => mark.given && !mark.verdict)) {
      return "unsettled";
    }
    const open = marks.find((mark) => !this.isComplete(mark));
    if (open) {
      return this.severities.length > 0 && !open.severity ? "severity" : "category";
    }
    if (marks.some((mark) => !this.hasReason(mark))) {
      return "reason";
    }
    return marks.length > 0 || this.state.none[position] ? "" : "nothing";
  }

  change(work) {
    this.back.push(structuredClone(this.state));
    this.back = this.back.slice(-MOST_STEPS);
    this.forth = [];
    return work();
  }

  add(position, mark) {
    return this.change(() => this.insert(position, mark));
  }

  insert(position, mark) {
    const key = this.newKey();
    this.state.own[position].push({ ...posted(mark), key });
    this.state.none[position] = false;
    return key;
  }

  /** Change a mark. A fixed severity comes with its category, and goes with it. */
  set(key, changes) {
    const mark = this.find(key);
    const next = { ...mark, ...changes };
    const category = this.category(next.category);
    if (category?.severity && "category" in changes) {
      next.severity = category.severity;
    } else if (category?.severity && next.severity !== category.severity) {
      next.category = null;
    }
    return this.change(() => {
      if (mark.given) {
        this.state.verdicts[mark.position][mark.given] = "remove";
        return this.insert(mark.position, { ...next, of: mark.given });
      }
      Object.assign(this.state.own[mark.position].find((one) => one.key === key), posted(next));
      return key;
    });
  }

  remove(key) {
    const mark = this.find(key);
    return this.change(() => {
      if (mark.given) {
        this.state.verdicts[mark.position][mark.given] = "remove";
      } else {
        this.state.own[mark.position] = this.state.own[mark.position].filter((one) => one.key !== key);
      }
      return key;
    });
  }

  /** Give an own mark its reason. It is no step that can be undone: a line of text undoes its own typing. */
  setReason(mark, reason) {
    this.state.own[mark.position].find((one) => one.key === mark.key).reason = reason;
  }

  keep(key) {
    const mark = this.find(key);
    return this.change(() => {
      this.state.verdicts[mark.position][mark.given] = "keep";
      return key;
    });
  }

  /** Go a step back, or with `forth` forward again; false where there is none. */
  undo(forth = false) {
    const [from, to] = forth ? [this.forth, this.back] : [this.back, this.forth];
    if (from.length === 0) {
      return false;
    }
    to.push(structuredClone(this.state));
    this.state = from.pop();
    return true;
  }

  /** What the form posts: empty as long as nothing was ever marked. */
  json(position, before = "") {
    const own = this.of(position).filter((mark) => !mark.given);
    return own.length === 0 && before === "" ? "" : JSON.stringify(own.map(posted));
  }
}
