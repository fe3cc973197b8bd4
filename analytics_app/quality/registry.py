"""The registry of quality rules."""

from typing import TypeVar

from django.utils.translation import gettext as _

from analytics_app.quality.base import Rule
from analytics_app.results import REPLACED
from tasks_app.registry import Registry, stem

AnyRule = TypeVar("AnyRule", bound=Rule)

registry: Registry[Rule] = Registry("quality rule")


def register(member: type[AnyRule]) -> type[AnyRule]:
    """Register an instance of a rule under its module's name."""
    member.name = stem(member)
    registry.register(member())
    return member


def rule_name(key: str) -> str:
    """Return the name of a quality rule on pages, or of the last step of a funnel; the key of an unknown rule."""
    if key == REPLACED:
        return _("Reassigned to another rater")
    return str(registry[key].label) if key in registry else key
