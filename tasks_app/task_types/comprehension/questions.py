"""The questions of an item about its texts, with the right answers, which never reach a rater's page."""

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

from tasks_app.settings.fields import naming
from tasks_app.settings.study import Block
from tasks_app.task_types.list_fields import Entry, LineField, WordsField
from tasks_app.texts.plaintext import problem_in

# The name of the list in an item's options.
QUESTIONS = "questions"

LEAST_OPTIONS, MOST_OPTIONS = 2, 8
LONGEST_QUESTION, LONGEST_ANSWER = 1_000, 200

NAMES = {"question", "options", "correct"}


@dataclass(frozen=True, slots=True)
class ItemQuestion:
    """One question about the texts of an item.

    `number` counts from 1. `options` are in the researcher's order, empty where raters write a short answer. `correct`
    are the answers that are right: one of the options, or everything that counts as right in a short answer.
    """

    number: int
    words: str
    options: tuple[str, ...]
    correct: tuple[str, ...]

    def is_right(self, answer: str) -> bool:
        """Return whether an answer is right; short answers are compared without case, outer signs and double spaces."""
        if self.options:
            return answer in self.correct
        return compared(answer) in set(map(compared, self.correct))


def compared(answer: str) -> str:
    """Return a short answer as it is compared with the right ones."""
    words = " ".join(unicodedata.normalize("NFKC", answer).casefold().split())
    return words.strip(" .,;:!?\"'“”„‘’«»。、！？")


def questions_of(options: Mapping[str, object]) -> tuple[ItemQuestion, ...]:
    """Return the questions in the options of an item; none unless all of them are sound."""
    given = options.get(QUESTIONS)
    if not isinstance(given, list | tuple) or any(_problem_of(entry) for entry in given):
        return ()
    return tuple(
        ItemQuestion(
            number, entry["question"].strip(), tuple(entry.get("options") or ()), tuple(_listed(entry["correct"]))
        )
        for number, entry in enumerate(given, start=1)
    )


def problems_in(options: Mapping[str, object], most: int) -> Iterator[str]:
    """Yield a sentence for everything that is wrong with the questions of an item."""
    given = options.get(QUESTIONS)
    if not isinstance(given, list | tuple) or not given:
        yield _(
            "The column options has no questions about the text. Write "
            '{"questions": [{"question": "…?", "options": ["…", "…"], "correct": "…"}]}.'
        )
        return
    if len(given) > most:
        yield _("The item has %(n)d questions; the setting questions allows %(most)d.") % {
            "n": len(given),
            "most": most,
        }
    for number, entry in enumerate(given, start=1):
        if problem := _problem_of(entry):
            yield _("Question %(n)d: %(problem)s") % {"n": number, "problem": problem}


def _problem_of(given: object) -> str | None:
    """Return the problem with one question as a sentence, or None."""
    if not isinstance(given, Mapping):
        return _('It is written as {"question": "…?", "options": ["…", "…"], "correct": "…"}.')
    if unknown := sorted(map(str, set(given) - NAMES)):
        return _("%(name)s is unknown.") % {"name": unknown[0][:60]}
    if not _is_text(given.get("question"), LONGEST_QUESTION):
        return _("“question” is a text of at most %(n)d characters.") % {"n": LONGEST_QUESTION}
    options = given.get("options") or ()
    return (_problem_in_options(options) if options else None) or _problem_in_correct(given.get("correct"), options)


def _problem_in_correct(given: object, options: list[str] | tuple[str, ...]) -> str | None:
    correct = _listed(given)
    if not correct or not all(_is_text(answer, LONGEST_ANSWER) for answer in correct):
        return _("“correct” is the right answer or, for a short answer, a list of all that are right.")
    if not options:
        return None if all(map(compared, correct)) else _("A right answer holds at least one letter or digit.")
    if len(correct) != 1 or correct[0] not in options:
        return _("“correct” must be exactly one of the options.")
    return None


def _problem_in_options(options: object) -> str | None:
    sound = isinstance(options, list | tuple) and all(_is_text(option, LONGEST_ANSWER) for option in options)
    if not sound or not isinstance(options, list | tuple):
        return _(
            "“options” are a list of texts of one line and at most %(n)d characters, without spaces around them."
        ) % {"n": LONGEST_ANSWER}
    if not LEAST_OPTIONS <= len(options) <= MOST_OPTIONS:
        return _("There must be %(least)d to %(most)d options; there are %(n)d.") % {
            "least": LEAST_OPTIONS,
            "most": MOST_OPTIONS,
            "n": len(options),
        }
    return _("Two options are the same.") if len(set(options)) < len(options) else None


def _is_text(given: object, longest: int) -> bool:
    if not isinstance(given, str) or not given.strip() or len(given) > longest or problem_in(given):
        return False
    return longest == LONGEST_QUESTION or (given == given.strip() and len(given.splitlines()) == 1)


def _listed(given: object) -> list[str]:
    return list(given) if isinstance(given, list | tuple) else [given] if isinstance(given, str) else []


class OnlyIfEntry(Entry):
    """A criterion that is asked only after some answers to an earlier one."""

    criterion = naming(LineField(max_length=100, label=lazy("Question")), "criteria")
    after = naming(LineField(max_length=100, label=lazy("Earlier question")), "criteria")
    answers = WordsField(label=lazy("Only after these answers"))

    class Settings(Block):
        def clean_answers(self) -> list[str]:
            """Refuse an empty list: the criterion would never be asked."""
            answers: list[str] = self.cleaned_data["answers"]
            if not answers:
                raise forms.ValidationError(_("Name the answers after which the criterion is asked."))
            return answers
