"""Update runs when a rater's answers are erased: remove their name, and mark earlier runs as outdated."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db.models import F, Q, Value
from django.db.models.functions import Concat, Left, Length, Now, Substr

from analytics_app.models import UNFINISHED, Exclusion, Plot, ResultRow, Run, RunState, RunTrigger
from analytics_app.runs.upkeep import AGAIN
from tasks_app.models import Judgment, Rater

# What stands for a rater in rows of results whose answers were erased.
NOBODY = "erased"

GIVEN_UP = "Answers were erased while it was computed, so it was given up."
FOLLOWED = f"{GIVEN_UP} A run without them is started by itself."
LEFT = f"{GIVEN_UP} Start it again."

# What stands between the names of two raters in the label of their pair.
AND = " and "


def forget(*, rater: Rater, judgments: Collection[int]) -> None:
    """Take a rater's answers out of what refers to them, in the transaction that erases them."""
    ids = list(judgments)
    # Runs first: what a part stores meanwhile is stored before they are held, or not at all.
    _mark(rater.study_id, ids)
    named = Q(rater=rater) | Q(judgment__in=ids) | Q(rating__judgment__in=ids)
    Exclusion.objects.filter(named, study=rater.study_id).delete()
    _rename(rater.study_id, rater.pseudonym)


def _mark(study_id: int, ids: Collection[int]) -> None:
    """Say in every run that saw some of the answers how many were erased, and give up those under way.

    Their parts would differ in which answers they have. Nothing is rung for here: a rater may be waiting.
    """
    seen = Judgment.objects.filter(pk__in=ids)
    for run in Run.objects.select_for_update(no_key=True).filter(study=study_id).order_by("pk"):
        n = seen.filter(pk__lte=run.judgment_high_water).count()
        if not n:
            continue
        changes: dict[str, Any] = {"erased_since": F("erased_since") + n}
        if run.state in UNFINISHED:
            # Whoever gave a command reads that it came to nothing, and gives it again.
            by_command = run.trigger == RunTrigger.COMMAND
            changes |= {"state": RunState.CANCELLED, "finished": Now(), "error": LEFT if by_command else FOLLOWED}
            changes |= {} if by_command else {"facts": {**run.facts, AGAIN: True}}
        Run.objects.filter(pk=run.pk).update(**changes)


def _rename(study_id: int, name: str) -> None:
    """Take a rater's name out of rows; plots of raters go where it stands in them, since a picture cannot be edited."""
    rows = ResultRow.objects.filter(run__study=study_id)
    rows.filter(rater=name).update(rater=NOBODY)
    pairs = rows.filter(rater=None, statistic__endswith="_pair")
    first, second = f"{name}{AND}", f"{AND}{name}"
    pairs.filter(label__startswith=first).update(
        label=Concat(Value(f"{NOBODY}{AND}"), Substr("label", len(first) + 1)),
    )
    pairs.filter(label__endswith=second).update(
        label=Concat(Left("label", Length("label") - len(second)), Value(f"{AND}{NOBODY}")),
    )
    raters = {"usermeta": {"columns": [["name", "Rater"]]}, "data": {"values": [{"name": name}]}}
    Plot.objects.filter(run__study=study_id, spec__contains=raters).delete()
