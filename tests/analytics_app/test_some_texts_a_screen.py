"""Twenty-one systems judged five at a time: the planted order comes back, by magnitudes, ranks and choices."""

import csv
from collections import Counter
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from django.core.management import call_command
from scipy.stats import kendalltau

from tasks_app import studyfile
from tasks_app.models import Study, Unit
from tasks_app.services.plan import reports
from tasks_app.task_types.base import Criterion, Part, Quality, Screen
from tasks_app.task_types.simulation import latent_quality
from tests.analytics_app.by_commands import analysed, one, write

pytestmark = pytest.mark.django_db

CRITERION = {"key": "quality", "name": "Quality", "question": "How good is the text?"}


def text_worth(share: float, words: str) -> str:
    """A text that simulated raters find about so good, as a share of the scale."""
    return next(
        text for number in range(10_000) if abs(latent_quality(text := f"{words} {number}.", "quality") - share) < 0.04
    )


def study_of(folder: Path, n_systems: int, n_items: int, **task: Any) -> Study:
    """A draft whose systems are the better the higher their number."""
    with (folder / "items.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("item", "system", "output", "reference"))
        for item in range(n_items):
            for system in range(n_systems):
                text = text_worth(0.15 + 0.7 * system / (n_systems - 1), f"Text {item} by {system}")
                rows.writerow((f"i{item}", f"s{system:02}", text, "Reference."))
    document = {
        "evalweb": 1,
        "study": {"slug": "small", "title": "Small", "public_title": "Small", "language": "en", "seed": 7},
        "about": {"institution": "Example"},
        "flow": {"enrolments_per_address": 1000},
        "consent": "Yes.",
        "criteria": [CRITERION],
        "tasks": [{"key": "main", "criteria": ["quality"], "k": 1, "spacing": 1, **task}],
    }
    (folder / "study.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    return studyfile.load(folder, owner=None)


def judged(study: Study, folder: Path, times: int = 1) -> None:
    """Let careful simulated raters judge every unit so many times, and import what they say."""
    task = study.tasks.get()
    kind, rng = task.kind, Random(3)
    rows = []
    units = Unit.objects.filter(task=task).prefetch_related("parts__part_outputs__output__system")
    for number, unit in enumerate([*units.select_related("item").order_by("id")] * times):
        outputs = [part.part_outputs.all()[0].output for part in unit.parts.all()]
        parts = tuple(Part(place, output.text) for place, output in enumerate(outputs))
        screen = Screen(kind, parts, (Criterion("quality", "Quality"),), reference=unit.item.reference)
        form = kind.form(screen, kind.simulate(screen, Quality.CAREFUL, rng))
        assert form.is_valid(), form.errors
        about = {"rater": f"r{number % 7}", "unit": unit.key, "item": unit.item.key, "criterion": "quality"}
        for value in kind.ratings(screen, form.cleaned_data):
            second = {} if value.part_b is None else {"system_b": outputs[value.part_b].system.key}
            said = {"value": value.value, "label": value.label, "system": outputs[value.part or 0].system.key}
            rows.append({**about, **said, **second})
    call_command("import_ratings", "small", str(write(folder / "ratings.csv", rows)), stdout=StringIO())


def order_of(rows: list[dict[str, Any]], statistic: str) -> float:
    """Kendall's tau between a statistic of the systems and the order that was planted."""
    values = {row["system"]: row["value"] for row in rows if row["statistic"] == statistic and row["basis"] == "kept"}
    tau: float = kendalltau([int(system[1:]) for system in values], list(values.values())).statistic
    return tau


@pytest.mark.exhaustive
def test_magnitudes_of_21_systems_five_at_a_time_bring_the_planted_order_back(tmp_path: Path) -> None:
    study = study_of(tmp_path, 21, 42, type="magnitude", params={"texts_a_screen": 5}, set_size=60)
    (report,) = reports.reports(study)
    assert Counter(report.meetings.screens.values()) == {6: 42, 7: 168}
    assert {n for _system, n in report.systems} == {42}
    judged(study, tmp_path)
    rows = analysed(tmp_path, {"analysis": "magnitude"}, {"analysis": "trueskill"})
    assert order_of(rows, "trueskill_mu") > 0.95
    assert order_of(rows, "geometric_mean") > 0.95


@pytest.mark.exhaustive
def test_ranks_of_12_systems_four_at_a_time_bring_the_planted_order_back(tmp_path: Path) -> None:
    study = study_of(tmp_path, 12, 25, type="ranking", params={"texts_a_screen": 4})
    judged(study, tmp_path, times=2)
    rows = analysed(tmp_path, {"analysis": "ranking"}, {"analysis": "trueskill"})
    assert order_of(rows, "trueskill_mu") > 0.95
    assert order_of(rows, "pl_strength") > 0.95
    assert order_of(rows, "rank_mean") < -0.95
    agreement = one(rows, "concordance_w", criterion="quality")
    assert agreement["value"] > 0.8
    assert agreement["n_items"] == 25
    friedman = one(rows, "friedman_chi2", criterion="quality")
    assert friedman["value"] is None
    assert "ranked together" in friedman["note"]


def test_some_pairs_of_10_systems_bring_the_planted_order_back(tmp_path: Path) -> None:
    study = study_of(tmp_path, 10, 30, type="pairwise", params={"pairs_an_item": 9})
    judged(study, tmp_path)
    rows = analysed(tmp_path, {"analysis": "pairwise"}, {"analysis": "trueskill"})
    assert order_of(rows, "trueskill_mu") > 0.9
    assert order_of(rows, "bt_strength") > 0.9


def test_best_and_worst_of_five_of_15_systems_bring_the_planted_order_back(tmp_path: Path) -> None:
    study = study_of(tmp_path, 15, 20, type="best_worst", params={"of": "item_once", "size": 5})
    judged(study, tmp_path)
    meetings = reports.reports(study)[0].meetings
    assert meetings.most - meetings.least <= 2
    rows = analysed(tmp_path, {"analysis": "best_worst"})
    assert order_of(rows, "bw_score") > 0.9
