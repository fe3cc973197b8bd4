"""What raters and researchers are told of how much a set is: screens, texts and answers, and the minutes these take."""

import uuid
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tasks_app import studyfile
from tasks_app.models import Study
from tasks_app.services.arrival import enrolment
from tasks_app.services.study import lifecycle
from tasks_app.views.rater import pages as words
from tests.tasks_app.services.test_pay import shift, work
from tests.tasks_app.studyfile.test_workload import RANKME, rankme
from tests.tasks_app.views.test_absence import words_of

pytestmark = pytest.mark.django_db


def opened(folder: Path, owner: User | None, systems: int = 5, yaml: str = RANKME) -> Study:
    """Load a RankME study whose sets have five screens, and open it."""
    study = studyfile.load(rankme(folder, systems, yaml=yaml), owner=owner)
    return lifecycle.move(study_id=study.pk, action="open", by=owner)


def arrive(study: Study) -> str:
    """Take part, without having begun; returns the rater's token."""
    return enrolment.enrol(study_id=study.pk, nonce=uuid.uuid4().hex, consent_text_id=None).token


def test_the_invitation_and_the_start_page_say_screens_texts_and_answers(somebody: Client, tmp_path: Path) -> None:
    study = opened(tmp_path, None)
    offer = words_of(somebody.get(f"/join/{study.link_code}/").content.decode())
    assert "5 screens with 25 texts and 50 questions" in offer
    assert "about 7 minutes" in offer
    token = arrive(study)
    start = words_of(somebody.get(f"/r/{token}/instructions/").content.decode())
    assert "You will get 5 screens with 25 texts and 50 questions. It takes about 7 minutes." in start


def test_the_start_page_counts_what_this_rater_was_given(somebody: Client, tmp_path: Path) -> None:
    study = opened(tmp_path, None, yaml=RANKME.replace("set_size: 5", "set_size: 8"))
    shown = []
    for _turn in range(3):
        token = arrive(study)
        start = words_of(somebody.get(f"/r/{token}/instructions/").content.decode())
        shown.append(start.partition("You will get ")[2].partition(".")[0])
    assert sorted(shown) == [
        "4 screens with 20 texts and 40 questions",
        *["8 screens with 40 texts and 80 questions"] * 2,
    ]


def test_in_german_and_spanish(somebody: Client, tmp_path: Path) -> None:
    study = opened(tmp_path, None)
    Study.objects.filter(pk=study.pk).update(language="de")
    assert "5 Seiten: 25 Texte, 50 Fragen" in words_of(somebody.get(f"/join/{study.link_code}/").content.decode())
    Study.objects.filter(pk=study.pk).update(language="es")
    assert "5 pantallas con 25 textos y 50 preguntas" in words_of(
        Client().get(f"/join/{study.link_code}/").content.decode()
    )


def test_real_times_take_the_place_of_the_estimate_but_not_of_stated_minutes(tmp_path: Path) -> None:
    yaml = RANKME.replace("k: 2", "k: 3")
    study = opened(tmp_path / "estimated", None, yaml=yaml)
    for number in range(5):
        assert words.expected_minutes(study) == 7, number
        shift(work(study), minutes=[5, 10, 15, 20, 21])
    assert words.expected_minutes(study) == 21
    stated = yaml.replace("slug: rankme", "slug: stated") + "pay: {minutes: 12}\n"
    told = opened(tmp_path / "stated", None, yaml=stated)
    for _number in range(5):
        shift(work(told), minutes=[5, 10, 15, 20, 21])
    assert words.expected_minutes(told) == 12


def test_the_design_page_says_them_and_whether_minutes_are_estimated(
    rosas_browser: Client, rosa: User, tmp_path: Path
) -> None:
    studyfile.load(rankme(tmp_path / "five", 5), owner=rosa)
    page = words_of(rosas_browser.get("/admin/studies/rankme/design/").content.decode())
    assert "about 7 minutes (estimated) each, without pay." in page
    assert "5 screens each, with about 25 texts and 50 answers in all." in page
    assert "on one screen" not in page


def test_the_design_page_warns_of_crowded_screens_and_of_minutes_that_do_not_fit(
    rosas_browser: Client, rosa: User, tmp_path: Path
) -> None:
    studyfile.load(rankme(tmp_path / "many", 19, yaml=RANKME + "pay: {minutes: 5}\n"), owner=rosa)
    page = words_of(rosas_browser.get("/admin/studies/rankme/design/").content.decode())
    assert "puts up to 19 texts and 38 answers on one screen. Above 8 texts or 20 answers raters tire" in page
    assert "Raters are told about 5 minutes; screens, texts and answers suggest about" in page
    asked = rosas_browser.get("/admin/studies/rankme/set-up/review/?opening=1")
    assert "puts up to 19 texts and 38 answers on one screen" in words_of(asked.content.decode())
