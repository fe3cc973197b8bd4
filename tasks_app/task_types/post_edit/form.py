"""The form of post-editing: a text area for each suggestion, a tick for texts that are good as they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.task_types.base import Criterion, Part, ScreenForm, ShownPart
from tasks_app.task_types.post_edit.changes import changes_in_words, unified
from tasks_app.texts import plaintext

if TYPE_CHECKING:
    from tasks_app.task_types.post_edit import PostEdit

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
            label=criterion.question or criterion.name if criterion else "",
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
