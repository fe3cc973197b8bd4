"""Best-worst scaling: scores by counting, their reliability, and the balance of appearances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.pairs import clusters_of, draws, seed_of_draws
from analytics_app.charts.compared import strengths_of
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import Material
from analytics_app.models import ResultRow
from analytics_app.results import Row
from analytics_app.show import cells
from analytics_app.show.evidence import MOST_FIGURES, NOT_EQUAL, Evidence, conditions, figure
from analytics_app.show.findings import Finding, FindingQuestion, finding_of
from analytics_app.show.formats import digits, interval, ranks, whole
from analytics_app.show.shown import Shown, StoredRows, by_system, facts, others, subsets, tables_of
from analytics_app.show.table import Table
from analytics_app.stats.ranking.best_worst import best_worst, split_half
from tasks_app.settings.fields import YesNoField, whole_field
from tasks_app.task_types.base import Scale

# The value of each stored choice (tasks_app.task_types.best_worst).
WORTH = {"best": 1, "worst": -1, "neither": 0}

UNEVEN = "Some texts were shown more than twice as often as others: scores of the latter are less sure."


@dataclass(frozen=True, slots=True)
class _Entries:
    """One entry for every output that an answer showed; `text` is the same wherever an output is shown again.

    A text that several systems produced has an entry for each of them, one after the other; `begins` says where the
    entries of each text on each screen begin.
    """

    system: NDArray[np.int64]
    text: NDArray[np.int64]
    item: NDArray[np.int64]
    choice: NDArray[np.int64]
    judgment: NDArray[np.int32]
    unit: NDArray[np.int32]
    rater: NDArray[np.int32]
    cluster: NDArray[np.int64]
    begins: NDArray[np.intp]
    systems: tuple[str, ...]
    over: str

    @classmethod
    def of(cls, sample: Sample) -> _Entries:
        """Return the entries of a sample: every output that was shown, with its choice."""
        table, names = sample.table, sample.table.names
        worth = np.array([*(WORTH.get(word, -9) for word in names.labels), -9], dtype=np.int64)
        row, system, item = table.by_system()
        choice = worth[table.label[row]]
        keep = choice > -9
        if sample.without:
            keep &= ~np.isin(system, sorted(sample.without))
        row, choice = row[keep], choice[keep]
        of_system, of_item = system[keep].astype(np.int64), item[keep].astype(np.int64)
        unit = table.unit[row]
        # A tuple with texts of several items belongs to no item, and is resampled on its own.
        of_unit = names.item_of_unit[unit].astype(np.int64)
        clusters = clusters_of(names, by_document=sample.question.by_document)
        far = len(names.items) + len(names.documents)
        cluster = np.where(of_unit >= 0, clusters[of_unit] if len(clusters) else -1, far + unit)
        known, code = np.unique(of_system, return_inverse=True)
        mixed = bool((of_unit < 0).any())
        return cls(
            system=code.astype(np.int64),
            text=of_item * max(len(names.systems), 1) + of_system,
            item=of_item,
            choice=choice,
            judgment=table.judgment[row],
            unit=unit,
            rater=table.rater[row],
            cluster=cluster,
            begins=np.flatnonzero(np.r_[True, row[1:] != row[:-1]][: len(row)]),
            systems=tuple(names.systems[system_code] for system_code in known),
            over="tuples" if mixed else "documents" if sample.question.by_document else "items",
        )


@register
class BestWorst(FilteredAnalysis):
    """Times best less times worst over times shown, with bootstrap intervals over items, or tuples that mix items.

    Split-half reliability is over texts: the judgments of each tuple are split at random into halves, and the scores
    that the halves give to the texts are correlated, a hundred times.
    """

    label = _("Best-worst scores")
    summary = _("How much more often each system is best than worst, its rank, and how far halves of the raters agree.")
    source = (
        "Kiritchenko and Mohammad (2017). Best-worst scaling more reliable than rating scales. ACL, 465-470. Orme "
        "(2009). MaxDiff analysis: simple counting, individual-level logit, and HB. Sawtooth Software."
    )
    scales = frozenset({Scale.NOMINAL})
    task_types = frozenset({"best_worst"})
    statistics = {
        "bw_score": _("Best-worst score"),
        "bw_rank": _("Rank by best-worst score, with its range"),
        "bw_best": _("Times best"),
        "bw_worst": _("Times worst"),
        "bw_shown": _("Times shown"),
        "bw_split_half": _("Split-half reliability, Pearson"),
        "bw_split_half_spearman": _("Split-half reliability, Spearman"),
        "bw_least_shown": _("Fewest times a text was shown"),
        "bw_most_shown": _("Most times a text was shown"),
        "bw_text_score": _("Best-worst score of a text"),
    }

    texts = YesNoField(
        label=_("Score each text as well"),
        help_text=_("One row per text, for lists of words or sentences that are themselves to be scored."),
    )
    n_splits = whole_field(_("Number of split halves"), within=(1, 1000), initial=100)

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of systems, of reliability and of balance."""
        entries = _Entries.of(sample)
        if not len(entries.choice):
            return
        make = Rows(self.name, sample)
        yield from _systems(make, entries)
        yield from _reliability(make, entries, self.n_splits)
        yield from _balance(make, entries)
        if self.texts:
            yield from _texts(make, entries)


def _systems(make: Rows, entries: _Entries) -> Iterator[Row]:
    drawn = bootstrap(make.sample, "best-worst", entries.over)
    results = best_worst(
        entries.system,
        entries.choice,
        entries.cluster,
        n_systems=len(entries.systems),
        **drawn.options,
    )
    for code, (key, result) in enumerate(zip(entries.systems, results, strict=True)):
        of_system = entries.system == code
        about: dict[str, Any] = {
            "system": key,
            "n_ratings": result.shown,
            "n_items": len(np.unique(entries.item[of_system])),
            "n_raters": len(np.unique(entries.rater[of_system])),
        }
        yield make.row("bw_score", result.score, **about, settings=drawn.settings)
        yield make.row("bw_rank", result.rank, **about, settings=drawn.settings)
        for name, count in (("bw_best", result.best), ("bw_worst", result.worst), ("bw_shown", result.shown)):
            yield make.row(name, value=float(count), **about)


def _reliability(make: Rows, entries: _Entries, n_splits: int) -> Iterator[Row]:
    # A text that several systems produced is counted once: counted for each of them, it would agree with itself.
    once = entries.begins
    reliability = split_half(
        np.minimum.reduceat(entries.text, once),
        entries.choice[once],
        entries.judgment[once],
        entries.unit[once],
        n_splits=n_splits,
        rng=draws(make.sample, "split-half"),
    )
    n_raters = len(np.unique(entries.rater))
    settings = {
        "splits": n_splits, "halves": "of the judgments of each tuple", "n_items": "texts",
        "seed": seed_of_draws(make.sample, "split-half"),
    }  # fmt: skip
    for name, estimate in (("bw_split_half", reliability.pearson), ("bw_split_half_spearman", reliability.spearman)):
        yield make.row(name, estimate, n_raters=n_raters, settings=settings)


def _balance(make: Rows, entries: _Entries) -> Iterator[Row]:
    _texts_known, times = np.unique(entries.text, return_counts=True)
    least, most = int(times.min()), int(times.max())
    about: dict[str, Any] = {
        "n_ratings": len(entries.choice),
        "n_items": len(times),
        "n_raters": len(np.unique(entries.rater)),
        "note": UNEVEN if most > 2 * least else None,
    }
    yield make.row("bw_least_shown", value=float(least), **about)
    yield make.row("bw_most_shown", value=float(most), **about)


def _texts(make: Rows, entries: _Entries) -> Iterator[Row]:
    """Yield the score of each text, without an interval: few judgments are about one text."""
    names = make.sample.table.names
    known, first, code = np.unique(entries.text, return_index=True, return_inverse=True)
    times = np.bincount(code, minlength=len(known))
    scores = np.bincount(code, weights=entries.choice, minlength=len(known)) / times
    for place, entry in enumerate(first.tolist()):
        yield make.row(
            "bw_text_score",
            value=float(scores[place]),
            system=entries.systems[int(entries.system[entry])],
            label=names.items[int(entries.item[entry])],
            n_ratings=int(times[place]),
        )


# Tables of best-worst scaling: systems, then reliability and balance.


@tables_of("best_worst")
def best_worst_table(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield systems by their score, then how well halves agree and how evenly texts were shown."""
    columns = [
        Shown(gettext("Score"), "bw_score", digits(2)),
        Shown(gettext("Interval"), "bw_score", interval(2)),
        Shown(gettext("Rank"), "bw_rank", whole),
        Shown(gettext("Rank range"), "bw_rank", ranks),
        Shown(gettext("Times best"), "bw_best", whole),
        Shown(gettext("Times worst"), "bw_worst", whole),
        Shown(gettext("Times shown"), "bw_shown", whole),
    ]
    yield from by_system(rows.whole, gettext("Best-worst scores"), columns, lead="bw_score")
    reliability = {"bw_split_half": digits(2), "bw_split_half_spearman": digits(2)}
    balance = {"bw_least_shown": whole, "bw_most_shown": whole}
    yield from facts(rows.whole, gettext("Reliability and balance"), reliability | balance)
    yield from others(rows.whole, ("bw_text_score",), limit, gettext("Best-worst scores of texts"))
    yield from subsets(rows, limit, gettext("Best-worst scores by subset"))


# The chart of best-worst scores.


@chart(order=5)
def best_worst_scores(material: Material) -> Iterator[Sketch]:
    """Draw the systems by how much more often they are best than worst."""
    yield from strengths_of(
        material,
        "bw_score",
        "best-worst",
        "Best less worst, of times shown",
        ("is best most often, and worst least", "best-worst scores"),
        limits=((0.0, "as often"),),
    )


# The finding that the intervals of best-worst scores support: the method has no test of pairs.


@finding_of("best_worst", "bw_score", order=10)
def best_worst_finding(rows: StoredRows, question: FindingQuestion) -> Finding | None:
    """Return the finding whether the interval of the highest score lies above those of all others."""
    scores = [row for row in rows.of("bw_score") if row.value is not None and row.low is not None]
    scores.sort(key=lambda row: -(row.value or 0.0))
    if len(scores) < 2:
        return None
    first, others = scores[0], scores[1:]
    overlapping = [row for row in others if row.high is not None and row.high >= (first.low or 0.0)]
    evidence = _evidence(scores, question.limit, clear=not overlapping)
    if not overlapping:
        start = gettext("%(system)s is chosen as best more often, and as worst less often, than every other system")
        reason = gettext(": its interval lies above all others")
        return Finding(start % {"system": first.system}, reason, criterion=question.name, evidence=evidence)
    if len(overlapping) == len(others):
        start = gettext("No system stands clearly above all others")
        reason = gettext(": the interval of the highest score, that of %(system)s, overlaps with every other interval")
        reason %= {"system": first.system}
        return Finding(start, reason, criterion=question.name, denies=True, evidence=evidence)
    start = gettext("No system stands clearly above all others")
    reason = gettext(": the intervals of %(system)s and %(other)s, the two highest, overlap")
    return Finding(
        start,
        reason % {"system": first.system, "other": overlapping[0].system},
        criterion=question.name,
        denies=True,
        evidence=evidence,
    )


def _evidence(scores: Sequence[ResultRow], limit: float, *, clear: bool) -> Evidence:
    """Return the facts for a sentence in a paper: the highest scores with intervals; the method has no test."""
    figures = []
    for row in scores[: MOST_FIGURES + 1]:
        score, *ends = [cells.figure(end, 2) for end in (row.value or 0.0, row.low, row.high) if end is not None]
        figures.append(figure(row, str(row.system), score, ends, limit))
    return Evidence(
        [],
        figures,
        conditions(scores),
        [] if clear else [gettext(NOT_EQUAL)],
        [gettext("The method has no test of pairs: the finding goes by the intervals of scores.")],
        values=scores,
    )
