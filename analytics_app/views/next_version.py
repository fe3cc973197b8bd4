"""Judgments of an earlier version of a corpus, taken over into the study of the next version."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analytics_app.selectors import taken_over
from analytics_app.services import next_version
from tasks_app import access
from tasks_app.models import Membership, Study
from tasks_app.settings.fields import whole_field
from tasks_app.studyfile import StudyFileError
from tasks_app.views.researcher.frame import researcher_page, study_page

# The most judgments that a text can be asked to have, and the most earlier studies that a form offers.
MOST_JUDGMENTS, MOST_STUDIES = 100, 200


class RequestForm(forms.Form):
    """The earlier study, the judgments that a text needs there, and the differences between texts that do not count."""

    origin = forms.ChoiceField(label=gettext_lazy("Earlier study"))
    least = whole_field(
        gettext_lazy("Judgments that a text needs there"),
        gettext_lazy("A text with fewer judgments counts as new: it is judged again, and nothing is taken over."),
        within=(1, MOST_JUDGMENTS),
        initial=1,
    )
    normalise = forms.MultipleChoiceField(
        required=False,
        label=gettext_lazy("Differences that do not count"),
        help_text=gettext_lazy("Without a choice, source and text must be exactly the same."),
        choices=[(name, label) for name, (label, _function) in next_version.NORMALISATIONS.items()],
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, *args: Any, origins: list[Study], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.origins = {study.slug: study for study in origins}
        choices = [(study.slug, study.title) for study in origins]
        cast("forms.ChoiceField", self.fields["origin"]).choices = choices

    @property
    def request(self) -> next_version.Request:
        """Return the request of a valid form."""
        cleaned = self.cleaned_data
        return next_version.Request(self.origins[cleaned["origin"]], cleaned["least"], tuple(cleaned["normalise"]))


@researcher_page("GET", "POST")
def take_over(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how many texts of a draft an earlier study has judged; with the button for it, take its judgments over."""
    study, role = access.study_and_role(request.user, slug)
    form = RequestForm(request.POST or None, initial=_initial(request, study), origins=_origins(request, study))
    found, problem = None, next_version.problem_of_target(study)
    if request.method == "POST":
        if not access.reaches(role, Membership.Role.EDITOR):
            raise Http404
        if not problem and form.is_valid():
            try:
                found = next_version.preview(study, form.request)
                if request.POST.get("action") == "take":
                    return _taken(request, study, form.request, found)
            except (next_version.NotPossible, StudyFileError) as error:
                form.add_error(None, str(error))
    context = {
        "form": form,
        "found": found,
        "problem": problem,
        "report": taken_over.report_of(study),
        "erased": next_version.erased_since(study),
        "most": next_version.MOST_ON_A_PAGE,
    }
    status = 422 if form.errors or (problem and request.method == "POST") else 200
    title = _("The next version of a corpus")
    about: dict[str, Any] = {"template": "next_version", "title": title, "status": status}
    return study_page(request, slug, "data", lambda _study: context, **about)


def _origins(request: HttpRequest, study: Study) -> list[Study]:
    """Return the closed studies that somebody may see, the newest first: every member may export their ratings."""
    readable = access.studies_for_researcher(request.user).filter(state=Study.State.CLOSED).exclude(pk=study.pk)
    return list(readable.order_by("-pk")[:MOST_STUDIES])


def _initial(request: HttpRequest, study: Study) -> dict[str, Any]:
    """Return the first choice: the study that this one follows."""
    version = access.version_followed(request.user, study)
    return {"origin": version.study.slug if version is not None else "", "least": 1}


def _taken(
    request: HttpRequest, study: Study, wanted: next_version.Request, found: next_version.Preview
) -> HttpResponse:
    """Take the judgments over, unless there are too many for a page; redirect to the report."""
    if found.n > next_version.MOST_ON_A_PAGE:
        sentence = _("These are more judgments than a page takes over. Use the command below on the server.")
        raise next_version.NotPossible(sentence)
    taken = next_version.take_over(study=study, request=wanted, by=cast("User", request.user))
    sentence = ngettext("%(n)d judgment was taken over.", "%(n)d judgments were taken over.", taken.n)
    messages.success(request, sentence % {"n": taken.n})
    return redirect("analytics:next_version", study.slug)
