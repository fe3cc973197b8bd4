// Error spans: marks in texts by mouse, touch and keyboard. The form stays the truth: what is marked is written into its
// fields as JSON, and what is put into them, such as a draft, is shown.
//
//   error_spans/model.js  offsets, words, places that mirror each other, contradictions, what keys mean: pure
//   error_spans/marks.js  the marks, what may be marked, steps back: pure
//   error_spans/text.js   a text that one walks through;  pointer.js  mouse, pen and finger over it
//   error_spans/panel.js  the buttons of a mark;  lists.js  the form
//   error_spans/keys.js   the keyboard;  acts.js  what is done;  unit.js  all of it together;  doubt.js  a question before sending

import { onEveryPage } from "../core/page.js";
import "./slider.js";
import { Doubt } from "./error_spans/doubt.js";
import { Unit } from "./error_spans/unit.js";

onEveryPage(() => {
  for (const root of document.querySelectorAll("[data-error-spans]")) {
    const unit = new Unit(root);
    for (const tool of root.querySelectorAll("[data-spans-tools]")) {
      tool.hidden = false;
    }
    const form = root.closest("form[data-answer]");
    if (form) {
      new Doubt(unit, form).listen();
    }
  }
});
