// A content warning covers every text of a screen; who opens one has decided for all of them.

export function start(root = document) {
  const covers = [...root.querySelectorAll("details[data-cover]")];
  for (const cover of covers) {
    cover.addEventListener("toggle", () => {
      if (cover.open) {
        for (const other of covers) {
          other.open = true;
        }
      }
    });
  }
}
