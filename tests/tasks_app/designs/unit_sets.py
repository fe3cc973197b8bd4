"""Sets of units to draw plans for."""

from itertools import combinations
from pathlib import Path

from hypothesis import strategies as st

from tasks_app.designs.base import PlanUnit


def crossed(items: int, systems: int, k: int) -> list[PlanUnit]:
    """Every system's output of every item, one a unit."""
    return [
        PlanUnit(f"{i}-{s}", k, f"item {i}", None, 0, ((f"system {s}",),)) for i in range(items) for s in range(systems)
    ]


def apart(items: int, outputs: int) -> list[PlanUnit]:
    """Every item has systems of its own, so that a booklet's systems leave no choice of units."""
    return [
        PlanUnit(f"{i}-{n}", 2, f"item {i}", None, 0, ((f"system {i}-{n}",),))
        for i in range(items)
        for n in range(outputs)
    ]


def pairs(items: int, systems: int, k: int) -> list[PlanUnit]:
    """Every two systems' outputs of every item side by side."""
    return [
        PlanUnit(f"{i}-{a}{b}", k, f"item {i}", None, 0, ((f"system {a}",), (f"system {b}",)))
        for i in range(items)
        for a, b in combinations(range(systems), 2)
    ]


def shared(k: int) -> list[PlanUnit]:
    """Units as published data give them: 720 outputs of nine systems, of which 37 % are equal to another."""
    lines = Path(__file__).with_name("shared_outputs.txt").read_text().splitlines()
    items = [line.split() for line in lines if not line.startswith("#")]
    return [
        PlanUnit(f"{i}-{group}", k, f"item {i}", None, 0, (tuple(group),))
        for i, groups in enumerate(items)
        for group in groups
    ]


@st.composite
def unit_sets(draw: st.DrawFn) -> list[PlanUnit]:
    """A few items with outputs missing, shared by systems, or side by side, with the same or different k."""
    systems = [f"s{i}" for i in range(draw(st.integers(1, 5)))]
    same = draw(st.none() | st.integers(1, 4))
    units: list[PlanUnit] = []
    for i in range(draw(st.integers(1, 9))):
        present = [system for system in systems if draw(st.integers(0, 9))]
        kind = draw(st.sampled_from(["one", "one", "shared", "pair"]))
        shapes: list[tuple[tuple[str, ...], ...]] = [((system,),) for system in present]
        if kind == "shared":
            groups: dict[int, list[str]] = {}
            for system in present:
                groups.setdefault(draw(st.integers(0, 2)), []).append(system)
            shapes = [(tuple(group),) for group in groups.values()]
        elif kind == "pair":
            shapes = [((a,), (b,)) for a, b in combinations(present, 2)]
        item = f"item {i}" if draw(st.integers(0, 9)) else None
        units += [
            PlanUnit(f"{i}-{n}", same or draw(st.integers(0, 4)), item, None, 0, shape)
            for n, shape in enumerate(shapes)
        ]
    return units


def documents(lengths: list[int], systems: int, k: int) -> list[PlanUnit]:
    """Documents of so many items, each by every system; the items of a document are given last first."""
    return [
        PlanUnit(f"{d}.{i}-{s}", k, f"item {d}.{i}", f"document {d}", i, ((f"system {s}",),))
        for d, length in enumerate(lengths)
        for i in reversed(range(length))
        for s in range(systems)
    ]
