"""The states of raters in words."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tasks_app.selectors.fieldwork.raters import Standing

WORDS: dict[Standing, Promise] = {
    Standing.AT_WORK: _("at work"),
    Standing.WAITING: _("waiting for a later task"),
    Standing.AWAY: _("away"),
    Standing.FINISHED: _("finished"),
    Standing.LEFT: _("left"),
    Standing.SENT_AWAY: _("turned away"),
}
