"""Keys of items, systems and documents in any script and with any signs: loaded, rated, exported and loaded again."""

import csv
import io
from pathlib import Path

import pytest
from django.core.management import call_command

from tasks_app import importing, studyfile
from tasks_app.models import Item, Rating, Study, System, Unit
from tasks_app.studyfile import StudyFileError
from tests.tasks_app.importing import kit
from tests.tasks_app.studyfile.kit import STUDY, put

pytestmark = pytest.mark.django_db

SYSTEMS = ["CUNI MH (v2)", "Zürich", "+plus", "=1+1"]
ITEMS = ["http://000.cc/a?b=1", "boy lad", "電車", "@at", "-minus", "'=quoted", "a/b", "a%2Fb", "مرحبا", "[7]"]


def table(**columns: str) -> str:
    """Return a table of all systems for all items as CSV."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["item", "system", *columns])
    for item in ITEMS:
        for system in SYSTEMS:
            writer.writerow([item, system, *(text.format(item=item, system=system) for text in columns.values())])
    return out.getvalue()


def load(folder: Path, items: str, slug: str = "names") -> Study:
    text = STUDY.replace("slug: fluency", f"slug: {slug}").replace("criteria: [fluency, style]", "criteria: [fluency]")
    return studyfile.load(put(folder / slug, study_yaml=text, items_csv=items), owner=None)


def test_keys_of_any_kind_survive_every_way_in_and_out(tmp_path: Path) -> None:
    study = load(tmp_path, table(output="{system} says {item}", source="{item}"))
    assert list(Item.objects.filter(study=study).order_by("id").values_list("key", flat=True)) == ITEMS
    assert set(System.objects.filter(study=study).values_list("key", flat=True)) == set(SYSTEMS)
    keys = Unit.objects.filter(task__study=study).values_list("key", flat=True)
    assert len(set(keys)) == len(ITEMS) * len(SYSTEMS)
    assert {"a%2Fb/Zürich", "a%252Fb/Zürich", "boy lad/%2Bplus"} <= set(keys)
    mapping = "columns: {rater: who, item: item, system: system, value: score}\n"
    kit.bring(study, tmp_path, table(who="=ann", score="4"), mapping)
    call_command("export", study.slug, "--format", "csv", "--out", str(tmp_path / "ratings.csv"))
    call_command("export_study", study.slug, str(tmp_path / "out"))
    (tmp_path / "out" / "study.yaml").write_text(
        (tmp_path / "out" / "study.yaml").read_text().replace("slug: names", "slug: again")
    )
    copy = studyfile.load(tmp_path / "out", owner=None)
    file = importing.RatingsFile.at(str(tmp_path / "ratings.csv"))
    importing.import_ratings(study=copy, file=file, by=None)
    ratings = Rating.objects.filter(task__study=copy).order_by("id")
    system = "part__part_outputs__output__system__key"
    rows = list(ratings.values_list("rater__pseudonym", "unit__item__key", system, "value"))
    assert sorted(rows) == sorted(("=ann", item, system, 4.0) for item in ITEMS for system in SYSTEMS)


def test_keys_that_may_be_meant_to_be_the_same_are_pointed_out(tmp_path: Path) -> None:
    """An accent typed by itself makes no other name, so that such keys are the same."""
    rows = "".join(f"{item},{system},x {item} {system}\n" for item, system in [
        ("7", "Alpha"), ("007", "alpha"), ("1", "Alpha"), ("1.0", "alpha"), ("1.5", "Zu\u0308rich"), ("8", "Zürich"),
    ])  # fmt: skip
    folder = put(tmp_path / "x", study_yaml=STUDY, items_csv="item,system,output\n" + rows)
    study, loaded = studyfile.load_with_notes(folder, owner=None)
    assert [note for note in loaded.notes if "meant to be the same" in note] == [
        "These keys of items differ, but may be meant to be the same: “7” – “007”, “1” – “1.0”.",
        "These keys of systems differ, but may be meant to be the same: “Alpha” – “alpha”.",
    ]
    assert System.objects.filter(study=study).count() == 3


@pytest.mark.parametrize("key", ["a\u200bb", "a\u202eb", "x" * 101, "a\tb"])
def test_keys_that_cannot_be_seen_are_refused(tmp_path: Path, key: str) -> None:
    with pytest.raises(StudyFileError, match="Use at most 100 characters that can be seen"):
        load(tmp_path, f"item,system,output\n{key},alpha,text\n")
