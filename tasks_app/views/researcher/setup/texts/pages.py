"""The step “Texts”: its table, and the upload of a table in two pages. Works without scripts."""

from __future__ import annotations

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
from django.views.decorators.http import require_http_methods

from tasks_app.models import Setup
from tasks_app.request_sizes import accepts_files
from tasks_app.setup import media, text_rows, texts
from tasks_app.setup.tables.checking import CheckedTexts, check_file
from tasks_app.setup.tables.guessing import guess_layout
from tasks_app.setup.tables.marking import Layout
from tasks_app.studyfile.files.limits import largest_upload
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.setup import frozen
from tasks_app.views.researcher.setup.table_form import UploadForm
from tasks_app.views.researcher.setup.table_pages import SetupTablePages, numbers_of, say_brought_back
from tasks_app.views.researcher.setup.texts.drafts import of_draft, show
from tasks_app.views.researcher.setup.texts.forms import ColumnsForm, SystemsForm


@accepts_files(largest_upload)
@researcher_page
@require_http_methods(["GET", "HEAD", "POST"])
@partial(of_draft, opened=frozen.texts_step)
def texts_step(request: HttpRequest, setup: Setup) -> HttpResponseBase:
    """Show the texts of a draft, or an empty page to upload them, and take a table in two pages."""
    if request.POST.get("action") == "remove":
        return _remove(request, setup)
    if request.POST.get("action") == "bring_back":
        say_brought_back(request, texts.bring_back(setup=setup, by=request.user))
        return redirect("researcher:texts", setup.study.slug)
    return _TextsPages(request, setup).answer()


def _remove(request: HttpRequest, setup: Setup) -> HttpResponse:
    """Remove the rows that were ticked, or all that were found, once that was confirmed."""
    found = text_rows.search(setup, request.POST.get("q", ""), request.POST.get("system", ""))
    if request.POST.get("all") and not request.POST.get("sure"):
        asked = {"words": request.POST.get("q", ""), "system": request.POST.get("system", ""), "n": found.count()}
        return show(request, setup, "texts_sure", asked)
    rows = (
        found
        if request.POST.get("all")
        else text_rows.search(setup).filter(number__in=numbers_of(request.POST.getlist("row")))
    )
    n = texts.remove_rows(setup=setup, rows=rows, by=request.user)
    messages.success(request, ngettext("%(n)d row was removed.", "%(n)d rows were removed.", n) % {"n": n})
    return redirect("researcher:texts", setup.study.slug)


class _TextsPages(SetupTablePages[ColumnsForm, CheckedTexts]):
    """The texts, and a table of texts whose columns are named by choices."""

    address = "researcher:texts"
    template = "texts"
    stem = texts.TABLE

    def upload_form(self, *given: Any) -> forms.Form:
        help_text = _(
            "CSV, TSV, JSON, JSON Lines or a workbook (.xlsx, .ods), with one row per output, or one row per item and "
            "one column per system. Up to 64 MB; text files may be gzipped (.csv.gz)."
        )
        return UploadForm(*given, label=_("Table of texts"), help_text=help_text)

    def beside_upload(self) -> Mapping[str, Any]:
        shown = frozen.texts_context(self.request, self.setup)
        systems = shown["counts"].systems
        return {
            **shown,
            "systems_form": SystemsForm(systems=systems, initial={"base": self.setup.revision}),
            "media": media.files_of(self.setup),
        }

    def columns_form(self, *given: Any, **more: Any) -> ColumnsForm:
        present = self.counts.rows
        layout = None if given else guess_layout(self.peek)
        return ColumnsForm(*given, file=self.table_file, peek=self.peek, present=present, layout=layout, **more)

    def layout(self, form: ColumnsForm) -> Layout:
        return form.layout()

    def check(self, form: ColumnsForm) -> CheckedTexts:
        before = texts.cells_of_rows(self.setup) if form.is_added else ()
        return check_file(self.table_file, form.layout(), media.uploaded(self.setup), before)

    def store(self, form: ColumnsForm, checked: CheckedTexts) -> HttpResponse:
        texts.store(
            setup=self.setup,
            rows=checked.rows,
            systems=checked.systems,
            by=self.request.user,
            add=form.is_added,
            source={"file": self.file.name, "items": checked.items},
        )
        return self.stored(_("Stored: %(texts)s.") % {"texts": summary(checked)}, checked.notes)

    def summary(self, checked: CheckedTexts) -> str:
        return summary(checked)


def summary(checked: CheckedTexts) -> str:
    """Describe a table: “300 outputs of 100 items by 3 systems”."""
    parts = {
        "outputs": ngettext("%(n)s output", "%(n)s outputs", len(checked.rows)) % {"n": f"{len(checked.rows):,}"},
        "items": ngettext("%(n)s item", "%(n)s items", checked.items) % {"n": f"{checked.items:,}"},
        "systems": ngettext("%(n)s system", "%(n)s systems", len(checked.systems)) % {"n": len(checked.systems)},
    }
    return _("%(outputs)s of %(items)s by %(systems)s") % parts
