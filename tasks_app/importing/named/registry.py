"""The registry of named formats."""

from tasks_app.hooks.registry import Registry, stem
from tasks_app.importing.named.base import NamedFormat

registry: Registry[NamedFormat] = Registry("format")


def register(member: type[NamedFormat]) -> type[NamedFormat]:
    """Make a format known under its module's name, written with hyphens."""
    member.name = stem(member).replace("_", "-")
    registry.register(member())
    return member


def format_called(name: str) -> NamedFormat:
    """Return a format by its name. Raises tasks_app.hooks.registry.UnknownMember."""
    return registry[name.replace("-", "_")]
