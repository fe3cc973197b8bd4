"""The form of a semantic differential: one field for each pair, in the order of the screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.task_types.base import ScreenForm
from tasks_app.task_types.grid import Step, steps_of
from tasks_app.task_types.semantic_differential.order import Shown

if TYPE_CHECKING:
    from tasks_app.task_types.semantic_differential import SemanticDifferential


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
            yield (
                field_name(shown.place),
                StepField(
                    choices=[(str(step), word) for step, word in enumerate(words, start=1)],
                    coerce=int,
                    empty_value=None,
                    label=gettext("%(first)s – %(last)s") % about,
                    error_messages={
                        "required": gettext("Choose a circle between “%(first)s” and “%(last)s”.") % about,
                        "invalid_choice": _("Choose one of the circles shown."),
                    },
                ),
            )

    def pair_rows(self) -> list[PairRow]:
        """Return the pairs for the template."""
        return [PairRow(shown, self[field_name(shown.place)]) for shown in self.pairs]
