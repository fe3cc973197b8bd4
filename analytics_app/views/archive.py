"""The archive of a closed study, to download."""

from __future__ import annotations

import tempfile

from django.http import FileResponse, Http404, HttpRequest
from django.views.decorators.http import require_safe

from analytics_app.archive import writing
from analytics_app.models import Run
from analytics_app.selectors import pages
from analytics_app.views import run_words
from tasks_app import access
from tasks_app.models import Membership, Study
from tasks_app.services import events
from tasks_app.views.researcher.frame import researcher_page

# Above, an archive takes longer than a request may: `manage.py archive` writes it.
MOST_RATINGS = 100_000


def run_to_archive(study: Study) -> Run | None:
    """Return the run for the archive of a study: None before the study is closed and has a run that is done."""
    return pages.best_run(study) if study.state == Study.State.CLOSED else None


@researcher_page
@require_safe
def archive(request: HttpRequest, slug: str) -> FileResponse:
    """Return the archive as a zip, for users who may read the known answers; the study's log records it."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    run = run_to_archive(study)
    if run is None or run.n_seen > MOST_RATINGS:
        raise Http404
    texts = not request.GET.get("without_texts")
    target = tempfile.TemporaryFile()  # noqa: SIM115  FileResponse closes it
    writing.write(study, run, target, standing=run_words.standing(run, study), texts=texts)
    target.seek(0)
    about = f"archive of run {run.number}" + ("" if texts else " without texts")
    events.log(study, request.user, "exported", about=about, after={"state": study.state})
    return FileResponse(target, as_attachment=True, filename=f"{study.slug}-archive-{run.number}.zip")
