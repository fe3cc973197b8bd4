// The levels of headings where a question takes the texts in, for whoever goes through a page by its headings.

/**
 * Set the levels of headings: questions stand where the texts stood, and the texts below the question that takes them in.
 */
export function level(unit) {
  const texts = [...unit.querySelectorAll(".ranking-text :is(.text-head, .text-head > *):is(h2, h3)")];
  const top = Number(texts[0].localName.at(-1));
  for (const words of unit.querySelectorAll("[data-question] .ranking-words")) {
    words.setAttribute("aria-level", String(top));
  }
  for (const text of texts) {
    text.setAttribute("aria-level", String(top + 1));
  }
}
