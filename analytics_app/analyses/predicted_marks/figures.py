"""Precision, recall and F1 of metrics and of people who are held out, and their differences."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from analytics_app.analyses.base import Rows, of_one_system
from analytics_app.analyses.predicted_marks.judged import Judged, OfMetric
from analytics_app.analyses.shared.bootstrap import Bootstrap, bootstrap
from analytics_app.ratings import Mask
from analytics_app.results import Row
from analytics_app.stats.errors.marks import Looks, Spans
from analytics_app.stats.errors.predicted import Counts, Found, micro_f1s
from analytics_app.stats.errors.spans import Kind, PairedLooks, match_counts
from analytics_app.stats.values import Codes, Estimate, Floats, joined

# The labels of rows by the way of matching; None is the main one, partial credit whatever the severities.
SEVERITY, EXACT, CHARACTERS = "same severity", "exact match", "characters"
FREE = "error-free"

MICRO = "micro over comparisons with each person"
NO_CEILING = "No two people judged the same text, among those of {metric}, so there is no human ceiling."
NO_SEVERITIES = "The marks of {metric} have no severities."
LACKING = (
    "{metric} has no answer for {n:,} of {of:,} texts that people judged; these are left out. If it found no error "
    "there, import a row with “none” for each of them."
)
ELSEWHERE = "{n:,} answers of {metric} are about texts that people did not judge here, and are left out."
UNPLACED = "{n:,} marks without a place are left out."


class Figures:
    """Gathers counts for figures, each under a key."""

    def __init__(self) -> None:
        self.keys: dict[Hashable, int] = {}
        self._parts: list[tuple[Floats, Codes, Codes]] = []

    def add(self, key: Hashable, counts: Floats, unit: Codes) -> None:
        """Add the counts of comparisons to one figure."""
        self.add_each([key], np.zeros(len(counts), dtype=np.intp), counts, unit)

    def add_each(self, keys: Sequence[Hashable], code: Codes, counts: Floats, unit: Codes) -> None:
        """Add the counts of comparisons to figures: each to that with the code of its key."""
        number = np.array([self.keys.setdefault(key, len(self.keys)) for key in keys], dtype=np.intp)
        self._parts.append((counts, number[code], unit))

    def computed(
        self, over: str, drawn: Bootstrap, differences: Mapping[Hashable, tuple[Hashable, Hashable]]
    ) -> tuple[dict[Hashable, Found], dict[Hashable, Estimate]]:
        """Return the figures and the differences of F1, by their keys."""
        counts, figure, unit = (np.concatenate(columns) for columns in zip(*self._parts, strict=True))
        pairs = [(self.keys[a], self.keys[b]) for a, b in differences.values()]
        found, compared = micro_f1s(
            Counts(counts, figure, unit), len(self.keys), differences=pairs, unit=over, **drawn.options
        )
        return dict(zip(self.keys, found, strict=True)), dict(zip(differences, compared, strict=True))


def swapped(counts: Floats) -> Floats:
    """Return counts of pairs with the second look as the prediction."""
    return counts[:, [1, 0, 3, 2]]


@dataclass(frozen=True, slots=True)
class Compared:
    """Pairs of looks at texts: of people, and of one metric (the last rater) with each person.

    `others` has, for each text, the number of people who judged it beside the person that is held out; `others_scored`
    counts only people of whom it is known whether they find the text error-free.
    """

    judged: Judged
    metric: OfMetric | None
    paired: PairedLooks
    spans: Spans
    error_free: Floats
    others: Codes
    others_scored: Codes
    _counts: dict[Kind | str, Floats] = field(default_factory=dict)

    @classmethod
    def of(cls, judged: Judged, metric: OfMetric | None) -> Compared:
        """Pair the looks at the texts that the metric judged, or at all without a metric."""
        people, spans, free = judged.people, judged.spans, judged.error_free
        if metric is not None:
            has = np.isin(people.text, metric.text)
            number = np.cumsum(has) - 1
            mine = has[spans.look]
            n = int(has.sum())
            last = np.full(len(metric.text), len(judged.raters), dtype=np.intp)
            people = Looks(np.r_[people.text[has], metric.text], np.r_[people.rater[has], last])
            kept = spans.where(mine)
            own = metric.spans
            rest = (np.r_[getattr(kept, name), getattr(own, name)] for name in ("side", "start", "end", "label"))
            spans = Spans(np.r_[number[kept.look], own.look + n], *rest)
            free = np.r_[free[has], metric.error_free]
        is_person = people.rater < len(judged.raters)
        others, others_scored = (
            np.maximum(np.bincount(people.text[counted], minlength=judged.n_texts) - 1, 0)
            for counted in (is_person, is_person & ~np.isnan(free))
        )
        return cls(judged, metric, PairedLooks.of(people), spans, free, others, others_scored)

    def others_of(self, label: str | None) -> Codes:
        """Return the number of people that a person can be compared with, for each text."""
        return self.others_scored if label == FREE else self.others

    def counts(self, kind: Kind | str) -> Floats:
        """Return the counts of each pair of looks, by a way of matching or of error-free texts."""
        if kind not in self._counts:
            self._counts[kind] = self._free() if isinstance(kind, str) else match_counts(self.paired, self.spans, kind)
        return self._counts[kind]

    def _free(self) -> Floats:
        """Return for each pair whether one and the other find the text error-free, and, as credit, whether both do."""
        a, b = self.error_free[self.paired.look_a], self.error_free[self.paired.look_b]
        known = ~(np.isnan(a) | np.isnan(b))
        a, b = np.where(known, a, 0), np.where(known, b, 0)
        return np.column_stack([a, b, a * b, a * b])

    @property
    def by_metric(self) -> Mask:
        """Return a mask of the pairs of a person with the metric."""
        mask: Mask = self.paired.rater_b == len(self.judged.raters)
        return mask

    def add(self, figures: Figures, key: str | None, kind: Kind | str, *, systems: bool = False) -> None:
        """Add the figures of the metric, and those of metric and people on texts of several people."""
        counts, text, of_metric = self.counts(kind), self.paired.text, self.by_metric
        others = self.others_of(key)
        weight = others[text][:, np.newaxis]
        of_person = ~of_metric
        both = counts[of_person] + swapped(counts[of_person])
        selections = [
            ("all", swapped(counts[of_metric]), text[of_metric]),
            ("shared", swapped(counts[of_metric]) * weight[of_metric], text[of_metric]),
            # Each of the two is held out once, and compared with the other.
            ("people", both, text[of_person]),
        ]
        for selection, of_all, text_of_all in selections:
            has = np.ones(len(text_of_all), dtype=bool) if selection == "all" else others[text_of_all] > 0
            texts, of_pairs = text_of_all[has], of_all[has]
            figures.add((key, selection, None), of_pairs, self.judged.unit[texts])
            if systems:
                row, system = self.judged.systems_of(texts)
                keys = [(key, selection, name) for name in self.judged.systems]
                figures.add_each(keys, system, of_pairs[row], self.judged.unit[texts[row]])


def of_people(make: Rows, judged: Judged) -> Iterator[Row]:
    """Yield precision, recall and F1 of each person against the others, and of all people together."""
    pairs = Compared.of(judged, None)
    paired = pairs.paired
    if not paired.look_a.size:
        return
    counts, unit = pairs.counts(Kind("partial")), judged.unit[paired.text]
    both = np.vstack([counts, swapped(counts)])
    rater = np.r_[paired.rater_a, paired.rater_b]
    figures = Figures()
    figures.add(None, both, np.r_[unit, unit])
    figures.add_each(judged.raters, rater, both, np.r_[unit, unit])
    drawn = bootstrap(make.sample, "marks of people", judged.over)
    found, _none = figures.computed(judged.over, drawn, {})
    settings = {**drawn.settings, "F1": MICRO, "matching": "partial credit"}
    alone = of_one_system(judged.looks)
    text = np.r_[paired.text, paired.text]
    for place, name in ((None, None), *enumerate(judged.raters)):
        mine = np.ones(len(text), dtype=bool) if place is None else rater == place
        if not mine.any():
            continue
        about: dict[str, Any] = {
            "rater": name, "n_items": np.unique(text[mine]).size,
            "by_system": bool(place is not None and alone[judged.rater_codes[place]]),
            "n_raters": np.unique(rater[np.isin(text, text[mine])]).size, "settings": settings,
        }  # fmt: skip
        unplaced = UNPLACED.format(n=judged.unplaced) if judged.unplaced and place is None else None
        for part in ("precision", "recall", "f1"):
            estimate: Estimate = getattr(found[name], part)
            yield make.row(f"people_marks_{part}", estimate, note=joined(estimate.note, unplaced), **about)


def compared(make: Rows, judged: Judged, code: int, penalty: float) -> Iterator[Row]:
    """Yield the figures of a metric, beside those of people who are held out, on its texts."""
    metric = judged.metrics[code]
    if not len(metric.text):
        elsewhere = ELSEWHERE.format(n=metric.elsewhere, metric=metric.name) if metric.elsewhere else None
        note = joined(f"{metric.name} has no answer for these texts.", elsewhere)
        yield make.row("metric_marks_f1", metric=metric.name, note=note)
        return
    pairs, figures = Compared.of(judged, metric), Figures()
    kinds: dict[str | None, Kind | str] = {
        None: Kind("partial"), SEVERITY: Kind("partial", penalty=penalty), EXACT: Kind("exact"),
        CHARACTERS: Kind("characters"), FREE: FREE,
    }  # fmt: skip
    if not metric.has_severities:
        del kinds[SEVERITY]
        if len(metric.spans.look):
            yield make.row(
                "metric_marks_f1", metric=metric.name, label=SEVERITY, note=NO_SEVERITIES.format(metric=metric.name)
            )
    for label, kind in kinds.items():
        pairs.add(figures, label, kind, systems=label in {None, FREE})
    has_ceiling = bool((pairs.others[metric.text] > 0).any())
    differences: dict[Hashable, tuple[Hashable, Hashable]] = {
        label: ((label, "shared", None), (label, "people", None)) for label in kinds if has_ceiling
    }
    drawn = bootstrap(make.sample, f"marks of {metric.name}", judged.over)
    found, differ = figures.computed(judged.over, drawn, differences)
    table = _Written(make, judged, metric, pairs, {**drawn.settings, "F1": MICRO}, penalty)
    for label in kinds:
        yield from table.on_all_texts(label, found)
        if has_ceiling:
            yield from table.beside_people(label, found, differ[label])
    if not has_ceiling:
        yield make.row("people_marks_f1_shared", metric=metric.name, note=NO_CEILING.format(metric=metric.name))


@dataclass(frozen=True, slots=True)
class _Written:
    """Makes the rows of a metric."""

    make: Rows
    judged: Judged
    metric: OfMetric
    pairs: Compared
    drawn: Mapping[str, Any]
    penalty: float

    def on_all_texts(self, label: str | None, found: Mapping[Hashable, Found]) -> Iterator[Row]:
        """Yield precision, recall and F1 on all texts of the metric, of all systems and of each."""
        stem = "error_free" if label == FREE else "metric_marks"
        n_marks = np.bincount(self.metric.text[self.metric.spans.look], minlength=self.judged.n_texts)
        for system in (None, *self.judged.systems):
            key = (label, "all", system)
            if key not in found or (system is not None and not self._texts(system).size):
                continue
            texts = self._texts(system)
            about = self._about(label, system) | {"n_items": texts.size, "n_raters": self._n_people(texts)}
            if label != FREE:
                about["n_ratings"] = int(n_marks[texts].sum())
                about["settings"] = {**about["settings"], "n_ratings": "marks of the metric"}
            for part in ("precision", "recall", "f1"):
                estimate: Estimate = getattr(found[key], part)
                notes = self._notes() if (label, system, part) == (None, None, "f1") else ()
                yield self.make.row(f"{stem}_{part}", estimate, note=joined(estimate.note, *notes), **about)

    def beside_people(self, label: str | None, found: Mapping[Hashable, Found], difference: Estimate) -> Iterator[Row]:
        """Yield F1 of the metric and of people on texts that several people judged, and the difference."""
        stem, of_people_ = ("error_free", "people_error_free") if label == FREE else ("metric_marks", "people_marks")
        for system in (None, *self.judged.systems):
            texts = self._texts(system)
            texts = texts[self.pairs.others_of(label)[texts] > 0]
            if (label, "shared", system) not in found or not texts.size:
                continue
            about = self._about(label, system) | {"n_items": texts.size, "n_raters": self._n_people(texts)}
            yield self.make.row(f"{stem}_f1_shared", found[label, "shared", system].f1, **about)
            yield self.make.row(f"{of_people_}_f1_shared", found[label, "people", system].f1, **about)
            if system is None:
                yield self.make.row(f"{stem}_f1_difference", difference, **about)

    def _about(self, label: str | None, system: str | None) -> dict[str, Any]:
        """Return the columns that all rows of a way of matching have."""
        settings: dict[str, Any] = {**self.drawn}
        if label == FREE:
            settings |= self.judged.definition
        else:
            settings["matching"] = label if label in {EXACT, CHARACTERS} else "partial credit"
        if label == SEVERITY:
            settings["penalty of another severity"] = self.penalty
        return {
            "metric": self.metric.name, "system": system, "label": None if label == FREE else label,
            "settings": settings,
        }  # fmt: skip

    def _texts(self, system: str | None) -> Codes:
        """Return the texts of a system, or all, that the metric judged, each once."""
        if system is None:
            return self.metric.text
        row, of_row = self.judged.systems_of(self.metric.text)
        return np.unique(self.metric.text[row[of_row == self.judged.systems.index(system)]])

    def _n_people(self, texts: Codes) -> int:
        people = self.judged.people
        return int(np.unique(people.rater[np.isin(people.text, texts)]).size)

    def _notes(self) -> Iterator[str]:
        """Yield sentences about answers and marks that are left out."""
        lacking = self.judged.n_texts - len(self.metric.text)
        if lacking:
            yield LACKING.format(n=lacking, of=self.judged.n_texts, metric=self.metric.name)
        if self.metric.elsewhere:
            yield ELSEWHERE.format(n=self.metric.elsewhere, metric=self.metric.name)
        if self.metric.unplaced + self.judged.unplaced:
            yield UNPLACED.format(n=self.metric.unplaced + self.judged.unplaced)
