"""The questions of the datasheet: numbers in both versions, our words, and the fields of the public form.

`questions.json` holds them. Words and guidance are ours; `field` and `printed` are what the public form of version 3.0
(nlp-heds.github.io) calls the field and prints beside an option, for its files must hold both.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("questions.json")

# The field of the public form that lists the criteria.
CRITERIA_FIELD = "heds-criteria-criterion"

SECTIONS: Mapping[str, str] = {
    "1": "Paper and resources",
    "2": "Systems",
    "3": "Sample, evaluators and design",
    "4": "Quality criteria",
    "5": "Ethics",
}


class Version(StrEnum):
    """A version of the datasheet."""

    TWO = "2.0"
    THREE = "3.0"


class Kind(StrEnum):
    """The kind of answer of a question. An integer may also be N/A."""

    TEXT = "text"
    INTEGER = "integer"
    ONE = "one"
    SEVERAL = "several"


class Fill(StrEnum):
    """The source of answers: the study, the study with the researcher's help, or only the researcher."""

    AUTO = "auto"
    HALF = "half"
    ASK = "ask"


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a question; `number` counts from 1 in the order of the public form.

    `needs_text` says that whoever chooses it should explain it. `code` is the ISO 639-1 code of a language.
    """

    number: int
    words: str
    printed: str
    needs_text: bool = False
    code: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question. Answers are stored by `number`, that of version 3.0; `number_2` is empty if it is not in 2.0."""

    number: str
    number_2: str
    words: str
    guidance: str
    kind: Kind
    is_per_criterion: bool
    fill: Fill
    field: str
    options: tuple[Option, ...] = ()

    @property
    def section(self) -> str:
        """The number of the section."""
        return self.number.partition(".")[0]

    @property
    def has_options(self) -> bool:
        """Return whether the answer is a choice."""
        return self.kind in {Kind.ONE, Kind.SEVERAL}

    @property
    def text_field(self) -> str:
        """The field of the public form that takes the text of an answer."""
        return f"{self.field}-other_text" if self.has_options else self.field

    def option_field(self, option: Option) -> str:
        """Return the field of the public form that says whether an option is chosen."""
        return f"{self.field}-{option.number}"

    def number_in(self, version: Version) -> str:
        """Return the number in a version; empty where the version does not ask it."""
        return self.number if version == Version.THREE else self.number_2


@cache
def questions() -> Mapping[str, Question]:
    """Return every question by its number in version 3.0, in the order of the datasheet."""
    document = json.loads(_FILE.read_text(encoding="utf-8"))
    return {row["number"]: _question(row, document["languages"]) for row in document["questions"]}


def questions_of(version: Version, *, per_criterion: bool | None = None) -> Sequence[Question]:
    """Return the questions of a version, or only those of the experiment or of each criterion."""
    return [
        question
        for question in questions().values()
        if question.number_in(version) and per_criterion in (None, question.is_per_criterion)
    ]


@cache
def language_options() -> Mapping[str, int]:
    """Return the numbers of the options for languages by their ISO 639-1 codes."""
    return {option.code: option.number for option in questions()["2.5"].options if option.code}


@cache
def language_names() -> Mapping[str, str]:
    """Return the names of languages by their ISO 639-1 codes."""
    return {option.code: option.words for option in questions()["2.5"].options if option.code}


def _question(row: Mapping[str, Any], languages: Sequence[Mapping[str, Any]]) -> Question:
    options = languages if row.get("options") == "languages" else row.get("options", ())
    return Question(
        number=row["number"],
        number_2=row["number_2"],
        words=row["words"],
        guidance=row["guidance"],
        kind=Kind(row["kind"]),
        is_per_criterion=row["per"] == "criterion",
        fill=Fill(row["fill"]),
        field=row["field"],
        options=tuple(
            Option(number, option["words"], option["printed"], option.get("explain", False), option.get("code", ""))
            for number, option in enumerate(options, 1)
        ),
    )
