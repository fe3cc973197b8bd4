"""Changed copies: raters who notice all degraded kinds but numbers, and a metric that is blind to word order."""

import csv
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from random import Random

import pytest
from django.core.management import call_command
from django.test import Client

from tasks_app.management.simulated_raters import Answering
from tasks_app.models import Output, Study
from tasks_app.task_types.base import Screen, TaskType
from tests.published.kit import analysed, begun, judged, opened, systems_by_text

pytestmark = [pytest.mark.django_db, pytest.mark.exhaustive]

# By how many steps raters rate a copy lower, by what its system is called after the original's.
LOWER = {"": 0, "word-order": 3, "dropped-name": 2, "negation": 3, "number": 0, "repetition": 2}
# Copies that mean the same, which raters rate like their originals.
SAME = {"insertion", "paraphrase"}


def rater(system_of: Mapping[str, str], number: int) -> Answering:
    """Return a rater who gives originals about 6 of 7 steps, and copies less."""

    def answer(kind: TaskType, screen: Screen) -> dict[str, str]:
        given = {}
        for shown in screen.shown_parts:
            lower = LOWER.get(system_of[shown.part.text].removeprefix("writer").removeprefix("-"), 0)
            noise = Random(f"{number}:{shown.part.text}").choice([-1, 0, 0, 0, 1])
            (field,) = kind.form(screen, None).fields
            given[field] = str(6 - lower + noise)
        return given

    return answer


def overlap(study: Study, path: Path) -> Path:
    """Write a metric that counts words: the share of words that a text and the original have in common."""
    originals = dict(Output.objects.filter(item__study=study, system__key="writer").values_list("item__key", "text"))
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["item", "system", "overlap"])
        for item, system, text in Output.objects.filter(item__study=study).values_list(
            "item__key", "system__key", "text"
        ):
            words, original = (sorted(one.replace(".", "").split()) for one in (text, originals[item]))
            common = sum(min(words.count(word), original.count(word)) for word in set(words))
            rows.writerow([item, system, 2 * common / (len(words) + len(original))])
    return path


def test_raters_notice_what_the_metric_does_not(rosas_browser: Client, tmp_path: Path) -> None:
    study = opened(begun(rosas_browser, "perturbed_texts"))
    systems = systems_by_text(study)
    study = judged(study, lambda number, _rng: rater(systems, number), 10)
    scores = overlap(study, tmp_path / "scores.csv")
    call_command("import_scores", study.slug, str(scores), "--metrics", "overlap", stdout=StringIO())
    results = analysed(study)
    together = [
        row for row in results.rows("robustness_difference", basis="kept", system=None) if row.criterion == "quality"
    ]
    people = {row.label: row for row in together if row.metric is None}
    metric = {row.label: row for row in together if row.metric == "overlap"}
    assert set(people) == set(metric) == set(LOWER) - {""}
    assert {kind: row.value for kind, row in people.items()} == pytest.approx(
        {kind: lower for kind, lower in LOWER.items() if kind}, abs=0.6
    )
    noticed_by_people = {kind for kind, row in people.items() if (row.p_adjusted or 0) < 0.05}
    assert noticed_by_people == {"word-order", "dropped-name", "negation", "repetition"}
    # Shuffled words are the same words.
    assert metric["word-order"].value == 0
    assert results.value("robustness_noticed", label="word-order", metric="overlap", basis="kept") == 0
    assert results.value("robustness_noticed", label="word-order", metric=None, basis="kept") > 0.9
    assert {kind for kind, row in metric.items() if (row.p_adjusted or 0) < 0.05} == {
        "dropped-name", "negation", "number", "repetition"
    }  # fmt: skip
    verdicts = {
        (row.label, row.metric): ((row.p_adjusted is not None and row.p_adjusted < 0.05), difference > 0)
        for row in results.rows("equivalence_test", basis="kept")
        for difference in [results.value(
            "equivalence_difference", label=row.label, metric=row.metric, basis="kept")]
    }  # fmt: skip
    assert {kind for kind, judge in verdicts if judge is None} == SAME
    assert all(verdicts[kind, None][0] for kind in SAME), "raters score them alike"
    # Words in common are fewer in other words: the metric punishes paraphrases.
    assert verdicts["paraphrase", "overlap"] == (False, True)
    page = rosas_browser.get(f"/admin/studies/{study.slug}/results/").content.decode()
    assert "Degraded copies noticed by raters and metrics" in page
    assert "this was not shown for number" in page
