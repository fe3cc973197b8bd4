// What happened on a page, for research into how people judge: [seconds since it opened, what, field, value].

import { during } from "./page.js";

/** Enough for any honest unit; a stuck key must not fill the form. */
export const LONGEST_LOG = 400;
// For a page of many texts: what the form can hold.
const LONGEST_LOG_OF_PAGE = 1200;

const LONGEST_VALUE = 60;

export class Log {
  constructor(now, texts = 1) {
    this.now = now;
    this.longest = Math.min(LONGEST_LOG * texts, LONGEST_LOG_OF_PAGE);
    this.opened = now();
    this.rows = [];
    this.add("open");
  }

  add(what, field, value) {
    if (this.rows.length >= this.longest) {
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
