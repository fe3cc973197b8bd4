"""The names of analyses and their statistics on pages, which each analysis adds when it registers."""

from collections.abc import Mapping

from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from analytics_app.show.cells import Words

CORRECTIONS = {
    "none": _("no correction"),
    "holm": _("Holm"),
    "bonferroni": _("Bonferroni"),
    "sidak": _("Šidák"),
    "holm-sidak": _("Holm–Šidák"),
    "simes-hochberg": _("Simes–Hochberg"),
    "hommel": _("Hommel"),
    "fdr_bh": _("Benjamini–Hochberg"),
    "fdr_by": _("Benjamini–Yekutieli"),
}

_analyses: dict[str, Words] = {}
_statistics: dict[str, Words] = {}


def add(analysis: str, label: Words, statistics: Mapping[str, Words]) -> None:
    """Add the names of an analysis and its statistics; several analyses may yield a statistic of one name."""
    _analyses[analysis] = label
    _statistics.update(statistics)


def analysis(name: str) -> Words:
    """Return the name of an analysis; the key of an unknown one."""
    return _analyses.get(name, name)


def statistic(name: str) -> str:
    """Return the name of a statistic; a readable form of the key if no analysis declares it."""
    return str(_statistics.get(name) or capfirst(name.replace("_", " ")))
