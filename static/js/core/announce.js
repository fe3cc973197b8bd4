// The one place where scripts speak to screen readers.

/** Say a sentence politely; the same sentence again is said again. */
export function announce(sentence) {
  const status = document.querySelector("[data-status]");
  if (status) {
    // A live region stays silent where its text does not change.
    status.textContent = status.textContent === sentence ? `${sentence}\u00a0` : sentence;
  }
}
