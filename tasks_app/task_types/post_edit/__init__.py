"""Post-editing: one or two suggestions, of which one is edited until it is right."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import YesNoField, whole_field
from tasks_app.task_types.base import (
    Act,
    Criterion,
    GoldAnswer,
    Graded,
    Instruction,
    ItemTexts,
    Outcome,
    Part,
    Quality,
    Scale,
    Screen,
    ScreenForm,
    ShownPart,
    UnitDraft,
    Value,
)
from tasks_app.task_types.instructed import alternated, check_text, number_of
from tasks_app.task_types.post_edit.changes import changes_in_words, unified
from tasks_app.task_types.registry import register
from tasks_app.task_types.simulation import share_of
from tasks_app.task_types.texts import SeveralTexts
from tasks_app.texts import plaintext
from tasks_app.texts.languages import spoken

# Beyond anything an editor can do at one text: no page of ours sends more.
MOST_KEYSTROKES = 1_000_000
MOST_SECONDS = 86_400.0


def text_name(position: int) -> str:
    """Name the field of an edited text, by the place of the suggestion on the screen."""
    return f"p{position}-text"


def start_of(part: Part) -> str:
    """Return the text that an area starts with: the suggestion, or the prefill of the part instead."""
    carried = (payload.get("text") for payload in part.prefill if isinstance(payload, Mapping))
    return unified(next((text for text in carried if isinstance(text, str)), part.text))


class EditedText(forms.CharField):
    """A text as typed: white space is kept, and line ends are one character."""

    def __init__(self, start: str, most: int, label: str) -> None:
        self.start = start
        too_long = gettext("The text has more than %(n)s characters. Shorten it.") % {"n": most}
        super().__init__(
            required=False,
            strip=False,
            max_length=most,
            label=label,
            widget=forms.Textarea,
            validators=[plaintext.validate_storable],
            error_messages={"max_length": too_long},
        )

    def to_python(self, value: object) -> str:
        """Unify line ends before anything is counted."""
        return unified(super().to_python(value) or "")

    def in_words(self, value: object) -> str:
        """Return the text, and its changes below it."""
        text = str(value)
        summary = changes_in_words(self.start, text) or gettext("no changes")
        return f"{text}\n\n({summary})"


@dataclass(frozen=True, slots=True)
class Area:
    """A suggestion on the screen with the field that takes its edited text, for the template."""

    shown: ShownPart
    field: forms.BoundField
    start: str
    is_chosen: bool

    @property
    def text(self) -> str:
        """The content of the area: the text as typed, else the text that it starts with."""
        value = self.field.value()
        # An empty text is no answer, so nothing is lost where a draft has none.
        return self.start if value in (None, "") else unified(str(value))

    @property
    def has_other_start(self) -> bool:
        """Whether the area starts with another text than the suggestion."""
        return self.start != unified(self.shown.part.text)


class PostEditForm(ScreenForm):
    """The form of a screen: the choice between two suggestions, the edited text, and the counts of the page."""

    kind: PostEdit

    def make_fields(self) -> Iterator[tuple[str, forms.Field]]:
        """Yield the choice where there are two suggestions, a text area for each, a tick, and the counts."""
        shown_parts = self.screen.shown_parts
        if len(shown_parts) > 1:
            yield "choice", self._choice(shown_parts)
        for shown in shown_parts:
            label = gettext("Your text")
            if len(shown_parts) > 1:
                label = gettext("Your text, from suggestion %(letter)s") % {"letter": shown.letter}
            yield text_name(shown.position), EditedText(start_of(shown.part), self.kind.max_characters, label)
        yield "unchanged", forms.BooleanField(required=False, label=_("It needs no change"))
        hidden = forms.HiddenInput
        yield (
            "keystrokes",
            forms.IntegerField(
                required=False, min_value=0, max_value=MOST_KEYSTROKES, widget=hidden, label=_("Keystrokes")
            ),
        )
        yield (
            "seconds",
            forms.FloatField(
                required=False, min_value=0, max_value=MOST_SECONDS, widget=hidden, label=_("Seconds of editing")
            ),
        )

    def _choice(self, shown_parts: tuple[ShownPart, ...]) -> forms.Field:
        letters = [
            (str(shown.position), gettext("Suggestion %(letter)s") % {"letter": shown.letter}) for shown in shown_parts
        ]
        criterion = self.criterion("choice")
        return forms.TypedChoiceField(
            choices=letters,
            coerce=int,
            empty_value=None,
            widget=forms.RadioSelect,
            label=criterion.wording if criterion else "",
            error_messages={
                "required": gettext("Choose the suggestion that you want to edit."),
                "invalid_choice": gettext("Choose one of the suggestions shown."),
            },
        )

    def criterion(self, key: str) -> Criterion | None:
        """Return a criterion of the screen, as the study words it."""
        return next((criterion for criterion in self.screen.criteria if criterion.key == key), None)

    @property
    def choice_criterion(self) -> Criterion | None:
        """The criterion of the choice, for the template."""
        return self.criterion("choice")

    @property
    def text_criterion(self) -> Criterion | None:
        """The criterion of the edited text, for the template."""
        return self.criterion("edited-text")

    @property
    def missing_text(self) -> str:
        """The message while the text is neither edited nor ticked."""
        return gettext("Edit the text, or tick “It needs no change”.")

    def areas(self) -> list[Area]:
        """Return the suggestions with their text areas, for the template."""
        chosen = str(self["choice"].value() or "") if "choice" in self.fields else "1"
        return [
            Area(shown, self[text_name(shown.position)], start_of(shown.part), str(shown.position) == chosen)
            for shown in self.screen.shown_parts
        ]

    def text_errors(self) -> list[str]:
        """Return the error messages of the texts and the tick, for the template."""
        names = [*(text_name(shown.position) for shown in self.screen.shown_parts), "unchanged"]
        return [str(error) for name in names for error in self[name].errors]

    def clean(self) -> dict[str, object]:
        """Ask for an edit or a tick, one of them, and leave out the text that was not chosen."""
        cleaned: dict[str, object] = super().clean() or self.cleaned_data
        if {"keystrokes", "seconds"} & set(self.errors):
            self.add_error(None, gettext("The page did not send its counts correctly. Reload the page."))
        position = cleaned.get("choice", 1) if "choice" in self.fields else 1
        for shown in self.screen.shown_parts:
            name = text_name(shown.position)
            if shown.position != position:
                # A text that the rater did not choose need not be valid.
                self.errors.pop(name, None)
                cleaned[name] = ""
            elif name not in self.errors:
                self._check_text(name, str(cleaned[name]), start_of(shown.part), ticked=bool(cleaned.get("unchanged")))
        return cleaned

    def _check_text(self, name: str, text: str, start: str, *, ticked: bool) -> None:
        if not text.strip():
            self.add_error(name, gettext("The text is empty. Write it, or go back to the suggestion."))
        elif text == start and not ticked:
            self.add_error(name, self.missing_text)
        elif text != start and ticked:
            self.add_error(
                "unchanged",
                gettext("You ticked “It needs no change”, but the text is changed. Untick it, or undo that."),
            )


# Number of words in ten that move in the worst text.
MOST_MOVED = 3

SECONDS_A_WORD = 0.7
SECONDS_A_MOVE = 3
KEYS_A_MOVE = 14


def simulated(screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
    """Return the data of a post. A straight-liner chooses the first text and changes nothing."""
    shares = {shown.position: share_of(shown.part.text, "choice", quality, rng) for shown in screen.shown_parts}
    # All texts are equally good to a straight-liner: the first is chosen.
    position = max(shares, key=lambda place: shares[place])
    start = start_of(screen.shown_parts[position - 1].part)
    pieces = _pieces(start)
    words = (len(pieces) + 1) // 2
    lazy = quality is Quality.STRAIGHT_LINER
    moves = 0 if lazy else round((1 - shares[position]) * words * MOST_MOVED / 10)
    text = _moved(pieces, moves, rng)
    moves = moves if text != start else 0
    seconds = SECONDS_A_WORD * words * (0.2 if lazy else 1) + SECONDS_A_MOVE * moves
    answer = {text_name(position): text, "keystrokes": str(KEYS_A_MOVE * moves), "seconds": f"{seconds:.1f}"}
    if len(screen.parts) > 1:
        answer["choice"] = str(position)
    if text == start:
        answer["unchanged"] = "on"
    return answer


def _pieces(text: str) -> list[str]:
    """Return words with the space between them; characters where the script sets no space between words."""
    words = re.split(r"(\s+)", text)
    return words if len(words) > 1 else re.split("()", text)[2:-2]


def _moved(pieces: list[str], moves: int, rng: Random) -> str:
    """Let words change places with their neighbours; the text stays as long as it was."""
    moved = list(pieces)
    places = range(0, len(moved) - 2, 2)
    for place in rng.sample(places, min(moves, len(places))):
        moved[place], moved[place + 2] = moved[place + 2], moved[place]
    return "".join(moved)


LONGEST_TEXT = 50_000

CHOSEN, NOT_CHOSEN = "chosen", "not chosen"


@register
class PostEdit(SeveralTexts):
    """One or two suggestions for a source; the rater edits one until it is right.

    An area that was not touched is no answer: a text that is good as it is needs an explicit tick.
    """

    label = _("Post-editing")
    purpose = _("Correct the text")
    summary = _("Raters get a suggested text, or choose the better of two, and correct it.")
    source = (
        "Ramírez-Sánchez, Bañón, Zaragoza-Bernabeu and Ortiz Rojas (2022). Human evaluation of web-crawled parallel "
        "corpora for machine translation. HumEval."
    )
    use_when = _(
        "Use it to measure how much work a text still needs, when that work is what matters: for translators, editors "
        "and everybody else who would correct the text anyway."
    )
    analysed = _(
        "How often each system's suggestion is chosen, with interval and a test against one half; character distance "
        "and HTER of the edited text to every suggestion; share left unchanged; seconds a word and keystrokes; each of "
        "them by editor, and by the side on which the suggestion stood."
    )
    limits = _(
        "Whoever chooses a suggestion writes a text near to it, so distances to the one not chosen are too large. Time "
        "and keystrokes differ more between editors than between systems: have several editors for each text. "
        "Two suggestions with the same text leave nothing to choose and are not shown, unless the task keeps identical "
        "outputs apart (keep_identical); results say for how many items they are the same. Without JavaScript neither "
        "keystrokes nor seconds are recorded."
    )
    outcomes = (
        Outcome(
            "choice",
            Scale.NOMINAL,
            per="part",
            column="label",
            criterion="choice",
            doc=_("“chosen” or “not chosen”, for each of two suggestions. shown_value is its side: 1 or 2."),
        ),
        Outcome(
            "edited-text",
            Scale.TEXT,
            per="part",
            column="text",
            criterion="edited-text",
            doc=_("The text after editing, with the suggestion it was made from. White space is as typed."),
        ),
        Outcome(
            "keystrokes",
            Scale.RATIO,
            per="part",
            criterion="keystrokes",
            optional=True,
            measured=True,
            doc=_("Keys pressed in the text area; Shift, Ctrl and the like alone do not count."),
        ),
        Outcome(
            "edit-seconds",
            Scale.RATIO,
            per="part",
            criterion="edit-seconds",
            optional=True,
            measured=True,
            doc=_("Seconds of work in the text area, with the cursor in it; each pause counts for a minute at most."),
        ),
    )
    default_instructions = _(
        "Read the source. If there are two suggestions, choose the one that you would rather work with. Then edit it "
        "until it is right, and change only what is needed. If nothing needs to be changed, tick “It needs no change”."
    )
    acts = frozenset({Act.COMPARE, Act.EDIT})
    criteria_needed = (0, 0)
    seconds_an_answer = 20.0
    side_by_side = True
    rewrites = True
    grades_values = False
    plain_text = True
    has_styles = True

    Form = PostEditForm

    suggestions = whole_field(
        _("Suggestions"),
        _("With 1 the rater edits what is there; with 2 they first choose which one."),
        within=(1, 2),
        initial=2,
    )
    max_characters = whole_field(_("Longest text"), _("In characters."), within=(1, LONGEST_TEXT), initial=10_000)
    spellcheck = YesNoField(
        label=_("Let the browser check spelling"),
        help_text=_("It marks words and may offer others, differently in every browser."),
    )

    def brings(self) -> tuple[Criterion, ...]:
        """Return the criteria of the choice between two suggestions, of the text, and of the page's counts."""
        choice = Criterion(
            "choice",
            gettext("Chosen suggestion"),
            question=gettext("Which suggestion do you want to edit?"),
            language=spoken(),
        )
        question = gettext("Edit the text until it is right.")
        of_editing = (
            Criterion("edited-text", gettext("Edited text"), question=question, language=spoken()),
            Criterion("keystrokes", gettext("Keystrokes")),
            Criterion("edit-seconds", gettext("Seconds of editing")),
        )
        return (choice, *of_editing) if self.suggestions == 2 else of_editing

    def item_problems(self, item: ItemTexts) -> Iterator[str]:
        """Yield a sentence where an item has no two suggestions, or one that is longer than raters may write."""
        if self.suggestions == 2 and len(item.outputs) < 2:
            yield gettext(
                "Two suggestions need two outputs; this item has %(n)d. Add one, or set suggestions to 1."
            ) % {"n": len(item.outputs)}
        longest = max((len(unified(output.text)) for output in item.outputs), default=0)
        if longest > self.max_characters:
            sentence = gettext("An output has %(n)d characters; max_characters is %(most)d. Shorten it, or raise that.")
            yield sentence % {"n": longest, "most": self.max_characters}

    def prefill_problem(self, payload: object, text: str, source: str = "") -> str | None:
        """Return the reason why a payload is no other text to start with, such as {"text": "…"}, or None."""
        start = payload.get("text") if isinstance(payload, Mapping) and set(payload) == {"text"} else None
        if not isinstance(start, str) or not start.strip():
            return gettext('What an area starts with is written as {"text": "…"}.')
        if len(unified(start)) > self.max_characters:
            return gettext("The text has %(n)d characters; max_characters is %(most)d.") % {
                "n": len(unified(start)),
                "most": self.max_characters,
            }
        return plaintext.problem_in(start)

    def prefill_problem_together(self, payloads: Sequence[object], text: str, source: str = "") -> str | None:
        """Refuse a second text to start with."""
        return gettext("An area starts with one text. Keep one row.") if len(payloads) > 1 else None

    def heds(self, criterion: Criterion | None) -> dict[str, str]:
        """Describe the choice as an instrument, and the recorded data of the editing."""
        if criterion is not None and criterion.key == "choice":
            return {
                "4.3.3": "2",
                "4.3.4": gettext("the first or the second suggestion on the screen"),
                "4.3.5": "multiple choice",
                "4.3.8": "relative quality estimation",
            }
        return {
            "4.3.3": "N/A",
            "4.3.4": "N/A",
            "4.3.5": "N/A",
            "4.3.6": gettext(
                "Evaluators edit a text until it is right. The edited text, the keys pressed and the seconds of work "
                "in the text area are recorded."
            ),
            "4.3.8": "post-editing or annotation",
        }

    def problem_in_value(self, value: float, criterion: Criterion | None) -> str | None:
        """Refuse counts that no editor can reach."""
        if criterion is not None and criterion.key == "keystrokes":
            if value.is_integer() and 0 <= value <= MOST_KEYSTROKES:
                return None
            return gettext("must be a whole number from 0 to %(n)d.") % {"n": MOST_KEYSTROKES}
        if 0 <= value <= MOST_SECONDS:
            return None
        return gettext("must be seconds, from 0 to %(n)d.") % {"n": MOST_SECONDS}

    def instructed(self, criteria: Sequence[Criterion], check: int) -> Instruction:
        """Ask for one of two suggestions, or for a number in place of the only text."""
        if self.suggestions == 2:
            texts = [
                gettext("Please choose this suggestion and change nothing."),
                gettext("Please choose the other suggestion."),
            ]
            first, second = alternated(texts, check)
            order = alternated((1, 2), check)
            return Instruction((("", check_text(first)), ("", check_text(second))), (("choice", "order", order),))
        number = number_of(check)
        text = gettext("Please delete this text and write this number instead: %(number)s") % {"number": number}
        return Instruction((("", check_text(text)),), (("edited-text", "exact", number),))

    def units(self, items: Sequence[ItemTexts], rng: Random) -> Iterator[UnitDraft]:
        """Make one unit a distinct text, or one every two distinct texts of an item by different systems."""
        for item in items:
            for groups in combinations(item.groups, self.suggestions):
                systems = [{item.outputs[output].system for output in group} for group in groups]
                # A text that a system has in common with the other side cannot be chosen over it.
                if len(set().union(*systems)) == sum(map(len, systems)):
                    names = "+".join(self._name(item, group) for group in groups)
                    yield UnitDraft(f"{item.unit_key}/{names}", item.key, groups, item.document)

    def _name(self, item: ItemTexts, group: Sequence[int]) -> str:
        return item.outputs[group[0]].unit_key

    def labels_of(self, criterion: Criterion | None) -> tuple[str, ...] | None:
        """Return the labels that suggestions are stored with: chosen and not chosen."""
        return (CHOSEN, NOT_CHOSEN) if criterion is not None and criterion.key == "choice" else None

    def answers_on(self, screen: Screen) -> int:
        """Return two answers: the chosen suggestion, and the text it becomes; one where there is no choice."""
        return min(2, len(screen.parts))

    def ratings(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[Value]:
        """Yield the choice for each of two suggestions, and text and counts for the one that was edited."""
        position = int(str(cleaned.get("choice", 1)))
        shown_parts = screen.shown_parts
        for shown in shown_parts if len(shown_parts) > 1 else ():
            label = CHOSEN if shown.position == position else NOT_CHOSEN
            yield Value(
                "choice",
                part=shown.part.number,
                criterion="choice",
                label=label,
                shown_value=float(shown.position),
            )
        part = shown_parts[position - 1].part.number
        text = str(cleaned[text_name(position)])
        yield Value("edited-text", part=part, criterion="edited-text", text=text)
        for outcome, name in (("keystrokes", "keystrokes"), ("edit-seconds", "seconds")):
            counted = cleaned.get(name)
            if isinstance(counted, int | float):
                # Not -0.0, which was sent as -0.
                yield Value(outcome, part=part, criterion=outcome, value=float(counted) + 0.0)

    def simulate(self, screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
        """Choose the better text, and edit it the more the worse it is."""
        return simulated(screen, quality, rng)

    def grade(self, screen: Screen, cleaned: Mapping[str, object], gold: Sequence[GoldAnswer]) -> tuple[Graded, ...]:
        """Compare with known answers: which suggestion to choose (kind order), texts that are right (exact or set)."""
        graded: list[Graded] = []
        for answer in gold:
            if answer.kind == "order":
                graded.append(self._grade_choice(screen, cleaned, answer))
            elif answer.criterion == "edited-text" and answer.kind in {"exact", "set"}:
                text = str(cleaned[text_name(int(str(cleaned.get("choice", 1))))])
                allowed = answer.answer if isinstance(answer.answer, list | tuple) else [answer.answer]
                passed = _words(text) in {_words(str(correct)) for correct in allowed}
                graded.append(Graded(answer, passed, (text,)))
            elif answer.criterion is None or (answer.criterion == "choice" and answer.part is None):
                raise ValueError(
                    gettext(
                        "Known answers are of kind order, the better suggestion first, such as [2, 1], or texts for "
                        "the criterion edited-text (exact or set)."
                    )
                )
            else:
                graded += super().grade(screen, cleaned, [answer])
        return tuple(graded)

    def _grade_choice(self, screen: Screen, cleaned: Mapping[str, object], gold: GoldAnswer) -> Graded:
        """Grade the choice by a known order. Raises ValueError where this is no order of two suggestions."""
        order = gold.answer
        about_choice = gold.criterion in {None, "choice"} and len(screen.parts) > 1
        if not about_choice or not isinstance(order, list) or order not in ([1, 2], [2, 1]):
            raise ValueError(
                gettext(
                    "An order is about the choice: the better of the unit's two suggestions first, [1, 2] or [2, 1]."
                )
            )
        chosen = screen.shown_parts[int(str(cleaned["choice"])) - 1].part.number + 1
        return Graded(gold, order[0] == chosen, (float(chosen),))


def _words(text: str) -> str:
    """Return a text with white space evened out: nobody fails for a line end."""
    return " ".join(text.split())
