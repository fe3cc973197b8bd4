"""The triangle test: three texts, two of them by one system, and the rater finds the odd one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from random import Random
from typing import ClassVar

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.task_types.base import (
    Act,
    AnsweredOption,
    AnsweredQuestion,
    Criterion,
    Feedback,
    GoldAnswer,
    Graded,
    ItemTexts,
    Outcome,
    Quality,
    Sample,
    Scale,
    Screen,
    UnitDraft,
    Value,
    Words,
)
from tasks_app.task_types.registry import register
from tasks_app.task_types.text_pairs import look_alike, name_of, pairs_of, problems_of, unit_key
from tasks_app.task_types.triangle import one_text_each, orders
from tasks_app.task_types.triangle.params import (
    CHOICE,
    CORRECT,
    MOTIVE,
    SURENESS,
    TriangleParameters,
    brought,
    steps_of,
)
from tasks_app.task_types.triangle.screen import TriangleForm, odd_position, shown_of, simulated
from tasks_app.task_types.written import written

NO_INSTRUCTION = _(
    "Every answer is right or wrong by itself, and a text that says what to choose would be the odd one. To "
    "find raters who guess, look at their share of right answers in the results."
)


@register
class Triangle(TriangleParameters):
    """Two texts by one system, one by another, in one of six orders; who cannot tell is right one time in three.

    Which text is the odd one stands in the arrangement only: the page shows three texts and never learns of it.
    """

    label = _("Triangle test")
    purpose = _("Can people tell them apart?")
    summary = _("A rater sees three texts, two of them by one system, and chooses the odd one.")
    source = (
        "González Corbelle, Alonso Moral and Bugarín Diz (2020). A proof of concept on triangular test evaluation for "
        "Natural Language Generation. EvalNLGEval. ISO 4120:2021. Sensory analysis. Methodology. Triangle test."
    )
    use_when = _(
        "You want to know whether people notice any difference between two systems, or to show that they hardly do. "
        "It does not say which one is better."
    )
    analysed = _(
        "Correct choices against one in three by the exact binomial test: verdict, critical number and power for the "
        "actual number of judges, share of people who can tell with limits, d′; correct choices by order and position."
    )
    limits = _(
        "Needs texts by two systems that can be told apart on a screen: an item where both look the same is refused. "
        "Plan at least 18 judges for a difference and 30 for similarity, each of whom judges one triad; with several "
        "triads per judge, test for a difference only. With three items a pair of systems needs three items that "
        "both have texts for or, where each item has one text only, two items of each system; sources are not shown. "
        "An answer cannot be changed."
    )
    outcomes = (
        Outcome(
            "choice",
            Scale.NOMINAL,
            per="unit",
            doc=_("Position on the screen of the text chosen: 1, 2 or 3."),
            column="label",
            criterion=CHOICE,
            by_place=True,
        ),
        Outcome(
            "correct",
            Scale.NOMINAL,
            per="unit",
            doc=_("1 where the odd text was chosen, else 0."),
            criterion=CORRECT,
            graded=True,
        ),
        Outcome(
            "sureness",
            Scale.ORDINAL,
            per="unit",
            doc=_("How sure the rater was; 1 is the least, such as 1 guessed to 4 certain."),
            criterion=SURENESS,
            optional=True,
        ),
        Outcome(
            "motive",
            Scale.TEXT,
            per="unit",
            doc=_("What made the text different, in the rater's words."),
            column="text",
            criterion=MOTIVE,
            optional=True,
        ),
    )
    default_instructions = _(
        "You see three texts. Two of them belong together, one is the odd one out. Read all three, then choose the odd "
        "one. You must choose one: where you see no difference, guess. You cannot come back to an answer."
    )
    acts = frozenset({Act.COMPARE, Act.FIND_ODD})
    criteria_needed = (0, 0)
    allows_back = False
    side_by_side = True
    grades_values = False
    judges_files = True
    has_styles = True
    sample: ClassVar[Sample] = Sample({"sureness": True, "motive": True})

    Form = TriangleForm

    def brings(self) -> tuple[Criterion, ...]:
        """Return the criteria of the odd one, and of sureness and motive as set."""
        return brought(self.variant, sureness=self.sureness, motive=self.motive)

    def outcome_of(self, criterion: Criterion | None) -> Outcome | None:
        """Return the outcome that has the name of the criterion."""
        return next(
            (outcome for outcome in self.outcomes if criterion is not None and outcome.criterion == criterion.key), None
        )

    def units_a_rater(self) -> int:
        """Return the number of triads that one judge may judge, in all sets together."""
        return self.triads_per_judge

    def judges_needed(self) -> int:
        """Return the least number of judges that ISO 4120 advises for the goal."""
        return 18 if self.goal == "difference" else 30

    def item_problems(self, item: ItemTexts) -> Iterator[str]:
        """Yield a sentence where there is nothing to compare, and for every two texts that nobody could tell apart."""
        if self.variant == "three" and one_text_each.has_one_system(item):
            if len(item.outputs) > 1:
                yield gettext("it has %(n)d texts by one system. Keep one of them.") % {"n": len(item.outputs)}
            return
        yield from problems_of(item, self.anchor)
        for first, second in combinations(item.outputs, 2):
            compared = first.system != second.system and self.anchor in {"", first.system, second.system}
            if compared and look_alike(first.content, second.content):
                yield gettext(
                    "the texts by “%(one)s” and “%(other)s” look the same, so that neither can be the odd one. "
                    "Leave the item out, or compare other systems."
                ) % {"one": name_of(first), "other": name_of(second)}

    def problems_together(self, items: Sequence[ItemTexts]) -> Iterator[str]:
        """Yield a sentence for everything that keeps items with one text each from being in a triad."""
        return one_text_each.problems_together(items, self.anchor) if self.variant == "three" else iter(())

    def instructed(self, criteria: Sequence[Criterion], check: int) -> Words:
        """Return the sentence that every answer is right or wrong by itself."""
        return NO_INSTRUCTION

    def units(self, items: Sequence[ItemTexts], rng: Random) -> Iterator[UnitDraft]:
        """Make a unit an item and pair of systems or, with three items, a triad of items and pair of systems."""
        if self.variant == "three" and all(map(one_text_each.has_one_system, items)):
            yield from one_text_each.triads(items, self.anchor, rng)
            return
        pairs = pairs_of(items, self.anchor)
        if self.variant == "three":
            yield from orders.triads(pairs, rng)
            return
        for pair in pairs:
            key = unit_key(pair.item.unit_key, pair.names)
            yield UnitDraft(key, pair.item.key, (pair.first, pair.second), pair.item.document)

    def arrange(self, n_parts: int, rng: Random) -> Iterator[dict[str, object]]:
        """Draw the six orders in balanced blocks of six."""
        return orders.arrangements(n_parts, rng)

    def labels_of(self, criterion: Criterion | None) -> tuple[str, ...] | None:
        """Return the three positions, for the text chosen."""
        return ("1", "2", "3") if criterion is not None and criterion.key == CHOICE else None

    def ratings(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[Value]:
        """Yield the position chosen, whether it was right, and the answers to the other questions."""
        chosen = str(cleaned[CHOICE])
        yield Value("choice", criterion=CHOICE, label=chosen)
        yield Value("correct", criterion=CORRECT, value=float(int(chosen) == odd_position(screen)))
        if cleaned.get(SURENESS):
            yield Value("sureness", criterion=SURENESS, value=float(str(cleaned[SURENESS])))
        if cleaned.get(MOTIVE):
            yield Value("motive", criterion=MOTIVE, text=str(cleaned[MOTIVE]))

    def grade(self, screen: Screen, cleaned: Mapping[str, object], gold: Sequence[GoldAnswer]) -> tuple[Graded, ...]:
        """Compare with known answers; one that names no criterion is about whether the odd one was found."""
        about = [answer if answer.criterion else replace(answer, criterion=CORRECT) for answer in gold]
        graded = super().grade(screen, cleaned, about)
        return tuple(replace(result, gold=answer) for result, answer in zip(graded, gold, strict=True))

    def feedback(
        self, screen: Screen, cleaned: Mapping[str, object], gold: Sequence[GoldAnswer]
    ) -> tuple[Feedback, ...]:
        """Return whether the choice was right, and after a training unit which text was the odd one."""
        letter = shown_of(screen)[odd_position(screen) - 1].letter
        right, wrong = _("Right: text %(letter)s is the odd one."), _("Not quite: text %(letter)s is the odd one.")
        if screen.shows_files:
            right, wrong = _("Right: %(letter)s is the odd one."), _("Not quite: %(letter)s is the odd one.")
        about = {"letter": letter}
        return tuple(
            Feedback(result.passed, (right if result.passed else wrong) % about, result.gold.explanation)
            for result in self.grade(screen, cleaned, gold)
        )

    def answered_questions(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[AnsweredQuestion]:
        """Yield the choice of the odd one, as known answers name it: right or not."""
        odd, chosen = odd_position(screen), str(cleaned.get(CHOICE) or "")
        field = self.form(screen).fields[CHOICE]
        options = (
            AnsweredOption(
                shown.name,
                float(shown.position == odd),
                str(shown.position) == chosen,
            )
            for shown in shown_of(screen)
        )
        yield AnsweredQuestion(CORRECT, str(field.label), (CHOICE,), options=tuple(options))

    def scale_of(self, criterion: Criterion | None = None) -> tuple[float, float, float] | None:
        """Return 0 to 1 for right or wrong, and as many steps as words for sureness."""
        if criterion is None or criterion.key not in {CORRECT, SURENESS}:
            return None
        return (0.0, 1.0, 1.0) if criterion.key == CORRECT else (1.0, float(len(steps_of(criterion))), 1.0)

    def problem_in_value(self, value: float, criterion: Criterion | None) -> str | None:
        """Refuse a number that is no step of the scale."""
        scale = self.scale_of(criterion)
        if scale is None or (value % 1 == 0 and scale[0] <= value <= scale[1]):
            return None
        about = {"low": written(scale[0]), "high": written(scale[1]), "value": written(value)}
        return gettext("must be a whole number from %(low)s to %(high)s; it is %(value)s.") % about

    def heds(self, criterion: Criterion | None) -> dict[str, str]:
        """Describe the choice of three, right or wrong, sureness and motive as instruments."""
        steps = steps_of(criterion) if criterion is not None else ()
        words = {
            CHOICE: (
                "3",
                "A, B, C: the place of the text on the screen",
                "multiple choice",
                "other: odd one out of three",
            ),
            CORRECT: ("2", "0, 1: found by comparing the choice with the drawn order", "N/A", "task performance"),
            SURENESS: (str(len(steps)), ", ".join(steps), "multiple choice", "other: how sure of the choice"),
            MOTIVE: ("N/A", "N/A", "N/A", "qualitative feedback"),
        }.get(criterion.key if criterion is not None else "")
        if words is None:
            return {}
        facts = dict(zip(("4.3.3", "4.3.4", "4.3.5", "4.3.8"), words, strict=True))
        if criterion is not None and criterion.key == MOTIVE:
            facts["4.3.6"] = "Evaluators may write what made the text they chose different; the text is recorded."
        return facts

    def simulate(self, screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
        """Answer as a rater who notices the odd one more often, the more different the systems' texts are."""
        return simulated(screen, quality, rng)
