"""The section of criteria, and the criteria of a file as task types see them."""

from collections.abc import Mapping
from typing import Any

from tasks_app.hooks.sections import Json
from tasks_app.models import Criterion, Study
from tasks_app.services.study import drafts
from tasks_app.studyfile.declarations import CriterionBlock
from tasks_app.studyfile.own_sections.lists import ListSection
from tasks_app.studyfile.schema import plain, written
from tasks_app.task_types.base import Criterion as AskedCriterion
from tasks_app.task_types.base import Wording


def criteria_asked(criteria: list[dict[str, Json]], keys: list[str]) -> tuple[AskedCriterion, ...]:
    """Return criteria as task types see them, in the order of `keys`."""
    by_key = {row["key"]: row for row in criteria}
    return tuple(
        AskedCriterion(
            labels=tuple(row["labels"]),
            wordings=tuple(map(Wording.stored, row.get("wordings", ()))),
            **{
                name: row[name]
                for name in ("key", "name", "definition", "question", "low", "high", "anchors", "kind", "language")
            },
        )
        for key in keys
        if (row := by_key.get(key)) is not None
    )


class CriteriaSection(ListSection):
    """The questions that raters answer."""

    name = "criteria"

    def export(self, study: Study) -> list[dict[str, Json]]:
        empty: Mapping[str, Any] = {name: CriterionBlock.base_fields[name].initial for name in drafts.ENDS}
        criteria = []
        for row in Criterion.objects.filter(study=study, until=None).order_by("id"):
            ends = {name: plain(row.ends.get(name, empty[name])) for name in drafts.ENDS}
            values = {name: ends[name] if name in ends else getattr(row, name) for name in CriterionBlock.base_fields}
            criteria.append(written(CriterionBlock, values))
        return criteria

    def store(self, study: Study, criteria: Json) -> None:
        drafts.store_criteria(study=study, criteria=criteria)
