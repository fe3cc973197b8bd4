"""Magnitude estimation: a number in relation to a reference that has one, such as 100 (RankME)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import TextField, choice_field, line_field, naming, whole_field
from tasks_app.task_types import blocks
from tasks_app.task_types.base import (
    Act,
    AnsweredQuestion,
    Criterion,
    GoldAnswer,
    Graded,
    Instruction,
    ItemTexts,
    Media,
    Outcome,
    Parameters,
    Quality,
    Sample,
    Scale,
    Screen,
    ShownPart,
    UnitDraft,
    Value,
)
from tasks_app.task_types.data import all_of_a_set
from tasks_app.task_types.grid import Row, TextsForm, field_name
from tasks_app.task_types.highlights import Highlight
from tasks_app.task_types.instructed import check_text, in_lines, number_of
from tasks_app.task_types.list_fields import EntriesField
from tasks_app.task_types.magnitude import tick_boxes
from tasks_app.task_types.magnitude.numbers import LEAST, MOST, SENTENCES, WholeNumberField
from tasks_app.task_types.registry import register
from tasks_app.task_types.simulation import latent_quality, share_of
from tasks_app.task_types.texts import SeveralTexts
from tasks_app.task_types.written import written
from tasks_app.texts.plaintext import validate_storable


@dataclass(frozen=True, slots=True)
class Reference:
    """The text that others are compared with, and its number."""

    text: str
    language: str
    worth: int
    highlights: tuple[Highlight, ...] = ()
    file: Media | None = None

    @property
    def content(self) -> str:
        """The mark that tells this text from the others: its words, or the hash of its file."""
        return self.text if self.file is None else self.file.name


class MagnitudeForm(TextsForm):
    """The form of a screen; `screen` holds the texts to be judged, without the reference."""

    kind: Magnitude
    reference: Reference

    def make_fields(self) -> Iterator[tuple[str, forms.Field]]:
        """Yield a field for every text to be judged and criterion."""
        self.reference = self.kind.reference_of(self.screen)
        self.screen = self.kind.judged(self.screen)
        self.criteria = self.kind.asked(self.screen.shown_criteria)
        self.ticks = self.kind.ticked_on(self.screen)
        several = len(self.screen.parts) > 1
        for shown in self.screen.shown_parts:
            if self.ticks is not None:
                yield from tick_boxes.fields(self.kind.options, shown, self.ticks)
            for criterion in self.criteria:
                about = _about(shown if several else None, criterion)
                yield (
                    field_name(shown.position, criterion.key),
                    WholeNumberField(
                        about=about,
                        missing=gettext("%(about)s: give a number.") % {"about": about},
                        label=criterion.wording,
                    ),
                )

    def clean(self) -> dict[str, object]:
        """Refuse a text with nothing ticked, and ticks that contradict each other."""
        cleaned = super().clean() or self.cleaned_data
        for shown in self.screen.shown_parts if self.ticks is not None else ():
            chosen = tick_boxes.ticked(self.kind.options, shown.position, cleaned)
            if (sentence := tick_boxes.problem(chosen, self._about_ticks(shown))) is not None:
                self.add_error(tick_boxes.field_of(shown.position, 1), sentence)
        return cleaned

    def rows(self) -> list[Row]:
        """Return the texts with their ticks and their numbers, for the template."""
        rows = super().rows()
        if self.ticks is None:
            return rows
        return [replace(row, cells=(self._ticks_of(row.shown, self.ticks), *row.cells)) for row in rows]

    def _ticks_of(self, shown: ShownPart, criterion: Criterion) -> tick_boxes.TickCell:
        return tick_boxes.cell_of(self, self.kind.options, shown, criterion, self._about_ticks(shown))

    def _about_ticks(self, shown: ShownPart) -> str:
        if self.ticks is None:
            return ""
        return _about(shown if len(self.screen.parts) > 1 else None, self.ticks)

    def sentences(self) -> list[tuple[str, str]]:
        """Return the faults of a number in words, for the page's script, which puts the question's name into them."""
        return [(reason, str(sentence) % {"about": "{about}"}) for reason, sentence in SENTENCES.items()]


def _about(shown: ShownPart | None, criterion: Criterion) -> str:
    """Name a question at the beginning of a sentence, with the text that it is about where there are several."""
    if shown is None:
        return gettext("“%(question)s”") % {"question": criterion.quoted}
    return gettext("%(name)s, “%(question)s”") % {"name": shown.name, "question": criterion.quoted}


# To a simulated rater, the best text is this many times as good as the middling one.
SPREAD = 4


@register
class Magnitude(SeveralTexts):
    """A number for each text and criterion, in relation to a reference and to the other texts on the screen.

    Where a system's output is the reference, it is the last canonical part of every unit: arrangements leave it out,
    so that it is shown but never judged.
    """

    label = _("Magnitude estimation (RankME)")
    purpose = _("Give texts numbers in relation to a reference text")
    summary = _("A reference text counts as a number, such as 100. Raters give each text a number in relation to it.")
    source = (
        "Novikova, Dušek and Rieser (2018). RankME: Reliable Human Ratings for Natural Language Generation. NAACL. "
        "Bard, Robertson and Sorace (1996). Magnitude estimation of linguistic acceptability. Language 72. "
        "Siddharthan and Katsos (2012). Offline sentence processing measures for testing readability with users. PITR."
    )
    use_when = _(
        "You want to know how much better one system is than another, and texts differ more than the few steps of a "
        "scale can say. Texts of one item are seen together, which makes raters agree better."
    )
    analysed = _(
        "On logarithms: geometric means and ratios of systems with intervals, agreement as intraclass correlation, and "
        "a ranking by TrueSkill."
    )
    limits = _(
        "Raters need practice with ratios. Some give everything the number of the reference. Judge criteria one at a "
        "time where they should not colour each other."
    )
    outcomes = (
        Outcome("magnitude", Scale.RATIO, per="criterion", doc=_("Whole number from 1 to 999999; see the reference.")),
        tick_boxes.TICK,
    )
    default_instructions = _(
        "At the top of the page stands a **reference**: a text and its number. Give each of the other texts a number "
        "that says how it compares with the reference.\n\n"
        "**Think in ratios.** Say the reference has 100. A text that is twice as good gets 200. A text that is half as "
        "good gets 50. A text that is a tenth better gets 110. A text that is just as good gets 100.\n\n"
        "Where you see several texts, compare them with each other too: a text that is three times as good as another "
        "gets three times its number.\n\n"
        "Use any whole number from 1. There is no highest mark, and there are no right or wrong answers: we want to "
        "know how you see it."
    )
    acts = frozenset({Act.COMPARE, Act.NUMBER})
    side_by_side = True
    judges_files = True
    has_styles = True
    begins_with = Sample(
        criteria=(
            Criterion(
                "informativeness",
                "Informativeness",
                definition="An informative text gives everything that it was meant to say.",
                question="How informative or uninformative is the text, compared with the reference?",
            ),
            Criterion(
                "naturalness",
                "Naturalness",
                definition="A natural text could have been written by a person who knows the language well.",
                question="How natural or unnatural is the text, compared with the reference?",
            ),
        ),
    )
    sample = Sample(params={"reference_text": "No trains to Lisbon today. Take bus."})

    Form = MagnitudeForm

    layout = choice_field(
        _("Texts on a screen"),
        (
            ("rankme", _("RankME: all texts of an item side by side")),
            ("plain", _("plain: one text against the reference")),
        ),
        initial="rankme",
    )
    texts_a_screen = blocks.texts_field()
    reference_value = whole_field(
        _("What the reference is worth"),
        _("100 is usual: it leaves room below and is easy to halve and to double."),
        within=(LEAST, MOST),
        initial=100,
    )
    reference_system = naming(
        line_field(
            _("System whose text is the reference"),
            _("It is shown but not judged. Leave empty to show each item's own reference."),
            length=200,
        ),
        "systems",
    )
    reference_text = TextField(
        required=False,
        max_length=5000,
        initial="",
        strip=False,
        validators=[validate_storable],
        label=_("One reference for all items"),
        help_text=_("As in RankME. Leave empty for the reference of each item."),
    )

    ticks = EntriesField(
        tick_boxes.TickEntry,
        label=_("Checkboxes for each text"),
        help_text=_("Asked before the numbers, such as whether information is missing or was added."),
    )
    ticks_with = naming(
        line_field(
            _("Show checkboxes with"),
            _("The question beside which they stand. Leave empty to show them on every screen."),
            length=64,
        ),
        "criteria",
    )

    class Settings(Parameters):
        def clean(self) -> dict[str, object]:
            """Refuse two references, and an example answer that is the reference itself."""
            cleaned = super().clean() or self.cleaned_data
            cleaned["reference_text"] = str(cleaned.get("reference_text") or "").strip()
            if cleaned.get("reference_system") and cleaned["reference_text"]:
                self.add_error("reference_text", _("Name a system or give a text, not both."))
            if cleaned.get("show_reference") and not (cleaned.get("reference_system") or cleaned["reference_text"]):
                self.add_error(
                    "show_reference",
                    _(
                        "The reference of the item has the number here and is always shown. Leave this out, or set "
                        "reference_system or reference_text."
                    ),
                )
            if cleaned.get("texts_a_screen") and cleaned.get("layout") == "plain":
                self.add_error("texts_a_screen", _("The plain layout shows one text at a time. Leave this empty."))
            return cleaned

    @property
    def options(self) -> tuple[tick_boxes.Tick, ...]:
        """The ticks that can be set on a text."""
        return tick_boxes.ticks_of(self.ticks)

    def brings(self) -> tuple[Criterion, ...]:
        """Return the criterion of the check boxes, if there are any."""
        return (tick_boxes.criterion_of(),) if self.ticks else ()

    def ticked_on(self, screen: Screen) -> Criterion | None:
        """Return the criterion of the ticks where a screen asks for them, else None."""
        if not self.ticks or (
            self.ticks_with and self.ticks_with not in {criterion.key for criterion in screen.criteria}
        ):
            return None
        return next(
            (criterion for criterion in screen.criteria if criterion.key == tick_boxes.KEY), tick_boxes.criterion_of()
        )

    def problems(self, criteria: Sequence[Criterion]) -> Iterator[str]:
        """Yield a sentence where ticks go with a criterion that there is not, or with nothing to tick."""
        yield from super().problems(criteria)
        keys = [criterion.key for criterion in criteria]
        if self.ticks_with and self.ticks_with not in keys:
            yield f"ticks_with names {self.ticks_with!r}, which is none of the criteria: {', '.join(keys)}."
        if self.ticks_with and not self.ticks:
            yield "ticks_with names a criterion, but ticks is empty: list what can be ticked."

    def outcome_of(self, criterion: Criterion | None) -> Outcome | None:
        """Return the outcome of numbers, or that of check boxes for their criterion where there are any."""
        if not self.ticks and criterion is not None and criterion.key == tick_boxes.KEY:
            return super().outcome_of(None)
        return super().outcome_of(criterion)

    def labels_of(self, criterion: Criterion | None) -> tuple[str, ...] | None:
        """Return the keys of the check boxes for their criterion, else None."""
        is_ticked = bool(self.ticks) and criterion is not None and criterion.key == tick_boxes.KEY
        return tuple(tick.key for tick in self.options) if is_ticked else None

    def labels_alone(self, criterion: Criterion | None) -> frozenset[str]:
        """Return the keys of the ticks that exclude all others."""
        is_ticked = criterion is not None and criterion.key == tick_boxes.KEY
        return frozenset(tick.key for tick in self.options if tick.alone) if is_ticked else frozenset()

    def label_names(self) -> Mapping[str, Mapping[str, str]]:
        """Return the names of the check boxes."""
        return {tick_boxes.KEY: {tick.key: tick.name for tick in self.options}} if self.ticks else {}

    def item_problems(self, item: ItemTexts) -> Iterator[str]:
        """Yield a sentence where the system that is the reference has no single text, or nothing is to be judged."""
        system = self.reference_system
        if not system:
            return
        texts = {output.shown for output in item.outputs if output.system == system}
        if not texts:
            yield gettext("has no text by “%(system)s”, the system that is the reference.") % {"system": system}
        elif len(texts) > 1:
            yield gettext("has several texts by “%(system)s”. The reference must be one.") % {"system": system}
        elif all(output.system == system for output in item.outputs):
            yield gettext("has no text beside the reference, so there is nothing to judge.")

    def missing_for_raters(self, item: ItemTexts) -> Iterator[str]:
        """Yield a sentence where an item has no reference: published ratings often come without the one used."""
        if not self.reference_system and any(output.file is not None for output in item.outputs):
            yield gettext(
                "has pictures, sounds or films, which cannot be held against a text. Name the system whose output is "
                "the reference in reference_system."
            )
        elif not (self.reference_system or self.reference_text or item.reference.strip()):
            yield gettext(
                "has no reference to compare its texts with. Fill in the column “reference”, or set reference_system "
                "or reference_text in the task."
            )

    def instructed(self, criteria: Sequence[Criterion], check: int) -> Instruction:
        """Ask for one number for each criterion; the reference only says that this is a check."""
        number = number_of(check)
        text = in_lines((criterion, number) for criterion in criteria)
        reference = check_text(gettext("Please read the other text."))
        stands = ((self.reference_system, reference),) if self.reference_system else ()
        answers = tuple((criterion.key, "exact", int(number)) for criterion in criteria)
        needs_one = not (self.reference_system or self.reference_text)
        return Instruction((*stands, ("", text)), answers, reference=reference if needs_one else "")

    def units(self, items: Sequence[ItemTexts], rng: Random) -> Iterator[UnitDraft]:
        """Make units of the distinct texts of an item, all or some or one on a screen; the reference comes last."""
        pinned = {item.key: self._pinned(item) for item in items}
        groups = {item.key: self._judged(item, pinned[item.key]) for item in items}
        shown = [item for item in items if groups[item.key] and bool(self.reference_system) == bool(pinned[item.key])]
        last = {key: (outputs,) if outputs else () for key, outputs in pinned.items()}
        if self.layout == "rankme":
            texts = [groups[item.key] for item in shown]
            for key, item, on_screen in blocks.screens_of(shown, texts, self.texts_a_screen, rng):
                yield UnitDraft(key, item.key, (*map(tuple, on_screen), *last[item.key]), item.document)
            return
        for item in shown:
            for group in groups[item.key]:
                first = item.outputs[group[0]]
                yield UnitDraft(f"{item.unit_key}/{first.unit_key}", item.key, (group, *last[item.key]), item.document)

    def _pinned(self, item: ItemTexts) -> tuple[int, ...]:
        """Return the outputs that are the reference, where a system's are."""
        system = self.reference_system
        return tuple(number for number, output in enumerate(item.outputs) if system and output.system == system)

    def _judged(self, item: ItemTexts, pinned: Sequence[int]) -> list[tuple[int, ...]]:
        """Return the distinct texts of an item beside the reference."""
        judged = [tuple(number for number in group if number not in pinned) for group in item.groups]
        return [group for group in judged if group]

    def shown_only(self) -> frozenset[str]:
        """Return the system with the reference text, if one is set."""
        return frozenset(filter(None, [self.reference_system]))

    def arrange(self, n_parts: int, rng: Random) -> Iterator[dict[str, object]]:
        """Put every text to be judged in every place of the screen equally often, by random Latin squares."""
        judged = n_parts - 1 if self.reference_system else n_parts
        return super().arrange(max(1, judged), rng)

    def reference_of(self, screen: Screen) -> Reference:
        """Return the text with which the others are compared."""
        worth = self.reference_value
        if self.reference_system and screen.parts:
            last = screen.parts[-1]
            return Reference(last.text, last.language or screen.language, worth, last.highlights, last.file)
        marked = () if self.reference_text else tuple(screen.highlights.get("reference", ()))
        return Reference(self.reference_text or screen.reference, screen.language, worth, marked)

    def judged(self, screen: Screen) -> Screen:
        """Return the screen without the reference among its parts."""
        return replace(screen, parts=screen.parts[:-1]) if self.reference_system else screen

    def ratings(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[Value]:
        """Yield one number for each text and criterion, on the canonical number of the text."""
        judged = self.judged(screen)
        has_ticks = self.ticked_on(screen) is not None
        for shown in judged.shown_parts:
            chosen = tick_boxes.ticked(self.options, shown.position, cleaned) if has_ticks else ()
            for place, tick in enumerate(chosen, start=1):
                yield Value("tick", part=shown.part.number, criterion=tick_boxes.KEY, number=place, label=tick.key)
            for criterion in self.asked(judged.shown_criteria):
                number = float(str(cleaned[field_name(shown.position, criterion.key)]))
                yield Value("magnitude", part=shown.part.number, criterion=criterion.key, value=number)

    def grade(self, screen: Screen, cleaned: Mapping[str, object], gold: Sequence[GoldAnswer]) -> tuple[Graded, ...]:
        """Compare an answer with known answers; a set of ticks is all that are to be ticked."""
        graded = super().grade(screen, cleaned, gold)
        return tuple(all_of_a_set(answer) if answer.gold.criterion == tick_boxes.KEY else answer for answer in graded)

    def answered_questions(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[AnsweredQuestion]:
        """Yield the number of every text and criterion, on a scale of ratios with the reference on it."""
        judged, worth = self.judged(screen), float(self.reference_value)
        ticked = self.ticked_on(screen)
        for shown in judged.shown_parts:
            if ticked is not None:
                yield tick_boxes.answered_question(self.options, shown, ticked, cleaned)
            for criterion in self.asked(judged.shown_criteria):
                name = field_name(shown.position, criterion.key)
                answer = cleaned.get(name)
                yield AnsweredQuestion(
                    criterion.key,
                    criterion.wording,
                    (name,),
                    criterion.language,
                    shown,
                    reference=worth,
                    given=float(str(answer)) if answer not in (None, "") else None,
                )

    def problem_in_value(self, value: float, criterion: Criterion | None) -> str | None:
        """Refuse a number that is not whole, or not from 1 to 999999."""
        if value.is_integer() and LEAST <= value <= MOST:
            return None
        return gettext("must be a whole number from 1 to 999999; it is %(value)s.") % {"value": written(value)}

    def heds(self, criterion: Criterion | None) -> dict[str, str]:
        """Describe the number, or the check boxes, as an instrument."""
        if criterion is not None and criterion.key == tick_boxes.KEY:
            return tick_boxes.heds(self.options)
        worth = {"worth": self.reference_value}
        return {
            "4.3.3": "999999",
            "4.3.4": gettext("Whole numbers from 1 to 999999; a reference text is worth %(worth)s.") % worth,
            "4.3.5": gettext("other: a field in which a number is typed, with the reference always in view"),
            "4.3.8": "relative quality estimation",
        }

    def simulate(self, screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
        """Answer with the ratio of the latent qualities of text and reference, as far as this rater sees it."""
        reference, answers = self.reference_of(screen), dict[str, str]()
        for shown in self.judged(screen).shown_parts:
            if self.ticked_on(screen) is not None:
                answers |= tick_boxes.simulated(self.options, shown, quality, rng)
            for criterion in self.asked(screen.shown_criteria):
                heeds = quality in {Quality.CAREFUL, Quality.SLOPPY}
                base = latent_quality(reference.content, criterion.key) if heeds else 0.5
                share = share_of(shown.part.content, criterion.key, quality, rng) - base
                number = _rounded(reference.worth * SPREAD ** (2 * share))
                answers[field_name(shown.position, criterion.key)] = str(number)
        return answers


def _rounded(number: float) -> int:
    """Round as people do: above 20, to fives."""
    rounded = round(number) if number < 20 else 5 * round(number / 5)
    return min(MOST, max(LEAST, rounded))
