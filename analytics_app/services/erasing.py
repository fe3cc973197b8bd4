"""Update runs when a rater's answers are erased: remove their name, and mark earlier runs as outdated."""

from collections.abc import Collection
from typing import Any

from django.db.models import F, Q, Value
from django.db.models.functions import Concat, Left, Length, Now, Substr

from analytics_app.models import UNFINISHED, Exclusion, MeasuredOutcome, Plot, ResultRow, Run, RunState, RunTrigger
from analytics_app.runs.upkeep import AGAIN
from tasks_app.models import Judgment, Rater

# The name in result rows of a rater whose answers were erased.
NOBODY = "erased"

GIVEN_UP = "Answers were erased while it was computed, so it was given up."
FOLLOWED = f"{GIVEN_UP} A run without them is started by itself."
LEFT = f"{GIVEN_UP} Start it again."

# Separates the names of two raters in the label of their pair.
AND = " and "


def forget(*, rater: Rater, judgments: Collection[int]) -> None:
    """Remove references to a rater's answers, and their outcomes, in the transaction that erases the answers."""
    ids = list(judgments)
    # Runs are locked first, so that a part stores its results before this or not at all.
    _mark(rater.study_id, ids)
    named = Q(rater=rater) | Q(judgment__in=ids) | Q(rating__judgment__in=ids)
    Exclusion.objects.filter(named, study=rater.study_id).delete()
    MeasuredOutcome.objects.filter(rater=rater).delete()
    _rename(rater.study_id, rater.pseudonym)


def _mark(study_id: int, ids: Collection[int]) -> None:
    """Record in every run how many of its answers were erased, and cancel unfinished runs.

    Parts of an unfinished run would see different answers. No worker is notified here, since a rater may be waiting.
    """
    erased = Judgment.objects.filter(pk__in=ids)
    for run in Run.objects.select_for_update(no_key=True).filter(study=study_id).order_by("pk"):
        n = erased.filter(pk__lte=run.judgment_high_water).count()
        if not n:
            continue
        changes: dict[str, Any] = {"erased_since": F("erased_since") + n}
        if run.state in UNFINISHED:
            # A run by command is not restarted: the person reads the error and repeats the command.
            by_command = run.trigger == RunTrigger.COMMAND
            changes |= {"state": RunState.CANCELLED, "finished": Now(), "error": LEFT if by_command else FOLLOWED}
            changes |= {} if by_command else {"facts": {**run.facts, AGAIN: True}}
        Run.objects.filter(pk=run.pk).update(**changes)


def _rename(study_id: int, name: str) -> None:
    """Replace a rater's name in rows, and delete plots that show it, since a picture cannot be edited."""
    rows = ResultRow.objects.filter(run__study=study_id)
    rows.filter(rater=name).update(rater=NOBODY)
    pairs = rows.filter(rater=None, statistic__endswith="_pair")
    as_first, as_second = f"{name}{AND}", f"{AND}{name}"
    pairs.filter(label__startswith=as_first).update(
        label=Concat(Value(f"{NOBODY}{AND}"), Substr("label", len(as_first) + 1)),
    )
    pairs.filter(label__endswith=as_second).update(
        label=Concat(Left("label", Length("label") - len(as_second)), Value(f"{AND}{NOBODY}")),
    )
    raters = {"usermeta": {"columns": [["name", "Rater"]]}, "data": {"values": [{"name": name}]}}
    Plot.objects.filter(run__study=study_id, spec__contains=raters).delete()
