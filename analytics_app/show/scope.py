"""The conclusions that intervals and tests allow, in words, for rows of any run."""

from collections.abc import Iterable

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
