"""The plan that the check of a study file draws is the one that opening stores, with k that differs by unit, too."""

import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from bench import crowds
from tasks_app import studyfile
from tasks_app.models import Place, Study, Unit
from tasks_app.services.plan import plans, reports
from tasks_app.services.study import lifecycle
from tasks_app.studyfile import screens
from tests.tasks_app.studyfile.kit import STUDY

pytestmark = pytest.mark.django_db

SYSTEMS = ("alpha", "beta", "gamma")


def folder(path: Path, *, items: int = 12, controls: int = 0, **task: object) -> Path:
    """Make a study in pairs or alone with so many items, the first of which have known answers."""
    lines = "".join(f"    {name}: {value}\n" for name, value in task.items())
    study = STUDY.replace("    k: 2\n", "").replace("    set_size: 4\n", "").replace("    spacing: 1\n", "")
    (path / "study.yaml").write_text(study + lines, encoding="utf-8")
    rows = [f"i{n},{system},Text {n} by {system}." for n in range(items) for system in SYSTEMS]
    (path / "items.csv").write_text("item,system,output\n" + "\n".join(rows) + "\n", encoding="utf-8")
    known = [
        f"i{n}/{system},control,{criterion},exact,1"
        for n in range(controls)
        for system in SYSTEMS
        for criterion in ("fluency", "style")
    ]
    if known:
        text = "unit,purpose,criterion,kind,answer\n" + "\n".join(known) + "\n"
        (path / "controls.csv").write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("controls", "task"),
    [
        (0, {"k": 2, "set_size": 6, "spacing": 2, "k_more": 5, "k_more_share": 0.25}),
        (3, {"k": 1, "set_size": 6, "spacing": 2, "k_more": 3, "k_more_share": 0.3}),
        (0, {"k": 2, "set_size": 6, "spacing": 1, "k_more": 4, "k_more_share": 0.5, "criteria_mode": "block"}),
        (0, {"k": 2, "set_size": 6, "spacing": 2, "k_more": 4, "k_more_share": 0.5, "design": "comparisons"}),
        (2, {"k": 2, "set_size": 5, "spacing": 1, "k_more": 4, "k_more_share": 0.5, "design": "latin_square"}),
    ],
)
def test_the_plan_that_was_checked_is_the_one_that_is_stored(
    rosa: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, controls: int, task: dict[str, Any]
) -> None:
    checked: list[list[list[str]]] = []
    draw = plans.draw_booklets

    def noted(*given: Any) -> Any:
        booklets = draw(*given)
        checked.append([[f"{unit.key} {unit.k}" for unit in booklet] for booklet in booklets])
        return booklets

    monkeypatch.setattr(screens.plans, "draw_booklets", noted)
    study = studyfile.load(folder(tmp_path, controls=controls, **task), owner=rosa)
    monkeypatch.undo()
    lifecycle.move(study_id=study.pk, action="open", by=rosa)
    stored: dict[int, list[str]] = {}
    places = Place.objects.order_by("booklet__number", "order")
    for number, key, k in places.values_list("booklet__number", "unit__key", "unit__k"):
        stored.setdefault(number, []).append(f"{key} {k}")
    assert checked == [list(stored.values())]
    # The share is one of the units that are judged, whole items of it, the same for every system.
    judged = Unit.objects.filter(gold=None)
    more = judged.filter(k=task["k_more"])
    items = Counter(more.values_list("item__key", flat=True))
    assert len(items) == pytest.approx(task["k_more_share"] * (12 - controls), abs=1)
    assert set(items.values()) == {judged.count() // (12 - controls)}
    assert set(judged.values_list("k", flat=True)) == {task["k"], task["k_more"]}
    (report,) = reports.reports(Study.objects.get())
    assert all(line.holds for line in report.promises if line.promised)


def test_a_file_that_is_exported_and_loaded_again_gives_the_same_units_more(rosa: User, tmp_path: Path) -> None:
    study = studyfile.load(
        folder(tmp_path, k=2, set_size=6, spacing=2, k_more=5, k_more_share=0.25, design="comparisons"), owner=rosa
    )
    before = list(Unit.objects.filter(task__study=study).order_by("key").values_list("key", "k"))
    with (tmp_path / "study.zip").open("wb") as target:
        studyfile.export(study, target)
    again = studyfile.load(tmp_path / "study.zip", owner=rosa, replace=True)
    assert list(Unit.objects.filter(task__study=again).order_by("key").values_list("key", "k")) == before


def test_repeats_without_room_are_a_problem_at_their_line(rosa: User, tmp_path: Path) -> None:
    path = folder(tmp_path, k=2, set_size=6, spacing=5, checks="{repeats: 4}")
    with pytest.raises(studyfile.StudyFileError) as refused:
        studyfile.load(path, owner=rosa)
    (problem,) = refused.value.problems
    assert "a set of 6 has room for 2 such repeats, not for 4" in problem.message
    lines = (path / "study.yaml").read_text(encoding="utf-8").splitlines()
    assert "repeats: 4" in lines[problem.line - 1]


def test_tasks_asked_of_everybody_are_not_planned(rosa: User, tmp_path: Path) -> None:
    path = folder(tmp_path, k=2, set_size=600, spacing=5, stage="exit")
    loaded = studyfile.read(path)
    assert loaded.counts["units"] == 36
    assert loaded.counts.get("places", 0) == 0


def test_too_few_units_with_more_judgments_are_said_to_be_what_is_wrong(rosa: User, tmp_path: Path) -> None:
    path = folder(tmp_path, k=2, set_size=10, spacing=5, k_more=6, k_more_share=0.17)
    with pytest.raises(studyfile.StudyFileError, match="they are of 2 items only: a larger k_more_share") as refused:
        studyfile.load(path, owner=rosa)
    assert len(refused.value.problems) == 1
    assert studyfile.read(folder(tmp_path, k=2, set_size=10, spacing=5, k_more=6, k_more_share=0.75)).counts["places"]


def test_a_check_keeps_little_of_each_text_in_memory(tmp_path: Path) -> None:
    """A million texts fit into 2 GiB, beside 150 MiB of programs, with at most 1.7 kB a text; before it was 2.0."""
    few, many = tmp_path / "few", tmp_path / "many"
    for place, items in ((few, 20), (many, 600)):
        place.mkdir()
        crowds.write_files(place, place.name, items=items, systems=5, k=3, criteria=1)
    # Whatever is loaded once is loaded now.
    studyfile.read(few)
    tracemalloc.start()
    try:
        studyfile.read(many)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most / (600 * 5) < 1700
