"""Make a study of one table that holds texts and ratings: upload, look over the guessed mapping, store and analyse."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app import access
from tasks_app.hooks.sections import Json
from tasks_app.hooks.tabs import all_tabs
from tasks_app.importing import ColumnMapping, RatingsFile, background, uploads, whole
from tasks_app.importing.guessing import ROWS, Peek, numbered, peek
from tasks_app.importing.mapping import NO_HEADER, as_yaml
from tasks_app.importing.named.studies import kept_form
from tasks_app.importing.preview import preview
from tasks_app.importing.rows import MappedTable
from tasks_app.importing.shaping.reshaping import looks_like_data
from tasks_app.importing.whole.guessing import Reading, readings_of, warning_of
from tasks_app.importing.whole.joins import joined_peek
from tasks_app.models import ImportWork, Membership
from tasks_app.studyfile import StudyFileError
from tasks_app.studyfile.files.limits import largest_upload
from tasks_app.studyfile.problems import Problem
from tasks_app.uploads.request_sizes import accepts_files
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.importing.progress import given_before, hand_over, under_way
from tasks_app.views.researcher.importing.uploading import TablePages, UploadForm
from tasks_app.views.researcher.importing.uses_form import UsesForm

# The line of a mapping that says that a file has no header.
_NO_HEADER = re.compile(rf"^header:\s*{NO_HEADER}\s*$", re.MULTILINE)


@accepts_files(largest_upload)
@researcher_page("GET", "POST")
def one_table(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Texts and ratings in one table: a page to upload it, and one to look over its columns and store it."""
    return _OneTablePages(request, access.study_for_researcher(request.user, slug, Membership.Role.OWNER)).answer()


class _OneTablePages(TablePages[UsesForm]):
    """One table; its columns are guessed, and the use of each can be chosen."""

    address = "researcher:one_table"
    template = "one_table"
    title = gettext_lazy("Texts and ratings in one table")

    @property
    def why_not(self) -> str:
        """Return why the study takes no such table; "" if it does: the table would replace its present texts."""
        return background.why_no_table(self.study)

    def upload_form(self, *given: Any) -> UploadForm:
        help_text = gettext_lazy(
            "CSV, TSV, JSON, JSON Lines, Parquet or a workbook (.xlsx, .ods); text files may be gzipped (.csv.gz). "
            "Several tables that belong together, or a data set of Hugging Face, come in one zip. Or what WMT, "
            "Label Studio, Appraise or another known tool writes. Nothing is stored yet."
        )
        return UploadForm(*given, label=gettext_lazy("Table of texts and ratings"), help_text=help_text)

    def beside_upload(self) -> Mapping[str, Any]:
        return {"why_not": self.why_not}

    def keep(self, upload: UploadedFile[Any]) -> str:
        """Keep an upload: as it is where its format is known by name, else as a table."""
        return uploads.keep(self.study, upload, kept_form)

    def answer(self) -> HttpResponseBase:
        """Answer with the page that is due; a file of a named format has a page of its own."""
        if not self.token and not self.action and under_way(self.study):
            return redirect("researcher:import_progress", self.study.slug)
        file = uploads.find(self.study, self.token) if self.token else None
        if file is not None and file.form is not None and file.form.formats:
            address = reverse("researcher:of_format", args=[self.study.slug])
            return redirect(f"{address}?{urlencode({'file': self.token})}")
        return super().answer()

    def columns_form(self) -> UsesForm:
        if self.action:
            return UsesForm(self.request.POST, peek=self.peek)
        return UsesForm(peek=self.peek, document=self._document)

    @cached_property
    def _document(self) -> Mapping[str, Json] | None:
        """Return the mapping that is shown first: that of the last import, or how the columns are guessed."""
        before = given_before(self.request, self.study, ImportWork.Kind.TABLE, self.token)
        if before is not None:
            document: Mapping[str, Json] = before["mapping"]
            return document
        return None if self._chosen is None else self._chosen.document

    @cached_property
    def _readings(self) -> list[Reading]:
        return readings_of(self.file, has_header=self._has_header)

    @property
    def _has_header(self) -> bool:
        """Return whether the first line names the columns, as the address or the mapping that was shown says."""
        if self.request.method == "POST":
            texts = (self.request.POST.get("shown", ""), self.request.POST.get("text", ""))
            return not any(_NO_HEADER.search(text) for text in texts)
        return self.request.GET.get("header") != NO_HEADER

    def look(self, file: RatingsFile) -> Peek:
        return joined_peek(file, ROWS).peek if self._has_header else numbered(peek(file))

    @property
    def _chosen(self) -> Reading | None:
        """Return how the columns are read; None where there are several ways and none was chosen."""
        name = self.request.GET.get("numbered", "")
        found = self._readings
        return found[0] if len(found) == 1 else next((reading for reading in found if reading.name == name), None)

    def show(self, form: forms.Form, *, status: int = 200, **more: Any) -> HttpResponse:
        document = self._document
        if not self.action and document is not None:
            more["read"] = self._preview(whole.mapping_of(_("mapping"), document))
            more["warning"] = warning_of(document)
        elif not self.action:
            more["choices"] = [
                {"name": found.name, "about": found.about, "text": as_yaml(found.document),
                 "read": self._preview(whole.mapping_of(_("mapping"), found.document)),
                 "warning": warning_of(found.document)}
                for found in self._readings
            ]  # fmt: skip
        more["asks_for_header"] = self._has_header and looks_like_data(self.peek.columns)
        return super().show(form, status=status, **more)

    def read(self, form: UsesForm) -> Peek | None:
        try:
            return self._preview(form.mapping())
        except StudyFileError:
            return None  # the refusal says what is wrong with the mapping

    def _preview(self, mapping: ColumnMapping) -> Peek | None:
        return preview(self.file, mapping, partial(MappedTable, mapping.declared, mapping))

    def do(self, form: UsesForm) -> HttpResponse:
        """Show the first rows, check the table, or store it in place of the draft. Raises StudyFileError."""
        if why_not := self.why_not:
            messages.error(self.request, why_not)
            return self.leave()
        mapping = form.mapping()
        more: dict[str, Any] = {"read": self.read(form), "warning": warning_of(mapping.document)}
        if self.action == "look":
            return self.show(form.shown_again(), **more)
        check = self.action != "import"
        if background.is_large(self.file):
            given = {"file": self.token, "mapping": mapping.document}
            return hand_over(self.request, self.study, ImportWork.Kind.TABLE, given, only_check=check)
        try:
            made = whole.study_of_table(
                file=self.file, mapping=mapping, title=self.study.title, slug=self.study.slug,
                public_title=self.study.public_title, owner=cast("User", self.request.user), replace_draft=True,
                check=check,
            )  # fmt: skip
        except StudyFileError as error:
            refusal = by_columns_of_file(error, mapping)
            return self.show(form.shown_again(), refusal=refusal, status=422, **more)
        if check:
            return self.show(form.shown_again(), checked=made, summary=made.summary, **more)
        sentence = _("Stored: %(summary)s. The results are being computed.")
        messages.success(self.request, sentence % {"summary": made.summary})
        for note in made.notes:
            messages.info(self.request, note)
        # Results are another app's page, which stands among the tabs of a study.
        results = next(tab.url_name for tab in all_tabs() if tab.slug == "results")
        return redirect(results, made.study.slug)


def by_columns_of_file(error: StudyFileError, mapping: ColumnMapping) -> StudyFileError:
    """Return a refusal with the names that the columns have in the file, beside those of evalweb."""
    names = {f"{ours}: ": f"{theirs} ({ours}): " for ours, theirs in (mapping.columns or {}).items() if ours != theirs}

    def named(problem: Problem) -> Problem:
        ours, colon, rest = problem.message.partition(": ")
        return replace(problem, message=f"{names.get(ours + colon, ours + colon)}{rest}")

    return StudyFileError(map(named, error.problems), error.more)
