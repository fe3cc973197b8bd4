"""When a text is accepted: conditions on the answers to questions."""

from pathlib import Path

import pytest

from tasks_app.selectors.acceptance import NotACondition, Rule, conditions_in
from tasks_app.studyfile.checking import check
from tasks_app.studyfile.files.source import open_files
from tasks_app.studyfile.problems import StudyFileError

STUDY = """\
evalweb: 1
study: {slug: v, title: V, public_title: V}
acceptance:
  answers: ANSWERS
tasks:
  - {key: main, type: labels, criteria: [meaning], k: 1, set_size: 1}
criteria:
  - {key: meaning, name: Meaning, labels: [same, other]}
"""


def rule(words: str, share: float = 0.5) -> Rule:
    return Rule(tuple(conditions_in(words)), share)


@pytest.mark.parametrize(
    ("answers", "verdict"),
    [
        ({"meaning": {"yes": 2, "no": 1}, "toxic": {"no": 3}}, True),
        ({"meaning": {"yes": 1, "partly": 1, "no": 1}, "toxic": {"no": 3}}, True),
        ({"meaning": {"yes": 3}, "toxic": {"no": 1, "yes": 2}}, False),
        # Half is no majority.
        ({"meaning": {"yes": 3}, "toxic": {"no": 1, "yes": 1}}, False),
        ({"meaning": {"yes": 3}}, None),
        ({}, None),
    ],
)
def test_every_condition_needs_more_than_its_share(answers: dict[str, dict[str, int]], verdict: bool | None) -> None:
    assert rule("meaning=yes|partly, toxic=no").verdict(answers) is verdict


def test_numbers_are_compared() -> None:
    assert rule("quality>=4").verdict({"quality": {"4": 1, "5": 1, "3": 1}}) is True
    assert rule("errors<=1").verdict({"errors": {"0.5": 1, "2": 2}}) is False
    assert rule("quality>=4", 0.9).verdict({"quality": {"4": 9, "3": 1}}) is False


def test_without_a_condition_nothing_is_decided() -> None:
    assert rule("").verdict({"meaning": {"yes": 3}}) is None


@pytest.mark.parametrize("words", ["meaning", "meaning=yes, meaning=no", "quality>=good", "=yes"])
def test_what_is_no_condition_is_refused(words: str) -> None:
    with pytest.raises(NotACondition):
        rule(words)


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        ("meening=same", "There is no question “meening”."),
        ("meaning=sane", "“meaning” has no answer “sane”."),
        ("meaning", "“meaning” is no condition."),
    ],
)
def test_a_study_file_with_a_wrong_condition_is_refused_with_its_place(
    tmp_path: Path, answers: str, sentence: str
) -> None:
    (tmp_path / "study.yaml").write_text(STUDY.replace("ANSWERS", answers), encoding="utf-8")
    (tmp_path / "items.csv").write_text("item,system,output\na,s,Text\n", encoding="utf-8")
    with open_files(tmp_path) as files, pytest.raises(StudyFileError) as refused:
        check(files)
    (problem,) = refused.value.problems
    assert (problem.file, problem.line, problem.column) == ("study.yaml", 4, 12)
    assert sentence in problem.message
