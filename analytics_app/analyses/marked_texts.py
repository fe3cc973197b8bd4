"""Places of marked errors in texts: the texts with most marks, a few of each system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Analysis, Rows, Sample, Words
from analytics_app.analyses.error_spans.looks import errors_of, marks_of, severities_of, with_looks
from analytics_app.analyses.registry import register
from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import Material, value_of
from analytics_app.charts.strips import strips_chart
from analytics_app.ratings import Extra, Mask, Table
from analytics_app.ratings.extras.shown import Shown
from analytics_app.ratings.extras.spans import SIDES, Spans
from analytics_app.results import Row
from tasks_app.task_types.base import Scale
from tasks_app.task_types.error_spans.marks import MISSING

# Stretches of marked errors in the texts of each system with most marks.

# Limits of the texts that are shown: texts of one system, of all systems, and code points of a text, which pages show
# in full.
TEXTS_OF_A_SYSTEM, MOST_TEXTS, LONGEST = 3, 18, 1500

OUTPUT = SIDES.index("output")


@dataclass(frozen=True, slots=True)
class Placed:
    """Marks with a place in an output: part, rater, start, end and severity.

    `severity` is the place of a severity from minor to major, -1 for none.
    """

    part: NDArray[np.int64]
    rater: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    severity: NDArray[np.int64]

    def where(self, mask: Mask) -> Placed:
        """Return the marks in a mask."""
        return Placed(**{column.name: getattr(self, column.name)[mask] for column in fields(self)})


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a text that the same raters marked throughout, perhaps none of them.

    `text` numbers the chosen texts from 1. `n_raters` of those who saw the text marked the stretch, `n_looked` saw it.
    `severities` counts raters by severity, from minor to major.
    """

    text: int
    system: str
    item: str
    start: int
    end: int
    words: str
    n_raters: int
    n_looked: int
    severities: dict[str, int]


@dataclass(frozen=True, slots=True)
class Marked:
    """The stretches of the chosen texts, the number of texts with marks, and the number too long to be shown."""

    stretches: list[Stretch]
    n_texts: int
    n_too_long: int


def marked(sample: Sample) -> Marked:
    """Return the stretches of the texts with most marks; the stretches of a text together are the whole text."""
    looks, placed = _placed(sample)
    texts = sample.extras[Shown].of_part
    n_marks = np.bincount(placed.part, minlength=len(texts))
    too_long = (n_marks > 0) & (np.array([len(text) for text in texts]) > LONGEST)
    chosen = _chosen(np.where(too_long, 0, n_marks), looks)
    stretches = [
        stretch for number, at in enumerate(chosen, start=1) for stretch in _of_text(number, at, sample, looks, placed)
    ]
    return Marked(stretches, int(np.count_nonzero(n_marks)), int(np.count_nonzero(too_long)))


def _of_text(number: int, at: int, sample: Sample, looks: Table, placed: Placed) -> Iterator[Stretch]:
    """Yield the stretches of an output; `at` is its place in `names.shown_part`."""
    names, part = looks.names, int(looks.names.shown_part[at])
    text, marks = sample.extras[Shown].of_part[part], placed.where(placed.part == part)
    n_looked = len(np.unique(looks.rater[looks.part == part]))
    _place, severities = severities_of(sample)
    for start, end in pairwise(_borders(text, marks)):
        inside = marks.where((marks.start <= start) & (marks.end >= end))
        yield Stretch(
            text=number,
            system=names.systems[names.shown_system[at]],
            item=names.items[names.shown_item[at]],
            start=start,
            end=end,
            words=text[start:end] or MISSING,
            n_raters=len(np.unique(inside.rater)),
            n_looked=n_looked,
            severities=_severities(inside, severities),
        )


def _placed(sample: Sample) -> tuple[Table, Placed]:
    """Return the texts as raters saw them, and the marks on outputs."""
    looks, rows, marks = marks_of(sample)
    place, _severities_there = severities_of(sample)
    known = np.array([*place, -1], dtype=np.int64)
    on_output = (marks.side == OUTPUT) & (marks.end > marks.start)
    columns: tuple[NDArray[Any], ...] = (rows.part, rows.rater, marks.start, marks.end, known[marks.severity])
    return looks, Placed(*(column[on_output].astype(np.int64) for column in columns))


def _chosen(n_marks: NDArray[np.int64], looks: Table) -> list[int]:
    """Return the outputs to show, as places in `names.shown_part`: system by system, most marks first."""
    names = looks.names
    marks = n_marks[names.shown_part]
    n_systems = max(1, len(np.unique(names.shown_system[marks > 0])))
    each = max(1, min(TEXTS_OF_A_SYSTEM, MOST_TEXTS // n_systems))
    per_system: Counter[int] = Counter()
    chosen: list[int] = []
    for at in np.argsort(-marks, kind="stable").tolist():
        system = int(names.shown_system[at])
        if marks[at] and per_system[system] < each and len(chosen) < MOST_TEXTS:
            per_system[system] += 1
            chosen.append(at)
    return sorted(chosen, key=lambda at: (int(names.shown_system[at]), -int(marks[at])))


def _borders(text: str, marks: Placed) -> list[int]:
    """Return the borders of the stretches of a text; the word [missing] is one character after the text."""
    last = len(text) + int((marks.end > len(text)).any())
    return sorted({0, len(text), last} | {at for at in (*marks.start.tolist(), *marks.end.tolist()) if at <= last})


def _severities(inside: Placed, severities: Sequence[str]) -> dict[str, int]:
    """Return the number of raters by the severity that they gave a stretch, from minor to major."""
    pairs = {(severity, rater) for severity, rater in zip(inside.severity.tolist(), inside.rater.tolist(), strict=True)}
    counted = Counter(severity for severity, _rater in pairs if severity >= 0)
    return {severities[severity]: counted[severity] for severity in sorted(counted)}


@register
class MarkedTexts(Analysis):
    """The number of raters who marked each stretch of a text, of those who saw it, for the texts with most marks.

    A text is cut wherever a mark begins or ends, so that a stretch is marked by the same raters throughout.
    """

    label = _("Marks in the texts")
    summary = _("How many raters marked each passage, in the texts of each system with the most marks.")
    source = (
        "Freitag, Foster, Grangier, Ratnakar, Tan and Macherey (2021). Experts, errors, and context: a large-scale "
        "study of human evaluation for machine translation. TACL 9, 1460-1474."
    )
    scales = frozenset({Scale.NOMINAL})
    task_types = frozenset({"error_spans"})
    whole_task = True
    leads = False
    splits = False
    needs: ClassVar[frozenset[type[Extra]]] = frozenset({Spans, Shown})
    statistics: ClassVar[Mapping[str, Words]] = {"marks_in_text": _("Raters who marked a stretch of a text")}
    only_drawn = frozenset({"marks_in_text"})

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield one row for each stretch, in the order of the text: the number of raters who marked it."""
        if errors_of(sample) is None or not len(sample.extras[Shown].of_part):
            return
        complete, _weights = with_looks(sample)
        make, marks = Rows(self.name, complete), marked(complete)
        for stretch in marks.stretches:
            yield make.row(
                "marks_in_text",
                value=float(stretch.n_raters),
                system=stretch.system,
                label=f"{stretch.item} [{stretch.start}:{stretch.end}]",
                n_raters=stretch.n_looked,
                settings={
                    "text": stretch.text,
                    "item": stretch.item,
                    "start": stretch.start,
                    "end": stretch.end,
                    "words": stretch.words,
                    "severities": stretch.severities,
                    "texts": marks.n_texts,
                    "too_long": marks.n_too_long,
                },
            )


# The chart of marks in texts: strips from the beginning of a text to its end.


@chart(order=35)
def marks_in_texts(material: Material) -> Iterator[Sketch]:
    """Draw the places of marked errors in the texts with the most marks."""
    rows = [row for row in material.of("marks_in_text") if row.system]
    if not rows:
        return
    pieces = list(_pieces(rows))
    texts = {piece["text"] for piece in pieces}
    settings: Mapping[str, Any] = rows[0].settings or {}
    n_raters = [row.n_raters or 0 for row in rows]
    raters = f"{min(n_raters)} to {max(n_raters)} raters" if min(n_raters) < max(n_raters) else _raters(max(n_raters))
    long = f" {settings['too_long']} longer texts are left out." if settings.get("too_long") else ""
    yield Sketch(
        kind="marks-in-text",
        title=_most(pieces),
        subtitle=(
            f"{_shown(max(n_raters))} The texts with the most marks for each system: {len(texts)} of the "
            f"{settings.get('texts', 0):,} texts with marks; {material.basis(rows)}. {raters} per text.{long}"
        ),
        by_system=True,
        chart=strips_chart(pieces),
        columns=(
            ("name", "System"), ("item", "Text"), ("start", "From"), ("end", "To"), ("words", "Words"),
            ("value", "Raters who marked"), ("n", "Raters"), ("severities", "Severity (raters)"),
        ),
    )  # fmt: skip


def _pieces(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    length: dict[int, int] = {}
    for row in rows:
        settings = row.settings or {}
        length[settings["text"]] = max(length.get(settings["text"], 1), settings["end"])
    for row in rows:
        settings = row.settings or {}
        yield {
            "name": str(row.system),
            "item": settings["item"],
            "head": f"{words.isolated(row.system)}, {words.isolated(settings['item'])}",
            "text": settings["text"],
            "start": settings["start"],
            "end": settings["end"],
            "length": length[settings["text"]],
            "words": settings["words"],
            "value": int(value_of(row)),
            "n": row.n_raters or 0,
            "share": value_of(row) / row.n_raters if row.n_raters else 0.0,
            "severities": ", ".join(f"{severity} {n}" for severity, n in settings["severities"].items()),
        }


def _most(pieces: Sequence[Mapping[str, Any]]) -> str:
    """Return a title with the number of texts in which most raters marked the same words, of those with two or more."""
    several = {piece["text"] for piece in pieces if piece["n"] > 1}
    if not several:
        return "Where raters marked errors in the texts with the most marks"
    same = {piece["text"] for piece in pieces if piece["n"] > 1 and piece["share"] > 0.5}
    texts = "text" if len(several) == 1 else "texts"
    return (
        f"In {len(same)} of {len(several)} {texts} shown that had two or more raters, more than half of them marked "
        "the same words"
    )


def _shown(most: int) -> str:
    if most == 1:
        return "What the one rater of each text marked, from its first character to its last."
    return (
        "Each strip is a text from start to end. The stronger the colour, the larger the share of raters who marked "
        "that passage (up to a third, up to two thirds, more)."
    )


def _raters(n: int) -> str:
    return f"{n} rater{'' if n == 1 else 's'}"
