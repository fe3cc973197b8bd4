"""The interface of a design: units and settings in, numbered booklets out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from tasks_app.settings.study import Block, Declared

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


# For each part of a unit in canonical order, the systems whose (identical) text it shows.
Shape: TypeAlias = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class PlanUnit:
    """A unit as a design sees it.

    `k` is how many judgments it should get. `shape` holds, for each part in canonical order, the systems whose
    (identical) text the part shows. `item` is None where a unit belongs to no item, `position` is the item's place in
    its document. `criterion` is the one a unit asks where each has units of its own: the key then ends in "@criterion".
    """

    key: str
    k: int
    item: str | None
    document: str | None
    position: int
    shape: Shape
    criterion: str = ""

    @property
    def base(self) -> str:
        """The key without the criterion, which all units of the same texts share."""
        return self.key.removesuffix(f"@{self.criterion}") if self.criterion else self.key

    @property
    def systems(self) -> tuple[str, ...]:
        """Every system the unit shows, once, sorted."""
        return _systems_in(self.shape)


@lru_cache(maxsize=10_000)
def _systems_in(shape: Shape) -> tuple[str, ...]:
    """Return the systems of a shape, sorted; many units have the same one, and drawing a plan asks for it often."""
    return tuple(sorted({system for part in shape for system in part}))


# The sets of a task, in the order in which they are claimed.
Plan: TypeAlias = list[tuple[PlanUnit, ...]]


@dataclass(frozen=True, slots=True)
class Batch:
    """A set that a researcher composed: its name, and the keys of its units without the criterion they may ask."""

    name: str
    units: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """Settings of a researcher that every design has.

    A booklet has `set_size` places; two units of one item stand at least `spacing` places apart in it (with 10, place
    1 and place 11). A spacing of 1 or less asks for nothing. `batches` are the researcher's own, in the order in which
    they are claimed, for a design that uses them.
    """

    set_size: int
    spacing: int
    batches: tuple[Batch, ...] = ()


class PlanImpossible(ValueError):
    """No plan under these settings keeps the promises of the design; the message is for the researcher.

    `nearest` names settings that were tried and do work: each entry alone, the other settings left as they are.
    """

    def __init__(self, message: StrOrPromise, nearest: Mapping[str, int] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.nearest: dict[str, int] = dict(nearest or {})

    def __str__(self) -> str:
        return str(self.message)


class OwnSettings(Block):
    """Settings for this design alone; none by default."""


class Design(Declared, ABC):
    """A way to draw booklets. A design's own settings are fields of its class, and an instance has their values.

    `margins` names what is balanced to within one in every prefix 1..b of the booklets, as `balance.Balance.spread`
    knows it; a design that promises nothing has none. A subclass is registered under its module's name.

    `keeps_order` says that the order of units inside a booklet is the point: no spacing is kept, and what raters leave
    should be given out booklet by booklet, in order. `by_document` says that a document by one system is judged whole:
    its units need the same k. `at_opening` says that the whole plan is drawn when the study opens.
    """

    label: ClassVar[StrOrPromise]
    margins: ClassVar[tuple[str, ...]] = ()
    keeps_order: ClassVar[bool] = False
    by_document: ClassVar[bool] = False
    at_opening: ClassVar[bool] = True

    Settings: ClassVar[type[Block]] = OwnSettings

    @abstractmethod
    def draw(self, units: Sequence[PlanUnit], settings: PlanSettings, rng: Random) -> Plan:
        """Booklets in the order they are to be claimed, each with its units in the order they are shown.

        The same design, units, settings and seed give the same plan. Raises PlanImpossible where the settings cannot
        be kept.
        """

    def in_words(self, set_size: int) -> str:
        """Describe in a sentence without its full stop how sets were made, for the methods section of a paper."""
        return ""

    def promised(self, units: Sequence[PlanUnit], settings: PlanSettings) -> tuple[str, ...]:
        """Return the margins kept for these units and settings; others are as even as can be, which is measured."""
        return self.margins
