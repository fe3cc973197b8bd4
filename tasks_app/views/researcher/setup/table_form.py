"""The forms of an uploaded table: its file, the meaning of its columns, and its format."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.importing.guessing import Peek
from tasks_app.settings.fields import choice_field
from tasks_app.setup.tables.source import TextsFile
from tasks_app.views.researcher.importing.uploading import QuotingField

# Cells shown as examples of a column, and characters of each.
EXAMPLES, EXAMPLE_CHARACTERS = 2, 80

# Suffixes of tables that can be uploaded.
ACCEPTED = ".csv,.tsv,.json,.jsonl,.gz,.xlsx,.xlsm,.ods"


class ColumnForm:
    """One column of the file: its name, examples, and the fields for its use."""

    def __init__(self, form: TableForm, number: int, name: str, examples: Sequence[str]) -> None:
        self.name = name
        self.examples = examples
        self.use = form[f"use-{number}"]
        self.called = form[f"name-{number}"] if f"name-{number}" in form.fields else None


def _one_text(columns: Sequence[str]) -> str:
    """Return the names of columns as one text, by which a form is known to be about them."""
    return json.dumps(list(columns), ensure_ascii=False)


class TableForm(forms.Form):
    """One choice for each column of the file, and how the table is read as a whole."""

    about_whole: ClassVar[Sequence[str]] = ("mode",)

    columns = forms.CharField(widget=forms.HiddenInput, required=False, strip=False)
    quoting = QuotingField()
    sheet = forms.ChoiceField(required=False, label=gettext_lazy("Sheet"))
    mode = forms.ChoiceField(
        required=False,
        choices=(
            ("replace", gettext_lazy("replace the rows of this study")),
            ("add", gettext_lazy("are added to the rows of this study")),
        ),
        label=gettext_lazy("These rows"),
    )

    def __init__(self, *args: Any, file: TextsFile, peek: Peek, present: int = 0, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.file, self.peek, self.present = file, peek, present
        self.initial["columns"] = _one_text(peek.columns)
        sheet = self.fields["sheet"]
        assert isinstance(sheet, forms.ChoiceField)
        sheet.choices = [(name, name) for name in file.sheets]
        if len(file.sheets) < 2:
            del self.fields["sheet"]
        if file.is_workbook or file.file.format == "jsonl":
            del self.fields["quoting"]
        if not present:
            del self.fields["mode"]

    def add_use(self, number: int, name: str, choices: Sequence[tuple[str, Any]], initial: str) -> None:
        """Add the choice of a column's meaning."""
        self.fields[f"use-{number}"] = choice_field(
            _("“%(name)s” is") % {"name": name}, choices, initial=initial, required=False
        )

    @property
    def by_column(self) -> list[ColumnForm]:
        """Return the columns with their examples."""
        examples: list[list[str]] = [[] for _name in self.peek.columns]
        for row in self.peek.rows:
            for number, cell in enumerate(row[: len(examples)]):
                text = " ".join(cell.split())[:EXAMPLE_CHARACTERS]
                if text and len(examples[number]) < EXAMPLES and text not in examples[number]:
                    examples[number].append(text)
        return [ColumnForm(self, number, name, examples[number]) for number, name in enumerate(self.peek.columns)]

    @property
    def whole(self) -> list[forms.BoundField]:
        """Return the fields about the table as a whole."""
        return [self[name] for name in self.about_whole if name in self.fields]

    @property
    def reading(self) -> list[forms.BoundField]:
        """Return the fields by which the file is read, after which its columns may be others."""
        return [self[name] for name in ("sheet", "quoting") if name in self.fields]

    @property
    def is_of_these_columns(self) -> bool:
        """Return whether the choices that were sent are about the columns that the file has."""
        return self.data.get("columns") == _one_text(self.peek.columns)

    @property
    def is_added(self) -> bool:
        """Return whether the rows are added to those that are there, from valid data."""
        return self.cleaned_data.get("mode") == "add"
