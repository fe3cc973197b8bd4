"""Names for the keys in rows and settings."""

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app import analyses, quality
from analytics_app.plan import ALL, PlanBlock
from analytics_app.show.labels import CORRECTIONS
from tasks_app.hooks.registry import Registry

# The reasons why ratings are left out before any rule (analytics_app.ratings.left_out_before_rules).
LEFT_OUT = {
    "sandbox": gettext_lazy("Tried out, not judged"),
    "metric": gettext_lazy("Of automatic metrics: compared with people, and not counted among them"),
    "version": gettext_lazy("Of another version of the study"),
    "training": gettext_lazy("Training"),
    "exam": gettext_lazy("Exam"),
    "warm_up": gettext_lazy("Warm-up"),
    "control": gettext_lazy("Control items"),
    "attention": gettext_lazy("Attention checks"),
    "repeat": gettext_lazy("Repeated items"),
    "withdrawn": gettext_lazy("Withdrawn by the rater"),
    "returned": gettext_lazy("Given back on the platform"),
    "revised": gettext_lazy("Revised later: the newer answer counts"),
    "skipped": gettext_lazy("Skipped"),
    "withdrawn_text": gettext_lazy("Of texts that were withdrawn"),
    "surplus": gettext_lazy("Surplus: the place had gone to another rater"),
    "added": gettext_lazy("At places added while the study was open, beyond what these settings count"),
    "within": gettext_lazy("Questions repeated on the same screen"),
}


def left_out(reason: str) -> str:
    """Return the reason in words why ratings are left out before any rule."""
    return str(LEFT_OUT.get(reason, reason))


def settings_in_words(settings: Mapping[str, Any], *, systems: bool = True) -> Iterator[tuple[str, str]]:
    """Yield the settings of a run as pairs of a label and a text; without `systems`, none that names systems."""
    rules = [_entry(quality.registry, entry, "rule") for entry in settings.get("rules", ())]
    yield _("Quality rules"), "; ".join(rules) or _("none")
    entries = settings.get("analyses", ALL)
    named = [] if entries == ALL else [_entry(analyses.registry, entry, "analysis") for entry in entries]
    yield _("Analyses"), "; ".join(named) if named else _("all that fit the scale")
    pairs = settings.get("comparisons", ALL)
    compared = "; ".join(" – ".join(pair) for pair in pairs) if pairs != ALL else _("every pair of systems")
    if systems:
        yield _("Comparisons"), compared
    for name, field in PlanBlock.base_fields.items():
        if name in settings:
            yield str(field.label), value(name, field, settings[name]) + _limited(name, settings[name])


def _limited(name: str, given: object) -> str:
    """Return the limits of a setting that not every analysis can follow; "" for the others."""
    if (name, given) != ("generalise_to", "raters_and_texts"):
        return ""
    return _(", where an analysis has such a test; each test of the results names its conclusion")


def value(name: str, field: forms.Field, given: object) -> str:
    """Return the value of a setting in words."""
    choices = CORRECTIONS if name == "correction" else dict(getattr(field, "choices", ()))
    if isinstance(given, str) and given in choices:
        return str(choices[given])
    if isinstance(given, bool):
        return _("yes") if given else _("no")
    return plain(given) if given not in (None, "", []) else _("none")


def _entry(registry: Registry[Any], entry: Mapping[str, Any], word: str) -> str:
    """Return the name of a rule or an analysis with its settings."""
    name = str(entry[word])
    if name not in registry:
        return name
    fields = registry[name].Settings.base_fields
    given = [
        f"{field.label}: {value(key, field, entry[key])}"
        for key, field in fields.items()
        if key in entry and entry[key] not in (None, "", [], False) and (word == "rule" or entry[key] != field.initial)
    ]
    return f"{registry[name].label} ({', '.join(given)})" if given else str(registry[name].label)


def plain(given: object) -> str:
    """Return a value as text, and a list with commas."""
    return ", ".join(map(str, given)) if isinstance(given, list) else str(given)


def sources(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each rule and analysis of a run with its source."""
    for entry in settings.get("rules", ()):
        if entry["rule"] in quality.registry:
            member = quality.registry[entry["rule"]]
            yield str(member.label), member.source
    entries = settings.get("analyses", ALL)
    named = list(analyses.registry) if entries == ALL else list(dict.fromkeys(entry["analysis"] for entry in entries))
    for name in named:
        if name in analyses.registry:
            yield str(analyses.registry[name].label), analyses.registry[name].source
