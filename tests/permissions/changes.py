"""Rows of pages that change a study while it is open."""

from collections.abc import Mapping
from typing import Any

from tasks_app.services.plan import extending
from tasks_app.services.study import correcting
from tests.permissions.rows import Row, page
from tests.permissions.world import World

VIEWER, EDITOR = "viewer", "editor"


def _more(world: World, row: Row) -> Mapping[str, Any]:
    """Return the form that adds one judgment of each unit: as many places as the page shows."""
    places = extending.prospect(world.studies[row.study], extending.Wish(1, 0)).places
    return {"judgments": "1", "click": "2" * 32, "places": str(places)}


def _correction(world: World, row: Row) -> Mapping[str, Any]:
    """Return the fields that the form of the contact sends, the one text that every study has."""
    study = world.studies[row.study]
    contact = next(text for text in correcting.texts_of(study) if text.kind == "contact")
    return {"name": contact.name, "shown": contact.shown, "text": "desk@uni-trier.de", "reason": "x"}


ROWS = [
    page("GET", "researcher:corrections", VIEWER),
    page("GET", "researcher:corrections", VIEWER, study="closed", note="closed"),
    page("POST", "researcher:corrections", EDITOR, 302, sent=_correction, changes=True),
    page("GET", "researcher:corrections_csv", VIEWER),
    page("GET", "researcher:withdraw", EDITOR, query={"item": "ITEM"}),
    page("POST", "researcher:withdraw", EDITOR, 302, sent={"item": "ITEM", "reason": "Wrong."}, changes=True),
    page("POST", "researcher:take_back", EDITOR, 302, sent={"withdrawal": "WITHDRAWAL"}, changes=True),
    page("GET", "researcher:extend", EDITOR),
    page("GET", "researcher:extend", EDITOR, query={"judgments": "1"}, note="what it comes to"),
    page("POST", "researcher:extend", EDITOR, 302, sent=_more, changes=True),
]
