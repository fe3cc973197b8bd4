// On the page of a document a slider may show which scores the other systems got for the same part: only once its own was
// set, so that they do not lead it.

import { numeral } from "./words.js";

/** The number fields of a row by what they ask: the name of a field without the text that it is about. */
function byQuestion(row) {
  const fields = new Map();
  for (const cell of row.querySelectorAll("[data-text], [data-end-of]")) {
    for (const field of cell.querySelectorAll("[data-slider] input[type=number]")) {
      const name = field.name.slice((cell.dataset.text ?? cell.dataset.endOf).length);
      fields.set(name, [...(fields.get(name) ?? []), { field, name: cell.dataset.name }]);
    }
  }
  return fields;
}

function lineOf(field) {
  const scale = field.closest("[data-slider]");
  const known = scale.querySelector("[data-others]");
  if (known) {
    return known;
  }
  const line = document.createElement("p");
  line.className = "document-others";
  line.dataset.others = "";
  scale.append(line);
  return line;
}

/** Write the scores of the others below each score that is set. */
function draw(row) {
  for (const fields of byQuestion(row).values()) {
    for (const { field } of fields) {
      const others = fields.filter((one) => one.field !== field && one.field.value.trim() !== "");
      const isShown = field.value.trim() !== "" && others.length > 0;
      const line = lineOf(field);
      line.hidden = !isShown;
      line.textContent = isShown ? others.map((one) => `\u2068${one.name}\u2069 ${numeral(Number(one.field.value))}`).join(" · ") : "";
    }
  }
}

/** Start it on the page of a document that shows other scores. */
export function start(root) {
  if (!("showOthers" in root.dataset)) {
    return;
  }
  for (const row of root.querySelectorAll(".document-row")) {
    row.addEventListener("change", () => draw(row));
    draw(row);
  }
}
