"""The common part of the pages of all tables of values from elsewhere."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app.services.uploads.flow import Columns, MappedValues, Upload, delete, upload
from analytics_app.services.uploads.named import NamedValues
from tasks_app.importing import ColumnMapping, from_document
from tasks_app.importing.guessing import Peek, guess
from tasks_app.importing.mapping import as_yaml
from tasks_app.importing.preview import preview
from tasks_app.models import Study
from tasks_app.settings.fields import choice_field
from tasks_app.studyfile import StudyFileError
from tasks_app.views.researcher.importing.forms import MappingText
from tasks_app.views.researcher.importing.uploading import QuotingField, TablePages, UploadForm


@dataclass(frozen=True, slots=True)
class StoredFile:
    """The file of all stored values of a kind: its name, its columns, and the function that yields its rows."""

    kind: type[Upload[Any, Any]]
    name: str
    columns: Sequence[str]
    rows: Callable[[Study], Iterable[Sequence[object]]]


class ColumnsForm(forms.Form):
    """The choice of the columns of a kind in a file, of those that hold values, and of the fate of stored values."""

    def __init__(self, *args: Any, kind: type[Upload[Any, Any]], looked: Peek, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._kind = kind
        plain = [(column, column) for column in looked.columns]
        guessed = guess(looked.columns) | {column.strip().casefold(): column for column in looked.columns}
        for column in kind.columns:
            self.fields[column.name] = choice_field(
                column.name.capitalize(),
                plain if column.needed else [("", _("– not in the file –")), *plain],
                str(column.doc),
                initial=guessed.get(column.name, ""),
                required=column.needed,
            )
        guessed_columns = {guessed.get(column.name) for column in kind.columns}
        if issubclass(kind, NamedValues) and not kind.is_long(looked.columns):
            self.fields[f"{kind.name}s"] = forms.MultipleChoiceField(
                choices=plain,
                required=False,
                label=capfirst(str(kind.nouns)),
                help_text=str(kind.named_doc),
                widget=forms.CheckboxSelectMultiple,
                initial=[
                    name for name in looked.columns if name not in guessed_columns and _holds_values(kind, looked, name)
                ],
            )
        self.fields["quoting"] = QuotingField()
        if issubclass(kind, NamedValues):
            self.fields["replace"] = _replace_field(kind)

    @property
    def columns(self) -> list[forms.BoundField]:
        """Return the choices of the kind's columns."""
        return [self[column.name] for column in self._kind.columns]

    @property
    def named(self) -> forms.BoundField | None:
        """Return the boxes of the columns that hold values, where the file does not name them in a column."""
        name = f"{self._kind.name}s" if issubclass(self._kind, NamedValues) else ""
        return self[name] if name in self.fields else None

    @property
    def help(self) -> str:
        """Say which columns are read."""
        if self.named is not None or not issubclass(self._kind, NamedValues):
            return _("Columns that are not chosen are left out.")
        sentence = _("The file has the columns %(name)s and value, so every %(noun)s in it is read.")
        return sentence % {"name": self._kind.name, "noun": self._kind.noun}

    def document(self) -> dict[str, Any]:
        """Return the choice as a mapping, from valid data."""
        chosen = self.chosen()
        document: dict[str, Any] = {"columns": {ours: theirs for ours, theirs in chosen.theirs.items() if theirs}}
        if issubclass(self._kind, NamedValues):
            if self.named is None:
                document["columns"] |= {self._kind.name: self._kind.name, "value": "value"}
            else:
                document["wide"] = {"of": self._kind.name, "value": list(chosen.named)}
        return {**document, **({"quoting": chosen.quoting} if chosen.quoting else {})}

    def clean(self) -> dict[str, Any]:
        """Refuse one column for two things, and a file without values."""
        given = self.cleaned_data
        chosen: dict[str, str] = {}
        for field in self.columns:
            column = given.get(field.name)
            if column and chosen.setdefault(column, str(field.label)) != field.label:
                sentence = _("This column is chosen for “%(label)s” already. Choose another column.")
                self.add_error(field.name, sentence % {"label": chosen[column]})
        if self.named is not None and not given.get(self.named.name):
            self.add_error(self.named.name, _("Tick at least one column."))
        return given

    def chosen(self) -> Columns:
        """Return the choice, from valid data."""
        given = self.cleaned_data
        theirs = {column.name: given[column.name] for column in self._kind.columns}
        return Columns(theirs, tuple(given[self.named.name]) if self.named is not None else (), given["quoting"])


class ValuesText(MappingText):
    """A mapping of values as text, and the choice to replace or keep stored values."""

    def __init__(self, *args: Any, kind: type[Upload[Any, Any]], **kwargs: Any) -> None:
        super().__init__(*args, declared=kind.mapped_table(), **kwargs)
        if issubclass(kind, NamedValues):
            self.fields["replace"] = _replace_field(kind)


def _replace_field(kind: type[NamedValues[Any]]) -> forms.BooleanField:
    return forms.BooleanField(
        required=False,
        label=_("Replace all values that the study has of these %(nouns)s") % {"nouns": kind.nouns},
        help_text=_("Otherwise the file adds to them, and a value that is already stored is refused."),
    )


def _holds_values(kind: type[NamedValues[Any]], looked: Peek, name: str) -> bool:
    """Return whether the first cells of a column are numbers as those of a kind."""
    index = looked.columns.index(name)
    cells = [row[index].strip() for row in looked.rows if index < len(row) and row[index].strip()]
    try:
        return kind.looks_like_values([float(cell) for cell in cells])
    except ValueError:
        return False


class UploadPages(TablePages[ColumnsForm | ValuesText]):
    """The pages of a kind of table with columns that are named by choices."""

    kind: ClassVar[type[Upload[Any, Any]]]
    file_label: ClassVar[Promise]
    deletes: ClassVar[str]  # the field that names what to delete
    nothing_to_delete: ClassVar[Promise]

    def upload_form(self, *given: Any) -> UploadForm:
        help_text = gettext_lazy(
            "CSV, TSV, JSON, JSON Lines or a workbook (.xlsx, .ods); text files may be gzipped (.csv.gz). Nothing is "
            "stored yet."
        )
        return UploadForm(*given, label=self.file_label, help_text=help_text)

    def beside_upload(self) -> Mapping[str, Any]:
        stored = self.stored_values()
        return {
            "why_not": self.kind.refusal(self.study),
            "stored": stored,
            "deletable": self.deletable(stored),
            "deletes": self.deletes,
        }

    @abstractmethod
    def stored_values(self) -> Sequence[Any]:
        """Return the stored rows, for a table."""

    def deletable(self, stored: Sequence[Any]) -> list[tuple[str, str]]:
        """Return the rows that can be deleted, as choices: value and label."""
        names = [row[self.deletes] for row in stored]
        return [(name, name) for name in dict.fromkeys(names)]

    @abstractmethod
    def deleted(self, n: int, name: str) -> str:
        """Return the deletion in words."""

    def columns_form(self) -> ColumnsForm | ValuesText:
        if self.request.POST.get("mode") == "text":
            return ValuesText(self.request.POST, kind=self.kind)
        return ColumnsForm(self.request.POST if self.action else None, kind=self.kind, looked=self.peek)

    def show(self, form: forms.Form, *, status: int = 200, **more: Any) -> HttpResponse:
        mode = "text" if isinstance(form, ValuesText) else "columns"
        return super().show(form, status=status, mode=mode, **more)

    def read(self, form: ColumnsForm | ValuesText) -> Peek | None:
        try:
            mapping = self._mapping(form)
        except StudyFileError:
            return None  # the refusal says what is wrong with the mapping
        return preview(self.file, mapping, partial(MappedValues, self.kind.mapped_table(), mapping))

    def _mapping(self, form: ColumnsForm | ValuesText) -> ColumnMapping:
        if isinstance(form, ValuesText):
            return form.mapping()
        return from_document(_("mapping"), form.document(), self.kind.mapped_table())

    def do(self, form: ColumnsForm | ValuesText) -> HttpResponse:
        if self.action == "text" and isinstance(form, ColumnsForm):
            text = as_yaml(form.document())
            return self.show(ValuesText(kind=self.kind, initial={"text": text, **form.cleaned_data}))
        check = self.action != "import"
        by_names = {"columns": form.chosen()} if isinstance(form, ColumnsForm) else {"mapping": form.mapping()}
        uploaded = upload(
            self.kind,
            study=self.study,
            file=self.file,
            by=self.request.user,
            replace=form.cleaned_data.get("replace", False),
            check=check,
            **by_names,
        )
        if check:
            return self.show(form, checked=uploaded, summary=uploaded.summary, read=self.read(form))
        return self.stored(_("Stored: %(summary)s.") % {"summary": uploaded.summary}, uploaded.notes)

    def delete(self) -> HttpResponse:
        """Delete the chosen rows, once that was confirmed."""
        name = self.request.POST.get(self.deletes, "").replace("\x00", "")
        if "sure" not in self.request.POST:
            messages.error(self.request, _("Nothing was deleted. Tick the box to confirm."))
        elif n := delete(self.kind, study=self.study, name=name, by=self.request.user):
            messages.success(self.request, self.deleted(n, name))
        else:
            messages.error(self.request, str(self.nothing_to_delete))
        return redirect(self.location)
