"""One example for each answer, with made-up names and numbers."""

from __future__ import annotations

import json
from typing import Any

from analytics_app.exports import ratings
from analytics_app.results import COLUMNS


def _cell(value: object) -> str:
    """Return a value as a cell of a CSV file."""
    if isinstance(value, dict):
        return '"' + json.dumps(value).replace('"', '""') + '"'
    return "" if value is None else str(value)


RATING: dict[str, Any] = dict.fromkeys(ratings.COLUMNS) | {
    "judgment": 1204,
    "task": "main",
    "unit": "i7/north",
    "rater": "r-k3m9xq2",
    "item": "i7",
    "system": "north",
    "criterion": "fluency",
    "value": 4,
    "arrangement": {"parts": [0], "criteria": ["fluency"]},
    "seconds": 8.4,
    "submitted_at": "2026-03-10T09:14:03.120000Z",
    "position": 12,
    "purpose": "main",
    "wave": 1,
    "version": 1,
    "state": "submitted",
    "rating": 2408,
    "feature_domain": "news",
}

RATINGS_CSV = "\r\n".join((",".join(RATING), ",".join(_cell(value) for value in RATING.values()), ""))

RUN: dict[str, Any] = {
    "number": 3,
    "state": "done",
    "planned": True,
    "trigger": "closing",
    "version": 1,
    "n_seen": 600,
    "created": "2026-03-20T17:30:01Z",
    "finished": "2026-03-20T17:30:09Z",
    "by": "rosa",
    "error": "",
    "url": "https://eval.example.org/api/v1/studies/summaries-2026/runs/3/",
    "results": "https://eval.example.org/api/v1/studies/summaries-2026/runs/3/results/",
}

_REPEATABLE: dict[str, Any] = {
    "seed": 20261121,
    "high_water": 2408,
    "digest": "4be0a3c4d6a1b3d0f1f0f1b9b53d9f3f0c7f0f6d4a6b3f2f8a1f5f1d7c9e0b2a",
    "code_version": "0.2.0",
    "settings": {"correction": "holm", "confidence": 0.95, "rules": [{"rule": "manual"}], "analyses": "all"},
    "facts": {"tasks": {"main": {"kept": 600}}},
}

RUN_DETAIL = {**RUN, **_REPEATABLE, "progress": {"done": 2, "running": 0, "total": 2}}

ROW: dict[str, Any] = dict.fromkeys(COLUMNS) | {
    "analysis": "systems",
    "statistic": "mean",
    "task": "main",
    "criterion": "fluency",
    "system": "north",
    "value": 3.91,
    "low": 3.78,
    "high": 4.03,
    "n_ratings": 300,
    "n_items": 100,
    "n_raters": 31,
    "basis": "kept",
    "planned": True,
}

DOCUMENT = {
    "evalweb": 1,
    "study": "summaries-2026",
    "version": 1,
    "systems_hidden": False,
    "run": {
        **{name: RUN[name] for name in ("number", "state", "planned", "trigger", "created", "finished", "n_seen")},
        **_REPEATABLE,
    },
    "rows": [ROW],
}

RESULTS_CSV = ",".join(COLUMNS) + "\r\nsystems,mean,main,fluency,north" + "," * 9 + "3.91,3.78,4.03\r\n"
