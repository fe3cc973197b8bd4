"""The interface of an analysis: declared settings, the scales it fits, and a pure function from a sample to rows."""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from django.utils.functional import Promise
from numpy.typing import NDArray

from analytics_app.ratings import Extra, Extras, Floats, Mask, Table
from analytics_app.results import TO_RATERS, TO_TEXTS, Basis, Row
from analytics_app.stats.resampling.bootstrap import Adjusted
from analytics_app.stats.scales.standardise import Constant
from analytics_app.stats.values import Estimate
from tasks_app.settings.study import Declared
from tasks_app.task_types.base import Scale

Words: TypeAlias = str | Promise
Intervals: TypeAlias = Literal["adjusted", "percentile"]
GeneraliseTo: TypeAlias = Literal["raters_and_texts", "texts"]
OverRaters: TypeAlias = Literal["t", "percentile"]


@dataclass(frozen=True, slots=True)
class QuestionCriterion:
    """One criterion of a question: `code` is its place in `table.names.criteria`.

    `labels` are those that the study offers, in their order; empty where there are none, or items bring their own.
    `wordings` are the short names of the wordings in which raters read the question; empty where all read the same.
    """

    key: str
    name: str
    scale: Scale
    code: int
    domain: tuple[float, ...] = ()
    limits: tuple[float, float] | None = None
    labels: tuple[str, ...] = ()
    wordings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """The question that was asked: the task, its scale, and the criterion (None for all of a task together).

    `domain` lists the steps of a scale with steps, `limits` are the ends of a range. A `whole` question has all
    `criteria` of the task. `params` are the cleaned parameters of the task, `labels` the options of a nominal scale in
    their order, `wordings` the short names of the wordings of the criterion, if raters read different ones.
    """

    task: str
    task_type: str
    scale: Scale
    criterion: str | None = None
    domain: tuple[float, ...] = ()
    limits: tuple[float, float] | None = None
    by_document: bool = False
    whole: bool = False
    criteria: tuple[QuestionCriterion, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    wordings: tuple[str, ...] = ()

    @property
    def items_bring_options(self) -> bool:
        """Return whether the options of the criterion differ between items."""
        return self.criterion in self.params.get("item_options", ())


@dataclass(frozen=True, slots=True)
class Common:
    """The settings that a plan has for every analysis. `pairs` are (system, system_b) by key, None for all.

    `scope_named` is false for runs from before rows said to what they generalise, so that these are computed again to
    the digit.
    """

    confidence: float = 0.95
    n_resamples: int = 1000
    intervals: Intervals = "adjusted"
    n_permutations: int = 9999
    correction: str = "holm"
    pairs: tuple[tuple[str, str], ...] | None = None
    ddof: int = 1
    constant: Constant = "drop"
    seed: int = 0
    generalise_to: GeneraliseTo = "raters_and_texts"
    over_raters: OverRaters = "t"
    scope_named: bool = True

    @property
    def limits(self) -> float:
        """Return the confidence for bootstraps: `Adjusted` for few units, or a number for plain percentiles."""
        return Adjusted(self.confidence) if self.intervals == "adjusted" else self.confidence

    @property
    def of_z(self) -> dict[str, Any]:
        """Return the options of judge-wise z: keyword arguments of `judge_wise_z`, and the settings in rows."""
        return {"ddof": self.ddof, "constant": self.constant}

    def scope(self, over: str) -> dict[str, str]:
        """Return the setting that names the population to which an interval or a test over units generalises.

        `over` names the units that are drawn: "raters", or items, documents and texts.
        """
        if not self.scope_named:
            return {}
        return {"generalises_to": TO_RATERS if over == "raters" else TO_TEXTS}


@dataclass(frozen=True, slots=True)
class Sample:
    """The ratings an analysis sees: those of one question on one basis, perhaps of one slice.

    `z` is judge-wise z, aligned with the table, NaN where undefined. `without` holds codes of systems left out,
    `extras` what the analyses of the run need beside. `group` and `wave` say that the rows are of one of them only.
    `apart` says that it is a part that holds the ratings of some systems only.
    """

    table: Table
    z: Floats
    question: Question
    common: Common
    basis: Basis
    slice: str | None = None
    without: frozenset[int] = frozenset()
    extras: Extras = field(default_factory=Extras)
    group: str | None = None
    wave: int | None = None
    apart: bool = False

    def where(self, mask: Mask, **changes: Any) -> Sample:
        """Return the sample of the rows that a mask keeps."""
        return replace(self, table=self.table.where(mask), z=self.z[mask], **changes)

    def part(self, mask: Mask, **changes: Any) -> Sample:
        """Return the sample of a slice, a group or a wave, marked `apart` if it has only some of the systems.

        The rows of such a part are about these systems, and would distinguish them from the others.
        """
        part = self.where(mask, **changes)
        some = not self.apart and 0 < n_systems(part.table) < n_systems(self.table)
        return replace(part, apart=True) if some else part

    def rng(self, purpose: str) -> np.random.Generator:
        """Return a generator that depends on the run's seed, the question and the purpose, and on nothing else."""
        return np.random.default_rng(self.seed(purpose))

    def seed(self, purpose: str) -> list[int]:
        """Return the seed of the generator for a purpose, which rows have in their settings."""
        words = [self.question.task, self.question.criterion or "", purpose, self.slice or ""]
        if self.group is not None or self.wave is not None:
            words.append(f"{self.group or ''}/{self.wave or ''}")
        return [self.common.seed, *(zlib.crc32(word.encode()) for word in words)]

    @property
    def text(self) -> NDArray[np.int64]:
        """Return a code for the subject of each rating: the text, and the criterion if the sample has several."""
        if self.question.criterion is not None:
            return self.table.text
        return self.table.text * (len(self.table.names.criteria) + 1) + self.table.criterion + 1

    def first_per_rater(self) -> Sample:
        """Return the sample with only the first rating of each rater for a text: nobody agrees with themselves."""
        if not len(self.table):
            return self
        keys = self.text * len(self.table.names.raters) + self.table.rater
        first = np.zeros(len(keys), dtype=bool)
        first[np.unique(keys, return_index=True)[1]] = True
        return self if first.all() else self.where(first)


@dataclass(frozen=True, slots=True)
class Rows:
    """Makes the rows of one analysis on one sample, with the columns that are the same in all of them."""

    analysis: str
    sample: Sample

    def row(self, statistic: str, estimate: Estimate | None = None, **columns: Any) -> Row:
        """Return a row; an estimate fills value, interval, p, counts and note, columns given by name go before it.

        A row that names a system distinguishes systems; others that do are given `by_system`.
        """
        from_estimate = {} if estimate is None else {name: getattr(estimate, name) for name in FROM_ESTIMATE}
        own_columns = {name: value for name, value in columns.items() if value is not None}
        # If all other systems are left out, the row is about the remaining system.
        alone = bool(self.sample.without) or self.sample.apart
        own_columns["by_system"] = bool(own_columns.get("by_system") or own_columns.get("system")) or alone
        if from_estimate.get("low") is not None:
            own_columns["settings"] = {"confidence": self.sample.common.confidence, **own_columns.get("settings", {})}
        if estimate is not None and estimate.exact:
            own_columns["settings"] = _exact(own_columns["settings"])
        of_the_sample = {
            "criterion": self.sample.question.criterion,
            "group": self.sample.group,
            "wave": self.sample.wave,
            "slice": self.sample.slice,
        }
        return Row(
            analysis=self.analysis,
            statistic=statistic,
            task=self.sample.question.task,
            basis=self.sample.basis,
            **{**of_the_sample, **from_estimate, **own_columns},
        )


def _exact(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of an exact interval that takes the place of one from resamples."""
    over = str(settings.get("interval", "")).removeprefix("bootstrap ")
    other_settings = {name: value for name, value in settings.items() if name not in {"n_resamples", "seed"}}
    return {**other_settings, "interval": f"exact {over}".strip(), "method": "Clopper-Pearson"}


FROM_ESTIMATE = ("value", "low", "high", "se", "df", "p", "n_ratings", "n_items", "n_raters", "note")


class Analysis(Declared, ABC):
    """One published way of looking at ratings. See the module docstring; `tests/house/` holds every member to it.

    The registry holds the classes. `Icc({"k": 3})` is the analysis with its settings, each of which the class declares
    once, as a field: `self.k` is the checked value.
    """

    name: ClassVar[str] = ""
    label: ClassVar[Words]
    summary: ClassVar[Words]
    source: ClassVar[str]
    scales: ClassVar[frozenset[Scale]]
    # The task types it is for; empty for every type that has one of its scales.
    task_types: ClassVar[frozenset[str]] = frozenset()

    # The names of its statistics on pages.
    statistics: ClassVar[Mapping[str, Words]] = {}

    # The statistics that say how far raters agree on a criterion, each with its place among those of all analyses. A
    # datasheet and a methods section report the one with the least place that a run computed.
    agreement: ClassVar[Mapping[str, int]] = {}

    # The statistics with too many rows for a table: pages show them only in charts.
    only_drawn: ClassVar[frozenset[str]] = frozenset()
    # The data it needs beside the ratings (analytics_app.ratings.extras).
    needs: ClassVar[frozenset[type[Extra]]] = frozenset()
    # Whether it comes first on the pages of its task types.
    leads: ClassVar[bool] = True
    # Whether it is computed once a task, from the ratings on all of its criteria.
    whole_task: ClassVar[bool] = False
    # Whether it is also computed for each group and wave, where a study has several.
    splits: ClassVar[bool] = True

    # Settings that every row repeats: an analysis plan may have the analysis twice if it differs in one of these.
    distinguishing_settings: ClassVar[tuple[str, ...]] = ()
    # Values of settings that were added later, for plans that were stored before there was a choice.
    before_the_choice: ClassVar[Mapping[str, object]] = {}

    @classmethod
    def fits(cls, question: Question) -> bool:
        """Return whether the analysis is meaningful for a question."""
        if cls.task_types and question.task_type not in cls.task_types:
            return False
        return question.whole if cls.whole_task else question.scale in cls.scales

    def needed(self) -> frozenset[type[Extra]]:
        """Return the extras that the analysis needs with its settings: some of `needs`, and those of its filters."""
        return self.needs

    def wants_all_criteria(self) -> bool:
        """Return whether the analysis is also computed over all criteria of a task together."""
        return False

    def of_pairs(self, sample: Sample) -> dict[str, Any]:
        """Return the columns that identify the leading row of a pair of systems; empty if systems are not compared.

        These are its `statistic`, and its `criterion` if that is not the criterion of the sample.
        """
        return {}

    def parts(self, sample: Sample) -> Iterator[Sample]:
        """Yield the parts of a sample that have rows of their own: the whole, unless settings choose others."""
        yield sample

    def rows(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of each part of a sample, then those of its groups and waves."""
        for part in self.parts(sample):
            yield from self.compute(part)
            yield from self.pairs_without_ratings(part)
            for split in groups_and_waves(part) if self.splits else ():
                yield from self.compute(split)

    def pairs_without_ratings(self, sample: Sample) -> Iterator[Row]:
        """Yield a row without a value, with the reason, for every planned pair that names a system without ratings.

        A pair with a system that the settings leave out has no row: whoever left it out knows why.
        """
        pair_columns, names = self.of_pairs(sample), sample.table.names.systems
        left_out = {names[code] for code in sample.without}
        rated = {names[code] for code in np.flatnonzero(ratings_of_systems(sample.table))}
        for a, b in (sample.common.pairs or ()) if pair_columns else ():
            missing = [key for key in (a, b) if key not in rated]
            if missing and left_out.isdisjoint((a, b)):
                note = f"Planned, but not compared: there are no ratings of {' or '.join(missing)} here."
                yield Rows(self.name, sample).row(**pair_columns, system=a, system_b=b, note=note)

    @abstractmethod
    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of one sample."""


def groups_and_waves(sample: Sample) -> Iterator[Sample]:
    """Yield the sample of each group, of each wave, and of each group in each wave, where there are several."""
    table = sample.table
    group, wave = table.judgments.group[table.judgment], table.judgments.wave[table.judgment]
    groups = [int(code) for code in np.unique(group[group >= 0])]
    waves = [int(number) for number in np.unique(wave)]
    groups = groups if len(groups) > 1 else []
    waves = waves if len(waves) > 1 else []
    for code in groups:
        yield sample.part(group == code, group=table.names.groups[code])
    for number in waves:
        yield sample.part(wave == number, wave=number)
    for code in groups:
        for number in waves:
            both = (group == code) & (wave == number)
            if both.any():
                yield sample.part(both, group=table.names.groups[code], wave=number)


def n_systems(table: Table) -> int:
    """Return the number of systems with rated texts, the second texts of pairs included."""
    return int(np.count_nonzero(ratings_of_systems(table)))


def ratings_of_systems(table: Table) -> NDArray[np.int64]:
    """Return the number of ratings of each system, by its code, the second texts of pairs included."""
    counts = np.bincount(table.by_system()[1], minlength=len(table.names.systems))
    if (table.part_b >= 0).any():
        counts += np.bincount(replace(table, part=table.part_b).by_system()[1], minlength=len(table.names.systems))
    return counts.astype(np.int64)


def of_one_system(table: Table) -> Mask:
    """Return for each rater, by code, whether all texts that they judged are by one of several systems.

    A statistic of such a rater would reveal the quality of that system.
    """
    row, system, _item = table.by_system()
    width = max(len(table.names.systems), 1)
    pairs = np.unique(table.rater[row].astype(np.int64) * width + system)
    single: Mask = np.bincount(pairs // width, minlength=len(table.names.raters)) == 1
    return single if len(np.unique(pairs % width)) > 1 else np.zeros_like(single)


def count(codes: NDArray[Any]) -> int:
    """Return the number of different codes."""
    return len(np.unique(codes))


def in_words(number: int, singular: str, several: str) -> str:
    """Return a number with its noun, for notes."""
    return f"{number} {singular if number == 1 else several}"
