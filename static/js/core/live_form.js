// A form whose answer follows while it is filled in. htmx asks and puts the parts of the answer in their places, by the
// attributes of the form: one request at a time, and after it the newest entries. Here the old answer is marked until the
// new one is there, and what is wrong is shown.

import { start as startTables } from "./sortable.js";

class LiveForm {
  constructor(form, place) {
    this.form = form;
    this.place = place;
    this.mark = place.querySelector("[data-out-of-date]");
    this.button = form.querySelector("[data-unscripted]");
    this.button?.setAttribute("hidden", "");
    this.entered = 0;
    this.sent = 0;
    form.addEventListener("input", () => {
      this.entered += 1;
      this.show("words");
    });
    form.addEventListener("htmx:beforeSend", () => {
      this.sent = this.entered;
    });
    // Only an answer has this: no sentence on what is wrong, and no page that asks to sign in again.
    form.addEventListener("live-answered", () => {
      if (this.sent === this.entered) {
        this.show("");
      }
    });
    form.addEventListener("htmx:afterRequest", ({ detail }) => this.arrived(detail));
  }

  /** Say what is the matter with the answer, in the words that the mark brings along; "" where it is up to date. */
  show(state) {
    this.place.toggleAttribute("data-outdated", state !== "");
    if (this.mark) {
      this.mark.textContent = state === "" ? "" : this.mark.dataset[state];
      this.mark.hidden = state === "";
    }
  }

  arrived({ successful, xhr }) {
    // What asks to sign in again has a whole page.
    if (!successful || xhr.responseText.includes("<html")) {
      this.show("wordsLost");
      this.button?.removeAttribute("hidden");
      return;
    }
    this.button?.setAttribute("hidden", "");
    for (const errors of this.form.querySelectorAll(".ew-errors")) {
      this.point(errors);
    }
    startTables(this.place);
  }

  /** Mark a field that has an error, and open what it is folded in. */
  point(errors) {
    const isWrong = errors.childElementCount > 0;
    const field = this.form.ownerDocument.getElementById(errors.id.replace(/_error$/, ""));
    if (isWrong) {
      field?.setAttribute("aria-invalid", "true");
      for (let folded = errors.closest("details"); folded; folded = folded.parentElement.closest("details")) {
        folded.open = true;
      }
    } else {
      field?.removeAttribute("aria-invalid");
    }
  }
}

export function start(root = document) {
  for (const form of root.querySelectorAll("form[data-live-form]")) {
    new LiveForm(form, root.querySelector(`#${form.dataset.liveForm}`));
  }
}
