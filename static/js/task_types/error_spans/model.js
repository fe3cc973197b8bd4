// Where marks stand in a text, without a page: code points, words, places that mirror each other, contradictions.
//
// All offsets count Unicode code points, as the server and exported files do; a JavaScript string counts UTF-16.

import { digitOf, isComposing, letterOf } from "../../core/typed.js";

/** The code points of a text, each a string. */
export function pointsOf(text) {
  return Array.from(text);
}

// What stands between words and is never marked by itself: space, and characters that cannot be seen.
const GAP = /^[\s\p{Cf}]+$/u;
const WORD = /[\p{L}\p{N}\p{M}]/u;

/** Where words begin, in code points, as the language has them: Japanese and Thai words have no space between. */
function wordStarts(text, points, language) {
  const starts = new Set([0]);
  const at = new Map();
  let unit = 0;
  points.forEach((point, place) => {
    at.set(unit, place);
    unit += point.length;
  });
  for (const segment of segmenter(language)?.segment(text) ?? []) {
    starts.add(at.get(segment.index));
  }
  if (starts.size === 1) {
    // A browser without a segmenter: letters and digits are words, and each other character stands alone.
    points.forEach((point, place) => {
      if (!WORD.test(point) || !WORD.test(points[place - 1] ?? " ")) {
        starts.add(place);
      }
    });
  }
  return starts;
}

function segmenter(language) {
  if (!globalThis.Intl?.Segmenter) {
    return null;
  }
  try {
    return new Intl.Segmenter(language || undefined, { granularity: "word" });
  } catch {
    return new Intl.Segmenter(undefined, { granularity: "word" }); // a language tag that the browser does not know
  }
}

/**
 * Cut a text into what can be marked: words, or single characters. `inside` lists the offsets within a character that
 * is made of several code points, where the server lets no mark begin or end.
 */
export function tokensOf(text, { inside = [], snap = "word", language = "" } = {}) {
  const points = pointsOf(text);
  const within = new Set(inside);
  const starts = snap === "word" ? wordStarts(text, points, language) : null;
  const tokens = [];
  let start = 0;
  for (let end = 1; end <= points.length; end += 1) {
    const cut = end === points.length || (!within.has(end) && (starts === null || starts.has(end)));
    if (cut) {
      const words = points.slice(start, end).join("");
      const last = tokens.at(-1);
      if (snap === "word" && last?.end === start && last.words.at(-1) === words && !WORD.test(words) && !GAP.test(words)) {
        // Dots and dashes in a row are one mark of punctuation.
        last.end = end;
        last.words += words;
      } else if (!GAP.test(words)) {
        tokens.push({ start, end, words });
      }
      start = end;
    }
  }
  return tokens;
}

/** First and last token, by number, that have a character in a range; null where there is none. */
export function tokensIn(tokens, start, end) {
  const first = tokens.findIndex((token) => token.end > start);
  const last = tokens.findLastIndex((token) => token.start < end);
  return first === -1 || last < first ? null : [first, last];
}

/** Say whether two marks share a character. */
export function overlap(one, other) {
  return one.side === other.side && one.start < other.end && other.start < one.end;
}

/**
 * The tokens of another text at the proportional place: [first, last], a word more on either side since languages
 * differ. `from` is a range in a text of `length` code points.
 */
export function mirrorOf(tokens, from, length) {
  if (tokens.length === 0 || length === 0 || from.start >= length) {
    return null;
  }
  const total = tokens.at(-1).end;
  const found = tokensIn(tokens, (from.start / length) * total, (Math.min(from.end, length) / length) * total);
  const near = found ?? [0, 0];
  return [Math.max(0, near[0] - 1), Math.min(tokens.length - 1, near[1] + 1)];
}

/**
 * The token above (-1) or below (1) of another, by the boxes on the screen: the nearest across, on the next line.
 * Stays where there is no further line.
 */
export function onNextLine(boxes, place, direction) {
  const middle = (box) => (box.top + box.bottom) / 2;
  const here = boxes[place];
  const beyond = boxes.filter((box) =>
    direction > 0 ? box.top >= middle(here) && box.top > here.top : box.bottom <= middle(here) && box.top < here.top,
  );
  if (beyond.length === 0) {
    return place;
  }
  const edge = direction > 0 ? Math.min(...beyond.map(middle)) : Math.max(...beyond.map(middle));
  const line = beyond.filter((box) => Math.abs(middle(box) - edge) < (here.bottom - here.top) / 2);
  const across = (box) => Math.abs((box.left + box.right) / 2 - (here.left + here.right) / 2);
  return boxes.indexOf(line.reduce((best, box) => (across(box) < across(best) ? box : best)));
}

/**
 * The place of the word nearest to a point: on the line at its height, or the nearest line, the word that is nearest
 * across. Between two words it is the one towards `from`, the word where a mark began: the other is not drawn over.
 * `boxes` are {left, right, top, bottom, place}, in the order of the text.
 */
export function nearestPlace(boxes, x, y, from = null) {
  const middle = (box) => (box.top + box.bottom) / 2;
  const above = (box) => Math.max(box.top - y, 0, y - box.bottom);
  const level = boxes.reduce((best, box) => (above(box) < above(best) ? box : best));
  const line = boxes.filter((box) => Math.abs(middle(box) - middle(level)) < (level.bottom - level.top) / 2);
  const across = (box) => Math.max(box.left - x, 0, x - box.right);
  const left = line.filter((box) => box.right < x).sort((one, other) => other.right - one.right)[0];
  const right = line.filter((box) => box.left > x).sort((one, other) => one.left - other.left)[0];
  const at = line.find((box) => across(box) === 0);
  if (at || !left || !right) {
    return (at ?? left ?? right).place;
  }
  const far = from === null ? across : (box) => Math.abs(box.place - from);
  return far(right) < far(left) ? right.place : left.place;
}

/**
 * What does not fit together: "above" where a gravest error was marked and yet the score is high, "below" where no
 * error was marked and yet it is low; null where there is nothing to ask.
 */
export function contradiction(marks, score, { above, below, gravest }) {
  if (score === null || Number.isNaN(score)) {
    return null;
  }
  if (marks.length === 0) {
    return score < below ? "below" : null;
  }
  return gravest && score > above && marks.some((mark) => mark.severity === gravest) ? "above" : null;
}

/** What a key means in a text; null where it means nothing. `singles` says whether letters and digits are keys. */
export function commandOf(event, { rightToLeft = false, singles = true } = {}) {
  const { key, shiftKey: extend = false } = event;
  if (event.altKey || isComposing(event)) {
    return null;
  }
  if (event.ctrlKey || event.metaKey) {
    const back = key.toLowerCase() === "z" && !extend;
    const again = key.toLowerCase() === "y" || (key.toLowerCase() === "z" && extend);
    const ends = { Home: "first", End: "last" };
    return back ? { does: "undo" } : again ? { does: "redo" } : ends[key] ? { does: "move", to: ends[key], extend } : null;
  }
  const [forward, backward] = rightToLeft ? ["ArrowLeft", "ArrowRight"] : ["ArrowRight", "ArrowLeft"];
  const moves = { [forward]: "next", [backward]: "previous", ArrowDown: "below", ArrowUp: "above", Home: "first", End: "last" };
  if (moves[key]) {
    return { does: "move", to: moves[key], extend };
  }
  const others = { PageDown: "next-mark", PageUp: "previous-mark", " ": "anchor", Enter: "open", Escape: "leave" };
  if (others[key]) {
    return { does: others[key] };
  }
  if (key === "Delete" || key === "Backspace") {
    return { does: "remove" };
  }
  const [digit, letter] = singles ? [Number(digitOf(event)), letterOf(event).toLowerCase()] : [0, ""];
  if (digit > 0) {
    return { does: "severity", digit };
  }
  return letter ? { does: "category", letter } : null;
}
