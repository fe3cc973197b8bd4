// Sending an answer: once, again where the network or the server fails, then on to the next page.
//
// Every try carries the same submission number, to which the server answers with the first result. A page that
// says no (4xx) is shown by posting the form the ordinary way.

import { countdown, isPassing, pause } from "./retry.js";

const LONGEST_TRY = 20_000;
// A fault of the server may pass, as while it restarts; one that stays is shown as its page.
const TRIES_OF_FAULT = 3;
const WITH_NEXT_PAGE = "return=representation";

/**
 * The state machine, without a page.
 *
 * `post()` resolves to {status, next, html, retryAfter} or rejects where the network fails; `go(next, html)` leaves the
 * page for the address `next`, whose page is `html` if it came with the reply; `fallback()` posts the ordinary way;
 * `show(state, seconds)` tells the rater: sending, retry, retrying.
 */
export class Sender {
  constructor({ post, go, fallback, show, timers = globalThis }) {
    Object.assign(this, { post, go, fallback, show, timers });
    this.busy = false;
    this.tries = 0;
    this.stopWaiting = null;
  }

  /** Send, unless it is being sent already. Returns whether this call began it. */
  send() {
    if (this.busy) {
      return false;
    }
    this.busy = true;
    this.tries = 0;
    this.show("sending");
    this.attempt();
    return true;
  }

  /** Do not wait for the end of the pause. */
  now() {
    if (this.stopWaiting) {
      this.stopWaiting();
      this.stopWaiting = null;
      this.show("retrying");
      this.attempt();
    }
  }

  async attempt() {
    let reply;
    try {
      reply = await this.post();
    } catch {
      reply = { status: 0 };
    }
    if (reply.next) {
      this.go(reply.next, reply.html);
    } else if (reply.status === 0 || isPassing(reply.status) || (reply.status === 500 && this.tries < TRIES_OF_FAULT)) {
      this.tries += 1;
      this.stopWaiting = countdown(
        pause(this.tries, reply.retryAfter),
        (seconds) => this.show("retry", seconds),
        () => this.now(),
        this.timers,
      );
    } else {
      this.fallback();
    }
  }
}

/**
 * Post a form, and ask for the next page with the reply. A redirect means that the answer is stored, too; it is not
 * followed here, since the page it leads to would then be asked for twice, once by this script and once by the browser.
 */
export async function postForm(form) {
  const response = await fetch(form.action, {
    method: "POST",
    body: new URLSearchParams(new FormData(form)),
    headers: { Accept: "text/html", Prefer: WITH_NEXT_PAGE },
    credentials: "same-origin",
    redirect: "manual",
    signal: AbortSignal.timeout?.(LONGEST_TRY),
  });
  if (response.headers.get("Preference-Applied") === WITH_NEXT_PAGE) {
    return { status: response.status, next: response.headers.get("Content-Location"), html: await response.text() };
  }
  return {
    status: response.status,
    retryAfter: response.headers.get("Retry-After"),
    next: response.type === "opaqueredirect" ? form.dataset.nextUrl || form.action : undefined,
  };
}
