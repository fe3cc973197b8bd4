"""The content of the draft of a consent text: the values of the set-up, and the questions for missing values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tasks_app import task_types
from tasks_app.hooks.sections import Json, Path
from tasks_app.models.setup_document import value_at
from tasks_app.readiness.leftovers import found_in

# Channels that tell who a rater is on a platform, and those that know raters by name.
PLATFORMS = {"prolific": "Prolific", "mturk": "Amazon Mechanical Turk"}
BY_NAME = frozenset({"invited", "account"})


@dataclass(frozen=True, slots=True)
class Question:
    """One thing that the text needs and the set-up does not say.

    The answer is kept at the `path` of a setting where there is one, else beside the form. Where an answer is not
    required and not given, the text leaves its sentence out. `usual` is what most studies answer.
    """

    name: str
    label: Promise
    help: Promise | str = ""
    path: Path = ()
    required: bool = True
    is_number: bool = False
    is_money: bool = False
    usual: Callable[[Facts], Promise | str] | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the answer that its field begins with, and the words of the form that are to be replaced."""

    question: Question
    initial: str = ""
    to_replace: str = ""


class Facts:
    """The facts of the set-up and the answers."""

    def __init__(self, given: Mapping[str, Json], minutes: float | None, answers: Mapping[str, str]) -> None:
        self.given, self.answers = given, {name: " ".join(text.split()) for name, text in answers.items()}
        stated_minutes = number_of(self.value("pay", "minutes")) or number_of(self.answers.get("minutes"))
        self.minutes = stated_minutes or (Decimal(str(minutes)) if minutes else None)

    def has(self, question: Question) -> bool:
        """Return whether the set-up answers a question."""
        if question.is_number or question.is_money:
            return bool(self.minutes if question.name == "minutes" else number_of(self.value(*question.path)))
        return bool(question.path and self.answered(question))

    def answered(self, question: Question) -> str:
        """Return the answer of the set-up to a question; "" if that is itself to be replaced."""
        return "" if not question.path or self.to_replace(question) else self.words(*question.path)

    def to_replace(self, question: Question) -> str:
        """Return the left-over words in the setting of a question; "" if there are none."""
        return found_in(self.words(*question.path), any_bracket=True) if question.path else ""

    def begins_with(self, question: Question) -> str:
        """Return the initial value of a question's field: the earlier answer, or the answer of most studies."""
        earlier = self.answers.get(question.name, "")
        return earlier or (str(question.usual(self)) if question.usual is not None else "")

    def answer(self, name: str) -> str:
        """Return the answer of the set-up or of the questions, else the label in brackets; "" if optional."""
        question = _QUESTION[name]
        answer = self.answered(question)
        if question.is_number and (number := number_of(self.value(*question.path))):
            answer = plain(number)
        answer = answer or self.answers.get(name, "")
        return answer or (f"[{question.label}]" if question.required else "")

    def value(self, *path: str | int) -> Json:
        return value_at(self.given, path)

    def words(self, *path: str | int) -> str:
        """Return a text in one line, "" where there is none."""
        value = self.value(*path)
        return " ".join(value.split()) if isinstance(value, str) else ""

    def sentence(self, name: str) -> str:
        """Return an answer with one full stop; "" where there is none."""
        words = self.answer(name)
        return f"{words.rstrip('.')}." if words else ""

    @property
    def tasks(self) -> list[Json]:
        tasks = self.value("tasks")
        return [task for task in tasks if isinstance(task, Mapping)] if isinstance(tasks, list) else []

    def tasks_without_texts(self) -> bool:
        """Return whether raters are asked about themselves."""
        members = (task_types.registry.get(str(task.get("type"))) for task in self.tasks)
        return any(member is not None and not member.needs_items for member in members)

    def judges_texts(self) -> bool:
        members = [task_types.registry.get(str(task.get("type"))) for task in self.tasks]
        return not members or any(member is None or member.needs_items for member in members)

    def screens(self) -> bool:
        return any(task.get("stage") == "screening" for task in self.tasks)

    @property
    def channels(self) -> list[str]:
        channels = self.value("channels")
        return list(channels) if isinstance(channels, Mapping) and channels else ["link"]

    @property
    def pay(self) -> Json:
        """The pay for a full set, as the set-up or else an answer says."""
        return self.value("pay", "amount") or self.answers.get("amount")

    @property
    def is_pay_open(self) -> bool:
        """Whether nothing was said about the pay yet, although raters come from a platform where they are paid."""
        return not self.pay and any(name in PLATFORMS for name in self.channels)

    def money(self, *path: str | int) -> str:
        """Return an amount with its currency, "" for none."""
        amount = number_of(self.pay if path == ("pay", "amount") else self.value(*path))
        return f"{amount:.2f} {self.words('pay', 'currency') or 'EUR'}" if amount else ""


def number_of(value: Json) -> Decimal | None:
    """Return a number that is more than zero."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() and Decimal("1e-6") < number < Decimal("1e9") else None


def plain(number: Decimal) -> str:
    return f"{number:.1f}".removesuffix(".0")


def _always(_facts: Facts) -> bool:
    return True


def _usually_paid(facts: Facts) -> str:
    named = [PLATFORMS[name] for name in facts.channels if name in PLATFORMS]
    return f"within three weeks, through {' and '.join(named)}" if named else ""


# What the text needs, and when: in the order in which it is asked.
QUESTIONS: tuple[tuple[Question, Callable[[Facts], bool]], ...] = (
    (
        Question(
            "purpose",
            _("What the study is for"),
            _("Finish “This is a study on …” without saying what is compared."),
        ),
        _always,
    ),
    (Question("institution", _("Who runs it: group and institution"), path=("about", "institution")), _always),
    (Question("minutes", _("Minutes that a set takes"), path=("pay", "minutes"), is_number=True), _always),
    (
        Question(
            "amount",
            _("Pay for a full set"),
            path=("pay", "amount"),
            is_money=True,
            usual=lambda facts: "" if facts.is_pay_open else "0",
        ),
        _always,
    ),
    (
        Question(
            "paid",
            _("When and how raters are paid"),
            _("Such as: within a week, through Prolific. Leave empty if nobody is paid."),
            ("pay", "paid"),
            required=False,
            usual=_usually_paid,
        ),
        _always,
    ),
    (
        Question(
            "identities_days",
            _("Days after which ids of the platform are deleted"),
            _("Counted from the end of a rater's participation."),
            ("about", "identities_days"),
            is_number=True,
            usual=lambda _facts: "90",
        ),
        lambda facts: bool(set(PLATFORMS) & set(facts.channels)),
    ),
    (
        Question("names_until", _("How long names and addresses are kept"), _("Finish “until …”.")),
        lambda facts: bool(BY_NAME & set(facts.channels)),
    ),
    (
        Question(
            "kept",
            _("How long answers are kept"),
            path=("about", "kept"),
            usual=lambda _facts: _("for ten years after the results are published"),
        ),
        _always,
    ),
    (
        Question(
            "published",
            _("What is published, and where"),
            path=("about", "published"),
            usual=lambda _facts: _(
                "Summaries in a scientific publication, and with it the answers under made-up names"
            ),
        ),
        _always,
    ),
    (Question("contact", _("An address that somebody reads"), path=("about", "contact")), _always),
    (
        Question(
            "complaints",
            _("Whom raters can complain to outside the team"),
            _("Such as the ethics board."),
            ("about", "complaints"),
        ),
        _always,
    ),
    (
        Question(
            "ethics",
            _("Approval of the ethics board"),
            _("Name of the board and number of its approval. Leave empty if there is none."),
            ("about", "ethics"),
            required=False,
        ),
        _always,
    ),
    (
        Question("officer", _("Data protection officer"), _("Name and address, if there is one."), required=False),
        _always,
    ),
    (Question("authority", _("Data protection authority"), required=False), _always),
    (
        Question(
            "sensitive",
            _("Sensitive things that you ask about"),
            _("Such as health, opinions or origin. Leave empty if there are none."),
            required=False,
        ),
        Facts.tasks_without_texts,
    ),
    (
        Question("age", _("Minimum age of raters"), _("18 if you leave it empty."), required=False, is_number=True),
        _always,
    ),
)

_QUESTION = {question.name: question for question, _is_asked in QUESTIONS}


def questions_for(
    given: Mapping[str, Json], minutes: float | None, answers: Mapping[str, str] | None = None
) -> list[Asked]:
    """Return the questions to ask before the text is whole, without those that the set-up answers already.

    `answers` are earlier ones, which fields begin with.
    """
    facts = Facts(given, minutes, answers or {})
    return [
        Asked(question, facts.begins_with(question), facts.to_replace(question))
        for question, is_asked in QUESTIONS
        if is_asked(facts) and not facts.has(question)
    ]
