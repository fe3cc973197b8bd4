// The entry of every page: starts what the page has.

import * as copy from "./copy.js";
import * as cover from "./cover.js";
import * as dialog from "./dialog.js";
import * as judge from "./judge.js";
import * as menu from "./menu.js";
import * as once from "./once.js";
import * as sheet from "./sheet.js";
import * as theme from "./theme.js";

theme.start();
menu.start();
dialog.start();
sheet.start();
copy.start();
cover.start();
once.start();

const form = document.querySelector("form[data-answer]");
if (form) {
  judge.start(form);
}
