"""Import ratings: upload, name the columns, check, import. Works without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from tasks_app import access, importing
from tasks_app.importing import uploads
from tasks_app.importing.guessing import peek
from tasks_app.importing.mapping import as_yaml
from tasks_app.models import ImportMapping, Membership, Study
from tasks_app.request_sizes import accepts_files
from tasks_app.services.imports import mappings
from tasks_app.studyfile import StudyFileError
from tasks_app.studyfile.limits import largest_upload
from tasks_app.views.researcher.frame import researcher_page, study_page
from tasks_app.views.researcher.import_forms import ColumnsForm, TextForm, UploadForm, form_for

EDITOR = Membership.Role.EDITOR


@accepts_files(largest_upload)
@researcher_page
@require_http_methods(["GET", "HEAD", "POST"])
def import_ratings(request: HttpRequest, slug: str) -> HttpResponse:
    """Ratings from elsewhere: a page to upload a file, and one to say what its columns are and store it."""
    study = access.study_for_researcher(request.user, slug, EDITOR)
    given = request.POST if request.method == "POST" else request.GET
    action = request.POST.get("action", "") if request.method == "POST" else ""
    if action == "upload":
        return _upload(request, study)
    if action == "delete":
        return _delete_mapping(request, study)
    token = given.get("file", "")
    file = uploads.find(study, token) if token else None
    if file is None:
        if token:
            messages.warning(request, _("The uploaded file was deleted after a day. Upload it again."))
        return _first_page(request, study)
    if action == "cancel":
        uploads.forget(study, token)
        return redirect("researcher:import", slug)
    try:
        return _Columns(request, study, token, file).answer(action)
    except _Unreadable as error:
        uploads.forget(study, token)
        return _first_page(request, study, refusal=error)


def _page(request: HttpRequest, slug: str, context: Mapping[str, Any], status: int = 200) -> HttpResponse:
    return study_page(
        request,
        slug,
        "data",
        lambda _study: dict(context),
        template="import",
        title=_("Import ratings"),
        role=EDITOR,
        status=status,
    )


def _first_page(request: HttpRequest, study: Study, form: UploadForm | None = None, **more: Any) -> HttpResponse:
    saved = list(ImportMapping.objects.filter(study=study))
    rows = [{"name": one.name, "saved_at": one.saved_at, "text": as_yaml(one.document)} for one in saved]
    form = form or UploadForm(saved=[one.name for one in saved])
    status = 422 if form.errors or more else 200
    return _page(request, study.slug, {"upload": form, "saved": rows, **more}, status)


def _upload(request: HttpRequest, study: Study) -> HttpResponse:
    saved = ImportMapping.objects.filter(study=study).values_list("name", flat=True)
    form = UploadForm(request.POST, request.FILES, saved=list(saved))
    if not form.is_valid():
        return _first_page(request, study, form)
    try:
        token = uploads.keep(study, form.cleaned_data["file"])
    except StudyFileError as error:
        return _first_page(request, study, form, refusal=error)
    query = {"file": token} | ({"map": form.cleaned_data["mapping"]} if form.cleaned_data["mapping"] else {})
    return redirect(f"{reverse('researcher:import', args=[study.slug])}?{urlencode(query)}")


def _delete_mapping(request: HttpRequest, study: Study) -> HttpResponse:
    name = request.POST.get("name", "")
    if mappings.delete(study=study, name=name, by=request.user):
        messages.success(request, _("The mapping “%(name)s” is deleted.") % {"name": name})
    else:
        messages.warning(request, _("There is no mapping of that name (any more)."))
    return redirect("researcher:import", study.slug)


class _Unreadable(StudyFileError):
    """Nothing of the file can be shown, so that another one is needed."""


class _Columns:
    """The second page: the first rows of an uploaded file, the mapping, and what came of checking it."""

    def __init__(self, request: HttpRequest, study: Study, token: str, file: importing.RatingsFile) -> None:
        """Raises _Unreadable."""
        self.request = request
        self.study = study
        self.token = token
        self.file = file
        try:
            self.peek = peek(file, request.POST.get("quoting", ""))
        except StudyFileError as error:
            raise _Unreadable(error.problems, error.more) from error

    def answer(self, action: str) -> HttpResponse:
        """Show the page, or do what its buttons say."""
        if not action:
            return self._begin()
        mode = "text" if self.request.POST.get("mode") == "text" else "columns"
        form = form_for(self.study, self.peek, mode, self.request.POST)
        if not form.is_valid():
            return self._show(mode, form, status=422)
        try:
            return self._do(action, mode, form)
        except StudyFileError as error:
            return self._show(mode, form, refusal=error, status=422)

    def _do(self, action: str, mode: str, form: ColumnsForm | TextForm) -> HttpResponse:
        """Check, import or turn the mapping into text. Raises StudyFileError."""
        mapping = form.mapping()
        if action == "text":
            initial = {"text": as_yaml(mapping.document), "save_as": form.cleaned_data["save_as"]}
            return self._show("text", form_for(self.study, self.peek, "text", initial=initial))
        check = action != "import"
        done = importing.import_ratings(
            study=self.study, file=self.file, mapping=mapping, by=self.request.user, check=check
        )
        return self._show(mode, form, checked=done) if check else self._stored(done, mapping, form)

    def _begin(self) -> HttpResponse:
        name = self.request.GET.get("map", "")
        saved = mappings.find(self.study, name) if name else None
        if saved is None:
            return self._show("columns", form_for(self.study, self.peek, "columns"))
        initial = {"text": as_yaml(saved.document), "save_as": saved.name}
        return self._show("text", form_for(self.study, self.peek, "text", initial=initial))

    def _show(self, mode: str, form: ColumnsForm | TextForm, *, status: int = 200, **more: Any) -> HttpResponse:
        about = {"file": self.file.name, "token": self.token, "peek": self.peek, "mode": mode, "form": form}
        return _page(self.request, self.study.slug, {**about, **more}, status)

    def _stored(
        self, done: importing.Imported, mapping: importing.ColumnMapping, form: ColumnsForm | TextForm
    ) -> HttpResponse:
        if name := form.cleaned_data["save_as"]:
            mappings.save(study=self.study, name=name, document=mapping.document, by=self.request.user)
        uploads.forget(self.study, self.token)
        sentence = _("Stored: ratings %(ratings)d, judgments %(judgments)d, raters %(raters)d.")
        messages.success(self.request, sentence % done.counts)
        for note in done.notes:
            messages.info(self.request, note)
        return redirect("researcher:import", self.study.slug)
