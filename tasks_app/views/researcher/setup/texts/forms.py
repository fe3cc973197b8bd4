"""The forms of the step “Texts”: a table, its columns, a sample, the names of systems, files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.importing.guessing import Peek
from tasks_app.models import System
from tasks_app.setup.tables.layout import (
    FEATURE,
    ITEM_KEYS,
    KEEP,
    LEAVE,
    SYSTEM,
    ColumnUse,
    Layout,
    key_of,
    use_label,
    uses,
)
from tasks_app.setup.tables.source import TextsFile
from tasks_app.setup.text_rows import SystemRow
from tasks_app.setup.texts import SEEDS, Sample

# Cells shown as examples of a column, and characters of each.
EXAMPLES, EXAMPLE_CHARACTERS = 2, 80

MARKS = (
    ("", gettext_lazy("enclose cells; say so if that is not clear")),
    ("double", gettext_lazy("enclose cells")),
    ("none", gettext_lazy("are part of the texts")),
)

# A degraded copy is made by the tool itself.
KINDS = [(kind.value, kind.label) for kind in System.Kind if kind is not System.Kind.DEGRADED]


class UploadForm(forms.Form):
    """A table of texts."""

    file = forms.FileField(
        label=gettext_lazy("Table of texts"),
        help_text=gettext_lazy(
            "CSV, TSV, JSON, JSON Lines or a workbook (.xlsx, .ods), with one row per output, or one row per item and "
            "one column per system. Up to 64 MB; text files may be gzipped (.csv.gz)."
        ),
        allow_empty_file=True,  # an empty file is answered by the reader, which says what to do
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.json,.jsonl,.gz,.xlsx,.xlsm,.ods"}),
    )


class ColumnForm:
    """What one column of the file is: its name, examples, and the fields that say so."""

    def __init__(self, form: ColumnsForm, number: int, name: str, examples: Sequence[str]) -> None:
        self.name = name
        self.examples = examples
        self.use = form[f"use-{number}"]
        self.called = form[f"name-{number}"]


def _one_text(columns: Sequence[str]) -> str:
    """Return the names of columns as one text, by which a form is known to be about them."""
    return json.dumps(list(columns), ensure_ascii=False)


class ColumnsForm(forms.Form):
    """One choice for each column of the file, and how the table is read as a whole."""

    columns = forms.CharField(widget=forms.HiddenInput, required=False, strip=False)
    items = forms.ChoiceField(choices=ITEM_KEYS, label=gettext_lazy("Items"))
    system = forms.CharField(
        required=False,
        max_length=100,
        label=gettext_lazy("System, if no column names it"),
        help_text=gettext_lazy("Who or what wrote all of these texts. Raters never see it."),
    )
    unused = forms.ChoiceField(
        choices=(
            (LEAVE, gettext_lazy("are left out")),
            (KEEP, gettext_lazy("are kept as features of the item, by which results can be split")),
        ),
        label=gettext_lazy("Columns that are not used"),
    )
    quoting = forms.ChoiceField(
        choices=MARKS,
        required=False,
        label=gettext_lazy("Quotation marks"),
        help_text=gettext_lazy("For tables with tabs between the cells."),
    )
    sheet = forms.ChoiceField(required=False, label=gettext_lazy("Sheet"))
    mode = forms.ChoiceField(
        required=False,
        choices=(
            ("replace", gettext_lazy("replace the texts of this study")),
            ("add", gettext_lazy("are added to the texts of this study")),
        ),
        label=gettext_lazy("These texts"),
    )

    def __init__(
        self, *args: Any, file: TextsFile, peek: Peek, layout: Layout | None = None, present: int = 0, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.file, self.peek, self.present = file, peek, present
        by_column = {one.column: one for one in layout.uses} if layout is not None else {}
        self.initial["columns"] = _one_text(peek.columns)
        choices = [(use, use_label(use)) for use in uses()]
        for number, name in enumerate(peek.columns):
            one = by_column.get(name, ColumnUse(name))
            self.fields[f"use-{number}"] = forms.ChoiceField(
                choices=choices, required=False, initial=one.use, label=_("“%(name)s” is") % {"name": name}
            )
            self.fields[f"name-{number}"] = forms.CharField(
                required=False,
                max_length=100,
                initial=one.called if one.use in (FEATURE, SYSTEM) else "",
                label=_("Name of this feature or system (“%(name)s”)") % {"name": name},
            )
        if layout is not None:
            for field in ("items", "system", "unused", "quoting", "sheet"):
                self.initial.setdefault(field, getattr(layout, field))
        sheet = self.fields["sheet"]
        assert isinstance(sheet, forms.ChoiceField)
        sheet.choices = [(name, name) for name in file.sheets]
        if len(file.sheets) < 2:
            del self.fields["sheet"]
        if file.is_workbook or file.file.format == "jsonl":
            del self.fields["quoting"]
        if not present:
            del self.fields["mode"]

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
        return [self[name] for name in ("items", "system", "unused", "mode") if name in self.fields]

    @property
    def reading(self) -> list[forms.BoundField]:
        """Return the fields by which the file is read, after which its columns may be others."""
        return [self[name] for name in ("sheet", "quoting") if name in self.fields]

    @property
    def is_of_these_columns(self) -> bool:
        """Return whether the choices that were sent are about the columns that the file has."""
        return self.data.get("columns") == _one_text(self.peek.columns)

    def layout(self) -> Layout:
        """Return how the table is to be read, from valid data."""
        values = self.cleaned_data
        return Layout(
            [
                ColumnUse(name, values[f"use-{number}"], values[f"name-{number}"])
                for number, name in enumerate(self.peek.columns)
            ],
            items=values["items"],
            system=values["system"],
            unused=values["unused"],
            quoting=values.get("quoting", ""),
            sheet=values.get("sheet", ""),
        )

    def clean(self) -> dict[str, Any]:
        """Refuse what does not go together."""
        values = super().clean() or {}
        if not self.errors:
            faults = [ValidationError(sentence, code="layout") for sentence in self.layout().faults()]
            if faults:
                raise ValidationError(faults)
        return values

    def clean_system(self) -> str:
        """Refuse a name of which no key can be made."""
        name = str(self.cleaned_data["system"]).strip()
        if name and not key_of(name):
            raise ValidationError(_("Use at least some Latin letters or digits in this name."), code="key")
        return name


class SampleForm(forms.Form):
    """How a sample is drawn."""

    n = forms.IntegerField(min_value=1, label=gettext_lazy("Items in the sample"))
    by = forms.ChoiceField(required=False, label=gettext_lazy("Stratified by"))
    equal = forms.ChoiceField(
        choices=(
            ("", gettext_lazy("the same share of each stratum")),
            ("equal", gettext_lazy("the same number from each stratum, as far as it has them")),
        ),
        required=False,
        label=gettext_lazy("Draw"),
    )
    seed = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=SEEDS - 1,
        label=gettext_lazy("Seed"),
        help_text=gettext_lazy("Drawn for you if you leave it empty. The same seed gives the same sample."),
    )

    def __init__(self, *args: Any, strata: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        by = self.fields["by"]
        assert isinstance(by, forms.ChoiceField)
        by.choices = list(strata)

    def sample(self) -> Sample:
        """Return what to draw, from valid data."""
        values = self.cleaned_data
        return Sample(values["n"], values["by"], bool(values["equal"]), values["seed"])


class SystemsForm(forms.Form):
    """Name and kind of every system; `base` is the revision of the set-up that they were seen at."""

    base = forms.IntegerField(widget=forms.HiddenInput, min_value=0)

    def __init__(self, *args: Any, systems: Sequence[SystemRow], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.systems = systems
        for system in systems:
            self.fields[f"name-{system.key}"] = forms.CharField(
                required=False,
                max_length=200,
                initial=system.name,
                label=_("Name of %(key)s") % {"key": system.key},
            )
            self.fields[f"kind-{system.key}"] = forms.ChoiceField(
                choices=KINDS, initial=system.kind, label=_("Kind of %(key)s") % {"key": system.key}
            )

    @property
    def rows(self) -> list[tuple[SystemRow, forms.BoundField, forms.BoundField]]:
        """Return each system with its fields."""
        return [(system, self[f"name-{system.key}"], self[f"kind-{system.key}"]) for system in self.systems]

    def entries(self) -> list[dict[str, str]]:
        """Return the systems as study.yaml has them, from valid data."""
        return [
            {
                "key": system.key,
                "name": self.cleaned_data[f"name-{system.key}"],
                "kind": self.cleaned_data[f"kind-{system.key}"],
            }
            for system in self.systems
        ]


class _SeveralFiles(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Several files at once."""

    widget = _SeveralFiles

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        """Return the files."""
        return [super(FilesField, self).clean(one, initial) for one in (data or [None])]


class MediaForm(forms.Form):
    """Pictures, sounds and videos."""

    uploads = FilesField(
        label=gettext_lazy("Pictures, sounds and videos"),
        help_text=gettext_lazy(
            "PNG, JPEG, WebP, GIF; MP3, M4A, WAV, Ogg, FLAC; MP4, WebM. You can choose several at once."
        ),
        allow_empty_file=True,
    )
