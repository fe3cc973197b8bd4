// A part of a page that follows what happens on the server: asked for again while the page is looked at, and changed
// only where it differs, so that focus, scroll position, what is unfolded and how tables are sorted stay.

import { again, start as startTables } from "./sortable.js";

const EVERY = 5000;
const LONGEST = 60_000;

// A server that needs long for an answer is asked less often: this many times as long as it needed.
const REST = 20;

// How often at most what changes is read out to who listens: numbers may change with every answer.
const SAY_EVERY = 30_000;

/** Whether an answer says that this person may no longer see the page, or is signed out and sent to sign in. */
export function isGone(answer) {
  return answer.type === "opaqueredirect" || (answer.status >= 400 && answer.status < 500);
}

/** How long to wait after so many failures in a row, and an answer that took so long. */
export function pauseAfter(failures, took = 0) {
  return Math.min(Math.max(EVERY, REST * took) * 2 ** failures, LONGEST);
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

/** The children that say something: white space between elements is left where it is. */
function contentOf(node) {
  return [...node.childNodes].filter((child) => child.nodeType !== Node.TEXT_NODE || child.data.trim() !== "");
}

function alike(old, fresh) {
  return old.nodeType === fresh.nodeType && old.nodeName === fresh.nodeName;
}

/** Turn a node into another of its kind, touching only what differs. */
export function morph(old, fresh) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) {
      old.data = fresh.data;
    }
  } else if (old.nodeType === Node.ELEMENT_NODE) {
    changeAttributes(old, fresh);
    if (!old.hasAttribute("data-live-keep")) {
      morphChildren(old, fresh);
    }
  }
}

// Children with an id are found again wherever they stand, so that a notice that comes or goes above them moves them
// only for the eye: an element that is moved would lose the focus.
function morphChildren(old, fresh) {
  const wanted = contentOf(fresh);
  const ids = new Set(wanted.map((node) => node.id).filter(Boolean));
  const left = contentOf(old);
  const drop = () => left.shift().remove();
  for (const node of wanted) {
    const known = node.id && left.some((one) => one.id === node.id);
    while (known && left[0].id !== node.id) {
      drop();
    }
    const kept = left[0]?.id && ids.has(left[0].id);
    if (known || (left.length > 0 && !kept && alike(left[0], node))) {
      morph(left.shift(), node);
    } else {
      old.insertBefore(document.importNode(node, true), left[0] ?? null);
      if (left.length > 0 && !kept) {
        drop();
      }
    }
  }
  while (left.length > 0) {
    drop();
  }
}

class Follower {
  constructor(place) {
    this.place = place;
    this.tag = null;
    this.failures = 0;
    this.took = 0;
    this.timer = null;
    this.asking = false;
    this.ended = false;
    this.lost = document.createElement("p");
    this.lost.className = "ew-help";
    this.lost.setAttribute("role", "status");
    this.voice = document.createElement("p");
    this.voice.className = "ew-hidden";
    this.voice.setAttribute("role", "status");
    this.place.after(this.lost, this.voice);
    this.heard = this.sentence();
    this.saidAt = performance.now();
  }

  /** What is to be read out when it changes. */
  sentence() {
    return [...this.place.querySelectorAll("[data-live-say]")].map((one) => one.textContent.trim()).join(" ");
  }

  say() {
    const sentence = this.sentence();
    if (sentence !== this.heard && performance.now() - this.saidAt >= SAY_EVERY) {
      this.voice.textContent = sentence;
      this.heard = sentence;
      this.saidAt = performance.now();
    }
  }

  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), pauseAfter(this.failures, this.took));
  }

  async ask() {
    clearTimeout(this.timer);
    if (this.asking || this.ended || document.visibilityState === "hidden") {
      return; // until somebody looks again
    }
    this.asking = true;
    const began = performance.now();
    let gone = false;
    try {
      const headers = this.tag ? { "If-None-Match": this.tag } : {};
      const answer = await fetch(this.place.dataset.live, { headers, redirect: "manual" });
      gone = isGone(answer);
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
    this.took = performance.now() - began;
    this.asking = false;
    const said = this.failures > 0 ? this.place.dataset[gone ? "liveGone" : "liveLost"] : "";
    if (this.lost.textContent !== said) {
      this.lost.textContent = said;
    }
    this.say();
    this.ended = this.over();
    if (!this.ended) {
      this.wait();
    }
  }

  show(html) {
    morphChildren(this.place, new DOMParser().parseFromString(html, "text/html").body);
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
    place.dataset.liveOn = "";
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
