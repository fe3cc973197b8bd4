"""The form of magnitude estimation: the ticks on each text, and a number for each text and criterion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django import forms
from django.utils.translation import gettext

from tasks_app.task_types.base import Criterion, Media, ShownPart
from tasks_app.task_types.grid import Row, TextsForm, field_name
from tasks_app.task_types.highlights import Highlight
from tasks_app.task_types.magnitude import tick_boxes
from tasks_app.task_types.magnitude.numbers import SENTENCES, WholeNumberField

if TYPE_CHECKING:
    from tasks_app.task_types.magnitude import Magnitude


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
                        label=criterion.question or criterion.name,
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
