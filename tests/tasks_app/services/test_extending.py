"""More judgments per unit and more raters while a study is open: what is added, what stays, and what a run counts."""

from collections import Counter
from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.test import Client

from analytics_app.heds.filling.facts import extension_in_words, facts_of
from analytics_app.models import Plan, ResultRow, Run
from analytics_app.runs import start
from analytics_app.views import standing
from tasks_app.designs.base import PlanImpossible
from tasks_app.hooks import sections
from tasks_app.models import Booklet, Event, Extension, Place, Rater, Study, Unit
from tasks_app.services.arrival import enrolment
from tasks_app.services.judging import assignments
from tasks_app.services.plan import extending, plans
from tasks_app.services.plan.extending import Wish
from tasks_app.services.study import lifecycle, withdrawing
from tests import invariants, walk
from tests.builders import build_study
from tests.cast import browser_of
from tests.tasks_app.services.test_pay import work
from tests.tasks_app.views.test_absence import words_of

pytestmark = pytest.mark.django_db


def page(study: Study) -> str:
    return f"/admin/studies/{study.slug}/design/more/"


def plan_rows(study: Study, until: int) -> list[tuple[object, ...]]:
    """Return the places of the first booklets."""
    places = Place.objects.filter(booklet__task__study=study, booklet__number__lte=until).order_by("pk")
    return list(places.values_list("pk", "booklet__number", "order", "unit__key", "number", "arrangement"))


def add(study: Study, judgments: int = 1, raters: int = 0) -> list[Extension]:
    wish = Wish(judgments, raters)
    places = extending.prospect(study, wish).places
    return list(extending.extend(study_id=study.pk, wish=wish, click=uuid4(), places=places, by=None))


def full(study: Study) -> None:
    """Let raters answer everything there is."""
    while enrolment.has_room(study):
        work(study)


def test_the_page_says_what_it_comes_to_and_adds_it_once(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa)  # 8 units, k = 2, sets of 4: 4 booklets
    frozen, version = plan_rows(study, 4), study.versions.get()
    full(study)
    assert not enrolment.has_room(study)
    shown = rosas_browser.get(page(study), {"judgments": "1", "raters": "1", "fee": "25"})
    words = words_of(shown.content.decode())
    assert "Places 12" in words
    assert "Raters 3" in words
    assert "11.25 EUR: 9.00 EUR pay and 2.25 EUR fee" in words
    assert "3 to 4 judgments of each unit then" in words
    assert "The analysis plan did not declare this." in words
    assert "Balance of the plan" in words
    sent = {"judgments": "1", "raters": "1", "fee": "25", "click": uuid4().hex}
    assert rosas_browser.post(page(study), {**sent, "places": "11"}).status_code == 422, "another number was shown"
    assert not Extension.objects.exists()
    for _press in range(2):
        assert rosas_browser.post(page(study), {**sent, "places": "12"})["Location"].endswith("/design/")
    extension = Extension.objects.get()
    assert (extension.judgments, extension.raters, extension.after, extension.sets, extension.places) == (
        1,
        1,
        4,
        3,
        12,
    )
    assert plan_rows(study, 4) == frozen, "the frozen places stay"
    version.refresh_from_db()
    assert version.digest == sections.digest(version.document)
    assert sections.digest(sections.snapshot(study)) == version.digest, "what is frozen has not changed"
    judged = Counter(Place.objects.filter(booklet__task__study=study).values_list("unit__key", flat=True))
    assert dict(Unit.objects.filter(task__study=study).values_list("key", "k")) == judged
    assert sorted(judged.values()) == [3, 3, 3, 3, 4, 4, 4, 4]
    assert Event.objects.get(study=study, verb="asked for more judgments").after["places"] == 12
    assert enrolment.has_room(study), "raters who found all places taken can begin"
    full(study)
    invariants.check(study)
    listed = words_of(rosas_browser.get(f"/admin/studies/{study.slug}/design/").content.decode())
    assert "Added while the study was open" in listed
    viewer = User.objects.create_user("viewer", is_staff=True)
    study.memberships.create(user=viewer, role="viewer")
    assert browser_of(viewer).get(page(study)).status_code == 404


def test_the_same_seed_draws_the_same_extension_and_positions_stay_balanced(rosa: User) -> None:
    drawn = []
    for slug in ("one", "two"):
        study = build_study(rosa, slug=slug, type="pairwise", items=6, k=3, set_size=3)
        add(study, 2)
        study.refresh_from_db()
        task = study.tasks.get()
        before, now = plans.plan_units(task), plans.stored(task)
        drawn.append([[unit.key for unit in booklet] for booklet in now.booklets])
        orders = Counter(tuple(arrangement["parts"]) for arrangement in now.arrangements)
        assert max(orders.values()) - min(orders.values()) <= 1, "the arrangements of the frozen plan are continued"
        assert {unit.k for unit in before} == {5}
    assert drawn[0] == drawn[1]


def test_what_cannot_be_added_is_refused_with_a_sentence(
    rosa: User, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = build_study(rosa)
    before = Booklet.objects.count()
    for sent, sentence in (
        ({"judgments": "0", "raters": "0"}, "Say how many judgments per unit"),
        ({"judgments": "51"}, "less than or equal to 50"),
        ({"judgments": "-1"}, "greater than or equal to 0"),
        ({"judgments": "x"}, "Enter a whole number"),
        ({"judgments": "0", "raters": "5001"}, "less than or equal to 5000"),
    ):
        answer = rosas_browser.get(page(study), sent)
        assert sentence in words_of(answer.content.decode())
        assert answer.status_code == 422

    def impossible(*_args: object) -> None:
        raise PlanImpossible("Two texts of one item are too close.")

    with monkeypatch.context() as patched:
        patched.setattr(plans, "draw_booklets", impossible)
        answer = rosas_browser.get(page(study), {"judgments": "1"})
        assert "“Likert scale” has no further sets for this: Two texts of one item" in words_of(answer.content.decode())
        assert answer.status_code == 422
    lifecycle.move(study_id=study.pk, action="close", by=rosa)
    assert "the study is not open" in words_of(rosas_browser.get(page(study), {"judgments": "1"}).content.decode())
    assert Booklet.objects.count() == before
    assert not Event.objects.filter(verb=extending.EXTENDED).exists()


def test_who_lost_an_unanswered_set_may_begin_again(rosa: User) -> None:
    study = build_study(rosa, k=1)
    late = walk.arrive(study)
    late.sets.update(lease_until=Now() - timedelta(days=1))
    full(study)
    assert assignments.end_if_done(rater=late)
    assert late.outcome == Rater.Outcome.FULL
    assert not assignments.take_another(rater=late), "all places are taken"
    add(study, 1)
    assert assignments.take_another(rater=late)
    assert work(study, rater=late).outcome == "completed"


@pytest.mark.parametrize(("declared", "planned_counts", "words"), [
    (0, 16, "16 judgments at places that were added while the study was open are left out"),
    (3, 24, "It counts 8 judgments at places that were added while the study was open, as the plan declared."),
    pytest.param(
        4, 32, "It counts 16 judgments at places that were added while the study was open, as the plan declared.",
        marks=pytest.mark.exhaustive,
    ),
])  # fmt: skip
def test_the_planned_run_uses_the_frozen_places_unless_the_plan_declared_more(
    rosa: User, declared: int, planned_counts: int, words: str
) -> None:
    study = build_study(rosa, opened=False)
    plan = {"analyses": [{"analysis": "distribution"}], "most_judgments": declared}
    Plan.objects.create(study=study, version=1, document=start.plans.check(plan, study))
    study = lifecycle.move(study_id=study.pk, action="open", by=rosa)
    add(study, 2)
    full(study)
    lifecycle.move(study_id=study.pk, action="close", by=rosa)
    study.refresh_from_db()
    planned = start.compute_here(run=Run.objects.get(study=study), drawn=False)
    assert planned.planned
    collected = ResultRow.objects.get(run=planned, statistic="collected")
    assert collected.n_ratings == planned_counts
    assert planned.n_seen == planned_counts
    assert words in standing.standing(planned, study)
    frame = facts_of(study, planned).main[0]
    sentence = extension_in_words(facts_of(study, planned), frame)
    assert sentence.startswith("While the study was open, the plan was extended by 2 further judgments of each unit")
    assert ("had declared up to" in sentence) == bool(declared)
    settings = {**planned.settings, "most_judgments": 100}
    explored = start.compute_here(
        run=start.start(study=study, by=rosa, trigger="demand", settings=settings), drawn=False
    )
    assert not explored.planned
    assert ResultRow.objects.get(run=explored, statistic="collected").n_ratings == 32
    assert "which the plan did not declare" in standing.standing(explored, study)
    assert standing.standing(explored, study).startswith("Exploratory")


def test_withdrawn_texts_get_no_further_places(rosa: User) -> None:
    study = build_study(rosa)
    item = study.items.earliest("pk")
    withdrawing.withdraw(study_id=study.pk, item=item.pk, reason="A wrong source.", by=rosa)
    assert sum(one.places for one in add(study)) == 6, "two of the eight units are withdrawn"
    added = Place.objects.filter(booklet__task__study=study, booklet__number__gt=4)
    assert item.key not in set(added.values_list("unit__parts__part_outputs__output__item__key", flat=True))
    full(study)
    invariants.check(study)
    for other in study.items.exclude(pk=item.pk):
        withdrawing.withdraw(study_id=study.pk, item=other.pk, reason="All wrong.", by=rosa)
    with pytest.raises(extending.NotPossible, match="All texts"):
        add(study)


def test_review_says_that_the_plan_was_extended(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa)
    review = f"/admin/studies/{study.slug}/set-up/review/"
    assert "added or withdrawn since" not in rosas_browser.get(review).content.decode()
    add(study)
    assert "Plan of Likert scale, with what was added or withdrawn since" in rosas_browser.get(review).content.decode()
