"""The form of a comparison: for each criterion which of two texts is better, and where the study asks, how much."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django import forms
from django.utils.translation import gettext, pgettext
from django.utils.translation import gettext_lazy as _

from tasks_app import languages
from tasks_app.task_types.base import Criterion, Screen, ShownPart
from tasks_app.task_types.grid import Cell
from tasks_app.task_types.text_pairs import pick_field

# What is posted where neither text is chosen; also the label that is stored.
TIE, BOTH_BAD = "tie", "both_bad"

# What is posted where a text is chosen: its position on the screen.
SIDES = ("1", "2")

STRENGTH = "strength-"

# What is posted for how much better; also the value that is stored.
SLIGHTLY, CLEARLY = "1", "2"


def field_name(criterion: Criterion) -> str:
    """Name the form field of a criterion."""
    return f"better-{criterion.key}"


def strength_of(criterion: str) -> str:
    """Return the key of the criterion that asks how much better a text is by another one."""
    return f"{STRENGTH}{criterion}"


def strengths(params: Mapping[str, object]) -> list[str]:
    """Return the keys of the criteria for which it is asked how much better a text is."""
    return str(params["strength"]).split()


def options(params: Mapping[str, object]) -> dict[str, str]:
    """Return the answers that may be chosen, by what is posted, in the order of the screen."""
    words = {position: gettext("Text %(letter)s") % {"letter": "AB"[int(position) - 1]} for position in SIDES}
    if params["ties"]:
        words[TIE] = gettext("No difference")
    if params["both_bad"]:
        words[BOTH_BAD] = gettext("Both are bad")
    return words


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
        """What to do where no answer is chosen."""
        return str(self.better.field.field.error_messages["required"])

    @property
    def errors(self) -> list[str]:
        """What is wrong with either answer."""
        cells = [self.better] if self.strength is None else [self.better, self.strength]
        return [str(error) for cell in cells for error in cell.field.errors]


class PairwiseForm(forms.Form):
    """The form of a screen: one choice a criterion, and where a text is better, how much."""

    screen: Screen
    criteria: tuple[Criterion, ...]

    def rows(self) -> list[Row]:
        """The two texts, for the template."""
        return [Row(shown) for shown in self.screen.shown_parts]

    def questions(self) -> list[Question]:
        """The criteria with their fields, for the template."""
        brought = {one.key: one for one in self.screen.criteria}
        questions = []
        for criterion in self.criteria:
            name = strength_of(criterion.key)
            strength = Cell(brought[name], self[name]) if name in self.fields else None
            questions.append(Question(Cell(criterion, self[field_name(criterion)]), strength))
        return questions

    def clean(self) -> dict[str, object]:
        """Ask how much better where a text is, and drop the answer to that where none is."""
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


def form_of(
    screen: Screen,
    asked: tuple[Criterion, ...],
    data: Mapping[str, str] | None,
    initial: Mapping[str, object] | None,
) -> PairwiseForm:
    """Return the form of a screen; `asked` are the criteria of the study in the order of the screen."""
    form = PairwiseForm(data, initial=dict(initial or {}))
    form.screen = screen
    form.criteria = tuple(_worded(criterion) for criterion in asked)
    brought = {one.key: one for one in screen.criteria}
    for criterion in form.criteria:
        about = {"criterion": criterion.name}
        missing = gettext("“%(criterion)s”: choose an answer.") % about
        form.fields[field_name(criterion)] = pick_field(criterion.question, options(screen.params), missing)
        if criterion.key in strengths(screen.params):
            strength = brought[strength_of(criterion.key)]
            missing = gettext("“%(criterion)s”: say how much better.") % about
            form.fields[strength.key] = _strength_field(strength, missing)
    return form


def _worded(criterion: Criterion) -> Criterion:
    """Return a criterion with a question that favours no side, where the study words none."""
    if criterion.question:
        return criterion
    with languages.speaking(criterion.language) as spoken:
        question = gettext("%(criterion)s: which text is better?") % {"criterion": criterion.name}
    return replace(criterion, question=question, language=spoken)


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
