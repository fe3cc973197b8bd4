"""The charts that analyses bring, found in the modules of `analytics_app.charts.kinds`."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator
from importlib import import_module
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


def discover(package: str) -> None:
    """Import every module of a package, so that its charts are known; names with a leading _ are not."""
    for module in pkgutil.iter_modules(import_module(package).__path__, prefix=f"{package}."):
        if not module.name.rpartition(".")[2].startswith("_"):
            import_module(module.name)
