"""The part `analysis` of a study file: schema, reading, writing, freezing and erasing of a plan."""

from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any

from django.db.models.functions import Now
from django.utils.translation import gettext as _

from analytics_app import analyses, quality
from analytics_app.models import Plan
from analytics_app.plan import ALL, BadPlan, PlanBlock, complete, default_document, document_of
from analytics_app.ratings.extras.rater_attributes import ATTRIBUTE, questionnaires
from analytics_app.ratings.extras.system_attributes import KIND, OF_SYSTEM
from analytics_app.ratings.table import DOCUMENT
from tasks_app.hooks import sections
from tasks_app.hooks.registry import Registry
from tasks_app.hooks.sections import Json, Section
from tasks_app.models import Study
from tasks_app.services.database import atomically
from tasks_app.services.study.drafts import refuse_frozen
from tasks_app.studyfile.schema import LABELS, form_schema

# A list, or the word all.
_OR_ALL = {"type": ["string", "array"], "pattern": f"^{ALL}$", "default": ALL}


def _list_schema(word: str, title: str, registry: Registry[Any], doc: str) -> dict[str, Json]:
    entries = {
        name: {**form_schema(member.Settings), "description": str(member.summary)} for name, member in registry.items()
    }
    return {
        "type": "array",
        "description": doc,
        "items": {
            "type": "object",
            "properties": {
                word: {
                    "type": "string",
                    "enum": list(registry),
                    "title": title,
                    LABELS: {name: str(member.label) for name, member in registry.items()},
                }
            },
            "required": [word],
            "allOf": [
                {
                    "if": {"properties": {word: {"const": name}}, "required": [word]},
                    "then": {
                        **schema,
                        "properties": {word: {"const": name}, **schema["properties"]},
                    },
                }
                for name, schema in entries.items()
            ],
        },
    }


def _attributes_among(tasks: Sequence[Mapping[str, Any]]) -> list[str]:
    criteria = {key for task in tasks if task["type"] in questionnaires() for key in task["criteria"]}
    return sorted(f"{ATTRIBUTE}{key}" for key in criteria)


def _of_systems_among(systems: Sequence[Mapping[str, Any]]) -> list[str]:
    names = {name for system in systems for name in system.get("attributes", ())}
    return sorted({KIND, *(f"{OF_SYSTEM}{name}" for name in names)})


def _features_among(items: Sequence[Mapping[str, Any]]) -> list[str]:
    names = {name for item in items for name in item["features"]}
    return sorted(names | ({DOCUMENT} if any(item.get("document") for item in items) else set()))


class AnalysisSection(Section):
    """The section of the analysis plan."""

    name = "analysis"
    after = ("criteria", "groups", "items")

    def schema(self) -> dict[str, Json]:
        """Return the JSON Schema of the part `analysis`, with the settings of each rule and analysis."""
        schema = form_schema(PlanBlock)
        schema["properties"] |= {
            "rules": _list_schema("rule", _("Rule"), quality.registry, _("Quality rules in their order.")),
            "analyses": {
                **_list_schema("analysis", _("Analysis"), analyses.registry, _("Which analyses, or all that fit.")),
                **_OR_ALL,
            },
            "comparisons": {
                **_OR_ALL,
                "description": _("Pairs of systems to compare, or all."),
                "items": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
            },
        }
        return schema

    def check(self, reading: Any) -> dict[str, Json]:
        given = reading.given("analysis")
        usable = given if isinstance(given, Mapping) and reading.sound(("analysis",)) else {}
        try:
            return complete(
                usable,
                criteria=[criterion["key"] for criterion in reading.document["criteria"]],
                systems=[system["key"] for system in reading.document["systems"]],
                features=cache(partial(_features_among, reading.document["items"])),
                groups=lambda: [group["key"] for group in reading.document["groups"]],
                attributes=cache(partial(_attributes_among, reading.document["tasks"])),
                of_systems=cache(partial(_of_systems_among, reading.document["systems"])),
            )
        except BadPlan as error:
            for path, sentence in error.problems:
                reading.problem(("analysis", *path), sentence)
            return default_document()

    def export(self, study: Study) -> dict[str, Json]:
        return document_of(study)

    @atomically
    def store(self, study: Study, document: Json) -> None:
        refuse_frozen(study)
        Plan.objects.update_or_create(study=study, version=study.next_version, defaults={"document": document})

    def freeze(self, study: Study, version: int) -> None:
        plan, _created = Plan.objects.get_or_create(
            study=study, version=version, defaults={"document": document_of(study)}
        )
        Plan.objects.filter(pk=plan.pk, frozen_at=None).update(frozen_at=Now())

    @atomically
    def erase(self, study: Study) -> None:
        refuse_frozen(study)
        Plan.objects.filter(study=study, frozen_at=None).delete()


SECTION = AnalysisSection()


def register_section() -> None:
    """Register the part `analysis` of a study file."""
    sections.register(SECTION)
