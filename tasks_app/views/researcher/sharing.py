"""The members of a study: everybody sees the list; owners add, invite, change and remove members."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app import access
from tasks_app.models import Membership, Study
from tasks_app.services.study import colleagues, drafts
from tasks_app.texts import plaintext
from tasks_app.views.researcher.frame import researcher_page, study_page

# What each role may do, beside the roles before it.
MAY = {
    Membership.Role.VIEWER: gettext_lazy("sees the study and, once it is closed, exports ratings"),
    Membership.Role.EDITOR: gettext_lazy(
        "also sets it up, reads known answers and the plan, recruits raters, excludes answers and starts runs"
    ),
    Membership.Role.OWNER: gettext_lazy("also shares it, pays, erases raters, shows results early"),
}


class MemberForm(forms.Form):
    """Letting somebody in, or changing their role."""

    name = forms.CharField(
        max_length=150,
        label=gettext_lazy("Login name"),
        help_text=gettext_lazy(
            "The name with which your colleague signs in here. Invite colleagues who have none by a link, below."
        ),
        widget=forms.TextInput(attrs={"class": "ew-input", "autocomplete": "off", "autocapitalize": "none"}),
    )
    role = forms.ChoiceField(
        choices=Membership.Role.choices,
        initial=Membership.Role.VIEWER,
        label=gettext_lazy("Role"),
        widget=forms.Select(attrs={"class": "ew-input"}),
    )

    def clean_name(self) -> User:
        """Return the researcher of that name."""
        name = self.cleaned_data["name"].strip()
        user = User.objects.filter(username=name, is_active=True, is_staff=True).first()
        if user is None:
            raise ValidationError(
                _("No researcher signs in as “%(name)s”. Check the spelling, or invite them by a link, below."),
                params={"name": name},
            )
        return user


class InvitationForm(forms.Form):
    """An invitation of somebody who need not have an account yet."""

    whom = forms.CharField(
        max_length=254,
        label=gettext_lazy("Name or e-mail address"),
        validators=[plaintext.validate_storable],
        widget=forms.TextInput(attrs={"class": "ew-input", "autocomplete": "off", "dir": "auto"}),
    )
    role = forms.ChoiceField(
        choices=Membership.Role.choices,
        initial=Membership.Role.VIEWER,
        label=gettext_lazy("Role"),
        widget=forms.Select(attrs={"class": "ew-input"}),
    )

    def __init__(self, data: QueryDict | None = None) -> None:
        super().__init__(data, auto_id="invite-%s")
        if colleagues.sends_mail():
            self.fields["whom"].help_text = _("If you enter an e-mail address, the link is also sent there.")
        else:
            self.fields["whom"].help_text = _("This tells you later whom the link is for. It is not sent by mail.")


@researcher_page("GET", "POST")
def members(request: HttpRequest, slug: str) -> HttpResponse:
    """List who works on a study; posted to by an owner, let somebody in or change their role."""
    form = MemberForm()
    if request.method == "POST":
        study = access.study_for_researcher(request.user, slug, Membership.Role.OWNER)
        form = MemberForm(request.POST)
        if form.is_valid() and _shared(request, study, form):
            return redirect("researcher:members", slug)
    return _page(request, slug, form, InvitationForm())


def _page(request: HttpRequest, slug: str, form: MemberForm, invitation_form: InvitationForm) -> HttpResponse:
    def context(study: Study) -> dict[str, Any]:
        memberships = study.memberships.select_related("user").order_by("user__username")
        waiting = access.open_colleague_invitations().filter(study=study).select_related("made_by")
        return {
            "form": form,
            "invitation_form": invitation_form,
            "days": colleagues.DAYS,
            "members": memberships,
            "invitations": waiting,
            "roles": Membership.Role.choices,
            "may": _may(),
        }

    title = _("Who works on this study")
    status = 422 if form.errors or invitation_form.errors else 200
    return study_page(request, slug, "setup", context, template="members", title=title, status=status)


def _shared(request: HttpRequest, study: Study, form: MemberForm) -> bool:
    user, role = form.cleaned_data["name"], form.cleaned_data["role"]
    try:
        drafts.set_member(study=study, user=user, role=role, by=cast("User", request.user))
    except ValueError as refusal:
        form.add_error(None, str(refusal))
        return False
    names = {"name": user.get_username(), "role": Membership.Role(role).label}
    messages.success(request, _("%(name)s is %(role)s of this study now.") % names)
    return True


def _may() -> list[tuple[str, str]]:
    return [(str(role.label), str(words)) for role, words in MAY.items()]


@researcher_page("POST")
def unshare(request: HttpRequest, slug: str) -> HttpResponse:
    """Take a study away from somebody."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.OWNER)
    name = request.POST.get("name", "").replace("\0", "")
    member = get_object_or_404(study.memberships.select_related("user"), user__username=name)
    try:
        drafts.remove_member(study=study, user=member.user, by=cast("User", request.user))
    except ValueError as refusal:
        messages.error(request, str(refusal))
        return redirect("researcher:members", slug)
    messages.success(request, _("%(name)s can no longer see this study.") % {"name": name})
    # A member who has left the study does not see the list either.
    return redirect("researcher:studies") if member.user_id == request.user.pk else redirect("researcher:members", slug)


@researcher_page("POST")
def invite(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a link for a colleague, send it to an e-mail address, and show it, this once."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.OWNER)
    by = cast("User", request.user)
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _page(request, slug, MemberForm(), form)
    try:
        made = colleagues.invite(study=study, by=by, **form.cleaned_data)
    except colleagues.InvitationRefused as refusal:
        form.add_error(None, str(refusal))
        return _page(request, slug, MemberForm(), form)
    address = request.build_absolute_uri(reverse("colleagues:join", args=[made.token]))
    sending = colleagues.send(made=made, whom=form.cleaned_data["whom"], by=by)

    def context(_study: Study) -> dict[str, Any]:
        return {"address": address, "invitation": made.invitation, "sending": sending.value}

    return study_page(
        request, slug, "setup", context, template="colleague_link", title=_("Invitation link"),
        role=Membership.Role.OWNER,
    )  # fmt: skip


@researcher_page("POST")
def revoke(request: HttpRequest, slug: str, invitation: int) -> HttpResponse:
    """End an invitation that nobody has accepted."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.OWNER)
    row = get_object_or_404(study.colleague_invitations, pk=invitation)
    colleagues.revoke(invitation=row, by=cast("User", request.user))
    messages.success(request, _("Invitation revoked. Its link no longer works."))
    return redirect("researcher:members", slug)
