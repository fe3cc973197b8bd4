"""The questions of a questionnaire: their kinds, and the criteria that each question becomes in the ratings."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from django.utils.text import Truncator, slugify
from django.utils.translation import gettext

from tasks_app.task_types.base import Criterion

GRID, SINGLE, MULTIPLE = "grid", "single", "multiple"
NUMBER, TEXT, LONG_TEXT, DATE, TICK = "number", "text", "long_text", "date", "tick"
KINDS = (GRID, SINGLE, MULTIPLE, NUMBER, TEXT, LONG_TEXT, DATE, TICK)

# The column of a criterion's name.
LONGEST_NAME = 200

# Longest answer in words if the question sets no limit.
LONGEST_ANSWER = {TEXT: 500, LONG_TEXT: 5000}

# A list of radio buttons longer than this is a menu.
LONGEST_LIST = 12

PREFER_NOT = "prefer-not-to-say"


@dataclass(frozen=True, slots=True)
class Option:
    """Something to choose, or a row of a grid. `alone`: it cannot be chosen together with others."""

    key: str
    words: str
    alone: bool = False


def key_from(words: str, number: int) -> str:
    """Return the key of an option or row that was given none: its words in Latin letters, else its number."""
    return slugify(words)[:60].strip("-") or str(number)


@dataclass(frozen=True, slots=True)
class Question:
    """One question, or one grid of rows with the same options.

    `points` with the words `low` and `high` stands for options of which only the ends are worded. `minimum` and
    `maximum` are numbers, or days as YYYY-MM-DD. `ordered` options are steps of a scale.
    """

    key: str
    kind: str
    question: str
    note: str = ""
    required: bool = True
    options: tuple[Option, ...] = ()
    rows: tuple[Option, ...] = ()
    points: int = 0
    low: str = ""
    high: str = ""
    ordered: bool = False
    decimals: bool = False
    minimum: float | str | None = None
    maximum: float | str | None = None
    longest: int = 0
    prefer_not: bool = False

    @property
    def is_scale(self) -> bool:
        """Whether its answers are steps, from 1 on."""
        return self.kind == GRID or (self.kind == SINGLE and (self.ordered or bool(self.points)))

    @property
    def is_menu(self) -> bool:
        """Whether its options are too many for a list."""
        return self.kind == SINGLE and not self.points and len(self.choices) > LONGEST_LIST

    @property
    def choices(self) -> tuple[Option, ...]:
        """The options, with “prefer not to say” at the end where that is offered."""
        if self.points:
            words = (self.low, *[""] * (self.points - 2), self.high)
            return tuple(Option(str(step), word) for step, word in enumerate(words, start=1))
        more = (Option(PREFER_NOT, gettext("Prefer not to say"), alone=True),) if self.prefer_not else ()
        return (*self.options, *more)

    @property
    def most_characters(self) -> int:
        """The most characters of an answer in words."""
        return self.longest or LONGEST_ANSWER.get(self.kind, 0)


@dataclass(frozen=True, slots=True)
class Prompt:
    """The question of one criterion: a question, a row of a grid, or one option of several."""

    question: Question
    criterion: Criterion
    option: Option | None = None


def prompts_of(question: Question, language: str = "") -> Iterator[Prompt]:
    """Yield the prompts of a question, one for each criterion: every prompt has one answer."""
    plain = Criterion(question.key, "", question.note, question.question, kind="question", language=language)
    if question.points:
        plain = replace(plain, low=question.low, high=question.high)
    elif question.kind in {GRID, SINGLE}:
        plain = replace(plain, labels=tuple(option.words for option in question.choices))
    if question.kind == GRID:
        for row in question.rows:
            key = f"{question.key}-{row.key}"
            yield Prompt(question, replace(plain, key=key, name=_name(row.words), question=row.words), row)
    elif question.kind == MULTIPLE:
        for option in question.choices:
            key = f"{question.key}-{option.key}"
            yield Prompt(question, replace(plain, key=key, name=_name(option.words)), option)
    else:
        yield Prompt(question, replace(plain, name=_name(question.question)))


def _name(words: str) -> str:
    return Truncator(words).chars(LONGEST_NAME)


def as_data(question: Question) -> dict[str, object]:
    """Return a question as a study file has it, without settings that have their usual values."""
    data: dict[str, object] = {"key": question.key, "kind": question.kind, "question": question.question}
    usual = Question("", "", "")
    for name in ("note", "required", "points", "low", "high", "ordered", "decimals", "longest", "prefer_not"):
        if (value := getattr(question, name)) != getattr(usual, name):
            data[name] = value
    for name in ("minimum", "maximum"):
        if (value := getattr(question, name)) is not None:
            data[name] = value
    for name in ("rows", "options"):
        if options := getattr(question, name):
            data[name] = [_option_data(option, number) for number, option in enumerate(options, start=1)]
    return data


def _option_data(option: Option, number: int) -> object:
    if not option.alone and option.key == key_from(option.words, number):
        return option.words
    return {"key": option.key, "words": option.words, **({"alone": True} if option.alone else {})}


def labels_of(question: Question, criterion: Criterion) -> tuple[str, ...]:
    """Return the words of the options: the study's where it has one for each, else the questionnaire's."""
    own = tuple(option.words for option in question.choices)
    if criterion.labels:
        return criterion.labels if len(criterion.labels) == len(own) else own
    if question.points and (criterion.low or criterion.high):
        return (criterion.low, *[""] * (question.points - 2), criterion.high)
    return own
