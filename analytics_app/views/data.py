"""The Data page: download ratings, results and the archive of a closed study, with a description of the columns."""

import logging
import tempfile
from typing import Any

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse

from analytics_app.archive import keys, writing
from analytics_app.exports import columns, named
from analytics_app.exports import ratings as ratings_export
from analytics_app.exports.prefetched import Prefetched
from analytics_app.exports.size import rows_if_quick, rows_of_file
from analytics_app.models import Run
from analytics_app.selectors.results import systems_shown
from analytics_app.selectors.runs import best_run
from analytics_app.services.uploads.outcomes import Outcomes
from analytics_app.services.uploads.personal_texts import PersonalTexts
from analytics_app.views import standing
from tasks_app import access
from tasks_app.models import Membership, Study
from tasks_app.selectors.judgments import may_export
from tasks_app.selectors.personal_texts import tasks_with_texts
from tasks_app.services import events
from tasks_app.setup.media import earlier_files
from tasks_app.views.downloads import streamed
from tasks_app.views.researcher.frame import researcher_page, study_page

log = logging.getLogger(__name__)


@researcher_page("GET")
def data(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the files that can be downloaded, and their formats; a script fetches the rows of a large study apart."""
    counts = "rows" in request.GET
    if counts and "HX-Request" in request.headers:
        study, role = access.study_and_role(request.user, slug)
        if not may_export(study, role):
            raise Http404
        return render(
            request, "researcher/_data_rows.html", {"study": study, **_rows(study, role, rows_of_file(study))}
        )

    def context(study: Study) -> dict[str, Any]:
        _study, role = access.study_and_role(request.user, slug)
        ring, keys_are_damaged = _ring()
        return {
            "run": best_run(study),
            **_rows(study, role, rows_of_file(study) if counts else rows_if_quick(study)),
            "shown": systems_shown(study),
            "has_outcomes": Outcomes.has_values(study),
            "shows_personal_texts": bool(tasks_with_texts(study)),
            "has_personal_texts": PersonalTexts.has_values(study),
            "earlier_files": earlier_files(study),
            "archived_run": run_to_archive(study),
            "keys_are_damaged": keys_are_damaged,
            "signing_key": "" if ring is None else ring.current.fingerprint,
            "rating_columns": [*columns.RATINGS, *columns.OPEN_ENDED],
            "result_columns": columns.RESULTS,
            "address": request.build_absolute_uri(reverse("public:home")).rstrip("/"),
        }

    return study_page(request, slug, "data", context)


def _rows(study: Study, role: str | None, rows: int | None) -> dict[str, Any]:
    """Return the facts about the file of ratings; `rows` is None where they are still to be counted."""
    return {
        "rows": rows,
        "has_rows": rows is None or rows > 0,
        "most_ratings": MOST_RATINGS,
        "writers": [writer for writer in named.registry.values() if writer.fits(study)] if rows is not None else [],
        "may_export": may_export(study, role),
    }


@researcher_page("GET")
def ratings(request: HttpRequest, slug: str, format: str) -> HttpResponseBase:
    """Stream the ratings as a file, with answers to checks where they are asked for; the study's log records it."""
    study, role = access.study_and_role(request.user, slug)
    if format not in ratings_export.CONTENT_TYPES or not may_export(study, role):
        raise Http404
    file_format: ratings_export.Format = "csv" if format == "csv" else "jsonl"
    checks = bool(request.GET.get("checks"))
    after = {"state": study.state, **({"checks": True} if checks else {})}
    events.log(study, request.user, "exported", about=f"ratings as {file_format}", after=after)
    return streamed(
        f"{study.slug}-ratings.{file_format}",
        Prefetched(ratings_export.stream(study, format=file_format, checks=checks)),
        ratings_export.CONTENT_TYPES[file_format],
    )


@researcher_page("GET")
def as_format(request: HttpRequest, slug: str, format: str) -> HttpResponseBase:
    """Return the ratings in the format of another tool; the study's log records it."""
    study, role = access.study_and_role(request.user, slug)
    writer = next((writer for writer in named.registry.values() if writer.name == format and writer.fits(study)), None)
    if writer is None or not may_export(study, role) or rows_of_file(study) > MOST_RATINGS:
        raise Http404
    target = tempfile.TemporaryFile()  # noqa: SIM115  FileResponse closes it
    writer.write(named.Written(study), target)
    target.seek(0)
    events.log(study, request.user, "exported", about=f"ratings as {format}", after={"state": study.state})
    name = f"{study.slug}-{format}{writer.suffix}"
    return FileResponse(target, as_attachment=True, filename=name, content_type=writer.content_type)


# Above, an archive takes longer than a request may: `manage.py archive` writes it.
MOST_RATINGS = 100_000


def _ring() -> tuple[keys.KeyRing | None, bool]:
    """Return the keys of this site, and whether they are damaged; damage is logged for the operator."""
    try:
        return keys.site_ring(), False
    except keys.BadKeys as problem:
        log.error("%s", problem)
        return None, True


def run_to_archive(study: Study) -> Run | None:
    """Return the run for the archive of a study: None before the study is closed and has a run that is done."""
    return best_run(study) if study.state == Study.State.CLOSED else None


@researcher_page("GET")
def archive(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Return the archive as a zip, for users who may read the known answers; the study's log records it."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    run = run_to_archive(study)
    if run is None or run.n_seen > MOST_RATINGS:
        raise Http404
    texts = not request.GET.get("without_texts")
    target = tempfile.TemporaryFile()  # noqa: SIM115  FileResponse closes it
    try:
        writing.write(study, run, target, standing=standing.standing(run, study), texts=texts)
    except keys.BadKeys as problem:
        log.error("%s", problem)
        return redirect("analytics:data", slug)
    target.seek(0)
    about = f"archive of run {run.number}" + ("" if texts else " without texts")
    events.log(study, request.user, "exported", about=about, after={"state": study.state})
    return FileResponse(target, as_attachment=True, filename=f"{study.slug}-archive-{run.number}.zip")
