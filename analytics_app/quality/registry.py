"""The registry of quality rules."""

from typing import TypeVar

from analytics_app.quality.base import Rule
from tasks_app.registry import Registry, stem

AnyRule = TypeVar("AnyRule", bound=Rule)

registry: Registry[Rule] = Registry("quality rule")


def register(member: type[AnyRule]) -> type[AnyRule]:
    """Register an instance of a rule under its module's name."""
    member.name = stem(member)
    registry.register(member())
    return member
