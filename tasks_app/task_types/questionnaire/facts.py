"""The facts about questionnaires that pages, study files and datasheets show."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from tasks_app.task_types.base import Criterion
from tasks_app.task_types.questionnaire.questions import (
    DATE,
    GRID,
    KINDS,
    LONG_TEXT,
    MULTIPLE,
    NUMBER,
    SINGLE,
    TEXT,
    TICK,
    Prompt,
    labels_of,
)

SOURCE = (
    "Watson, Clark and Tellegen (1988). Development and validation of brief measures of positive and negative affect: "
    "the PANAS scales. Journal of Personality and Social Psychology 54(6). "
    "Balloccu and Reiter (2022). Beyond calories: evaluating how tailored communication reduces emotional load in "
    "diet-coaching. HumEval."
)
USE_WHEN = _(
    "Use it to ask raters about themselves rather than about a text: how they feel before and after reading (PANAS), "
    "who they are, how the study went. Each rater answers once a wave, so set k to the number of raters and set_size "
    "to 1. Ask PANAS before what may change the mood, leave its words and their order as published, and ask who took "
    "part last."
)
ANALYSED = _(
    "Per question: counts and shares of options, median of steps, mean and spread of numbers; answers in words are "
    "in the file of ratings. PANAS: positive and negative affect, the sums of ten words each (10 to 50), per group and "
    "wave, with alpha, and change from wave to wave. At most 2 of the 10 words of a sum may be missing and are then "
    "filled in by the mean of the others; otherwise the sum is missing, and counted as such. SUS, raw NASA-TLX and "
    "UEQ-S: their published scores, per group and wave, with alpha."
)
LIMITS = _(
    "Raters say what they think they feel, and what they think is wanted. PANAS, SUS, NASA-TLX and UEQ-S are shipped "
    "in their published English; for another language use a published translation. Nothing is asked depending on an "
    "earlier answer. Answers about persons are personal data: ask only for what the study needs."
)

OUTCOME_OF_KIND = {
    GRID: "step",
    SINGLE: "choice",
    MULTIPLE: "ticked",
    NUMBER: "number",
    TEXT: "words",
    LONG_TEXT: "words",
    DATE: "day",
    TICK: "ticked",
}

# One question of every kind.
SAMPLE: list[dict[str, Any]] = [
    {
        "key": "reading",
        "kind": GRID,
        "question": "How often do you read each of these?",
        "options": ["Never", "Seldom", "Now and then", "Often", "Every day"],
        "rows": ["Newspapers", "Novels", "Manuals and instructions"],
    },
    {
        "key": "ease",
        "kind": SINGLE,
        "question": "How easy is reading for you?",
        "points": 5,
        "low": "Hard",
        "high": "Easy",
    },
    {"key": "where", "kind": SINGLE, "question": "Where do you read most?", "options": ["On paper", "On a screen"]},
    {
        "key": "devices",
        "kind": MULTIPLE,
        "question": "Which of these have you used today?",
        "options": ["Phone", "Computer", {"key": "none", "words": "None of these", "alone": True}],
    },
    {
        "key": "books",
        "kind": NUMBER,
        "question": "How many books did you read in a year?",
        "minimum": 0,
        "maximum": 99,
    },
    {"key": "last-book", "kind": TEXT, "question": "What did you read last?", "required": False},
    {"key": "why", "kind": LONG_TEXT, "question": "Why do you read?", "note": "A few words are enough."},
    {"key": "visit", "kind": DATE, "question": "When were you last in a library?", "minimum": "1950-01-01"},
    {"key": "agree", "kind": TICK, "question": "My answers may be quoted without my name."},
]

_WORDS = {"type": "string", "minLength": 1}
_OPTIONS = {
    "type": "array",
    "items": {
        "anyOf": [
            _WORDS,
            {
                "type": "object",
                "properties": {"key": _WORDS, "words": _WORDS, "alone": {"type": "boolean"}},
                "required": ["words"],
                "additionalProperties": False,
            },
        ]
    },
}
QUESTIONS_SCHEMA: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "key": _WORDS,
            "kind": {"type": "string", "enum": list(KINDS)},
            "question": _WORDS,
            "note": {"type": "string"},
            "required": {"type": "boolean", "default": True},
            "options": _OPTIONS,
            "rows": _OPTIONS,
            "points": {"type": "integer", "minimum": 2, "maximum": 11},
            "low": {"type": "string"},
            "high": {"type": "string"},
            "ordered": {"type": "boolean", "default": False},
            "prefer_not": {"type": "boolean", "default": False},
            "minimum": {"type": ["number", "string"]},
            "maximum": {"type": ["number", "string"]},
            "decimals": {"type": "boolean", "default": False},
            "longest": {"type": "integer", "minimum": 1},
        },
        "required": ["key", "kind", "question"],
        "additionalProperties": False,
    },
}

# The ways of a questionnaire with texts that were written for one rater each.
NO_TEXT, WAIT, GO_ON = "none", "wait", "go_on"
PERSONAL_TEXTS = (
    (NO_TEXT, _("none is shown")),
    (WAIT, _("shown; raters without one wait until it is uploaded")),
    (GO_ON, _("shown; raters without one answer without it")),
)

_PRESENTED = {
    GRID: "multiple choice",
    SINGLE: "multiple choice",
    MULTIPLE: "check-boxes",
    TICK: "check-boxes",
    NUMBER: "other: a field for a number",
    DATE: "other: a field for a day",
    TEXT: "N/A",
    LONG_TEXT: "N/A",
}


def heds(prompt: Prompt, criterion: Criterion) -> dict[str, str]:
    """Describe one question as an instrument, for the datasheet."""
    question = prompt.question
    answers = {"4.3.5": _PRESENTED[question.kind]}
    if question.kind in {TEXT, LONG_TEXT}:
        answers |= {
            "4.3.3": "N/A",
            "4.3.4": "N/A",
            "4.3.6": f"Evaluators answer in their own words, at most {question.most_characters} characters.",
            "4.3.8": "qualitative feedback",
        }
        return answers
    if question.kind in {SINGLE, GRID}:
        words = labels_of(question, criterion)
        steps = [f"{n} ({word})" if word else f"{n}" for n, word in enumerate(words, start=1)]
        answers |= {"4.3.3": f"{len(words)}", "4.3.4": ", ".join(steps if question.is_scale else words)}
    elif question.kind in {MULTIPLE, TICK}:
        answers |= {"4.3.3": "2", "4.3.4": "1 (ticked), 0 (not ticked)"}
    else:
        low, high = (("any" if end is None else f"{end}") for end in (question.minimum, question.maximum))
        size = "continuous" if question.kind == NUMBER and question.decimals else "N/A"
        answers |= {"4.3.3": size, "4.3.4": f"from {low} to {high}"}
    if question.kind == GRID and question.question:
        answers["4.3.5"] += f", one row of a grid, under the words “{question.question}”"
    return {**answers, "4.3.8": "other: evaluators answer a question about themselves"}
