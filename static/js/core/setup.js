// The set-up of a study: says when it was last saved, and shows the preview anew after each change.
// Saving itself is htmx's, by the attributes of the form.

const SECOND = 1_000;
const MINUTE = 60;

// How long a page may take to arrive, in milliseconds.
const LONGEST_WAY = 10_000;

/** Say how long ago something was saved, in the words that the page brings along. */
export function saved(words, seconds) {
  if (seconds < 2) {
    return words.wordsNow;
  }
  const inMinutes = seconds >= MINUTE;
  const text = inMinutes ? words.wordsMinutes : words.wordsSeconds;
  return text.replace("#", String(Math.floor(inMinutes ? seconds / MINUTE : seconds)));
}

let savedAt = null;

/** Give a link of the preview the rest of what the preview shows: the task and unit, and the theme or language. */
export function kept(link, shown) {
  const url = new URL(link);
  for (const [name, value] of new URL(shown).searchParams) {
    if (!url.searchParams.has(name)) {
      url.searchParams.set(name, value);
    }
  }
  return url.href;
}

function tick() {
  const place = document.querySelector("[data-saved-at]");
  if (place && savedAt !== null) {
    place.textContent = saved(place.dataset, (Date.now() - savedAt) / SECOND);
  }
}

/** Mark the link of the page that the preview shows. */
export function markPage(href) {
  if (!href.startsWith("http")) {
    return;
  }
  const shown = new URL(href).searchParams.get("page") ?? "unit";
  for (const link of document.querySelectorAll("[data-page]")) {
    link.toggleAttribute("aria-current", link.dataset.page === shown);
    if (link.dataset.page === shown) {
      link.setAttribute("aria-current", "true");
    }
  }
}

/**
 * Show the preview anew after each change. While it goes to another page, going there again would take it back to the one
 * before, so it is shown anew once it has arrived.
 */
export class Preview {
  constructor(frame) {
    this.frame = frame;
    this.isLeaving = false;
    this.isOutdated = false;
    this.watch();
    frame.addEventListener("load", () => {
      this.watch();
      markPage(this.frame.contentWindow.location.href);
      this.arrived();
    });
  }

  watch() {
    this.frame.contentWindow.addEventListener("beforeunload", () => {
      this.isLeaving = true;
      // A download or a link that was refused never arrives.
      setTimeout(() => this.arrived(), LONGEST_WAY);
    });
  }

  arrived() {
    if (!this.isLeaving) {
      return;
    }
    this.isLeaving = false;
    if (this.isOutdated) {
      this.showAnew();
    }
  }

  /** Show another page of raters, such as that of the field that is being filled in; the rest stays as it is. */
  show(page) {
    const { location } = this.frame.contentWindow;
    if (location.protocol === "about:" || this.isLeaving) {
      return;
    }
    const url = new URL(location.href);
    if ((url.searchParams.get("page") ?? "unit") !== page) {
      url.searchParams.set("page", page);
      location.replace(url.href);
    }
  }

  showAnew() {
    this.isOutdated = this.isLeaving;
    if (!this.isLeaving) {
      const { location } = this.frame.contentWindow;
      // A frame that has not been loaded yet will show the change anyway. Not a reload, which would send an answer again.
      if (location.protocol !== "about:") {
        location.replace(location.href);
      }
    }
  }
}

/**
 * What is entered while an answer of the server is on its way: where that answer draws the fields anew, the entries and the
 * place of the cursor are put back, and saved by what saves every entry.
 */
export class Entries {
  constructor(form) {
    this.form = form;
    this.entered = new Map();
    this.cursor = null;
    form.addEventListener("input", ({ target }) => {
      if (target.id) {
        // The newest entry comes last; of radio buttons of one name, only the last one counts.
        this.entered.delete(target.id);
        if (target.type === "radio") {
          for (const other of form.querySelectorAll(`input[type="radio"][name="${CSS.escape(target.name)}"]`)) {
            this.entered.delete(other.id);
          }
        }
        this.entered.set(target.id, { value: target.value, checked: target.checked });
      }
    });
  }

  /** A request takes with it all that was entered so far. */
  sent() {
    this.entered.clear();
  }

  leave() {
    const { id, selectionStart, selectionEnd } = this.form.ownerDocument.activeElement ?? {};
    this.cursor = id ? { id, selectionStart, selectionEnd } : null;
  }

  restore() {
    const { ownerDocument } = this.form;
    const field = this.cursor ? ownerDocument.getElementById(this.cursor.id) : null;
    for (const [id, { value, checked }] of [...this.entered]) {
      const entry = ownerDocument.getElementById(id);
      if (entry && (entry.value !== value || entry.checked !== checked)) {
        entry.value = value;
        entry.checked = checked;
        entry.dispatchEvent(new Event("input", { bubbles: true }));
      }
    }
    if (field && field !== ownerDocument.activeElement) {
      field.focus({ preventScroll: true });
      if (typeof this.cursor.selectionStart === "number") {
        field.setSelectionRange(this.cursor.selectionStart, this.cursor.selectionEnd);
      }
    }
  }
}

/**
 * A button that is pressed while a save is on its way waits for the answer, which brings the revision and the key that it
 * posts. Once it is pressed nothing saves by itself any more: what was entered goes with the button.
 */
export class Presses {
  constructor(form) {
    this.form = form;
    this.isSaving = false;
    this.isLeaving = false;
    this.waiting = null;
    form.addEventListener("htmx:beforeRequest", (event) => {
      if (this.isLeaving) {
        event.preventDefault();
      }
    });
    form.addEventListener("htmx:beforeSend", () => {
      this.isSaving = true;
    });
    form.addEventListener("htmx:afterRequest", () => this.answered());
    form.addEventListener("submit", (event) => this.press(event));
  }

  press(event) {
    if (this.isSaving) {
      event.preventDefault();
      this.waiting = event.submitter?.value ?? "";
      return;
    }
    this.isLeaving = true;
    // A page that is not left after all saves by itself again.
    setTimeout(() => {
      this.isLeaving = false;
    }, LONGEST_WAY);
  }

  answered() {
    const { waiting } = this;
    this.isSaving = false;
    this.waiting = null;
    const button = [...this.form.querySelectorAll('button[name="do"]')].find(({ value }) => value === waiting);
    if (button) {
      this.form.requestSubmit(button);
    }
  }
}

for (const link of document.querySelectorAll('a[target="preview"]')) {
  const { href } = link;
  const address = new URL(href);
  if (!link.dataset.page) {
    // Where there are scripts, the page is the one that is shown.
    address.searchParams.delete("page");
  }
  link.addEventListener("click", () => {
    const shown = document.querySelector("[data-preview]")?.contentWindow?.location.href;
    link.href = shown?.startsWith("http") ? kept(address.href, shown) : href;
  });
}

if (document.querySelector("[data-setup]")) {
  const frame = document.querySelector("[data-preview]");
  const preview = frame ? new Preview(frame) : null;
  document.body.addEventListener("setup-saved", () => {
    savedAt = Date.now();
    preview?.showAnew();
  });
  const form = document.querySelector("[data-setup]");
  const entries = new Entries(form);
  new Presses(form);
  form.addEventListener("focusin", ({ target }) => {
    const field = target.closest("[data-seen-on]");
    if (field) {
      preview?.show(field.dataset.seenOn);
    }
  });
  form.addEventListener("htmx:beforeSend", () => entries.sent());
  document.body.addEventListener("htmx:oobBeforeSwap", () => entries.leave());
  document.body.addEventListener("htmx:oobAfterSwap", () => entries.restore());
  setInterval(tick, SECOND);
  document.querySelector("[data-unscripted]")?.setAttribute("hidden", "");
}
