// A judging page: drafts, sending, clocks, keys and what is missing, put together.

import { announce } from "./announce.js";
import { answerOf, changedBefore, onPage, placesOf, restore, textsOf } from "./answer.js";
import * as breaks from "./break.js";
import { Drafts, isNewer } from "./draft.js";
import { Missing } from "./errors.js";
import * as keys from "./keys.js";
import * as landing from "./landing.js";
import * as logs from "./log.js";
import { during } from "./page.js";
import * as reading from "./reading.js";
import { SavedView, together } from "./saved.js";
import { SendingView } from "./sending.js";
import * as setTime from "./set_time.js";
import * as skipping from "./skipping.js";
import { digest, local, session } from "./store.js";
import { Sender, postForm } from "./submit.js";
import * as timer from "./timer.js";
import * as turning from "./turn.js";
import { word } from "./words.js";

const COPIES = "evalweb:draft:";
const PLACES = "evalweb:place:";
// Milliseconds after a page's coming in which nothing is sent.
const SETTLES = 500;
const COPY_LASTS = 14 * 24 * 60 * 60 * 1000;

function dropOldCopies() {
  for (const key of [...local.keys(COPIES), ...local.keys(PLACES)]) {
    const copy = local.read(key);
    if (!copy || !(Date.now() - copy.at < COPY_LASTS)) {
      local.remove(key);
    }
  }
}

function tokenOf(form, text) {
  return form.elements[onPage(text, "form_token")]?.value ?? "";
}

async function sendDraft(url, body, last) {
  const response = await fetch(url, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    credentials: "same-origin",
    keepalive: last,
  });
  const said = response.headers.get("Content-Type")?.startsWith("application/json") ? await response.json() : {};
  return { status: response.status, counter: said.counter, over: said.over, retryAfter: response.headers.get("Retry-After") };
}

/** Keep the draft of one text. `show` tells the rater how it stands, `key` names the copy on this device. */
function draftsOf(form, text, key, show) {
  const url = form.dataset.draftUrl;
  const counter = Number(text.dataset.draftCounter) || 0;
  const drafts = new Drafts({
    counter,
    read: () => answerOf(text),
    send: (body, { last }) => sendDraft(url, { form_token: tokenOf(form, text), ...body }, last),
    keep: (copy) => local.write(key, { ...copy, at: Date.now() }),
    forget: () => local.remove(key),
    show,
  });
  if (!url) {
    drafts.end();
  } else if (counter > 0) {
    show("saved");
  }
  const copy = local.read(key);
  if (isNewer(copy, counter)) {
    drafts.counter = Number(copy.counter);
    restore(text, copy.answer);
    announce(word("restored"));
    drafts.changed();
  } else if (copy) {
    local.remove(key);
  }
  for (const place of placesOf(text)) {
    if ([...place.querySelectorAll("input, select, textarea")].some(changedBefore)) {
      drafts.changed();
    }
    place.addEventListener("change", () => drafts.changed());
    place.addEventListener("input", (event) => event.target.tagName === "TEXTAREA" && drafts.changed());
  }
  document.addEventListener("visibilitychange", () => {
    drafts.flush({ last: document.visibilityState === "hidden" });
  }, during());
  globalThis.addEventListener("online", () => drafts.flush(), during());
  globalThis.addEventListener("pagehide", () => leave(form, text, drafts), during());
  return drafts;
}

/** Keep the drafts of all texts of a page, each by itself. Returns what ends them all. */
function startDrafts(form, keys) {
  const show = together(new SavedView(document.querySelector("[data-saved]")));
  const all = textsOf(form).map((text, place) => draftsOf(form, text, keys[place], show(place)));
  // Not before: a clock that has jumped makes every copy look old, this page's own too.
  dropOldCopies();
  return () => all.forEach((drafts) => drafts.end());
}

function leave(form, text, drafts) {
  if (drafts.unsent && !drafts.stopped) {
    const body = { form_token: tokenOf(form, text), counter: drafts.counter + 1, answer: drafts.read() };
    navigator.sendBeacon(form.dataset.draftUrl, new Blob([JSON.stringify(body)], { type: "application/json" }));
  }
}

function startClock(form, key) {
  const clock = new timer.Clock(() => performance.now(), session.read(key) ?? {});
  timer.attach(clock);
  globalThis.addEventListener("pagehide", () => form.isConnected && session.write(key, clock.read()), during());
  return clock;
}

/**
 * Return a function that says whether the page has stood long enough to be sent. What comes earlier is a second press
 * on the page before, and is not heard; after an answer on this page it is sent as soon as the time is over.
 */
function settling(form, button) {
  let answered = false;
  let waits = false;
  for (const name of ["change", "input"]) {
    form.addEventListener(name, () => {
      answered = true;
    });
  }
  button.dataset.settling = "";
  setTimeout(() => {
    delete button.dataset.settling;
    if (waits) {
      form.requestSubmit();
    }
  }, SETTLES);
  return () => {
    const settled = !("settling" in button.dataset);
    waits ||= answered && !settled;
    return settled;
  };
}

/** Write the times and the log into the form. `shown` are seconds since a text with a set time was shown, if it has one. */
function write(form, clock, log, shown) {
  const times = clock.read();
  for (const [name, value] of [
    ["seconds_active", timer.seconds(times.active)],
    ["seconds_elapsed", timer.seconds(times.elapsed)],
    ["log", String(log)],
    ["seconds_shown", shown === undefined ? "" : shown.toFixed(1)],
  ]) {
    if (form.elements[name]) {
      form.elements[name].value = value;
    }
  }
}

function startSending(form, endDrafts, clock, log, forget) {
  const button = document.querySelector("[data-send]");
  const missing = new Missing(form);
  const sender = new Sender({
    post: () => postForm(form),
    go: (next, html) => {
      forget();
      landing.leaving({ saved: true });
      let shown = false;
      try {
        shown = Boolean(html) && turning.show(html, next);
      } finally {
        // Also where a script breaks on the new page: it may run when the page is loaded.
        if (!shown) {
          location.assign(next);
        }
      }
    },
    fallback: () => HTMLFormElement.prototype.submit.call(form),
    show: (state, seconds) => view.show(state, seconds),
  });
  const view = new SendingView(form, button, () => sender.now());
  globalThis.addEventListener("online", () => sender.now(), during());
  const settled = settling(form, button);
  const send = () => {
    log.add("send");
    write(form, clock, log, shown());
    endDrafts();
    sender.send();
  };
  const shown = setTime.start(form, log, () => {
    if (!sender.busy) {
      form.elements.time_over.value = "true";
      send();
    }
  });
  // When the time for answering is over, a page can only be sent as it is.
  const isClosed = form.querySelector("[data-text] > [inert]") !== null;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (sender.busy || !settled() || !(isClosed || missing.check())) {
      return;
    }
    send();
  });
}

/** Start everything on a judging page. */
export function start(form) {
  const units = textsOf(form).map((text) => `${digest(location.pathname)}:${text.dataset.draftKey}`);
  const copies = units.map((unit) => COPIES + unit);
  const clockKey = `evalweb:clock:${units[0]}`;
  const clock = startClock(form, clockKey);
  const log = new logs.Log(() => performance.now(), units.length);
  skipping.start(form);
  const endDrafts = startDrafts(form, copies);
  let over = false;
  const forget = () => {
    over = true;
    copies.forEach((copy) => local.remove(copy));
    local.remove(PLACES + units[0]);
    session.remove(clockKey);
  };
  logs.attach(log, form);
  reading.start(form, PLACES + units[0]);
  startSending(form, endDrafts, clock, log, forget);
  keys.start(form);
  breaks.start(form, clock);
  for (const other of document.querySelectorAll("form[data-leave]")) {
    other.addEventListener("submit", () => {
      endDrafts();
      forget();
      landing.leaving({ saved: false });
    });
  }
  // Registered last, so that it has the last word over the clock's own note.
  globalThis.addEventListener("pagehide", () => over && forget(), during());
  globalThis.addEventListener("pageshow", (event) => event.persisted && location.reload(), during());
}
