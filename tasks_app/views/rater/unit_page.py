"""The page of a unit: the form to judge with, or why an answer is not stored and what the rater can do."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django import forms
from django.http import HttpResponse, QueryDict
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from tasks_app import credentials
from tasks_app.forms import AnswerFields, SkipForm
from tasks_app.models import Judgment
from tasks_app.selectors.progress import progress_of
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.judging import judgments
from tasks_app.views.rater import pages, stages
from tasks_app.views.rater.journey import instructions_html
from tasks_app.views.rater.visit import Visit


@dataclass(frozen=True)
class UnitPage:
    """A unit on a rater's page, made once for each request: whose visit, which screen, and the answer so far.

    The answer so far is what was `posted`, else `initial` values with a `comment`: of the draft whose `counter` is
    given, or of the `stored` answer that is to be changed.
    """

    visit: Visit
    screen: RaterScreen
    posted: QueryDict | None = None
    initial: Mapping[str, Any] = field(default_factory=dict)
    comment: str = ""
    counter: int = 0
    stored: Judgment | None = None

    @cached_property
    def form(self) -> forms.Form:
        """The form of the task type."""
        return self.screen.form(self.posted, self.initial)

    @cached_property
    def fields(self) -> AnswerFields:
        """The fields that come with every answer."""
        if self.posted is not None:
            return AnswerFields(self.posted, bound_to=self.bound)
        replaces = self.stored.pk if self.stored else None
        return AnswerFields(bound_to=self.bound, initial={"submission": uuid.uuid4(), "replaces": replaces})

    @cached_property
    def bound(self) -> dict[str, Any]:
        """What the token of a form says: whose it is, which unit, and which arrangement of it was on the screen.

        Whoever has a token can read it, so it holds no row id: those of repeats are higher than their neighbours'.
        And there are few arrangements, so their digests are made with the server's key.
        """
        assignment = self.screen.assignment
        drawn = json.dumps(assignment.arrangement, sort_keys=True)
        screen = salted_hmac("tasks_app.screen", f"{assignment.pk}:{drawn}", algorithm="sha256").hexdigest()
        rater = credentials.handle_of_rater(self.visit.rater.pk)
        return {"rater": rater, "unit": assignment.order, "screen": screen[:16]}

    def render(self, status: int = 200) -> HttpResponse:
        """Show the unit with the form to judge it."""
        visit, frame, assignment = self.visit, self.screen.frame, self.screen.assignment
        options = visit.options
        progress = progress_of(visit.rater, frame.task.set_size, assignment)
        back = progress.before(assignment.order) if self.screen.may_change else None
        context = {
            "frame": pages.frame_for(visit, progress, lists_set=frame.kind.set_overview),
            "screen": self.screen.shown,
            "form": self.form,
            "unit_template": frame.kind.template_name,
            "unit_script": frame.kind.script,
            "unit_styles": frame.kind.styles,
            "media_base": f"{visit.url('next')}media/",
            "answer_fields": self.fields,
            "instructions_html": instructions_html([frame.task]),
            "skip_form": self._skip_form() if options.allow_skip else None,
            "skip_url": visit.url("skip"),
            "comment": self.comment if self.posted is None else self.posted.get("comment", ""),
            "draft": {"counter": self.counter},
            "draft_key": f"{visit.rater.pseudonym}-{assignment.order}",
            "draft_url": visit.url("draft") if self.stored is None else "",
            "can_go_back": back is not None,
            "back_url": visit.url("unit", back) if back is not None else "",
            "next_url": visit.url("judge"),
            "break_after_minutes": options.break_after_minutes,
            "content_warning": options.content_warning,
            "stage_hint": stages.hint(assignment, progress),
            "skip_note": stages.about_skipping(assignment),
            "revising": self.stored is not None,
        }
        return visit.render("rater/judge.html", context, status)

    def _skip_form(self) -> SkipForm:
        return SkipForm(bound_to=self.bound, initial={"submission": uuid.uuid4()})


def refused(page: UnitPage, refusal: judgments.Refusal) -> HttpResponse:
    """Answer a posted answer that was not stored."""
    if isinstance(refusal, judgments.Conflict):
        return _conflict(page, refusal.stored)
    if isinstance(refusal, judgments.TooManyChanges):
        return unchanged(page, refusal.stored)
    return over(page.visit)


def over(visit: Visit) -> HttpResponse:
    """Answer a posted answer to a unit that the rater gave back."""
    sentences = [
        _("You stopped before this answer arrived, so it was not stored."),
        _("Your earlier answers are safe."),
    ]
    return visit.message(_("This unit is no longer yours"), sentences, status=410)


def unchanged(page: UnitPage, stored: Judgment) -> HttpResponse:
    """Say that an answer cannot be changed any more, and show which one counts, beside a posted one."""
    is_posted = page.posted is not None
    context = {
        "frame": pages.frame_for(page.visit, progress_of(page.visit.rater, 1)),
        "most": judgments.MOST_CHANGES,
        "stored": _stored_in_words(page.form, stored),
        "given": pages.in_words(page.form, page.form.cleaned_data) if is_posted else [],
        "next_url": page.visit.url("next"),
    }
    return page.visit.render("rater/unchanged.html", context, status=409 if is_posted else 200)


def _conflict(page: UnitPage, stored: Judgment) -> HttpResponse:
    """Show the stored answer beside the posted one, and let the rater say which holds."""
    may_change = page.screen.may_change and not page.visit.has_ended
    context = {
        "frame": pages.frame_for(page.visit, progress_of(page.visit.rater, 1)),
        "stored": _stored_in_words(page.form, stored),
        "given": pages.in_words(page.form, page.form.cleaned_data),
        "next_url": page.visit.url("next"),
        "form": _change_form(page, stored) if may_change else None,
        "form_action": page.visit.url("judge"),
    }
    return page.visit.render("rater/conflict.html", context, status=409)


def _stored_in_words(form: forms.Form, stored: Judgment) -> list[tuple[str, str]]:
    if stored.skip_reason:
        return [(_("Skipped"), stored.get_skip_reason_display())]
    return pages.in_words(form, stored.answer)


def _change_form(page: UnitPage, stored: Judgment) -> AnswerFields:
    """Return a form of hidden fields that sends the posted answer again, as a change of the stored one."""
    names = [*page.form.fields, "comment", "seconds_active", "seconds_elapsed", "log"]
    initial: dict[str, object] = {name: page.visit.request.POST.get(name, "") for name in names}
    initial |= {"submission": uuid.uuid4(), "replaces": stored.pk}
    change = AnswerFields(bound_to=page.bound, initial=initial)
    for name in names:
        change.fields[name] = forms.CharField(widget=forms.HiddenInput, required=False)
    return change
