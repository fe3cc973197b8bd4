"""The form of one row of the texts."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from tasks_app.models import Setup
from tasks_app.setup import media
from tasks_app.setup.tables.layout import use_label
from tasks_app.setup.texts import reads
from tasks_app.studyfile.columns import BETWEEN_FILES, ITEMS, Kind
from tasks_app.studyfile.files.media import ACCEPTED, ROLES, belongs
from tasks_app.studyfile.problems import StudyFileError

# What nearly every row has.
KEYS = ("item", "system")
TEXTS = ("output", "source", "reference")
_FEATURE = "feature_"


def _feature_label(name: str) -> str:
    return _("Feature “%(name)s”") % {"name": name.removeprefix(_FEATURE)}


class RowForm(forms.Form):
    """A row: a field for every column, and for the features that the texts have."""

    def __init__(self, *args: Any, cells: Mapping[str, str], setup: Setup, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._cells = cells
        files = media.files_of(setup)
        for column in ITEMS.columns:
            name = column.name
            choices = [(file.name, file.called) for file in files if name in ACCEPTED and belongs(file.kind, name)]
            if column.kind is Kind.FILE:
                own = cells.get(name, "")
                choices += [(own, own)] if own and own not in dict(choices) else []
                if not choices:
                    continue
                field: forms.Field = forms.ChoiceField(
                    choices=[("", _("– none –")), *choices], required=False, initial=own
                )
            elif name in ROLES:
                initial = [word.strip() for word in cells.get(name, "").split(BETWEEN_FILES) if word.strip()]
                choices += [(word, word) for word in initial if word not in dict(choices)]
                if not choices:
                    continue
                field = forms.MultipleChoiceField(
                    choices=choices, required=False, widget=forms.CheckboxSelectMultiple, initial=initial
                )
            else:
                rows = 5 if name == "output" else 3
                widget = forms.Textarea(attrs={"rows": rows, "dir": "auto"}) if name in TEXTS else forms.TextInput()
                field = forms.CharField(
                    required=name in ("item", "system"), widget=widget, strip=False, initial=cells.get(name, "")
                )
                if name == "system":
                    widget.attrs["list"] = "systems"
            field.label = capfirst(use_label(name))
            field.help_text = str(column.doc)
            self.fields[name] = field
        features = [name for name in reads.columns_of(setup) if name.startswith(_FEATURE)]
        for name in dict.fromkeys([*features, *(name for name in cells if name.startswith(_FEATURE))]):
            self.fields[name] = forms.CharField(
                required=False, initial=cells.get(name, ""), strip=False, label=_feature_label(name)
            )

    @property
    def keys(self) -> list[forms.BoundField]:
        """Return the fields that say which output this is."""
        return [self[name] for name in KEYS]

    @property
    def texts(self) -> list[forms.BoundField]:
        """Return the fields of texts."""
        return [self[name] for name in TEXTS]

    @property
    def more(self) -> list[forms.BoundField]:
        """Return the rarer columns, and features."""
        return [self[name] for name in self.fields if name not in (*KEYS, *TEXTS)]

    @property
    def has_more(self) -> bool:
        """Return whether any of the rarer columns is filled in."""
        return any(field.value() or field.errors for field in self.more)

    def cells(self) -> dict[str, str]:
        """Return the row's cells, from valid data; columns without a field stay as they are."""
        cells = {name: text for name, text in self._cells.items() if name not in self.fields}
        for name, value in self.cleaned_data.items():
            cells[name] = BETWEEN_FILES.join(value) if isinstance(value, list) else value
        return cells

    def refuse(self, error: StudyFileError) -> None:
        """Show problems of the row at the fields that they are about."""
        for problem in error.problems:
            name, _colon, sentence = problem.message.partition(": ")
            if name in self.fields:
                self.add_error(name, sentence)
            else:
                self.add_error(None, problem.message)
