"""ESA with AI (Zouhar, Kocmi and Sachan 2025): annotators who follow given marks blindly are told from the others."""

import json

import pytest
from django.test import Client

from tasks_app.management.simulated_raters import Answering
from tasks_app.task_types.base import Screen, TaskType
from tests.published.kit import analysed, begun, judged, opened

pytestmark = [pytest.mark.django_db, pytest.mark.exhaustive]

# Words that the quality estimation marked although nothing is wrong with them.
FALSE = {
    "stays", "redeemed", "stay valid", "outdoor pool", "city library", "only one person", "24 hours a day",
    "before the old mill", "stall", "tracks", "fair", "nine", "Sundays", "leave your bags", "every hour",
}  # fmt: skip
# 36 texts three times each; an annotator marks 18.
RATERS = 6


def annotator(number: int) -> Answering:
    """Return an annotator: every third follows all given marks, the others remove the false ones."""

    def answer(kind: TaskType, screen: Screen) -> dict[str, str]:
        (shown,) = screen.shown_parts
        text = shown.part.text
        given = json.loads(str(kind.form(screen)["p1-spans"].value() or "[]"))
        kept = [mark for mark in given if number % 3 == 0 or text[mark["start"] : mark["end"]] not in FALSE]
        score = 100 - 15 * len(kept)
        return {"p1-score": str(score)} | ({"p1-spans": json.dumps(kept)} if kept else {"p1-none": "1"})

    return answer


def test_annotators_who_follow_given_marks_are_found_and_left_out(rosas_browser: Client) -> None:
    study = opened(begun(rosas_browser, "esa_ai"))
    study = judged(study, lambda number, _rng: annotator(number), RATERS)
    results = analysed(study, drawn=False)
    of_raters = {row.rater: row.value for row in results.rows("false_marks_kept_of_rater", basis="all")}
    assert sorted(share or 0 for share in of_raters.values()) == [0, 0, 0, 0, 1, 1]
    assert results.value("false_marks_kept", basis="all") == pytest.approx(2 / 6)
    followers = {rater for rater, share in of_raters.items() if share == 1}
    kept = {row.rater: row.value for row in results.rows("given_kept_of_rater", basis="all")}
    assert {rater for rater, share in kept.items() if share == 1} == followers
    # They fail two of three checks.
    left = {row.rater for row in results.rows("given_kept_of_rater", basis="kept")}
    assert left == set(of_raters) - followers
    assert results.value("false_marks_kept", basis="kept") == 0
    # All marks in the translator's texts are false.
    assert results.value("given_removed", system="translator", basis="kept", label=None) == 1
    scores = {row.system: row.value or 0 for row in results.rows("esa_score", basis="kept")}
    assert scores["phrase"] < scores["neural"] < scores["translator"]
    page = rosas_browser.get(f"/admin/studies/{study.slug}/results/").content.decode()
    assert "Marks given beforehand" in page
