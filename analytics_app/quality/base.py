"""The interface of a quality rule: declared settings, and a pure function from a table to exclusions with reasons."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from django.utils.functional import Promise
from numpy.typing import NDArray

from analytics_app.ratings import Extra, Extras, Floats, Mask, Table
from analytics_app.ratings.carefulness import raters_in
from tasks_app.study_settings import Block

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
    """The scale of a criterion: `code` is its place in `table.names.criteria`; `step` is 0 where there are none."""

    key: str
    code: int
    low: float
    high: float
    step: float


@dataclass(frozen=True, slots=True)
class Asking:
    """What was asked in a task: its key, its cleaned parameters, and the criteria that have a numeric scale.

    `marked` holds the codes of criteria that are answered by marks in a text. A mark is no answer: without it the text
    would count as one without an error, so no rule takes single ones.
    """

    key: str
    params: Mapping[str, Any] = field(default_factory=dict)
    scales: tuple[Scope, ...] = ()
    marked: frozenset[int] = frozenset()

    @property
    def ranges(self) -> dict[int, tuple[float, float, float]]:
        """Lowest value, highest value and step of each criterion with a numeric scale, by its code."""
        return {one.code: (one.low, one.high, one.step) for one in self.scales}


@dataclass(frozen=True, slots=True)
class RuleSample:
    """What a rule sees: the ratings of one task that the rules before it kept, with z for them.

    `z` is judge-wise z within rater and criterion, aligned with the table, NaN where undefined and for rules that do
    not say `on_z`. It is of what these rules kept and of what earlier rules on z took.
    `extras` holds what the rule needs beside, `task` says what was asked. `unrated` are codes of judgments that count
    and have no rating: where errors are marked, those that found none.
    """

    table: Table
    z: Floats
    by_hand: tuple[ByHand, ...] = ()
    extras: Extras = field(default_factory=Extras)
    task: Asking = field(default_factory=lambda: Asking(""))
    unrated: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    @property
    def raters(self) -> NDArray[np.int64]:
        """Codes of the raters who are left, ascending."""
        return np.union1d(raters_in(self.table), self.table.judgments.rater[self.unrated]).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Removal:
    """What a rule takes out: ids of raters, judgments or ratings, each with its reason, value and limit.

    `mask` marks the rows of the sample that go. `side` is -1, 0 or 1 for each of these rows where low and high
    values are removed. `notes` says what the rule could not do, and why.
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
        """Remove nothing, and say why where there is something to say."""
        empty = np.empty(0, dtype=np.int64)
        return cls(np.zeros(len(sample.table), dtype=bool), "rating", empty, (), notes=notes)


class NoSettings(Block):
    """Settings of a rule that has none."""


class Rule(ABC):
    """One published way of telling which ratings to trust. See the module docstring."""

    name: ClassVar[str] = ""
    label: ClassVar[Words]
    summary: ClassVar[Words]
    source: ClassVar[str]
    # Said beside the rule where its use needs care.
    caution: ClassVar[Words] = ""
    # Whether it looks at z: then z is not taken again after it, and the means of z are of the values it saw.
    on_z: ClassVar[bool] = False

    # What it needs beside the ratings (analytics_app.ratings.extras).
    needs: ClassVar[frozenset[type[Extra]]] = frozenset()

    # Where it stands among the rules that a plan does not name: raters before texts before single ratings.
    order: ClassVar[int] = 100

    Settings: ClassVar[type[Block]] = NoSettings

    @abstractmethod
    def remove(self, sample: RuleSample, settings: Mapping[str, object]) -> Removal:
        """Say what goes."""
