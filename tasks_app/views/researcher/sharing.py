"""The members of a study: everybody sees the list; owners add, change and remove members."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app import access
from tasks_app.models import Membership, Study
from tasks_app.services.study import drafts
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
    """Letting somebody in, or changing what they may do."""

    name = forms.CharField(
        max_length=150,
        label=gettext_lazy("Login name"),
        help_text=gettext_lazy(
            "The name with which they sign in here. Your administrator can make one for new colleagues."
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
                _("No researcher signs in as “%(name)s”. Check the spelling, or ask your administrator."),
                params={"name": name},
            )
        return user


@researcher_page("GET", "POST")
def members(request: HttpRequest, slug: str) -> HttpResponse:
    """List who works on a study; posted to by an owner, let somebody in or change their role."""
    form = MemberForm()
    if request.method == "POST":
        study = access.study_for_researcher(request.user, slug, Membership.Role.OWNER)
        form = MemberForm(request.POST)
        if form.is_valid() and _shared(request, study, form):
            return redirect("researcher:members", slug)

    def context(study: Study) -> dict[str, Any]:
        memberships = study.memberships.select_related("user").order_by("user__username")
        return {"form": form, "members": memberships, "roles": Membership.Role.choices, "may": _may()}

    title = _("Who works on this study")
    return study_page(
        request, slug, "setup", context, template="members", title=title, status=422 if form.errors else 200
    )


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
