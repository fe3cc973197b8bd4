// The answer to one text as it stands in the form. A page holds one text or several: elements with data-text, whose value
// is what the names of their fields begin with on this page. In an answer fields have their own names.

// Fields that are about the sending and not the answer.
const NOT_ANSWER = ["form_token", "submission", "replaces"];

/** The texts of a form. */
export function textsOf(form) {
  return [...form.querySelectorAll("[data-text]")];
}

/** The name that a field of a text has on the page. */
export function onPage(text, name) {
  return `${text.dataset.text}${name}`;
}

/** The places of a text's questions: its own, and where it ends a document, that of the questions about the whole. */
export function placesOf(text) {
  const ends = text.closest("form").querySelectorAll("[data-end-of]");
  return [text, ...[...ends].filter((end) => end.dataset.endOf === text.dataset.text)];
}

function controlsOf(text) {
  return placesOf(text)
    .flatMap((place) => [...place.querySelectorAll("input[name], select[name], textarea[name]")])
    .map((control) => [control.name.slice(text.dataset.text.length), control])
    .filter(([name]) => !NOT_ANSWER.includes(name));
}

/** Say whether a control holds something that an answer would name. */
function isFilled(control) {
  return control.type === "radio" || control.type === "checkbox" ? control.checked : control.value !== "";
}

/**
 * The answer as it stands: field -> value. Fields that are empty are left out.
 *
 * Read as the form would be sent, since types add to that what they have counted, such as keys and seconds.
 */
export function answerOf(text) {
  const names = new Map(controlsOf(text).map(([name, control]) => [control.name, name]));
  const sent = [...new FormData(text.closest("form"))].filter(([name, value]) => names.has(name) && value !== "");
  return Object.fromEntries(sent.map(([name, value]) => [names.get(name), value]));
}

/** Say whether a control was changed before the scripts came: its change has been heard by nobody. */
export function changedBefore(control) {
  const { type } = control;
  if (type === "radio" || type === "checkbox") {
    return control.checked !== control.defaultChecked;
  }
  return type === "textarea" && control.value !== control.defaultValue;
}

/** Put an answer back into a text, and let everybody on the page know. What it does not name was empty. */
export function restore(text, answer) {
  for (const [name, control] of controlsOf(text)) {
    if (!(name in answer || isFilled(control))) {
      continue;
    }
    const value = String(answer[name] ?? "");
    const wasFilled = isFilled(control);
    if (control.type === "radio" || control.type === "checkbox") {
      control.checked = control.value === value;
    } else {
      control.value = value;
      if (value) {
        control.closest("details:not([data-cover])")?.setAttribute("open", "");
      }
    }
    if (control.type !== "radio" || control.checked || (wasFilled && !(name in answer))) {
      control.dispatchEvent(new Event("change", { bubbles: true }));
    }
  }
}
