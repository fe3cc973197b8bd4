"""Screens without a study, for the patterns page, the catalogue and anybody who looks at a type."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random

from django.utils.translation import gettext_lazy as _

from tasks_app.task_types.base import Criterion, ItemTexts, OutputText, Part, Screen, TaskType, UnitDraft

SEED = 7

SOURCE = "Der Zug nach Lissabon fährt heute nicht. Reisende können den Bus nehmen."

# Texts to be judged: Latin, right to left, and one script without spaces between words.
TEXTS: Mapping[str, tuple[str, ...]] = {
    "en": (
        "The train to Lisbon is not running today.\nTravellers can take the bus.",
        "Today no train goes to Lisbon; who travels may take the bus instead.",
        "The train of Lisbon drives today not. Travelling can take the bus.",
        "There are no trains to Lisbon today, but there is a bus.",
        "Today the bus to Lisbon is cancelled. Passengers should take the train.",
        "No train to Lisbon today.",
    ),
    "ar": (
        "القطار إلى لشبونة لا يعمل اليوم. يمكن للمسافرين ركوب الحافلة (رقم 12).",
        "لا قطار اليوم إلى لشبونة.",
        "لا يسير القطار إلى لشبونة اليوم، ويمكن أخذ الحافلة.",
        "اليوم لا قطارات إلى لشبونة، لكن هناك حافلة.",
        "الحافلة إلى لشبونة ملغاة اليوم.",
        "لا قطار إلى لشبونة.",
    ),
    "ja": (
        "本日、リスボン行きの列車は運休です。バスをご利用ください。🚌",
        "今日はリスボンへの電車がありません。",
        "リスボン行きの電車は今日走りません。旅行者はバスに乗ることができます。",
        "今日はリスボン行きの列車はありませんが、バスがあります。",
        "今日はリスボン行きのバスが運休です。",
        "リスボン行き運休。",
    ),
}

CRITERIA = (
    Criterion(
        "fluency",
        "Fluency",
        definition="Whether the text reads as if a practised writer had written it.",
        question="How well does the text read?",
        low="Very badly",
        high="Very well",
    ),
    Criterion("adequacy", "Adequacy", question="How much of the meaning is kept?", low="Nothing", high="Everything"),
)

# Stands in for a rater's personal text where people only try the study out.
PERSONAL_TEXT = _("This is a placeholder. Each rater reads the text that was written for them here.")

# Number of items, and of texts of each: just enough for a type to have something to show.
AMOUNTS = ((1, 2), (1, 3), (1, 4), (1, 5), (3, 2), (2, 3))


def sample_kind(member: type[TaskType], given: Mapping[str, object] | None = None) -> TaskType:
    """Return a type with the parameters of its sample, a few of them changed."""
    return member({**member.sample.params, **(given or {})})


def sample_criteria(kind: TaskType) -> tuple[Criterion, ...]:
    """Return the criteria of a type's sample: its own or ordinary ones, and those that the type brings along."""
    most = kind.criteria_needed[1]
    criteria = kind.sample.criteria or CRITERIA[: len(CRITERIA) if most is None else most]
    # They are in English, on whatever page they are shown.
    return tuple(replace(criterion, language=criterion.language or "en") for criterion in criteria) + kind.brings()


def sample_screen(kind: TaskType, language: str = "en") -> Screen:
    """Make a screen of a type the way a study would: items into units, a unit into parts, an arrangement drawn."""
    rng = Random(SEED)  # noqa: S311  an example, not a secret
    items, unit = _first_unit(kind, TEXTS[language], rng)
    criteria = sample_criteria(kind)
    parts = tuple(_parts(items, unit, language)) if unit is not None else ()
    drawn = next(kind.arrange(max(1, len(parts)), rng))
    return Screen(
        kind=kind,
        parts=parts,
        criteria=criteria,
        source=SOURCE if kind.needs_items else "",
        source_language="de",
        language="en",
        options=kind.sample.options,
        arrangement={**drawn, **kind.arrange_for_rater(criteria, rng)},
    )


def _first_unit(kind: TaskType, texts: Sequence[str], rng: Random) -> tuple[dict[str, ItemTexts], UnitDraft | None]:
    """Return the first unit that a type makes, from as few texts as possible."""
    for n_items, n_texts in AMOUNTS:
        items = {f"item-{number}": _item(kind, number, n_texts, texts) for number in range(n_items)}
        unit = next(iter(kind.units(list(items.values()), rng)), None)
        if unit is not None:
            return items, unit
    return {}, None


def _item(kind: TaskType, number: int, n_texts: int, texts: Sequence[str]) -> ItemTexts:
    shown = texts[number * n_texts : (number + 1) * n_texts]
    outputs = [OutputText(system=str(place), variant="", text=text) for place, text in enumerate(shown)]
    source = SOURCE if kind.needs_items else ""
    return ItemTexts.collapsed(f"item-{number}", outputs, options=kind.sample.options, source=source)


def _parts(items: Mapping[str, ItemTexts], unit: UnitDraft, language: str) -> Iterator[Part]:
    for number, group in enumerate(unit.parts):
        output = items[unit.item_of(number) or ""].outputs[group[0]]
        yield Part(number, output.text, language)
