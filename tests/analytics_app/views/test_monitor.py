"""The monitor: what it says of progress, agreement, runs and workers, and how a browser follows it."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from analytics_app.models import AgreementPoint, Run, RunPart, WorkerBeat
from analytics_app.selectors.workers import COMMAND
from analytics_app.views.monitor import marks
from tasks_app.models import Event, Rater, Study, Task
from tasks_app.services import erasure
from tasks_app.services.judging import assignments
from tests.analytics_app.builders import SLIDER, build_run, likert_rows, slider_rows
from tests.analytics_app.filling import Filler
from tests.analytics_app.views.reading import page, tables, text
from tests.analytics_app.working import finish, judge, two_hours_pass
from tests.builders import build_study
from tests.tasks_app.services.test_pay import shift
from tests.walk import arrive

pytestmark = pytest.mark.django_db


@pytest.fixture
def address(study: Study) -> str:
    """The monitor of rosa's study."""
    return f"/admin/studies/{study.slug}/monitor/"


def add_parts(run: Run, *states: str) -> None:
    """Give a run parts."""
    task = run.study.tasks.get()
    for number, state in enumerate(states):
        kind = "quality" if number == 0 else "criterion"
        criterion = None if number == 0 else task.task_criteria.get().criterion
        RunPart.objects.create(run=run, number=number, kind=kind, task=task, criterion=criterion, state=state)


def test_before_anything_it_says_what_is_to_come(rosas_browser: Client, study: Study, address: str) -> None:
    said = text(page(rosas_browser, address))
    assert "0 of 16 places are answered." in said
    assert "Nothing has been computed yet: agreement is computed automatically after new judgments" in said
    assert "No raters yet." in said
    assert "Then there will be charts here" in said


def test_it_counts_places_and_raters_and_says_what_is_missing(
    rosas_browser: Client, study: Study, address: str
) -> None:
    """One rater has finished a set of 4, one has left after 2 answers, and one is at work."""
    finish(study)
    left, at_work = arrive(study), arrive(study)
    judge(left, 2)
    assignments.stop(rater=left)
    judge(at_work, 1)
    html = page(rosas_browser, address)
    said = text(html)
    assert "Done 43 % 7 of 16 places are answered." in said
    assert "no forecast yet A forecast needs at least 20 judgments." in said
    assert "all 3 at work 1 finished 1 left 1" in said
    found = {rows[0][0]: rows for _caption, rows in tables(html)}
    assert found["Task"][1][:5] == ["Likert scale", "16", "7", "3", "6"]
    assert found["Step"][1:] == [
        ["consented", "3", "–", "–"],
        ["read the instructions", "3", "–", "–"],
        ["judged at least one unit", "3", "1", "1"],
        ["finished", "1", "–", "–"],
    ]
    counts = {row[0]: int(row[1]) for row in found["Judgments"][1:]}
    assert sum(counts.values()) == 8
    assert sum(int(n) * units for n, units in counts.items()) == 7
    assert [row[1] for row in found["Minutes"][1:]] == ["1"]
    # 3.00 for the finished set, half of it for two units of four, a quarter for one; nine places are open.
    assert "Cost so far 5.25 EUR About 6.75 EUR more for the places that are open" in said
    assert f'href="/admin/studies/{study.slug}/raters/?show=at_work"' in html


def test_alerts_say_in_words_what_is_wrong_and_lead_there(rosas_browser: Client, rosa: User) -> None:
    study = build_study(
        rosa, slug="alarming", k=8, known={"control": 4}, checks={"controls": 4, "fail_below": 0.5, "fail_after": 3}
    )
    study.settings["pay"] |= {"amount": "1.00", "minimum_hourly": "12.00"}
    study.save()
    careless, careful = finish(study, right=False), finish(study)
    html = page(rosas_browser, f"/admin/studies/{study.slug}/monitor/")
    said = text(html)
    consequence = "Raters who fail checks count in the results like all others."
    assert f"! 1 rater is below 50 % on units with known answers. {consequence} Show this rater" in said
    assert "1 of 2 raters is below the limit on known answers" in said
    found = {rows[0][0]: rows for _caption, rows in tables(html)}
    assert found["Right"][1:] == [["0 to 9 %", "1"], ["90 to 100 %", "1"]]
    assert "Nothing needs your attention" not in said
    Rater.objects.filter(pk__in=(careless.pk, careful.pk)).update(enrolled_at=Now() - timedelta(minutes=20))
    study.settings["pay"]["minutes"] = 5
    study.save()
    for rater in (careless, careful):  # the end is part of what a process remembers a time by
        Rater.objects.filter(pk=rater.pk).update(ended_at=Now())
    said = text(page(rosas_browser, f"/admin/studies/{study.slug}/monitor/"))
    assert "! Pay is under your minimum. Raters take 20.0 minutes for a set at the median." in said
    assert "A set takes raters" not in said, "two raters are too few to say so"


def test_a_viewer_is_not_told_of_known_answers_that_may_be_wrong(rosas_browser: Client, rosa: User) -> None:
    study = build_study(rosa, slug="doubtful", k=8, known={"control": 1}, checks={"controls": 1})
    for _rater in range(5):
        finish(study, right=False)
    address = f"/admin/studies/{study.slug}/monitor/"
    sentence = "Most raters contradict the known answer of 1 unit; it may be wrong."
    assert sentence in text(page(rosas_browser, address))
    study.memberships.update(role="viewer")
    assert sentence not in text(page(rosas_browser, address))
    assert sentence not in text(page(rosas_browser, f"{address}?live=1"))


def test_people_who_try_it_out_and_imported_raters_count_nowhere(
    rosas_browser: Client, study: Study, address: str
) -> None:
    finish(study, kind=Rater.Kind.SANDBOX)
    said = text(page(rosas_browser, address))
    assert "0 of 16 places are answered." in said
    assert "No raters yet." in said
    Filler(study).judge("ada", "i0", "alpha-mt", {"fluency": 1})
    assert "No raters yet." in text(page(rosas_browser, address))


def test_an_imported_study_says_how_much_was_imported(rosas_browser: Client, rosa: User) -> None:
    study = build_study(rosa, slug="imported", opened=False)
    Filler(study).judge("ada", "i0", "alpha-mt", {"fluency": 1})
    said = text(page(rosas_browser, f"/admin/studies/{study.slug}/monitor/"))
    assert "1 judgment was imported; no place was planned." in said


def test_what_was_counted_once_is_counted_anew_after_an_erasure(
    rosas_browser: Client, study: Study, address: str
) -> None:
    """The past is remembered by the process; what is erased must leave it."""
    first, second = finish(study), finish(study)
    two_hours_pass()
    assert "8 in all" in text(page(rosas_browser, address))
    finish(study)
    assert "12 in all" in text(page(rosas_browser, address))
    erasure.erase(rater=second, by=None)
    assert "8 in all" in text(page(rosas_browser, address))
    erasure.erase(rater=first, by=None)
    assert "4 in all" in text(page(rosas_browser, address))


def test_one_unit_is_nothing_to_agree_over(rosas_browser: Client, study: Study, address: str) -> None:
    build_run(study, [replace(row, n_items=1) for row in slider_rows("fluency")])
    html = page(rosas_browser, address)
    assert "No agreement yet" in text(html)
    assert not any("Krippendorff's alpha" in found[0] for _caption, found in tables(html))


def test_a_criterion_of_several_tasks_stands_with_the_task_in_the_table_of_agreement(
    rosas_browser: Client, rosa: User
) -> None:
    study = build_study(rosa, slug="two-tasks", opened=False)
    first = study.tasks.get()
    Task.objects.create(study=study, key="again", title="Second round", type=first.type, order=2)
    both = [*slider_rows("fluency"), *slider_rows("fluency", task="again"), *slider_rows("style", task="again")]
    build_run(study, both)
    html = page(rosas_browser, f"/admin/studies/{study.slug}/monitor/")
    rows = next(rows for _caption, rows in tables(html) if "Krippendorff's alpha" in rows[0])
    assert [row[0] for row in rows[1:]] == [f"Fluency {first.title or first.key}", "Fluency Second round", "style"]


def test_agreement_of_the_newest_run_stands_with_its_interval_and_no_system(
    rosas_browser: Client, study: Study, address: str
) -> None:
    build_run(study, slider_rows("fluency", basis="all"))
    build_run(study, [*slider_rows("fluency"), *likert_rows("fluency", basis="all")], n_seen=2_310)
    html = page(rosas_browser, address)
    rows = next(rows for _caption, rows in tables(html) if "Krippendorff's alpha" in rows[0])
    assert rows[1] == ["Fluency", "0.712", "0.652 to 0.762", "720", "80"]
    assert len(rows) == 2
    assert "Computed by run 2 (" in text(html)
    assert "from 2,310 of 2,310 ratings." in text(html)
    assert not any(system in html for system in SLIDER)


def test_the_course_of_agreement_is_drawn_with_its_intervals(
    rosas_browser: Client, study: Study, address: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    build_run(study, slider_rows("fluency"), number=60)
    one_run = text(page(rosas_browser, address))
    assert "Agreement on" not in one_run
    assert "Once two automatic runs have computed it" in one_run
    begin = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
    for number in range(1, 61):
        value = 0.3 + 0.4 * number / 60
        AgreementPoint.objects.create(
            study=study, task="main", criterion="fluency", run_number=number, value=value, low=value - 0.1,
            high=value + 0.1, n_ratings=100 * number, at=begin + timedelta(hours=number),
        )  # fmt: skip
    with django_assert_max_num_queries(15):
        html = page(rosas_browser, address)
    assert "Agreement on Fluency rose from 0.31 to 0.70" in text(html)
    assert "Once two automatic runs have computed it" not in text(html)
    rows = next(rows for _caption, rows in tables(html) if rows[0][0] == "Computed")
    assert len(rows) == 25
    assert rows[1][1:] == ["0.307", "0.207 to 0.407", "100"]
    assert rows[-1][1:] == ["0.700", "0.600 to 0.800", "6,000"]
    AgreementPoint.objects.filter(run_number=1).update(high=0.65)
    assert "Agreement on Fluency is 0.70, with no clear change" in text(page(rosas_browser, address))


@pytest.mark.parametrize("alphas", [(-0.3, -0.1), (-0.2, 0.4), (0.2, 0.4)])
def test_perfect_agreement_is_above_chance_and_one_run_has_no_course(
    rosas_browser: Client, study: Study, address: str, alphas: tuple[float, float]
) -> None:
    """Heights grow downwards: the label of 1 stands above that of 0, and both dots where their alphas belong."""
    build_run(study, slider_rows("fluency"), number=60)
    drawn = ""
    for number, value in enumerate(alphas, start=1):
        AgreementPoint.objects.create(
            study=study, task="main", criterion="fluency", run_number=number, value=value, low=None, high=None,
            n_ratings=100, at=datetime(2026, 3, number, tzinfo=UTC),
        )  # fmt: skip
        drawn = page(rosas_browser, address)
        assert ("Agreement on Fluency" in text(drawn)) == (number > 1), "one run has no course"
    (perfect,) = re.findall(r'y="([\d.]+)%"[^>]*>1: perfect<', drawn)
    (chance,) = re.findall(r'y="([\d.]+)%"[^>]*>0: chance<', drawn)
    first, last = re.findall(r'<circle[^>]*cy="([\d.]+)%"', drawn[: drawn.index("1: perfect")])[-2:]
    assert float(perfect) < float(last) < float(first)
    assert [float(height) > float(chance) + marks.ABOVE for height in (first, last)] == [value < 0 for value in alphas]


def test_ratings_that_came_since_are_counted_but_not_those_of_people_who_tried_it_out(
    rosas_browser: Client, study: Study, address: str
) -> None:
    filler = Filler(study)
    first = filler.judge("a", "i0", "alpha-mt", {"fluency": 3})
    run = build_run(study, slider_rows("fluency"), n_seen=1, high_water=first.ratings.get().pk)
    filler.judge("a", "i1", "alpha-mt", {"fluency": 4})
    filler.judge("tries", "i1", "alpha-mt", {"fluency": 4}, rater_kind="sandbox")
    assert "from 1 of 2 ratings." in text(page(rosas_browser, address))
    run.delete()
    assert "Nothing has been computed yet" in text(page(rosas_browser, address))


def test_a_run_under_way_shows_its_parts_and_may_be_cancelled_by_editors(
    rosas_browser: Client, study: Study, address: str, rosa: User
) -> None:
    run = build_run(study, state=Run.State.RUNNING)
    add_parts(run, "done", "running")
    html = page(rosas_browser, address)
    assert "Run 1 is being computed: 1 of 2 parts are done." in text(html)
    assert f'formaction="/admin/studies/{study.slug}/results/1/cancel/"' in html
    assert "formaction" in page(rosas_browser, f"{address}?live=1")
    study.memberships.update(role="viewer")
    for rest in ("", "?live=1"):
        html = page(rosas_browser, f"{address}{rest}")
        assert "Run 1 is being computed" in text(html)
        assert "Cancel it" not in text(html)
        assert "formaction" not in html


def test_a_failed_run_is_told_until_another_is_done(rosas_browser: Client, study: Study, address: str) -> None:
    build_run(study, state=Run.State.FAILED, error="It stopped.")
    assert "Run 1 failed. Judgments are not affected." in text(page(rosas_browser, address))
    assert "It stopped." in page(rosas_browser, f"/admin/studies/{study.slug}/results/1/")
    build_run(study, slider_rows("fluency"))
    assert "failed" not in text(page(rosas_browser, address))


def test_no_worker_is_told_with_the_hour_in_the_studys_own_time_and_the_command(
    rosas_browser: Client, study: Study, address: str
) -> None:
    said = text(page(rosas_browser, address))
    assert f"No worker has answered yet. Raters go on judging; results wait. Start one with: {COMMAND}" in said
    study.timezone = "Europe/Madrid"
    study.save()
    WorkerBeat.objects.create(queue="quick", at=datetime(2025, 11, 21, 13, 2, tzinfo=UTC))
    assert "No worker has answered since 14:02 (" in text(page(rosas_browser, address))
    WorkerBeat.objects.update(at=Now())
    assert "No worker" not in text(page(rosas_browser, address))


def test_a_broker_that_is_away_is_told(
    rosas_browser: Client, study: Study, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    WorkerBeat.objects.create(queue="quick", at=Now())
    monkeypatch.setattr(settings, "CELERY_BROKER_URL", "redis://127.0.0.1:9/0")
    said = text(page(rosas_browser, address))
    assert "The message broker cannot be reached. Raters go on judging; runs are queued" in said


def test_the_live_part_is_sent_once_and_again_only_when_it_changed(
    rosas_browser: Client, study: Study, address: str
) -> None:
    WorkerBeat.objects.create(queue="quick", at=Now())
    first = rosas_browser.get(f"{address}?live=1")
    assert first.status_code == 200
    assert "<html" not in first.content.decode()
    assert "csrfmiddlewaretoken" not in first.content.decode()
    tag = first["ETag"]
    same = rosas_browser.get(f"{address}?live=1", headers={"if-none-match": tag})
    assert (same.status_code, same.content) == (304, b"")
    Rater.objects.create(study=study, pseudonym="r-1", seed=1, token_hash="1", version=1)
    other = rosas_browser.get(f"{address}?live=1", headers={"if-none-match": tag})
    assert other.status_code == 200
    assert other["ETag"] != tag
    assert "away 1" in text(other.content.decode())


def test_the_page_holds_the_live_part_as_it_is_served_alone(rosas_browser: Client, study: Study, address: str) -> None:
    WorkerBeat.objects.create(queue="quick", at=Now())
    build_run(study, slider_rows("fluency"))
    assert rosas_browser.get(f"{address}?live=1").content.decode() in page(rosas_browser, address)


def test_strangers_get_no_live_part_and_a_superusers_looks_are_logged_once(
    mallorys_browser: Client, client: Client, study: Study, address: str
) -> None:
    assert mallorys_browser.get(f"{address}?live=1").status_code == 404
    assert client.get(f"{address}?live=1").status_code == 302
    client.force_login(User.objects.create_superuser("root"))
    before = Event.objects.count()
    client.get(address)
    client.get(f"{address}?live=1")
    client.get(f"{address}?live=1")
    assert Event.objects.count() == before + 1


@pytest.mark.exhaustive
def test_the_monitor_asks_as_much_for_many_as_for_one(
    rosas_browser: Client, study: Study, address: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(130):
        Rater.objects.create(study=study, pseudonym=f"r{number}", seed=1, token_hash=str(number), version=1)
    build_run(study, slider_rows("fluency"))
    add_parts(build_run(study, state=Run.State.RUNNING), "done", "running")
    for rest in ("", "?live=1"):
        with django_assert_max_num_queries(15):
            page(rosas_browser, f"{address}{rest}")


def test_monitor_and_pay_give_the_same_cost_and_the_same_minutes(rosas_browser: Client, rosa: User) -> None:
    study = build_study(rosa, slug="costs", k=8)
    shift(finish(study), minutes=[3, 6, 9, 12.4])
    finish(study, kind=Rater.Kind.SIMULATED)
    judge(arrive(study), 2)
    monitor = text(page(rosas_browser, f"/admin/studies/{study.slug}/monitor/"))
    pay = text(page(rosas_browser, f"/admin/studies/{study.slug}/pay/"))
    assert "Cost so far 4.50 EUR" in monitor, "3.00 for a set, and 1.50 for half of one"
    assert "Cost so far 4.50 EUR" in pay
    assert "Owed 3.00 EUR" in pay
    assert "Minutes for a set 12.4" in monitor
    assert "Minutes for a set 12.4" in pay
    assert "The rater who finished took 12.4 minutes; you promised 10" in monitor


def test_columns_stand_side_by_side_across_the_box() -> None:
    assert [mark.x for mark in marks.columns([3, 0, 1, 2])] == ["2.00%", "52.00%", "77.00%"]
