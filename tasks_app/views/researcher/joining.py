"""The page of an invitation to work on a study: a colleague signs in or makes an account, and accepts."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth import get_user_model, login, logout, password_validation
from django.contrib.auth.forms import BaseUserCreationForm
from django.contrib.auth.models import User
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from tasks_app import access
from tasks_app.models import ColleagueInvitation, Membership
from tasks_app.services.study import colleagues
from tasks_app.views.researcher.sharing import MAY
from tasks_app.views.signing_in import ResearcherSignIn

BACKEND = "django.contrib.auth.backends.ModelBackend"


class AccountForm(BaseUserCreationForm):  # type: ignore[type-arg]
    """A new account of a researcher."""

    first_name = forms.CharField(
        required=False,
        max_length=150,
        label=gettext_lazy("Your name"),
        help_text=gettext_lazy("Optional. It stands in the datasheet of studies that you own."),
    )
    field_order = ("username", "first_name", "password1", "password2")

    class Meta:
        model = User
        fields = ("username", "first_name")
        labels = {"username": gettext_lazy("Login name")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, auto_id="new-%s", **kwargs)
        self.fields["username"].help_text = gettext_lazy("Letters, digits and @ . + - _")
        self.fields["password1"].help_text = " ".join(
            str(text) for text in password_validation.password_validators_help_texts()
        )
        self.fields["password2"].help_text = ""
        self.fields["password2"].label = gettext_lazy("Password again")

    def clean_username(self) -> str:
        """Refuse a name that differs from another account's by capitals only."""
        name = str(self.cleaned_data["username"])
        if get_user_model().objects.filter(username__iexact=name).exists():
            raise forms.ValidationError(_("Somebody signs in with this name already. Choose another one."))
        return name


@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Show the study and role of an invitation; posted to, accept it, with the account in use, another or a new one."""
    invitation = access.colleague_invitation_for_token(token)
    way = request.POST.get("way", "") if request.method == "POST" else ""
    sign_in = ResearcherSignIn(request, request.POST if way == "sign_in" else None, auto_id="own-%s")
    account = AccountForm(request.POST if way == "account" else None)
    if way == "leave":
        logout(request)
        return redirect("colleagues:join", token)
    try:
        user = _person(request, way, sign_in, account, invitation)
    except colleagues.InvitationRefused as refusal:
        return _page(request, invitation, sign_in, account, refusal=str(refusal), status=409)
    if user is not None:
        sentence = _("You work on this study now, as %(role)s.")
        messages.success(request, sentence % {"role": invitation.get_role_display()})
        return redirect("researcher:setup", invitation.study.slug)
    return _page(request, invitation, sign_in, account, status=422 if sign_in.errors or account.errors else 200)


def _person(
    request: HttpRequest, way: str, sign_in: ResearcherSignIn, account: AccountForm, invitation: ColleagueInvitation
) -> User | None:
    """Accept the invitation in the way that was chosen, and return who did; None where a form has errors.

    Raises
    ------
    tasks_app.services.study.colleagues.InvitationRefused
        Where the invitation ended meanwhile.
    """
    if way == "accept" and getattr(request.user, "is_staff", False):
        user = cast("User", request.user)
        colleagues.accept(invitation=invitation, user=user)
        return user
    if way == "sign_in" and sign_in.is_valid():
        user = sign_in.get_user()
        colleagues.accept(invitation=invitation, user=user)
        login(request, user)
        return user
    if way == "account" and account.is_valid():
        values = account.cleaned_data
        try:
            user = colleagues.accept_with_new_account(
                invitation=invitation,
                username=values["username"],
                password=values["password1"],
                name=values["first_name"],
            )
        except IntegrityError:
            account.add_error("username", _("Somebody signs in with this name already. Choose another one."))
            return None
        login(request, user, backend=BACKEND)
        return user
    return None


def _page(
    request: HttpRequest,
    invitation: ColleagueInvitation,
    sign_in: ResearcherSignIn,
    account: AccountForm,
    *,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    sign_in.fields["username"].label = _("Login name")
    for field in (*sign_in.fields.values(), *account.fields.values()):
        field.widget.attrs["class"] = "input"
        # Two forms stand on the page: neither takes the focus from the heading.
        field.widget.attrs.pop("autofocus", None)
    context = {
        "page_title": _("Invitation to a study"),
        "invitation": invitation,
        "inviter": invitation.made_by.get_full_name() or invitation.made_by.get_username(),
        "may": MAY[Membership.Role(invitation.role)],
        "sign_in": sign_in,
        "account": account,
        "refusal": refusal,
    }
    return render(request, "public/colleague.html", context, status=status)
