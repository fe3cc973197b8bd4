"""A draft of the consent text, to read and to take over into the set-up."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from tasks_app import access
from tasks_app.models import Membership
from tasks_app.plaintext import validate_storable
from tasks_app.readiness.leftovers import found_in
from tasks_app.richtext import to_html
from tasks_app.sections import Json
from tasks_app.services.study.drafts import NotADraft
from tasks_app.setup import changes
from tasks_app.setup.consent import Question, consent_draft, questions_for
from tasks_app.setup.page import SetupPage
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.setup.form_frame import setup_page, step_url

STEP = "consent"


class AnswersForm(forms.Form):
    """What the consent text needs and the set-up does not say."""

    def __init__(self, questions: Sequence[Question], data: QueryDict | None = None) -> None:
        super().__init__(data, auto_id="consent-%s")
        for question in questions:
            options: dict[str, Any] = {
                "required": question.required,
                "label": question.label,
                "help_text": question.help,
            }
            if question.is_number:
                self.fields[question.name] = forms.IntegerField(min_value=1, max_value=10_000, **options)
            else:
                self.fields[question.name] = forms.CharField(
                    max_length=300, validators=[validate_storable, _refuse_leftovers], **options
                )


def _refuse_leftovers(text: str) -> None:
    """Refuse an answer that is to be replaced itself."""
    if words := found_in(text, any_bracket=True):
        raise forms.ValidationError(_("Replace “%(words)s”.") % {"words": words})


@researcher_page("GET", "POST")
def draft(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask for what the text needs and show the draft; posted to, put it in the place of the consent text."""
    if request.method == "POST":
        return _take_over(request, slug)
    return _page(request, slug)


def _page(request: HttpRequest, slug: str, form: AnswersForm | None = None) -> HttpResponse:
    def context(page: SetupPage) -> dict[str, Any]:
        minutes = _minutes(page)
        return {
            "html": to_html(consent_draft(page.given, minutes)),
            "answers": form or AnswersForm(questions_for(page.given, minutes)),
            "language": _language(page),
            "replaces": bool(_texts(page).get(_language(page))),
        }

    status = HTTPStatus.UNPROCESSABLE_ENTITY if form is not None else HTTPStatus.OK
    return setup_page(request, slug, STEP, context, template="consent_draft", status=status)


def _take_over(request: HttpRequest, slug: str) -> HttpResponse:
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    try:
        page = SetupPage(changes.begin(study), STEP)
        minutes = _minutes(page)
        questions = questions_for(page.given, minutes)
        form = AnswersForm(questions, request.POST)
        if not form.is_valid():
            return _page(request, slug, form)
        given = {name: str(value) for name, value in form.cleaned_data.items() if value not in ("", None)}
        kept = {question.path: form.cleaned_data[question.name] for question in questions if question.path}
        values = {path: value for path, value in kept.items() if value not in ("", None)}
        values[("consent",)] = {**_texts(page), _language(page): consent_draft(page.given, minutes, given)}
        changes.change(setup=page.setup, values=values, base=page.setup.revision, by=request.user)
    except NotADraft as error:
        messages.error(request, str(error))
        return redirect("researcher:setup", slug)
    messages.success(request, _("The draft is your consent text now. Read it once more."))
    return redirect(step_url(slug, STEP))


def _minutes(page: SetupPage) -> float | None:
    # Those of the page, which count checks as well: Review compares the text with them.
    return page.numbers.minutes if page.numbers else None


def _language(page: SetupPage) -> str:
    return str(page.value(("study", "language")) or "en")


def _texts(page: SetupPage) -> dict[str, Json]:
    """Return the consent texts by language; a single text is in the study's own language."""
    given = page.value(("consent",))
    if isinstance(given, dict):
        return given
    return {_language(page): given} if isinstance(given, str) and given else {}
