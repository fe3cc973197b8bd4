"""The conclusions that intervals and tests allow, in words, for rows of any run."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from django.utils.translation import gettext_lazy as _

from analytics_app.models import ResultRow
from analytics_app.results import TO_RATERS, TO_RATERS_AND_TEXTS, TO_TEXTS
from analytics_app.show.cells import Words

# The names on pages of what rows say in English.
NAMES: dict[str, Words] = {
    TO_TEXTS: _("further texts, by these raters"),
    TO_RATERS: _("further raters, on these texts"),
    TO_RATERS_AND_TEXTS: _("further texts and further raters"),
}

# Said of intervals of the label that several raters gave together.
OF_JOINT_LABELS = _(
    "Intervals of joint labels are for further texts, labelled by these raters: a joint label has no raters of its own."
)

# How rows say that few raters, texts or documents limit the degrees of freedom (analytics_app.stats.mixed.crossed).
_LIMITED = re.compile(r"They are at most (?P<most>\d+): with only (?P<among>[^,]+), a variance")


class LimitedFreedom(NamedTuple):
    """The most degrees of freedom that a test was allowed, and the few raters, texts or documents that limit it."""

    most: str
    among: str


def limited_freedom(row: ResultRow) -> LimitedFreedom | None:
    """Return the limit of a row's degrees of freedom, where a variance is estimated as 0; None if there is none."""
    match = _LIMITED.search(str((row.settings or {}).get("df", "")))
    return LimitedFreedom(match["most"], match["among"]) if match is not None else None


def scope_of(row: ResultRow) -> str:
    """Return the population that the interval or test of a row generalises to, in English; "" where the row has none.

    Rows of earlier runs do not say it; their settings name the units that were drawn or flipped.
    """
    settings = row.settings or {}
    if named := settings.get("generalises_to"):
        return str(named)
    words = f"{settings.get('interval', '')} {settings.get('test', '')} over {settings.get('units', '')} "
    if "over raters" in words:
        return TO_RATERS
    return TO_TEXTS if any(f"over {unit}" in words for unit in ("items", "documents")) else ""


def first_scope(rows: Iterable[ResultRow]) -> str:
    """Return the scope of the first row that tells one, "" if none does."""
    return next(filter(None, map(scope_of, rows)), "")
