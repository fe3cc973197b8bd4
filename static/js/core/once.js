// Ordinary forms are sent once, however often the button is pressed.

export function start(root = document) {
  for (const form of root.querySelectorAll("form[data-once]")) {
    form.addEventListener("submit", (event) => {
      // A button that downloads leaves the page as it is.
      if (event.submitter?.dataset.download !== undefined) {
        return;
      }
      if (form.dataset.sent) {
        event.preventDefault();
        return;
      }
      form.dataset.sent = "yes";
      for (const button of form.querySelectorAll("button")) {
        button.setAttribute("aria-disabled", "true");
      }
    });
  }
  // A page that comes back out of the browser's memory must not stay locked.
  globalThis.addEventListener("pageshow", (event) => {
    if (event.persisted) {
      for (const form of root.querySelectorAll("form[data-sent]")) {
        delete form.dataset.sent;
        for (const button of form.querySelectorAll("button")) {
          button.removeAttribute("aria-disabled");
        }
      }
    }
  });
}
