"""The set-up as a study file: study.yaml to read and edit, and everything as a zip."""

import tempfile
from typing import Any

from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from tasks_app import access
from tasks_app.models import Membership, Setup, Study
from tasks_app.services import events
from tasks_app.services.study.drafts import NotADraft
from tasks_app.setup import changes
from tasks_app.setup.checking import study_yaml_of
from tasks_app.setup.files import SetupFiles
from tasks_app.setup.page import SetupPage
from tasks_app.studyfile.files.yaml_text import dump_stored
from tasks_app.studyfile.problems import StudyFileError
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.setup import frozen
from tasks_app.views.researcher.setup.form_frame import setup_page


@researcher_page("GET", "POST")
def study_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Show study.yaml of the form's values, or take an edited one in its place."""
    if request.method != "POST":
        return _page(request, slug)
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    text = request.POST.get("text", "").replace("\r\n", "\n")
    setup = _setup_of(study)
    try:
        if request.POST.get("revision") != str(setup.revision):
            raise changes.ChangedMeanwhile
        given, refusal = study_yaml_of(setup, text)
        setup = changes.replace_given(setup=setup, given=given, base=setup.revision, by=request.user)
    except StudyFileError as error:
        return _page(request, slug, status=422, text=text, refusal=error)
    except changes.ChangedMeanwhile:
        sentence = _(
            "Somebody has changed the set-up while you were editing. Your text is below; what is stored is in the form."
        )
        return _page(request, slug, status=409, text=text, sentence=sentence)
    if refusal is not None:
        return _page(request, slug, text=text, refusal=refusal, is_saved=True)
    messages.success(request, _("Saved. The form now matches this file."))
    return redirect("researcher:setup_file", slug)


def _setup_of(study: Study) -> Setup:
    """Return the set-up of a draft, or 404: an opened study has none."""
    try:
        return changes.begin(study)
    except NotADraft as error:
        raise Http404 from error


def _page(request: HttpRequest, slug: str, *, status: int = 200, text: str | None = None, **more: Any) -> HttpResponse:
    def context(page: SetupPage) -> dict[str, Any]:
        return {"text": dump_stored(page.given) if text is None else text, **more}

    return setup_page(request, slug, "file", context, template="file", status=status, opened=frozen.study_file)


@researcher_page("GET")
def study_zip(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Send the content of the form as the zip of a study file, even if parts are still missing."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    setup = _setup_of(study)
    target = tempfile.TemporaryFile()  # noqa: SIM115  FileResponse closes it
    SetupFiles(setup).pack(target)
    target.seek(0)
    events.log(study, request.user, "exported", about="set-up")
    return FileResponse(target, as_attachment=True, filename=f"{study.slug}.zip")
