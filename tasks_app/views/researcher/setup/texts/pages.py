"""The step “Texts”: its table, and the upload of a table in two pages. Works without scripts."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.models import Media, Setup
from tasks_app.services.background import Busy
from tasks_app.setup import background
from tasks_app.setup.tables.checking import CheckedTexts
from tasks_app.setup.tables.guessed_uses import guess
from tasks_app.setup.tables.marking import Layout
from tasks_app.setup.tables.source import ROWS_LOOKED_AT
from tasks_app.setup.texts import reads, upload, writes
from tasks_app.setup.texts.upload import TextsUpload
from tasks_app.studyfile import StudyFileError
from tasks_app.studyfile.files.limits import largest_upload
from tasks_app.uploads.request_sizes import accepts_files
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.importing.uploading import UploadForm
from tasks_app.views.researcher.setup import frozen
from tasks_app.views.researcher.setup.table_form import ACCEPTED
from tasks_app.views.researcher.setup.table_pages import SetupTablePages, numbers_of, say_brought_back
from tasks_app.views.researcher.setup.texts.drafts import of_draft, show
from tasks_app.views.researcher.setup.texts.forms import ColumnsForm, SystemsForm
from tasks_app.views.researcher.setup.working import work_on_texts


@accepts_files(largest_upload)
@researcher_page("GET", "POST")
@partial(of_draft, opened=frozen.texts_step)
def texts_step(request: HttpRequest, setup: Setup) -> HttpResponseBase:
    """Show the texts of a draft, or an empty page to upload them, and take a table in two pages."""
    if request.POST.get("action") == "remove":
        return _remove(request, setup)
    if request.POST.get("action") == "bring_back":
        say_brought_back(request, writes.bring_back(setup=setup, by=request.user))
        return redirect("researcher:texts", setup.study.slug)
    return _TextsPages(request, setup).answer()


def _remove(request: HttpRequest, setup: Setup) -> HttpResponse:
    """Remove the ticked rows, or all that match the search once that was confirmed."""
    matches = reads.search(setup, request.POST.get("q", ""), request.POST.get("system", ""))
    if request.POST.get("all") and not request.POST.get("sure"):
        question = {"words": request.POST.get("q", ""), "system": request.POST.get("system", ""), "n": matches.count()}
        return show(request, setup, "texts_sure", question)
    rows = (
        matches
        if request.POST.get("all")
        else reads.search(setup).filter(number__in=numbers_of(request.POST.getlist("row")))
    )
    n = writes.remove_rows(setup=setup, rows=rows, by=request.user)
    messages.success(request, ngettext("%(n)d row was removed.", "%(n)d rows were removed.", n) % {"n": n})
    return redirect("researcher:texts", setup.study.slug)


class _TextsPages(SetupTablePages[ColumnsForm, CheckedTexts]):
    """The texts, and a table of texts with columns that are named by choices."""

    address = "researcher:texts"
    template = "texts"
    stem = reads.TABLE

    def upload_form(self, *given: Any) -> forms.Form:
        help_text = _(
            "CSV, TSV, JSON, JSON Lines or a workbook (.xlsx, .ods), with one row per output, or one row per item and "
            "one column per system. Up to 64 MB; text files may be gzipped (.csv.gz)."
        )
        return UploadForm(*given, label=_("Table of texts"), help_text=help_text, accept=ACCEPTED)

    def beside_upload(self) -> Mapping[str, Any]:
        shown = frozen.texts_context(self.request, self.setup)
        systems = shown["counts"].systems
        return {
            **shown,
            "systems_form": SystemsForm(systems=systems, initial={"base": self.setup.revision}),
            "n_media": Media.objects.filter(study=self.setup.study).count(),
            **work_on_texts(self.setup),
        }

    def table_form(self, *given: Any, **more: Any) -> ColumnsForm:
        present = self.counts.rows
        return ColumnsForm(
            *given, file=self.table_file, peek=self.peek, present=present, guess=guess(self.peek), **more
        )

    def columns(self) -> HttpResponseBase:
        """Answer with the second page; a short table is checked as it was guessed, so that it can be stored at once."""
        form = self.columns_form()
        guessed = form.guess
        is_first = self.request.method == "GET" and not self.counts.rows and len(self.peek.rows) < ROWS_LOOKED_AT
        if guessed.questions or not is_first or any(guessed.layout.faults()):
            return super().columns()
        try:
            checked = upload.check(self.setup, self.table_file, guessed.layout, is_added=False)
        except StudyFileError:
            return super().columns()  # the button says what is wrong, once the guesses were looked at
        if checked.refusal is not None:
            return super().columns()
        return self.show(form, checked=checked, summary=self.summary(checked))

    def layout(self, form: ColumnsForm) -> Layout:
        return form.layout()

    def check(self, form: ColumnsForm) -> CheckedTexts:
        return upload.check(self.setup, self.table_file, form.layout(), is_added=form.is_added)

    def later(self, form: ColumnsForm) -> HttpResponse | None:
        # The page of a table that was checked says how many rows it has.
        n = (numbers_of([self.request.POST.get("rows", "")]) or [0])[0]
        return self._in_background(form) if n > background.TEXTS_AT_ONCE else None

    def store(self, form: ColumnsForm, checked: CheckedTexts) -> HttpResponse:
        if len(checked.rows) > background.TEXTS_AT_ONCE:
            return self._in_background(form)
        self.setup = self._upload_of(form).store(self.setup, checked, self.request.user)
        return self.stored(_("Stored: %(texts)s.") % {"texts": checked.in_words}, checked.notes)

    def leave(self) -> HttpResponse:
        """Forget the file; with the texts of a study without a task, go on to the choice of a task."""
        answer = super().leave()
        is_next = self.action == "store" and not self.setup.given.get("tasks")
        return redirect("researcher:choose_type", self.study.slug) if is_next else answer

    def _in_background(self, form: ColumnsForm) -> HttpResponse:
        """Have a worker check and store the table, and lead to the page that shows how far it is."""
        try:
            background.ask_to_store(setup=self.setup, upload=self._upload_of(form), by=self.request.user)
        except Busy as busy:
            messages.warning(self.request, str(busy))
        return redirect(self.location)

    def _upload_of(self, form: ColumnsForm) -> TextsUpload:
        return TextsUpload(self.token, form.layout(), form.is_added)

    def summary(self, checked: CheckedTexts) -> str:
        return checked.in_words
