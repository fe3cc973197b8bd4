// A part of a page that follows what happens on the server: asked for again while the page is looked at, and changed
// only where it differs, so that focus, scroll position, what is unfolded and how tables are sorted stay.

import { again, start as startTables } from "./sortable.js";

const EVERY = 5000;
const LONGEST = 60_000;

/** How long to wait after so many failures in a row. */
export function pauseAfter(failures) {
  return Math.min(EVERY * 2 ** failures, LONGEST);
}

// What scripts and people have set themselves.
function isOwn(element, name) {
  return name === "data-sortable" || (element instanceof HTMLDetailsElement && name === "open");
}

function changeAttributes(old, fresh) {
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !isOwn(old, name)) {
      old.removeAttribute(name);
    }
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value && !isOwn(old, name)) {
      old.setAttribute(name, value);
    }
  }
}

/** Whether two nodes are the same place on the page, so that one can be turned into the other. */
function alike(old, fresh) {
  return old.nodeType === fresh.nodeType && old.nodeName === fresh.nodeName && (old.id ?? "") === (fresh.id ?? "");
}

/** Turn a node into another, touching only what differs. */
export function morph(old, fresh) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) {
      old.data = fresh.data;
    }
    return;
  }
  if (old.nodeType !== Node.ELEMENT_NODE) {
    return;
  }
  changeAttributes(old, fresh);
  if (old.hasAttribute("data-live-keep")) {
    return;
  }
  morphChildren(old, fresh);
}

function morphChildren(old, fresh) {
  const wanted = [...fresh.childNodes];
  for (const [place, node] of wanted.entries()) {
    const there = old.childNodes[place];
    if (!there) {
      old.append(document.importNode(node, true));
    } else if (alike(there, node)) {
      morph(there, node);
    } else {
      there.replaceWith(document.importNode(node, true));
    }
  }
  while (old.childNodes.length > wanted.length) {
    old.lastChild.remove();
  }
}

class Follower {
  constructor(place) {
    this.place = place;
    this.tag = null;
    this.failures = 0;
    this.timer = null;
    this.asking = false;
    this.ended = false;
    this.lost = document.createElement("p");
    this.lost.className = "ew-help";
    this.lost.setAttribute("role", "status");
    this.place.after(this.lost);
  }

  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), pauseAfter(this.failures));
  }

  async ask() {
    clearTimeout(this.timer);
    if (this.asking || this.ended || document.visibilityState === "hidden") {
      return; // until somebody looks again
    }
    this.asking = true;
    try {
      const headers = this.tag ? { "If-None-Match": this.tag } : {};
      const answer = await fetch(this.place.dataset.live, { headers, redirect: "error" });
      if (answer.status === 200) {
        this.tag = answer.headers.get("ETag");
        this.show(await answer.text());
      } else if (answer.status !== 304) {
        throw new Error(String(answer.status));
      }
      this.failures = 0;
    } catch {
      this.failures += 1;
    }
    this.asking = false;
    const said = this.failures > 0 ? this.place.dataset.liveLost : "";
    if (this.lost.textContent !== said) {
      this.lost.textContent = said;
    }
    this.ended = this.over();
    if (!this.ended) {
      this.wait();
    }
  }

  show(html) {
    const fresh = document.createElement("div");
    fresh.append(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
    morphChildren(this.place, fresh);
    startTables(this.place);
    for (const table of this.place.querySelectorAll("table[data-sortable]")) {
      again(table);
    }
  }

  /** Whether nothing changes any more; what came of it may need the whole page. */
  over() {
    if (this.place.querySelector("[data-live-reload]")) {
      location.reload();
      return true;
    }
    if (this.place.querySelector("[data-live-over]")) {
      for (const element of document.querySelectorAll("[data-while-live]")) {
        element.hidden = true;
      }
      return true;
    }
    return false;
  }
}

export function start(root = document) {
  for (const place of root.querySelectorAll("[data-live]")) {
    const follower = new Follower(place);
    // The page itself says how things stood a moment ago; one that came back from the browser's memory may be old.
    if (!place.querySelector("[data-live-over]")) {
      follower.wait();
      document.addEventListener("visibilitychange", () => {
        if (document.visibilityState === "visible") {
          follower.ask();
        }
      });
    }
  }
}
