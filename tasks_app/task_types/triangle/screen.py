"""The form of a triangle test, the place of its odd text, and the answers of simulated raters."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from random import Random

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from tasks_app.task_types.base import Quality, Screen, ScreenForm, ShownPart
from tasks_app.task_types.grid import Cell
from tasks_app.task_types.simulation import HABIT
from tasks_app.task_types.text_pairs import pick_field
from tasks_app.task_types.triangle import orders
from tasks_app.task_types.triangle.params import CHOICE, MOTIVE, SURENESS, steps_of
from tasks_app.texts import plaintext

# Room for several sentences.
LONGEST_MOTIVE = 2000

# Parts in the order AAB, of one item and of three: what a screen shows before a plan is drawn.
AAB, THREE_AAB = (0, 0, 1), (0, 2, 5)

# The share of triads in which a simulated rater notices the difference: of texts that are nearly alike, and of texts
# that have no word in common.
NOTICED = {Quality.CAREFUL: (0.5, 1.0), Quality.SLOPPY: (0.1, 0.5)}


class TriangleForm(ScreenForm):
    """The form of a screen: the choice, and its certainty and reason where the study asks for them."""

    def make_fields(self) -> Iterator[tuple[str, forms.Field]]:
        """Yield a field for every criterion that is asked."""
        criteria = {criterion.key: criterion for criterion in self.screen.criteria}
        missing = _("Choose A, B or C.") if self.screen.shows_files else _("Choose one of the three texts.")
        letters = {str(shown.position): shown.name for shown in shown_of(self.screen)}
        yield CHOICE, pick_field(criteria[CHOICE].wording, letters, str(missing))
        if SURENESS in criteria:
            steps = {str(step): words for step, words in enumerate(steps_of(criteria[SURENESS]), start=1)}
            yield SURENESS, pick_field(criteria[SURENESS].wording, steps, str(_("Say how sure you are.")))
        if MOTIVE in criteria:
            yield (
                MOTIVE,
                forms.CharField(
                    required=False,
                    max_length=LONGEST_MOTIVE,
                    validators=[plaintext.validate_storable, _validate_readable],
                    widget=forms.Textarea,
                    label=criteria[MOTIVE].wording,
                    error_messages={"max_length": _("Write at most %(limit_value)d characters.")},
                ),
            )

    def rows(self) -> list[dict[str, ShownPart]]:
        """Return the three texts in the order of the screen, for the template."""
        return [{"shown": shown} for shown in shown_of(self.screen)]

    def questions(self) -> dict[str, Cell]:
        """Return the questions by the keys of their criteria, for the template."""
        criteria = {criterion.key: criterion for criterion in self.screen.criteria}
        return {name.replace("-", "_"): Cell(criteria[name], self[name]) for name in self.fields}


def shown_of(screen: Screen) -> tuple[ShownPart, ...]:
    """Return the three texts in the order of the screen; in the first order, AAB, where none was drawn yet."""
    drawn = screen.shown_parts
    if len(drawn) == len(AAB):
        return drawn
    numbers = THREE_AAB if len(screen.parts) == orders.THREE_ITEMS else AAB
    return tuple(ShownPart(position, screen.parts[number]) for position, number in enumerate(numbers, start=1))


def odd_position(screen: Screen) -> int:
    """Return the position on the screen, from 1, of the text by the other system.

    Parts with an even number are by one system, those with an odd number by the other.
    """
    return 1 + orders.odd_place([shown.part.number % 2 for shown in shown_of(screen)])


def _share_noticed(screen: Screen, odd: int, quality: Quality) -> float:
    part = shown_of(screen)[odd - 1].part
    twin = screen.parts[part.number ^ 1]
    alike = SequenceMatcher(None, part.content.split(), twin.content.split(), autojunk=False).ratio()
    least, most = NOTICED[quality]
    return least + (most - least) * (1 - alike)


def _validate_readable(words: str) -> None:
    """Refuse bytes that were no text: Django puts this character in their place."""
    if "\ufffd" in words:
        raise ValidationError(_("One character could not be read. Look for “�” and type it anew."), code="unreadable")


def simulated(screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
    """Answer a screen: the odd one is noticed more often, the more different the systems' texts are, else guessed."""
    criteria = {criterion.key: criterion for criterion in screen.criteria}
    odd = odd_position(screen)
    noticed = quality in NOTICED and rng.random() < _share_noticed(screen, odd, quality)
    chosen = 1 + int(HABIT * 3) if quality is Quality.STRAIGHT_LINER else odd if noticed else rng.randint(1, 3)
    answers = {CHOICE: str(chosen)}
    if SURENESS in criteria:
        answers[SURENESS] = str(_sureness(len(steps_of(criteria[SURENESS])), noticed, quality, rng))
    if MOTIVE in criteria:
        answers[MOTIVE] = str(_("Other words.")) if noticed else ""
    return answers


def _sureness(steps: int, noticed: bool, quality: Quality, rng: Random) -> int:
    """Return a sureness in the upper half of the steps where the odd one was noticed, else in the lower half."""
    if quality is Quality.STRAIGHT_LINER:
        return min(steps, 1 + int(HABIT * steps))
    if quality is Quality.RANDOM:
        return rng.randint(1, steps)
    half = steps // 2
    return rng.randint(half + 1, steps) if noticed else rng.randint(1, max(1, half))
