// Instructions beside the unit on wide screens, over it on narrow ones. Whether they were open is remembered for
// each study, on wide screens only: on a phone they would cover every new text.

import { build } from "./dialog.js";
import { during } from "./page.js";
import { digest, local, studyPath } from "./store.js";

const WIDE = "(min-width: 64rem)";

function toggleOf(link, panel) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = link.className;
  button.textContent = link.textContent;
  button.setAttribute("aria-controls", panel.id);
  button.setAttribute("aria-expanded", "false");
  link.replaceWith(button);
  return button;
}

function panelOf(details) {
  const summary = details.querySelector("summary");
  const nodes = [...details.children].filter((child) => child !== summary);
  const panel = build(details.id, summary.textContent.trim(), nodes);
  panel.classList.add("sheet-panel");
  // A part that scrolls must be reachable with the keyboard.
  panel.tabIndex = 0;
  details.replaceWith(panel);
  return panel;
}

export function start(root = document) {
  const details = root.querySelector("details[data-sheet]");
  const link = root.querySelector("[data-sheet-open]");
  if (!details || !link) {
    return;
  }
  const key = `evalweb:sheet:${digest(studyPath(location.pathname))}`;
  const wide = matchMedia(WIDE);
  const panel = panelOf(details);
  const button = toggleOf(link, panel);

  const show = () => {
    if (wide.matches) {
      // Not show(): that would take the focus away from the question at work.
      panel.open = true;
    } else {
      panel.showModal();
    }
    button.setAttribute("aria-expanded", "true");
  };
  const remember = (open) => {
    if (wide.matches) {
      local.write(key, open);
    }
  };

  button.addEventListener("click", () => {
    if (panel.open) {
      panel.close();
      remember(false);
    } else {
      show();
      remember(true);
      panel.scrollTop = 0;
    }
  });
  panel.addEventListener("close", () => {
    button.setAttribute("aria-expanded", "false");
    remember(false);
  });
  panel.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !panel.matches(":modal")) {
      panel.close();
      button.focus();
    }
  });
  wide.addEventListener("change", () => {
    if (panel.open) {
      panel.close();
    }
  }, during());
  if (wide.matches && local.read(key) === true) {
    show();
  }
}
