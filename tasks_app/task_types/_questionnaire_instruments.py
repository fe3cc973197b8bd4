"""The questionnaires that come ready to use, as data files."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"

# The instrument that consists of the researcher's own questions only.
OWN = "own"


@lru_cache
def instrument_data(name: str) -> dict[str, Any]:
    """Return a ready-made questionnaire: where it is from, its words and its questions."""
    if name == OWN:
        return {"language": "", "introduction": "", "questions": []}
    data: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    return data


def introduction_of(name: str) -> str:
    """Return what stands above the questions."""
    return str(instrument_data(name)["introduction"])


def questions_of(name: str, timeframe: str) -> list[dict[str, Any]]:
    """Return the questions of an instrument as a study file would have them, about a time where it asks about one."""
    data = instrument_data(name)
    when = data.get("timeframes", {}).get(timeframe, "")
    return [{**one, "question": one["question"].replace("{timeframe}", when)} for one in data["questions"]]
