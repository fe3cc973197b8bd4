"""The form of best-worst scaling: for each criterion a choice of the best text and one of the worst, by its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django import forms
from django.utils.translation import gettext

from tasks_app.task_types.base import Criterion, ScreenForm, ShownPart
from tasks_app.texts import languages

if TYPE_CHECKING:
    from tasks_app.task_types.best_worst import BestWorst


def field_name(end: str, criterion: str) -> str:
    """Name the form field of one end (best, worst) and criterion."""
    return f"{end}-{criterion}"


@dataclass(frozen=True, slots=True)
class Choice:
    """One text that can be chosen for one end: the field, its place, and whether it is chosen."""

    field: forms.BoundField
    end: str
    word: str
    language: str
    shown: ShownPart
    checked: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One text on the screen with the ends it can be chosen for."""

    shown: ShownPart
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """One criterion with all texts; `missing` holds the sentence to show while one end, or both, are not chosen."""

    criterion: Criterion
    words: str
    best: forms.BoundField
    worst: forms.BoundField
    rows: tuple[Row, ...]
    missing: Mapping[str, str]

    @property
    def errors(self) -> list[str]:
        """The error messages of both choices."""
        return [str(error) for field in (self.best, self.worst) for error in field.errors]


class TextField(forms.TypedChoiceField):
    """A choice of one of the texts on the screen, by its place; `texts` names them as the screen does."""

    def __init__(self, *, texts: Mapping[str, str], missing: str, label: str) -> None:
        super().__init__(
            choices=list(texts.items()),
            coerce=int,
            empty_value=None,
            widget=forms.RadioSelect,
            label=label,
            error_messages={"required": missing, "invalid_choice": missing},
        )
        self.texts = texts

    def in_words(self, value: object) -> str:
        """Name the text as the screen does."""
        return self.texts.get(str(value), "")


class BestWorstForm(ScreenForm):
    """The form of a screen."""

    kind: BestWorst

    def make_fields(self) -> Iterator[tuple[str, forms.Field]]:
        """Yield a choice of the best and one of the worst for every criterion."""
        screen = self.screen
        own = {"best": self.kind.best_word, "worst": self.kind.worst_word}
        with languages.speaking(screen.language) as spoken:
            ours = {"best": gettext("Best"), "worst": gettext("Worst")}
        self.words = {end: word or ours[end] for end, word in own.items()}
        self.language_of = {end: screen.language if word else spoken for end, word in own.items()}
        texts = {str(shown.position): shown.name for shown in screen.shown_parts}
        for criterion in screen.shown_criteria:
            question = criterion.question or criterion.name
            for end, word in self.words.items():
                yield (
                    field_name(end, criterion.key),
                    TextField(texts=texts, missing=self._missing(criterion, word), label=f"{question} {word}"),
                )

    def clean(self) -> dict[str, object]:
        """Refuse one text for both ends."""
        cleaned = super().clean() or self.cleaned_data
        for criterion in self.screen.shown_criteria:
            best, worst = (cleaned.get(field_name(end, criterion.key)) for end in ("best", "worst"))
            if best is not None and best == worst:
                sentence = (
                    gettext("“%(criterion)s”: make two different choices for “%(best)s” and “%(worst)s”.")
                    if self.screen.shows_files
                    else gettext("“%(criterion)s”: choose two different texts for “%(best)s” and “%(worst)s”.")
                )
                self.add_error(
                    field_name("worst", criterion.key), sentence % {"criterion": criterion.quoted, **self.words}
                )
        return cleaned

    def questions(self) -> list[Question]:
        """Return the criteria with their texts, for the template."""
        return [self._question(criterion) for criterion in self.screen.shown_criteria]

    def _question(self, criterion: Criterion) -> Question:
        fields = {end: self[field_name(end, criterion.key)] for end in self.words}
        rows = tuple(
            Row(
                shown,
                tuple(
                    Choice(
                        field,
                        end,
                        self.words[end],
                        self.language_of[end],
                        shown,
                        str(field.value()) == str(shown.position),
                    )
                    for end, field in fields.items()
                ),
            )
            for shown in self.screen.shown_parts
        )
        both = (
            gettext("“%(criterion)s”: make a choice for “%(best)s” and another for “%(worst)s”.")
            if self.screen.shows_files
            else gettext("“%(criterion)s”: choose a text for “%(best)s” and another for “%(worst)s”.")
        )
        return Question(
            criterion=criterion,
            words=criterion.question or criterion.name,
            best=fields["best"],
            worst=fields["worst"],
            rows=rows,
            missing={
                **{end: self._missing(criterion, word) for end, word in self.words.items()},
                "both": both % {"criterion": criterion.quoted, **self.words},
            },
        )

    def _missing(self, criterion: Criterion, word: str) -> str:
        about = {"criterion": criterion.quoted, "word": word}
        if self.screen.shows_files:
            return gettext("“%(criterion)s”: make a choice for “%(word)s”.") % about
        return gettext("“%(criterion)s”: choose a text for “%(word)s”.") % about
