"""The form of changed copies: systems, kinds, and the words that some kinds need."""

import csv
from collections.abc import Sequence
from io import StringIO
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.models import Setup
from tasks_app.setup.degraded import copies
from tasks_app.setup.degraded.kinds import INSERTION, LABELS, MADE, RENAMING, SAME, SUBSTITUTION
from tasks_app.setup.degraded.same import Given, Pair
from tasks_app.texts.plaintext import problem_in

# Pairs of a list, and characters of all of them; the lines with a problem that a message names.
MOST_PAIRS, LONGEST_LIST, LISTED = 2_000, 200_000, 3

_ONE_KIND = gettext_lazy("Choose one kind of copies or more.")
_NOT_UTF8 = gettext_lazy("This file is not a text file in UTF-8. Save the table as CSV in UTF-8.")


class PairsField(forms.CharField):
    """A list of two columns, with a tab, a semicolon or a comma between: a word or name, and its replacement."""

    widget = forms.Textarea

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, max_length=LONGEST_LIST, strip=True, **options)
        self.widget.attrs["rows"] = 4

    def clean(self, value: Any) -> Any:
        """Return the pairs. Raises ValidationError with the lines that are no pairs."""
        return pairs_of(super().clean(value))


def pairs_of(text: str) -> list[Pair]:
    """Return the pairs of a list. Raises ValidationError for lines without two cells, and for words listed twice."""
    delimiter = next((sign for sign in "\t;" if sign in text), ",")
    pairs: dict[str, str] = {}
    wrong = []
    try:
        for cells in (reader := csv.reader(StringIO(text), delimiter=delimiter, strict=True)):
            words = [cell.strip() for cell in cells]
            if not any(words):
                continue
            if len(words) != 2 or not all(words) or any(map(problem_in, words)) or words[0] in pairs:
                wrong.append(reader.line_num)
            else:
                pairs[words[0]] = words[1]
    except csv.Error as error:
        raise ValidationError(_("This list cannot be read: %(error)s.") % {"error": error}, code="csv") from error
    if wrong:
        sentence = _(
            "Each line has two columns, such as big;large, and no word stands in the first column twice. Wrong: "
            "line %(lines)s."
        )
        lines = ", ".join(map(str, wrong[:LISTED])) + (" …" if len(wrong) > LISTED else "")
        raise ValidationError(sentence % {"lines": lines}, code="pairs")
    if len(pairs) > MOST_PAIRS:
        raise ValidationError(_("A list has at most %(most)d lines.") % {"most": MOST_PAIRS}, code="many")
    return list(pairs.items())


class CopiesForm(forms.Form):
    """The systems with texts to change, the ways to change them, and the words for some of these."""

    kinds = forms.MultipleChoiceField(
        required=False,
        label=gettext_lazy("Kinds that make a text worse"),
        choices=list(LABELS.items()),
        widget=forms.CheckboxSelectMultiple,
    )
    same = forms.MultipleChoiceField(
        required=False,
        label=gettext_lazy("Kinds that keep the meaning"),
        choices=[(kind, SAME[kind]) for kind in MADE],
        widget=forms.CheckboxSelectMultiple,
    )
    names = PairsField(
        label=gettext_lazy("Renaming: names and their other names"),
        help_text=gettext_lazy(
            "One pair a line, such as Ada Holm;Eva Lund. Also list parts that stand alone, such as Holm;Lund. A text "
            "gets no copy if its source, reference or anything else in its row has the name, since the copy would "
            "contradict it."
        ),
    )
    names_file = forms.FileField(
        required=False, allow_empty_file=True, label=gettext_lazy("or a file with these two columns (CSV)")
    )
    inserted = forms.CharField(
        required=False,
        max_length=200,
        label=gettext_lazy("Insertion: words that add nothing"),
        help_text=gettext_lazy("They stand before a sentence, such as “Note:” or “To be precise:”."),
    )
    substitutions = PairsField(
        label=gettext_lazy("Substitution: words and what takes their place"),
        help_text=gettext_lazy(
            "One pair of words or phrases a line, such as big;large. All of them are replaced, as whole words. A "
            "capital at the beginning stays."
        ),
    )
    substitutions_file = forms.FileField(
        required=False, allow_empty_file=True, label=gettext_lazy("or a file with these two columns (CSV)")
    )

    def __init__(
        self,
        data: QueryDict | None = None,
        files: "MultiValueDict[str, UploadedFile[Any]] | None" = None,
        *,
        setup: Setup,
    ) -> None:
        self._unreadable: list[str] = []
        super().__init__(self._with_files(data, files), files)
        systems = [(system.key, system.label) for system in copies.systems_to_degrade(setup)]
        field = forms.MultipleChoiceField(label=_("Systems"), choices=systems, widget=forms.CheckboxSelectMultiple)
        self.fields = {"systems": field, **self.fields}

    def _with_files(
        self, data: QueryDict | None, files: "MultiValueDict[str, UploadedFile[Any]] | None"
    ) -> QueryDict | None:
        """Return the posted fields with the lists of uploaded files in them, so that the page shows the lists."""
        if data is None or not files:
            return data
        data = data.copy()
        for name in ("names", "substitutions"):
            file = files.get(f"{name}_file")
            if file is not None:
                try:
                    data[name] = file.read(4 * LONGEST_LIST).decode("utf-8-sig")
                except UnicodeDecodeError:
                    self._unreadable.append(f"{name}_file")
        return data

    def clean(self) -> dict[str, Any]:
        """Refuse a choice without kinds, files that are no text, and a kind without its words."""
        values = super().clean() or {}
        for name in self._unreadable:
            self.add_error(name, ValidationError(_NOT_UTF8, code="encoding"))
        if not self.errors and not self.chosen:
            raise ValidationError(_ONE_KIND, code="kinds")
        for kind, name in ((RENAMING, "names"), (INSERTION, "inserted"), (SUBSTITUTION, "substitutions")):
            if kind in values.get("same", ()) and name in values and not values[name]:
                self.add_error(name, ValidationError(_("Give the words for this kind of copy."), code="required"))
        return values

    @property
    def chosen(self) -> list[str]:
        """Return the chosen kinds, those that make texts worse first."""
        return [*self.cleaned_data.get("kinds", ()), *self.cleaned_data.get("same", ())]

    @property
    def given(self) -> Given:
        """Return the words for kinds that need some, from valid data."""
        values = self.cleaned_data
        return Given(values["names"], values["inserted"], values["substitutions"])

    @property
    def groups(self) -> Sequence[forms.BoundField]:
        """Return the groups of boxes."""
        return [self["systems"], self["kinds"], self["same"]]

    @property
    def words(self) -> Sequence[forms.BoundField]:
        """Return the fields for words."""
        return [self[name] for name in ("names", "names_file", "inserted", "substitutions", "substitutions_file")]
