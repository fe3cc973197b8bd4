"""The options of a question: those of the criterion or of the item, in the order of the screen."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

from tasks_app.settings.fields import YesNoField, naming
from tasks_app.settings.orders import latin_orders
from tasks_app.settings.study import Block
from tasks_app.task_types.base import Arrangement, Criterion, ItemTexts, Screen
from tasks_app.task_types.list_fields import Entry, LineField, WordsField
from tasks_app.texts.plaintext import problem_in

# The label where none of the options applies.
NONE = "none_of_these"

# The name of an item's list of options that is meant for every criterion.
EVERY = "labels"

LEAST, MOST = 2, 60
LONGEST = 200


class DetailEntry(Entry):
    """A question that is asked after one label was chosen."""

    criterion = naming(LineField(max_length=100, label=lazy("Question it follows")), "criteria")
    label = LineField(label=lazy("After this label"))
    question = LineField(max_length=1000, label=lazy("Question"))
    options = WordsField(label=lazy("Options"))
    optional = YesNoField(label=lazy("May be left out"))

    class Settings(Block):
        def clean_options(self) -> list[str]:
            """Refuse options that are no choice."""
            options: list[str] = self.cleaned_data["options"]
            if sentence := problem_in_options(options):
                raise forms.ValidationError(sentence)
            return options


@dataclass(frozen=True, slots=True)
class Detail:
    """A question that is asked after one label was chosen.

    `number` is its place in the parameters, which names its field; `key` is the criterion that it is.
    """

    number: int
    key: str
    label: str
    question: str
    options: tuple[str, ...]
    optional: bool


def details_of(details: Sequence[DetailEntry], criterion: str | None = None) -> tuple[Detail, ...]:
    """Return the questions that follow labels of a criterion, or of all criteria."""
    questions: list[Detail] = []
    met: Counter[str] = Counter()
    for number, entry in enumerate(details, start=1):
        parent = entry.criterion
        met[parent] += 1
        if criterion in {None, parent}:
            key = f"{parent}-detail" if met[parent] == 1 else f"{parent}-detail-{met[parent]}"
            questions.append(Detail(number, key, entry.label, entry.question, tuple(entry.options), entry.optional))
    return tuple(questions)


def may_be_an_option(text: str) -> bool:
    """Return whether a text is short enough for an option, on one line and without spaces around it."""
    is_line = bool(text.strip()) and text == text.strip() and len(text.splitlines()) == 1
    return is_line and len(text) <= LONGEST and not problem_in(text)


def problem_in_options(options: object) -> str | None:
    """Return the reason why a value is no list of options, or None."""
    if not isinstance(options, list | tuple) or not all(isinstance(option, str) for option in options):
        return _("Options are a list of texts.")
    if not LEAST <= len(options) <= MOST:
        return _("There must be %(least)d to %(most)d options; there are %(n)d.") % {
            "least": LEAST,
            "most": MOST,
            "n": len(options),
        }
    for option in options:
        if not may_be_an_option(option):
            return _("Each option is one line of at most %(n)d characters without spaces around it.") % {"n": LONGEST}
        if option == NONE:
            return _("No option may be called “%(name)s”: that is what “None of these” is stored as.") % {"name": NONE}
    if len(set(options)) < len(options):
        return _("Two options are the same.")
    return None


def problems_in_item(item: ItemTexts, criteria: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for every criterion of which an item lacks the list of options, or has one that is no choice."""
    for key in criteria:
        options = item.options.get(key, item.options.get(EVERY))
        if options is None:
            sentence = _('The column options has no list for “%(key)s”. Write {"%(key)s": ["…", "…"]}.')
            yield sentence % {"key": key}
        elif fault := problem_in_options(options):
            yield f"options, {key}: {fault}"


def options_of(screen: Screen, criterion: Criterion, *, of_items: bool) -> tuple[str, ...]:
    """Return the options of a criterion in their canonical order: the item's where it brings them, else its labels."""
    if of_items:
        given = screen.options.get(criterion.key, screen.options.get(EVERY))
        if problem_in_options(given) is None and isinstance(given, list | tuple):
            return tuple(given)
    return tuple(criterion.labels)


def turned(options: tuple[str, ...], arrangement: Arrangement) -> tuple[str, ...]:
    """Return options that have an order of their own as given, or reversed for every second rater by chance.

    All such options of a rater are turned alike.
    """
    seed = arrangement.get("seed")
    return options[::-1] if isinstance(seed, int) and seed % 2 else options


def in_drawn_order(options: tuple[str, ...], arrangement: Arrangement, criterion: str) -> tuple[str, ...]:
    """Return the options of a criterion in the order that was drawn for a screen or for a rater."""
    place, seed = arrangement.get("draw"), arrangement.get("seed")
    if not isinstance(place, int) or not isinstance(seed, int) or place < 0 or len(options) < LEAST:
        return options
    return tuple(options[number] for number in drawn_order(len(options), place, f"{seed}:{criterion}"))


def drawn_order(n: int, place: int, seed: str) -> Sequence[int]:
    """Return the order of n options at a place of a stream: every n places put each option everywhere once."""
    rng = Random(f"{seed}:{n}:{place // n}")  # noqa: S311  reproducible, not secret
    orders = latin_orders(n, rng)
    for _before in range(place % n):
        next(orders)
    return next(orders)
