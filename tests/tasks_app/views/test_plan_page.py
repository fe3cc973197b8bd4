"""The plan page says in numbers what everybody gets, refuses what cannot be, and gives the plan away as a file."""

import csv
import io
import re
from collections import Counter
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tasks_app.designs.base import PlanUnit
from tasks_app.models import (
    Booklet,
    Event,
    Gold,
    Group,
    Membership,
    Place,
    Setup,
    Study,
    Task,
    TaskCriterion,
    TaskGroup,
    Unit,
)
from tasks_app.models.setup_document import value_at
from tasks_app.services.plan import plans, reports
from tasks_app.services.plan.meetings import meetings_of
from tasks_app.services.study import lifecycle, units
from tests.builders import build_study

pytestmark = pytest.mark.django_db

SYSTEMS = ("a-mt", "b-mt", "c-mt")


def text_of(browser: Client, study: Study) -> str:
    """The page as somebody reads it: no tags, single spaces."""
    page = browser.get(f"/admin/studies/{study.slug}/design/")
    assert page.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.content.decode().split("</nav>", 1)[-1]))


def rows(browser: Client, study: Study, task: str = "main") -> list[dict[str, str]]:
    """The plan as a file."""
    answer = browser.get(f"/admin/studies/{study.slug}/design/plan.csv", {"task": task})
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/csv")
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode())))


def test_a_sentence_says_how_much_it_is_and_what_it_costs(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, items=30, systems=SYSTEMS, k=4, set_size=20, spacing=10, opened=False)
    said = text_of(rosas_browser, study)
    assert "18 raters, about 10 minutes and 3.00 EUR each: 54.00 EUR. 360 judgments: 20 units each." in said


def test_a_system_that_is_only_shown_counts_apart_from_those_that_are_judged(rosa: User, rosas_browser: Client) -> None:
    """The reference stands on every screen: counted as judged, it would make all others look short of judgments."""
    study = build_study(rosa, items=6, systems=SYSTEMS, type="magnitude", k=2, set_size=4, opened=False)
    study.tasks.update(params={"layout": "plain", "reference_system": "b-mt"})
    Unit.objects.all().delete()
    units.make_units(study=study)
    for stored in (False, True):
        (report,) = reports.reports(study)
        assert report.is_stored == stored
        assert [(line.key, line.judgments, line.away) for line in report.lines] == [("a-mt", 12, 0), ("c-mt", 12, 0)]
        assert report.shown_only == (("b-mt", 24),)
        assert report.meetings is None
        said = text_of(rosas_browser, study)
        assert "b-mt is shown with 24 judgments but is not judged." in said
        if not stored:
            study = lifecycle.move(study_id=study.pk, action="open", by=rosa)
    # The file of the plan says what stands on each screen.
    assert rows(rosas_browser, study)[0]["systems"] in {"a-mt | b-mt", "c-mt | b-mt"}


def test_a_last_set_that_is_shorter_is_paid_less(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, items=5, systems=SYSTEMS, k=2, set_size=8, opened=False)
    said = text_of(rosas_browser, study)
    assert "4 raters, about 10 minutes and up to 3.00 EUR each: 11.25 EUR. 30 judgments: 6 to 8 units each." in said


def test_before_opening_the_page_and_the_file_are_what_opening_draws(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, items=6, systems=SYSTEMS, k=2, set_size=6, opened=False)
    said, before = text_of(rosas_browser, study), rows(rosas_browser, study)
    assert "Opening the study draws exactly this plan." in said
    assert not Place.objects.exists()
    lifecycle.move(study_id=study.pk, action="open", by=rosa)
    after = rows(rosas_browser, study)
    assert before == after
    stored = Place.objects.order_by("booklet__number", "order").values_list(
        "booklet__number", "order", "unit__key", "unit__item__key", "number"
    )
    listed = [(one["booklet"], one["order"], one["unit"], one["item"], one["place"]) for one in after]
    assert listed == [tuple(map(str, one)) for one in stored]
    assert Counter(one["systems"] for one in after) == {"a-mt": 12, "b-mt": 12, "c-mt": 12}
    told = text_of(rosas_browser, study)
    assert "This plan was drawn when the study was opened." in told
    assert (
        said.split("exactly this plan.")[1].split("Download")[0]
        == told.split("study was opened.")[1].split("Download")[0]
    )


def test_the_page_and_a_file_say_how_often_two_systems_meet(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, items=4, systems=SYSTEMS, type="ranking", k=3, set_size=4, opened=False)
    study.tasks.update(params={"texts_a_screen": 3})
    assert "Every two systems are in 4 units together." in text_of(rosas_browser, study)
    assert "System a-mt b-mt b-mt 4 c-mt 4 4" in text_of(rosas_browser, study)
    answer = rosas_browser.get(f"/admin/studies/{study.slug}/design/pairs.csv?task=main")
    listed = list(csv.DictReader(io.StringIO(answer.getvalue().decode())))
    assert [tuple(row.values()) for row in listed] == [
        ("a-mt", "b-mt", "4", "12"), ("a-mt", "c-mt", "4", "12"), ("b-mt", "c-mt", "4", "12"),
    ]  # fmt: skip
    assert rosas_browser.get(f"/admin/studies/{study.slug}/design/pairs.csv?task=other").status_code == 404


def test_beyond_30_systems_the_file_alone_has_the_pairs() -> None:
    units = [PlanUnit(f"u{n}", 2, f"i{n}", None, 0, ((f"s{n:02}",), (f"s{n + 1:02}",))) for n in range(30)]
    meetings = meetings_of(units)
    assert (meetings.least, meetings.most, meetings.fits_a_table) == (0, 1, False)
    rows = list(meetings.rows())
    assert len(rows) == 31 * 30 // 2
    assert rows[0] == ("s00", "s01", 1, 2)
    assert meetings_of([PlanUnit("u", 1, "i", None, 0, (("a", "b"),))]) is None


def test_the_file_names_the_systems_of_every_text_and_no_formula(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, items=3, systems=("=a", "b-mt"), type="pairwise", k=2, set_size=3, opened=False)
    found = rows(rosas_browser, study)
    assert {one["systems"] for one in found} == {"'=a | b-mt"}
    assert [one["place"] for one in found if one["unit"] == found[0]["unit"]] == ["1", "2"]


def test_the_file_is_for_editors_and_is_logged(rosa: User, rosas_browser: Client, mallory: User) -> None:
    study = build_study(rosa)
    rows(rosas_browser, study)
    assert Event.objects.get(verb="exported").object == "plan of main"
    Membership.objects.create(study=study, user=mallory, role="viewer")
    viewer = Client()
    viewer.force_login(mallory)
    assert viewer.get(f"/admin/studies/{study.slug}/design/plan.csv").status_code == 404
    assert "plan.csv" not in viewer.get(f"/admin/studies/{study.slug}/design/").content.decode()
    assert rosas_browser.get(f"/admin/studies/{study.slug}/design/plan.csv?task=other").status_code == 404


def test_impossible_settings_are_refused_with_fields_of_the_study_file(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, items=3, systems=SYSTEMS, k=2, set_size=9, spacing=10, opened=False)
    said = text_of(rosas_browser, study)
    assert "Units of one item cannot stand 10 apart in sets of 9" in said
    assert "Set “Spacing” to 3 Set “Units in a rater&#x27;s set” to 3" in said
    rosas_browser.post(f"/admin/studies/{study.slug}/design/fix/", {"fix": "tasks.0.spacing"})
    assert value_at(Setup.objects.get(study=study).given, ("tasks", 0, "spacing")) == 3
    done = text_of(rosas_browser, study)
    assert "Done. Check everything on Review to draw the plan." in done
    assert "The form was changed after the study was last checked." in done
    answer = rosas_browser.get(f"/admin/studies/{study.slug}/design/plan.csv?task=main")
    assert (answer.status_code, answer["Location"]) == (302, f"/admin/studies/{study.slug}/design/")


def test_repeats_that_have_no_room_are_refused(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, items=12, systems=SYSTEMS, k=2, set_size=12, spacing=10, opened=False)
    study.tasks.update(checks={"repeats": 5})
    said = text_of(rosas_browser, study)
    assert "a set of 12 has room for 3 such repeats, not for 5" in said
    assert (
        "Set “Units of a set that are shown twice” to 3 Set “Spacing” to 8 Set “Units in a rater&#x27;s set” to 14"
        in said
    )
    for wanted in ({"checks": {"repeats": 3}}, {"spacing": 8}, {"set_size": 14}):
        study.tasks.update(**{"checks": {"repeats": 5}, "spacing": 10, "set_size": 12, **wanted})
        assert "Opening the study draws" in text_of(rosas_browser, study), wanted


def test_what_one_rater_gets_is_counted_from_checks_and_known_answers(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, items=24, systems=SYSTEMS, k=2, set_size=16, spacing=5, opened=False)
    checks = {"repeats": 2, "warm_up": 3, "degraded": 1, "controls": 9, "attention": 1, "training": 2}
    study.tasks.update(checks=checks)
    known = list(Unit.objects.filter(task__study=study, item__key__in=["i0", "i1", "i2", "i3"]).order_by("id"))
    purposes = ["training"] * 3 + ["exam"] * 3 + ["control"] * 3 + ["attention"] * 3
    for unit, purpose in zip(known, purposes, strict=True):
        Gold.objects.create(unit=unit, purpose=purpose, kind="exact", answer=1)
    (report,) = reports.reports(study)
    contents = report.contents
    assert contents is not None
    assert (contents.training, contents.exam, contents.warm_up, contents.units) == (2, 3, 3, 16)
    assert (contents.controls, contents.attention, contents.repeats, contents.degraded) == (3, 1, 2, 0)
    assert contents.screens == 30
    assert "Units that count 8–16 120 " in text_of(rosas_browser, study)
    assert "Screens 22–30 232 " in text_of(rosas_browser, study)
    assert report.places == 20 * 3 * 2
    assert "Fewer than the settings ask for" in text_of(rosas_browser, study)  # nine controls of three there are


def test_promises_are_listed_with_the_worst_in_any_prefix(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, items=10, systems=SYSTEMS, type="pairwise", k=2, set_size=6, spacing=3, opened=False)
    study.tasks.update(design="comparisons")
    said = text_of(rosas_browser, study)
    for line in (
        "Missing or surplus judgments, over all units none 0 yes",
        "Units shown twice in a set none 0 yes",
        "Judgments per unit, while some are missing differ by 1 at most differ by 1 yes",
        "Comparisons: the systems on a screen differ by 1 at most differ by 0 yes",
        "Comparisons within one set differ by 1 at most differ by 0 yes",
        "Systems at each position of a set differ by 1 at most differ by 1 yes",
        "Systems, every text counted nothing, only measured differ by 0 –",
        "Positions of a text on the screen differ by 1 at most differ by 0 yes",
        "Distance between units of one item at least 3 places apart no item comes twice in a set yes",
    ):
        assert line in said, line
    assert "a-mt 40 0" in said
    assert "in all tasks" not in said, "there is one task"
    assert "Units with the same two systems 10 " in said
    assert not re.search(r"(yes|–) no |no (Judgments|Comparisons|Systems|Units|Places)", said)


def test_a_promise_that_is_broken_is_called_so(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, items=6, systems=SYSTEMS, k=2, set_size=6)
    last = Booklet.objects.filter(task__study=study).order_by("number").last()
    assert last is not None
    last.places.all().delete()
    (report,) = reports.reports(study)
    assert not all(line.holds for line in report.promises if line.promised)
    assert "over all units none 6 no" in text_of(rosas_browser, study)


def test_tasks_asked_of_everybody_have_no_plan(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, opened=False)
    task = study.tasks.get()
    asked = Task.objects.create(study=study, key="demographics", type="likert", order=2, stage="exit")
    TaskCriterion.objects.create(task=asked, criterion=task.task_criteria.get().criterion, order=1)
    said = text_of(rosas_browser, study)
    assert "Likert scale (task 2) at the end, asked of everybody who finishes, 0 screens" in said
    assert [one.task.key for one in reports.reports(study)] == ["main"]
    assert rosas_browser.get(f"/admin/studies/{study.slug}/design/plan.csv?task=demographics").status_code == 404


def test_several_tasks_are_summed(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, items=10, systems=SYSTEMS, k=2, set_size=10, opened=False)
    first = study.tasks.get()
    second = Task.objects.create(study=study, key="more", type="likert", order=2, k=1, set_size=5, spacing=1)
    TaskCriterion.objects.create(task=second, criterion=first.task_criteria.get().criterion, order=1)
    Unit.objects.all().delete()
    units.make_units(study=study)
    said = text_of(rosas_browser, study)
    assert "60 judgments by 6 raters: 10 units each." in said
    assert "30 judgments by 6 raters: 5 units each." in said
    assert (
        "90 judgments in all tasks by 6 raters, each with one set of every task: about 10 minutes, 3.00 EUR each, "
        "18.00 EUR in all." in said
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize("opened", [False, True])
def test_the_page_takes_few_queries_however_large_the_plan(
    rosa: User, rosas_browser: Client, opened: bool, django_assert_max_num_queries: Any
) -> None:
    counts = []
    for items in (4, 40):
        study = build_study(rosa, slug=f"s-{items}", items=items, systems=SYSTEMS, opened=opened)
        with django_assert_max_num_queries(24) as found:
            text_of(rosas_browser, study)
        counts.append(len(found))
    assert counts[0] == counts[1]


def test_of_a_very_large_plan_the_first_sets_are_measured(
    rosa: User, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reports, "MOST_PLACES", 20)
    study = build_study(rosa, items=10, systems=SYSTEMS, k=2, set_size=6, opened=False)
    assert "too large to be drawn for a page" in text_of(rosas_browser, study)
    assert "60 judgments: 6 units each" in text_of(rosas_browser, study)
    lifecycle.move(study_id=study.pk, action="open", by=rosa)
    said = text_of(rosas_browser, study)
    assert "What depends on the order of sets is measured in the first 4 of 10 sets." in said
    assert "60 judgments: 6 units each" in said
    assert len(rows(rosas_browser, study)) == 60


def test_what_follows_from_the_units_is_said_of_a_plan_that_is_not_drawn(
    rosa: User, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = build_study(rosa, items=10, systems=SYSTEMS, k=2, set_size=6, opened=False)
    before = reports.reports(study)[0]
    monkeypatch.setattr(reports, "MOST_PLACES", 20)
    (report,) = reports.reports(study)
    assert report.balance is None
    assert (report.systems, report.item_lines, report.units_by_judgments) == (
        before.systems,
        before.item_lines,
        before.units_by_judgments,
    )
    said = text_of(rosas_browser, study)
    assert "a-mt 20 0 b-mt 20 0 c-mt 20 0" in said
    assert "i0 3 6 i1 3 6" in said
    assert "wherever data collection stops" not in said


def test_a_plan_is_drawn_once_however_often_it_is_looked_at(
    rosa: User, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = build_study(rosa, items=7, systems=SYSTEMS, k=2, set_size=6, opened=False)
    drawn = plans.draw_booklets
    sizes: list[int] = []

    def noted(units: Any, wanted: Any, stream: Any) -> Any:
        sizes.append(wanted.settings.set_size)
        return drawn(units, wanted, stream)

    monkeypatch.setattr(plans, "draw_booklets", noted)
    assert text_of(rosas_browser, study) == text_of(rosas_browser, study)
    rows(rosas_browser, study)
    assert sizes == [6]
    study.tasks.update(set_size=7)
    assert ": 7 units each" in text_of(rosas_browser, study)
    study.tasks.update(set_size=700)
    assert text_of(rosas_browser, study).count("too large") == text_of(rosas_browser, study).count("too large") == 1
    assert sizes[:3] == [6, 7, 700]
    assert len(sizes) == 3


def test_a_questionnaire_has_no_rows_about_systems_and_items(rosa: User, rosas_browser: Client) -> None:
    questions = [{"key": "age", "kind": "text", "question": "How old are you?"}]
    study = build_study(rosa, items=1, systems=SYSTEMS, k=1, set_size=3, opened=False)
    task = study.tasks.get()
    study.tasks.update(type="questionnaire", params={"instrument": "own", "questions": questions}, k=12, set_size=1)
    Unit.objects.all().delete()
    Unit.objects.create(task=task, key="questions", k=12)
    said = text_of(rosas_browser, study)
    assert "12 judgments: 1 unit each" in said
    for word in (
        "Judgments of systems",
        "Judgments of items",
        "Systems at each position",
        "between units of one item",
        "System ",
    ):
        assert word not in said, word
    assert "Units shown twice in a set none 0 yes" in said


def test_groups_waves_and_sets_left_over_are_told(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, items=10, systems=SYSTEMS, k=2, set_size=10, opened=False)
    first = study.tasks.get()
    second = Task.objects.create(
        study=study, key="week-2", type="likert", order=2, k=1, set_size=5, opens_after_days=7, closes_after_days=9
    )
    TaskCriterion.objects.create(task=second, criterion=first.task_criteria.get().criterion, order=1)
    _diary, messages = (Group.objects.create(study=study, key=key) for key in ("diary", "messages"))
    TaskGroup.objects.create(task=second, group=messages)
    Unit.objects.all().delete()
    units.make_units(study=study)
    said = text_of(rosas_browser, study)
    assert "Opens 7 days after enrolment. Closes at the end of day 9 after enrolment. Only for: messages." in said
    assert (
        "75 judgments in all tasks by 6 raters, each with one set of every task of their group: about 10 minutes, "
        "3.00 EUR each, 18.00 EUR in all." in said
    )
    assert "Raters in each group: diary: 3, messages: 3." in said
    assert "3 of the 6 sets of “Likert scale (task 2)” are left over once the other tasks are full." in said
    assert "part pay, bonuses and platform fees come on top" in said


def test_a_large_stored_plan_is_counted_after_the_page(
    rosa: User, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first page and Review read no place; a process that has counted the plan shows it at once."""
    study = build_study(rosa, items=10, systems=SYSTEMS, k=2, set_size=10, spacing=2)
    monkeypatch.setattr(reports, "MOST_AT_ONCE", 10)
    address, review = f"/admin/studies/{study.slug}/design/", f"/admin/studies/{study.slug}/set-up/review/"
    later, counted = "Counting this plan takes a few seconds", "b-mt"
    for page, has_numbers in ((address, False), (review, False), (f"{address}?plan=1", True), (address, True)):
        with CaptureQueriesContext(connection) as captured:
            text = rosas_browser.get(page).content.decode()
        reads_places = any('FROM "tasks_app_place"' in query["sql"] for query in captured.captured_queries)
        assert (reads_places, "60 judgments" in text) == (page.endswith("plan=1"), True), page
        if page != review:
            assert (later in text, counted in text) == (not has_numbers, has_numbers), page
