// The entry of every page: starts what the page has.

import * as again from "./again.js";
import * as chains from "./chains.js";
import * as copy from "./copy.js";
import * as cover from "./cover.js";
import * as dialog from "./dialog.js";
import * as documents from "./document.js";
import * as judge from "./judge.js";
import * as landing from "./landing.js";
import * as media from "./media.js";
import * as menu from "./menu.js";
import * as once from "./once.js";
import { onEveryPage } from "./page.js";
import * as paging from "./paging.js";
import * as sheet from "./sheet.js";
import * as theme from "./theme.js";
import * as trying from "./trying.js";

onEveryPage(() => {
  theme.start();
  menu.start();
  dialog.start();
  sheet.start();
  copy.start();
  cover.start();
  chains.start();
  once.start();
  again.start();
  media.start();

  const form = document.querySelector("form[data-answer]");
  if (form && "try" in form.dataset) {
    trying.start(form);
  } else if (form) {
    judge.start(form);
  }
  // After the types have put their questions in order, and the drafts are back.
  if (form) {
    documents.start(form);
  }
  landing.start();

  // After the drafts are back, so that it begins at the first question that is open.
  paging.start();
});
