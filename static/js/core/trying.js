// A unit to try out, in the catalogue: keys and what is missing as on a judging page, but no draft, clock or log.

import { Missing } from "./errors.js";
import * as keys from "./keys.js";

export function start(form) {
  const missing = new Missing(form);
  keys.start(form);
  form.addEventListener("submit", (event) => {
    if (!missing.check()) {
      event.preventDefault();
    }
  });
}
