"""The API page of a study: tokens, and addresses for scripts."""

from datetime import datetime, timedelta
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app import access
from tasks_app.models import Study
from tasks_app.services.study import tokens
from tasks_app.settings.fields import choice_field
from tasks_app.views.researcher.frame import researcher_page, study_page

# Days a token holds; scripts that run for years are rarer than tokens that are forgotten.
DAYS = {
    "30": gettext_lazy("30 days"),
    "90": gettext_lazy("90 days"),
    "365": gettext_lazy("a year"),
    "": gettext_lazy("until I revoke it"),
}


class TokenForm(forms.Form):
    """Making a token."""

    name = forms.CharField(
        max_length=100,
        label=gettext_lazy("What it is for"),
        help_text=gettext_lazy("What will use the token, such as “notebook”."),
    )
    scopes = forms.MultipleChoiceField(
        choices=list(tokens.SCOPES.items()),
        initial=[tokens.READ_STUDIES, tokens.READ_JUDGMENTS, tokens.READ_RESULTS],
        widget=forms.CheckboxSelectMultiple,
        label=gettext_lazy("What it may do"),
        error_messages={"required": gettext_lazy("Choose at least one thing that the token may do.")},
    )
    days = choice_field(gettext_lazy("Valid for"), list(DAYS.items()), initial="90", required=False)
    everywhere = forms.BooleanField(
        required=False,
        label=gettext_lazy("In all my studies"),
        help_text=gettext_lazy("Without this it works in this study alone."),
    )

    def expires(self) -> datetime | None:
        """Return the time at which the token ends."""
        days = self.cleaned_data["days"]
        return timezone.now() + timedelta(days=int(days)) if days else None


@researcher_page("GET", "POST")
def api(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a token, with its secret shown this once, and list one's own tokens."""
    posted = request.method == "POST"
    form = TokenForm(request.POST if posted else None)
    user = cast("User", request.user)
    made_token: tokens.MadeToken | None = None
    if posted and form.is_valid():
        study = access.study_for_researcher(user, slug)
        choices = {name: form.cleaned_data[name] for name in ("name", "scopes", "everywhere")}
        try:
            made_token = tokens.make(user=user, study=study, expires=form.expires(), **choices)
        except tokens.TokenRefused as refusal:
            form.add_error(None, str(refusal))

    def context(study: Study) -> dict[str, Any]:
        return {
            "form": TokenForm() if made_token else form,
            "made": made_token,
            "tokens": tokens.of(user=user, study=study),
            "scopes": tokens.SCOPES,
            "addresses": _addresses(request, study),
        }

    return study_page(
        request, slug, "api", context, template="tokens", title=_("API"), status=422 if form.errors else 200
    )


def _addresses(request: HttpRequest, study: Study) -> list[tuple[str, str]]:
    base = request.build_absolute_uri(reverse("api:study", args=[study.slug]))
    return [
        (_("This study"), base),
        (_("Its ratings, one row each"), f"{base}ratings.csv"),
        (_("Its results"), f"{base}results.csv"),
    ]


@researcher_page("POST")
def revoke(request: HttpRequest, slug: str, token: int) -> HttpResponse:
    """End a token of one's own."""
    study, user = access.study_for_researcher(request.user, slug), cast("User", request.user)
    row = get_object_or_404(tokens.of(user=user, study=study), pk=token)
    tokens.revoke(token=row, study=study, by=user)
    messages.success(request, _("The token “%(name)s” no longer works.") % {"name": row.name})
    return redirect("researcher:api", slug)
