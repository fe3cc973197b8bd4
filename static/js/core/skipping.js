// Skipping single texts of a page of several: a text with a reason (data-skip) asks for no answer.

import { placesOf, textsOf } from "./answer.js";

export function start(form) {
  for (const text of textsOf(form)) {
    const reason = text.querySelector("[data-skip]");
    const mark = () => placesOf(text).forEach((place) => place.toggleAttribute("data-skipped", reason.value !== ""));
    if (reason) {
      // Before others hear it, who ask what is open still.
      reason.addEventListener("change", mark);
      mark();
    }
  }
}
