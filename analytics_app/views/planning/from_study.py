"""Values for planning forms from an existing study, by its first task to be judged."""

from typing import Any

from django.db.models import Count, Sum

from analytics_app.selectors.planning import OF_THE_RANGE
from tasks_app import channels
from tasks_app.models import Gold, Study, Task, Unit
from tasks_app.selectors import evaluated
from tasks_app.selectors.pay import offer_of
from tasks_app.services.plan import reports
from tasks_app.settings.checks import checks_of

TESTED = ("goal", "alpha", "beta", "pd")


def start(study: Study) -> dict[str, Any]:
    """Return values by names of the fields of planning forms.

    Settings of a task's test, such as a triangle test, keep their names.
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
    per_text = max(1, round(k))
    values: dict[str, Any] = {"units": n, "k": int(k) if k == int(k) else k, "n_texts": max(4, n), "per_text": per_text}
    systems = evaluated.systems(study).count()
    values |= {"n_items": max(4, items)} if items else {}
    values |= {"systems": min(12, systems)} if systems > 1 else {}
    # With one rater nothing can be generalised to others, so that there is nothing to be planned for fewer than two.
    return values | {"raters": max(2, per_text, -(-places // task.set_size)), "set_size": task.set_size}


def _work(study: Study, task: Task) -> dict[str, Any]:
    """Read pay and time from the settings; the minutes of a set are spread over all its screens."""
    checks, offer = checks_of(task.checks), offer_of(study.options)
    gold = Gold.objects.filter(unit__task=task, unit__until=None).values_list("purpose")
    n_gold = dict(gold.annotate(n=Count("unit", distinct=True)).order_by())
    extra = checks.controls_among(task.set_size, n_gold.get("control", 0)) + checks.attention_among(
        n_gold.get("attention", 0)
    )
    extra += checks.repeats + checks.warm_up + checks.degraded
    training = sum(
        _asked(check_units, n_gold.get(name, 0))
        for name, check_units in (("training", checks.training), ("exam", checks.exam))
    )
    screens = task.set_size + extra + training
    return {
        "extra": extra,
        "training": training,
        "seconds": max(0.5, round(offer.minutes * 60 / screens, 1)),
        "reading": 0,
        "hourly": offer.hourly if offer.pays else offer.minimum_hourly,
        "currency": study.options.currency,
        "fee": channels.fee_of(study.options),
    }


def _asked(planned: int | None, available: int) -> int:
    return available if planned is None else min(planned, available)


def _scale(task: Task) -> dict[str, Any]:
    """Read the scale from the task type: its steps, and standard deviations in proportion to its range."""
    scale = task.kind.scale_of()
    if scale is None:
        return {}
    least, most, step = scale
    values: dict[str, Any] = {
        name: round(share_of_range * (most - least), 4) for name, share_of_range in OF_THE_RANGE.items()
    }
    if step != 1:
        return {**values, "steps": 0}
    steps = round(most - least) + 1
    return {**values, "steps": steps, "middle": (steps + 1) / 2}
