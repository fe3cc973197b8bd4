// Small menus made of <details>: Escape, a link in them and a click elsewhere close them.

import { during } from "./page.js";

function close(menu, refocus) {
  if (menu.open) {
    menu.open = false;
    if (refocus) {
      menu.querySelector("summary").focus();
    }
  }
}

export function start(root = document) {
  // Looked for at each event: parts of a page are replaced while it is open.
  const menus = () => root.querySelectorAll("[data-menu][open]");
  document.addEventListener("click", (event) => {
    for (const menu of menus()) {
      if (!menu.contains(event.target) || event.target.closest("a")) {
        close(menu, false);
      }
    }
  }, during());
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      for (const menu of menus()) {
        close(menu, menu.contains(document.activeElement));
      }
    }
  }, during());
}
