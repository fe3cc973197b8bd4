// Every sentence a script says comes, translated, from the template of the page (components/_words.html).

let words = null;

function read() {
  const template = document.querySelector("template[data-words]");
  const spans = template ? template.content.querySelectorAll("[data-word]") : [];
  return new Map([...spans].map((span) => [span.dataset.word, span.textContent]));
}

/** Put values into a sentence: "in {seconds} s". */
export function fill(sentence, values = {}) {
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/** The sentence of that name, with values put in. */
export function word(name, values = {}) {
  words ??= read();
  return fill(words.get(name) ?? "", values);
}

/** A number as the page's language writes it, in the digits 0 to 9 that the server writes. */
export function numeral(value, options = { maximumFractionDigits: 3 }) {
  const language = document.documentElement.lang || undefined;
  return new Intl.NumberFormat(language, { numberingSystem: "latn", ...options }).format(value);
}
