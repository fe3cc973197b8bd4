// The saved state in the bar on top. The countdown is seen and not spoken; changes of state are spoken.

import { announce } from "./announce.js";
import { word } from "./words.js";

// Why nothing is drafted any more, the gravest first.
const OVER = ["over-stopped", "over-settled", "over-answered", "over-skipped"];
const SPOKEN = ["offline", "offline-here", "elsewhere", ...OVER, "unsaved"];

export class SavedView {
  constructor(place) {
    this.place = place;
    this.state = "";
  }

  show(state, seconds) {
    if (!this.place) {
      return;
    }
    const before = this.state;
    this.state = state;
    this.place.dataset.state = state;
    this.place.textContent = state.startsWith("offline") ? word(`${state}-wait`, { seconds }) : word(state);
    const back = state === "saved" && SPOKEN.includes(before);
    if (state !== before && (SPOKEN.includes(state) || back)) {
      announce(word(state));
    }
  }
}

// What a rater has to know of several drafts: the gravest first.
const GRAVEST = [...OVER, "unsaved", "elsewhere", "offline-here", "offline", "saving", "saved"];

/** Show the states of several drafts as one. Returns, for each of them by its place, what shows its state. */
export function together(view) {
  const states = new Map();
  return (place) => (state, seconds) => {
    states.set(place, { state, seconds });
    const said = [...states.values()];
    const one = GRAVEST.map((grave) => said.find((each) => each.state === grave)).find(Boolean);
    view.show(one.state, one.seconds);
  };
}
