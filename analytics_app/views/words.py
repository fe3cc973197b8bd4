"""Names for the keys in rows and settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from django import forms
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app import analyses, quality
from analytics_app.analyses.base import Words
from analytics_app.plan import ALL, PlanBlock
from analytics_app.results import REPLACED
from tasks_app.registry import Registry

STATISTICS = {
    "mean": gettext_lazy("Mean"),
    "mean_over_raters": gettext_lazy("Mean, interval over raters"),
    "mean_z": gettext_lazy("Mean z"),
    "mean_z_over_raters": gettext_lazy("Mean z, interval over raters"),
    "median": gettext_lazy("Median"),
    "sd": gettext_lazy("SD"),
    "share": gettext_lazy("Share"),
    "distribution": gettext_lazy("Distribution"),
    "difference": gettext_lazy("Difference"),
    "difference_z": gettext_lazy("Difference of z"),
    "difference_over_raters": gettext_lazy("Difference, interval over raters"),
    "wilcoxon": gettext_lazy("Wilcoxon's statistic"),
    "effect_size": gettext_lazy("Effect size"),
    "effect_size_z": gettext_lazy("Effect size of z"),
    "superiority": gettext_lazy("Probability of superiority"),
    "alpha": gettext_lazy("Krippendorff's alpha"),
    "pearson": gettext_lazy("Pearson's r, all pairs of ratings"),
    "pearson_mean": gettext_lazy("Pearson's r, mean over pairs of raters"),
    "pearson_mean_fisher": gettext_lazy("Pearson's r, mean over pairs of raters by Fisher's z"),
    "pearson_pair": gettext_lazy("Pearson's r"),
    "spearman": gettext_lazy("Spearman's rho, all pairs of ratings"),
    "spearman_mean": gettext_lazy("Spearman's rho, mean over pairs of raters"),
    "spearman_mean_fisher": gettext_lazy("Spearman's rho, mean over pairs of raters by Fisher's z"),
    "spearman_pair": gettext_lazy("Spearman's rho"),
    "rater_mean": gettext_lazy("Mean of a rater"),
    "rater_sd": gettext_lazy("SD of a rater"),
}

CORRECTIONS = {
    "none": gettext_lazy("no correction"),
    "holm": gettext_lazy("Holm"),
    "bonferroni": gettext_lazy("Bonferroni"),
    "sidak": gettext_lazy("Šidák"),
    "holm-sidak": gettext_lazy("Holm and Šidák"),
    "fdr_bh": gettext_lazy("Benjamini and Hochberg"),
}


def statistic(name: str) -> str:
    """Name a statistic; one that no page knows by its key, readable."""
    return str(STATISTICS.get(name) or _of_analyses().get(name) or capfirst(name.replace("_", " ")))


@cache
def _of_analyses() -> dict[str, Words]:
    """What analyses call their statistics."""
    return {name: label for member in analyses.registry.values() for name, label in member.statistics.items()}


# Why ratings are left out before any rule (analytics_app.ratings.left_out).
LEFT_OUT = {
    "sandbox": gettext_lazy("Tried out, not judged"),
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
    "surplus": gettext_lazy("Surplus: the place had gone to another rater"),
    "within": gettext_lazy("Questions repeated on the same screen"),
}


def left_out(reason: str) -> str:
    """Name why ratings are left out before any rule."""
    return str(LEFT_OUT.get(reason, reason))


def rule(name: str) -> str:
    """Name a quality rule."""
    if name == REPLACED:
        return _("Reassigned to another rater")
    return str(quality.registry[name].label) if name in quality.registry else name


def settings_in_words(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield pairs of a label and a text that say how a run was computed."""
    rules = [_entry(quality.registry, entry, "rule") for entry in settings.get("rules", ())]
    yield _("Quality rules"), "; ".join(rules) or _("none")
    wanted = settings.get("analyses", ALL)
    named = [] if wanted == ALL else [_entry(analyses.registry, entry, "analysis") for entry in wanted]
    yield _("Analyses"), "; ".join(named) if named else _("all that fit the scale")
    pairs = settings.get("comparisons", ALL)
    compared = "; ".join(" – ".join(pair) for pair in pairs) if pairs != ALL else _("every pair of systems")
    yield _("Comparisons"), compared
    for name, field in PlanBlock.base_fields.items():
        if name in settings:
            yield str(field.label), _value(name, field, settings[name])


def _value(name: str, field: forms.Field, value: object) -> str:
    choices = CORRECTIONS if name == "correction" else dict(getattr(field, "choices", ()))
    if isinstance(value, str) and value in choices:
        return str(choices[value])
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return str(value) if value not in (None, "") else _("none")


def _entry(registry: Registry[Any], entry: Mapping[str, Any], word: str) -> str:
    """Name a rule or an analysis with the settings that were given."""
    name = str(entry[word])
    if name not in registry:
        return name
    fields = registry[name].Settings.base_fields
    given = [
        f"{field.label}: {_plain(entry[key])}"
        for key, field in fields.items()
        if key in entry and entry[key] not in (None, "", [], False) and (word == "rule" or entry[key] != field.initial)
    ]
    return f"{registry[name].label} ({', '.join(given)})" if given else str(registry[name].label)


def _plain(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def sources(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each rule and analysis of a run with where it comes from."""
    for entry in settings.get("rules", ()):
        if entry["rule"] in quality.registry:
            member = quality.registry[entry["rule"]]
            yield str(member.label), member.source
    wanted = settings.get("analyses", ALL)
    named = list(analyses.registry) if wanted == ALL else list(dict.fromkeys(entry["analysis"] for entry in wanted))
    for name in named:
        if name in analyses.registry:
            yield str(analyses.registry[name].label), analyses.registry[name].source
