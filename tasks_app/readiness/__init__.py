"""Points to settle before a study opens: left-over text, contradictions, broken texts, gaps for raters.

A verdict of Review is a promise: nobody may read "ready" where a careful colleague would find something. Each check is
a function from `Facts` to points; what other apps add to a study, they check themselves, by `register`.
"""

from tasks_app.readiness import (
    contacts,
    contradictions,
    counts,
    favoured,
    leftovers,
    limits,
    numbers_stated,
    other_tasks,
    questions,
    scale_labels,
    sets,
    texts,
    wording,
    wordings,
)
from tasks_app.readiness.base import Check, Facts, Level, Point, points, register
from tasks_app.readiness.leftovers import leftovers_in

__all__ = [
    "Check",
    "Facts",
    "Level",
    "Point",
    "contacts",
    "contradictions",
    "counts",
    "favoured",
    "leftovers",
    "leftovers_in",
    "limits",
    "numbers_stated",
    "other_tasks",
    "points",
    "questions",
    "register",
    "scale_labels",
    "sets",
    "texts",
    "wording",
    "wordings",
]
