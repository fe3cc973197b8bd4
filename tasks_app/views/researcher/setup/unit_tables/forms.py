"""The forms of tables about units: the columns of a file, and one row."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.importing.guessing import Peek
from tasks_app.setup.unit_tables.answers import KIND_WORDS, PURPOSE_WORDS
from tasks_app.setup.unit_tables.declared import UnitLayout, UnitTable, guess_columns
from tasks_app.studyfile.columns import Column
from tasks_app.studyfile.problems import StudyFileError
from tasks_app.views.researcher.setup.table_form import TableForm

# Columns of longer texts.
_LONG = ("explanation", "payload")

# Columns with few values, and the meaning of each value.
_CHOICES: Mapping[str, Mapping[str, Promise]] = {"purpose": PURPOSE_WORDS, "kind": KIND_WORDS}

# Labels of columns whose names do not describe their content.
_LABELS: Mapping[str, Promise] = {
    "unit": gettext_lazy("Unit key"),
    "kind": gettext_lazy("How it is graded (kind)"),
    "payload": gettext_lazy("Suggestion (payload)"),
}

NOT_USED = gettext_lazy("not used")


class UnitColumnsForm(TableForm):
    """One choice for each column of a table about units."""

    def __init__(self, *args: Any, table: UnitTable, peek: Peek, **kwargs: Any) -> None:
        super().__init__(*args, peek=peek, **kwargs)
        self.table = table
        guessed = {theirs: ours for ours, theirs in guess_columns(table, peek.columns).items()}
        choices = [("", NOT_USED), *((name, name) for name in table.declared.names)]
        for number, name in enumerate(peek.columns):
            self.add_use(number, name, choices, guessed.get(name, ""))

    def layout(self) -> UnitLayout:
        """Return the layout of the table, from valid data."""
        values = self.cleaned_data
        mapped = {values[f"use-{n}"]: name for n, name in enumerate(self.peek.columns) if values[f"use-{n}"]}
        return UnitLayout(self.table, mapped, values.get("sheet", ""), values.get("quoting", ""))

    def clean(self) -> dict[str, Any]:
        """Refuse a column that is chosen twice, and one that is needed and missing."""
        values = super().clean() or {}
        uses = [values.get(f"use-{n}") for n in range(len(self.peek.columns))]
        faults = []
        for ours in self.table.declared.names:
            if uses.count(ours) > 1:
                names = [f"“{name}”" for name, use in zip(self.peek.columns, uses, strict=True) if use == ours]
                sentence = _("Only one column can be “%(use)s”. Choose one of %(names)s.")
                faults.append(sentence % {"use": ours, "names": ", ".join(names)})
        if missing := [ours for ours in self.table.declared.needed if ours not in uses]:
            sentence = _("The table needs these columns as well: %(names)s. Say which columns they are, or add them.")
            faults.append(sentence % {"names": ", ".join(missing)})
        if faults:
            raise ValidationError(faults)
        return values


class UnitRowForm(forms.Form):
    """A row of a table about units: a field for every column."""

    def __init__(self, *args: Any, table: UnitTable, cells: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for column in table.declared.columns:
            self.fields[column.name] = _field_of(column, cells.get(column.name, ""))

    def cells(self) -> dict[str, str]:
        """Return the row's cells, from valid data."""
        return {name: value for name, value in self.cleaned_data.items() if value}

    def refuse(self, error: StudyFileError) -> None:
        """Show problems of the row at the fields that they are about."""
        for problem in error.problems:
            name, _colon, sentence = problem.message.partition(": ")
            self.add_error(*((name, sentence) if name in self.fields else (None, problem.message)))


def _field_of(column: Column, value: str) -> forms.Field:
    field: forms.Field
    if column.name in _CHOICES:
        choices = {"": "", **{choice: f"{choice}: {label}" for choice, label in _CHOICES[column.name].items()}}
        if value not in choices:
            choices[value] = value
        field = forms.ChoiceField(choices=list(choices.items()), required=column.needed)
    else:
        widget = forms.Textarea(attrs={"rows": 3, "dir": "auto"}) if column.name in _LONG else forms.TextInput()
        field = forms.CharField(required=column.needed, widget=widget, strip=False)
    field.label, field.initial = str(_LABELS.get(column.name, capfirst(column.name))), value
    field.help_text = "" if column.name in _CHOICES else str(column.doc)
    return field
