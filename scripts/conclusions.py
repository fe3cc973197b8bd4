"""Draw docs/img/which-conclusion.svg: the questions that decide which conclusion a comparison of systems allows.

    .venv/bin/python scripts/conclusions.py

Questions stand one below the other; the answer beside the arrow leads to the conclusion on the right.
"""

import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "img" / "which-conclusion.svg"

WIDTH, MARGIN, PAD, LINE, GAP = 760, 16, 12, 18, 34
QUESTION, CONCLUSION, ARROW = 300, 340, 88
# The widths of a letter, and of a bold one, in pixels.
LETTER, BOLD = 7.3, 8.4


@dataclass(frozen=True, slots=True)
class Step:
    """A question, the answer that ends the way, the conclusion then allowed, and the test behind it."""

    question: str
    ends_with: str
    conclusion: str
    test: str


STEPS = (
    Step(
        "Did raters judge at least two texts of each system?",
        "no",
        "No conclusion beyond these texts",
        "Describe the ratings. No test helps.",
    ),
    Step(
        "Did at least two raters judge?",
        "no",
        "Further texts, by this rater",
        "Interval and sign-flip test over texts. Say that one person judged.",
    ),
    Step(
        "Is the claim about readers in general, and not only about these raters?",
        "no",
        "Further texts, by these raters",
        "Interval over texts, sign-flip test, Wilcoxon, rank sums. Say “by these raters” in the paper.",
    ),
    Step(
        "Did each rater judge texts of several systems?",
        "no",
        "Further texts and raters, with little power",
        "Mixed model. Raters and systems change together, so only many raters of each system help.",
    ),
    Step(
        "Were there eight raters or more?",
        "no",
        "Further texts and raters, with few raters",
        "Mixed model. Expect wide intervals: more raters help more than more texts.",
    ),
)
LAST = ("Further texts and further raters", "Mixed model with raters and texts random: the default.")


def main() -> None:
    """Write the picture."""
    PICTURE.write_text(drawn(), encoding="utf-8")
    sys.stdout.write(f"{PICTURE.relative_to(ROOT)}\n")


def drawn() -> str:
    """Return the picture as SVG."""
    body: list[str] = []
    top = MARGIN
    right = MARGIN + QUESTION + ARROW
    for step in STEPS:
        question = _wrapped(step.question, QUESTION)
        conclusion = _wrapped(step.conclusion, CONCLUSION, BOLD)
        lines = [*conclusion, *_wrapped(step.test, CONCLUSION)]
        height = 2 * PAD + LINE * max(len(question), len(lines))
        body += _box(MARGIN, top, QUESTION, height, question, bold=0, kind="question")
        body += _box(
            right, top, CONCLUSION, height, lines, bold=len(_wrapped(step.conclusion, CONCLUSION, BOLD)), kind="end"
        )
        body += _arrow(MARGIN + QUESTION, top + height // 2, right, top + height // 2, step.ends_with)
        onward = "yes" if step.ends_with == "no" else "no"
        body += _arrow(MARGIN + QUESTION // 2, top + height, MARGIN + QUESTION // 2, top + height + GAP, onward)
        top += height + GAP
    lines = [*_wrapped(LAST[0], QUESTION, BOLD), *_wrapped(LAST[1], QUESTION)]
    height = 2 * PAD + LINE * len(lines)
    body += _box(MARGIN, top, QUESTION, height, lines, bold=len(_wrapped(LAST[0], QUESTION, BOLD)), kind="end")
    return _FRAME.format(width=WIDTH, height=top + height + MARGIN, body="\n".join(body))


def _wrapped(words: str, width: int, letter: float = LETTER) -> list[str]:
    return textwrap.wrap(words, int((width - 2 * PAD) / letter))


def _box(left: int, top: int, width: int, height: int, lines: list[str], *, bold: int, kind: str) -> Iterator[str]:
    yield f'<rect class="{kind}" x="{left}" y="{top}" width="{width}" height="{height}" rx="6"/>'
    first = top + (height - LINE * len(lines)) // 2 + 14
    for number, line in enumerate(lines):
        weight = ' class="strong"' if number < bold else ""
        yield f'<text x="{left + PAD}" y="{first + number * LINE}"{weight}>{escape(line)}</text>'


def _arrow(x1: int, y1: int, x2: int, y2: int, word: str) -> Iterator[str]:
    """Yield a line with a head, and a word beside it."""
    yield f'<path class="way" d="M{x1} {y1} L{x2} {y2}"/>'
    if y1 == y2:
        yield f'<path class="head" d="M{x2} {y2} l-8 -5 v10 z"/>'
        yield f'<text class="word" x="{(x1 + x2) // 2 - 12}" y="{y1 - 6}">{word}</text>'
    else:
        yield f'<path class="head" d="M{x2} {y2} l-5 -8 h10 z"/>'
        yield f'<text class="word" x="{x1 + 8}" y="{(y1 + y2) // 2 + 4}">{word}</text>'


_FRAME = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" \
aria-label="Which conclusion does a comparison allow?">
<style>
text {{ font: 14px system-ui, sans-serif; fill: #222 }}
.strong {{ font-weight: 600 }}
.word {{ font-weight: 600; fill: #1f5fae }}
rect {{ fill: #fff; stroke: #8a949e }}
.question {{ fill: #f4f6f8 }}
.way {{ stroke: #5b6670; stroke-width: 1.5; fill: none }}
.head {{ fill: #5b6670 }}
</style>
<rect width="{width}" height="{height}" style="fill: #fff; stroke: none"/>
{body}
</svg>
"""


if __name__ == "__main__":
    main()
