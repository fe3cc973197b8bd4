"""What analyses and their statistics are called on pages. Each analysis makes its names known when it registers."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from analytics_app.show.cells import Words

CORRECTIONS = {
    "none": _("no correction"),
    "holm": _("Holm"),
    "bonferroni": _("Bonferroni"),
    "sidak": _("Šidák"),
    "holm-sidak": _("Holm and Šidák"),
    "fdr_bh": _("Benjamini and Hochberg"),
}

_analyses: dict[str, Words] = {}
_statistics: dict[str, Words] = {}


def add(analysis: str, label: Words, statistics: Mapping[str, Words]) -> None:
    """Make known what an analysis and its statistics are called; several may yield one statistic, by one name."""
    _analyses[analysis] = label
    _statistics.update(statistics)


def analysis(name: str) -> Words:
    """Name an analysis; one that is not known, by its key."""
    return _analyses.get(name, name)


def statistic(name: str) -> str:
    """Name a statistic; one that no analysis declares, by its key made readable."""
    return str(_statistics.get(name) or capfirst(name.replace("_", " ")))
