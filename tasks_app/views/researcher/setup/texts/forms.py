"""The forms of the step “Texts”: a table, its columns, a sample, the names of systems, files."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.importing.guessing import Peek
from tasks_app.models import System
from tasks_app.settings.fields import choice_field, whole_field
from tasks_app.setup.tables.guessed_uses import Guess
from tasks_app.setup.tables.layout import (
    ASKED,
    FEATURE,
    ITEM_KEYS,
    KEEP,
    LEAVE,
    SYSTEM,
    ColumnUse,
    Layout,
    use_label,
    uses,
)
from tasks_app.setup.texts.reads import SystemRow
from tasks_app.setup.texts.samples import SEEDS, Sample
from tasks_app.studyfile.fields import LONGEST_NAME, is_name, not_a_name
from tasks_app.studyfile.problems import shown
from tasks_app.views.researcher.setup.table_form import TableForm


class ColumnsForm(TableForm):
    """One choice for each column of a table of texts, and the sources of its items and systems."""

    about_whole = ("items", "system", "unused", "mode")

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
    mode = forms.ChoiceField(
        required=False,
        choices=(
            ("replace", gettext_lazy("replace the texts of this study")),
            ("add", gettext_lazy("are added to the texts of this study")),
        ),
        label=gettext_lazy("These texts"),
    )

    def __init__(self, *args: Any, peek: Peek, guess: Guess, **kwargs: Any) -> None:
        super().__init__(*args, peek=peek, **kwargs)
        self.guess = guess
        by_column = {use.column: use for use in guess.layout.uses}
        choices = [(use, use_label(use)) for use in uses()]
        to_choose = (ASKED, use_label(ASKED))
        for number, name in enumerate(peek.columns):
            use = by_column.get(name, ColumnUse(name))
            is_asked = ASKED in (use.use, self.data.get(f"use-{number}"))
            self.add_use(number, name, [to_choose, *choices] if is_asked else choices, use.use)
            self.fields[f"name-{number}"] = forms.CharField(
                required=False,
                max_length=100,
                initial=use.called if use.use in (FEATURE, SYSTEM) else "",
                label=_("Name of this feature or system (“%(name)s”)") % {"name": name},
            )
        for field in ("items", "system", "unused", "quoting", "sheet"):
            self.initial.setdefault(field, getattr(guess.layout, field))

    @property
    def questions(self) -> Sequence[str]:
        """Return a sentence for each thing that could not be guessed, as long as it was not said."""
        is_open = any(self[f"use-{number}"].value() == ASKED for number in range(len(self.peek.columns)))
        return self.guess.questions if is_open else ()

    def layout(self) -> Layout:
        """Return the layout of the table, from valid data."""
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
        """Refuse uses and settings that contradict each other."""
        values = super().clean() or {}
        if not self.errors:
            faults = [ValidationError(sentence, code="layout") for sentence in self.layout().faults()]
            if faults:
                raise ValidationError(faults)
        return values

    def clean_system(self) -> str:
        """Refuse a name of which no key can be made."""
        name = str(self.cleaned_data["system"]).strip()
        if name and not is_name(name):
            raise ValidationError(not_a_name % {"most": LONGEST_NAME, "value": shown(name)}, code="key")
        return name


class SampleForm(forms.Form):
    """The settings of a sample."""

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
    seed = whole_field(
        gettext_lazy("Seed"),
        gettext_lazy("Drawn for you if you leave it empty. The same seed gives the same sample."),
        within=(0, SEEDS - 1),
    )

    def __init__(self, *args: Any, strata: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        by = self.fields["by"]
        assert isinstance(by, forms.ChoiceField)
        by.choices = list(strata)

    def sample(self) -> Sample:
        """Return the sample to draw, from valid data."""
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
            self.fields[f"kind-{system.key}"] = choice_field(
                _("Kind of %(key)s") % {"key": system.key}, System.Kind.choices, initial=system.kind
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
        return [super(FilesField, self).clean(file, initial) for file in (data or [None])]


class MediaForm(forms.Form):
    """Pictures, sounds and videos."""

    uploads = FilesField(
        label=gettext_lazy("Pictures, sounds and videos"),
        help_text=gettext_lazy(
            "PNG, JPEG, WebP, GIF; MP3, M4A, WAV, Ogg, FLAC; MP4, WebM; captions as VTT. You can choose several at "
            "once."
        ),
        allow_empty_file=True,
    )
