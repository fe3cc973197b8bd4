// A judging page: drafts, sending, clocks, keys and what is missing, put together.

import { announce } from "./announce.js";
import * as breaks from "./break.js";
import { Drafts, isNewer } from "./draft.js";
import { Missing } from "./errors.js";
import * as keys from "./keys.js";
import * as logs from "./log.js";
import { SavedView } from "./saved.js";
import { SendingView } from "./sending.js";
import { digest, local, session } from "./store.js";
import { Sender, postForm } from "./submit.js";
import * as timer from "./timer.js";
import { word } from "./words.js";

const COPIES = "evalweb:draft:";
// Milliseconds after a page's coming in which nothing is sent.
const SETTLES = 500;
const COPY_LASTS = 14 * 24 * 60 * 60 * 1000;

// Fields that are about the sending and not the answer.
const NOT_ANSWER = [
  "form_token",
  "submission",
  "replaces",
  "seconds_active",
  "seconds_elapsed",
  "log",
  "csrfmiddlewaretoken",
];

/** The answer as it stands: field -> value. Fields that are empty are left out. */
function answerOf(form) {
  const entries = [...new FormData(form)].filter(([name, value]) => !NOT_ANSWER.includes(name) && value !== "");
  return Object.fromEntries(entries);
}

/** Say whether a control holds something that an answer would name. */
function isFilled(control) {
  return control.type === "radio" || control.type === "checkbox" ? control.checked : control.value !== "";
}

/** Say whether a control was changed before the scripts came: its change has been heard by nobody. */
function changedBefore(control) {
  const { type } = control;
  if (type === "radio" || type === "checkbox") {
    return control.checked !== control.defaultChecked;
  }
  return type === "textarea" && control.value !== control.defaultValue;
}

/** Put an answer back into the form, and let everybody on the page know. What it does not name was empty. */
export function restore(form, answer) {
  for (const control of form.querySelectorAll("input, select, textarea")) {
    const { name } = control;
    if (!name || NOT_ANSWER.includes(name) || !(name in answer || isFilled(control))) {
      continue;
    }
    const value = String(answer[name] ?? "");
    const wasFilled = isFilled(control);
    if (control.type === "radio" || control.type === "checkbox") {
      control.checked = control.value === value;
    } else {
      control.value = value;
      if (value) {
        control.closest("details:not([data-cover])")?.setAttribute("open", "");
      }
    }
    if (control.type !== "radio" || control.checked || (wasFilled && !(name in answer))) {
      control.dispatchEvent(new Event("change", { bubbles: true }));
    }
  }
}

function dropOldCopies() {
  for (const key of local.keys(COPIES)) {
    const copy = local.read(key);
    if (!copy || !(Date.now() - copy.at < COPY_LASTS)) {
      local.remove(key);
    }
  }
}

async function sendDraft(form, url, body, last) {
  const text = JSON.stringify({ form_token: form.elements.form_token?.value ?? "", ...body });
  const response = await fetch(url, {
    method: "POST",
    body: text,
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    credentials: "same-origin",
    keepalive: last,
  });
  const said = response.headers.get("Content-Type")?.startsWith("application/json") ? await response.json() : {};
  return { status: response.status, counter: said.counter, retryAfter: response.headers.get("Retry-After") };
}

function startDrafts(form, key) {
  const url = form.dataset.draftUrl;
  const counter = Number(form.dataset.draftCounter) || 0;
  const view = new SavedView(document.querySelector("[data-saved]"));
  const drafts = new Drafts({
    counter,
    read: () => answerOf(form),
    send: (body, { last }) => sendDraft(form, url, body, last),
    keep: (copy) => local.write(key, { ...copy, at: Date.now() }),
    forget: () => local.remove(key),
    show: (state, seconds) => view.show(state, seconds),
  });
  if (!url) {
    drafts.end();
  } else if (counter > 0) {
    view.show("saved");
  }
  const copy = local.read(key);
  // Not before: a clock that has jumped makes every copy look old, this unit's own too.
  dropOldCopies();
  if (isNewer(copy, counter)) {
    drafts.counter = Number(copy.counter);
    restore(form, copy.answer);
    announce(word("restored"));
    drafts.changed();
  } else if (copy) {
    local.remove(key);
  }
  if ([...form.elements].some(changedBefore)) {
    drafts.changed();
  }
  form.addEventListener("change", () => drafts.changed());
  form.addEventListener("input", (event) => event.target.tagName === "TEXTAREA" && drafts.changed());
  document.addEventListener("visibilitychange", () => {
    drafts.flush({ last: document.visibilityState === "hidden" });
  });
  globalThis.addEventListener("online", () => drafts.flush());
  globalThis.addEventListener("pagehide", () => leave(form, url, drafts));
  return drafts;
}

function leave(form, url, drafts) {
  if (drafts.unsent && !drafts.stopped) {
    const body = { form_token: form.elements.form_token?.value ?? "", counter: drafts.counter + 1, answer: drafts.read() };
    navigator.sendBeacon(url, new Blob([JSON.stringify(body)], { type: "application/json" }));
  }
}

function startClock(form, key) {
  const clock = new timer.Clock(() => performance.now(), session.read(key) ?? {});
  timer.attach(clock);
  globalThis.addEventListener("pagehide", () => form.isConnected && session.write(key, clock.read()));
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

function startSending(form, drafts, clock, log, forget) {
  const button = document.querySelector("[data-send]");
  const missing = new Missing(form);
  const write = () => {
    const times = clock.read();
    for (const [name, value] of [
      ["seconds_active", timer.seconds(times.active)],
      ["seconds_elapsed", timer.seconds(times.elapsed)],
      ["log", String(log)],
    ]) {
      if (form.elements[name]) {
        form.elements[name].value = value;
      }
    }
  };
  const sender = new Sender({
    post: () => postForm(form),
    go: (next) => {
      forget();
      location.assign(next);
    },
    fallback: () => HTMLFormElement.prototype.submit.call(form),
    show: (state, seconds) => view.show(state, seconds),
  });
  const view = new SendingView(form, button, () => sender.now());
  globalThis.addEventListener("online", () => sender.now());
  const settled = settling(form, button);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (sender.busy || !settled() || !missing.check()) {
      return;
    }
    log.add("send");
    write();
    drafts.end();
    sender.send();
  });
}

/** Start everything on a judging page. */
export function start(form) {
  const unit = `${digest(location.pathname)}:${form.dataset.draftKey}`;
  const clockKey = `evalweb:clock:${unit}`;
  const clock = startClock(form, clockKey);
  const log = new logs.Log(() => performance.now());
  const drafts = startDrafts(form, COPIES + unit);
  let over = false;
  const forget = () => {
    over = true;
    local.remove(COPIES + unit);
    session.remove(clockKey);
  };
  logs.attach(log, form);
  startSending(form, drafts, clock, log, forget);
  keys.start(form);
  breaks.start(form, clock);
  for (const other of document.querySelectorAll("form[data-leave]")) {
    other.addEventListener("submit", () => {
      drafts.end();
      forget();
    });
  }
  // Registered last, so that it has the last word over the clock's own note.
  globalThis.addEventListener("pagehide", () => over && session.remove(clockKey));
  globalThis.addEventListener("pageshow", (event) => event.persisted && location.reload());
}
