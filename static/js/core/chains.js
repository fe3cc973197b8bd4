// Mentions of chains in texts: pointing at one, or going to its number, lights all mentions of its chain and connects
// those of one text by a line. A press keeps them lit, which is how a finger does it.

import { during } from "./page.js";

const SVG = "http://www.w3.org/2000/svg";

function make(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, value);
  }
  return element;
}

/** The place that an arrow leads to from `at` among `n`; null for other keys. */
export function placeAfter(key, at, n, rightToLeft) {
  const step = { ArrowRight: rightToLeft ? -1 : 1, ArrowLeft: rightToLeft ? 1 : -1 }[key];
  if (step !== undefined) {
    return Math.max(0, Math.min(at + step, n - 1));
  }
  return key === "Home" ? 0 : key === "End" ? n - 1 : null;
}

/** Connect the mentions that are lit in a text, along the foot of their lines, where no word is struck through. */
function drawLine(box, chain) {
  const numbers = [...box.querySelectorAll(`[data-chain="${chain}"][data-begins] > .mention-number`)];
  if (numbers.length < 2) {
    return;
  }
  const from = box.getBoundingClientRect();
  const places = numbers.map((number) => {
    const { left, width, top } = number.getBoundingClientRect();
    // Of the lines of a mention, the one that its number is in.
    const { bottom } = [...number.parentElement.getClientRects()].find((line) => line.bottom > top);
    return [left + width / 2 - from.left, bottom - from.top];
  });
  const corners = places.flatMap(([across, down], place) => {
    const before = places[place - 1];
    return before ? [[across, before[1]], [across, down]] : [[across, down]];
  });
  const line = make("svg", { class: `chain-line ${numbers[0].parentElement.classList[1]}`, "aria-hidden": "true" });
  line.append(make("polyline", { points: corners.join(" ") }));
  box.append(line);
}

class ChainsView {
  constructor(boxes) {
    this.boxes = boxes;
    this.numbers = boxes.flatMap((box) => [...box.querySelectorAll("[data-mention]")]);
    this.kept = null;
    this.lit = null;
    for (const box of boxes) {
      this.becomeButtons([...box.querySelectorAll("[data-mention]")]);
      box.addEventListener("keydown", (event) => this.onKey(event, box));
      box.addEventListener("pointerover", (event) => event.pointerType !== "touch" && this.point(event));
      box.addEventListener("pointerleave", () => this.light(this.kept));
      box.addEventListener("focusin", (event) => this.point(event));
      box.addEventListener("focusout", () => this.light(this.kept));
      box.addEventListener("click", (event) => this.press(event));
    }
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.keep(null), during());
    globalThis.addEventListener("resize", () => this.light(this.lit), during());
  }

  /** One stop of the Tab key for each text; arrows go on from there. */
  becomeButtons(numbers) {
    numbers.forEach((number, place) => {
      number.setAttribute("role", "button");
      number.setAttribute("aria-pressed", "false");
      number.tabIndex = place === 0 ? 0 : -1;
    });
  }

  chainOf(target) {
    return target.closest?.("[data-chain]")?.dataset.chain ?? null;
  }

  point(event) {
    this.light(this.chainOf(event.target) ?? this.kept);
  }

  press(event) {
    const chain = this.chainOf(event.target);
    // Words that were selected were not pressed.
    if (chain !== null && String(getSelection()) === "") {
      this.keep(chain === this.kept ? null : chain);
    }
  }

  keep(chain) {
    this.kept = chain;
    for (const number of this.numbers) {
      number.setAttribute("aria-pressed", String(this.chainOf(number) === chain));
    }
    this.light(chain);
  }

  light(chain) {
    this.lit = chain;
    for (const box of this.boxes) {
      for (const line of box.querySelectorAll(".chain-line")) {
        line.remove();
      }
      for (const mention of box.querySelectorAll("[data-chain]")) {
        mention.toggleAttribute("data-lit", mention.dataset.chain === chain);
      }
      if (chain !== null) {
        drawLine(box, chain);
      }
    }
  }

  onKey(event, box) {
    const number = event.target.closest?.("[data-mention]");
    if (!number || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    if (event.key === "Enter" || event.key === " ") {
      const chain = this.chainOf(number);
      this.keep(chain === this.kept ? null : chain);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const alike = this.numbers.filter((other) => this.chainOf(other) === this.chainOf(number));
      const step = event.key === "ArrowDown" ? 1 : alike.length - 1;
      this.goTo(alike[(alike.indexOf(number) + step) % alike.length]);
    } else {
      const inText = [...box.querySelectorAll("[data-mention]")];
      const rightToLeft = getComputedStyle(number).direction === "rtl";
      const place = placeAfter(event.key, inText.indexOf(number), inText.length, rightToLeft);
      if (place === null) {
        return;
      }
      this.goTo(inText[place]);
    }
    event.preventDefault();
    event.stopPropagation();
  }

  goTo(number) {
    for (const other of number.closest(".text-box").querySelectorAll("[data-mention]")) {
      other.tabIndex = other === number ? 0 : -1;
    }
    number.focus();
  }
}

export function start(root = document) {
  const boxes = [...root.querySelectorAll(".text-box")];
  // A text whose words can be marked has keys and a pointer of its own.
  const withChains = boxes.filter((box) => box.querySelector("[data-mention]") && !box.querySelector("[data-spans-text]"));
  if (withChains.length > 0) {
    new ChainsView(withChains);
  }
}
