"""Links to results: created and ended by the study's editors, and the pages for people with a link."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from analytics_app import access as own
from analytics_app.charts import pictures
from analytics_app.selectors import sharing as reads
from analytics_app.selectors.departures import departures_of
from analytics_app.selectors.results import systems_shown
from analytics_app.selectors.sections import names_of
from analytics_app.services import sharing
from analytics_app.views import one_page, run_words
from analytics_app.views.files import done_run
from analytics_app.views.run_contents import contents
from tasks_app import access
from tasks_app.models import Membership, Study
from tasks_app.settings.fields import line_field
from tasks_app.texts import languages
from tasks_app.views.downloads import attachment
from tasks_app.views.researcher.frame import researcher_page, study_page

EDITOR = Membership.Role.EDITOR

# Pages of results are in the language of researchers' pages.
LANGUAGE = "en"


class LinkForm(forms.Form):
    """A new link to results."""

    name = line_field(
        gettext_lazy("For whom"),
        gettext_lazy("For example “reviewers” or “Kim”. Shown only in this list and in the log."),
        length=100,
        required=True,
        error_messages={"required": gettext_lazy("Enter who the link is for.")},
        widget=forms.TextInput(attrs={"dir": "auto"}),
    )
    days = forms.TypedChoiceField(
        coerce=int,
        choices=[(days, gettext_lazy("%d days") % days) for days in sharing.DAYS],
        label=gettext_lazy("Valid for"),
    )


@researcher_page("GET", "POST")
def share(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the links to the results of a study; a POST creates a link to this run and shows its address once."""
    study, role, run = done_run(request, slug, number, role=EDITOR)
    form = LinkForm(request.POST if request.method == "POST" else None)
    link, address = None, ""
    if form.is_valid():
        link = sharing.share(run=run, by=cast("User", request.user), **form.cleaned_data)
        address = request.build_absolute_uri(reverse("shared:results", args=[link.token]))
        form = LinkForm()

    def context(study: Study) -> dict[str, Any]:
        return {
            "run": run,
            "form": form,
            "made": link.link if link else None,
            "address": address,
            "links": reads.links(study),
            "hidden": not systems_shown(study),
        }

    return study_page(
        request, slug, "results", context, template="share_results", title=_("Share results"), role=EDITOR,
        status=422 if form.errors else 200, fetched=(study, role),
    )  # fmt: skip


@researcher_page("POST")
def end(request: HttpRequest, slug: str, link: int) -> HttpResponse:
    """End a link to results."""
    study = access.study_for_researcher(request.user, slug, EDITOR)
    row = get_object_or_404(reads.links(study), pk=link)
    sharing.end(link=row, by=cast("User", request.user))
    messages.success(request, _("Link revoked. It no longer works."))
    return redirect("analytics:share", slug, row.run.number)


@require_safe
def results(request: HttpRequest, token: str) -> HttpResponse:
    """Show the results of a linked run to a reader without an account."""
    link = own.results_link_for_token(token)
    study, run = link.run.study, link.run
    with languages.speaking(LANGUAGE):
        sharing.note_use(link)
        shown = systems_shown(study)
        context = contents(study, run, names_of(study), request.GET.get("section", ""), systems=shown, raters=False)
        about = {
            "study": study,
            "run": run,
            "link": link,
            "hidden": not shown,
            "departures": [
                run_words.departure_in_words(departure, study, named=False) for departure in departures_of(study)
            ],
            "summary_url": reverse("shared:summary", args=[token]),
            "view_only": True,
            "page_title": _("Results: %(study)s") % {"study": study.title},
        }
        return render(request, "public/results.html", {**context, **about})


@require_safe
def summary(request: HttpRequest, token: str) -> HttpResponse:
    """Return the one-page summary of a linked run as PDF."""
    link = own.results_link_for_token(token)
    study, run = link.run.study, link.run
    with languages.speaking(LANGUAGE):
        sharing.note_use(link)
        return attachment(
            f"{study.slug}-run-{run.number}-summary.pdf",
            one_page.one_page(study, run, systems=systems_shown(study), named=False),
            pictures.CONTENT_TYPES["pdf"],
        )
