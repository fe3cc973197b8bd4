"""Import ratings: upload, name the columns, check, import. Works without scripts."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app import access, importing
from tasks_app.importing import RatingsFile, background
from tasks_app.importing.guessing import Peek, numbered
from tasks_app.importing.mapping import NO_HEADER, as_yaml
from tasks_app.importing.preview import preview
from tasks_app.importing.shaping.reshaping import looks_like_data
from tasks_app.models import ImportMapping, ImportWork, Study
from tasks_app.services.imports import mappings
from tasks_app.studyfile import StudyFileError
from tasks_app.studyfile.files.limits import largest_upload
from tasks_app.uploads.request_sizes import accepts_files
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.importing.forms import ColumnsForm, RatingsUploadForm, TextForm, form_for
from tasks_app.views.researcher.importing.progress import given_before, hand_over, under_way
from tasks_app.views.researcher.importing.uploading import EDITOR, TablePages


@accepts_files(largest_upload)
@researcher_page("GET", "POST")
def import_ratings(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Import ratings from elsewhere: a page to upload a file, and a page to name its columns and store it."""
    study = access.study_for_researcher(request.user, slug, EDITOR)
    if request.POST.get("action") == "delete":
        return _delete_mapping(request, study)
    if request.method == "GET" and not request.GET.get("file") and under_way(study):
        return redirect("researcher:import_progress", slug)
    return _RatingsPages(request, study).answer()


def _delete_mapping(request: HttpRequest, study: Study) -> HttpResponse:
    name = request.POST.get("name", "")
    if mappings.delete(study=study, name=name, by=request.user):
        messages.success(request, _("The mapping “%(name)s” is deleted.") % {"name": name})
    else:
        messages.warning(request, _("There is no mapping with that name."))
    return redirect("researcher:import", study.slug)


class _RatingsPages(TablePages[ColumnsForm | TextForm]):
    """Ratings with columns that are named by choices or by a mapping written as text, which can be saved."""

    address = "researcher:import"
    template = "import"
    title = gettext_lazy("Import ratings")

    def __init__(self, request: HttpRequest, study: Study) -> None:
        super().__init__(request, study)
        self.mode = "text" if request.POST.get("mode") == "text" else "columns"
        given = request.POST if request.method == "POST" else request.GET
        # "none" where the first line of the file is data.
        self.header = NO_HEADER if given.get("header") == NO_HEADER else ""

    def upload_form(self, *posted: Any) -> RatingsUploadForm:
        saved = ImportMapping.objects.filter(study=self.study).values_list("name", flat=True)
        return RatingsUploadForm(*posted, saved=list(saved))

    def beside_upload(self) -> Mapping[str, Any]:
        saved = ImportMapping.objects.filter(study=self.study)
        return {
            "saved": [
                {"name": mapping.name, "saved_at": mapping.saved_at, "text": as_yaml(mapping.document)}
                for mapping in saved
            ]
        }

    def after_upload(self, form: forms.Form) -> Mapping[str, str]:
        name = form.cleaned_data["mapping"]
        return {"map": name} if name else {}

    def columns_form(self) -> ColumnsForm | TextForm:
        if self.action:
            return form_for(self.study, self.peek, self.mode, self.header, self.request.POST)
        before = given_before(self.request, self.study, ImportWork.Kind.RATINGS, self.token)
        if before is not None:
            return _as_text(before["mapping"], before["save_as"])
        name = self.request.GET.get("map", "")
        saved = mappings.find(self.study, name) if name else None
        return (
            form_for(self.study, self.peek, "columns", self.header)
            if saved is None
            else _as_text(saved.document, saved.name)
        )

    def show(self, form: forms.Form, *, status: int = 200, **more: Any) -> HttpResponse:
        mode = "text" if isinstance(form, TextForm) else "columns"
        asks = mode == "columns" and not self.header and looks_like_data(self.peek.columns)
        return super().show(form, status=status, mode=mode, header=self.header, asks_for_header=asks, **more)

    def look(self, file: RatingsFile) -> Peek:
        return numbered(super().look(file)) if self.header else super().look(file)

    def read(self, form: ColumnsForm | TextForm) -> Peek | None:
        try:
            mapping = form.mapping()
        except StudyFileError:
            return None  # the refusal says what is wrong with the mapping
        return preview(self.file, mapping, partial(importing.RatingsTable, mapping))

    def do(self, form: ColumnsForm | TextForm) -> HttpResponse:
        """Check, import or turn the mapping into text. Raises StudyFileError."""
        mapping, name = form.mapping(), form.cleaned_data["save_as"]
        if self.action == "text":
            return self.show(_as_text(mapping.document, name))
        check = self.action != "import"
        if background.is_large(self.file):
            given = {"file": self.token, "mapping": mapping.document, "save_as": name}
            return hand_over(self.request, self.study, ImportWork.Kind.RATINGS, given, only_check=check)
        imported = importing.import_ratings(
            study=self.study, file=self.file, mapping=mapping, by=self.request.user, check=check
        )
        if check:
            return self.show(form, checked=imported, summary=imported.summary, read=self.read(form))
        if name:
            mappings.save(study=self.study, name=name, document=mapping.document, by=self.request.user)
        return self.stored(_("Stored: %(summary)s.") % {"summary": imported.summary}, imported.notes)


def _as_text(document: Mapping[str, Any], name: str) -> TextForm:
    """Return a mapping as the form that shows it as text."""
    return TextForm(initial={"text": as_yaml(document), "save_as": name})
