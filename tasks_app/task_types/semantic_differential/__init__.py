"""The semantic differential: a text between pairs of opposite adjectives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import YesNoField, number_field, whole_field
from tasks_app.task_types.base import (
    Act,
    AnsweredOption,
    AnsweredQuestion,
    Criterion,
    Instruction,
    Outcome,
    Quality,
    Sample,
    Scale,
    Screen,
    ScreenForm,
    Value,
)
from tasks_app.task_types.grid import Step, step_words, steps_of
from tasks_app.task_types.instructed import in_lines
from tasks_app.task_types.registry import register
from tasks_app.task_types.semantic_differential.order import Shown, draw_flipped, draw_sequence, shown_pairs
from tasks_app.task_types.set_time import TimedTexts
from tasks_app.task_types.simulation import share_of
from tasks_app.task_types.written import written
from tasks_app.texts.languages import isolated


def field_name(place: int) -> str:
    """Name the form field of a pair by its place on the screen: a pair that comes again must not be recognised."""
    return f"pair-{place}"


def ends(shown: Shown) -> tuple[str, str]:
    """Return the two words in the order in which they stand on the screen."""
    low, high = shown.criterion.low, shown.criterion.high
    return (high, low) if shown.flipped else (low, high)


@dataclass(frozen=True, slots=True)
class PairRow:
    """One pair on the page, with its form field."""

    shown: Shown
    field: forms.BoundField

    @property
    def first(self) -> str:
        """The word before the circles."""
        return ends(self.shown)[0]

    @property
    def last(self) -> str:
        """The word after them."""
        return ends(self.shown)[1]

    @property
    def steps(self) -> list[Step]:
        """The circles."""
        return steps_of(self.field)


class StepField(forms.TypedChoiceField):
    """A position as shown, counted from the first."""

    def in_words(self, value: object) -> str:
        """Return the position, the number of positions, and the words at both ends."""
        steps: list[tuple[str, str]] = list(self.choices)  # type: ignore[arg-type]
        about = {"n": value, "count": len(steps), "first": steps[0][1], "last": steps[-1][1]}
        return gettext("%(n)s of %(count)s, from “%(first)s” to “%(last)s”") % about


class PairsForm(ScreenForm):
    """The pairs of a screen."""

    kind: SemanticDifferential
    pairs: Sequence[Shown]

    def make_fields(self) -> Iterator[tuple[str, forms.Field]]:
        """Yield a field for every pair."""
        self.pairs = self.kind.pairs(self.screen)
        for shown in self.pairs:
            first, last = ends(shown)
            words = (first, *[""] * (self.kind.points - 2), last)
            about = {"first": first, "last": last}
            quoted = {end: isolated(word) for end, word in about.items()}
            yield (
                field_name(shown.place),
                StepField(
                    choices=[(str(step), word) for step, word in enumerate(words, start=1)],
                    coerce=int,
                    empty_value=None,
                    label=gettext("%(first)s – %(last)s") % about,
                    error_messages={
                        "required": gettext("Choose a circle between “%(first)s” and “%(last)s”.") % quoted,
                        "invalid_choice": _("Choose one of the circles shown."),
                    },
                ),
            )

    def pair_rows(self) -> list[PairRow]:
        """Return the pairs for the template."""
        return [PairRow(shown, self[field_name(shown.place)]) for shown in self.pairs]


@register
class SemanticDifferential(TimedTexts):
    """One text and pairs of opposite words with circles between them.

    Every rater has an order and a polarity of the pairs of their own, the same for all texts. Ratings are turned back:
    the low word of a criterion is at the negative end, whichever side it was shown on.
    """

    label = _("Semantic differential")
    purpose = _("Measure how a text comes across")
    summary = _("A rater places a text between pairs of opposite words, such as clear and confusing.")
    source = (
        "Osgood, Suci and Tannenbaum (1957). The measurement of meaning. University of Illinois Press. "
        "Macketanz, Naderi, Schmidt and Möller (2022). Perceptual quality dimensions of machine-generated text with a "
        "focus on machine translation. HumEval."
    )
    use_when = _(
        "Use it to find out along which dimensions people perceive texts, before there are criteria: many pairs of "
        "opposite words, few texts, many raters. Try the pairs out first, give about three texts to a rater, and ask "
        "for the language of a text rather than its content. A criterion of kind pair has a word at each end."
    )
    analysed = _(
        "Mean of each pair per system. Whether the pairs go together enough (KMO, Bartlett), the number of dimensions "
        "by parallel analysis, maximum likelihood factors with promax rotation, loadings, reliability of each factor, "
        "factor scores per system with an interval. Repeated pairs tell how consistent a rater is; straight-lining is "
        "looked for on the positions as shown."
    )
    limits = _(
        "Words mean different things to different people, and pairs are used only in the language they were tried in. "
        "Ratings of one rater and of one text belong together, so that factors need many texts and raters. It says how "
        "a text is perceived, and not whether it is right."
    )
    outcomes = (
        Outcome(
            "rating",
            Scale.ORDINAL,
            per="criterion",
            doc=_(
                "Step towards the high word (positive) or the low word (negative). shown_value is the step as it was "
                "shown, negative on the side where the line begins. Of a repeated pair there are two; results take the "
                "first."
            ),
            several=True,
        ),
    )
    default_instructions = _(
        "Read the text. Then look at the pairs of words below it. For each pair choose the circle that fits the text "
        "best: the nearer to a word, the better that word fits. Judge the language of the text, not what it is about. "
        "Go by your first impression; there are no right or wrong answers."
    )
    acts = frozenset[Act]()
    judges_files = True
    has_styles = True
    begins_with = Sample(
        criteria=tuple(
            Criterion(high, f"{low} – {high}", low=low, high=high, kind="pair")
            for low, high in (
                ("confusing", "clear"),
                ("complicated", "simple"),
                ("vague", "precise"),
                ("bumpy", "flowing"),
                ("artificial", "natural"),
                ("impersonal", "personal"),
                ("informal", "formal"),
                ("messy", "orderly"),
            )
        )
    )
    sample = Sample(
        params={"repeated_share": 0.5},
        criteria=(
            Criterion("clear", "confusing – clear", low="confusing", high="clear", kind="pair"),
            Criterion("simple", "complicated – simple", low="complicated", high="simple", kind="pair"),
            Criterion("fluent", "bumpy – fluent", low="bumpy", high="fluent", kind="pair"),
            Criterion("formal", "informal – formal", low="informal", high="formal", kind="pair"),
        ),
    )

    Form = PairsForm

    show_source = YesNoField(label=_("Show the source"), help_text=_("Above the text to be judged."))
    points = whole_field(
        _("Circles between two words"),
        _("Seven are usual. An even number leaves no middle, and so no 0 among the values."),
        within=(3, 11),
        initial=7,
    )
    show_numbers = YesNoField(label=_("Show numbers"), help_text=_("Below the circles, counted from 1."))
    repeated_share = number_field(
        _("Share of pairs that come twice"),
        _("From 0 to 1, drawn for each rater. They tell how consistent a rater is."),
        within=(0, 1),
        initial=0,
    )
    repeats_apart = whole_field(
        _("Places between a pair and its repeat"),
        _("At least; fewer where there are not so many pairs. Never next to each other."),
        within=(2, 100),
        initial=5,
    )
    turn_repeats = YesNoField(
        label=_("Reverse repeats"), help_text=_("Otherwise a pair has the same word on the same side both times.")
    )

    @property
    def steps(self) -> tuple[float, ...]:
        """The values of the circles: -k to k, without 0 where their number is even."""
        half = self.points // 2
        return tuple(float(step) for step in range(-half, half + 1) if step or self.points % 2)

    def problems(self, criteria: Sequence[Criterion]) -> Iterator[str]:
        """Yield a sentence for every criterion that is no pair of words."""
        yield from super().problems(criteria)
        for criterion in criteria:
            about = {"key": criterion.key}
            if not criterion.low or not criterion.high:
                yield gettext("Criterion “%(key)s” needs a word at each end: low and high.") % about
            elif criterion.low.casefold() == criterion.high.casefold():
                yield gettext("Criterion “%(key)s” has the same word at both ends.") % about
            if criterion.labels or criterion.anchors:
                yield gettext("Criterion “%(key)s” words single steps; only its ends have words here.") % about

    def heds(self, criterion: Criterion | None) -> dict[str, str]:
        """Describe the circles as an instrument."""
        values = self.steps
        words = {values[0]: criterion.low, values[-1]: criterion.high} if criterion is not None else {}
        steps = [f"{value:g} ({words[value]})" if words.get(value) else f"{value:g}" for value in values]
        return {
            "4.3.3": f"{len(values)}",
            "4.3.4": ", ".join(steps),
            "4.3.5": "multiple choice",
            "4.3.8": "direct quality estimation",
        }

    def instructed(self, criteria: Sequence[Criterion], check: int) -> Instruction:
        """Ask for the circle next to one word of each pair."""
        instructions = [(criterion, criterion.low if check % 2 else criterion.high) for criterion in criteria]
        step = self.steps[0] if check % 2 else self.steps[-1]
        return Instruction(
            (("", in_lines(instructions)),), tuple((criterion.key, "exact", step) for criterion in criteria)
        )

    def scale_of(self, criterion: Criterion | None = None) -> tuple[float, float, float]:
        """Return the lowest and the highest step, which are at the same distance from 0."""
        return self.steps[0], self.steps[-1], 1.0

    def problem_in_value(self, value: float, criterion: Criterion | None) -> str | None:
        """Refuse a number that is no step."""
        if value in self.steps:
            return None
        about = {"values": ", ".join(map(written, self.steps)), "value": written(value)}
        return gettext("must be one of: %(values)s; it is %(value)s.") % about

    def arrange_for_rater(self, criteria: Sequence[Criterion], rng: Random) -> dict[str, object]:
        """Draw a rater's order of the pairs, which of them come twice, and which are turned round."""
        keys = [criterion.key for criterion in self.asked(criteria)]
        sequence = draw_sequence(keys, self.repeated_share, self.repeats_apart, rng)
        return {
            "criteria": list(dict.fromkeys(sequence)),
            "sequence": sequence,
            "flipped": draw_flipped(keys, rng),
        }

    def pairs(self, screen: Screen) -> list[Shown]:
        """Return the pairs in the order of the screen."""
        return shown_pairs(self.asked(screen.criteria), screen.arrangement, turn_repeats=self.turn_repeats)

    def ratings(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[Value]:
        """Yield one rating for each pair shown, turned back to the direction of its criterion."""
        values = self.steps
        for shown in self.pairs(screen):
            position = cleaned[field_name(shown.place)]
            if not isinstance(position, int):
                raise TypeError(f"A position must be a whole number, not {position!r}.")
            value = values[position - 1]
            yield Value(
                "rating",
                part=screen.parts[0].number,
                criterion=shown.criterion.key,
                number=shown.number,
                # Not -0.0 for the middle.
                value=(-value if shown.flipped else value) + 0.0,
                shown_value=value,
            )

    def answered_questions(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[AnsweredQuestion]:
        """Yield the circles of every pair shown, in the direction in which the rater saw them."""
        form, values = self.form(screen), self.steps
        for shown in self.pairs(screen):
            name = field_name(shown.place)
            options = (
                AnsweredOption(
                    step_words(step), (-value if shown.flipped else value) + 0.0, step.value == str(cleaned.get(name))
                )
                for step, value in zip(steps_of(form[name]), values, strict=True)
            )
            language = shown.criterion.language
            yield AnsweredQuestion(
                shown.criterion.key, str(form.fields[name].label), (name,), language, options=tuple(options)
            )

    def simulate(self, screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
        """Answer from the latent quality of the text on each pair; a straight-liner keeps to a position as shown."""
        last = len(self.steps) - 1
        answers: dict[str, str] = {}
        for shown in self.pairs(screen):
            share = share_of(screen.parts[0].content, shown.criterion.key, quality, rng)
            step = min(last, max(0, round(share * last)))
            turned = shown.flipped and quality is not Quality.STRAIGHT_LINER
            answers[field_name(shown.place)] = str((last - step if turned else step) + 1)
        return answers
