"""A study that is shared for comment, for colleagues with a link: what raters will see, and a box to comment in."""

from __future__ import annotations

from csp.constants import SELF
from django import forms
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from tasks_app import access, languages, plaintext, richtext
from tasks_app.forms import SignedForm
from tasks_app.models import CommentLink, Media
from tasks_app.selectors import comments
from tasks_app.services.study import commenting
from tasks_app.setup.frozen import setup_of
from tasks_app.setup.shared import shared_study
from tasks_app.setup.steps import STEPS
from tasks_app.views import counting
from tasks_app.views.rater import media as rater_media
from tasks_app.views.rater.pages import client_address
from tasks_app.views.researcher.setup.preview import show_unit

# Comments from one address in an hour.
MOST_IN_AN_HOUR = 20
HOUR = 3_600

# Colleagues read it in the language that it is set up in, as researchers do.
LANGUAGE = "en"


class CommentForm(SignedForm):
    """A comment of somebody without an account."""

    action = "comment"

    name = forms.CharField(
        max_length=commenting.LONGEST_NAME,
        label=gettext_lazy("Your name"),
        validators=[plaintext.validate_storable],
        widget=forms.TextInput(attrs={"class": "input", "autocomplete": "name"}),
    )
    step = forms.ChoiceField(
        required=False,
        choices=[("", gettext_lazy("The whole study")), *((step.slug, step.label) for step in STEPS)],
        label=gettext_lazy("Part of the study"),
        widget=forms.Select(attrs={"class": "input"}),
    )
    text = forms.CharField(
        max_length=commenting.LONGEST_TEXT,
        label=gettext_lazy("Your comment"),
        validators=[plaintext.validate_storable],
        widget=forms.Textarea(attrs={"class": "input", "rows": 5, "dir": "auto"}),
    )


# The form carries a signed token instead of a cookie, as those of raters do.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def comment(request: HttpRequest, token: str) -> HttpResponse:
    """Show a study that is shared for comment; posted to, take a comment."""
    link = access.comment_link_for_token(token)
    with languages.speaking(LANGUAGE):
        form = CommentForm(request.POST if request.method == "POST" else None, bound_to={"link": link.pk})
        if form.is_valid() and _stored(request, link, form):
            return redirect(f"{reverse('public:comment', args=[token])}?sent=1#comments")
        return _page(request, link, token, form)


def _stored(request: HttpRequest, link: CommentLink, form: CommentForm) -> bool:
    """Store a comment; False where there are too many of them, which the form then says."""
    key = counting.key_of("comment", f"{link.pk} {client_address(request)}")
    if counting.count(key, HOUR) > MOST_IN_AN_HOUR:
        form.add_error(None, _("You have sent many comments in the last hour. Please send this one later."))
        return False
    values = {name: form.cleaned_data[name] for name in ("name", "step", "text")}
    try:
        commenting.add(study=link.study, link=link, **values)
    except commenting.TooManyComments as refusal:
        form.add_error(None, str(refusal))
        return False
    return True


def _page(request: HttpRequest, link: CommentLink, token: str, form: CommentForm) -> HttpResponse:
    shared = shared_study(link, setup_of(link.study))
    context = {
        "link": link,
        "shared": shared,
        "consent": [(language, richtext.to_html(text)) for language, text in shared.consent.items()],
        "form": form,
        "sent": request.GET.get("sent") == "1",
        "threads": comments.threads_for_colleagues(link.study),
        "step_labels": {step.slug: step.label for step in STEPS},
        "preview_url": reverse("public:comment_preview", args=[token]),
        "page_title": shared.public_title,
    }
    status = 422 if form.errors else 200
    response = render(request, "public/shared.html", context, status=429 if form.non_field_errors() else status)
    response._csp_replace = {"frame-src": [SELF]}  # type: ignore[attr-defined]  # read by django-csp
    return response


# Nothing is stored, so there is nothing that another site could do in somebody's name.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def preview(request: HttpRequest, token: str) -> HttpResponse:
    """Show the rater's page with the first texts of a study that is shared for comment."""
    link = access.comment_link_for_token(token)
    media_base = reverse("public:comment", args=[token]) + "media/"
    return show_unit(request, setup_of(link.study), media_base, names_problems=False)


@require_safe
def media(request: HttpRequest, token: str, name: str) -> HttpResponseBase:
    """Send a picture, sound or video of a study that is shared for comment."""
    link = access.comment_link_for_token(token)
    return rater_media.send(request, get_object_or_404(Media, study=link.study, sha256=name))
