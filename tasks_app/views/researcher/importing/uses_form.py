"""The mapping of a table of texts and ratings as a form: a choice for each column, and the same mapping as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app import importing
from tasks_app.hooks.sections import Json
from tasks_app.importing import whole
from tasks_app.importing.guessing import Peek
from tasks_app.importing.mapping import as_yaml
from tasks_app.importing.whole.uses import (
    LEAVE_OUT,
    NAMED,
    BadUses,
    Choices,
    ColumnUse,
    choices_of,
    document_of,
    use_choices,
)
from tasks_app.studyfile import StudyFileError
from tasks_app.views.researcher.importing.forms import REPEATS, MappingText

# Cells shown beside a column, and characters of each.
EXAMPLES, EXAMPLE_CHARACTERS = 3, 60

# Parts of a mapping that have a field of their own, with what stands for a part that is not there.
_FIELDS = {"empty": "", "repeats": "refuse"}


@dataclass(frozen=True, slots=True)
class ColumnRow:
    """A column of the file on the page: its name, its first cells, and the fields for its use and its name."""

    name: str
    examples: Sequence[str]
    use: forms.BoundField
    called: forms.BoundField


class UsesForm(MappingText):
    """The use of each column, and the mapping as text beside; the one of the two that was changed counts."""

    system = forms.CharField(
        required=False,
        label=gettext_lazy("System of all texts"),
        help_text=gettext_lazy("Only if no column names the system: a name for who or what wrote the texts."),
    )
    empty = forms.ChoiceField(
        required=False,
        choices=(
            ("", gettext_lazy("is not decided: ask")),
            ("missing", gettext_lazy("is missing from the table")),
            ("text", gettext_lazy("is an empty text, which was rated")),
        ),
        label=gettext_lazy("An output that is empty"),
    )
    repeats = forms.ChoiceField(
        required=False, choices=REPEATS, label=gettext_lazy("A second rating of the same text by a rater")
    )
    # The mapping that the page showed: by it, a change of the text is told from a change of the choices.
    shown = forms.CharField(required=False, strip=False, widget=forms.HiddenInput)

    def __init__(self, posted: Any = None, *, peek: Peek, document: Mapping[str, Json] | None = None) -> None:
        super().__init__(posted, declared=whole.declared)
        self.peek = peek
        self._document = self._of_text(self.data.get("shown", "")) if self.is_bound else dict(document or {})
        self.fields["text"].label = _("The mapping as text")
        self.fields["text"].widget.attrs["rows"] = 12
        given = choices_of(
            {part: content for part, content in self._document.items() if part not in _FIELDS}, peek.columns
        )
        self.rest = given.rest
        self.names = [use.column for use in given.uses]
        choices = use_choices()
        for number, use in enumerate(given.uses):
            label = _("“%(name)s” is") % {"name": use.column}
            self.fields[f"use-{number}"] = forms.ChoiceField(
                choices=choices, required=False, label=label, initial=use.use
            )
            self.fields[f"name-{number}"] = forms.CharField(
                required=False, max_length=100, initial=use.called if use.use in NAMED else ""
            )
        shown = as_yaml(self._document)
        self.initial.update(system=given.system, shown=shown, text=shown)
        self.initial.update({name: self._document.get(name, absent) for name, absent in _FIELDS.items()})

    def _of_text(self, text: str) -> dict[str, Json]:
        """Return the mapping that a text says; an empty one where it says none."""
        try:
            read = importing.from_yaml(_("mapping"), text.replace("\r\n", "\n"), self.declared)
        except StudyFileError:
            return {}
        return dict(read.document)

    @property
    def by_column(self) -> list[ColumnRow]:
        """Return the columns with their first cells."""
        cells: dict[str, list[str]] = {name: [] for name in self.names}
        for row in self.peek.rows:
            for name, cell in zip(self.peek.columns, row, strict=False):
                text = " ".join(cell.split())
                text = text if len(text) <= EXAMPLE_CHARACTERS else f"{text[:EXAMPLE_CHARACTERS]}…"
                if text and len(cells[name]) < EXAMPLES and text not in cells[name]:
                    cells[name].append(text)
        return [
            ColumnRow(name, cells[name], self[f"use-{number}"], self[f"name-{number}"])
            for number, name in enumerate(self.names)
        ]

    @property
    def columns_with_errors(self) -> list[ColumnRow]:
        """Return the columns with a use that was refused."""
        return [row for row in self.by_column if row.use.errors]

    @property
    def about_table(self) -> list[forms.BoundField]:
        """Return the fields that are about the table as a whole."""
        return [self[name] for name in ("system", "empty", "repeats")]

    @property
    def named_uses(self) -> Sequence[str]:
        """Return the uses that have a name."""
        return NAMED

    @cached_property
    def document(self) -> dict[str, Json]:
        """Return the mapping that the choices say, from valid data. Raises BadUses."""
        values = self.cleaned_data
        uses = [
            ColumnUse(name, values.get(f"use-{number}", LEAVE_OUT), values.get(f"name-{number}", ""))
            for number, name in enumerate(self.names)
        ]
        document = document_of(Choices(uses, values.get("system", ""), self.rest))
        return document | {
            name: values[name] for name, absent in _FIELDS.items() if values.get(name) not in {absent, "", None}
        }

    def clean(self) -> dict[str, Any]:
        """Find out whether the choices or the text count, and refuse choices that contradict each other."""
        values: dict[str, Any] = super().clean() or self.cleaned_data
        written = values.get("text", "").replace("\r\n", "\n")
        self.text_counts = written.strip() != values.get("shown", "").replace("\r\n", "\n").strip()
        if self.text_counts and not any(f"use-{number}" in self.data for number in range(len(self.names))):
            return values
        try:
            chosen = self.document
        except BadUses as error:
            if not self.text_counts or self._choices_changed:
                for name, sentence in error.sentences.items():
                    self.add_error(f"use-{self.names.index(name)}", sentence)
            return values
        if self.text_counts and chosen != self._document and self._choices_changed:
            sentence = _(
                "Both the choices and the text were changed, and they say different things. Undo one of the changes."
            )
            self.add_error("text", ValidationError(sentence, code="both"))
        return values

    @property
    def _choices_changed(self) -> bool:
        return any(name.startswith(("use-", "name-")) or name in {"system", *_FIELDS} for name in self.changed_data)

    def mapping(self) -> importing.ColumnMapping:
        """Return the mapping. Raises StudyFileError."""
        return super().mapping() if self.text_counts else whole.mapping_of(_("mapping"), self.document)

    def shown_again(self) -> UsesForm:
        """Return the form as it shows the mapping that counted."""
        return UsesForm(peek=self.peek, document=self.mapping().document)
