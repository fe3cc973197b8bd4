"""What a study file may say already but raters' pages do not use yet: said whenever such a file is loaded.

Whoever builds one of these takes its entry away.
"""

from __future__ import annotations

from collections.abc import Callable

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tasks_app.sections import Document

_AHEAD: tuple[tuple[Callable[[Document], bool], Promise], ...] = (
    (
        lambda document: any(item["context"] for item in document["items"]),
        _("Pictures, sounds and videos are stored and exported, but raters are not shown them yet."),
    ),
    (
        lambda document: any(item["format"] == "markdown" for item in document["items"]),
        _("Items in the format markdown are shown to raters as plain text so far."),
    ),
    (
        lambda document: bool(document["controls"]),
        _("Known answers are stored and exported, but raters are not given their units yet."),
    ),
    (
        lambda document: bool(document["prefill"]),
        _("Prefilled answers are stored and exported, but raters are not shown them yet."),
    ),
    (
        lambda document: any(task["opens_after_days"] is not None for task in document["tasks"]),
        _("Tasks that open some days after a rater enrolled are stored and exported, but not given to raters yet."),
    ),
    (
        lambda document: any(task["closes_after_days"] is not None for task in document["tasks"]),
        _("The day on which a task closes is stored and exported, but tasks stay open so far."),
    ),
    (
        lambda document: any(task["groups"] for task in document["tasks"]),
        _("Raters are not put into groups yet, so a task that is for some groups only is given to nobody."),
    ),
)


def notes(document: Document) -> list[str]:
    """Return a sentence for everything in the document that is not in use yet."""
    return [str(sentence) for is_used, sentence in _AHEAD if is_used(document)]
