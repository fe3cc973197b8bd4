"""Texts that raters wrote: their verification by other raters, accepted texts, bonuses, and download of the pairs."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, cast
from uuid import uuid4

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analytics_app.exports import pairs
from tasks_app import access
from tasks_app.models import Membership, Study
from tasks_app.selectors import collected_texts
from tasks_app.selectors.judgments import may_export
from tasks_app.services import collecting, events, pay
from tasks_app.settings.fields import YesNoField
from tasks_app.setup import verifying
from tasks_app.views import pay_words
from tasks_app.views.downloads import attachment
from tasks_app.views.researcher.frame import refusals_shown, researcher_page, study_page
from tasks_app.views.researcher.setup.form_frame import step_url

# The most texts in the preview.
MOST_SHOWN = 20

OWN_QUESTIONS = ""


class ChoiceForm(forms.Form):
    """The choice of texts for the next verification, and of its questions."""

    only_new = YesNoField(initial=True, label=gettext_lazy("Only texts that are in no verification yet"))
    only_changed = YesNoField(initial=True, label=gettext_lazy("Only texts that were changed"))
    only_accepted = YesNoField(label=gettext_lazy("Only texts that an earlier verification accepted"))
    like = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Questions"),
        help_text=gettext_lazy("Everything but the texts is taken from that study: questions, pay, consent, checks."),
    )

    def __init__(self, *args: Any, studies: list[Study], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.studies = {str(study.pk): study for study in studies}
        own = (OWN_QUESTIONS, _("Two questions to begin with: meaning kept, task done"))
        as_in = [(pk, _("As in “%(title)s”") % {"title": study.title}) for pk, study in self.studies.items()]
        cast("forms.ChoiceField", self.fields["like"]).choices = [own, *as_in]

    @property
    def choice(self) -> collected_texts.Choice:
        """Return the choice of texts in a valid form."""
        return collected_texts.Choice(*(bool(self.cleaned_data[name]) for name in CHOICES))

    @property
    def like_study(self) -> Study | None:
        """Return the study that lends its questions; None for the default questions."""
        return self.studies.get(self.cleaned_data["like"])


CHOICES = ("only_new", "only_changed", "only_accepted")


def _rounds(request: HttpRequest, study: Study) -> list[Study]:
    """Return the verifications of a study that this person may see."""
    readable = set(access.studies_for_researcher(request.user).values_list("pk", flat=True))
    return [verification for verification in collected_texts.rounds_of(study) if verification.pk in readable]


def _form(request: HttpRequest, study: Study, rounds: list[Study], data: Any) -> ChoiceForm:
    """Return the form; the questions of the newest round come first, and are the default."""
    others = access.studies_for_editor(request.user).exclude(
        pk__in=[study.pk, *(verification.pk for verification in rounds)]
    )
    editable = set(access.studies_for_editor(request.user).values_list("pk", flat=True))
    listed = [verification for verification in reversed(rounds) if verification.pk in editable] + list(
        others.order_by("title", "pk")
    )
    like = str(listed[0].pk) if rounds and listed else OWN_QUESTIONS
    initial = {"only_new": "on", "only_changed": "on", "like": like}
    return ChoiceForm(initial if data is None else data, studies=listed)


@researcher_page("GET")
def texts(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the texts that raters wrote, those for the next verification, and the results of earlier ones."""

    def context(study: Study) -> dict[str, Any]:
        _study, role = access.study_and_role(request.user, slug)
        shown = may_export(study, role)
        rounds = _rounds(request, study)
        rows = collected_texts.judged_rows(study, rounds)
        values: dict[str, Any] = {
            "writes_texts": bool(collected_texts.text_tasks(study)),
            "may_read": shown,
            "rounds": _of_rounds(rounds, rows),
            "authors": [author for author in collected_texts.authors_of(rows) if author.name],
            "may_pay": role == Membership.Role.OWNER,
            "form_number": uuid4().hex,
            "bonus": pay_words.money(study.options.accepted_bonus, study.options.currency),
            "pays_bonus": bool(study.options.accepted_bonus),
            "n_due": sum(map(len, collecting.bonuses_due(study, rows).values())),
        }
        if not shown:
            return values
        form = _form(request, study, rounds, request.GET if request.GET else None)
        if form.is_valid():
            selection = collected_texts.select(study, form.choice, rows)
            values |= {"selection": selection, "preview": selection.chosen[:MOST_SHOWN], "most": MOST_SHOWN}
        return values | {"form": form, "sent": [(name, "on") for name in CHOICES if form.data.get(name)]}

    return study_page(request, slug, "data", context, template="collected_texts", title=_("Texts that raters wrote"))


def _of_rounds(rounds: list[Study], rows: list[collected_texts.Judged]) -> list[dict[str, Any]]:
    """Return the counts of each round: texts sent, accepted and rejected."""
    counts: dict[int, Counter[str]] = {verification.pk: Counter() for verification in rounds}
    for _row, verifying_study, verdict in rows:
        count = counts[verifying_study.pk]
        count["sent"] += 1
        if verdict is not None and verdict.accepted is not None:
            count["accepted" if verdict.accepted else "rejected"] += 1
    return [
        {"study": verification, **{name: counts[verification.pk][name] for name in ("sent", "accepted", "rejected")}}
        for verification in rounds
    ]


@researcher_page("POST")
def verify(request: HttpRequest, slug: str) -> HttpResponse:
    """Create the study that verifies the chosen texts, and redirect to its first step."""
    study, role = access.study_and_role(request.user, slug, Membership.Role.EDITOR)
    if not may_export(study, role):
        raise Http404
    rounds = _rounds(request, study)
    form = _form(request, study, rounds, request.POST)
    if not form.is_valid():
        messages.error(request, _("Choose questions from the list."))
        return redirect("analytics:collected", slug)
    try:
        draft = verifying.prepare(
            study=study, choice=form.choice, rounds=rounds, like=form.like_study, by=cast("User", request.user)
        )
    except verifying.NothingChosen as problem:
        messages.error(request, str(problem))
        return redirect("analytics:collected", slug)
    messages.success(
        request,
        _("“%(title)s” is a draft with these texts. Raters are never given a text that they wrote themselves.")
        % {"title": draft.title},
    )
    return redirect(step_url(draft.slug, "questions"))


@researcher_page("POST")
def add_bonuses(request: HttpRequest, slug: str) -> HttpResponse:
    """Add the announced bonus for every accepted text that has none yet."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.OWNER)
    form, simulated = request.POST.get("form", "")[:64], request.POST.get("simulated") == "on"
    with refusals_shown(request, pay.NotPossible):
        n = collecting.add_bonuses(
            study=study, verified=_rounds(request, study), by=request.user, form=form, simulated=simulated
        )
        message = ngettext("%(n)d rater gets a bonus.", "%(n)d raters get a bonus.", n)
        messages.success(request, message % {"n": n} if n else _("No bonus is left to add."))
    return redirect("analytics:collected", slug)


@researcher_page("GET")
def file(request: HttpRequest, slug: str, format: str) -> HttpResponse:
    """Return all texts with their verdicts, or the accepted texts, as a file; the study's log records it."""
    study, role = access.study_and_role(request.user, slug)
    if format not in pairs.CONTENT_TYPES or not may_export(study, role):
        raise Http404
    only_accepted = request.GET.get("which") != "all"
    rows: Iterator[dict[str, Any]] = pairs.rows_of(study, _rounds(request, study), only_accepted=only_accepted)
    about = "accepted pairs" if only_accepted else "pairs"
    events.log(study, request.user, "exported", about=f"{about} as {format}", after={"state": study.state})
    return attachment(
        f"{study.slug}-pairs.{format}",
        pairs.csv_text(rows) if format == "csv" else pairs.json_lines(rows),
        pairs.CONTENT_TYPES[format],
    )
