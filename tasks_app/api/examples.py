"""One example for each answer of the API, with made-up names."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiExample

STUDY = {
    "slug": "summaries-2026",
    "title": "Summaries, three systems",
    "public_title": "Reading short texts",
    "state": "closed",
    "role": "owner",
    "language": "en",
    "timezone": "Europe/Madrid",
    "version": 1,
    "created_at": "2026-03-02T08:00:00Z",
    "opened_at": "2026-03-09T08:00:00Z",
    "closed_at": "2026-03-20T17:30:00Z",
    "url": "https://eval.example.org/api/v1/studies/summaries-2026/",
}

STUDY_DETAIL = {
    **STUDY,
    "tasks": [
        {
            "key": "main",
            "title": "Fluency",
            "type": "likert",
            "params": {"points": 5},
            "design": "independent",
            "k": 3,
            "set_size": 20,
            "criteria": ["fluency"],
        }
    ],
    "criteria": [
        {
            "key": "fluency",
            "kind": "criterion",
            "name": "Fluency",
            "definition": "Grammar and choice of words.",
            "question": "How well does it read?",
            "ends": {"low": "Badly", "high": "Well"},
        }
    ],
    "systems": [{"key": "north", "name": "", "kind": "machine"}, {"key": "south", "name": "", "kind": "machine"}],
    "counts": {
        "items": 100,
        "outputs": 200,
        "units": 200,
        "places": 600,
        "answered": 600,
        "raters": 31,
        "judgments": 604,
    },
}

JUDGMENT = {
    "judgment": 1204,
    "task": "main",
    "unit": "i7/north",
    "rater": "r-k3m9xq2",
    "purpose": "main",
    "state": "submitted",
    "wave": 1,
    "position": 12,
    "arrangement": {"parts": [0], "criteria": ["fluency"]},
    "answer": {"p1-fluency": 4},
    "skip_reason": None,
    "comment": "",
    "seconds_active": 8.4,
    "seconds_elapsed": 9.1,
    "version": 1,
    "submitted_at": "2026-03-10T09:14:03.120000Z",
}


def page(entry: object, address: str, cursor: str = "1204") -> OpenApiExample:
    """Return the example of a page with one entry."""
    following = f"https://eval.example.org/api/v1/{address}?cursor={cursor}"
    return OpenApiExample("A page", value={"next": following, "results": [entry]}, response_only=True)


def answer(value: object) -> OpenApiExample:
    """Return the example of an answer."""
    return OpenApiExample("An answer", value=value, response_only=True)
