"""The JSON file that the public form of HEDS 3.0 saves and loads (nlp-heds.github.io).

One object for each field. Its `data` has one value by the empty key, and in section 4 one value for each criterion by
its name. An option is a field of its own that is true or false, with the words of the form in `text` where it is
chosen. The field that lists the criteria has them in `control`; the one that is true is on the screen.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analytics_app.heds.answers import Answer, BadAnswer, checked
from analytics_app.heds.questions import CRITERIA_FIELD, Question, questions
from analytics_app.heds.sheet import Entry, Sheet
from tasks_app.studyfile.files import plain
from tasks_app.studyfile.files.apart import read_apart
from tasks_app.studyfile.problems import Problem, StudyFileError

EVERYWHERE = ""
# More than any datasheet is long.
MOST_BYTES = 5_000_000
# A datasheet has some hundred fields, with a value for each criterion.
MOST_VALUES = 100_000


class BadFile(ValueError):
    """A file that is no datasheet of this study; `problems` are sentences that name the field."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Read:
    """Answers by the keys of their entries, and the fields that no question has."""

    answers: Mapping[str, Answer]
    unknown: Sequence[str]


def write(sheet: Sheet) -> str:
    """Return the file for the public form."""
    return json.dumps(document(sheet), indent=4, ensure_ascii=False) + "\n"


def document(sheet: Sheet) -> dict[str, Any]:
    """Return the content of the file for the public form."""
    by_question: dict[str, list[Entry]] = {number: [] for number in questions()}
    for entry in sheet.entries:
        by_question[entry.question.number].append(entry)
    names = list(sheet.names.values())
    fields: dict[str, Any] = {}
    for number, question in questions().items():
        if question.is_per_criterion and CRITERIA_FIELD not in fields:
            fields[CRITERIA_FIELD] = {
                "data": {names[0] if names else EVERYWHERE: ""},
                "control": {name: name == names[0] for name in names},
                "text": {},
                "number": "",
            }
        fields.update(_fields(question, by_question[number]))
    return fields


def _fields(question: Question, entries: Sequence[Entry]) -> Iterator[tuple[str, dict[str, Any]]]:
    for option in question.options:
        chosen = {entry.name or EVERYWHERE: option.number in entry.answer.options for entry in entries}
        texts = {name: option.printed if is_chosen else "" for name, is_chosen in chosen.items()}
        field = {"data": chosen, "control": {}, "text": texts, "number": question.number}
        yield question.option_field(option), field
    texts = {entry.name or EVERYWHERE: entry.answer.text for entry in entries}
    # The form gives no number to the text beside options.
    yield (
        question.text_field,
        {"data": texts, "control": {}, "number": None if question.has_options else question.number},
    )


def read(sheet: Sheet, content: bytes) -> Read:
    """Read a file of the public form for a study.

    Raises
    ------
    BadFile
        With every problem: no JSON, values of the wrong kind, criteria that the study does not have.
    """
    form = _parsed(content)
    problems: list[str] = []
    keys = {name: key for key, name in sheet.names.items()}
    answers: dict[str, Answer] = {}
    known = {CRITERIA_FIELD}
    listed = _listed(form)
    if absent := [name for name in listed if name not in keys]:
        criteria = ", ".join(f"“{name}”" for name in keys) or "none"
        problems += [
            f"{CRITERIA_FIELD}: the study has no criterion “{name}”; its criteria: {criteria}." for name in absent
        ]
    for question in questions().values():
        known |= {question.text_field, *map(question.option_field, question.options)}
        places = [name for name in listed if name in keys] if question.is_per_criterion else [EVERYWHERE]
        for place in places:
            key = f"{question.number}~{keys[place]}" if place else question.number
            answer = _answer(question, form, place, problems)
            if answer is not None:
                answers[key] = answer
    if problems:
        raise BadFile(problems)
    return Read(answers, sorted(name for name in form if name not in known))


def _parsed(content: bytes) -> dict[str, Any]:
    if len(content) > MOST_BYTES:
        raise BadFile([f"The file is larger than {MOST_BYTES:,} bytes, so it is not a datasheet."])
    try:
        given = read_apart(plain.json_object, content, name="datasheet", values=MOST_VALUES)
    except StudyFileError as error:
        raise BadFile([_in_words(problem) for problem in error.problems]) from None
    if problems := [f"{name}: must be an object with “data”." for name, field in given.items() if not _is_field(field)]:
        raise BadFile(problems[:20])
    return given


def _in_words(problem: Problem) -> str:
    place = f"Line {problem.line}, column {problem.column}: " if problem.line else ""
    return f"{place}{problem.message}"


def _is_field(field: object) -> bool:
    return isinstance(field, dict) and isinstance(field.get("data"), dict)


def _listed(given: Mapping[str, Any]) -> list[str]:
    """Return the criteria that the file lists."""
    control = given.get(CRITERIA_FIELD, {}).get("control", {})
    return list(control) if isinstance(control, dict) else []


def _answer(question: Question, given: Mapping[str, Any], place: str, problems: list[str]) -> Answer | None:
    """Return the answer of the file at a place; None if the file does not have the question."""
    names = [question.text_field, *map(question.option_field, question.options)]
    if not any(place in given.get(name, {}).get("data", {}) for name in names):
        return None
    where = f" ({place})" if place else ""
    chosen = []
    for option in question.options:
        value = given.get(question.option_field(option), {}).get("data", {}).get(place, False)
        if not isinstance(value, bool):
            problems.append(f"{question.option_field(option)}{where}: must be true or false.")
        elif value:
            chosen.append(option.number)
    text = given.get(question.text_field, {}).get("data", {}).get(place, "")
    if not isinstance(text, str):
        problems.append(f"{question.text_field}{where}: must be a text.")
        return None
    try:
        return checked(question, text, chosen)
    except BadAnswer as error:
        problems.append(f"{question.field}{where}: {error}")
        return None
