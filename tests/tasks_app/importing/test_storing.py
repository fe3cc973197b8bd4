"""What becomes of ratings that are imported."""

from datetime import UTC, datetime
from pathlib import Path

import psycopg2
import pytest
from django.contrib.auth.models import User
from django.db import connection

from tasks_app import studyfile
from tasks_app.hooks.signals import study_moved
from tasks_app.models import Assignment, Booklet, Judgment, Rater, Rating, Study
from tasks_app.services.database import SUBMISSIONS
from tasks_app.services.imports import storing
from tasks_app.services.study import lifecycle
from tests import pages
from tests.builders import build_study
from tests.tasks_app.importing import kit
from tests.tasks_app.importing.kit import RATINGS, bring, ratings

pytestmark = pytest.mark.django_db


def test_every_rating_is_where_it_belongs(draft: Study, tmp_path: Path) -> None:
    done = bring(draft, tmp_path)
    assert done.counts == {"rows": 6, "skipped": 0, "raters": 2, "judgments": 3, "ratings": 6}
    assert ratings(draft) == [
        ("ann", "i1/alpha", "fluency", 4.0), ("ann", "i1/alpha", "style", 3.0), ("ann", "i1/beta", "fluency", 2.0),
        ("ann", "i1/beta", "style", 1.0), ("bob", "i1/alpha", "fluency", 5.0), ("bob", "i1/alpha", "style", 5.0),
    ]  # fmt: skip
    for rating in Rating.objects.select_related("part", "judgment__assignment__unit", "criterion"):
        assert rating.part.unit_id == rating.unit_id == rating.judgment.assignment.unit_id
        assert rating.rater_id == rating.judgment.assignment.rater_id
        assert rating.task_id == rating.judgment.assignment.unit.task_id
        assert rating.number == 1
    assert not Assignment.objects.exclude(place=None, set=None).exists()
    states = Assignment.objects.values_list("state", "purpose", "wave", "version", "rater_kind")
    assert set(states) == {("submitted", "main", 1, 1, "imported")}
    assert list(Assignment.objects.order_by("id").values_list("rater__pseudonym", "order")) == [
        ("ann", 1), ("ann", 2), ("bob", 1),
    ]  # fmt: skip
    assert [one.answer["imported"]["line"] for one in Judgment.objects.order_by("id")] == [2, 4, 6]


def test_pieces_of_a_file_leave_no_line_out(draft: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "LINES", 2)
    assert bring(draft, tmp_path).counts["ratings"] == 6
    assert len(ratings(draft)) == 6


def test_imported_raters_have_no_pages(draft: Study, tmp_path: Path) -> None:
    bring(draft, tmp_path)
    raters = Rater.objects.order_by("pseudonym")
    assert [(one.pseudonym, one.kind, one.state, one.outcome) for one in raters] == [
        ("ann", "imported", "ended", "completed"), ("bob", "imported", "ended", "completed"),
    ]  # fmt: skip
    assert len({one.token_hash for one in raters}) == 2
    assert all(len(one.token_hash) == 64 for one in raters)


def test_a_draft_is_frozen_and_closed_and_the_log_says_what_happened(draft: Study, tmp_path: Path, rosa: User) -> None:
    heard = []

    def hear(study: Study, action: str, **_rest: object) -> None:
        locks = "SELECT mode FROM pg_locks WHERE locktype = 'advisory' AND classid = %s AND objid = %s"
        with connection.cursor() as cursor:
            cursor.execute(locks, [SUBMISSIONS, study.pk])
            heard.append((study.slug, action, Rating.objects.count(), cursor.fetchall()))

    study_moved.connect(hear)
    try:
        done = bring(draft, tmp_path, by=rosa)
    finally:
        study_moved.disconnect(hear)
    draft.refresh_from_db()
    assert (draft.state, draft.current_version, draft.opened_at) == ("closed", 1, None)
    assert draft.closed_at is not None
    assert draft.versions.get().document["study"]["slug"] == "fluency"
    assert not Booklet.objects.exists()
    assert any("These ratings are version 1 of the study, which is closed." in note for note in done.notes)
    closed, imported = (draft.events.get(verb=verb) for verb in ("closed", "imported"))
    assert (closed.actor, closed.before, closed.after) == (rosa, {"state": "draft"}, {"state": "closed"})
    assert (imported.actor, imported.object) == (rosa, "ratings.csv")
    about = imported.after
    assert (about["rows"], about["ratings"], about["judgments"], about["raters"]) == (6, 6, 3, 2)
    assert len(about["sha256"]) == 64
    # The run that closing starts has to see the ratings, and no other run may look while they are stored.
    assert [(slug, action, n) for slug, action, n, _locks in heard] == [("fluency", "close", 6)]
    assert ("ShareLock",) in heard[0][3]
    with pytest.raises(studyfile.StudyFileError, match="was opened"):
        kit.study(tmp_path)


def test_a_study_that_was_closed_by_an_import_can_be_opened_and_is_planned_then(draft: Study, tmp_path: Path) -> None:
    bring(draft, tmp_path)
    study = lifecycle.move(study_id=draft.pk, action="open", by=None, reason="more raters")
    assert study.state == "open"
    # k = 2 places for each of 5 units, whatever was imported; the same booklets as had it been opened at first.
    other = kit.study(tmp_path, slug="other")
    lifecycle.move(study_id=other.pk, action="open", by=None)

    def plan(one: Study) -> list[tuple[int, str]]:
        places = Booklet.objects.filter(task__study=one).order_by("number", "places__order")
        return list(places.values_list("number", "places__unit__key"))

    assert len(plan(study)) == 10
    assert plan(study) == plan(other)
    pages.join(study)
    assert Rater.objects.filter(study=study, kind="real").count() == 1
    again = lifecycle.move(study_id=draft.pk, action="close", by=None)
    assert lifecycle.move(study_id=again.pk, action="open", by=None, reason="more raters").state == "open"
    assert len(plan(study)) == 10


def test_an_open_study_takes_ratings_and_stays_open(rosa: User, tmp_path: Path) -> None:
    study = build_study(rosa)
    pages.join(study)
    booklets = Booklet.objects.count()
    done = bring(study, tmp_path, "rater,unit,value\nann,i0/alpha-mt,3\n")
    study.refresh_from_db()
    assert (study.state, study.current_version, Booklet.objects.count()) == ("open", 1, booklets)
    assert not done.notes
    assert ratings(study) == [("ann", "i0/alpha-mt", "fluency", 3.0)]


def test_a_second_file_goes_on_where_the_first_ended(draft: Study, tmp_path: Path) -> None:
    bring(draft, tmp_path)
    done = bring(draft, tmp_path, "rater,item,system,criterion,value\nann,i2,beta,style,2\ncid,i2,beta,style,2\n")
    assert done.counts["raters"] == 2
    assert Rater.objects.count() == 3
    assert Assignment.objects.filter(rater__pseudonym="ann").order_by("id").values_list("order", flat=True)[2] == 3
    assert draft.versions.count() == 1


def test_checking_stores_nothing(draft: Study, tmp_path: Path) -> None:
    before = kit.stored()
    done = bring(draft, tmp_path, check=True)
    assert done.counts["ratings"] == 6
    assert any("Storing makes these ratings version 1" in note for note in done.notes)
    draft.refresh_from_db()
    assert (kit.stored(), draft.state, draft.current_version) == (before, "draft", 0)
    assert bring(draft, tmp_path).counts == done.counts


WHOLE = """\
judgment,task,unit,rater,criterion,value,shown_value,arrangement,seconds,submitted_at,position,purpose,wave,group,state
j1,reading,i1/alpha,ann,fluency,4,2,"{""parts"": [0]}",12.5,2026-03-31T14:05:00Z,7,main,1,,submitted
j1,reading,i1/alpha,ann,style,3,,"{""parts"": [0]}",12.5,2026-03-31T14:05:00Z,7,main,1,,submitted
j2,reading,i1/beta,ann,fluency,2,,,8,2026-03-31 14:06,9,warm_up,1,,submitted
j3,reading,i1/beta,bob,style,2,,,8,2026-03-31T12:06:00.25+02:00,1,main,2,,surplus
"""


def test_what_belongs_to_a_judgment_is_kept(draft: Study, tmp_path: Path) -> None:
    bring(draft, tmp_path, WHOLE)
    assert Rating.objects.get(value=4).shown_value == 2.0
    rows = Judgment.objects.order_by("id").values_list(
        "assignment__rater__pseudonym", "assignment__order", "assignment__purpose", "assignment__wave",
        "assignment__state", "assignment__arrangement", "seconds_active", "submitted_at", "answer",
    )  # fmt: skip
    # The study is in Berlin, where the hour without a zone is one of summer time.
    assert list(rows) == [
        ("ann", 7, "main", 1, "submitted", {"parts": [0]}, 12.5, datetime(2026, 3, 31, 14, 5, tzinfo=UTC),
         {"imported": {"line": 2, "judgment": "j1"}}),
        ("ann", 9, "warm_up", 1, "submitted", {}, 8.0, datetime(2026, 3, 31, 12, 6, tzinfo=UTC),
         {"imported": {"line": 4, "judgment": "j2"}}),
        ("bob", 1, "main", 2, "surplus", {}, 8.0, datetime(2026, 3, 31, 10, 6, 0, 250_000, tzinfo=UTC),
         {"imported": {"line": 5, "judgment": "j3"}}),
    ]  # fmt: skip


def test_without_positions_the_times_say_the_order(draft: Study, tmp_path: Path) -> None:
    timed = "rater,item,system,criterion,value,submitted_at\n"
    timed += "ann,i1,alpha,style,1,2026-01-02\nann,i1,beta,style,2,2026-01-01\nbob,i1,alpha,style,3,\n"
    bring(draft, tmp_path, timed + "bob,i1,beta,style,4,2026-01-01\n")
    orders = Judgment.objects.order_by("ratings__value").values_list("assignment__order", flat=True)
    assert list(orders) == [2, 1, 1, 2], "bob's have no time each, so the file says their order"


def test_rows_that_differ_in_time_are_judgments_of_their_own(draft: Study, tmp_path: Path) -> None:
    content = "rater,item,system,criterion,value,submitted_at\n"
    content += "ann,i1,alpha,style,1,2026-01-01 12:00\nann,i1,alpha,fluency,2,2026-01-02 12:00\n"
    assert bring(draft, tmp_path, content).counts["judgments"] == 2
    assert set(Judgment.objects.values_list("submitted_at__day", flat=True)) == {1, 2}


def test_skips_and_findings_of_nothing_leave_a_judgment_without_ratings(draft: Study, tmp_path: Path) -> None:
    content = (
        "rater,item,system,criterion,value,label,text\n"
        "ann,i1,alpha,,,skip,upsetting\nann,i1,beta,,,skip,\nann,i2,alpha,,,none,\nann,i2,beta,style,4,,\n"
        "bob,i1,alpha,style,,skip,too long\nbob,i1,alpha,fluency,,skip,too long\n"
    )
    assert bring(draft, tmp_path, content).counts == {
        "rows": 6, "skipped": 0, "raters": 2, "judgments": 5, "ratings": 1,
    }  # fmt: skip
    rows = Judgment.objects.order_by("id").values_list("assignment__state", "skip_reason", "comment")
    assert list(rows) == [
        ("skipped", "upsetting", ""), ("skipped", "other", ""), ("submitted", "", ""), ("submitted", "", ""),
        ("skipped", "other", "too long"),
    ]  # fmt: skip


def test_a_judgment_with_a_rating_and_a_skip_is_one_that_was_submitted(draft: Study, tmp_path: Path) -> None:
    content = "rater,item,system,criterion,value,label\nann,i1,alpha,style,4,\nann,i1,alpha,fluency,,skip\n"
    assert bring(draft, tmp_path, content).counts["judgments"] == 1
    assert list(Judgment.objects.values_list("assignment__state", "skip_reason")) == [("submitted", "")]


def test_a_text_that_is_shown_once_is_rated_under_either_name(draft: Study, tmp_path: Path) -> None:
    bring(draft, tmp_path, "rater,item,system,criterion,value\nann,i3,beta,style,4\nbob,i3,beta,style,4\n")
    assert [row[1] for row in ratings(draft)] == ["i3/alpha", "i3/alpha"]


def test_side_by_side_each_system_has_its_part(tmp_path: Path, db: None) -> None:
    study = kit.study(tmp_path, layout="points: 5=>points: 5\n      layout: together", size="set_size: 4=>set_size: 3")
    bring(study, tmp_path, RATINGS.replace("ann,i1,beta", "bob,i2,beta"))
    assert [row[1] for row in ratings(study)] == ["i1", "i1", "i2", "i2", "i1", "i1"]
    shown = Rating.objects.order_by("id").values_list("part__part_outputs__output__system__key", flat=True)
    assert list(shown) == ["alpha", "alpha", "beta", "beta", "alpha", "alpha"]


def test_groups_are_kept(tmp_path: Path, db: None) -> None:
    groups = "tasks:\n=>groups:\n  - key: novices\n  - key: experts\ntasks:\n"
    study = kit.study(tmp_path, groups=groups)
    content = "rater,group,item,system,criterion,value\nann,experts,i1,alpha,style,4\nann,,i1,beta,style,4\n"
    bring(study, tmp_path, content + "bob,novices,i1,beta,style,4\ncid,,i1,beta,style,4\n")
    assert list(Rater.objects.order_by("pseudonym").values_list("pseudonym", "group__key")) == [
        ("ann", "experts"), ("bob", "novices"), ("cid", None),
    ]  # fmt: skip
    lines = kit.problems_of(study, tmp_path, content.replace("i1", "i2").replace("experts", "novices"))
    assert lines == ["ratings.csv:2:2: group: This rater was imported before, in another group or in none."]
    more = content.replace("i1", "i2").replace("ann,,", "ann,novices,")
    assert kit.problems_of(study, tmp_path, more) == [
        "ratings.csv:3:2: group: This rater is in the group “experts” in line 2. A rater is in one group."
    ]


def test_only_one_import_of_a_study_at_a_time(draft: Study, tmp_path: Path) -> None:
    somebody_else = psycopg2.connect(**connection.get_connection_params())
    try:
        with somebody_else.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s, %s)", [storing.IMPORTS, draft.pk])
        assert kit.problems_of(draft, tmp_path, RATINGS) == [
            "ratings.csv: Somebody is importing into this study right now. Try again in a minute."
        ]
        with somebody_else.cursor() as cursor:
            # PostgreSQL notices a moment later that somebody has gone.
            cursor.execute("SELECT pg_advisory_unlock_all()")
    finally:
        somebody_else.close()
    assert bring(draft, tmp_path).counts["ratings"] == 6


def test_a_failure_in_the_middle_leaves_nothing(draft: Study, tmp_path: Path) -> None:
    def fail(**_rest: object) -> None:
        raise RuntimeError("cannot be done")

    before = kit.stored()
    study_moved.connect(fail)
    try:
        with pytest.raises(RuntimeError):
            bring(draft, tmp_path)
    finally:
        study_moved.disconnect(fail)
    draft.refresh_from_db()
    assert (kit.stored(), draft.state, draft.current_version) == (before, "draft", 0)


@pytest.mark.django_db(transaction=True)
def test_what_pages_wait_for_at_most_does_not_cut_a_large_import_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = kit.study(tmp_path)
    monkeypatch.setattr(storing.sql, "MERGE", f"SELECT pg_sleep(0.3); {storing.sql.MERGE}")
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = '200ms'")
    try:
        assert bring(draft, tmp_path).counts["ratings"] == 6
        with connection.cursor() as cursor:
            cursor.execute("SHOW statement_timeout")
            assert cursor.fetchone() == ("200ms",)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET statement_timeout")


@pytest.mark.django_db(transaction=True)
def test_it_goes_the_same_way_without_a_transaction_around_it(tmp_path: Path) -> None:
    draft = kit.study(tmp_path)
    assert bring(draft, tmp_path, check=True).counts["ratings"] == 6
    assert not Rating.objects.exists()
    assert kit.problems_of(draft, tmp_path, RATINGS + "cid,i1,alpha,style,9\n")
    assert bring(draft, tmp_path).counts["ratings"] == 6
    assert bring(draft, tmp_path, RATINGS, "repeats: keep").counts["ratings"] == 6
    assert len(ratings(draft)) == 12
