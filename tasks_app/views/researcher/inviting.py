"""Invite people: personal links and accounts in bulk, downloaded once as a file, listed, revoked."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app import access, channels
from tasks_app.channels.invited import KEY
from tasks_app.importing import people, sheets
from tasks_app.models import Invitation, Membership, Study
from tasks_app.services.arrival import invitations
from tasks_app.services.arrival.invitations import NewInvitation
from tasks_app.studyfile import StudyFileError
from tasks_app.studyfile.problems import Problem
from tasks_app.uploads.request_sizes import accepts_files, largest_table
from tasks_app.views.downloads import BYTE_ORDER_MARK, csv_file
from tasks_app.views.researcher.frame import researcher_page, study_page
from tasks_app.views.researcher.importing.uploading import read_upload
from tasks_app.views.researcher.recruiting import address_of

EDITOR = Membership.Role.EDITOR
ON_A_PAGE = 100

STATES = {
    invitations.OPEN: gettext_lazy("open"),
    invitations.STARTED: gettext_lazy("started"),
    invitations.FINISHED: gettext_lazy("finished"),
    invitations.REVOKED: gettext_lazy("revoked"),
}


class PeopleForm(forms.Form):
    """The people to invite, and the way to invite them."""

    channel = forms.ChoiceField(label=gettext_lazy("How they take part"), widget=forms.RadioSelect)
    people = forms.CharField(
        required=False,
        max_length=1_000_000,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
        label=gettext_lazy("People, one per line"),
        help_text=gettext_lazy(
            "Name, e-mail, group, separated by commas. Only the name is required, and only you see it. To use other "
            "columns, put their names in the first line."
        ),
    )
    file = forms.FileField(
        required=False,
        label=gettext_lazy("Or a CSV file"),
        help_text=gettext_lazy(
            "Columns: name, email, group. Optional: account (an existing account), set (reserves a set for this "
            "person: its number in the column booklet of the plan, Plan → Download the whole plan, or the name "
            "of a batch), task (whose set it is, if there are several tasks), language (the language the person starts "
            "in, such as de)."
        ),
        allow_empty_file=True,
    )

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        opened = [(name, channel.label) for name, channel in channels.registry.items() if channel.invited_only]
        choices = self.fields["channel"]
        assert isinstance(choices, forms.ChoiceField)
        choices.choices = [(name, str(label)) for name, label in opened if name in study.options.channels]
        if len(choices.choices) == 1:
            choices.initial = choices.choices[0][0]

    def clean(self) -> dict[str, Any]:
        """Ask for one of both."""
        cleaned = super().clean() or {}
        file, people = bool(cleaned.get("file")), bool(str(cleaned.get("people", "")).strip())
        if file and people:
            raise forms.ValidationError(_("There are people in the field and in the file. Leave one of them empty."))
        if not file and not people:
            raise forms.ValidationError(_("Enter people, or choose a file."))
        return cleaned


@accepts_files(largest_table)
@researcher_page("GET", "POST")
def invited(request: HttpRequest, slug: str) -> HttpResponse:
    """List the invited people, and a form to invite more; posted to, answer with the file of links."""
    study = access.study_for_researcher(request.user, slug, EDITOR)
    posted = request.method == "POST"
    form = PeopleForm(request.POST if posted else None, request.FILES if posted else None, study=study)
    links, refusal = read_upload(form, lambda form: _invite(request, study, form))
    if links is not None:
        return secrets_file(request, study, links, f"{study.slug}-invitations.csv")
    context = {"form": form, "refusal": refusal, "may_invite": _may_invite(study), **_listed(request, study)}
    return study_page(
        request,
        slug,
        "recruit",
        lambda _study: context,
        template="invited",
        title=_("Invited people"),
        role=EDITOR,
        status=422 if refusal or form.errors else 200,
    )


def _may_invite(study: Study) -> bool:
    return any(channels.registry[name].invited_only for name in study.options.channels)


def _invite(request: HttpRequest, study: Study, form: PeopleForm) -> list[NewInvitation]:
    upload = form.cleaned_data["file"]
    name = (upload.name or "people.csv") if upload else _("pasted")
    text = sheets.text_of(name, upload.read()) if upload else form.cleaned_data["people"]
    try:
        if channels.registry[form.cleaned_data["channel"]].needs_account:
            accounts = set(invitations.accounts_known_to(request.user).values_list("username", flat=True))
            invited = people.read(study, name, text, accounts, pasted=not upload)
            return invitations.invite_with_accounts(study=study, people=invited, by=request.user)
        invited = people.read(study, name, text, pasted=not upload)
        return invitations.invite(study=study, people=invited, by=request.user)
    except invitations.SetTaken as error:
        raise StudyFileError([Problem(name, 0, 0, str(error))]) from error


def _listed(request: HttpRequest, study: Study) -> dict[str, Any]:
    rows = Invitation.objects.filter(study=study).select_related("rater", "group", "user", "booklet__task")
    page = Paginator(rows, ON_A_PAGE).get_page(request.GET.get("page"))
    listed = [
        {"row": row, "state": (state := invitations.state_of(row)), "label": STATES[state], "set": set_of(row)}
        for row in page
    ]
    return {"page": page, "rows": listed}


def set_of(invitation: Invitation) -> str:
    """Return the name on the page of the plan for the set kept for a person; "" if none is kept."""
    booklet = invitation.booklet
    return f"{booklet.task.key} {booklet.number}" if booklet is not None else ""


def secrets_file(request: HttpRequest, study: Study, links: Iterable[NewInvitation], name: str) -> HttpResponse:
    """Answer with links, or accounts with passwords, as CSV: the only copy there is."""
    rows = [["name", "email", "group", "link", "account", "password", "set", "language"]]
    for link in links:
        row = link.invitation
        channel = "account" if link.account else "invited"
        address = address_of(request, study, channel)
        cells = [row.name, row.email, row.group.key if row.group else ""]
        cells += [address, link.account, link.secret] if link.account else [f"{address}?{KEY}={link.secret}", "", ""]
        rows.append([*cells, set_of(row), row.language])
    return csv_file(name, rows, start=BYTE_ORDER_MARK)


@researcher_page("POST")
def change(request: HttpRequest, slug: str, invitation: int) -> HttpResponse:
    """Take an invitation back, or make a new link or password for it."""
    study = access.study_for_researcher(request.user, slug, EDITOR)
    rows = Invitation.objects.select_related("study", "user", "group", "booklet__task")
    row = get_object_or_404(rows, study=study, pk=invitation)
    action = request.POST.get("action", "")
    if action == "renew":
        try:
            link = invitations.renew(invitation=row, by=request.user)
        except invitations.NotYours:
            sentence = _("“%(name)s” takes part in a study that is not yours too. Ask its owner for a new password.")
            messages.error(request, sentence % {"name": row})
            return redirect("researcher:invited", slug)
        return secrets_file(request, study, [link], f"{study.slug}-invitation-{row.pk}.csv")
    if action == "release":
        invitations.release(invitation=row, by=request.user)
        messages.success(request, _("The set is no longer reserved for “%(name)s”.") % {"name": row.name})
        return redirect("researcher:invited", slug)
    if action != "revoke":
        raise Http404
    try:
        invitations.revoke(invitation=row, by=request.user)
    except invitations.HasBegun:
        messages.error(request, _("“%(name)s” has already begun and keeps access to their answers.") % {"name": row})
    else:
        messages.success(request, _("The invitation no longer works."))
    return redirect("researcher:invited", slug)
