// Dragging the rows of a ranking: with the mouse by the whole row, with a finger by its grip, so that the page can
// still be scrolled by the rest. Near the edges of the window the page scrolls along.

import { during } from "../../core/page.js";
import { aim, drop } from "./order.js";

const THRESHOLD = 4; // pixels a mouse may tremble before it drags
const EDGE = 96; // where scrolling begins, from the edge of the window: the bars and a row
const FASTEST = 14; // pixels a frame

/** How many pixels to scroll in a frame with the pointer at y: up or down near the edges, the faster the nearer. */
export function scrollAt(y, height) {
  const into = y < EDGE ? y - EDGE : y > height - EDGE ? y - height + EDGE : 0;
  return Math.round((Math.max(-EDGE, Math.min(EDGE, into)) / EDGE) * FASTEST);
}

class Drag {
  constructor(owner, row, event) {
    Object.assign(this, { owner, row, text: owner.rows.indexOf(row) });
    this.start = event.clientY + scrollY;
    this.y = event.clientY;
    this.id = event.pointerId;
    this.going = false;
  }

  begin() {
    this.going = true;
    this.owner.list.dataset.dragging = "";
    this.owner.marks.pool.hidden = false;
    this.row.dataset.dragged = "";
    this.frame = requestAnimationFrame(() => this.follow());
  }

  /** Once a frame: scroll where the pointer is at an edge, and show where the row would go. */
  follow() {
    const by = scrollAt(this.y, innerHeight);
    if (by !== 0) {
      scrollBy(0, by);
    }
    this.row.style.setProperty("--shift", `${this.y + scrollY - this.start}px`);
    this.show(this.goal());
    this.frame = requestAnimationFrame(() => this.follow());
  }

  goal() {
    const { rows, marks, ties } = this.owner;
    const boxes = [];
    for (const row of this.owner.list.querySelectorAll("[data-placed]")) {
      if (row !== this.row) {
        const { top, bottom } = row.getBoundingClientRect();
        boxes.push({ text: rows.indexOf(row), top, bottom });
      }
    }
    return aim(this.y, boxes, marks.pool.getBoundingClientRect().top, ties);
  }

  show(goal) {
    const { rows, marks } = this.owner;
    for (const row of rows) {
      delete row.dataset.drop;
    }
    marks.free.toggleAttribute("data-drop", Boolean(goal?.end));
    marks.pool.toggleAttribute("data-drop", Boolean(goal?.out));
    marks.worst.toggleAttribute("data-drop", Boolean(goal?.end && marks.free.hidden));
    if (goal?.where) {
      rows[goal.target].dataset.drop = goal.where;
    }
  }

  end(dropped) {
    cancelAnimationFrame(this.frame);
    if (!this.going) {
      if (dropped) {
        this.owner.tap(this.text);
      }
      return;
    }
    const goal = this.goal();
    this.show(null);
    delete this.owner.list.dataset.dragging;
    delete this.row.dataset.dragged;
    this.row.style.removeProperty("--shift");
    if (dropped) {
      this.owner.become(drop(this.owner.before, this.text, goal, this.owner.ties), this.text);
    } else {
      this.owner.render();
    }
  }
}

/** Let the rows of a list be dragged. */
export function dragging(owner) {
  let drag = null;
  const finish = (dropped) => {
    drag?.end(dropped);
    drag = null;
  };
  owner.list.addEventListener("pointerdown", (event) => {
    const row = event.target.closest("[data-row]");
    const grip = event.target.closest("[data-grip]");
    if (drag || !row || event.button !== 0 || event.target.closest("input, button, summary, a, audio, video") || !(grip || event.pointerType === "mouse")) {
      return;
    }
    drag = new Drag(owner, row, event);
    owner.list.setPointerCapture(event.pointerId);
  });
  owner.list.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.id) {
      return;
    }
    drag.y = event.clientY;
    if (!drag.going && Math.abs(event.clientY + scrollY - drag.start) > THRESHOLD) {
      drag.begin();
    }
  });
  owner.list.addEventListener("pointerup", (event) => drag?.id === event.pointerId && finish(true));
  owner.list.addEventListener("pointercancel", () => finish(false));
  // A finger that drags must not select or scroll, and a drag that is over must not press what lies under it.
  owner.list.addEventListener("touchmove", (event) => drag?.going && event.preventDefault(), { passive: false });
  document.addEventListener("keydown", (event) => event.key === "Escape" && drag && finish(false), during());
}
