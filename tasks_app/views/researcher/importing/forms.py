"""The forms of an import of ratings: the file, its columns one by one, or a mapping as text."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app import importing
from tasks_app.hooks.sections import Json
from tasks_app.importing.columns import TIMES, is_used
from tasks_app.importing.guessing import Peek, guess
from tasks_app.importing.mapping import Declared
from tasks_app.models import Study, Task
from tasks_app.services.imports import mappings
from tasks_app.settings.fields import choice_field
from tasks_app.views.researcher.importing.uploading import QuotingField, UploadForm

# What nearly every file has, in the order in which people look for it.
MAIN = ("rater", "item", "system", "criterion", "value")

# Columns whose value is often the same for a whole file, and then missing from it.
CONSTANT = ("system", "criterion", "purpose", "wave", "group")

FILTERS = (1, 2)

REPEATS = (
    ("refuse", gettext_lazy("is a mistake: store nothing")),
    ("first", gettext_lazy("does not count: keep the first")),
    ("last", gettext_lazy("replaces the first: keep the last")),
    ("keep", gettext_lazy("is another judgment: keep both")),
)


class RatingsUploadForm(UploadForm):
    """A file of ratings, and which mapping reads it."""

    mapping = forms.ChoiceField(
        label=gettext_lazy("Columns"), help_text=gettext_lazy("Nothing is stored yet."), required=False
    )

    def __init__(self, *args: Any, saved: Iterable[str]) -> None:
        help_text = _(
            "CSV, TSV, JSON, JSON Lines or a workbook (.xlsx, .ods); text files may be gzipped (.csv.gz). A file "
            "of 2 MiB or more is read in the background: a page shows how far that is, and you can leave it."
        )
        super().__init__(*args, label=_("File of ratings"), help_text=help_text)
        field = self.fields["mapping"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [
            ("", _("Match them on the next page")),
            *((name, _("As in the saved mapping “%(name)s”") % {"name": name}) for name in saved),
        ]


class MappingForm(forms.Form):
    """The shared fields of both ways to give a mapping."""

    save_as = forms.CharField(
        required=False,
        label=gettext_lazy("Save this mapping as"),
        help_text=gettext_lazy(
            "It is saved together with the ratings, so that you can read the next file in the same way."
        ),
    )

    def clean_save_as(self) -> str:
        """Refuse a name that no mapping can have."""
        name = str(self.cleaned_data["save_as"]).strip()
        if name:
            try:
                mappings.check_name(name)
            except ValueError as error:
                raise ValidationError(str(error), code="name") from None
        return name


class MappingText(forms.Form):
    """A mapping as text, to the columns that are `declared`."""

    text = forms.CharField(
        label=gettext_lazy("Mapping"),
        help_text=gettext_lazy(
            "YAML or JSON: columns, constant, values and where, each as “ours: theirs”, and what a file of another "
            "shape needs, such as paths into cells (annotations[*].score) and columns by a pattern (score_{rater}). "
            "Help → Ratings from elsewhere lists what to write for which file."
        ),
        widget=forms.Textarea(attrs={"rows": 16, "spellcheck": "false", "dir": "ltr"}),
        required=False,
        strip=False,
    )

    def __init__(self, *args: Any, declared: Declared = importing.RATINGS, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.declared = declared

    def mapping(self) -> importing.ColumnMapping:
        """Return the mapping. Raises StudyFileError."""
        text = self.cleaned_data["text"].replace("\r\n", "\n")
        if not text.strip():
            declared = self.declared({}) if callable(self.declared) else self.declared
            return replace(importing.NO_MAPPING, declared=declared)
        return importing.from_yaml(_("mapping"), text, self.declared)


class TextForm(MappingText, MappingForm):
    """A mapping of ratings as text."""

    field_order = ("text", "save_as")


class ColumnsForm(MappingForm):
    """One choice for each of our columns, with guesses by their names."""

    repeats = forms.ChoiceField(choices=REPEATS, label=gettext_lazy("A second rating of the same text by a rater"))
    quoting = QuotingField()

    def __init__(self, *args: Any, study: Study, peek: Peek, header: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        theirs = [("", _("– not in the file –")), *((name, name) for name in (*peek.columns, *peek.paths))]
        guessed = guess(peek.columns)
        self.header = header
        for column in importing.RATINGS.columns:
            if is_used(column.name):
                self.fields[f"column-{column.name}"] = choice_field(
                    column.name, theirs, str(column.doc), initial=guessed.get(column.name, ""), required=False
                )
        self.fields["format"] = forms.CharField(
            required=False,
            label=_("Format of the times"),
            help_text=_(
                "Only if times are not written like 2026-03-31 14:05. Such as %(format)s for 3/31/2026 14:05:00."
            )
            % {"format": "%m/%d/%Y %H:%M:%S"},
        )
        tasks = Task.objects.filter(study=study, until=None).order_by("order")
        self.fields["constant-task"] = forms.ChoiceField(
            choices=[("", "–"), *((task.key, f"{task.key}: {task}" if task.title else task.key) for task in tasks)],
            required=False,
            label=_("task, if the file has no column for it"),
        )
        for name in CONSTANT:
            label = _("%(name)s, if the file has no column for it") % {"name": name}
            self.fields[f"constant-{name}"] = forms.CharField(required=False, label=label)
        for number in FILTERS:
            self.fields[f"where-{number}"] = forms.ChoiceField(
                choices=[("", _("– every row counts –")), *theirs[1:]], required=False, label=_("Only rows in which")
            )
            self.fields[f"word-{number}"] = forms.CharField(required=False, label=_("is"))

    def of(self, names: Iterable[str]) -> list[forms.BoundField]:
        """Return the choices for some of our columns, for the template."""
        return [self[f"column-{name}"] for name in names]

    @property
    def main(self) -> list[forms.BoundField]:
        """The columns that nearly every file has."""
        return self.of(MAIN)

    @property
    def more(self) -> list[forms.BoundField]:
        """The columns that some files have."""
        names = [
            column.name for column in importing.RATINGS.columns if is_used(column.name) and column.name not in MAIN
        ]
        return self.of(names)

    @property
    def constants(self) -> list[forms.BoundField]:
        """The values that are the same for all rows."""
        return [self[f"constant-{name}"] for name in ("task", *CONSTANT)]

    @property
    def filters(self) -> list[tuple[forms.BoundField, forms.BoundField]]:
        """The fields that choose the rows that count."""
        return [(self[f"where-{number}"], self[f"word-{number}"]) for number in FILTERS]

    @property
    def has_more(self) -> bool:
        """Return whether any of the rarer columns is chosen."""
        return any(field.value() for field in (*self.more, self["format"]))

    @property
    def has_constants(self) -> bool:
        """Return whether anything is the same for all rows."""
        return any(field.value() for field in self.constants)

    @property
    def has_filters(self) -> bool:
        """Return whether rows are left out."""
        return any(column.value() for column, _word in self.filters)

    def document(self) -> dict[str, Json]:
        """Return the mapping as data, from valid data or the guesses."""
        values = self.cleaned_data if self.is_bound else {name: field.initial for name, field in self.fields.items()}

        def chosen(prefix: str) -> dict[str, str]:
            return {
                name.removeprefix(prefix): str(value)
                for name, value in values.items()
                if name.startswith(prefix) and value
            }

        columns = chosen("column-")
        filters = {
            values[f"where-{filter_name}"]: values[f"word-{filter_name}"]
            for filter_name in FILTERS
            if values.get(f"where-{filter_name}")
        }
        repeats = values.get("repeats") or "refuse"
        times = {name: values["format"] for name in TIMES if values.get("format") and name in columns}
        return {
            "columns": columns,
            **({"constant": chosen("constant-")} if chosen("constant-") else {}),
            **({"where": filters} if filters else {}),
            **({"repeats": repeats} if repeats != "refuse" else {}),
            **({"format": times} if times else {}),
            **({"quoting": values["quoting"]} if values.get("quoting") else {}),
            **({"header": self.header} if self.header else {}),
        }

    def mapping(self) -> importing.ColumnMapping:
        """Return the mapping. Raises StudyFileError."""
        return importing.from_document(_("mapping"), self.document())


def form_for(study: Study, peek: Peek, mode: str, header: str, *args: Any) -> ColumnsForm | TextForm:
    """Return the form of a way of saying a mapping: text or columns."""
    if mode == "text":
        return TextForm(*args)
    return ColumnsForm(*args, study=study, peek=peek, header=header)
