"""The analyses of published papers: the folders of examples/plans/, each with a plan file and what it computes."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings

from analytics_app.models import MetricScore
from analytics_app.plan import complete
from tasks_app.models import Study
from tasks_app.setup.starting import read_shipped


@dataclass(frozen=True, slots=True)
class PublishedPlan:
    """The analyses of a paper with their settings; `cited` names the paper, `computes` says what they show."""

    name: str
    cited: str
    computes: str
    analyses: list[Mapping[str, Any]]


@cache
def published_plans() -> Mapping[str, PublishedPlan]:
    """Return the published plans by the names of their folders."""
    folder = Path(settings.BASE_DIR) / "examples" / "plans"
    return {path.parent.name: _read(path) for path in sorted(folder.glob("*/plan.yaml"))}


def _read(path: Path) -> PublishedPlan:
    about, plan = read_shipped(path.with_name("paper.yaml")), read_shipped(path)
    document = complete(plan, criteria=(), systems=())
    return PublishedPlan(path.parent.name, about["cited"], about["computes"].strip(), document["analyses"])


def plans_for(study: Study) -> list[PublishedPlan]:
    """Return the published plans that a study has data for: all of them compare metrics with people."""
    return list(published_plans().values()) if MetricScore.objects.filter(study=study).exists() else []


def analyses_of(plan: PublishedPlan, study: Study) -> list[dict[str, Any]]:
    """Return the analyses of a published plan for a study, without naming systems to leave out that it does not have.

    Of entries that are then the same, one is left.
    """
    systems = set(study.systems.values_list("key", flat=True))
    entries: list[dict[str, Any]] = []
    for given in plan.analyses:
        entry = dict(given)
        if "without_systems" in entry:
            entry["without_systems"] = [key for key in entry["without_systems"] if key in systems]
        if entry not in entries:
            entries.append(entry)
    return entries
