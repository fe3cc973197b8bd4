"""The distribution of all values of a criterion, over all systems together."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Question, Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.rated_texts import low_is_good
from analytics_app.charts import words
from analytics_app.charts.bars import bars_chart, stacked_chart
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import Material, counted, each, numeric, only, value_of
from analytics_app.charts.points import MOST_ROWS
from analytics_app.results import Row
from tasks_app.task_types.base import Scale

BINS = 10


@register
class Distribution(FilteredAnalysis):
    """Share of each step of a scale, or of each tenth of a range, without distinguishing systems."""

    label = _("Distribution")
    summary = _("How often each step, or each tenth of the range, was chosen: is the whole scale used?")
    source = "Amidei, Piwek and Willis (2019). The use of rating and Likert scales in NLG human evaluation tasks. INLG."
    scales = frozenset({Scale.ORDINAL, Scale.INTERVAL})
    statistics = {"distribution": _("Distribution")}

    @classmethod
    def fits(cls, question: Question) -> bool:
        """Leave out ranks: each place is given as often as the others."""
        return super().fits(question) and not low_is_good(question)

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield a `distribution` row a step or bin."""
        question, make = sample.question, Rows(self.name, sample)
        values = sample.table.value[~np.isnan(sample.table.value)]
        about: dict[str, Any] = {
            "n_ratings": len(values),
            "n_items": sample.table.n_texts,
            "n_raters": sample.table.n_raters,
        }
        if not len(values):
            yield make.row("distribution", note="Nothing was rated.", **about)
        elif question.domain:
            for step in question.domain:
                yield make.row("distribution", value=float(np.mean(values == step)), label=f"{step:g}", **about)
        elif question.limits is not None:
            counts, edges = np.histogram(values, bins=BINS, range=question.limits)
            for number, share in enumerate((counts / len(values)).tolist()):
                label = f"{edges[number]:g} to {edges[number + 1]:g}"
                yield make.row("distribution", value=share, label=label, **about)


# Charts of how ratings are spread over their scale.

# Shares of a whole may exceed 1 by this much, through rounding.
HAIR = 1e-9

# A title names at most so many systems, each shortened to so many letters.
MOST_NAMED, LONGEST_NAME = 5, 40

# More labels than this cannot be distinguished by colour; steps of a scale can, by their order.
MOST_COLOURS = 9


@chart(order=11, of_task=False)
def shares(material: Material) -> Iterator[Sketch]:
    """Draw the shares of steps or labels of each system, with the systems in order of their mean if they have one."""
    rows = [row for row in material.of("share") if row.system and row.label is not None]
    if not rows:
        return
    labels = list(dict.fromkeys(str(row.label) for row in rows))
    rank = {row.system: -value_of(row) for row in material.of("mean")}
    table: dict[str, dict[str, float]] = {}
    for row in sorted(rows, key=lambda row: rank.get(row.system, 0.0)):
        table.setdefault(str(row.system), {})[str(row.label)] = value_of(row)
    if any(sum(parts.values()) > 1 + HAIR for parts in table.values()):
        return  # several options a text make no whole
    if len(labels) > MOST_COLOURS and not numeric(labels):
        return
    word = "Step" if numeric(labels) else "Label"
    yield Sketch(
        kind="shares",
        title=_highest_step(table, labels[-1], material.name)
        if numeric(labels)
        else _told_apart(rows, material.name, material.of("share_crossed")),
        subtitle=(
            f"Share of ratings at each {word.lower()} for {material.name}{only(list(table))}; {material.basis(rows)}."
            f"{each(rows)}{counted(rows)}"
        ),
        by_system=True,
        chart=stacked_chart(dict(list(table.items())[:MOST_ROWS]), labels, measure=word, ordered=numeric(labels)),
        columns=(("name", "System"), ("label", word), ("value", "Share")),
    )


def _highest_step(table: Mapping[str, Mapping[str, float]], last: str, criterion: str) -> str:
    """Return a title with the share of the highest step of each system, of many those of the first and the last."""
    top = sorted(((parts.get(last, 0.0), system) for system, parts in table.items()), key=lambda entry: -entry[0])
    if len({words.share(value) for value, _system in top}) == 1 < len(top):
        return f"Top rating for {criterion}: {words.share(top[0][0])} for every system"
    shares = [f"{words.share(value)} {words.short(system, LONGEST_NAME)}" for value, system in top]
    if len(shares) > MOST_NAMED:
        return f"Top rating for {criterion}: from {shares[0]} to {shares[-1]}"
    return f"Top rating for {criterion}: {', '.join(shares)}"


@chart(order=60, of_task=False)
def distribution(material: Material) -> Iterator[Sketch]:
    """Draw the distribution of all ratings over the scale, without distinguishing systems."""
    rows = [row for row in material.of("distribution") if row.label is not None]
    if not rows:
        return
    bins = {str(row.label).replace(" to ", "–"): words.share(value_of(row)) for row in rows}
    most = words.share(max(value_of(row) for row in rows))
    often = words.names([label for label, value in bins.items() if value == most])
    ratings = max((row.n_ratings or 0 for row in rows), default=0)
    yield Sketch(
        kind="distribution",
        title=f"Ratings for {material.name} are most often {often} ({most}{' each' if ' and ' in often else ''})",
        subtitle=(
            f"Share of ratings for {material.name}, all systems together; {material.basis(rows)}."
            f"{counted(rows, ratings, unit='text')}"
        ),
        by_system=any(row.by_system for row in rows),
        chart=bars_chart([(str(row.label), value_of(row)) for row in rows], measure="Rating"),
        columns=(("label", "Rating"), ("value", "Share")),
        # If there are shares, the chart of each system comes first.
        further=bool(material.of("share")),
    )


def _told_apart(share_rows: Sequence[Row], criterion: str, crossed: Sequence[Row]) -> str:
    """Return a title with the label that two systems differ in most by their shares, if intervals do not overlap.

    Intervals are those of the `crossed` shares, for further raters and texts, where there are any.
    """
    best: tuple[float, str] = (0.0, f"Shares of labels for {criterion}, system by system")
    further = {(row.system, row.label): row for row in crossed}
    for label in dict.fromkeys(row.label for row in share_rows):
        rows = [further.get((row.system, label), row) for row in share_rows if row.label == label]
        rows.sort(key=value_of)
        low, high = rows[0], rows[-1]
        if low.high is None or high.low is None or low.high >= high.low:
            continue
        phrase = f"{words.share(value_of(high))} for {words.short(high.system)}, {words.share(value_of(low))} for"
        apart = value_of(high) - value_of(low)
        best = max(best, (apart, f"{criterion} is “{words.short(label)}” {phrase} {words.short(low.system)}"))
    return best[1]
