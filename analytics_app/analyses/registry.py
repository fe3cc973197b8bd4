"""The registry of analyses."""

import pkgutil
from importlib import import_module
from typing import TypeVar

from analytics_app.analyses.base import Analysis
from analytics_app.show import labels
from tasks_app.hooks.registry import Registry, stem

AnyAnalysis = TypeVar("AnyAnalysis", bound=Analysis)

registry: Registry[type[Analysis]] = Registry("analysis")


def register(member: type[AnyAnalysis]) -> type[AnyAnalysis]:
    """Register an analysis under its module's name, with the names of it and its statistics."""
    member.name = stem(member)
    registry.register(member)
    labels.add(member.name, member.label, member.statistics)
    return member


def only_drawn() -> frozenset[str]:
    """Return the statistics of all analyses that pages show only in charts."""
    return frozenset().union(*(member.only_drawn for member in registry.values()))


def measures_of_agreement() -> tuple[str, ...]:
    """Return the statistics of agreement of all analyses, in the order in which a datasheet prefers them."""
    places = {name: place for member in registry.values() for name, place in member.agreement.items()}
    return tuple(sorted(places, key=lambda name: (places[name], name)))


def import_shown(package: str) -> None:
    """Import the tables, charts and finding of every analysis that has some, so that they register."""
    for name in registry:
        path = getattr(import_module(f"{package}.{name}"), "__path__", [])
        for module in pkgutil.iter_modules(path, prefix=f"{package}.{name}."):
            if module.name.endswith((".tables", ".charts", ".finding")):
                import_module(module.name)
