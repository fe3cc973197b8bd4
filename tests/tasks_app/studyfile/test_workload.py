"""How much one rater is given, said before anything is stored: screens, texts, answers, minutes, crowded screens."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from tasks_app import studyfile
from tasks_app.models import Study
from tasks_app.texts.reading_time import reading_seconds
from tests.tasks_app.studyfile.kit import put, spoil

pytestmark = pytest.mark.django_db

RANKME = """\
evalweb: 1
study: {slug: rankme, title: RankME, public_title: Rating texts, seed: 7}
consent: You agree to take part.
criteria:
  - {key: quality, name: Quality, question: "How good is it?"}
  - {key: naturalness, name: Naturalness, question: "How natural is it?"}
tasks:
  - {key: rating, type: magnitude, criteria: [quality, naturalness], k: 2, set_size: 5}
"""


def rankme(folder: Path, systems: int, *, items: int = 10, yaml: str = RANKME, words: int = 10) -> Path:
    """Write a RankME study: one reference and some systems for every item."""
    lines = [
        f"i{item},s{system},Text {item} of {system}{' word' * words},Source,Reference"
        for item in range(items)
        for system in range(systems)
    ]
    return put(folder, study_yaml=yaml, items_csv="\n".join(["item,system,output,source,reference", *lines]) + "\n")


def checked(folder: Path) -> str:
    out = StringIO()
    call_command("load_study", str(folder), check=True, stdout=out)
    return out.getvalue()


def test_checking_says_screens_texts_answers_and_minutes(tmp_path: Path) -> None:
    said = checked(rankme(tmp_path / "five", 5))
    assert "One rater gets 5 screens with 25 texts and 50 questions: about 7 minutes (estimated)." in said


def test_longer_texts_take_longer(tmp_path: Path) -> None:
    assert "about 14 minutes" in checked(rankme(tmp_path / "long", 5, words=75))


def test_stated_minutes_win_and_stand_beside_the_estimate(tmp_path: Path) -> None:
    folder = rankme(tmp_path / "stated", 5, yaml=RANKME + "pay: {minutes: 20}\n")
    assert "You expect 20 minutes; the estimate is about 7." in checked(folder)
    options = studyfile.load(folder, owner=None).options
    assert (options.expected_minutes, options.minutes) == (20, 20)


def test_without_stated_minutes_the_estimate_is_stored_and_survives_a_round_trip(tmp_path: Path) -> None:
    study = studyfile.load(rankme(tmp_path / "five", 5), owner=None)
    options = Study.objects.get(pk=study.pk).options
    assert options.workload is not None
    assert (options.workload.screens, options.workload.texts, options.workload.answers) == (5, 25, 50)
    assert (options.expected_minutes, options.minutes) == (7, None)
    studyfile.export(study, tmp_path / "again")
    assert "\n  minutes:" not in (tmp_path / "again" / "study.yaml").read_text()
    spoil(tmp_path / "again", "study.yaml", "slug: rankme", "slug: rankme-2")
    assert studyfile.load(tmp_path / "again", owner=None).options.expected_minutes == 7


@pytest.mark.parametrize(
    ("systems", "criteria", "crowded"),
    [(8, "[quality, naturalness]", False), (9, "[quality]", True), (19, "[quality, naturalness]", True)],
    ids=["8 texts", "9 texts", "19 systems"],
)
def test_more_than_eight_texts_on_a_screen_are_warned_of(
    tmp_path: Path, systems: int, criteria: str, *, crowded: bool
) -> None:
    said = checked(rankme(tmp_path / "many", systems, yaml=RANKME.replace("[quality, naturalness]", criteria)))
    assert ("on one screen. Above 8 texts or 20 answers raters tire" in said) is crowded
    if systems == 19:
        assert "The task “rating” puts up to 19 texts and 38 answers on one screen." in said


def test_more_than_twenty_answers_on_a_screen_are_warned_of(tmp_path: Path) -> None:
    more = "".join(f'  - {{key: c{n}, name: C{n}, question: "How?"}}\n' for n in range(5))
    asked = "[quality, naturalness, c0, c1, c2, c3, c4]"
    yaml = RANKME.replace("tasks:\n", more + "tasks:\n").replace("[quality, naturalness]", asked)
    assert "puts up to 3 texts and 21 answers on one screen" in checked(rankme(tmp_path / "asked", 3, yaml=yaml))
    apart = yaml.replace("set_size: 5", "set_size: 5, criteria_mode: rater")
    assert "on one screen" not in checked(rankme(tmp_path / "apart", 3, yaml=apart))


def test_training_and_checks_count(tmp_path: Path) -> None:
    plain = put(tmp_path / "plain")
    assert "One rater gets 4 texts with 8 questions." in checked(plain)
    watched = put(tmp_path / "watched")
    spoil(watched, "study.yaml", "    spacing: 1\n", "    spacing: 1\n    checks: {repeats: 2}\n")
    assert "One rater gets 6 texts with 12 questions." in checked(watched)


def test_texts_without_spaces_are_read_by_their_characters() -> None:
    assert reading_seconds("word " * 238) == pytest.approx(60)
    assert reading_seconds("川に架かる" * 52) == pytest.approx(60)
    assert reading_seconds("") == 0
