// What a key press means on any keyboard: digits and letters by what they write, else by the place of the key.

/** Say whether a key press belongs to a word that an input method is still putting together. */
export function isComposing(event) {
  // Safari says so by the number of the key alone when a press ends the word.
  return event.isComposing === true || event.keyCode === 229;
}

/** What a key with a code such as Digit3 bears; null where the press writes a letter, takes AltGr, or moves. */
function atPlace(event, pattern) {
  const writesOne = event.key.length === 1 && !/^[a-z]$/i.test(event.key);
  const isPlain = !event.shiftKey && !event.getModifierState?.("AltGraph");
  return writesOne && isPlain ? (event.code?.match(pattern)?.[1] ?? null) : null;
}

/** The digit 0 to 9 that a string writes in whatever script, as a number; null where it writes none. */
function inScript(written) {
  if (!/^\p{Nd}$/u.test(written)) {
    return null;
  }
  // The ten digits of a script stand one after another.
  const code = written.codePointAt(0);
  let digit = 0;
  while (digit < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(code - digit - 1))) {
    digit += 1;
  }
  return digit;
}

/**
 * The digit "0" to "9" that a key press means; null for other presses and while a word is composed. Digits of every
 * script count, and so do the keys of the digits where a layout writes something else there, as the French one does.
 */
export function digitOf(event) {
  if (isComposing(event)) {
    return null;
  }
  const written = inScript(event.key);
  return written === null ? atPlace(event, /^(?:Digit|Numpad)([0-9])$/) : String(written);
}

/** The capital letter A to Z that a key press means; an empty text for other presses and while a word is composed. */
export function letterOf(event) {
  if (isComposing(event)) {
    return "";
  }
  return /^[a-z]$/i.test(event.key) ? event.key.toUpperCase() : (event.code?.match(/^Key([A-Z])$/)?.[1] ?? "");
}
