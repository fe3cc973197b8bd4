// The keys of a ranking: letters, Ctrl+Z and Enter, wherever the focus is.

import { isOff, isTyping } from "../../core/keys.js";
import { during } from "../../core/page.js";
import { isComposing, letterOf } from "../../core/typed.js";

/** An arrow key in the row of a text moves the text up or down. */
export function onArrow(list, event, text) {
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (by === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || isComposing(event)) {
    return;
  }
  event.preventDefault();
  list.move(text, by);
  if (event.target === list.inputs[text]) {
    event.target.select();
  }
}

/** Keys of the whole unit: letters put texts, Ctrl+Z takes back, Enter goes on to what has no place. */
export function listenToKeys(form, lists) {
  const current = () => [...lists.values()].find((one) => !one.question.hidden);
  const typesText = (event) => isTyping(event.target) && !event.target.matches(".ranking-place");
  // Before the page's own Enter, which would leave a question that is not complete.
  document.addEventListener(
    "keydown",
    (event) => {
      const list = current();
      if (!list || form.inert || typesText(event) || document.querySelector("dialog:modal")) {
        return;
      }
      const text = list.rows.findIndex((row) => row.dataset.letter === letterOf(event));
      const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !isComposing(event);
      if ((event.ctrlKey || event.metaKey) && !event.shiftKey && letterOf(event) === "Z") {
        event.preventDefault();
        list.undo();
      } else if (plain && !event.repeat && text >= 0 && !isOff()) {
        event.preventDefault();
        list.press(text);
      } else if (plain && event.key === "Enter" && event.target.matches(".ranking-place")) {
        list.commit(list.inputs.indexOf(event.target));
        if (list.goToOpen(event.target)) {
          event.preventDefault();
          event.stopPropagation();
        }
      }
    },
    during({ capture: true }),
  );
}
