// The page at work. The next texts may take its place within the same document (turn.js), which saves a request and a
// load. So whatever a script starts, it starts by onEveryPage, and it listens to the document and the window with
// `during()`, which ends what it hears together with the page.

const starts = [];
let page = new AbortController();

/** The options of a listener that hears the document, the window or a medium: until the page gives way to the next. */
export function during(options = {}) {
  return { ...options, signal: page.signal };
}

/** Call `end` when the page gives way to the next. */
export function atEnd(end) {
  page.signal.addEventListener("abort", end);
}

/** Start something on this page, and on every page that takes its place. */
export function onEveryPage(start) {
  starts.push(start);
  start();
}

/** End what this page hears, have `replace` put the next page in its place, and start everything on that. */
export function turn(replace) {
  // Whatever is noted when a page is left is noted now.
  globalThis.dispatchEvent(new Event("pagehide"));
  page.abort();
  page = new AbortController();
  replace();
  for (const start of starts) {
    start();
  }
}
