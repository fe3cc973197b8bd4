"""Raters whose work was not their own: comments that were there already, and answers equal to another rater's."""

from collections.abc import Iterable, Mapping
from math import comb, prod
from typing import Any

from django.db.models import Count, Min
from django.db.models.functions import Length, Lower, Trim

from tasks_app.models import Judgment, Task

EQUAL = "equal_to_another"

# A shorter comment, such as "typo in line 2", may honestly be written again.
LONG_COMMENT = 25
# So many comments of a rater that were there already, and this share of the rater's long comments.
ENOUGH_COPIED, MOSTLY = 3, 0.5

# Two raters with this share of equal answers to so many texts, which is less likely by chance than `SURE`: over all
# questions of the task together, and for any two of its raters.
NEARLY_ALL, ENOUGH_SHARED, SURE = 0.95, 10, 0.01


def copied_comments(tasks: Iterable[Task]) -> frozenset[str]:
    """Return the raters, by pseudonym, most of whose long comments had been written already; one query.

    A comment is a copy where another rater wrote the same words before, or the same rater about another unit. The first
    who wrote them is no copier.
    """
    written = Judgment.objects.current().filter(assignment__unit__task__in=[task.pk for task in tasks])
    rows = (
        written.annotate(words=Lower(Trim("comment")))
        .annotate(n_letters=Length("words"))
        .filter(n_letters__gte=LONG_COMMENT)
        .values_list("words", "assignment__rater__pseudonym")
        .annotate(first=Min("id"), n=Count("assignment__unit", distinct=True))
        .order_by()
    )
    earliest: dict[str, int] = {}
    long: dict[str, int] = {}
    found = list(rows)
    for words, rater, first, n in found:
        earliest[words] = min(first, earliest.get(words, first))
        long[rater] = long.get(rater, 0) + n
    copied: dict[str, int] = {}
    for words, rater, first, n in found:
        copied[rater] = copied.get(rater, 0) + n - (first == earliest[words])
    return frozenset(rater for rater, n in copied.items() if n >= ENOUGH_COPIED and n >= MOSTLY * long[rater])


def twins(rows: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the raters whose answers to every question of a task are nearly all equal to those of one other rater."""
    by_task: dict[str, dict[str, list[Mapping[str, Any]]]] = {}
    for row in rows:
        if row["rater"]:
            by_task.setdefault(row["task"], {}).setdefault(row["rater"], []).append(row)
    return frozenset(
        rater
        for by_rater in by_task.values()
        for rater, own in by_rater.items()
        if len({row["label"] for row in own}) == 1 and all(map(_is_equal, own))
        if prod(row["p"] for row in own) * comb(len(by_rater), 2) < SURE
    )


def _is_equal(row: Mapping[str, Any]) -> bool:
    return row["p"] is not None and row["value"] >= NEARLY_ALL and (row["n_ratings"] or 0) >= ENOUGH_SHARED
