// The page of a busy server: sends the rater's request again after a few seconds, the same as the button would.

import { countdown } from "./retry.js";

export function start(timers = globalThis) {
  const again = document.querySelector("[data-again]");
  if (!again) {
    return;
  }
  document.querySelector("[data-again-note]").hidden = false;
  document.querySelector("[data-again-by-hand]").hidden = true;
  const send = () => (again instanceof HTMLFormElement ? again.requestSubmit() : location.replace(again.href));
  const stop = countdown(Number(again.dataset.again), () => {}, send, timers);
  // Pressed by hand meanwhile: once is enough.
  again.addEventListener(again instanceof HTMLFormElement ? "submit" : "click", stop);
}
