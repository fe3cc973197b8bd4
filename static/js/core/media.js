// Pictures, sounds and films beside a text: a larger view in a dialog, and a note in the log of what was played.
//
// The log hears it as the event "evalweb:log" on the document, so that a page without one loses nothing.

import { build } from "./dialog.js";
import { atEnd, during } from "./page.js";

// A pull along the time line is one jump, however many places it passes.
const PULL = 400;

/** A place in a sound or film, in seconds, as it stands in the log. */
export function place(seconds) {
  return (Math.round(seconds * 10) / 10).toFixed(1);
}

/** What was heard or seen, from a TimeRanges: "0.0-3.2 5.0-6.1". */
export function ranges(played) {
  const all = Array.from({ length: played.length }, (_one, n) => `${place(played.start(n))}-${place(played.end(n))}`);
  return all.join(" ");
}

/** The name of something in the log: of several texts on a page, the name says in which one it is. */
function named(element, name) {
  return `${element.closest?.("[data-text]")?.dataset.text ?? ""}${name}`;
}

function note(what, field, value) {
  document.dispatchEvent(new CustomEvent("evalweb:log", { detail: { what, field, value } }));
}

/** Note what happens to a player: play, pause, seek and ended, each with the place where it was. */
export class Player {
  constructor(media, say = note, timers = globalThis) {
    this.media = media;
    this.id = named(media, media.dataset.media);
    this.say = say;
    this.timers = timers;
    this.waiting = null;
    this.told = "";
    for (const what of ["play", "pause", "ended"]) {
      media.addEventListener(what, () => this.add(what), during());
    }
    media.addEventListener("seeked", () => this.seeked(), during());
    media.addEventListener("error", () => this.broken(), during());
    // A sound that the page takes with it stops, which belongs in no log: not in that of the next text.
    atEnd(() => timers.clearTimeout(this.waiting));
    if (media.error) {
      this.broken();
    }
  }

  add(what) {
    this.flush();
    this.say(what, this.id, place(this.media.currentTime));
  }

  seeked() {
    this.timers.clearTimeout(this.waiting);
    this.waiting = this.timers.setTimeout(() => this.flush(), PULL);
  }

  /** Note a jump that has come to rest. */
  flush() {
    if (this.waiting !== null) {
      this.timers.clearTimeout(this.waiting);
      this.waiting = null;
      this.say("seek", this.id, place(this.media.currentTime));
    }
  }

  /** Note which parts were played at all; once for each state of affairs. */
  sum() {
    this.flush();
    const heard = ranges(this.media.played);
    if (heard && heard !== this.told) {
      this.told = heard;
      this.say("played", this.id, heard);
    }
  }

  broken() {
    const sentence = this.media.closest(".media")?.querySelector("[data-media-error]");
    if (sentence) {
      sentence.hidden = false;
    }
    this.say("media-error", this.id, this.media.error?.code ?? "");
  }
}

function dialogOf(link) {
  const picture = link.querySelector("img");
  const large = document.createElement("img");
  large.src = link.href;
  large.alt = picture.alt;
  // What is larger than the screen scrolls, also with the keyboard.
  const box = document.createElement("div");
  box.className = "scroll";
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", picture.alt);
  box.append(large);
  const dialog = build(`media-${named(link, link.dataset.zoom)}`, link.dataset.heading, [box]);
  dialog.classList.add("media-dialog");
  document.querySelector("main").append(dialog);
  return dialog;
}

function startZoom(link) {
  let dialog = null;
  link.setAttribute("role", "button");
  link.setAttribute("aria-haspopup", "dialog");
  link.removeAttribute("target");
  link.addEventListener("click", (event) => {
    event.preventDefault();
    dialog ??= dialogOf(link);
    dialog.showModal();
    note("zoom", named(link, link.dataset.zoom), "");
  });
  link.addEventListener("keydown", (event) => {
    if (event.key === " ") {
      event.preventDefault();
      link.click();
    }
  });
}

export function start(root = document) {
  const players = [...root.querySelectorAll("[data-media]")].map((media) => new Player(media));
  for (const link of root.querySelectorAll("a[data-zoom]")) {
    startZoom(link);
  }
  // One sound at a time.
  document.addEventListener(
    "play",
    (event) => {
      for (const { media } of players) {
        if (media !== event.target) {
          media.pause();
        }
      }
    },
    during({ capture: true }),
  );
  // Before the page's own listener, which writes the log into the form.
  document.addEventListener("submit", () => players.forEach((player) => player.sum()), during({ capture: true }));
}
