"""The Recruit page: links and codes to paste, statuses of platforms, and arrivals to try out."""

from collections import Counter
from typing import Any

from django import forms
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import split_domain_port
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app import access, channels
from tasks_app.importing import sheets, submissions
from tasks_app.models import Identity, Invitation, Membership, Rater, Study, Task
from tasks_app.readiness import Facts, contradictions
from tasks_app.services.arrival import platform_statuses
from tasks_app.services.arrival.platform_statuses import Entered, Report
from tasks_app.services.study import opening
from tasks_app.settings.study import Codes
from tasks_app.uploads.request_sizes import accepts_files, largest_table
from tasks_app.views.researcher.frame import researcher_page, study_page
from tasks_app.views.researcher.importing.uploading import read_upload

EDITOR = Membership.Role.EDITOR


@researcher_page("GET")
def recruit(request: HttpRequest, slug: str) -> HttpResponse:
    """Show every open channel with the values to paste there, and the codes by outcome."""

    def context(study: Study) -> dict[str, Any]:
        real = Rater.objects.filter(study=study, kind=Rater.Kind.REAL).order_by()
        came = dict(real.values_list("channel").annotate(n=Count("id")))
        facts = _facts(study)
        return {
            "opened": [_channel(request, study, name, came.get(name, 0)) for name in open_channels(study)],
            "closed": [
                channel
                for name, channel in channels.registry.items()
                if name not in study.options.channels and not channel.ended
            ],
            "codes": codes_of(study, facts),
            "warnings": [*_only_here(request), *warnings_of(study, facts, secure=request.is_secure())],
            "invites": Invitation.objects.filter(study=study).exists(),
            "has_waves": study.tasks.filter(until=None, opens_after_days__isnull=False).exists(),
        }

    return study_page(request, slug, "recruit", context)


def _only_here(request: HttpRequest) -> list[str]:
    """Return a warning where the site is reached by an address that leads other computers to themselves."""
    host = request.get_host()
    if split_domain_port(host)[0] not in {"localhost", "127.0.0.1", "[::1]"}:
        return []
    sentence = _(
        "The addresses below begin with %(host)s, which only this computer can open. For raters elsewhere, open this "
        "page under the address by which they reach the site."
    )
    return [sentence % {"host": host}]


def open_channels(study: Study) -> list[str]:
    """Name the channels of a study, the open link first: it is the one that most studies have."""
    return sorted(
        (name for name in channels.registry if name in study.options.channels), key=lambda name: name != "link"
    )


def address_of(request: HttpRequest, study: Study, channel: str) -> str:
    """Return the address at which a channel's raters arrive."""
    path = reverse("rater:join", args=[study.link_code])
    if channel != "link":
        path = reverse("rater:arrive", args=[study.link_code, channel])
    return request.build_absolute_uri(path)


def _channel(request: HttpRequest, study: Study, name: str, n_raters: int) -> dict[str, Any]:
    kind = channels.channel_of(study.options, name)
    return {
        "name": name,
        "kind": kind,
        "pastes": kind.pastes(address_of(request, study, name)),
        "raters": n_raters,
    }


def codes_of(study: Study, facts: Facts) -> list[tuple[str, str, str]]:
    """Return (outcome, code, words if it has no code) for every outcome that raters can have, or that has a code."""
    own_code, none = _("each rater has a code of their own"), _("no code")
    codes = study.options.codes
    if any(channels.registry[name].needs_ids for name in study.options.channels if name in channels.registry):
        none = _("no code: raters are asked to give their place back")
    possible = {*contradictions.outcomes_with_codes(facts), "closed"}
    ways = [
        (str(field.label), codes.of(name), none if name == "closed" else own_code)
        for name, field in Codes.Settings.base_fields.items()
        if name in possible or codes.of(name)
    ]
    return [*_codes_of_waves(study), *ways]


def _codes_of_waves(study: Study) -> list[tuple[str, str, str]]:
    """Return the code of every wave but the last, which has that of the completed; empty for a study of one wave."""
    days = set(
        study.tasks.filter(until=None).exclude(stage=Task.Stage.SCREENING).values_list("opens_after_days", flat=True)
    )
    codes = [code.strip() for code in study.options.wave_codes.split(",")]
    earlier = len({day or 0 for day in days}) - 1
    return [
        (_("Wave %(n)d") % {"n": n + 1}, codes[n] if n < len(codes) else "", _("no code between the waves"))
        for n in range(earlier)
    ]


def _facts(study: Study) -> Facts:
    """Return the settings that decide which outcomes raters can have, and which of them need a code."""
    return opening.facts_of(study, ("channels", "codes", "tasks"))


def warnings_of(study: Study, facts: Facts, *, secure: bool) -> list[str]:
    """Return warnings about settings that would fail on a platform."""
    rows = []
    if any(channels.registry[name].needs_codes for name in study.options.channels if name in channels.registry):
        rows = [point.sentence for point in contradictions.codes_of_platforms(facts)]
    counted = Counter(code for code in vars(study.options.codes).values() if code)
    if twice := [code for code, n in counted.items() if n > 1]:
        rows.append(
            _("Several outcomes share the code %(codes)s, so the platform cannot tell them apart.")
            % {"codes": ", ".join(sorted(twice))}
        )
    if "mturk" in study.options.channels and not secure:
        rows.append(_("Mechanical Turk shows pages over https only, and this address is http."))
    return rows


class FileForm(forms.Form):
    """A platform's own file, or some of its lines."""

    file = forms.FileField(
        required=False,
        label=gettext_lazy("File of submissions"),
        help_text=gettext_lazy("On Prolific: the study's page, More, Export demographic data (CSV)."),
        allow_empty_file=True,
    )
    status = forms.ChoiceField(required=False, label=gettext_lazy("Or by hand: status"))
    ids = forms.CharField(
        required=False,
        max_length=100_000,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        label=gettext_lazy("Submission ids, one per line"),
    )

    def __init__(self, *args: Any, statuses: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = self.fields["status"]
        assert isinstance(choices, forms.ChoiceField)
        choices.choices = [("", "–"), *((status, status) for status in statuses)]

    def clean(self) -> dict[str, Any]:
        """Ask for one of both: a file, or ids with their status."""
        cleaned = super().clean() or {}
        if cleaned.get("file") and cleaned.get("ids"):
            raise forms.ValidationError(_("There are ids in the field and a file. Leave one of them empty."))
        if not cleaned.get("file") and not (cleaned.get("ids") and cleaned.get("status")):
            raise forms.ValidationError(_("Choose a file, or a status and at least one id."))
        return cleaned


@accepts_files(largest_table)
@researcher_page("GET", "POST")
def statuses(request: HttpRequest, slug: str, channel: str) -> HttpResponse:
    """Store the statuses that a platform gives to its raters: by hand or by its own file, all or none."""
    study = access.study_for_researcher(request.user, slug, EDITOR)
    opened = channels.opened(study.options, channel)
    statuses = list(opened.statuses) if opened is not None else []
    if not statuses:
        raise Http404
    posted = request.method == "POST"
    form = FileForm(request.POST if posted else None, request.FILES if posted else None, statuses=statuses)
    reports, refusal = read_upload(form, lambda form: _reports(form, statuses))
    entered: Entered | None = None
    if reports is not None:
        entered = platform_statuses.enter(study=study, channel=channel, reports=reports, by=request.user)
        form = FileForm(statuses=statuses)
    context = {
        "form": form,
        "refusal": refusal,
        "entered": entered,
        "channel": channels.registry[channel],
        "counts": _counts(study, channel),
    }
    status = 422 if refusal or form.errors else 200
    title = _("Statuses")
    return study_page(
        request, slug, "recruit", lambda _study: context, template="statuses", title=title, role=EDITOR, status=status
    )


def _reports(form: FileForm, statuses: list[str]) -> list[Report]:
    upload = form.cleaned_data["file"]
    if upload:
        name = upload.name or "submissions.csv"
        return submissions.read(name, sheets.text_of(name, upload.read()), statuses)
    lines = enumerate(form.cleaned_data["ids"].splitlines(), start=1)
    status = form.cleaned_data["status"]
    return [Report(line, "", submission.strip(), status) for line, submission in lines if submission.strip()]


def _counts(study: Study, channel: str) -> list[tuple[str, int]]:
    """Count a channel's raters by the last status from the platform."""
    identities = Identity.objects.filter(study=study, channel=channel, rater__kind=Rater.Kind.REAL)
    counted = Counter(identities.values_list("status", flat=True))
    return [(status or _("nothing entered yet"), n) for status, n in sorted(counted.items())]
