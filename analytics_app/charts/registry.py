"""The registry of the charts of analyses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from analytics_app.charts.drawing import Sketch
from analytics_app.charts.picking import Material

Kind: TypeAlias = Callable[[Material], Iterator[Sketch]]


@dataclass(frozen=True, slots=True)
class Registered:
    """A kind of chart; charts of a lower order come first."""

    order: int
    kind: Kind
    of_task: bool
    side_by_side: bool


_registered: list[Registered] = []


def chart(*, order: int, of_task: bool = True, side_by_side: bool = False) -> Callable[[Kind], Kind]:
    """Register a kind of chart; charts of a lower order come first (shares 11, means 30, agreement 90).

    One that is not `of_task` is drawn of single criteria only. One that is drawn `side_by_side` also compares the
    criteria of a task.
    """

    def known(kind: Kind) -> Kind:
        _registered.append(Registered(order, kind, of_task, side_by_side))
        return kind

    return known


def in_order() -> list[Registered]:
    """Return every chart that was made known; the order does not depend on which module was imported first."""
    return sorted(_registered, key=lambda one: (one.order, one.kind.__module__, one.kind.__qualname__))
