"""The questionnaires that come ready to use, as data files."""

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.utils.translation import gettext

from tasks_app.task_types.questionnaire.questions import key_from

DATA = Path(__file__).parent / "data"

# The instrument that consists of the researcher's own questions only.
OWN = "own"


@lru_cache
def instrument_data(name: str) -> dict[str, Any]:
    """Return a ready-made questionnaire: where it is from, its words and its questions.

    One that is of this application has no language of its own: it is translated. A published one is in its language,
    and stays as it was published.
    """
    if name == OWN:
        return {"label": "own questions only", "language": "", "introduction": "", "questions": []}
    data: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    return data


def instrument_choices() -> list[tuple[str, str]]:
    """Return the questionnaires that a study can ask, by the names of their data files, with their titles."""
    names = sorted(path.stem for path in DATA.glob("*.json"))
    return [(name, str(instrument_data(name)["label"])) for name in (OWN, *names)]


@dataclass(frozen=True, slots=True)
class Score:
    """A score of an instrument, and how it is made of the answers to some items.

    The steps of an item count from `first` in distances of `step`; those of the `reversed` items count from the other
    end. The score is `times` the sum or the mean of the items. With more than `most_missing` items left out there is
    none; otherwise the mean of the others stands for them. `limits` are the lowest and the highest score.
    """

    key: str
    name: str
    items: tuple[str, ...]
    reversed: frozenset[str]
    first: float
    step: float
    combine: str
    times: float
    most_missing: int
    limits: tuple[float, float]


def scores_of(name: str) -> tuple[Score, ...]:
    """Return the scores that a data file declares; none where questions are not scored, or, as PANAS, elsewhere."""
    data = instrument_data(name) if name in dict(instrument_choices()) else {}
    return tuple(_score(key, entry) for key, entry in data.get("scores", {}).items() if isinstance(entry, dict))


def _score(key: str, entry: dict[str, Any]) -> Score:
    low, high = entry["limits"]
    return Score(
        key=key,
        name=entry["name"],
        items=tuple(entry["items"]),
        reversed=frozenset(entry["reversed"]),
        first=entry["first"],
        step=entry["step"],
        combine=entry["combine"],
        times=entry["times"],
        most_missing=entry["most_missing"],
        limits=(low, high),
    )


def introduction_of(name: str) -> str:
    """Return the introduction above the questions."""
    data = instrument_data(name)
    return _translated_words(str(data["introduction"]), data)


def questions_of(name: str, timeframe: str) -> list[dict[str, Any]]:
    """Return the questions of an instrument as a study file would have them, about a time where it asks about one."""
    data = instrument_data(name)
    when = data.get("timeframes", {}).get(timeframe, "")
    questions = [
        {**question, "question": question["question"].replace("{timeframe}", when)} for question in data["questions"]
    ]
    return questions if data["language"] else [_translated(question, data) for question in questions]


def _translated(question: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Return a question in the language of the page; its keys stay."""
    options = [
        {**option, "words": _translated_words(option["words"], data)}
        if isinstance(option, dict)
        else {"key": key_from(option, number), "words": _translated_words(option, data)}
        for number, option in enumerate(question.get("options", ()), start=1)
    ]
    words = {"question": _translated_words(question["question"], data)}
    return {**question, **words, "options": options} if options else {**question, **words}


def _translated_words(words: str, data: dict[str, Any]) -> str:
    return words if data["language"] or not words else gettext(words)
