"""What the database can hold, one spelling of a name, and runs that look while ratings are stored."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import DataError, connection

from tasks_app.models import Judgment, Rater, Study
from tasks_app.services.copying import cells_of
from tasks_app.services.database import share_submissions
from tasks_app.services.imports import storing
from tests.builders import build_study
from tests.tasks_app.importing import kit
from tests.tasks_app.importing.kit import bring, ratings

pytestmark = pytest.mark.django_db


def test_a_time_of_any_zone_is_stored(draft: Study, tmp_path: Path) -> None:
    # PostgreSQL's own offsets end at 15:59.
    content = "rater,item,system,criterion,value,submitted_at\nann,i1,alpha,style,4,2026-03-29T02:30:00+23:59\n"
    bring(draft, tmp_path, content)
    assert Judgment.objects.get().submitted_at == datetime(2026, 3, 28, 2, 31, tzinfo=UTC)


def test_the_largest_place_leaves_room_for_the_next_file(draft: Study, tmp_path: Path) -> None:
    head = "rater,item,system,criterion,value,position,wave,seconds\n"
    bring(draft, tmp_path, head + "ann,i1,alpha,style,4,1000000,1000000,604800\n")
    bring(draft, tmp_path, head + "ann,i1,beta,style,4,,,\n")
    rows = Judgment.objects.order_by("id").values_list("assignment__order", "assignment__wave", "seconds_active")
    assert list(rows) == [(1_000_000, 1_000_000, 604_800.0), (1_000_001, 1, None)]


# The same letter, composed and as an e with an accent behind.
COMPOSED, APART = "Jos\u00e9", "Jose\u0301"


def test_a_name_spelt_in_two_ways_is_one_rater(draft: Study, tmp_path: Path) -> None:
    head = "rater,item,system,criterion,value\n"
    done = bring(draft, tmp_path, f"{head}{APART},i1,alpha,style,4\n{COMPOSED},i1,beta,style,4\n")
    assert done.counts["raters"] == 1
    bring(draft, tmp_path, f"{head}{APART},i2,alpha,style,4\n")
    assert list(Rater.objects.values_list("pseudonym", flat=True)) == [COMPOSED]
    # One who was stored with the accent apart is the same person too.
    Rater.objects.update(pseudonym=APART)
    bring(draft, tmp_path, f"{head}{COMPOSED},i2,beta,style,4\n")
    assert Rater.objects.count() == 1


@pytest.mark.parametrize("stored", [COMPOSED, APART])
@pytest.mark.parametrize("given", [COMPOSED, APART])
def test_a_criterion_is_found_in_either_spelling(tmp_path: Path, db: None, stored: str, given: str) -> None:
    study = kit.study(tmp_path, name=f"name: Style=>name: {stored}")
    bring(study, tmp_path, f"rater,item,system,criterion,value\nann,i1,alpha,{given},4\n")
    assert [row[2] for row in ratings(study)] == ["style"]


def test_what_the_database_refuses_is_an_error_of_django(draft: Study) -> None:
    staging = storing.Staging(draft)
    nothing = dict.fromkeys(storing.Judged._fields) | {"submitted_at": "no time"}
    place, answer, judged = (
        cells_of(given)
        for given in (
            storing.Place(*[None] * len(storing.Place._fields)), storing.Answer(True, False, False),
            storing.Judged(**nothing),
        )
    )  # fmt: skip
    staging.add(storing.Staged(storing.key_of_name("j"), True, 0, place, answer, judged), line=2)
    with pytest.raises(DataError, match="no time"):
        staging.conflicts([], "refuse", whole=True)


@pytest.mark.django_db(transaction=True)
def test_a_run_that_looks_meanwhile_waits_before_any_number_is_drawn(
    rosa: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = build_study(rosa)
    drawn, held = "SELECT last_value, is_called FROM tasks_app_judgment_id_seq", []

    def look(study_id: int) -> None:
        share_submissions(study_id)
        with connection.cursor() as cursor:
            cursor.execute(drawn)
            held.append(cursor.fetchone())

    monkeypatch.setattr(storing, "share_submissions", look)
    content = "rater,unit,value\nann,i0/alpha-mt,3\n"
    assert bring(study, tmp_path, content, check=True).counts["ratings"] == 1
    assert not held, "nobody waits for what is only checked"
    with connection.cursor() as cursor:
        cursor.execute(drawn)
        before = cursor.fetchone()
    bring(study, tmp_path, content)
    assert held == [before]
    assert Judgment.objects.get().pk > before[0] - (not before[1])
