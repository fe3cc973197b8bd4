// Tables that can be sorted by their heads. Without this script they stand in the order the server chose.

/** What a cell is sorted by: the number or text the server gave, else what it shows. Undefined is null. */
function keyOf(cell) {
  if (!cell) {
    return null;
  }
  const given = cell.dataset.sort ?? cell.textContent.trim();
  if (given === "" || given === "–") {
    return null;
  }
  const number = Number(given);
  return Number.isNaN(number) ? given : number;
}

/** Compare two keys; undefined ones come last, whichever way it is sorted. */
export function compare(one, other, down) {
  if (one === null || other === null) {
    return one === other ? 0 : one === null ? 1 : -1;
  }
  const order =
    typeof one === "number" && typeof other === "number"
      ? one - other
      : String(one).localeCompare(String(other), document.documentElement.lang || undefined, { numeric: true });
  return down ? -order : order;
}

/** Sort the rows of a table by a column, once more in the other direction where it was sorted so. */
export function sort(table, place, down) {
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row, index) => ({ row, index, key: keyOf(row.cells[place]) }));
  rows.sort((one, other) => compare(one.key, other.key, down) || one.index - other.index);
  const wanted = rows.map((one) => one.row);
  if (wanted.some((row, index) => body.rows[index] !== row)) {
    body.append(...wanted);
  }
}

function press(table, head) {
  const heads = [...head.parentElement.cells];
  const place = heads.indexOf(head);
  // Numbers are first sorted downwards: the highest is what one looks for.
  const first = head.classList.contains("ew-number") ? "descending" : "ascending";
  const other = first === "ascending" ? "descending" : "ascending";
  const direction = head.getAttribute("aria-sort") === first ? other : first;
  for (const one of heads) {
    one.removeAttribute("aria-sort");
  }
  head.setAttribute("aria-sort", direction);
  sort(table, place, direction === "descending");
}

function enhance(table) {
  for (const head of table.tHead.rows[0].cells) {
    if (head.textContent.trim() === "" || head.hasAttribute("data-unsorted")) {
      continue;
    }
    const button = document.createElement("button");
    button.type = "button";
    button.className = "ew-sort";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => press(table, head));
  }
}

/** Sort a table again after its rows were changed. */
export function again(table) {
  const head = table.tHead?.querySelector("[aria-sort]");
  if (head) {
    sort(table, [...head.parentElement.cells].indexOf(head), head.getAttribute("aria-sort") === "descending");
  }
}

/** Start the tables that have not been started yet. */
export function start(root = document) {
  for (const table of root.querySelectorAll("table[data-sortable]:not([data-sortable='ready'])")) {
    if (table.tHead && table.tBodies.length > 0 && table.tBodies[0].rows.length > 1) {
      table.dataset.sortable = "ready";
      enhance(table);
    }
  }
}
