"""Pages for an answer that is not stored: which answer counts, and what the rater can do."""

import uuid
from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from tasks_app.forms import AnswerFields
from tasks_app.models import Assignment, Judgment, Rater
from tasks_app.selectors.progress import progress_of
from tasks_app.services.judging import judgments
from tasks_app.views.rater import pages
from tasks_app.views.rater.journey import message


def refused(
    request: HttpRequest,
    rater: Rater,
    token: str,
    assignment: Assignment,
    form: forms.Form,
    refusal: judgments.Refusal,
    bound: Mapping[str, Any],
) -> HttpResponse:
    """Answer an answer that was refused; `bound` is what the token of a form for this screen says."""
    if isinstance(refusal, judgments.Conflict):
        return _conflict(request, rater, token, assignment, form, refusal.stored, bound)
    if isinstance(refusal, judgments.TooManyChanges):
        return unchanged(request, rater, token, form, refusal.stored, form.cleaned_data)
    return over(request)


def over(request: HttpRequest) -> HttpResponse:
    """Answer an answer to a unit that the rater gave back."""
    return message(
        request,
        _("This unit is no longer yours"),
        [
            _("You stopped before this answer arrived, so it was not stored."),
            _("Your earlier answers are safe."),
        ],
        status=410,
    )


def unchanged(
    request: HttpRequest,
    rater: Rater,
    token: str,
    form: forms.Form,
    stored: Judgment,
    given: Mapping[str, Any] | None = None,
) -> HttpResponse:
    """Say that an answer was changed as often as it can be, and show which one counts, beside the one refused."""
    context = {
        "frame": pages.frame_for(rater, token, progress_of(rater, rater.study.options.minutes, 1)),
        "most": judgments.MOST_CHANGES,
        "stored": _stored_in_words(form, stored),
        "given": pages.in_words(form, given) if given is not None else [],
        "next_url": reverse("rater:next", args=[token]),
    }
    return render(request, "rater/unchanged.html", context, status=200 if given is None else 409)


def _conflict(
    request: HttpRequest,
    rater: Rater,
    token: str,
    assignment: Assignment,
    form: forms.Form,
    stored: Judgment,
    bound: Mapping[str, Any],
) -> HttpResponse:
    """Show the stored answer beside the one that came now, and let the rater say which holds."""
    may_change = judgments.may_change(assignment, rater) and rater.state != Rater.State.ENDED
    context = {
        "frame": pages.frame_for(rater, token, progress_of(rater, rater.study.options.minutes, 1)),
        "stored": _stored_in_words(form, stored),
        "given": pages.in_words(form, form.cleaned_data),
        "next_url": reverse("rater:next", args=[token]),
        "form": _change_form(form, stored, request.POST, bound) if may_change else None,
        "form_action": reverse("rater:judge", args=[token]),
    }
    return render(request, "rater/conflict.html", context, status=409)


def _stored_in_words(form: forms.Form, stored: Judgment) -> list[tuple[str, str]]:
    if stored.skip_reason:
        return [(_("Skipped"), stored.get_skip_reason_display())]
    return pages.in_words(form, stored.answer)


def _change_form(form: forms.Form, stored: Judgment, posted: QueryDict, bound: Mapping[str, Any]) -> AnswerFields:
    """Return a form of hidden fields that sends the new answer again, as a change of the stored one."""
    initial = {"submission": uuid.uuid4(), "replaces": stored.pk}
    names = [*form.fields, "comment", "seconds_active", "seconds_elapsed", "log"]
    again = AnswerFields(bound_to=bound, initial={**{name: posted.get(name, "") for name in names}, **initial})
    for name in names:
        again.fields[name] = forms.CharField(widget=forms.HiddenInput, required=False)
    return again
