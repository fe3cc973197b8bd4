"""Erasing a rater: nothing that says who they are or what they gave stays anywhere, and counts do."""

from io import StringIO
from pathlib import Path
from random import Random

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.test import Client
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from analytics_app.models import Exclusion, Run
from analytics_app.runs import start
from analytics_app.services import exclusions
from tasks_app.channels.base import Arrival
from tasks_app.models import Assignment, Booklet, Erasure, Identity, Judgment, Payment, Rater, Rating, Study
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services import erasure, tombstones
from tasks_app.services.arrival import enrolment
from tasks_app.services.judging import claims, drafts, judgments
from tests import invariants, walk
from tests.builders import build_study
from tests.walk import next_for

pytestmark = pytest.mark.django_db

PLATFORM, VISIT, ADDRESS = "5f1c9e2ab34d7788aa00bb11", "session-7731-of-mine", "ada.lovelace@example.org"
TYPED, TOKEN_WORD = "I live in Little Bookham", "my-own-nonce"


def take_part(study: Study, answers: int = 3) -> tuple[Rater, str]:
    """Let a platform's rater answer some units with a comment, leave a draft, and be paid and excluded."""
    arrival = Arrival("prolific", PLATFORM, VISIT, email=ADDRESS, details={"note": PLATFORM})
    text = study.consent_texts.get()
    enrolled = enrolment.enrol(study_id=study.pk, nonce=TOKEN_WORD, consent_text_id=text.pk, arrival=arrival)
    rater = enrolled.rater
    for number in range(answers):
        assignment = next_for(rater=rater)
        assert assignment is not None
        judgments.submit(
            screen=RaterScreen(rater, assignment),
            submission=walk.answer(study, assignment, Random(number), comment=TYPED),
        )
    current = next_for(rater=rater)
    if current is not None:
        drafts.save_draft(screen=RaterScreen(rater, current), counter=1, answer={"comment": TYPED})
    Payment.objects.create(rater=rater, kind="bonus", amount="1.00", reason=f"For {PLATFORM}")
    exclusions.exclude_rater(rater=rater, by=None, reason=f"{PLATFORM} wrote to us")
    return rater, enrolled.token


def everywhere(word: str) -> list[str]:
    """Search every column of text or JSON of every table for a word."""
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'
               AND data_type IN ('text', 'character varying', 'json', 'jsonb', 'bytea', 'uuid', 'inet')"""
        )
        found = []
        for table, column in cursor.fetchall():
            cursor.execute(f'SELECT count(*) FROM "{table}" WHERE position(%s in "{column}"::text) > 0', [word])
            if cursor.fetchone()[0]:
                found.append(f"{table}.{column}")
        return found


def test_nothing_about_an_erased_rater_is_left_and_counts_stay() -> None:
    study = build_study(None)
    rater, token = take_part(study)
    old = {"pseudonym": rater.pseudonym, "hash": Rater.objects.get(pk=rater.pk).token_hash}
    words = [PLATFORM, VISIT, ADDRESS, TYPED, token, *old.values()]
    missing = [word for word in (PLATFORM, VISIT, ADDRESS, TYPED, *old.values()) if not everywhere(word)]
    assert not missing, "the search would find nothing in any case"
    ratings = Rating.objects.filter(rater=rater).count()
    given = Assignment.objects.filter(rater=rater).count()

    erased = erasure.erase(rater=rater)

    assert (erased.judgments, erased.ratings) == (3, ratings)
    assert {word: everywhere(word) for word in words if everywhere(word)} == {}
    assert not Judgment.objects.filter(assignment__rater=rater).exists()
    assert not Exclusion.objects.filter(rater=rater).exists()
    assert Assignment.objects.filter(rater=rater).count() == given, "what was given out is still counted"
    assert sum(Erasure.objects.filter(assignment__rater=rater).values_list("ratings", flat=True)) == ratings
    assert Payment.objects.get(rater=rater, kind="bonus").amount == 1, "what was paid stays as an amount"
    fresh = Rater.objects.get(pk=rater.pk)
    assert (fresh.state, fresh.outcome, fresh.erased_at is None) == ("ended", "withdrawn", False)
    invariants.check(study)


def test_erasing_twice_changes_nothing_and_the_link_leads_nowhere(client: Client) -> None:
    study = build_study(None)
    rater, token = take_part(study)
    erasure.erase(rater=rater)
    before = Rater.objects.values().get(pk=rater.pk)
    assert erasure.erase(rater=rater) == erasure.Erased(0, 0)
    assert Rater.objects.values().get(pk=rater.pk) == before
    assert client.get(f"/r/{token}/").status_code == 404


def test_the_places_of_erased_answers_go_to_others() -> None:
    study = build_study(None, items=2, systems=("alpha-mt",), k=1, set_size=2)
    task = study.tasks.get()
    rater, _token = take_part(study, answers=2)
    assert not claims.has_room(task)
    erasure.erase(rater=rater)
    assert claims.has_room(task)
    other = walk.arrive(study)
    assert Assignment.objects.filter(rater=other).count() == 2
    assert Booklet.objects.get().state == Booklet.State.TAKEN
    invariants.check(study)


def test_without_the_erasure_answers_cannot_be_deleted_afterwards_either() -> None:
    study = build_study(None)
    take_part(study)
    erased, other = Rater.objects.get(), walk.arrive(study)
    assignment = next_for(rater=other)
    assert assignment is not None
    judgments.submit(screen=RaterScreen(other, assignment), submission=walk.answer(study, assignment, Random(1)))
    erasure.erase(rater=erased)
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM tasks_app_rating WHERE rater_id = %s", [other.pk])


def test_runs_made_before_say_how_much_was_erased_since() -> None:
    study = build_study(None)
    rater, _token = take_part(study)
    run = start.start(study=study, by=None, trigger="command")
    erasure.erase(rater=rater)
    assert Run.objects.get(pk=run.pk).erased_since == 3


def test_only_the_platform_id_can_be_removed() -> None:
    study = build_study(None)
    rater, _token = take_part(study)
    assert erasure.forget_platform(rater=rater)
    assert not erasure.forget_platform(rater=rater)
    assert not Identity.objects.filter(rater=rater).exists()
    assert Judgment.objects.filter(assignment__rater=rater).count() == 3


@pytest.mark.parametrize(("days", "kept"), [(30, False), (31, True), (None, True)])
def test_platform_ids_go_after_the_time_that_is_set(days: int | None, kept: bool) -> None:
    study = build_study(None)
    Study.objects.filter(pk=study.pk).update(
        settings={**study.settings, "about": {} if days is None else {"identities_days": days}}
    )
    rater, _token = take_part(study)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE tasks_app_rater SET state = 'ended', outcome = 'completed', "
            "ended_at = now() - interval '30 days 1 hour' WHERE id = %s",
            [rater.pk],
        )
    assert erasure.remove_old_identities() == (not kept)
    assert Identity.objects.filter(rater=rater).exists() == kept


@pytest.fixture
def listed(tmp_path: Path, settings: Settings) -> Path:
    """Where erasures are listed."""
    settings.ERASURES = tmp_path / "erasures.jsonl"
    return tmp_path / "erasures.jsonl"


def test_an_erasure_is_listed_once_it_is_committed(
    listed: Path, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    rater = walk.arrive(build_study(None))
    pseudonym = rater.pseudonym
    with django_capture_on_commit_callbacks(execute=True):
        erasure.erase(rater=rater)
        assert not listed.exists()
    rater.refresh_from_db()
    assert tombstones.read(listed) == [tombstones.of(rater)]
    assert pseudonym not in listed.read_text()
    listed.write_text(f'{listed.read_text()}{{"rater": 99, "di')  # cut off by a crash
    assert tombstones.add(listed, [tombstones.of(rater), tombstones.Tombstone(7, "x")]) == 1
    assert tombstones.read(listed) == [tombstones.of(rater), tombstones.Tombstone(7, "x")]


def test_raters_whom_an_older_backup_brought_back_are_erased_again(listed: Path) -> None:
    study = build_study(None)
    back, other, same_number = (walk.arrive(study) for _time in range(3))
    elsewhere = tombstones.of_seeds(same_number.pk, same_number.seed + 1, study.seed)
    tombstones.add(listed, [tombstones.of(back), elsewhere, tombstones.Tombstone(2**40, "gone")])
    said = StringIO()
    call_command("repeat_erasures", stdout=said)
    assert said.getvalue().startswith("Erased 1 rater again")
    erased = Rater.objects.filter(erased_at__isnull=False)
    assert list(erased) == [back]
    assert other not in erased
    said = StringIO()
    call_command("repeat_erasures", stdout=said)
    assert said.getvalue() == ""


def test_a_list_that_cannot_be_read_is_not_passed_over(listed: Path) -> None:
    listed.write_text("{}\n")
    with pytest.raises(CommandError, match="line 1: this is no erasure"):
        call_command("repeat_erasures")
