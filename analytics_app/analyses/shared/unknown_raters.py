"""Ratings by unknown people: take back agreement, and tests and intervals over raters."""

import re
from dataclasses import replace

import numpy as np

from analytics_app.analyses.base import Analysis
from analytics_app.analyses.shared.rated_texts import BetweenRaters
from analytics_app.ratings import Table
from analytics_app.results import TO_RATERS, TO_RATERS_AND_TEXTS, Row
from tasks_app.importing.raters import UNKNOWN

UNDEFINED = (
    "The file does not say who rated. One person may have given several ratings, so agreement between raters is "
    "undefined."
)
NO_INTERVAL = (
    "The file does not say who rated. One person may have given several ratings, so there is no interval or test that "
    "generalises to further raters."
)

_UNKNOWN = re.compile(rf"{UNKNOWN}\d+")


def has_unknown(table: Table) -> bool:
    """Return whether any of the ratings is by a person whom the file does not name."""
    return any(_UNKNOWN.fullmatch(table.names.raters[code]) for code in np.unique(table.rater).tolist())


def without_claims(row: Row, analysis: Analysis) -> Row:
    """Return a row on ratings by unknown people: agreement is undefined, and nothing generalises to further raters."""
    nothing = {"low": None, "high": None, "se": None, "df": None, "p": None, "p_adjusted": None}
    if isinstance(analysis, BetweenRaters):
        return replace(row, value=None, note=UNDEFINED, **nothing)  # type: ignore[arg-type]
    if (row.settings or {}).get("generalises_to") in {TO_RATERS, TO_RATERS_AND_TEXTS}:
        return replace(row, note=" ".join(filter(None, [NO_INTERVAL, row.note])), **nothing)  # type: ignore[arg-type]
    return row
