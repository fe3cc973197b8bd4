// The page of a document: on a narrow screen one column of texts at a time, with buttons for the others. Where there is
// room the style sheet (document.css) shows all of them, and the buttons are not there.

import * as scores from "./document_scores.js";
import { openQuestions } from "./questions.js";
import { fill } from "./words.js";

class Columns {
  constructor(root, form, tabs) {
    Object.assign(this, { root, form, tabs });
    this.buttons = [...tabs.querySelectorAll("[data-column]")];
    this.cells = [...root.querySelectorAll(".document-cell[data-column]")];
    const words = root.querySelector("template[data-document-words]").content.children;
    this.words = new Map([...words].map((one) => [one.dataset.word, one.textContent]));
    for (const button of this.buttons) {
      button.addEventListener("click", () => this.show(button.dataset.column));
    }
    // What is gone to is shown, such as an answer that is missing.
    for (const name of ["reveal", "focusin"]) {
      root.addEventListener(name, ({ target }) => this.bring(target.closest(".document-cell")));
    }
    form.addEventListener("change", () => this.count());
    tabs.hidden = false;
    this.show("1");
    this.count();
  }

  bring(cell) {
    if (cell?.hasAttribute("data-away")) {
      this.show(cell.dataset.column);
    }
  }

  /** Show a column; the part that is read stays where it is on the screen. */
  show(column) {
    const rows = [...this.root.querySelectorAll(".document-row")];
    const row = rows.find((one) => one.getBoundingClientRect().bottom > this.tabs.getBoundingClientRect().bottom);
    const before = row?.getBoundingClientRect().top;
    for (const cell of this.cells) {
      cell.toggleAttribute("data-away", cell.dataset.column !== column);
    }
    for (const button of this.buttons) {
      const isShown = button.dataset.column === column;
      button.setAttribute("aria-pressed", String(isShown));
      if (isShown && button.checkVisibility()) {
        button.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
      }
    }
    if (row && before < 0) {
      scrollBy({ top: row.getBoundingClientRect().top - before, behavior: "instant" });
    }
  }

  /** Say on each button how much of its column is open. */
  count() {
    for (const button of this.buttons) {
      const cells = this.cells.filter((cell) => cell.dataset.column === button.dataset.column);
      const n = cells.reduce((sum, cell) => sum + openQuestions(cell).length, 0);
      const words = n === 0 ? this.words.get("done") : fill(this.words.get("left"), { n });
      button.querySelector("[data-left]").textContent = words;
    }
  }
}

/** Start the columns of a document, if the page shows one. */
export function start(form) {
  const root = form.querySelector("[data-document]");
  const tabs = root?.querySelector("[data-document-tabs]");
  if (root) {
    scores.start(root);
  }
  if (tabs) {
    new Columns(root, form, tabs);
  }
}
