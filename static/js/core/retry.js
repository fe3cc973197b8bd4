// Pauses between tries, with a countdown that people can see.

const FIRST = 2;
const LONGEST = 60;

/** Seconds to wait before the next try: 2, 4, 8 … 60, or what the server asked for. */
export function pause(tries, retryAfter) {
  const asked = Number.parseInt(retryAfter ?? "", 10);
  const own = Math.min(LONGEST, FIRST * 2 ** (tries - 1));
  return Number.isFinite(asked) && asked > 0 ? Math.min(Math.max(asked, own), 5 * LONGEST) : own;
}

/** Count down; `tick` gets the seconds left, `done` is called once. Returns a function that stops it. */
export function countdown(left, tick, done, timers = globalThis) {
  let seconds = left;
  tick(seconds);
  const timer = timers.setInterval(() => {
    seconds -= 1;
    if (seconds <= 0) {
      timers.clearInterval(timer);
      done();
    } else {
      tick(seconds);
    }
  }, 1000);
  return () => timers.clearInterval(timer);
}

/** Statuses after which the same request may well succeed: the server is busy or away. */
export function isPassing(status) {
  return [408, 425, 429, 502, 503, 504].includes(status);
}
