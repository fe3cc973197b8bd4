"""The files of a project: all study files in one zip."""

import tempfile
import zipfile
from typing import IO

from django.http import FileResponse, Http404, HttpRequest
from django.http.response import HttpResponseBase

from tasks_app import access, studyfile
from tasks_app.models import Setup, Study
from tasks_app.services import events
from tasks_app.setup.files import SetupFiles
from tasks_app.views.researcher.frame import researcher_page

# A study file is kept in memory up to this many bytes while it is written.
IN_MEMORY = 10 * 2**20


@researcher_page("GET")
def studies_zip(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Send the study files of a project; they hold known answers and plans, so that each is logged with its study."""
    project = access.project_for_researcher(request.user, slug)
    studies = [
        study
        for study in access.studies_of_project(request.user, project).order_by("slug")
        if access.reaches(vars(study)["own_role"], access.GOLD_READER)
    ]
    if not studies:
        raise Http404
    target = tempfile.TemporaryFile()  # noqa: SIM115  FileResponse closes it
    # Study files are zips already.
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for study in studies:
            with tempfile.SpooledTemporaryFile(IN_MEMORY) as content:
                _write(study, content)
                content.seek(0)
                with archive.open(f"{study.slug}.zip", "w", force_zip64=True) as entry:
                    while chunk := content.read(IN_MEMORY):
                        entry.write(chunk)
    events.log_for_all(studies, request.user, "exported", about="study file")
    target.seek(0)
    return FileResponse(target, as_attachment=True, filename=f"{project.slug}-studies.zip")


def _write(study: Study, target: IO[bytes]) -> None:
    """Write the study file of a study; that of an unchecked draft holds the content of its form."""
    setup = None if study.is_frozen else Setup.objects.filter(study=study).first()
    if setup is None or setup.is_stored:
        studyfile.export(study, target)
    else:
        SetupFiles(setup).pack(target)
