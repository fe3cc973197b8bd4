"""ESA (Kocmi et al. 2024) and MQM (Freitag et al. 2021): errors that annotators agree on put the systems in order."""

import json
from random import Random

import pytest
from django.test import Client

from tasks_app.management.simulated_raters import Answering
from tasks_app.task_types.base import Screen, TaskType
from tests.published.kit import analysed, begun, judged, opened

pytestmark = [pytest.mark.django_db, pytest.mark.exhaustive]

# What is wrong in the texts, and how serious it is; nothing is wrong in the translator's.
MINOR = (
    "hall bath", "pipe break", "Already bought cards", "open bath", "17 clock", "helps at the information",
    "week market", "by the market office", "on the leash allowed", "all twenty minutes", "plan", "for your way in",
)  # fmt: skip
MAJOR = (
    "Maps", "take in this time place", "bring therefore something patience with", "patients", "how until now",
    "Who a stand wants to rent", "May", "take bicycles",
)  # fmt: skip


def annotator(number: int, kind_of_error: str | None) -> Answering:
    """Return an annotator who finds nine errors of ten, and scores a text by them."""

    def answer(kind: TaskType, screen: Screen) -> dict[str, str]:
        (shown,) = screen.shown_parts
        text, draw = shown.part.text, Random(f"{number}:{shown.part.text}")
        marks = []
        for severity, words in (("minor", MINOR), ("major", MAJOR)):
            for found in words:
                at = text.find(found)
                if at >= 0 and draw.random() < 0.9:
                    place = {"side": "output", "start": at, "end": at + len(found)}
                    marks.append({**place, "severity": severity, "category": kind_of_error})
        given = {"p1-spans": json.dumps(marks)} if marks else {"p1-none": "1"}
        if kind_of_error is None:
            worst = sum(25 if mark["severity"] == "major" else 8 for mark in marks)
            given["p1-score"] = str(max(0, 98 - worst - draw.randrange(5)))
        return given

    return answer


def test_scores_and_spans_of_esa_put_systems_in_order(rosas_browser: Client) -> None:
    study = opened(begun(rosas_browser, "esa"))
    # 36 texts three times each; an annotator marks 18.
    study = judged(study, lambda number, _rng: annotator(number, None), 6)
    results = analysed(study, drawn=False)
    scores = {row.system: row.value or 0 for row in results.rows("esa_score", basis="kept")}
    assert scores["phrase"] < scores["neural"] < scores["translator"]
    no_error = {row.system: row.value for row in results.rows("no_error_share", basis="kept")}
    assert no_error["translator"] == 1


def test_translations_side_by_side_put_systems_in_order(rosas_browser: Client) -> None:
    study = opened(begun(rosas_browser, "esa_contrastive"))
    # Four notices by three systems, three times each; an annotator reads two of them, a page each.
    study = judged(study, lambda number, _rng: annotator(number, None), 6)
    results = analysed(study, drawn=False)
    scores = {row.system: row.value or 0 for row in results.rows("esa_score", basis="kept")}
    assert scores["phrase"] < scores["neural"] < scores["translator"]
    no_error = {row.system: row.value for row in results.rows("no_error_share", basis="kept")}
    assert no_error["translator"] == 1


def test_mqm_has_human_translations_ahead(rosas_browser: Client) -> None:
    study = opened(begun(rosas_browser, "mqm"))
    # Every translator reads all 36 sentences.
    study = judged(study, lambda number, _rng: annotator(number, "accuracy/mistranslation"), 3)
    results = analysed(study, drawn=False)
    penalties = {row.system: row.value for row in results.rows("mqm_score", basis="kept")}
    assert penalties["translator"] == 0
    assert (penalties["neural"] or 0) < (penalties["phrase"] or 0)
    (weights,) = {str((row.settings or {}).get("weights")) for row in results.rows("mqm_score", basis="kept")}
    assert weights == "of the task"
    kinds = {row.label for row in results.rows("errors_by_category", basis="kept")}
    assert kinds == {"accuracy/mistranslation"}
    page = rosas_browser.get(f"/admin/studies/{study.slug}/results/").content.decode()
    assert "MQM penalty" in page
