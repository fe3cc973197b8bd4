"""Marks that texts came with: shares kept, changed and removed, marks added, and planted false marks let stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, Sample, Words, groups_and_waves, of_one_system
from analytics_app.analyses.error_spans.looks import errors_of, with_looks
from analytics_app.analyses.error_spans.profiles import looks_by_system
from analytics_app.analyses.given_marks.agreement import before_and_after
from analytics_app.analyses.given_marks.fates import FATES, Fates
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.over_raters import rough, system_means_over_raters
from analytics_app.ratings import Extra, Floats
from analytics_app.ratings.extras.given_marks import GivenMarks
from analytics_app.ratings.extras.spans import Spans
from analytics_app.results import Row
from analytics_app.stats.values import joined
from tasks_app.task_types.base import Scale

# A rater with fewer given marks than this says little about how they treat them.
FEW_MARKS = 10
FEW = "{n} of {of} marks."
UNKNOWN = (
    "Nothing is counted: {n:,} marks in texts that came with marks do not say whether they were given. They were "
    "stored before this was kept, or imported without mark_origin."
)


@register
class MarksGivenBeforehand(FilteredAnalysis):
    """Shares of given marks that raters kept, changed and removed, and of planted false marks that they let stand.

    Shares are over given marks: each counts once for each rater who saw it. Intervals are over raters, who differ in
    how far they follow given marks. A false mark is one in a check whose known errors it does not touch. Where texts
    came with the marks of several people, agreement between these people stands beside that of the raters.
    """

    label = _("Marks given beforehand")
    summary = _(
        "What raters kept, changed, removed and added where texts came with marks, by system, by rater and by "
        "severity; how many false marks in checks they let stand; and, in a re-annotation, agreement before and after."
    )
    source = (
        "Zouhar, Kocmi and Sachan (2025). AI-assisted human evaluation of machine translation. NAACL. "
        "Riley, Deutsch, Finkelstein, DiIanni, Juraska and Freitag (2026). MQM re-annotation: a technique for "
        "collaborative evaluation of machine translation. ACL."
    )
    scales = frozenset({Scale.NOMINAL})
    task_types = frozenset({"error_spans"})
    whole_task = True
    leads = False
    needs: ClassVar[frozenset[type[Extra]]] = frozenset({Spans, GivenMarks})
    statistics: ClassVar[Mapping[str, Words]] = {
        "given_kept": _("Share of given marks kept as they were"),
        "given_changed": _("Share of given marks changed"),
        "given_removed": _("Share of given marks removed"),
        "marks_added": _("Marks added to a text that came with marks"),
        "marks_before": _("Marks that a text came with"),
        "marks_after": _("Marks that were left in a text that came with marks"),
        "f1_exact_before": _("F1 of given marks: same place"),
        "f1_exact_after": _("F1 of the marks that were left: same place"),
        "f1_overlap_before": _("F1 of given marks: a common character"),
        "f1_overlap_after": _("F1 of the marks that were left: a common character"),
        "alpha_before": _("Alpha over characters of given marks"),
        "alpha_after": _("Alpha over characters of the marks that were left"),
        "given_kept_of_rater": _("Share of given marks kept as they were, by rater"),
        "given_changed_of_rater": _("Share of given marks changed, by rater"),
        "given_removed_of_rater": _("Share of given marks removed, by rater"),
        "marks_added_of_rater": _("Marks added to a text that came with marks, by rater"),
        "seconds_per_mark": _("Active seconds per mark"),
        "seconds_per_mark_of_rater": _("Active seconds per mark, by rater"),
        "false_marks_kept": _("Share of planted false marks that were let stand"),
        "false_marks_kept_of_rater": _("Share of planted false marks that were let stand, by rater"),
    }

    def rows(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of a sample, its slices, groups and waves, then those of the checks."""
        if errors_of(sample) is None or not len(sample.extras[GivenMarks].list_part):
            return
        complete, _weights = with_looks(sample)
        for part in self.parts(complete):
            yield from self.compute(part)
            for split in groups_and_waves(part):
                yield from self.compute(split)
        yield from _planted(Rows(self.name, sample))

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the shares over all systems, by system and by rater, and the time of a mark."""
        make, fates = Rows(self.name, sample), Fates.of(sample)
        if not len(fates):
            return
        if fates.unknown:
            # Texts without any mark would be the only ones to count, and all of their given marks are removed.
            yield make.row("given_kept", note=UNKNOWN.format(n=fates.unknown), n_items=len(fates))
            return
        everything, nobody = np.arange(len(fates)), np.zeros(len(fates), dtype=np.int64)
        at, system, systems = _of_systems(sample, fates)
        for chosen, label in fates.by_severity():
            yield from _over(make, chosen, everything, nobody, [None], label)
            yield from _over(make, chosen, at, system, systems, label)
        yield from _seconds(make, fates)
        yield from _of_raters(make, fates)
        yield from before_and_after(make)


def _of_systems(sample: Sample, fates: Fates) -> tuple[NDArray[np.int64], NDArray[np.int64], list[str | None]]:
    """Return the place among fates of each text of a system, the code of its system, and the systems."""
    outputs = looks_by_system(sample, fates.n_looks, by_document=False)
    place = np.full(fates.n_looks, -1)
    place[fates.look] = np.arange(len(fates))
    at = place[outputs.value.astype(np.int64)] if len(outputs.value) else np.empty(0, dtype=np.int64)
    known = at >= 0
    return at[known], outputs.system[known].astype(np.int64), list(outputs.systems)


def _over(
    make: Rows,
    fates: Fates,
    at: NDArray[np.int64],
    group: NDArray[np.int64],
    systems: list[str | None],
    label: str | None,
) -> Iterator[Row]:
    """Yield the shares of fates and the marks of a text, of each group of looks with intervals over raters.

    `label` is the severity that these fates are of: of the given mark, or of the mark that was added.
    """
    sample, given = make.sample, fates.given[at]
    rater, n = fates.rater[at], len(systems)
    of_marks, raters_of_marks = np.repeat(group, given), np.repeat(rater, given)
    columns = [(f"given_{fate}", _ones(getattr(fates, fate)[at], given), of_marks, raters_of_marks) for fate in FATES]
    columns.append(("marks_added", fates.own[at].astype(np.float64), group, rater))
    columns.append(("marks_before", given.astype(np.float64), group, rater))
    if label is None:
        columns.append(("marks_after", fates.total[at].astype(np.float64), group, rater))
    for statistic, values, groups, who in columns:
        if not len(values):
            continue
        is_share = statistic.startswith("given_")
        means, settings = system_means_over_raters(
            sample, statistic if label is None else f"{statistic} {label}", values, groups, who, n_systems=n
        )
        for code, (system, mean) in enumerate(zip(systems, means, strict=True)):
            if mean.value is None:
                continue
            ends = {"low": mean.low, "high": mean.high}
            if is_share:
                ends = {name: None if end is None else min(max(end, 0.0), 1.0) for name, end in ends.items()}
            note = joined(mean.note, rough(sample.common, mean.n_raters or 0) if mean.low is not None else None)
            yield make.row(
                statistic, mean, system=system, label=label, n_ratings=int((groups == code).sum()),
                n_items=int((group == code).sum()), note=note,
                settings={"n_ratings": "given marks" if is_share else "texts", "n_items": "texts", **settings}, **ends,
            )  # fmt: skip


def _ones(n: NDArray[np.int64], of: NDArray[np.int64]) -> Floats:
    """Return for each look as many ones as `n` says, and zeros up to `of`."""
    within = np.arange(int(of.sum())) - np.repeat(np.cumsum(of) - of, of)
    return (within < np.repeat(n, of)).astype(np.float64)


def _seconds(make: Rows, fates: Fates) -> Iterator[Row]:
    """Yield the active seconds per mark, where times are known: the time of texts over the number of their marks."""
    known = ~np.isnan(fates.seconds)
    marks, seconds = int(fates.total[known].sum()), float(fates.seconds[known].sum())
    if marks:
        yield make.row(
            "seconds_per_mark", value=seconds / marks, n_ratings=marks, n_items=int(known.sum()),
            n_raters=len(np.unique(fates.rater[known])), settings={"n_ratings": "marks", "n_items": "texts"},
        )  # fmt: skip


def _of_raters(make: Rows, fates: Fates) -> Iterator[Row]:
    """Yield the shares of each rater, and the time of their marks."""
    names = make.sample.table.names
    alone = of_one_system(make.sample.table)
    for code in np.unique(fates.rater).tolist():
        mine = fates.rater == code
        given = int(fates.given[mine].sum())
        about: dict[str, Any] = {
            "rater": names.raters[code], "by_system": bool(alone[code]), "n_items": int(mine.sum()),
        }  # fmt: skip
        for fate in FATES:
            n = int(getattr(fates, fate)[mine].sum())
            note = FEW.format(n=n, of=given) if given < FEW_MARKS else None
            if given:
                yield make.row(f"given_{fate}_of_rater", value=n / given, n_ratings=given, note=note, **about)
        own, texts = int(fates.own[mine].sum()), int(mine.sum())
        yield make.row("marks_added_of_rater", value=own / texts, n_ratings=texts, **about)
        timed = mine & ~np.isnan(fates.seconds)
        if marks := int(fates.total[timed].sum()):
            seconds = float(fates.seconds[timed].sum()) / marks
            yield make.row("seconds_per_mark_of_rater", value=seconds, n_ratings=marks, **about)


def _planted(make: Rows) -> Iterator[Row]:
    """Yield the share of false marks in checks that raters let stand: all raters of the sample, then each."""
    sample, extra = make.sample, make.sample.extras[GivenMarks]
    present = np.isin(extra.planted_rater, sample.table.rater)
    rater, stood = extra.planted_rater[present], extra.planted_kept[present].astype(np.float64)
    if not len(rater):
        return
    means, settings = system_means_over_raters(
        sample, "false_marks_kept", stood, np.zeros(len(rater), dtype=np.int64), rater, n_systems=1
    )
    mean = means[0]
    ends = {
        name: None if end is None else min(max(end, 0.0), 1.0) for name, end in (("low", mean.low), ("high", mean.high))
    }
    yield make.row(
        "false_marks_kept", mean, n_ratings=len(rater), note=mean.note,
        settings={"n_ratings": "planted false marks", **settings}, **ends,
    )  # fmt: skip
    for code in np.unique(rater).tolist():
        mine = rater == code
        n, of = int(stood[mine].sum()), int(mine.sum())
        note = FEW.format(n=n, of=of) if of < FEW_MARKS else None
        yield make.row(
            "false_marks_kept_of_rater", value=n / of, rater=sample.table.names.raters[code], n_ratings=of, note=note
        )
