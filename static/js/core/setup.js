// The set-up of a study: says when it was last saved, and shows the preview anew after each change.
// Saving itself is htmx's, by the attributes of the form.

const SECOND = 1_000;
const MINUTE = 60;

/** Say how long ago something was saved, in the words that the page brings along. */
export function saved(words, seconds) {
  if (seconds < 2) {
    return words.wordsNow;
  }
  const inMinutes = seconds >= MINUTE;
  const text = inMinutes ? words.wordsMinutes : words.wordsSeconds;
  return text.replace("#", String(Math.floor(inMinutes ? seconds / MINUTE : seconds)));
}

let savedAt = null;

function tick() {
  const place = document.querySelector("[data-saved-at]");
  if (place && savedAt !== null) {
    place.textContent = saved(place.dataset, (Date.now() - savedAt) / SECOND);
  }
}

function showAnew() {
  savedAt = Date.now();
  const frame = document.querySelector("[data-preview]");
  frame?.contentWindow?.location.reload();
}

if (document.querySelector("[data-setup]")) {
  document.body.addEventListener("setup-saved", showAnew);
  setInterval(tick, SECOND);
  document.querySelector("[data-unscripted]")?.setAttribute("hidden", "");
}
