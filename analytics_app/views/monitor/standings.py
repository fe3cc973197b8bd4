"""How many raters stand how, in words."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from analytics_app.views.monitor.reading import Reading
from tasks_app.selectors.fieldwork.raters import Standing

WORDS: dict[Standing, Promise] = {
    Standing.AT_WORK: _("at work"),
    Standing.WAITING: _("waiting for a later task"),
    Standing.AWAY: _("away"),
    Standing.FINISHED: _("finished"),
    Standing.LEFT: _("left"),
    Standing.SENT_AWAY: _("sent away"),
}


def of(reading: Reading) -> list[tuple[Promise, int]]:
    """Return how many raters stand how, leaving out what nobody does."""
    counted = [(words, reading.fieldwork.standing(standing)) for standing, words in WORDS.items()]
    return [(words, n) for words, n in counted if n]
