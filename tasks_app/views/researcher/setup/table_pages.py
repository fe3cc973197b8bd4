"""The pages of a table of a draft: its rows with an upload, and the columns of an uploaded file."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.importing import RatingsFile, uploads
from tasks_app.importing.formats.opening import plain_form
from tasks_app.importing.guessing import Peek
from tasks_app.models import Setup
from tasks_app.setup import table_rows
from tasks_app.setup.tables.marking import CheckedRows, Layout, marked_rows
from tasks_app.setup.tables.source import TextsFile, look, open_file
from tasks_app.studyfile import StudyFileError
from tasks_app.studyfile.problems import Problem
from tasks_app.views.downloads import streamed
from tasks_app.views.researcher.importing.uploading import TablePages
from tasks_app.views.researcher.setup.table_form import TableForm
from tasks_app.views.researcher.setup.texts.drafts import show

# Rows shown of an uploaded table.
SHOWN = 5

# Each has up to two fields in the form, and Django takes a thousand.
MOST_COLUMNS = 400


Form = TypeVar("Form", bound=TableForm)
Table = TypeVar("Table", bound=CheckedRows)


class SetupTablePages(TablePages[Form], Generic[Form, Table]):
    """The rows of a table of a draft, and a file of rows with columns that are named by choices."""

    title = ""
    step = "texts"
    stem = ""

    table_file: TextsFile

    def __init__(self, request: HttpRequest, setup: Setup) -> None:
        super().__init__(request, setup.study)
        self.setup = setup

    @cached_property
    def counts(self) -> table_rows.TableCounts:
        """The number of rows of the table, and of those that can be brought back."""
        return table_rows.counted(self.setup, self.stem)

    @abstractmethod
    def table_form(self, *given: Any, **more: Any) -> Form:
        """Return the form of the second page, filled in with posted values or with guesses."""

    @abstractmethod
    def layout(self, form: Form) -> Layout:
        """Return the layout of the table, from a valid form."""

    @abstractmethod
    def check(self, form: Form) -> Table:
        """Check the table, from a valid form. Raises StudyFileError."""

    def later(self, _form: Form) -> HttpResponseBase | None:
        """Have a worker check and store a table that is known to be long; None where the page does it."""
        return None

    @abstractmethod
    def store(self, form: Form, checked: Table) -> HttpResponseBase:
        """Store a table without problems, and lead back to the first page."""

    @abstractmethod
    def summary(self, checked: Table) -> str:
        """Describe a table that was checked, in a few words."""

    def keep(self, upload: UploadedFile[Any]) -> str:
        return uploads.keep(self.study, upload, plain_form)

    def look(self, file: RatingsFile) -> Peek:
        self.table_file = open_file(file)
        query = self.request.POST if self.request.method == "POST" else self.request.GET
        peek = look(self.table_file, sheet=query.get("sheet", ""), quoting=query.get("quoting", ""))
        if len(peek.columns) > MOST_COLUMNS:
            sentence = _(
                "This table has %(n)d columns; at most %(most)d can be named here. Remove those you don't need."
            )
            words = {"n": len(peek.columns), "most": MOST_COLUMNS}
            raise StudyFileError([Problem(file.name, 1, MOST_COLUMNS + 1, sentence % words)])
        return peek

    def columns_form(self) -> Form:
        form = self.table_form(self.request.POST)
        if self.action not in ("", "look") and form.is_of_these_columns:
            return form
        query = self.request.POST if self.action else self.request.GET
        return self.table_form(
            initial={name: query.get(name, "") for name in ("sheet", "quoting", "mode") if query.get(name)}
        )

    def do(self, form: Form) -> HttpResponseBase:
        """Check or store the table, or send it back with its problems marked. Raises StudyFileError."""
        if self.action == "store" and (answer := self.later(form)) is not None:
            return answer
        checked = self.check(form)
        if self.action == "marked":
            return self._marked(form, checked)
        if checked.refusal is not None:
            return self.show(form, refusal=checked.refusal, can_mark=bool(checked.problems.by_line), status=422)
        if self.action != "store":
            return self.show(form, checked=checked, summary=self.summary(checked))
        return self.store(form, checked)

    def _marked(self, form: Form, checked: Table) -> StreamingHttpResponse:
        """Send the table back with a column for the problem of each row."""
        return streamed("problems.csv", marked_rows(self.table_file, self.layout(form), checked.problems.by_line))

    def page(self, context: dict[str, Any], status: int) -> HttpResponse:
        template = "texts_columns" if "form" in context else self.template
        context["taken_out"] = self.counts.taken_out
        if "form" in context:
            context["first"] = Peek(self.peek.columns, self.peek.rows[:SHOWN])
            context["notes"] = self.table_file.notes
        return show(self.request, self.setup, template, {**self.beside(), **context}, status, step=self.step)

    def beside(self) -> dict[str, Any]:
        """Return the context that both pages share."""
        return {}


def say_brought_back(request: HttpRequest, n: int) -> None:
    """Tell the researcher how many rows are back."""
    if n:
        messages.success(request, ngettext("%(n)d row is back.", "%(n)d rows are back.", n) % {"n": n})
    else:
        messages.warning(request, _("There are no removed or previous rows any more."))


def numbers_of(posted: Sequence[str]) -> list[int]:
    """Return the numbers of the rows that were ticked."""
    return [int(number) for number in posted if number.isdecimal() and len(number) < 10]
