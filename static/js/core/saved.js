// The saved state in the bar on top. The countdown is seen and not spoken; changes of state are spoken.

import { announce } from "./announce.js";
import { word } from "./words.js";

const SPOKEN = ["offline", "elsewhere", "over", "unsaved"];

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
    this.place.textContent = state === "offline" ? word("offline-wait", { seconds }) : word(state);
    const back = state === "saved" && SPOKEN.includes(before);
    if (state !== before && (SPOKEN.includes(state) || back)) {
      announce(word(state));
    }
  }
}
