"""A study that is shared for comment, for colleagues with a link: the raters' pages, and a box to comment in."""

from collections.abc import Sequence

from csp.constants import SELF
from django import forms
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from tasks_app import access
from tasks_app.forms import SignedForm
from tasks_app.models import CommentLink, Media
from tasks_app.selectors import comments
from tasks_app.selectors.comments import Thread
from tasks_app.services.study import commenting
from tasks_app.settings.fields import line_field
from tasks_app.setup.frozen import setup_of
from tasks_app.setup.shared import shared_study
from tasks_app.setup.steps import STEPS
from tasks_app.texts import languages, plaintext, richtext
from tasks_app.views import counting
from tasks_app.views.rater import media as rater_media
from tasks_app.views.rater.pages import client_address
from tasks_app.views.researcher.setup.preview import show_unit

# Comments from one address in an hour.
MOST_IN_AN_HOUR = 20
HOUR = 3_600

# Colleagues read it in the language that it is set up in, as researchers do.
LANGUAGE = "en"


class _WrittenForm(SignedForm):
    """The comment of a person without an account, under their name."""

    action = "comment"

    name = line_field(
        gettext_lazy("Your name"),
        length=commenting.LONGEST_NAME,
        required=True,
        error_messages={"required": gettext_lazy("Enter your name.")},
        widget=forms.TextInput(attrs={"class": "input", "autocomplete": "name"}),
    )
    text = forms.CharField(
        max_length=commenting.LONGEST_TEXT,
        label=gettext_lazy("Your comment"),
        error_messages={"required": gettext_lazy("Write your comment.")},
        validators=[plaintext.validate_storable],
        widget=forms.Textarea(attrs={"class": "input", "rows": 5, "dir": "auto"}),
    )


class CommentForm(_WrittenForm):
    """A comment of somebody without an account."""

    step = forms.ChoiceField(
        required=False,
        choices=[("", gettext_lazy("The whole study")), *((step.slug, step.label) for step in STEPS)],
        label=gettext_lazy("Part of the study"),
        widget=forms.Select(attrs={"class": "input"}),
    )
    field_order = ("name", "step", "text")


class ReplyForm(_WrittenForm):
    """A reply of somebody without an account to a comment that they can read."""

    reply_to = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, data: QueryDict | None, *, link: CommentLink, thread: Thread) -> None:
        number = thread.comment.pk
        bound_to = {"link": link.pk, "reply_to": number}
        super().__init__(data, bound_to=bound_to, initial={"reply_to": number}, auto_id=f"reply-{number}-%s")
        self.fields["text"].label = _("Your reply")
        self.fields["text"].error_messages["required"] = _("Write your reply.")
        self.fields["text"].widget.attrs["rows"] = 3


# The form carries a signed token instead of a cookie, as those of raters do.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def comment(request: HttpRequest, token: str) -> HttpResponse:
    """Show a study that is shared for comment; posted to, take a comment, or a reply to one."""
    link = access.comment_link_for_token(token)
    with languages.speaking(LANGUAGE):
        threads = comments.threads_for_colleagues(link.study)
        thread = _thread_answered(request, threads)
        data = request.POST if request.method == "POST" else None
        form: _WrittenForm = (
            CommentForm(data, bound_to={"link": link.pk})
            if thread is None
            else ReplyForm(data, link=link, thread=thread)
        )
        if form.is_valid() and _stored(request, link, form, thread):
            return redirect(f"{reverse('public:comment', args=[token])}?sent=1#comments")
        return _page(request, link, token, form, threads)


def _thread_answered(request: HttpRequest, threads: Sequence[Thread]) -> Thread | None:
    """Return the thread that a posted form replies to; None for a comment of its own. Raises Http404."""
    number = request.POST.get("reply_to")
    if number is None:
        return None
    for thread in threads:
        if str(thread.comment.pk) == number:
            return thread
    raise Http404


def _stored(request: HttpRequest, link: CommentLink, form: _WrittenForm, thread: Thread | None) -> bool:
    """Store a comment or a reply; False where there are too many of them, which the form then says."""
    key = counting.key_of("comment", f"{link.pk} {client_address(request)}")
    if counting.count(key, HOUR) > MOST_IN_AN_HOUR:
        form.add_error(None, _("You have sent many comments in the last hour. Please send this one later."))
        return False
    values = {name: form.cleaned_data.get(name, "") for name in ("name", "step", "text")}
    try:
        commenting.add(study=link.study, link=link, reply_to=thread.comment if thread else None, **values)
    except commenting.TooManyComments as refusal:
        form.add_error(None, str(refusal))
        return False
    return True


def _page(
    request: HttpRequest, link: CommentLink, token: str, form: _WrittenForm, threads: Sequence[Thread]
) -> HttpResponse:
    shared = shared_study(setup_of(link.study), shows_systems=link.shows_systems)
    replied = form.bound_to.get("reply_to")
    context = {
        "link": link,
        "shared": shared,
        "consent": [(language, richtext.to_html(text)) for language, text in shared.consent.items()],
        "instructions": [(title, richtext.to_html(text)) for title, text in shared.instructions],
        "form": CommentForm(bound_to={"link": link.pk}) if isinstance(form, ReplyForm) else form,
        "sent": request.GET.get("sent") == "1",
        "threads": [
            (thread, form if thread.comment.pk == replied else ReplyForm(None, link=link, thread=thread))
            for thread in threads
        ],
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
