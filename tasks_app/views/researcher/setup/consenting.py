"""A draft of the consent text, to read and to take over into the set-up."""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils import formats
from django.utils.translation import gettext as _

from tasks_app import access, pay
from tasks_app.hooks.sections import Json, Path
from tasks_app.models import Membership, Setup
from tasks_app.readiness.leftovers import found_in
from tasks_app.services.study.drafts import NotADraft
from tasks_app.setup import changes
from tasks_app.setup.consent import consent_draft
from tasks_app.setup.consent_answers import Asked, questions_for
from tasks_app.setup.page import SetupPage
from tasks_app.texts.plaintext import validate_storable
from tasks_app.texts.richtext import to_html
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.setup.form_frame import go_on, setup_page

STEP = "consent"


class AnswersForm(forms.Form):
    """Facts that the consent text needs and the set-up does not hold."""

    def __init__(self, page: SetupPage, data: QueryDict | None = None) -> None:
        super().__init__(data, auto_id="consent-%s")
        for entry in questions_for(page.given, _minutes(page), page.setup.consent_answers):
            question = entry.question
            options: dict[str, Any] = {
                "required": question.required,
                "label": question.label,
                "help_text": _help(page, entry),
                "initial": entry.initial,
            }
            if question.is_money:
                self.fields[question.name] = forms.DecimalField(min_value=0, max_digits=10, decimal_places=2, **options)
            elif question.is_number:
                self.fields[question.name] = forms.IntegerField(min_value=1, max_value=10_000, **options)
            else:
                self.fields[question.name] = forms.CharField(
                    max_length=300, validators=[validate_storable, _refuse_leftovers], **options
                )


def _help(page: SetupPage, entry: Asked) -> str:
    """Return the sentences below a field: the words to be replaced, and the pay that the minimum per hour asks for."""
    sentences = [str(entry.question.help)]
    if entry.to_replace:
        sentences.insert(0, _("The form has “%(words)s”, which is to be replaced.") % {"words": entry.to_replace})
    if entry.question.is_money:
        sentences = [_help_on_pay(page)]
    return " ".join(filter(None, sentences))


def _help_on_pay(page: SetupPage) -> str:
    currency = str(page.value(("pay", "currency")) or "EUR")
    minimum, minutes = _decimal(page.value(("pay", "minimum_hourly"))), _minutes(page)
    words = {"currency": currency, "minutes": formats.number_format(minutes or 0, 0)}
    if not minutes:
        return _("In %(currency)s. 0: taking part is not paid.") % words
    if not minimum:
        return _("In %(currency)s, for about %(minutes)s minutes. 0: taking part is not paid.") % words
    words |= {
        "least": formats.number_format(pay.needed(minimum, minutes), 2),
        "minimum": formats.number_format(minimum, 2),
    }
    sentence = _("In %(currency)s, for about %(minutes)s minutes. Your minimum of %(minimum)s per hour is %(least)s.")
    return sentence % words


def _decimal(value: Json) -> Decimal:
    """Return an amount of the form; 0 if the value is no amount."""
    try:
        number = Decimal(str(value or 0))
    except InvalidOperation:
        return pay.NOTHING
    return number if number.is_finite() else pay.NOTHING


def _refuse_leftovers(text: str) -> None:
    """Refuse an answer that is to be replaced itself."""
    if words := found_in(text, any_bracket=True):
        raise forms.ValidationError(_("Replace “%(words)s”.") % {"words": words})


@researcher_page("GET", "POST")
def draft(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask for facts that the text needs and show the draft; posted to, put it in the place of the consent text."""
    if request.method == "POST":
        return _take_over(request, slug)
    return _page(request, slug)


def _page(request: HttpRequest, slug: str, form: AnswersForm | None = None) -> HttpResponse:
    def context(page: SetupPage) -> dict[str, Any]:
        entries = questions_for(page.given, _minutes(page), page.setup.consent_answers)
        is_there = bool(_texts(page).get(_language(page)))
        answers = page.setup.consent_answers | {entry.question.name: entry.initial for entry in entries}
        return {
            "html": to_html(consent_draft(page.given, _minutes(page), answers)),
            "answers": form or AnswersForm(page),
            "language": _language(page),
            "replaces": is_there,
            "outdated": [point.sentence for point in page.points if is_there and point.path[0] == "consent"],
        }

    status = HTTPStatus.UNPROCESSABLE_ENTITY if form is not None else HTTPStatus.OK
    return setup_page(request, slug, STEP, context, template="consent_draft", status=status)


def _take_over(request: HttpRequest, slug: str) -> HttpResponse:
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    try:
        page = SetupPage(changes.begin(study), STEP)
        form = AnswersForm(page, request.POST)
        if not form.is_valid():
            return _page(request, slug, form)
        setup = _store(page, form.cleaned_data, request.user)
    except NotADraft as error:
        messages.error(request, str(error))
        return redirect("researcher:setup", slug)
    messages.success(request, _("The draft is your consent text now. Read it once more in “Consent and pay”."))
    return go_on(request, SetupPage(setup, STEP, is_checked=True))


def _store(page: SetupPage, answers: Mapping[str, Any], by: Any) -> Setup:
    """Store the text, answers that are settings, and the others for the next draft; return the set-up."""
    entries = questions_for(page.given, _minutes(page))
    given = {name: value for name, value in answers.items() if value not in ("", None)}
    values: dict[Path, Json] = {
        entry.question.path: _stored(given[entry.question.name])
        for entry in entries
        if entry.question.path and entry.question.name in given
    }
    all_answers = {**page.setup.consent_answers}
    all_answers |= {
        entry.question.name: str(given.get(entry.question.name, "")) for entry in entries if not entry.question.path
    }
    document = page.document
    for path, value in values.items():
        document = document.with_value(path, value)
    written = consent_draft(document.given, _minutes(page), all_answers)
    values[("consent",)] = {**_texts(page), _language(page): written}
    setup = changes.change(setup=page.setup, values=values, base=page.setup.revision, by=by).setup
    return changes.keep_answers(setup=setup, answers=all_answers)


def _stored(value: Any) -> Json:
    """Return an answer as study files hold it: an amount is a number."""
    if not isinstance(value, Decimal):
        return value
    return int(value) if value == int(value) else float(value)


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
