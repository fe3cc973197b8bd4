// What the rater sees of the sending: the button at work, and a notice while the server cannot be reached.

import { announce } from "./announce.js";
import { word } from "./words.js";

/** Shows the states of a Sender. `retryNow` is called by the button in the notice. */
export class SendingView {
  constructor(form, button, retryNow) {
    this.form = form;
    this.button = button;
    this.retryNow = retryNow;
    this.label = button.textContent;
    this.notice = null;
  }

  show(state, seconds) {
    if (state === "sending") {
      // Not disabled: that would throw the focus to the top of the page.
      this.button.setAttribute("aria-disabled", "true");
      this.button.textContent = word("sending");
      this.form.inert = true;
      announce(word("sending"));
    } else if (state === "retry") {
      const first = !this.notice;
      this.notice ??= this.build();
      this.notice.hidden = false;
      this.sentence.textContent = word("retry", { seconds });
      if (first) {
        announce(word("retry", { seconds }));
      }
    } else {
      this.sentence.textContent = word("retrying");
    }
  }

  build() {
    const notice = document.createElement("div");
    notice.className = "notice notice-warn foot-notice actions";
    this.sentence = document.createElement("p");
    const again = document.createElement("button");
    again.type = "button";
    again.className = "button";
    again.textContent = word("retry-now");
    again.addEventListener("click", () => this.retryNow());
    notice.append(this.sentence, again);
    this.button.closest(".foot").prepend(notice);
    return notice;
  }
}
