"""Known answers, batches and suggestions: their rows, the upload of a table in two pages, and a table to fill in."""

from collections.abc import Mapping
from functools import partial
from itertools import chain
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.hooks.sections import digest
from tasks_app.models import Setup, SetupRow, Study
from tasks_app.setup import table_rows
from tasks_app.setup.changes import ChangedMeanwhile
from tasks_app.setup.checking import reading_of
from tasks_app.setup.page import SetupPage
from tasks_app.setup.tables.marking import CheckedRows
from tasks_app.setup.unit_tables import rows as unit_rows
from tasks_app.setup.unit_tables.answers import answerable
from tasks_app.setup.unit_tables.checking import check_file, reading_of_units
from tasks_app.setup.unit_tables.declared import UNIT_TABLES, UnitLayout, UnitTable
from tasks_app.setup.unit_tables.offered import why_not
from tasks_app.setup.unit_tables.template import template_rows
from tasks_app.studyfile import StudyFileError
from tasks_app.studyfile.columns import CONTROLS
from tasks_app.studyfile.files.limits import largest_upload
from tasks_app.studyfile.problems import Problem
from tasks_app.uploads.request_sizes import accepts_files
from tasks_app.views.downloads import BYTE_ORDER_MARK, csv_line, streamed
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.importing.uploading import UploadForm
from tasks_app.views.researcher.setup.form_frame import frozen_page, step_url
from tasks_app.views.researcher.setup.table_form import ACCEPTED
from tasks_app.views.researcher.setup.table_pages import SetupTablePages, numbers_of, say_brought_back
from tasks_app.views.researcher.setup.texts.drafts import of_draft, show
from tasks_app.views.researcher.setup.unit_tables.forms import UnitColumnsForm, UnitRowForm

# The number of problems in the rest of a table that are named after a row was stored.
_NAMED = 3


def _table_called(name: str) -> UnitTable:
    """Return the table of a name. Raises Http404."""
    if name not in UNIT_TABLES:
        raise Http404
    return UNIT_TABLES[name]


def _beside(setup: Setup, table: UnitTable) -> dict[str, Any]:
    return {"table": table, "step_address": step_url(setup.study.slug, table.step)}


def _rows(request: HttpRequest, setup: Setup, table: UnitTable, present: int) -> dict[str, Any]:
    """Return a page of the rows that were searched for; `present` is the number of all rows."""
    words, value = request.GET.get("q", "").replace("\0", "").strip(), request.GET.get("only", "").replace("\0", "")
    matches = unit_rows.search(setup, table, words, value)
    paginator = Paginator(matches, unit_rows.ROWS_ON_A_PAGE)
    if not words and not value:
        paginator.count = present
    page = paginator.get_page(request.GET.get("page"))
    filled = {name for row in page for name in row.cells}
    columns = [name for name in table.declared.names if name in filled or name in table.declared.needed]
    return {
        "present": present,
        "page": page,
        "columns": columns,
        "lines": [(row.number, [row.cells.get(name, "") for name in columns]) for row in page],
        "query": urlencode({name: given for name, given in (("q", words), ("only", value)) if given}),
        "words": words,
        "value": value,
        "filters": unit_rows.filters_of(setup, table),
    }


def _frozen_table(request: HttpRequest, study: Study, table: str) -> HttpResponse:
    """Show the rows of a table as they were frozen."""
    declared = _table_called(table)

    def context(page: SetupPage) -> dict[str, Any]:
        present = table_rows.rows_of(page.setup, declared.stem).count()
        return {**_beside(page.setup, declared), **_rows(request, page.setup, declared, present)}

    return frozen_page(request, study, declared.step, context, template="unit_table")


@accepts_files(largest_upload)
@researcher_page("GET", "POST")
@partial(of_draft, opened=_frozen_table)
def unit_table(request: HttpRequest, setup: Setup, table: str) -> HttpResponseBase:
    """Show the rows of a table, remove some, and take a file of rows in two pages."""
    if request.POST.get("action") == "remove":
        return _remove(request, setup, _table_called(table))
    if request.POST.get("action") == "bring_back":
        say_brought_back(request, unit_rows.bring_back(setup=setup, table=_table_called(table), by=request.user))
        return redirect("researcher:unit_table", setup.study.slug, table)
    return _UnitTablePages(request, setup, _table_called(table)).answer()


def _remove(request: HttpRequest, setup: Setup, table: UnitTable) -> HttpResponse:
    """Remove the ticked rows, or all that match the search once that was confirmed."""
    words, value = request.POST.get("q", ""), request.POST.get("only", "")
    matches = unit_rows.search(setup, table, words, value)
    if request.POST.get("all") and not request.POST.get("sure"):
        question = {"words": words, "value": value, "n": matches.count(), **_beside(setup, table)}
        return show(request, setup, "unit_table_sure", question, step=table.step)
    if not request.POST.get("all"):
        matches = table_rows.rows_of(setup, table.stem).filter(number__in=numbers_of(request.POST.getlist("row")))
    n = unit_rows.remove_rows(setup=setup, table=table, rows=matches, by=request.user)
    messages.success(request, ngettext("%(n)d row was removed.", "%(n)d rows were removed.", n) % {"n": n})
    return redirect("researcher:unit_table", setup.study.slug, table.stem)


class _UnitTablePages(SetupTablePages[UnitColumnsForm, CheckedRows]):
    """The rows of a table about units, and a file of such rows."""

    address = "researcher:unit_table"
    template = "unit_table"

    def __init__(self, request: HttpRequest, setup: Setup, table: UnitTable) -> None:
        super().__init__(request, setup)
        self.table, self.step, self.stem = table, table.step, table.stem

    @property
    def location(self) -> str:
        return reverse(self.address, args=[self.study.slug, self.table.stem])

    def upload_form(self, *given: Any) -> forms.Form:
        help_text = _(
            "CSV, TSV, JSON, JSON Lines or a workbook (.xlsx, .ods) with the columns %(names)s. Up to 64 MB; text "
            "files may be gzipped (.csv.gz)."
        ) % {"names": ", ".join(self.table.declared.needed)}
        return UploadForm(*given, label=self.table.upload_label, help_text=help_text, accept=ACCEPTED)

    def beside(self) -> dict[str, Any]:
        return _beside(self.setup, self.table)

    def beside_upload(self) -> Mapping[str, Any]:
        return {
            **_rows(self.request, self.setup, self.table, self.counts.rows),
            "why_not": why_not(self.setup, self.table),
            "answerable": answerable(reading_of(self.setup)) if self.table.declared is CONTROLS else (),
        }

    def table_form(self, *given: Any, **more: Any) -> UnitColumnsForm:
        present = self.counts.rows
        return UnitColumnsForm(*given, table=self.table, file=self.table_file, peek=self.peek, present=present, **more)

    def layout(self, form: UnitColumnsForm) -> UnitLayout:
        return form.layout()

    def check(self, form: UnitColumnsForm) -> CheckedRows:
        return check_file(self.setup, self.table_file, form.layout(), add=form.is_added)

    def store(self, form: UnitColumnsForm, checked: CheckedRows) -> HttpResponse:
        try:
            unit_rows.store(
                setup=self.setup,
                table=self.table,
                rows=checked.rows,
                base=self.setup.revision,
                by=self.request.user,
                add=form.is_added,
                source={"file": self.file.name},
            )
        except ChangedMeanwhile as error:
            sentence = _(
                "Somebody else has changed this study while you were editing, so nothing was stored. Check the table "
                "again."
            )
            raise StudyFileError([Problem(self.file.name, 0, 0, sentence)]) from error
        return self.stored(_("Stored: %(rows)s.") % {"rows": self.summary(checked)}, checked.notes)

    def summary(self, checked: CheckedRows) -> str:
        n = len(checked.rows)
        return ngettext("%(n)s row", "%(n)s rows", n) % {"n": f"{n:,}"}


@researcher_page("GET", "POST")
@of_draft
def unit_row(request: HttpRequest, setup: Setup, table: str, number: int | None = None) -> HttpResponse:
    """Show a row to change it, or an empty one to add it, and store it."""
    declared = _table_called(table)
    row = (
        SetupRow(cells={}) if number is None else table_rows.rows_of(setup, declared.stem).filter(number=number).first()
    )
    if row is None:
        raise Http404
    form = UnitRowForm(request.POST or None, table=declared, cells=row.cells)
    if form.is_valid():
        digest_shown = request.POST.get("seen", "")
        try:
            stored, others = unit_rows.put_row(
                setup=setup,
                table=declared,
                number=number,
                cells=form.cells(),
                by=request.user,
                digest_shown=digest_shown,
            )
        except table_rows.RowChanged:
            return _changed_meanwhile(request, setup, declared, number)
        except StudyFileError as error:
            form.refuse(error)
        else:
            return _stored(request, setup, declared, stored, [problem.message for problem in others])
    digest_shown = request.POST.get("seen", "") or (digest(row.cells) if number is not None else "")
    context = {"form": form, "number": number, "seen": digest_shown, **_beside(setup, declared)}
    return show(request, setup, "unit_table_row", context, 422 if form.errors else 200, step=declared.step)


def _stored(request: HttpRequest, setup: Setup, table: UnitTable, row: SetupRow, others: list[str]) -> HttpResponse:
    """Tell the researcher that a row is stored, and the gaps that the table still has."""
    messages.success(request, _("Row %(number)d is stored.") % {"number": row.number})
    for sentence in others[:_NAMED]:
        messages.warning(request, _("Still to do in this table: %(problem)s") % {"problem": sentence})
    if more := len(others[_NAMED:]):
        messages.warning(request, ngettext("and %(n)d more problem", "and %(n)d more problems", more) % {"n": more})
    return redirect("researcher:unit_table", setup.study.slug, table.stem)


def _changed_meanwhile(request: HttpRequest, setup: Setup, table: UnitTable, number: int | None) -> HttpResponse:
    """Show a row as somebody else has changed it, or the table where it is gone."""
    sentence = _(
        "Somebody else has changed this row while you were editing, so nothing was stored. This is how it is now."
    )
    messages.warning(request, sentence)
    if not table_rows.rows_of(setup, table.stem).filter(number=number or 0).exists():
        return redirect("researcher:unit_table", setup.study.slug, table.stem)
    return redirect("researcher:unit_row", setup.study.slug, table.stem, number)


@researcher_page("GET")
@of_draft
def unit_template(request: HttpRequest, setup: Setup, table: str) -> HttpResponseBase:
    """Send a table with the units of this study to fill in; for a study without units, show the missing parts."""
    declared = _table_called(table)
    try:
        reading = reading_of_units(setup, declared)
    except StudyFileError as error:
        pages = _UnitTablePages(request, setup, declared)
        return pages.first_page(pages.upload_form(), refusal=error)
    lines = (csv_line(cells) for cells in template_rows(reading, declared))
    return streamed(f"{declared.stem}-to-fill-in.csv", chain([BYTE_ORDER_MARK], lines))
