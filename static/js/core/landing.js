// Where a rater lands after something was sent: the heading of the page takes the focus and the page says what was
// saved, since a screen reader would otherwise begin again at the bars around every page.

import { announce } from "./announce.js";
import { digest, session, studyPath } from "./store.js";
import { word } from "./words.js";

function key() {
  return `evalweb:sent:${digest(studyPath(location.pathname))}`;
}

/** Note that the page is being left for the next one, and whether an answer was saved. */
export function leaving({ saved }) {
  session.write(key(), saved ? "saved" : "left");
}

function said(heading) {
  const place = heading.dataset.place;
  return place ? word("saved-at", { place }) : word("saved");
}

/** Move the focus to the heading, if the page was reached by sending another one. */
export function start(root = document) {
  const left = session.read(key());
  session.remove(key());
  const heading = root.querySelector("main h1");
  // What the server has to complain of takes the focus first.
  if (!left || !heading || root.querySelector("[data-error-summary]:not([hidden])")) {
    return;
  }
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true, focusVisible: false });
  if (left === "saved") {
    announce(said(heading));
  }
}
