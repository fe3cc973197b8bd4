"""Check boxes about each text, before it gets a number, such as whether information is missing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import YesNoField
from tasks_app.task_types.base import AnsweredOption, AnsweredQuestion, Criterion, Outcome, Quality, Scale, ShownPart
from tasks_app.task_types.grid import Cell
from tasks_app.task_types.list_fields import TICKED, Entry, LabelField, LineField, TickField, digit
from tasks_app.task_types.simulation import share_of

# The criterion that the type brings along where something is to be ticked.
KEY = "ticks"

TICK = Outcome(
    "tick",
    Scale.NOMINAL,
    per="criterion",
    column="label",
    criterion=KEY,
    several=True,
    doc=_("Key of each option that was ticked about a text."),
)


class TickEntry(Entry):
    """One option."""

    key = LabelField(label=_("What is stored"))
    name = LineField(max_length=100, label=_("Words"))
    alone = YesNoField(
        label=_("Cannot be combined"), help_text=_("Raters cannot tick this option together with another one.")
    )


@dataclass(frozen=True, slots=True)
class Tick:
    """One option: the stored key, its words, and whether it rules out the others."""

    key: str
    name: str
    alone: bool


def ticks_of(entries: Sequence[TickEntry]) -> tuple[Tick, ...]:
    """Return the options in their order."""
    return tuple(Tick(entry.key, entry.name, entry.alone) for entry in entries)


def field_of(position: int, number: int) -> str:
    """Name the form field of an option, by the place of the text on the screen and of the option, both from 1."""
    return f"p{position}-tick{number}"


def criterion_of() -> Criterion:
    """Return the criterion that ratings of ticks answer, as long as the study does not word it itself."""
    return Criterion(KEY, gettext("What applies"), question=gettext("What applies to the text?"), kind="question")


def heds(ticks: Sequence[Tick]) -> dict[str, str]:
    """Answer the questions of the HEDS 2.0 datasheet about the ticks."""
    return {
        "4.3.3": str(len(ticks)),
        "4.3.4": ", ".join(tick.name for tick in ticks),
        "4.3.5": "check-boxes",
        "4.3.8": "classification or labelling",
    }


def simulated(ticks: Sequence[Tick], shown: ShownPart, quality: Quality, rng: Random) -> dict[str, str]:
    """Tick one option by the latent quality of the text: the better it is, the later in the list."""
    share = share_of(shown.part.content, KEY, quality, rng)
    return {field_of(shown.position, 1 + min(len(ticks) - 1, int(share * len(ticks)))): TICKED}


def answered_question(
    ticks: Sequence[Tick], shown: ShownPart, criterion: Criterion, cleaned: Mapping[str, object]
) -> AnsweredQuestion:
    """Return the options of a text with those that an answer ticked."""
    chosen = ticked(ticks, shown.position, cleaned)
    return AnsweredQuestion(
        KEY,
        criterion.wording,
        tuple(field_of(shown.position, number) for number in range(1, len(ticks) + 1)),
        criterion.language,
        shown,
        options=tuple(AnsweredOption(tick.name, tick.key, tick in chosen, criterion.language) for tick in ticks),
        unnamed=False,
    )


@dataclass(frozen=True, slots=True)
class Box:
    """One option on the screen."""

    name: str
    id: str
    words: str
    checked: bool
    digit: str
    alone: bool


@dataclass(frozen=True, slots=True)
class TickCell(Cell):
    """The options of one text on the screen, in the place of a cell of the matrix."""

    template: str = "task_types/magnitude/ticks.html"
    boxes: tuple[Box, ...] = ()
    errors: tuple[str, ...] = ()
    missing: str = ""
    value: str = TICKED


def fields(ticks: Sequence[Tick], shown: ShownPart, criterion: Criterion) -> Iterator[tuple[str, forms.Field]]:
    """Yield a field for every option of a text."""
    for number, _tick in enumerate(ticks, start=1):
        yield field_of(shown.position, number), TickField(label=criterion.wording)


def ticked(ticks: Sequence[Tick], position: int, cleaned: Mapping[str, object]) -> tuple[Tick, ...]:
    """Return the options that an answer ticks for the text in a place."""
    return tuple(tick for number, tick in enumerate(ticks, start=1) if cleaned.get(field_of(position, number)))


def problem(chosen: Sequence[Tick], about: str) -> str | None:
    """Say that nothing is ticked, or that the ticks contradict each other; None where neither is so."""
    if not chosen:
        return gettext("%(about)s: tick at least one.") % {"about": about}
    alone = next((tick for tick in chosen if tick.alone), None)
    if alone is None or len(chosen) == 1:
        return None
    other = next(tick for tick in chosen if tick is not alone)
    names = {"about": about, "alone": alone.name, "other": other.name}
    return gettext("%(about)s: “%(alone)s” and “%(other)s” contradict each other.") % names


def cell_of(form: forms.Form, ticks: Sequence[Tick], shown: ShownPart, criterion: Criterion, about: str) -> TickCell:
    """Return the options of a text, for the template."""
    bound = [form[field_of(shown.position, number)] for number in range(1, len(ticks) + 1)]
    return TickCell(
        criterion=criterion,
        field=bound[0],
        boxes=tuple(
            Box(field.html_name, field.auto_id, tick.name, field.value() in (TICKED, True), digit(number), tick.alone)
            for number, (field, tick) in enumerate(zip(bound, ticks, strict=True), start=1)
        ),
        errors=tuple(str(error) for error in form.errors.get(bound[0].name, ())) if form.is_bound else (),
        missing=gettext("%(about)s: tick at least one.") % {"about": about},
        question_id=f"{form[field_of(1, 1)].auto_id}-asked",
    )
