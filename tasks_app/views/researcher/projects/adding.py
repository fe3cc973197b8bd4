"""Put several studies into a project at once."""

from typing import Any

from django.contrib import messages
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app import access
from tasks_app.models import Project
from tasks_app.selectors import studies as reads
from tasks_app.services.study import projects as service
from tasks_app.setup import templates
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.projects.frame import project_page

# Studies that can be chosen on one page; words find the others.
LISTED = 200


@researcher_page("GET", "POST")
def add(request: HttpRequest, slug: str) -> HttpResponse:
    """List the studies that somebody may put into a project; posted to, put those that were chosen into it."""
    project = access.project_for_researcher(request.user, slug)
    chosen = [slug for slug in request.POST.getlist("study") if "\0" not in slug]
    studies = list(templates.ordinary(access.studies_for_editor(request.user)).filter(slug__in=chosen))
    if studies:
        try:
            n = service.put_all(studies=studies, project=project, by=request.user)
        except service.NotInProject as error:
            messages.error(request, str(error))
            return redirect("projects:projects")
        sentence = ngettext("%(n)d study was added to the project.", "%(n)d studies were added to the project.", n)
        if n:
            messages.success(request, sentence % {"n": n})
        else:
            messages.info(request, _("All chosen studies were in the project already."))
        return redirect("projects:project", slug)
    refusal = _("Choose at least one study.") if request.method == "POST" else ""

    def context(project: Project) -> dict[str, Any]:
        return {**_to_choose(request, project), "refusal": refusal}

    return project_page(request, slug, "studies", context, template="add", status=422 if refusal else 200)


def _to_choose(request: HttpRequest, project: Project) -> dict[str, Any]:
    """Return the first studies that contain some words and are not in the project, those without a project first."""
    words = request.GET.get("words", "")
    others = templates.ordinary(access.studies_for_editor(request.user)).exclude(project=project)
    matches = reads.matching(others, request.user.pk or 0, reads.StudyFilters(words=words)).select_related("project")
    studies = list(matches.order_by(F("project__name").asc(nulls_first=True), "title", "id")[: LISTED + 1])
    return {"studies": studies[:LISTED], "has_more": len(studies) > LISTED, "listed": LISTED, "words": words}
