// What was changed between two texts, word by word.

// Where more words differ than this, the whole is one change: comparing on would take too long and tell nobody much.
const MOST_STEPS = 800;

const TOKENS = /[\p{L}\p{N}\p{M}'’]+|\s+|[^\p{L}\p{N}\p{M}\s]/gu;

/** Words, spaces and signs of a text; where the script sets no spaces, words as the browser knows them. */
export function tokens(text, language) {
  if (globalThis.Intl?.Segmenter) {
    let segmenter;
    try {
      segmenter = new Intl.Segmenter(language || undefined, { granularity: "word" });
    } catch {
      // The study names a language that browsers do not know.
      segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
    }
    return [...segmenter.segment(text)].map((one) => one.segment);
  }
  return text.match(TOKENS) ?? [];
}

/** The shortest way from one list to another (Myers 1986): [kind, token] with kind "same", "gone" or "new". */
function shortest(before, after) {
  const [n, m] = [before.length, after.length];
  const most = Math.min(n + m, MOST_STEPS);
  const reach = new Int32Array(2 * most + 3);
  const trail = [];
  for (let d = 0; d <= most; d += 1) {
    trail.push(reach.slice());
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && reach[most + k] < reach[most + k + 2]);
      let x = down ? reach[most + k + 2] : reach[most + k] + 1;
      let y = x - k;
      while (x < n && y < m && before[x] === after[y]) {
        x += 1;
        y += 1;
      }
      reach[most + k + 1] = x;
      if (x >= n && y >= m) {
        return walkBack(before, after, trail, most);
      }
    }
  }
  return [...before.map((token) => ["gone", token]), ...after.map((token) => ["new", token])];
}

function walkBack(before, after, trail, most) {
  const steps = [];
  let [x, y] = [before.length, after.length];
  for (let d = trail.length - 1; d >= 0; d -= 1) {
    const reach = trail[d];
    const k = x - y;
    const down = k === -d || (k !== d && reach[most + k] < reach[most + k + 2]);
    const from = down ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : reach[most + from + 1];
    const fromY = d === 0 ? 0 : fromX - from;
    while (x > fromX && y > fromY) {
      x -= 1;
      y -= 1;
      steps.push(["same", before[x]]);
    }
    if (d > 0) {
      steps.push(down ? ["new", after[fromY]] : ["gone", before[fromX]]);
    }
    [x, y] = [fromX, fromY];
  }
  return steps.reverse();
}

/** A space between two changes belongs to them, so that words are not torn to pieces. */
function joined(steps) {
  const wide = [];
  steps.forEach(([kind, token], place) => {
    const between = steps[place - 1]?.[0] !== "same" && steps[place + 1]?.[0] !== "same";
    if (kind === "same" && place > 0 && place < steps.length - 1 && between && token.trim() === "") {
      wide.push(["gone", token], ["new", token]);
    } else {
      wide.push([kind, token]);
    }
  });
  return wide;
}

/** What became of a text: runs {kind, text}, each change with what is gone before what is new. */
export function changes(before, after, language) {
  const [old, now] = [tokens(before, language), tokens(after, language)];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) {
    head += 1;
  }
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) {
    tail += 1;
  }
  const middle = joined(shortest(old.slice(head, old.length - tail), now.slice(head, now.length - tail)));
  const runs = [{ kind: "same", text: old.slice(0, head).join("") }];
  let gone = "";
  let added = "";
  const close = () => {
    runs.push({ kind: "gone", text: gone }, { kind: "new", text: added });
    gone = added = "";
  };
  for (const [kind, token] of middle) {
    if (kind === "same") {
      close();
      runs.push({ kind, text: token });
    } else if (kind === "gone") {
      gone += token;
    } else {
      added += token;
    }
  }
  close();
  runs.push({ kind: "same", text: old.slice(old.length - tail).join("") });
  return merged(runs.filter((run) => run.text !== ""));
}

function merged(runs) {
  const found = [];
  for (const run of runs) {
    const last = found.at(-1);
    if (last?.kind === run.kind) {
      last.text += run.text;
    } else {
      found.push({ ...run });
    }
  }
  return found;
}

/** How many words are in the runs of a kind. */
export function wordsIn(runs, kind, language) {
  const of = runs.filter((run) => run.kind === kind).flatMap((run) => tokens(run.text, language));
  return of.filter((token) => /[\p{L}\p{N}]/u.test(token)).length;
}
