// Dialogs. Without this script what they hold is an ordinary <details>.

import { during } from "./page.js";
import { word } from "./words.js";

/** Build a dialog of our shape around nodes; it is not yet in the page. */
export function build(id, heading, nodes) {
  const dialog = document.createElement("dialog");
  dialog.className = "dialog";
  dialog.id = id;
  dialog.setAttribute("aria-labelledby", `${id}-heading`);
  const head = document.createElement("div");
  head.className = "dialog-head";
  const title = document.createElement("h2");
  title.id = `${id}-heading`;
  title.textContent = heading;
  const close = document.createElement("button");
  close.type = "button";
  close.className = "button button-plain";
  close.dataset.dialogClose = "";
  close.textContent = word("close");
  head.append(title, close);
  dialog.append(head, ...nodes);
  return dialog;
}

function fromDetails(details) {
  const summary = details.querySelector("summary");
  const id = details.dataset.toDialog;
  const button = document.createElement("button");
  button.type = "button";
  button.className = summary.className;
  button.textContent = summary.textContent.trim();
  button.dataset.dialogOpen = id;
  const dialog = build(id, button.textContent, [...details.children].filter((child) => child !== summary));
  const wasOpen = details.open;
  details.replaceWith(button);
  document.querySelector("main").append(dialog);
  if (wasOpen) {
    dialog.showModal();
  }
}

export function start(root = document) {
  for (const details of root.querySelectorAll("details[data-to-dialog]")) {
    fromDetails(details);
  }
  for (const button of root.querySelectorAll("[data-dialog-open][hidden]")) {
    button.hidden = false;
  }
  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-dialog-open]");
    if (opener) {
      document.getElementById(opener.dataset.dialogOpen)?.showModal();
      return;
    }
    const closer = event.target.closest("[data-dialog-close]");
    if (closer) {
      closer.closest("dialog").close();
    } else if (event.target instanceof HTMLDialogElement && event.target.matches(":modal")) {
      // A click on the veil lands on the dialog itself; one inside lands on its contents, unless on the padding.
      const box = event.target.getBoundingClientRect();
      const inside =
        event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
      if (!inside) {
        event.target.close();
      }
    }
  }, during());
}
