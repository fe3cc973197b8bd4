"""The pairwise comparison: two texts of an item, and which of them is better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import ClassVar

from django import forms
from django.utils.translation import gettext, pgettext
from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import YesNoField, line_field, naming, whole_field
from tasks_app.task_types.base import (
    Act,
    AnsweredOption,
    AnsweredQuestion,
    Criterion,
    Feedback,
    GoldAnswer,
    Graded,
    Instruction,
    ItemTexts,
    Outcome,
    Quality,
    Sample,
    Scale,
    Screen,
    ScreenForm,
    ShownPart,
    UnitDraft,
    Value,
)
from tasks_app.task_types.data import grade_one
from tasks_app.task_types.grid import Cell
from tasks_app.task_types.instructed import alternated, check_text
from tasks_app.task_types.output_names import TEXT, named
from tasks_app.task_types.registry import register
from tasks_app.task_types.set_time import TimedTexts
from tasks_app.task_types.simulation import share_of
from tasks_app.task_types.text_pairs import ComparedTexts, pairs_of, pick_field, problems_of, some_pairs_of, unit_key
from tasks_app.task_types.texts import DocumentPages, SeveralTexts
from tasks_app.task_types.written import written
from tasks_app.texts import languages
from tasks_app.texts.languages import spoken

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

    @property
    def asked_of_text(self) -> Sequence[Criterion]:
        """The questions about the two texts, in the words of the type."""
        return self.criteria

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
    field = pick_field(criterion.wording, words, missing)
    field.required = False
    field.error_messages |= {"missing": missing, "invalid_choice": _("Choose one of the answers shown.")}
    return field


# Stored labels if a text is chosen, by its canonical number.
LABELS = ("first", "second")

# To a simulated rater, as shares of a scale: texts nearer to each other than this are the same, texts further apart
# than that are clearly not, and texts below the last are bad.
INDISTINCT, CLEAR, BAD = 0.04, 0.25, 0.2

LONGEST_KEY = 100


@register
class Pairwise(DocumentPages, ComparedTexts, SeveralTexts, TimedTexts):
    """Two texts of an item side by side, and for each criterion which is better: one, the other, or as set neither.

    Which text stands on which side is drawn, balanced for every pair of systems; what is stored is canonical.
    """

    label = _("Pairwise comparison")
    purpose = _("Which is better, A or B?")
    summary = _("A rater sees two texts of one item and says which is better.")
    source = (
        "Thurstone (1927). A law of comparative judgment. Psychological Review 34. "
        "Bradley and Terry (1952). Rank analysis of incomplete block designs: the method of paired comparisons. "
        "Biometrika 39. Davidson (1970). On extending the Bradley-Terry model to accommodate ties. JASA 65."
    )
    use_when = _(
        "You want to know which of two systems is better, and the difference may be small: people tell two texts apart "
        "more surely than they place one on a scale."
    )
    analysed = _(
        "Wins, losses, ties and both bad per pair of systems, win rates with intervals with and without half ties, a "
        "sign test, how often the left text was chosen, a Bradley-Terry ranking, and agreement."
    )
    limits = _(
        "It says which text is better and not how good it is. All pairs of many systems are many units: with an anchor "
        "there are fewer. Settle before you begin whether ties are allowed. Identical texts are not compared."
    )
    outcomes = (
        Outcome(
            "preference",
            Scale.NOMINAL,
            per="pair",
            doc=_(
                "first or second: the text that is better, by its canonical place (system is the first, system_b the "
                "second); tie or both_bad. shown_value is the side chosen: 1 left, 2 right, 0 neither."
            ),
            column="label",
            exchanged=LABELS,
        ),
        Outcome(
            "strength",
            Scale.ORDINAL,
            per="unit",
            doc=_(
                "How much better the text chosen is: 1 slightly, 2 clearly. Its criterion is strength-… and the key."
            ),
            optional=True,
        ),
    )
    default_instructions = _(
        "You see two texts. Read both, then answer each question about them. Which text is on which side was decided "
        "at random and means nothing. There are no right or wrong answers: we want to know how you see it."
    )
    acts = frozenset({Act.COMPARE})
    side_by_side = True
    grades_values = False
    judges_files = True
    has_styles = True
    begins_with: ClassVar[Sample] = Sample(
        criteria=(
            Criterion(
                "quality",
                "Overall quality",
                definition="Everything that matters to you in a text like these.",
                question="Which text is better, or is neither?",
            ),
        )
    )
    sample: ClassVar[Sample] = Sample({"both_bad": True, "strength": "fluency"})

    Form = PairwiseForm

    pairs_an_item = whole_field(
        _("Pairs of each item"),
        _(
            "Fewer pairs than an item has are chosen so that over all items every two systems are compared equally "
            "often. Leave empty for all pairs."
        ),
        within=(1, 10_000),
    )
    ties = YesNoField(
        initial=True,
        label=_("Allow ties"),
        help_text=_("Raters may say that there is no difference. Without ties they must choose."),
    )
    both_bad = YesNoField(
        label=_("Allow “both are bad”"), help_text=_("Raters may say so; it is counted apart from ties.")
    )
    strength = naming(
        line_field(
            _("Ask how much better"),
            _("Raters then also say slightly or clearly better. Leave empty to ask only which text is better."),
            length=1000,
        ),
        "criteria",
        several=True,
    )

    class Settings(DocumentPages.Settings):
        def clean_strength(self) -> str:
            """Put one space between keys."""
            return " ".join(dict.fromkeys(str(self.cleaned_data["strength"]).replace(",", " ").split()))

    @property
    def strengths(self) -> list[str]:
        """The keys of the criteria for which it is asked how much better a text is."""
        return self.strength.split()

    def _is_strength(self, criterion: Criterion | None) -> bool:
        return criterion is not None and criterion.key in map(strength_of, self.strengths)

    def brings(self) -> tuple[Criterion, ...]:
        """Ask how much better a text is, for the criteria named."""
        return tuple(
            Criterion(
                strength_of(key),
                gettext("Strength: %(criterion)s") % {"criterion": key},
                question=gettext("How much better?"),
                labels=(gettext("Slightly better"), gettext("Clearly better")),
                language=spoken(),
            )
            for key in self.strengths
        )

    def problems(self, criteria: Sequence[Criterion]) -> Iterator[str]:
        """Yield a sentence for every name in `strength` that is no criterion of the task."""
        yield from super().problems(criteria)
        known = [criterion.key for criterion in criteria]
        for key in self.strengths:
            if key not in known:
                yield f"strength names {key!r}, which the task does not ask. Its criteria are: {', '.join(known)}."
            elif len(strength_of(key)) > LONGEST_KEY:
                most = LONGEST_KEY - len(STRENGTH)
                yield f"The key of criterion {key!r} is too long to ask for its strength: at most {most} characters."

    def label_names(self) -> Mapping[str, Mapping[str, str]]:
        """Return the words of the two steps of how much better a text is."""
        words = {SLIGHTLY: gettext("Slightly better"), CLEARLY: gettext("Clearly better")}
        return {strength_of(key): words for key in self.strengths}

    def outcome_of(self, criterion: Criterion | None) -> Outcome:
        """Return the strength for the criterion that the type adds, the preference for every other criterion."""
        preference, strength = self.outcomes
        return strength if self._is_strength(criterion) else preference

    def item_problems(self, item: ItemTexts) -> Iterator[str]:
        """Yield a sentence where an item has nothing to compare."""
        return problems_of(item, self.anchor)

    def instructed(self, criteria: Sequence[Criterion], check: int) -> Instruction:
        """Ask for one of two texts: the one by the system of checks, or with an anchor that of the anchor in turn."""
        texts = [gettext("Please choose this text."), gettext("Please choose the other text.")]
        first, second = alternated(texts, check)
        answers = tuple((criterion.key, "exact", LABELS[check % 2]) for criterion in criteria)
        return Instruction(((self.anchor, check_text(first)), ("", check_text(second))), answers)

    def units(self, items: Sequence[ItemTexts], rng: Random) -> Iterator[UnitDraft]:
        """Make a unit of every two different texts of an item by different systems, or of those with the anchor.

        With `pairs_an_item`, of as many of them, chosen in balance.
        """
        most = self.pairs_an_item
        pairs = some_pairs_of(items, self.anchor, most, rng) if most else pairs_of(items, self.anchor)
        for pair in pairs:
            key = unit_key(pair.item.unit_key, pair.names)
            yield UnitDraft(key, pair.item.key, (pair.first, pair.second), pair.item.document)

    def labels_of(self, criterion: Criterion | None) -> tuple[str, ...] | None:
        """Return the labels of all preferences, whether or not this task offers a tie."""
        return None if self._is_strength(criterion) else (*LABELS, TIE, BOTH_BAD)

    def ratings(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[Value]:
        """Give one preference a criterion, on canonical texts, and its strength where a text is better."""
        for criterion in self.asked(screen.shown_criteria):
            chosen = str(cleaned[field_name(criterion)])
            side = int(chosen) if chosen in SIDES else 0
            label = LABELS[screen.shown_parts[side - 1].part.number] if side else chosen
            yield Value("preference", 0, criterion.key, label=label, part_b=1, shown_value=float(side))
            strength = strength_of(criterion.key)
            if side and cleaned.get(strength):
                yield Value("strength", criterion=strength, value=float(str(cleaned[strength])))

    def answered_questions(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[AnsweredQuestion]:
        """Yield the preferences; how strong they are is no right or wrong."""
        labels = {side: LABELS[shown.part.number] for side, shown in zip(SIDES, screen.shown_parts, strict=False)}
        form = PairwiseForm(self, screen)
        for criterion in form.criteria:
            name = field_name(criterion)
            options = (
                AnsweredOption(words, labels.get(posted, posted), posted == cleaned.get(name))
                for posted, words in self.options(screen.output_kind).items()
            )
            yield AnsweredQuestion(
                criterion.key, criterion.question, (name,), criterion.language, options=tuple(options)
            )

    def scale_of(self, criterion: Criterion | None = None) -> tuple[float, float, float] | None:
        """Strength is 1 or 2; a preference is no number."""
        return (1.0, 2.0, 1.0) if self._is_strength(criterion) else None

    def options(self, output_kind: str = TEXT) -> dict[str, str]:
        """Return the answers that may be chosen, by posted value, in the order of the screen."""
        words = {position: named(output_kind, "AB"[int(position) - 1]) for position in SIDES}
        if self.ties:
            words[TIE] = gettext("No difference")
        if self.both_bad:
            words[BOTH_BAD] = gettext("Both are bad")
        return words

    def problem_in_value(self, value: float, criterion: Criterion | None) -> str | None:
        """Refuse a number that is no strength."""
        if value in {float(SLIGHTLY), float(CLEARLY)}:
            return None
        return gettext("must be 1 (slightly better) or 2 (clearly better); it is %(value)s.") % {
            "value": written(value)
        }

    def heds(self, criterion: Criterion | None) -> dict[str, str]:
        """Describe the answers."""
        words = list(self.options().values())
        if self._is_strength(criterion):
            words = [gettext("Slightly better"), gettext("Clearly better")]
        return {
            "4.3.3": str(len(words)),
            "4.3.4": ", ".join(words),
            "4.3.5": "multiple choice",
            "4.3.8": "relative quality estimation",
        }

    def simulate(self, screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
        """Choose by the latent quality of the texts, as far as this rater sees it; a straight-liner takes the first."""
        answers: dict[str, str] = {}
        for criterion in self.asked(screen.shown_criteria):
            left, right = (share_of(shown.part.content, criterion.key, quality, rng) for shown in screen.shown_parts)
            chosen, strength = self._preferred(left, right), CLEARLY if abs(left - right) > CLEAR else SLIGHTLY
            if quality is Quality.RANDOM:
                chosen, strength = rng.choice([*self.options()]), rng.choice((SLIGHTLY, CLEARLY))
            elif quality is Quality.STRAIGHT_LINER:
                chosen = SIDES[0]
            answers[field_name(criterion)] = chosen
            if chosen in SIDES and criterion.key in self.strengths:
                answers[strength_of(criterion.key)] = strength
        return answers

    def _preferred(self, left: float, right: float) -> str:
        if self.both_bad and max(left, right) < BAD:
            return BOTH_BAD
        if self.ties and abs(left - right) < INDISTINCT:
            return TIE
        return SIDES[0] if left >= right else SIDES[1]

    def grade(self, screen: Screen, cleaned: Mapping[str, object], gold: Sequence[GoldAnswer]) -> tuple[Graded, ...]:
        """Compare with known answers: first or second in canonical order, tie or both_bad.

        An answer that names no criterion is about the preferences, not about how strong they are.
        """
        values = tuple(self.ratings(screen, cleaned))
        preferences = [value for value in values if value.outcome == "preference"]
        return tuple(grade_one(values if answer.criterion else preferences, answer) for answer in gold)

    def feedback(
        self, screen: Screen, cleaned: Mapping[str, object], gold: Sequence[GoldAnswer]
    ) -> tuple[Feedback, ...]:
        """Return feedback that names the better text, by the letter that the rater saw."""
        results = list(super().feedback(screen, cleaned, gold))
        letters = {LABELS[shown.part.number]: shown.letter for shown in screen.shown_parts[:2]}
        names = {criterion.key: criterion.name for criterion in screen.criteria}
        for number, answer in enumerate(gold):
            letter = letters.get(str(answer.answer)) if answer.kind == "exact" else None
            if letter is not None and not results[number].passed:
                words = (
                    gettext("Not quite: %(letter)s is better.")
                    if screen.shows_files
                    else gettext("Not quite: text %(letter)s is better.")
                )
                sentence = words % {"letter": letter}
                name = names.get(answer.criterion or "")
                results[number] = Feedback(False, f"{name}: {sentence}" if name else sentence, answer.explanation)
        return tuple(results)
