"""Find raters who copied: comments that others wrote before, and answers equal to another rater's."""

from collections.abc import Iterable, Mapping, Sequence
from math import comb, prod
from typing import Any, NamedTuple

from django.db.models import Count, Min, Q, QuerySet, Value
from django.db.models.functions import Length, Lower, Trim

from tasks_app.models import Judgment, Rating, Task

EQUAL = "equal_to_another"

# A shorter comment, such as "typo in line 2", may honestly be written again.
LONG_COMMENT = 25
# So many comments of a rater that were there already, and this share of the rater's long comments.
ENOUGH_COPIED, MOSTLY = 3, 0.5

# Two raters with this share of equal answers to so many texts, which is less likely by chance than `SURE`: over all
# questions of the task together, and for any two of its raters.
NEARLY_ALL, ENOUGH_SHARED, SURE = 0.95, 10, 0.01


class ChosenSides(NamedTuple):
    """The number of choices between two texts that a rater made, and of those for the first and the second place."""

    rater: str
    n: int
    first: int
    second: int


def copied_comments_and_sides(
    tasks: Iterable[Task], comparing: Iterable[Task]
) -> tuple[frozenset[str], list[ChosenSides]]:
    """Return the raters who mostly copied their long comments, and the places that raters chose; one query.

    Raters are named by their pseudonyms. A comment is a copy where another rater wrote the same words before, or the
    same rater about another unit. The first who wrote them is no copier. Choices are those in the tasks `comparing`,
    where places are drawn.
    """
    written = Judgment.objects.current().filter(assignment__unit__task__in=[task.pk for task in tasks])
    rows = (
        written.exclude(comment="")  # most are empty, and lower letters of a text take a while
        .annotate(words=Lower(Trim("comment")))
        .annotate(n_letters=Length("words"))
        .filter(n_letters__gte=LONG_COMMENT)
        .values_list("words", "assignment__rater__pseudonym")
        .annotate(first=Min("id"), n=Count("assignment__unit", distinct=True), second=Value(0))
        .order_by()
    )
    if compared := [task.pk for task in comparing]:
        rows = rows.union(_sides(compared), all=True)
    shared = list(rows)
    # A comment has words, a row about sides has none.
    sides = [ChosenSides(rater, n, first, second) for words, rater, first, n, second in shared if not words]
    return _copied([row[:4] for row in shared if row[0]]), sides


def _sides(tasks: Sequence[int]) -> QuerySet[Rating, Any]:
    """Return a query for the choices of each rater in some tasks, with the columns of the query for comments."""
    chosen = Rating.objects.filter(task__in=tasks, shown_value__isnull=False).annotate(words=Value(""))
    return (
        chosen.values_list("words", "rater__pseudonym")
        .annotate(
            first=Count("id", filter=Q(shown_value=1)), n=Count("id"), second=Count("id", filter=Q(shown_value=2))
        )
        .order_by()
    )


def _copied(comments: Sequence[tuple[str, str, int, int]]) -> frozenset[str]:
    """Return the raters who mostly copied their comments; rows have words, rater, first id and number of units."""
    earliest: dict[str, int] = {}
    long: dict[str, int] = {}
    for words, rater, first, n in comments:
        earliest[words] = min(first, earliest.get(words, first))
        long[rater] = long.get(rater, 0) + n
    copied: dict[str, int] = {}
    for words, rater, first, n in comments:
        copied[rater] = copied.get(rater, 0) + n - (first == earliest[words])
    return frozenset(rater for rater, n in copied.items() if n >= ENOUGH_COPIED and n >= MOSTLY * long[rater])


def twins(rows: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the raters with answers that nearly all equal those of one other rater, on every question of a task."""
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
