"""Sections of study.yaml that are lists of entries with keys, and the two simple ones: groups and systems."""

from collections.abc import Mapping

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json, Path, Section
from tasks_app.models import Group, Study, System
from tasks_app.services.study import drafts, items
from tasks_app.settings.checks import COPIES
from tasks_app.studyfile.declarations import LISTS
from tasks_app.studyfile.reading import StudyReading
from tasks_app.studyfile.schema import list_schema


class ListSection(Section):
    """A list of entries that have keys."""

    def schema(self) -> Mapping[str, Json]:
        return list_schema(self.name)

    def check(self, reading: StudyReading) -> list[dict[str, Json]]:
        """Return the entries of a section with defaults; two entries with one key are a problem."""
        entries_given = reading.given(self.name)
        entries = [
            reading.clean(LISTS[self.name], values, (self.name, number))
            for number, values in enumerate(entries_given if isinstance(entries_given, list) else [])
        ]
        first: dict[str, Path] = {}
        for number, entry in enumerate(entries):
            path = (self.name, number, "key")
            if not entry["key"] or not reading.sound(path):
                continue
            if first.setdefault(entry["key"], path) != path:
                sentence = _("“%(key)s” is the key in line %(line)d already. Choose another.")
                line = reading.tree.place(first[entry["key"]]).line
                reading.problem(path, sentence % {"key": entry["key"], "line": line})
        return entries


class GroupsSection(ListSection):
    """Groups of raters with the same tasks."""

    name = "groups"

    def export(self, study: Study) -> list[dict[str, Json]]:
        return [
            {"key": row.key, "name": row.name, "share": row.share}
            for row in Group.objects.filter(study=study).order_by("id")
        ]

    def store(self, study: Study, groups: Json) -> None:
        drafts.store_groups(study=study, groups=groups)


class SystemsSection(ListSection):
    """The systems that produced the texts."""

    name = "systems"

    def check(self, reading: StudyReading) -> list[dict[str, Json]]:
        """Return the entries; one without attributes has no such key, so that older files keep their digests."""
        return [
            {name: value for name, value in entry.items() if name != "attributes" or value}
            for entry in super().check(reading)
        ]

    def export(self, study: Study) -> list[dict[str, Json]]:
        """Return the systems in their order, without the degraded copies, which the tool makes again."""
        rows = System.objects.filter(study=study).exclude(key=COPIES).order_by("id")
        return [
            {
                "key": row.key, "name": row.name, "kind": row.kind,
                **({"attributes": row.attributes} if row.attributes else {}),
            }
            for row in rows
        ]  # fmt: skip

    def store(self, study: Study, systems: Json) -> None:
        items.store_systems(study=study, systems=systems)
