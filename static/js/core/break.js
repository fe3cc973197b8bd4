// The reminder of a break. It counts active time since the last one, over all units of this window; the clocks of
// the unit stand still while the break lasts.

import { announce } from "./announce.js";
import { atEnd, during } from "./page.js";
import { digest, session, studyPath } from "./store.js";

const LOOK_EVERY = 15_000;

/** Say whether to remind: the time is up, or the server says so and nobody has just said "not now". */
export function isDue(worked, after, serverSays, dismissed) {
  return worked >= after || (serverSays && !dismissed);
}

/** Watch the time. `clock` is the clock of the unit. */
export function start(form, clock) {
  const notice = form.querySelector("[data-break]");
  const dialog = document.getElementById("break");
  if (!notice || !dialog) {
    return;
  }
  const key = `evalweb:break:${digest(studyPath(location.pathname))}`;
  const kept = session.read(key) ?? { worked: 0, dismissed: false };
  const after = Number(form.dataset.breakAfter) * 60_000;
  const serverSays = !notice.hidden;
  let offset = clock.read().active;
  const worked = () => kept.worked + clock.read().active - offset;

  const look = () => {
    const due = isDue(worked(), after, serverSays, kept.dismissed);
    if (due && notice.hidden) {
      announce(notice.querySelector(".notice-title").textContent);
    }
    notice.hidden = !due;
  };
  const dismiss = () => {
    kept.worked = 0;
    kept.dismissed = true;
    offset = clock.read().active;
    session.write(key, kept);
    notice.hidden = true;
  };

  for (const button of notice.querySelectorAll("button")) {
    button.hidden = false;
  }
  notice.querySelector("[data-break-later]").addEventListener("click", dismiss);
  notice.querySelector("[data-break-take]").addEventListener("click", () => clock.pause(true));
  dialog.addEventListener("close", () => {
    clock.pause(false);
    dismiss();
  });
  globalThis.addEventListener("pagehide", () => session.write(key, { ...kept, worked: worked() }), during());
  look();
  const timer = setInterval(look, LOOK_EVERY);
  atEnd(() => clearInterval(timer));
}
