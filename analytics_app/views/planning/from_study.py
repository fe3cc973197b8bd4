"""What a study says already, as the start of its planning: a field takes what its first task to be judged has."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Sum

from tasks_app.check_settings import checks_of
from tasks_app.models import Gold, Study, System, Task, Unit
from tasks_app.selectors.pay import offer_of
from tasks_app.services.plan import reports

TESTED = ("goal", "alpha", "beta", "pd")

# Shares of a scale's range that are usual for differences and standard deviations on scales of five steps.
OF_THE_RANGE = {"difference": 0.075, "sd_item": 0.125, "sd_system_item": 0.1, "sd_rater": 0.125, "sd_residual": 0.2}


def start(study: Study) -> dict[str, Any]:
    """Return values by names of fields, as forms of planning have them.

    What a task fixes for its test (a triangle test does) goes in under its own names.
    """
    task = next(iter(reports.planned(study)), None)
    if task is None:
        return {}
    params = task.kind.params
    tested = {name: params[name] for name in TESTED if name in params}
    return {**tested, **_sizes(study, task), **_work(study, task), **_scale(task)}


def _sizes(study: Study, task: Task) -> dict[str, Any]:
    """Count units and judgments, without drawing a plan."""
    units = Unit.objects.filter(task=task, until=None, gold=None)
    counted = units.aggregate(n=Count("id"), places=Sum("k"), items=Count("item", distinct=True))
    n, places, items = counted["n"], counted["places"] or 0, counted["items"]
    if not n:
        return {}
    k = round(places / n, 4)
    each = max(1, round(k))
    found: dict[str, Any] = {"units": n, "k": int(k) if k == int(k) else k, "n_texts": max(4, n), "per_text": each}
    systems = System.objects.filter(study=study).count()
    found |= {"n_items": max(4, items)} if items else {}
    found |= {"systems": min(12, systems)} if systems > 1 else {}
    return found | {"raters": max(1, -(-places // task.set_size)), "set_size": task.set_size}


def _work(study: Study, task: Task) -> dict[str, Any]:
    """Read pay and time off the settings: the minutes for a set, over everything a set holds."""
    checks, offer = checks_of(task.checks), offer_of(study.options)
    gold = Gold.objects.filter(unit__task=task, unit__until=None).values_list("purpose")
    known = dict(gold.annotate(n=Count("unit", distinct=True)).order_by())
    extra = checks.controls_among(task.set_size, known.get("control", 0)) + checks.loud_among(known.get("attention", 0))
    extra += checks.repeats + checks.warm_up + checks.degraded
    training = sum(
        _asked(own, known.get(name, 0)) for name, own in (("training", checks.training), ("exam", checks.exam))
    )
    screens = task.set_size + extra + training
    return {
        "extra": extra,
        "training": training,
        "seconds": max(0.5, round(offer.minutes * 60 / screens, 1)),
        "reading": 0,
        "hourly": offer.hourly if offer.pays else offer.minimum_hourly,
        "currency": study.options.currency,
    }


def _asked(wanted: int | None, there: int) -> int:
    return there if wanted is None else min(wanted, there)


def _scale(task: Task) -> dict[str, Any]:
    """Read the scale off the task type: its steps, and standard deviations in proportion to its range."""
    scale = task.kind.scale_of()
    if scale is None:
        return {}
    least, most, step = scale
    found: dict[str, Any] = {name: round(part * (most - least), 4) for name, part in OF_THE_RANGE.items()}
    if step != 1:
        return {**found, "steps": 0}
    steps = round(most - least) + 1
    return {**found, "steps": steps, "middle": (steps + 1) / 2}
