"""The form of a comparison: for each criterion the better text, and its margin where the study asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django import forms
from django.utils.translation import gettext, pgettext
from django.utils.translation import gettext_lazy as _

from tasks_app.task_types.base import Criterion, Screen, ScreenForm, ShownPart
from tasks_app.task_types.grid import Cell
from tasks_app.task_types.text_pairs import pick_field
from tasks_app.texts import languages

if TYPE_CHECKING:
    from tasks_app.task_types.pairwise import Pairwise

# Posted values if neither text is chosen; they are also the stored labels.
TIE, BOTH_BAD = "tie", "both_bad"

# Posted values if a text is chosen: its position on the screen.
SIDES = ("1", "2")

STRENGTH = "strength-"

# Posted values for how much better a text is; they are also the stored values.
SLIGHTLY, CLEARLY = "1", "2"


def field_name(criterion: Criterion) -> str:
    """Name the form field of a criterion."""
    return f"better-{criterion.key}"


def strength_of(criterion: str) -> str:
    """Return the key of the criterion that asks how much better a text is by another one."""
    return f"{STRENGTH}{criterion}"


@dataclass(frozen=True, slots=True)
class Row:
    """A text on the screen, for the template."""

    shown: ShownPart


@dataclass(frozen=True, slots=True)
class Question:
    """A criterion with its answers; `strength` is the question how much better, None where it is not asked."""

    better: Cell
    strength: Cell | None

    @property
    def missing(self) -> str:
        """The message while no answer is chosen."""
        return str(self.better.field.field.error_messages["required"])

    @property
    def errors(self) -> list[str]:
        """The error messages of both answers."""
        cells = [self.better] if self.strength is None else [self.better, self.strength]
        return [str(error) for cell in cells for error in cell.field.errors]


class PairwiseForm(ScreenForm):
    """The form of a screen: one choice a criterion, and the margin of the better text."""

    kind: Pairwise
    # The criteria of the study in the order of the screen.
    criteria: tuple[Criterion, ...]

    def make_fields(self) -> Iterator[tuple[str, forms.Field]]:
        """Yield a choice for every criterion, and one of how much better where the study asks it."""
        screen = self.screen
        self.criteria = tuple(_worded(criterion, screen) for criterion in self.kind.asked(screen.shown_criteria))
        brought = {criterion.key: criterion for criterion in screen.criteria}
        for criterion in self.criteria:
            about = {"criterion": criterion.quoted}
            missing = gettext("“%(criterion)s”: choose an answer.") % about
            yield field_name(criterion), pick_field(criterion.question, self.kind.options(screen.output_kind), missing)
            if criterion.key in self.kind.strengths:
                strength = brought[strength_of(criterion.key)]
                missing = gettext("“%(criterion)s”: say how much better.") % about
                yield strength.key, _strength_field(strength, missing)

    def rows(self) -> list[Row]:
        """Return the two texts, for the template."""
        return [Row(shown) for shown in self.screen.shown_parts]

    def questions(self) -> list[Question]:
        """Return the criteria with their fields, for the template."""
        brought = {criterion.key: criterion for criterion in self.screen.criteria}
        questions = []
        for criterion in self.criteria:
            name = strength_of(criterion.key)
            strength = Cell(brought[name], self[name]) if name in self.fields else None
            questions.append(Question(Cell(criterion, self[field_name(criterion)]), strength))
        return questions

    def clean(self) -> dict[str, object]:
        """Require how much better a text is where one was chosen, and drop that answer where none was."""
        cleaned: dict[str, object] = super().clean() or self.cleaned_data
        for criterion in self.criteria:
            name = strength_of(criterion.key)
            if name not in self.fields or name in self.errors:
                continue
            if cleaned.get(field_name(criterion)) not in SIDES:
                cleaned[name] = ""
            elif not cleaned.get(name):
                self.add_error(name, self.fields[name].error_messages["missing"])
        return cleaned


def _worded(criterion: Criterion, screen: Screen) -> Criterion:
    """Return a criterion with a question that favours no side, where the study words none."""
    if criterion.question:
        return criterion
    with languages.speaking(criterion.language) as spoken:
        words = (
            gettext("%(criterion)s: which is better?")
            if screen.shows_files
            else gettext("%(criterion)s: which text is better?")
        )
    return replace(criterion, question=words % {"criterion": criterion.name}, language=spoken)


def _strength_field(criterion: Criterion, missing: str) -> forms.ChoiceField:
    slightly, clearly = criterion.labels if len(criterion.labels) == 2 else (criterion.low, criterion.high)
    words = {
        SLIGHTLY: slightly or pgettext("how much better", "Slightly better"),
        CLEARLY: clearly or pgettext("how much better", "Clearly better"),
    }
    field = pick_field(criterion.question or criterion.name, words, missing)
    field.required = False
    field.error_messages |= {"missing": missing, "invalid_choice": _("Choose one of the answers shown.")}
    return field
