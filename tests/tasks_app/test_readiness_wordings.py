"""What Review says of an experiment with the wording of a question."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tasks_app import readiness
from tasks_app.readiness import Level
from tests.tasks_app.test_readiness import facts_of, sound

OTHER = {"key": "negative", "question": "How badly does this text read?"}
STEPS = ["Awfully", "Badly", "So-so", "Well", "Perfectly"]


def levels(
    wordings: Mapping[int, list[dict[str, object]]], folder: Path, name: str = "likert", **task: object
) -> dict[str, Level]:
    """Return the points about wordings of an example, with wordings of some of its questions."""
    given: dict[str, Any] = sound(name)
    for number, entries in wordings.items():
        given["criteria"][number]["wordings"] = entries
    given["tasks"][0] |= task
    points = readiness.points(facts_of(name, given, folder))
    return {point.sentence: point.level for point in points if point.kind in {"wordings", "favoured", "wording"}}


@pytest.mark.parametrize(
    ("wordings", "task", "said", "level"),
    [
        ({0: [OTHER]}, {"k": 1}, "cannot tell the wording from the raters", Level.PROBLEM),
        ({0: [OTHER]}, {"k": 12}, "Each rater reads one of 2 wordings", Level.NOTE),
        ({0: [{**OTHER, "reversed": True}]}, {"k": 24}, "asks another question on the reversed scale", Level.PROBLEM),
        ({0: [OTHER], 1: [{**OTHER, "key": "b"}]}, {"k": 24}, "drawn independently", Level.NOTE),
    ],
)
def test_what_an_experiment_cannot_tell_and_what_it_pools_is_said(
    tmp_path: Path, wordings: dict[int, list[dict[str, object]]], task: dict[str, object], said: str, level: Level
) -> None:
    found = levels(wordings, tmp_path, **task)
    assert {level for sentence, level in found.items() if said in sentence} == {level}, found


def test_a_reversed_scale_with_words_of_its_own_and_many_raters_has_only_notes(tmp_path: Path) -> None:
    found = levels({0: [{**OTHER, "reversed": True, "labels": STEPS}]}, tmp_path, k=36)
    assert set(found.values()) == {Level.NOTE}, found


def test_one_criterion_a_rater_divides_the_raters_of_a_wording(tmp_path: Path) -> None:
    for mode in ("together", "rater"):
        (tmp_path / mode).mkdir()
        found = levels({0: [{**OTHER}]}, tmp_path / mode, k=2, criteria_mode=mode)
        # 36 texts twice in sets of 12 are 6 sets; 72 of text and criterion are 12, of which half are of fluency.
        assert [sentence for sentence in found if sentence.startswith("About 3 raters will read each wording")], mode
