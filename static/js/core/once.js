// Ordinary forms are sent once, however often the button is pressed. What a form has to say while it waits for a long
// answer (data-wait) is shown meanwhile. Where a form invites to begin (data-fresh), a page that comes back out of the
// browser's memory is asked for again: whoever has begun is shown where they are.

import { during } from "./page.js";

function wait(form, isWaiting) {
  for (const words of form.querySelectorAll("[data-wait]")) {
    words.hidden = !isWaiting;
  }
}

export function start(root = document) {
  for (const form of root.querySelectorAll("form[data-once]")) {
    form.addEventListener("submit", (event) => {
      // A button that downloads leaves the page as it is.
      if (event.submitter?.dataset.download !== undefined) {
        return;
      }
      if (form.dataset.sent) {
        event.preventDefault();
        return;
      }
      form.dataset.sent = "yes";
      wait(form, true);
      for (const button of form.querySelectorAll("button")) {
        button.setAttribute("aria-disabled", "true");
      }
    });
  }
  // A page that comes back out of the browser's memory must not stay locked.
  globalThis.addEventListener("pageshow", (event) => {
    if (event.persisted && root.querySelector("form[data-fresh]")) {
      location.reload();
    } else if (event.persisted) {
      for (const form of root.querySelectorAll("form[data-sent]")) {
        delete form.dataset.sent;
        wait(form, false);
        for (const button of form.querySelectorAll("button")) {
          button.removeAttribute("aria-disabled");
        }
      }
    }
  }, during());
}
