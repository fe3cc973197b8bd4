"""The step “Texts”: its table, and the upload of a table in two pages. Works without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from tasks_app.importing import RatingsFile, uploads
from tasks_app.importing.guessing import Peek
from tasks_app.models import Setup
from tasks_app.request_sizes import accepts_files
from tasks_app.setup import media, text_rows, texts
from tasks_app.setup.tables.checking import CheckedTexts, check_file
from tasks_app.setup.tables.guessing import guess_layout
from tasks_app.setup.tables.marking import marked_rows
from tasks_app.setup.tables.source import TextsFile, check_name, look, open_file
from tasks_app.studyfile import StudyFileError
from tasks_app.studyfile.files.limits import largest_upload
from tasks_app.studyfile.problems import Problem
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.importing.uploading import TablePages
from tasks_app.views.researcher.setup.texts.drafts import of_draft, show
from tasks_app.views.researcher.setup.texts.forms import ColumnsForm, SampleForm, SystemsForm, UploadForm

# Rows shown of an uploaded table.
SHOWN = 5

# Each has two fields in the form, and Django takes a thousand.
MOST_COLUMNS = 400


@accepts_files(largest_upload)
@researcher_page
@require_http_methods(["GET", "HEAD", "POST"])
@of_draft
def texts_step(request: HttpRequest, setup: Setup) -> HttpResponseBase:
    """Show the texts of a draft, or an empty page to upload them, and take a table in two pages."""
    if request.POST.get("action") == "remove":
        return _remove(request, setup)
    return _TextsPages(request, setup).answer()


def _remove(request: HttpRequest, setup: Setup) -> HttpResponse:
    """Remove the rows that were ticked, or all that were found, once that was confirmed."""
    found = text_rows.search(setup, request.POST.get("q", ""), request.POST.get("system", ""))
    numbers = [int(number) for number in request.POST.getlist("row") if number.isdecimal() and len(number) < 10]
    if request.POST.get("all") and not request.POST.get("sure"):
        asked = {"words": request.POST.get("q", ""), "system": request.POST.get("system", ""), "n": found.count()}
        return show(request, setup, "texts_sure", asked)
    rows = found if request.POST.get("all") else text_rows.search(setup).filter(number__in=numbers)
    n = texts.remove_rows(setup=setup, rows=rows, by=request.user)
    messages.success(request, ngettext("%(n)d row was removed.", "%(n)d rows were removed.", n) % {"n": n})
    return redirect("researcher:texts", setup.study.slug)


class _TextsPages(TablePages):
    """The texts, and a table of texts whose columns are named by choices."""

    address = "researcher:texts"
    title = ""

    texts: TextsFile

    def __init__(self, request: HttpRequest, setup: Setup) -> None:
        super().__init__(request, setup.study)
        self.setup = setup

    def upload_form(self, *given: Any) -> forms.Form:
        return UploadForm(*given)

    def keep(self, upload: UploadedFile[Any]) -> str:
        return uploads.keep(self.study, upload, check_name)

    def look(self, file: RatingsFile) -> Peek:
        self.texts = open_file(file)
        asked = self.request.POST if self.request.method == "POST" else self.request.GET
        peek = look(self.texts, sheet=asked.get("sheet", ""), quoting=asked.get("quoting", ""))
        if len(peek.columns) > MOST_COLUMNS:
            sentence = _(
                "This table has %(n)d columns; at most %(most)d can be named here. Remove those you don't need."
            )
            words = {"n": len(peek.columns), "most": MOST_COLUMNS}
            raise StudyFileError([Problem(file.name, 1, MOST_COLUMNS + 1, sentence % words)])
        return peek

    def beside_upload(self) -> Mapping[str, Any]:
        counts = text_rows.counts(self.setup)
        words, system = self.request.GET.get("q", "").strip(), self.request.GET.get("system", "")
        found = text_rows.search(self.setup, words, system)
        paginator = Paginator(found, text_rows.ROWS_ON_A_PAGE)
        if not words and not system:
            paginator.count = counts.outputs  # these rows were counted above
        page = paginator.get_page(self.request.GET.get("page"))
        sample = texts.last_sample(self.setup)
        return {
            "counts": counts,
            "page": page,
            "query": urlencode({name: value for name, value in (("q", words), ("system", system)) if value}),
            "words": words,
            "system": system,
            "systems_form": SystemsForm(systems=counts.systems, initial={"base": self.setup.revision}),
            "sample_form": SampleForm(strata=text_rows.strata_of(self.setup)),
            "sample": sample,
            "sample_by": text_rows.stratum_label(str(sample["by"])) if sample and sample["by"] else "",
            "media": media.files_of(self.setup),
        }

    def columns(self) -> HttpResponseBase:
        present = texts.rows_of(self.setup).count()
        form = ColumnsForm(self.request.POST, file=self.texts, peek=self.peek, present=present)
        if self.action in ("", "look") or not form.is_of_these_columns:
            asked = self.request.POST if self.action else self.request.GET
            initial = {name: asked.get(name, "") for name in ("sheet", "quoting", "mode") if asked.get(name)}
            layout = guess_layout(self.peek)
            return self.show(
                ColumnsForm(file=self.texts, peek=self.peek, present=present, layout=layout, initial=initial)
            )
        if not form.is_valid():
            return self.show(form, status=422)
        try:
            return self._do(form)
        except StudyFileError as error:
            return self.show(form, refusal=error, status=422)

    def _do(self, form: ColumnsForm) -> HttpResponseBase:
        """Check or store the table, or send it back with its problems marked. Raises StudyFileError."""
        is_added = form.cleaned_data.get("mode") == "add"
        before = texts.cells_of_rows(self.setup) if is_added else ()
        checked = check_file(self.texts, form.layout(), media.uploaded(self.setup), before)
        if self.action == "marked":
            return self._marked(form, checked)
        if checked.refusal is not None:
            return self.show(form, refusal=checked.refusal, can_mark=bool(checked.problems.by_line), status=422)
        if self.action != "store":
            return self.show(form, checked=checked, summary=summary(checked))
        texts.store(
            setup=self.setup,
            rows=checked.rows,
            systems=checked.systems,
            by=self.request.user,
            add=is_added,
            source={"file": self.file.name, "items": checked.items},
        )
        return self.stored(_("Stored: %(texts)s.") % {"texts": summary(checked)}, checked.notes)

    def _marked(self, form: ColumnsForm, checked: CheckedTexts) -> StreamingHttpResponse:
        """Send the table back with a column that says what is wrong with each row."""
        rows = marked_rows(self.texts, form.layout(), checked.problems.by_line)
        headers = {"Content-Disposition": 'attachment; filename="problems.csv"'}
        return StreamingHttpResponse(rows, content_type="text/csv; charset=utf-8", headers=headers)

    def page(self, context: dict[str, Any], status: int) -> HttpResponse:
        template = "texts_columns" if "form" in context else "texts"
        if "form" in context:
            context["first"] = Peek(self.peek.columns, self.peek.rows[:SHOWN])
            context["notes"] = self.texts.notes
        return show(self.request, self.setup, template, context, status)


def summary(checked: CheckedTexts) -> str:
    """Describe a table: “300 outputs of 100 items by 3 systems”."""
    parts = {
        "outputs": ngettext("%(n)s output", "%(n)s outputs", len(checked.rows)) % {"n": f"{len(checked.rows):,}"},
        "items": ngettext("%(n)s item", "%(n)s items", checked.items) % {"n": f"{checked.items:,}"},
        "systems": ngettext("%(n)s system", "%(n)s systems", len(checked.systems)) % {"n": len(checked.systems)},
    }
    return _("%(outputs)s of %(items)s by %(systems)s") % parts
