"""The order in which the options of a question stand: shared by labels and comprehension."""

from collections.abc import Iterator, Sequence
from random import Random

from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import choice_field, retiring
from tasks_app.task_types.base import Criterion
from tasks_app.task_types.list_fields import digit
from tasks_app.task_types.texts import TextType


class DrawnOptions(TextType):
    """A type with options that stand as given, or in one order for each rater.

    Studies that were frozen with another order for every text keep it. Their raters have no digit keys, since a digit
    would mean another answer on each screen.
    """

    order = retiring(
        choice_field(
            _("Order of the options"),
            (
                ("fixed", _("as given")),
                ("rater", _("one order for each rater")),
                ("drawn", _("another order for every text, balanced, without digit keys")),
            ),
            _(
                "“drawn” is kept for studies that were opened with it and for published studies: raters who answer "
                "quickly choose a wrong option where the order changes."
            ),
            initial="fixed",
        ),
        "drawn",
    )

    @property
    def has_digits(self) -> bool:
        """Whether digit keys choose options."""
        return self.order != "drawn"

    def digit(self, number: int) -> str:
        """Return the digit that chooses the n-th option; an empty text where none does."""
        return digit(number) if self.has_digits else ""

    def arrange(self, n_parts: int, rng: Random) -> Iterator[dict[str, object]]:
        """Draw the order of the options for every place, each option everywhere equally often."""
        seed, place = rng.getrandbits(32), 0
        while True:
            drawn = {"seed": seed, "draw": place} if self.order == "drawn" else {}
            yield {"parts": list(range(n_parts)), **drawn}
            place += 1

    def arrange_for_rater(self, criteria: Sequence[Criterion], rng: Random) -> dict[str, object]:
        """Draw the order of the criteria, and that of the options where a rater keeps it."""
        own = super().arrange_for_rater(criteria, rng)
        return {**own, "seed": rng.getrandbits(32), "draw": 0} if self.order == "rater" else own
