"""The facts of a run about texts that were withdrawn when it was started: their judgments are left out."""

from collections.abc import Iterable
from typing import Any

from analytics_app.models import Run
from analytics_app.ratings import WITHDRAWN, withdrawn_units
from tasks_app.models import Study, Withdrawal
from tasks_app.services.study import withdrawing


def facts_of(study: Study) -> dict[str, Any]:
    """Return the fact about the withdrawals that are in force; empty if there are none."""
    in_force = Withdrawal.objects.filter(Withdrawal.IN_FORCE, study=study).select_related("item").order_by("pk")
    return {WITHDRAWN: fact_of(in_force)} if in_force else {}


def fact_of(withdrawals: Iterable[Withdrawal]) -> dict[str, Any]:
    """Return the ids of some withdrawals, the units that they concern, and their items; no system is named."""
    listed = list(withdrawals)
    return {
        "withdrawals": [withdrawal.pk for withdrawal in listed],
        "units": sorted({unit for withdrawal in listed for unit in withdrawing.units_of(withdrawal)}),
        "texts": [{"item": row.item.key, "whole": row.output_id is None} for row in listed],
    }


def with_other_texts(run: Run, earlier: Iterable[Run]) -> Run | None:
    """Return the first of some runs that left out other units than a run does."""
    units = withdrawn_units(run)
    return next((before for before in earlier if withdrawn_units(before) != units), None)
