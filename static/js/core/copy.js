// Buttons that copy a line, such as a completion code or a personal link.

import { announce } from "./announce.js";
import { word } from "./words.js";

const SHOWN_FOR = 2000;

/** The text of a field, or of any other element. */
function textOf(source) {
  return source.value ?? source.textContent.trim();
}

function select(source) {
  if (source.select) {
    source.focus();
    source.select();
  } else {
    getSelection().selectAllChildren(source);
  }
}

async function copy(source) {
  if (globalThis.isSecureContext && navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(textOf(source));
      return true;
    } catch {
      // Refused, in a frame for instance: the older way may still be open.
    }
  }
  // Pages served without TLS in a laboratory have no clipboard of their own.
  select(source);
  return document.execCommand("copy");
}

function enhance(place) {
  const source = place.querySelector("[data-copy-source]");
  const button = place.querySelector("[data-copy-button]");
  const label = button.textContent;
  if (source.select) {
    source.addEventListener("focus", () => source.select());
  }
  button.hidden = false;
  button.addEventListener("click", async () => {
    const done = await copy(source);
    button.textContent = (done ? word("copied") : word("copy-failed")) || "✓";
    announce(button.textContent);
    setTimeout(() => {
      button.textContent = label;
    }, SHOWN_FOR);
  });
}

/** Start the buttons that have not been started yet. */
export function start(root = document) {
  for (const place of root.querySelectorAll("[data-copy]:not([data-copy='ready'])")) {
    place.dataset.copy = "ready";
    enhance(place);
  }
}

// Pages of researchers load this module alone.
start();
