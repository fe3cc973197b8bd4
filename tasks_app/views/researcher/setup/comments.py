"""Comments on a study, and the links under which colleagues without an account comment on it."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app import access
from tasks_app.models import Comment, Membership, Study
from tasks_app.selectors import comments as reads
from tasks_app.services.study import commenting
from tasks_app.setup.steps import STEPS
from tasks_app.texts import plaintext
from tasks_app.views.researcher.frame import researcher_page, study_page
from tasks_app.views.researcher.setup.form_frame import step_url

# Why a link works no more.
STATES = {
    "": gettext_lazy("active"),
    reads.ENDED: gettext_lazy("revoked"),
    reads.EXPIRED: gettext_lazy("expired"),
    reads.OPENED: gettext_lazy("ended when the study was opened"),
}


class MemberCommentForm(forms.Form):
    """A comment of a member of the study."""

    step = forms.ChoiceField(
        required=False,
        choices=[("", gettext_lazy("The whole study")), *((step.slug, step.label) for step in STEPS)],
        label=gettext_lazy("Part of the study"),
    )
    text = forms.CharField(
        max_length=commenting.LONGEST_TEXT,
        label=gettext_lazy("Your comment"),
        validators=[plaintext.validate_storable],
        widget=forms.Textarea(attrs={"rows": 4, "dir": "auto"}),
    )


class LinkForm(forms.Form):
    """A link for colleagues without an account."""

    days = forms.TypedChoiceField(
        coerce=int,
        choices=[(days, gettext_lazy("%d days") % days) for days in commenting.DAYS],
        label=gettext_lazy("Valid for"),
    )
    shows_systems = forms.BooleanField(required=False, label=gettext_lazy("Show the names of the systems"))


def comments_of(study: Study, *, form: forms.Form | None = None) -> dict[str, Any]:
    """Return the comments on a study and the form to add one, for a page of its members."""
    return {
        "threads": reads.threads(study),
        "comment_form": form or MemberCommentForm(auto_id="comment-%s"),
        "step_labels": {step.slug: (step.label, step_url(study.slug, step.slug)) for step in STEPS},
    }


def links_of(study: Study) -> dict[str, Any]:
    """Return the links of a study and the form to make one, for its editors and owners."""
    return {
        "links": [(link, STATES[link.state]) for link in reads.links(study)],  # type: ignore[attr-defined]
        "link_form": LinkForm(auto_id="link-%s"),
        "days": commenting.DAYS,
    }


@researcher_page("GET", "POST")
def comments(request: HttpRequest, slug: str) -> HttpResponse:
    """List the comments on a study; posted to, add one, or a reply to one, as the member who is signed in."""
    form = MemberCommentForm(request.POST if request.method == "POST" else None, auto_id="comment-%s")
    if form.is_valid() and _added(request, access.study_for_researcher(request.user, slug), form):
        return redirect(f"{_back(request, slug)}#comments")

    def context(study: Study) -> dict[str, Any]:
        return comments_of(study, form=form if form.errors else None)

    status = 422 if form.errors else 200
    return study_page(request, slug, "setup", context, template="comments", title=_("Comments"), status=status)


def _back(request: HttpRequest, slug: str) -> str:
    """Return the page to go on with: Review where the form stood there."""
    on_review = request.POST.get("on") == "review"
    return step_url(slug, "review") if on_review else reverse("researcher:comments", args=[slug])


def _added(request: HttpRequest, study: Study, form: forms.Form) -> bool:
    """Add a comment; False where the study takes no more, which the form then says."""
    number = request.POST.get("reply_to", "")
    first = Comment.objects.filter(study=study, reply_to=None)
    is_number = number.isdecimal() and len(number) < 19
    reply_to = get_object_or_404(first, pk=int(number) if is_number else 0) if number else None
    values = {name: form.cleaned_data[name] for name in ("step", "text")}
    try:
        commenting.add(study=study, user=cast("User", request.user), reply_to=reply_to, **values)
    except commenting.TooManyComments as refusal:
        form.add_error(None, str(refusal))
        return False
    return True


@researcher_page("POST")
def mark(request: HttpRequest, slug: str, comment: int) -> HttpResponse:
    """Mark a comment as done, or as open again."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    row = get_object_or_404(Comment.objects.select_related("study"), study=study, reply_to=None, pk=comment)
    commenting.mark(comment=row, done=request.POST.get("done") == "yes", by=cast("User", request.user))
    return redirect(f"{_back(request, slug)}#comments")


@researcher_page("POST")
def share(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a link for colleagues without an account, and show its address, this once."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    form = LinkForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Choose how long the link is valid."))
        return redirect(step_url(slug, "review"))
    shared = commenting.share(study=study, by=cast("User", request.user), **form.cleaned_data)
    address = request.build_absolute_uri(reverse("public:comment", args=[shared.token]))

    def context(_study: Study) -> dict[str, Any]:
        return {"address": address, "link": shared.link}

    return study_page(
        request, slug, "setup", context, template="comment_link", title=_("Comment link"),
        role=Membership.Role.EDITOR,
    )  # fmt: skip


@researcher_page("POST")
def change_link(request: HttpRequest, slug: str, link: int) -> HttpResponse:
    """End a link, or let it work for some more days from now on."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    row = get_object_or_404(reads.links(study), pk=link)
    row.study, by, action = study, cast("User", request.user), request.POST.get("action")
    if action == "end":
        commenting.end(link=row, by=by)
        messages.success(request, _("Link revoked. It no longer works; its comments stay."))
    elif action == "renew":
        commenting.renew(link=row, days=commenting.DAYS[0], by=by)
        sentence = _("The link is valid for %(days)d days from now, under the same address.")
        messages.success(request, sentence % {"days": commenting.DAYS[0]})
    else:
        raise Http404
    return redirect(f"{step_url(slug, 'review')}#share")
