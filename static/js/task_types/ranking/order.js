// The arithmetic of ranking, without a page.
//
// Places are an array: by text, counted from 0, its place (1 is the best) or null where it has none. Without ties each
// place is held by one text at most and some may be free; with ties texts at one place form a level.

/** What was typed as a place from 1 to n: null where the field is empty, NaN where it is no such place. */
export function parse(typed, n) {
  // Digits of Arabic and Persian keyboards count too.
  const digits = typed.trim().replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 15));
  if (digits === "") {
    return null;
  }
  const place = /^\d{1,4}$/.test(digits) ? Number(digits) : Number.NaN;
  return place >= 1 && place <= n ? place : Number.NaN;
}

/** The texts that have a place, the best first, then those that have none, as they stand on the screen. */
export function order(places) {
  const all = places.map((place, text) => ({ place: Number.isInteger(place) ? place : Infinity, text }));
  all.sort((one, other) => (one.place === other.place ? one.text - other.text : one.place - other.place));
  return all.map((one) => one.text);
}

function placed(places, but) {
  return order(places).filter((text) => Number.isInteger(places[text]) && text !== but);
}

/** Levels from best to worst, each a list of texts. */
function levels(places, but) {
  const found = [];
  for (const text of placed(places, but)) {
    const last = found.at(-1);
    if (last && places[last[0]] === places[text]) {
      last.push(text);
    } else {
      found.push([text]);
    }
  }
  return found;
}

/** Write levels as standings: equals share a place, and as many places are left out after it. */
function stand(places, found) {
  const next = places.map(() => null);
  let place = 1;
  for (const level of found) {
    for (const text of level) {
      next[text] = place;
    }
    place += level.length;
  }
  return next;
}

/** Without ties: put a text at `index` of the others that have places; the others keep their places among them. */
function slotIn(places, text, index) {
  const others = placed(places, text);
  const held = others.map((one) => places[one]);
  held.push(Number.isInteger(places[text]) ? places[text] : freeNear(places, held, index));
  held.sort((one, other) => one - other);
  const next = [...places];
  [...others.slice(0, index), text, ...others.slice(index)].forEach((one, number) => {
    next[one] = held[number];
  });
  return next;
}

/** The free place for a text that goes before the others from `index` on: one between, else one after, else any. */
function freeNear(places, held, index) {
  const free = places.map((_place, number) => number + 1).filter((place) => !held.includes(place));
  const after = index > 0 ? held[index - 1] : 0;
  const before = held[index] ?? Infinity;
  const between = free.filter((place) => place > after && place < before);
  return between[0] ?? free.find((place) => place > after) ?? free.at(-1);
}

/** The place that "put next" gives: the first free one, or with ties the one after all others. */
export function nextPlace(places, ties) {
  const held = placed(places).map((text) => places[text]);
  return ties ? held.length + 1 : places.map((_place, number) => number + 1).find((place) => !held.includes(place));
}

/** Give a text the next place. */
export function put(places, text, ties) {
  if (ties) {
    return stand(places, [...levels(places, text), [text]]);
  }
  const next = [...places];
  next[text] = nextPlace(places, ties);
  return next;
}

/** Without ties: where a single text has no place, give it the one that is left. */
export function completed(places) {
  const open = places.filter((place) => place === null);
  return open.length === 1 ? put(places, places.indexOf(null), false) : places;
}

/** Take a text's place away. */
export function out(places, text) {
  return places.map((place, number) => (number === text ? null : place));
}

/** Give a text the very place that was typed. Without ties, whoever holds it makes room. */
export function typed(places, text, place, ties) {
  const next = [...places];
  const holder = places.findIndex((other, number) => number !== text && other === place);
  next[text] = place;
  if (ties || holder < 0) {
    return next;
  }
  const held = places.filter((other, number) => number !== text && Number.isInteger(other));
  const free = places.map((_place, number) => number + 1).filter((one) => !held.includes(one));
  // Others move towards the place that the text leaves, else down to the next free one, else up.
  const hole = Number.isInteger(places[text]) ? places[text] : (free.find((one) => one > place) ?? free.at(-1));
  places.forEach((other, number) => {
    if (number === text || !Number.isInteger(other)) {
      return;
    }
    if (hole > place && other >= place && other < hole) {
      next[number] = other + 1;
    } else if (hole < place && other <= place && other > hole) {
      next[number] = other - 1;
    }
  });
  return next;
}

/** Move a text up (-1) or down (1) by one. With ties it first shares the place of its neighbour, then passes it. */
export function step(places, text, by, ties) {
  if (!Number.isInteger(places[text])) {
    return by < 0 ? put(places, text, ties) : places;
  }
  if (!ties) {
    const others = placed(places);
    const index = others.indexOf(text) + by;
    return index < 0 || index >= others.length ? places : slotIn(places, text, index);
  }
  const found = levels(places);
  const at = found.findIndex((level) => level.includes(text));
  const level = found[at];
  if (level.length > 1) {
    level.splice(level.indexOf(text), 1);
    found.splice(by < 0 ? at : at + 1, 0, [text]);
  } else if (found[at + by]) {
    found[at + by].push(text);
    found.splice(at, 1);
  } else {
    return places;
  }
  return stand(places, found);
}

/**
 * Put a text where it was dropped: {end: true}, {out: true}, or {target, where} with where "before", "after" or "on".
 */
export function drop(places, text, { end, out: taken, target, where }, ties) {
  if (taken) {
    return out(places, text);
  }
  if (!ties) {
    const others = placed(places, text);
    const index = end ? others.length : others.indexOf(target) + (where === "after" ? 1 : 0);
    return slotIn(places, text, index);
  }
  const found = levels(places, text);
  const at = found.findIndex((level) => level.includes(target));
  if (end) {
    found.push([text]);
  } else if (where === "on") {
    found[at].push(text);
  } else {
    found.splice(where === "after" ? at + 1 : at, 0, [text]);
  }
  return stand(places, found);
}

/** The first place that nobody has though somebody stands behind it; null where there is none. As the server counts. */
export function gap(places) {
  const given = placed(places).map((text) => places[text]);
  const standing = given.map((place) => 1 + given.filter((other) => other < place).length);
  if (given.every((place, number) => place === standing[number])) {
    return null;
  }
  const distinct = [...new Set(given)];
  const number = distinct.findIndex((place, index) => place !== index + 1);
  return number < 0 ? null : number + 1;
}

/**
 * What a pointer at height y means. `boxes` are the other texts that have places, in order: {text, top, bottom};
 * below `pool` a text loses its place.
 */
export function aim(y, boxes, pool, ties) {
  for (const { text, top, bottom } of boxes) {
    if (y < bottom) {
      const share = (y - top) / (bottom - top);
      if (ties && share > 0.3 && share < 0.7) {
        return { target: text, where: "on" };
      }
      return { target: text, where: share < 0.5 ? "before" : "after" };
    }
  }
  return y < pool ? { end: true } : { out: true };
}
