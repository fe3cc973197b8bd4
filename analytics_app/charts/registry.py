"""The registry of charts that analyses bring, found in `analytics_app.charts.kinds`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from analytics_app.charts.drawing import Sketch
from analytics_app.charts.picking import Material

Kind: TypeAlias = Callable[[Material], Iterator[Sketch]]

_kinds: list[tuple[int, Kind]] = []


def chart(*, order: int) -> Callable[[Kind], Kind]:
    """Make a kind of chart known; those of a lower order stand first (shares 10, means 30, agreement 90)."""

    def known(kind: Kind) -> Kind:
        _kinds.append((order, kind))
        return kind

    return known


def by_order(one: tuple[int, Kind]) -> tuple[int, str, str]:
    """Sort key that does not depend on which module was imported first."""
    order, kind = one
    return order, kind.__module__, kind.__qualname__


def of_analyses() -> list[tuple[int, Kind]]:
    """Return every chart that was made known, in its order."""
    return sorted(_kinds, key=by_order)
