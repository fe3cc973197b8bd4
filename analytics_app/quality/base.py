"""The interface of a quality rule: declared settings, and a pure function from a table to exclusions with reasons."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar

import numpy as np
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from numpy.typing import ArrayLike, NDArray

from analytics_app.ratings import Extra, Extras, Floats, Mask, Table
from analytics_app.ratings.carefulness import raters_in
from analytics_app.results import REPLACED
from tasks_app.hooks.registry import Registry, stem
from tasks_app.settings.study import Declared

Words: TypeAlias = str | Promise
Target: TypeAlias = Literal["rater", "judgment", "rating"]


@dataclass(frozen=True, slots=True)
class ByHand:
    """An exclusion by a person: of a rater, a judgment or a rating (by id), and the reason that was written."""

    target: Target
    id: int
    reason: str


@dataclass(frozen=True, slots=True)
class Scope:
    """The scale of a criterion: `code` is its place in `table.names.criteria`; `step` is 0 on a continuous scale."""

    key: str
    code: int
    low: float
    high: float
    step: float


@dataclass(frozen=True, slots=True)
class Asking:
    """The questions of a task: its key, its cleaned parameters, and the criteria that have a numeric scale.

    `marked` holds the codes of criteria that are answered by marks in a text. Rules never remove single marks: without
    them the text would count as a text without errors.
    """

    key: str
    params: Mapping[str, Any] = field(default_factory=dict)
    scales: tuple[Scope, ...] = ()
    marked: frozenset[int] = frozenset()

    @property
    def ranges(self) -> dict[int, tuple[float, float, float]]:
        """Lowest value, highest value and step of each criterion with a numeric scale, by its code."""
        return {scale.code: (scale.low, scale.high, scale.step) for scale in self.scales}


@dataclass(frozen=True, slots=True)
class RuleSample:
    """Input of a rule: the ratings of one task that earlier rules kept, with their z.

    `z` is judge-wise z within rater and criterion, aligned with the table, NaN where undefined and for rules without
    `on_z`. It is computed on the ratings that rules not based on z have kept; z-based rules do not change it.
    `extras` holds further data that the rule needs, `task` the questions. `unrated` are codes of judgments that count
    and have no rating: where errors are marked, judgments without errors.
    """

    table: Table
    z: Floats
    by_hand: tuple[ByHand, ...] = ()
    extras: Extras = field(default_factory=Extras)
    task: Asking = field(default_factory=lambda: Asking(""))
    unrated: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    @property
    def raters(self) -> NDArray[np.int64]:
        """Codes of the raters in the sample, ascending."""
        return np.union1d(raters_in(self.table), self.table.judgments.rater[self.unrated]).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Removal:
    """Exclusions by a rule: ids of raters, judgments or ratings, each with its reason, value and limit.

    `mask` marks the removed rows of the sample. `side` is -1, 0 or 1 for each of these rows where low and high
    values are removed. `notes` are sentences on what the rule could not test, and why.
    """

    mask: Mask
    target: Target
    ids: NDArray[np.int64]
    reasons: tuple[str, ...]
    values: Floats | None = None
    limits: Floats | None = None
    side: NDArray[np.int8] | None = None
    notes: tuple[str, ...] = ()
    # Reasons of a kind other than `target`, such as raters and single judgments excluded by hand.
    more: tuple[Removal, ...] = field(default=())

    @classmethod
    def nothing(cls, sample: RuleSample, *notes: str) -> Removal:
        """Remove nothing; the notes say why."""
        empty = np.empty(0, dtype=np.int64)
        return cls(np.zeros(len(sample.table), dtype=bool), "rating", empty, (), notes=notes)


def shared(sentences: Iterable[str]) -> tuple[str, ...]:
    """Return sentences of which equal ones are one object: reasons for ratings are many, and most are alike."""
    known: dict[str, str] = {}
    return tuple(known.setdefault(sentence, sentence) for sentence in sentences)


class Evidence(Enum):
    """Data that a quality rule needs and a study may have."""

    # Minutes that a set should take: of studies whose ratings were collected here.
    MINUTES = auto()
    TIMES = auto()
    # A numeric scale.
    SCALE = auto()
    # Numeric scales that all have three positions or more: of two, such as right and wrong, good raters give long runs.
    POSITIONS = auto()
    SKIPS = auto()
    KNOWN_ANSWERS = auto()
    REPEATS = auto()


class Rule(Declared, ABC):
    """A published rule for excluding untrustworthy ratings. See the module docstring.

    The registry holds the classes. `Iqr({"factor": 2})` is the rule with its settings, each of which the class
    declares once, as a field: `self.factor` is the checked value.
    """

    name: ClassVar[str] = ""
    label: ClassVar[Words]
    summary: ClassVar[Words]
    source: ClassVar[str]
    # A warning shown beside the rule.
    caution: ClassVar[Words] = ""
    # Whether the rule uses z: then z is not recomputed after it, since that would undo the rule.
    on_z: ClassVar[bool] = False

    # Further data that the rule needs (analytics_app.ratings.extras).
    needs: ClassVar[frozenset[type[Extra]]] = frozenset()

    # Position among the rules that a plan does not name: raters before texts before single ratings.
    order: ClassVar[int] = 100

    # What a study must have for the preset Strict to switch the rule on; None: the preset never does (decision 79).
    strict: ClassVar[frozenset[Evidence] | None] = None

    @property
    def checks(self) -> frozenset[str]:
        """The checks of raters that the rule looks at: control, attention, degraded, repeat."""
        return frozenset()

    @property
    def least_checks(self) -> int:
        """The number of checks that a rater must have answered before the rule can leave them out."""
        return 0

    @abstractmethod
    def remove(self, sample: RuleSample) -> Removal:
        """Return the exclusions."""


AnyRule = TypeVar("AnyRule", bound=Rule)

registry: Registry[type[Rule]] = Registry("quality rule")


def register(member: type[AnyRule]) -> type[AnyRule]:
    """Register a rule under its module's name."""
    member.name = stem(member)
    registry.register(member)
    return member


def rule_name(key: str) -> str:
    """Return the name of a quality rule on pages, or of the last step of a funnel; the key of an unknown rule."""
    if key == REPLACED:
        return _("Reassigned to another rater")
    return str(registry[key].label) if key in registry else key


def remove_raters(
    sample: RuleSample,
    raters: NDArray[np.integer],
    reasons: Sequence[str],
    *,
    values: ArrayLike,
    limits: ArrayLike,
    notes: Sequence[str] = (),
) -> Removal:
    """Remove all ratings of some raters; the arrays have an entry for each of these raters."""
    names = sample.table.names
    return Removal(
        mask=np.isin(sample.table.rater, raters),
        target="rater",
        ids=names.rater_ids[raters],
        reasons=tuple(reasons),
        values=np.broadcast_to(np.asarray(values, dtype=np.float64), raters.shape),
        limits=np.broadcast_to(np.asarray(limits, dtype=np.float64), raters.shape),
        notes=tuple(notes),
    )


def not_tested(n: int, reason: str) -> tuple[str, ...]:
    """Return a note on how many raters a rule could not test and kept."""
    if not n:
        return ()
    raters, verb = ("1 rater", "was") if n == 1 else (f"{n:,} raters", "were")
    return (f"{raters} {verb} not tested and kept: {reason}.",)


def by_criterion(sentences: Mapping[str, str], all_of: int) -> list[str]:
    """Return each sentence about criteria once, with their names unless it is about all of them."""
    criteria_by_sentence: dict[str, list[str]] = {}
    for name, sentence in sentences.items():
        criteria_by_sentence.setdefault(sentence, []).append(name)
    return [
        sentence if len(names) == all_of > 1 else f"{', '.join(names)}: {sentence}"
        for sentence, names in criteria_by_sentence.items()
    ]


def share_in_words(share: float) -> str:
    """Write a share in per cent, with a decimal unless it is a whole number."""
    return f"{share * 100:.0f} %" if abs(share * 100 - round(share * 100)) < 0.05 else f"{share * 100:.1f} %"
