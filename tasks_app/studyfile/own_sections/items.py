"""The section of items: items.csv, items.tsv or items.jsonl, one row for each output."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app import task_types
from tasks_app.hooks.sections import Json, Section
from tasks_app.models import Item, ItemMedia, Output, PartOutput, Study, System, Task
from tasks_app.services.plan.plans import CHUNK
from tasks_app.services.study import items as service
from tasks_app.services.study import units
from tasks_app.settings.checks import COPIES
from tasks_app.studyfile.columns import ITEMS
from tasks_app.studyfile.files.media import ROLES
from tasks_app.studyfile.files.tables import find_table
from tasks_app.studyfile.identical import keeps_identical
from tasks_app.studyfile.own_sections.checks.item_sets import check_item_sets
from tasks_app.studyfile.own_sections.item_rows import ItemRows
from tasks_app.studyfile.reading import StudyReading


def _nothing_is_read(reading: StudyReading) -> bool:
    """Return whether no task of the file shows texts."""
    types = [task["type"] for task in reading.document["tasks"]]
    return bool(types) and not any(
        task_types.registry[name].needs_items for name in types if name in task_types.registry
    )


def _add_systems(reading: StudyReading, with_output: dict[str, None]) -> None:
    systems = reading.document["systems"]
    declared = {system["key"]: number for number, system in enumerate(systems)}
    for key in [key for key in declared if key not in with_output]:
        reading.note(_("The system “%(key)s” has no output in the items.") % {"key": key})
    systems += [
        {"key": key, "name": "", "kind": System.Kind.MACHINE.value} for key in with_output if key not in declared
    ]


def _shown(output: dict[str, Json]) -> str:
    """Return the look of an output to raters: equal texts with other highlights are not identical, equal files are."""
    return f"\0{output['file']}" if "file" in output else f"{output['text']}\0{output.get('highlights', '')}"


def _note_texts(reading: StudyReading, items: list[dict[str, Json]]) -> None:
    total = identical = empty = undescribed = 0
    for item in items:
        by_text: dict[str, set[str]] = {}
        for output in item["outputs"]:
            by_text.setdefault(_shown(output), set()).add(output["system"])
        total += len(item["outputs"])
        silent = [output for output in item["outputs"] if not output["text"].strip()]
        undescribed += sum("file" in output for output in silent)
        empty += sum("file" not in output for output in silent)
        identical += sum(len(by_text[_shown(output)]) > 1 for output in item["outputs"])
    reading.counts |= {"items": len(items), "outputs": total, "identical": identical}
    reading.counts["systems"] = len(reading.document["systems"])
    if identical:
        keeping = [task["key"] for task in reading.document["tasks"] if keeps_identical(task)]
        sentence = _("%(n)d of %(total)d outputs are identical to another system's for the same item")
        sentence = sentence % {"n": identical, "total": total} + "; "
        if len(keeping) == sum(task["stage"] == Task.Stage.MAIN for task in reading.document["tasks"]):
            sentence += _("each is shown and rated by itself.")
        elif keeping:
            tasks = ", ".join(map(str, keeping))
            sentence += _("they are shown once and share the rating, but are kept apart in: %(tasks)s.") % {
                "tasks": tasks
            }
        else:
            sentence += _("they are shown once and share the rating. Set keep_identical: true in a task to show each.")
        reading.note(sentence)
    if empty:
        sentence = ngettext(
            "%(n)d output is empty; raters see an empty text.",
            "%(n)d outputs are empty; raters see empty texts.",
            empty,
        )
        reading.note(sentence % {"n": empty})
    if undescribed:
        sentence = ngettext(
            "%(n)d output is a picture, sound or film without words for raters who cannot see or hear it. Say in the "
            "column output what it shows.",
            "%(n)d outputs are pictures, sounds or films without words for raters who cannot see or hear them. Say in "
            "the column output what they show.",
            undescribed,
        )
        reading.note(sentence % {"n": undescribed})


def _stored_file(sha256: str | None, kind: str | None, captions: str | None) -> dict[str, Json]:
    """Return the file of a stored output as a document has it; empty where the output is a text."""
    if sha256 is None:
        return {}
    return {"file": {"sha256": sha256, "kind": kind, **({"captions": captions} if captions else {})}}


class ItemsSection(Section):
    """The texts to be judged, and everything shown with them."""

    name = "items"
    after = ("tasks", "systems")

    def check(self, reading: StudyReading) -> list[dict[str, Json]]:
        """Read the items and their outputs, and add the systems found to the document."""
        before = reading.problems.count
        table = find_table(ITEMS, reading)
        check = ItemRows(reading)
        if table is None and _nothing_is_read(reading):
            # Questionnaires are asked without a text.
            reading.units_sound = reading.problems.count == before
            return []
        if table is None:
            if reading.problems.count == before and not reading.used.intersection(ITEMS.files):
                sentence = _(
                    "There is no items.csv (or items.tsv, items.jsonl) here. It lists the texts to be "
                    "judged, one row per output."
                )
                reading.problems.add(reading.files.label, 0, 0, sentence)
        else:
            reading.items_file = table.file
            for row in table.rows():
                check.take(row)
            reading.notes += table.notes
            reading.notes += check.notes_on_names()
            for note in check.notes_on_media():
                reading.note(note)
            if not check.items_by_key and reading.problems.count == before:
                sentence = _("There are no outputs below the header. Add one row for every output to be judged.")
                reading.problems.add(table.file, 1, 1, sentence)
        reading.units_sound = table is not None and reading.problems.count == before
        items = check.items()
        _add_systems(reading, check.systems)
        _note_texts(reading, items)
        check_item_sets(reading, items)
        return items

    def export(self, study: Study) -> list[dict[str, Json]]:
        """Return the items with their outputs, in their order; five queries."""
        named = {
            output: key.removesuffix(f"@{criterion}")
            for output, key, criterion in PartOutput.objects.filter(
                part__unit__task__study=study, part__unit__features__named=True
            ).values_list("output_id", "part__unit__key", "part__unit__features__criterion")
        }
        outputs: dict[int, list[dict[str, Json]]] = {}
        rows = Output.objects.filter(item__study=study, until=None).exclude(system__key=COPIES).order_by("id")
        content = rows.values_list("id", *service.OUTPUT_CONTENT).iterator(chunk_size=CHUNK)
        for pk, item, system, variant, text, language, marked, *file in content:
            output = {"system": system, "variant": variant, "text": text, "language": language}
            # Only where there are any, so that the digests of studies without highlights and files stay as they are.
            own = {**({"highlights": marked} if marked else {}), **_stored_file(*file)}
            outputs.setdefault(item, []).append({**output, "unit": named.get(pk, ""), **own})
        context: dict[int, list[dict[str, Json]]] = {}
        context_media = ItemMedia.objects.filter(item__study=study).order_by("item_id", "role", "order")
        for item, role, sha256, kind in context_media.values_list("item_id", "role", "media__sha256", "media__kind"):
            context.setdefault(item, []).append({"role": role, "sha256": sha256, "kind": kind})
        return [
            {
                **{name: getattr(item, name) for name in service.ITEM_COLUMNS},
                "document": item.document.key if item.document else "",
                "context": sorted(context.get(item.pk, []), key=lambda medium: list(ROLES).index(medium["role"])),
                **({"highlights": item.highlights} if item.highlights else {}),
                "outputs": outputs.get(item.pk, []),
            }
            for item in Item.objects.filter(study=study, until=None).select_related("document").order_by("id")
        ]

    def store(self, study: Study, items: Json) -> None:
        """Store items and outputs, and make the units of the tasks, which are stored already."""
        service.store_items(study=study, items=items)
        names = {
            (item["key"], output["system"], output["variant"]): output["unit"]
            for item in items
            for output in item["outputs"]
            if output["unit"]
        }
        units.make_units(study=study, names=names)

    def erase(self, study: Study) -> None:
        """Remove units, items, media and systems."""
        service.erase_items(study=study)


SECTIONS = (ItemsSection(),)
