// The entry of every researcher's page: starts what the page has.

import * as copy from "./copy.js";
import * as live from "./live.js";
import * as liveForm from "./live_form.js";
import * as menu from "./menu.js";
import * as once from "./once.js";
import * as sortable from "./sortable.js";

menu.start();
once.start();
sortable.start();
live.start();
liveForm.start();

// What htmx has put in its place starts anew; menus listen on the whole page.
document.addEventListener("htmx:afterSettle", ({ target }) => {
  copy.start(target);
});

// What went wrong is read first.
document.querySelector("[data-focus]")?.focus();

// On a phone the tab one is in may lie outside of its row.
document.querySelector(".ew-tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
