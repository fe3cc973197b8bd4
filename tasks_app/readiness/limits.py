"""The number of texts that one rater judges in all tasks together, and the study's own limit to it."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Path
from tasks_app.readiness.base import Facts, Point, register

KIND = "limit"
PATH: Path = ("flow", "texts_per_rater")


def texts_per_rater(facts: Facts) -> int:
    """Count the texts that one rater judges in a full set of each task, without checks; 0 if nothing is counted.

    Of several groups of raters, the one that judges most counts.
    """
    return round(max((sum(_texts(facts, task) for _place, task in tasks) for tasks in _by_group(facts)), default=0))


def split(facts: Facts) -> dict[Path, int]:
    """Return set sizes with which no rater judges more texts than the study's limit, each cut by the same share.

    Empty where nothing has to be cut, or one unit of each task is beyond the limit already.
    """
    limit, total = facts.section("flow").get("texts_per_rater"), texts_per_rater(facts)
    if not limit or total <= limit:
        return {}
    sizes: dict[Path, int] = {}
    for place, task in facts.main_tasks:
        shown = _texts(facts, task)
        if shown:
            units = _units(facts, task)
            sizes["tasks", place, "set_size"] = max(1, math.floor(units * limit / total))
    cut = Facts({**facts.document, "tasks": _with(facts, sizes)}, facts.workload, facts.known)
    return sizes if texts_per_rater(cut) <= limit else {}


def _with(facts: Facts, sizes: Mapping[Path, int]) -> list[Any]:
    tasks = facts.document["tasks"]
    return [{**task, "set_size": sizes.get(("tasks", n, "set_size"), task["set_size"])} for n, task in enumerate(tasks)]


def _by_group(facts: Facts) -> Iterator[list[tuple[int, Mapping[str, Any]]]]:
    """Yield the tasks that one rater is given, for each group of raters."""
    groups = {group for _place, task in facts.main_tasks for group in task["groups"]} or {""}
    for group in sorted(groups):
        yield [(place, task) for place, task in facts.main_tasks if not task["groups"] or group in task["groups"]]


def _units(facts: Facts, task: Mapping[str, Any]) -> int:
    """Return the units of a set; a task may have fewer than a set could have."""
    load = facts.workload.tasks.get(str(task["key"])) if facts.workload else None
    return min(task["set_size"], load.screens) if load is not None else 0


def _texts(facts: Facts, task: Mapping[str, Any]) -> float:
    """Return the texts of a rater's sets of a task."""
    units = _units(facts, task)
    sets = int(facts.section("flow").get("sets_per_rater") or 1)
    return sets * units * facts.workload.tasks[str(task["key"])].texts if facts.workload and units else 0.0


@register
def beyond_the_limit(facts: Facts) -> Iterator[Point]:
    """Yield that tasks together give a rater more texts than the study's limit."""
    limit, total = facts.section("flow").get("texts_per_rater"), texts_per_rater(facts)
    if limit and total > limit:
        words = {"n": total, "limit": limit}
        sentence = _("The tasks together give a rater %(n)d texts, more than your limit of %(limit)d.") % words
        sizes = [str(size) for size in split(facts).values()]
        if sizes:
            sentence += " " + _("Sets of %(sizes)s units keep to it.") % {"sizes": _(" and ").join(sizes)}
        yield Point(KIND, sentence, PATH)
