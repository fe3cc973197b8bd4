// The next page in place of this one, without a load: it came with the answer to what was sent. Address, history and
// reloading stay as they are, since only pages of the same address take each other's place.

import { turn } from "./page.js";

/** What a page is made with: language and direction, style sheets and scripts. An update of the site changes these. */
function madeWith(document) {
  const { lang, dir } = document.documentElement;
  const files = [...document.querySelectorAll("link[rel=stylesheet], script[src]")];
  return [lang, dir, ...files.map((file) => file.getAttribute("href") ?? file.getAttribute("src"))].join(" ");
}

/**
 * Put the content of another body into this one. What speaks to screen readers stays: a new one would not be heard. The
 * sentences of the scripts stay, too, where the page comes without them.
 */
function fill(body) {
  const status = document.querySelector("[data-status]");
  const kept = body.querySelector("template[data-words]") ? [] : [document.querySelector("template[data-words]")];
  const place = body.querySelector(":scope > [data-status]");
  for (const old of [...document.body.childNodes].filter((node) => node !== status)) {
    old.remove();
  }
  // Made anew for this document: browsers load pictures and sounds differently where another document has made them.
  const nodes = [...body.childNodes].map((node) => (node === place ? node : document.importNode(node, true)));
  status.before(...nodes.slice(0, nodes.indexOf(place)));
  status.after(...kept, ...nodes.slice(nodes.indexOf(place) + 1));
}

/**
 * Show a page, which is found at `address`, in place of this one. Returns false where it needs a document of its own:
 * at another address, in another language, or with other scripts.
 */
export function show(html, address) {
  const next = new DOMParser().parseFromString(html, "text/html");
  // Read without scripts, these have elements, which would be sent with the form.
  for (const alternative of next.querySelectorAll("noscript")) {
    alternative.replaceChildren();
  }
  if (location.pathname !== address || madeWith(next) !== madeWith(document)) {
    return false;
  }
  turn(() => {
    if (location.hash) {
      history.replaceState(null, "", address);
    }
    document.title = next.title;
    delete document.documentElement.dataset.keyboard;
    fill(next.body);
    scrollTo({ top: 0, left: 0, behavior: "instant" });
  });
  return true;
}
