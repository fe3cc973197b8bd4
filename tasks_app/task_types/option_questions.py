"""Questions about one text that raters answer by choosing options: shared by labels, error labels and comprehension."""

from dataclasses import dataclass

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import line_field
from tasks_app.task_types.base import ScreenForm, ShownPart
from tasks_app.texts.languages import isolated

# Options as short as this stand side by side.
SHORT = 24

NOT_AN_OPTION = {"invalid_choice": _("Choose one of the options shown.")}


@dataclass(frozen=True, slots=True)
class Option:
    """One option on the screen: its field, the posted value, its words with their language, and its digit.

    `language` is empty for words of the page itself. An option that `stands_alone` cannot be ticked with another one;
    "None of these" never can.
    """

    name: str
    value: str
    words: str
    checked: bool
    digit: str
    is_none: bool = False
    language: str = ""
    stands_alone: bool = False


@dataclass(frozen=True, slots=True)
class OptionQuestion:
    """One question on the screen, with its options."""

    title: str
    options: tuple[Option, ...]
    errors: tuple[str, ...]

    @property
    def missing(self) -> str:
        """The message while the question has no answer."""
        return missing(self.title)

    @property
    def is_short(self) -> bool:
        """Whether the options have room side by side."""
        return all(len(option.words) <= SHORT for option in self.options)


def missing(question: str) -> str:
    """Return the message for a question without an answer."""
    return gettext("Answer “%(question)s”") % {"question": isolated(question)}


def short_answer_field(label: str, longest: int) -> forms.CharField:
    """Return a form field for a short written answer."""
    return line_field(
        label,
        length=longest,
        initial=None,
        error_messages={"max_length": _("Write at most %(limit_value)d characters.")},
    )


class OneTextForm(ScreenForm):
    """The form of one text."""

    @property
    def shown(self) -> ShownPart:
        """The text."""
        return self.screen.shown_parts[0]
