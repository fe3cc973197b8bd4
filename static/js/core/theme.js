// Light, dark or as the system: a switch in the menu of the page, remembered on this device.

import { word } from "./words.js";

const KEY = "evalweb:appearance";
const CHOICES = ["system", "light", "dark"];

// first.js reads the bare word, before modules run: no JSON here.
function remembered() {
  try {
    const chosen = localStorage.getItem(KEY);
    return CHOICES.includes(chosen) ? chosen : "system";
  } catch {
    return "system";
  }
}

function apply(choice) {
  if (choice === "system") {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = choice;
  }
  try {
    if (choice === "system") {
      localStorage.removeItem(KEY);
    } else {
      localStorage.setItem(KEY, choice);
    }
  } catch {
    // Not remembered then; this page follows the choice all the same.
  }
}

/** Put the switch where the page has kept a place for it. */
export function start(root = document) {
  for (const place of root.querySelectorAll("[data-theme-switch]")) {
    const select = document.createElement("select");
    select.className = "nav-item theme-switch";
    select.setAttribute("aria-label", word("appearance"));
    for (const choice of CHOICES) {
      const option = new Option(word(`appearance-${choice}`), choice);
      select.append(option);
    }
    select.value = remembered();
    select.addEventListener("change", () => apply(select.value));
    place.replaceChildren(select);
    place.hidden = false;
  }
}
