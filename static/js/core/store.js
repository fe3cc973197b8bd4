// Storage that may be absent, full or refused (private windows, third-party frames): then nothing is remembered.

function guarded(area, work) {
  try {
    return work(globalThis[area]);
  } catch {
    return null;
  }
}

function over(area) {
  return {
    read(key) {
      const text = guarded(area, (storage) => storage.getItem(key));
      if (text === null) {
        return null;
      }
      try {
        return JSON.parse(text);
      } catch {
        return null;
      }
    },
    /** Returns whether it was kept. */
    write(key, value) {
      return guarded(area, (storage) => (storage.setItem(key, JSON.stringify(value)), true)) === true;
    },
    remove(key) {
      guarded(area, (storage) => storage.removeItem(key));
    },
    keys(prefix) {
      return guarded(area, (storage) => Object.keys(storage).filter((key) => key.startsWith(prefix))) ?? [];
    },
  };
}

/** What outlives the window. */
export const local = over("localStorage");

/** What ends with the window. */
export const session = over("sessionStorage");

/** A short digest of an address. Addresses of raters are credentials, which storage must not spell out. */
export function digest(text) {
  let high = 0x811c9dc5;
  let low = 0x01000193;
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x85ebca6b) + place;
  }
  return (high >>> 0).toString(36) + (low >>> 0).toString(36);
}

/** The part of an address that all pages of one rater in one study share: /r/<token>/. */
export function studyPath(path) {
  return path.split("/").slice(0, 3).join("/");
}
