// What happened on a page, for research into how people judge: [seconds since it opened, what, field, value].

import { during } from "./page.js";

/** Enough for any honest unit; a stuck key must not fill the form. */
export const LONGEST_LOG = 400;

const LONGEST_VALUE = 60;

export class Log {
  constructor(now) {
    this.now = now;
    this.opened = now();
    this.rows = [];
    this.add("open");
  }

  add(what, field, value) {
    if (this.rows.length >= LONGEST_LOG) {
      return;
    }
    const row = [Math.round((this.now() - this.opened) / 100) / 10, what];
    if (field !== undefined) {
      row.push(field, String(value).slice(0, LONGEST_VALUE));
    }
    this.rows.push(row);
  }

  toString() {
    return JSON.stringify(this.rows);
  }
}

/**
 * Note changes of answers, what other scripts tell (the event "evalweb:log" on the document), and when the page was
 * left and come back to. Comments are not copied into the log.
 */
export function attach(log, form) {
  form.addEventListener("change", (event) => {
    const control = event.target;
    if (control.name && control.closest("[data-question]")) {
      log.add("change", control.name, control.type === "checkbox" ? control.checked : control.value);
    }
  });
  document.addEventListener("evalweb:log", ({ detail }) => log.add(detail.what, detail.field, detail.value), during());
  document.addEventListener("visibilitychange", () => {
    log.add(document.visibilityState === "visible" ? "back" : "away");
  }, during());
}
