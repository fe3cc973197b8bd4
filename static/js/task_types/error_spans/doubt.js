// A question before an answer is sent whose score and errors do not go together. It is asked once, and blocks only where
// the study refuses such answers.

import { announce } from "../../core/announce.js";
import { during } from "../../core/page.js";
import { openQuestions } from "../../core/questions.js";
import { contradiction } from "./model.js";

export class Doubt {
  constructor(unit, form) {
    this.unit = unit;
    this.form = form;
    this.notice = unit.root.querySelector("[data-spans-doubt]");
    this.asked = "";
  }

  listen() {
    if (this.unit.data.doubtful) {
      // Before the page's own listener, which sends.
      document.addEventListener("submit", (event) => event.target === this.form && this.check(event), during({ capture: true }));
      this.form.addEventListener("change", () => {
        this.notice.hidden = true;
      });
    }
  }

  /** The contradictions of the screen: position -> which. */
  found() {
    const { doubtful, severities } = this.unit.data;
    const limits = { ...doubtful, gravest: severities.length > 1 ? severities.at(-1).key : "" };
    return this.unit.marks.positions.flatMap((position) => {
      const field = this.form.elements[this.unit.data.scores?.[position] ?? `p${position}-${doubtful.field}`];
      if (field.closest("[data-skipped]")) {
        return [];
      }
      const score = field?.value.trim() ? Number(field.value) : null;
      const which = contradiction(this.unit.marks.of(position), score, limits);
      return which ? [{ position, which, score }] : [];
    });
  }

  check(event) {
    const found = this.found();
    const key = JSON.stringify(found);
    // What is missing is said first; what was asked about and not changed is meant, unless it is refused.
    const isMeant = key === this.asked && !this.unit.data.doubtful.refused;
    if (found.length === 0 || isMeant || openQuestions(this.form).length > 0) {
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
    this.asked = key;
    const sentences = found.map(({ position, which, score }) => {
      const question = this.unit.root.querySelector(`[data-spans-question="${position}"]`);
      const severity = this.unit.data.severities.at(-1)?.name;
      const sentence = this.unit.word(`doubt-${which}`, { score, severity });
      return this.unit.about(question, sentence);
    });
    const text = this.notice.querySelector("[data-doubt-words]");
    text.textContent = sentences.join(" ");
    this.notice.hidden = false;
    this.notice.focus({ preventScroll: true });
    this.notice.scrollIntoView({ block: "center" });
    announce(`${text.textContent} ${this.notice.querySelector("[data-doubt-how]").textContent}`);
  }
}
