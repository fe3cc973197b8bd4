"""Settings of rules and analyses in words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django import forms

from analytics_app import quality
from tasks_app.settings.checks import OnFailing


def rules_in_words(settings: Mapping[str, Any]) -> list[str]:
    """Return the quality rules of a plan or run in words with their settings, in their order."""
    return [rule_in_words(entry) for entry in settings.get("rules", ())]


def rule_in_words(entry: Mapping[str, Any]) -> str:
    """Return a quality rule in words with its settings."""
    name = str(entry["rule"])
    if name not in quality.registry:
        return name
    fields = quality.registry[name].Settings.base_fields
    given = ", ".join(
        _setting(field, entry[key])
        for key, field in fields.items()
        if key in entry and entry[key] not in (None, "", [], False)
    )
    label = str(quality.registry[name].label)
    return f"{label} ({given})" if given else label


def _setting(field: forms.Field, value: object) -> str:
    """Return a setting in words: one that is switched on by its label alone, choices by their names."""
    if value is True:
        return str(field.label)
    names = {str(key): str(name) for key, name in getattr(field, "choices", ()) if not isinstance(name, (list, tuple))}
    values = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    return f"{field.label}: {', '.join(names.get(str(entry), str(entry)) for entry in values)}"


def failing(on_failing: str, fail_below: float, fail_after: int) -> Iterator[str]:
    """Yield sentences about the consequences for raters with too few checks right."""
    ends = {
        OnFailing.MARK: "marked for the researchers",
        OnFailing.WARN: "warned at the next break",
        OnFailing.STOP: "given no further sets",
        OnFailing.END: "removed from the study with part of the pay",
    }
    yield (
        f"Raters with fewer than {fail_below:.0%} of at least {fail_after} checks correct were "
        f"{ends[OnFailing(on_failing)]}."
    )
