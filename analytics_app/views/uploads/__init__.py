"""Tables of values from elsewhere: upload, choose columns, check, store; delete, download. Works without scripts."""

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from analytics_app.views.uploads.base import StoredFile, UploadPages
from tasks_app import access
from tasks_app.selectors.judgments import may_export
from tasks_app.services import events
from tasks_app.studyfile.files.limits import largest_upload
from tasks_app.uploads.request_sizes import accepts_files
from tasks_app.views.downloads import csv_file
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.importing.uploading import EDITOR


@accepts_files(largest_upload)
@researcher_page("GET", "POST")
def upload(request: HttpRequest, slug: str, pages: type[UploadPages]) -> HttpResponseBase:
    """Answer with a page to upload a file, or the one to check and store it."""
    return pages(request, access.study_for_researcher(request.user, slug, EDITOR)).answer()


@researcher_page("POST")
def delete(request: HttpRequest, slug: str, pages: type[UploadPages]) -> HttpResponse:
    """Delete the stored values of a name."""
    return pages(request, access.study_for_researcher(request.user, slug, EDITOR)).delete()


@researcher_page("GET")
def file(request: HttpRequest, slug: str, stored: StoredFile) -> HttpResponse:
    """Send all stored values as a CSV file, with pseudonyms; recorded in the study's log."""
    study, role = access.study_and_role(request.user, slug)
    if not may_export(study, role) or not stored.kind.has_values(study):
        raise Http404
    rows = [stored.columns, *stored.rows(study)]
    events.log(study, request.user, "exported", about=f"{stored.name} as csv", after={"state": study.state})
    name = f"{study.slug}-{stored.name.replace(' ', '-')}.csv"
    return csv_file(name, rows)
