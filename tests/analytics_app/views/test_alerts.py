"""What the monitor warns of: raters who are careless in one way or another, and that it does not say all is well."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.test import Client

from analytics_app.models import Exclusion, Plan, Run, WorkerBeat
from analytics_app.results import Row
from analytics_app.services import exclusions
from tasks_app.models import Rater, Study
from tasks_app.services.study import lifecycle
from tests.analytics_app.builders import build_run
from tests.analytics_app.views.reading import page, text
from tests.analytics_app.working import finish
from tests.builders import build_study
from tests.tasks_app.services.test_pay import shift
from tests.walk import arrive

pytestmark = pytest.mark.django_db

FAST = "faster than anybody can read them"
UNIFORM = "gave one answer again and again"
ALL_WELL = "Nothing needs your attention now."
ANALYSES = {"analyses": [{"analysis": "rater_quality"}, {"analysis": "order_effects"}, {"analysis": "with_rest"}]}


def monitor(browser: Client, study: Study) -> str:
    return text(page(browser, f"/admin/studies/{study.slug}/monitor/"))


def shown(browser: Client, study: Study, which: str) -> str:
    return text(page(browser, f"/admin/studies/{study.slug}/raters/?show={which}"))


def figures(statistic: str, values: dict[str, float], n: int) -> list[Row]:
    """Make the rows of a figure as the analysis of carefulness writes them."""
    about = {"analysis": "rater_quality", "task": "main", "basis": "kept"}
    return [
        Row(**about, statistic=statistic, rater=rater, value=value, n_ratings=n, n_raters=1)
        for rater, value in values.items()
    ]


def run_of(study: Study, rows: Sequence[Row], **settings: object) -> Run:
    return build_run(study, rows, settings={"rules": [], **ANALYSES, **settings})


@pytest.fixture
def raters(study: Study) -> list[str]:
    """Four raters who have finished; nothing else is known of them."""
    return [finish(study).pseudonym for _rater in range(4)]


def test_a_rater_who_is_too_fast_is_named_and_can_be_looked_at(
    rosas_browser: Client, study: Study, raters: list[str]
) -> None:
    run_of(study, figures("rater_fast_screens", {raters[0]: 0.75, raters[1]: 0.25, raters[2]: 0.0}, 8))
    said = monitor(rosas_browser, study)
    assert f"1 rater answered half of the screens or more {FAST}." in said
    assert ALL_WELL not in said
    listed = shown(rosas_browser, study, "fast")
    assert raters[0] in listed
    assert raters[1] not in listed


def test_too_few_screens_say_nothing(rosas_browser: Client, study: Study, raters: list[str]) -> None:
    run_of(study, figures("rater_fast_screens", {raters[0]: 1.0}, 4))
    assert FAST not in monitor(rosas_browser, study)


def test_how_long_simulated_raters_take_says_nothing(rosas_browser: Client, study: Study) -> None:
    simulated = finish(study, kind=Rater.Kind.SIMULATED).pseudonym
    run_of(study, figures("rater_fast_screens", {simulated: 1.0}, 8))
    said = monitor(rosas_browser, study)
    assert FAST not in said
    assert "Times of simulated raters do not count; the estimate is 10 minutes." in said
    assert "No rater has finished yet" not in said


def test_a_rater_who_answers_all_alike_is_named_unless_all_do(
    rosas_browser: Client, study: Study, raters: list[str]
) -> None:
    one = {raters[0]: 11.0, raters[1]: 3.0, raters[2]: 4.0, raters[3]: 3.0}
    run_of(study, figures("rater_longest_run", one, 12))
    assert f"1 rater {UNIFORM}, unlike the others." in monitor(rosas_browser, study)
    assert raters[0] in shown(rosas_browser, study, "uniform")
    run_of(study, figures("rater_longest_run", dict.fromkeys(raters, 11.0), 12))
    assert UNIFORM not in monitor(rosas_browser, study), "most texts deserve this step"


def test_a_scale_of_two_steps_gives_long_runs_by_itself(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, slug="two-steps", params={"points": 2})
    rater, other = arrive(study).pseudonym, arrive(study).pseudonym
    run_of(study, figures("rater_longest_run", {rater: 11.0, other: 3.0}, 12))
    assert UNIFORM not in monitor(rosas_browser, study)


def test_excluded_raters_are_not_named_again(
    rosa: User, rosas_browser: Client, study: Study, raters: list[str]
) -> None:
    run_of(study, figures("rater_fast_screens", {raters[0]: 1.0}, 8))
    assert FAST in monitor(rosas_browser, study)
    exclusions.exclude_rater(rater=Rater.objects.get(pseudonym=raters[0]), reason="Far too fast.", by=rosa)
    assert FAST not in monitor(rosas_browser, study)


def test_a_side_that_is_chosen_too_often_is_said(rosas_browser: Client, study: Study, raters: list[str]) -> None:
    about = {"analysis": "order_effects", "task": "main", "criterion": "better", "basis": "kept"}
    shares = [
        Row(**about, statistic="chosen_place_share", label=label, value=value)
        for label, value in (("place 1", 0.72), ("place 2", 0.28))
    ]
    sure = Row(**about, statistic="chosen_place_test", p=0.00001, n_ratings=120, n_raters=4)
    run_of(study, [*shares, sure])
    assert "Raters chose the text at place 1 in 72 % of 120 choices" in monitor(rosas_browser, study)
    chance = Row(**about, statistic="chosen_place_test", p=0.2, n_ratings=12, n_raters=4)
    run_of(study, [*shares, chance])
    assert "Raters chose the text" not in monitor(rosas_browser, study)


def test_raters_who_fail_fewer_checks_than_the_limit_needs_are_named(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, slug="two-checks", known={"control": 2}, checks={"controls": 2, "fail_after": 3})
    finish(study)
    careless = finish(study, right=False)
    said = monitor(rosas_browser, study)
    assert "1 rater answered most checks wrong, but too few of them for the limit to apply." in said
    assert "1 of 2 raters answered most checks wrong" in said
    assert "limit 70" not in said, "a limit that nobody reaches is not drawn"
    listed = shown(rosas_browser, study, "few_checks")
    assert listed.count(careless.pseudonym)


LEFT_OUT = "Raters who fail the attention check are left out of the results."
COUNTED = "Raters who fail the attention check count in the results like all others."
RULE = {"rule": "control_accuracy", "least": 1}


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [([{"rule": "manual"}, RULE], LEFT_OUT), ([{"rule": "manual"}], COUNTED), ([RULE | {"least": 2}], COUNTED)],
)
def test_every_page_gives_a_failed_attention_check_the_same_consequence(
    rosa: User, rosas_browser: Client, rules: list[dict[str, object]], sentence: str
) -> None:
    study = build_study(
        rosa, slug="one-check", opened=False, known={"attention": 1}, checks={"attention": 1, "fail_after": 3}
    )
    Plan.objects.create(study=study, version=1, document={"rules": rules})
    lifecycle.move(study_id=study.pk, action="open", by=rosa)
    finish(study)
    careless = finish(study, right=False)
    run = build_run(study, [], settings={"rules": rules, **ANALYSES})
    Exclusion.objects.create(study=study, run=run, rule=RULE["rule"], rater=careless, reason="0 of 1 checks right")
    other = ({LEFT_OUT, COUNTED} - {sentence}).pop()
    said = monitor(rosas_browser, study)
    assert f"1 rater failed the attention check. {sentence}" in said
    assert "1 of 2 raters failed the attention check" in said
    for address in ("monitor", "raters", "checks", "results"):
        said = text(page(rosas_browser, f"/admin/studies/{study.slug}/{address}/"))
        assert sentence in said, address
        assert other not in said, address
        assert "is marked if" not in said, address
    assert "left out of run 1: 0 of 1 checks right" in shown(rosas_browser, study, "few_checks")


def test_nothing_is_called_well_that_was_not_looked_at(rosas_browser: Client, study: Study, raters: list[str]) -> None:
    said = monitor(rosas_browser, study)
    assert ALL_WELL not in said
    assert "checks speed, uniform answers and sides chosen" in said
    run_of(study, [], analyses=[{"analysis": "systems"}])
    said = monitor(rosas_browser, study)
    assert ALL_WELL not in said
    assert "The last run did not check speed, uniform answers, sides chosen and agreement with the others" in said
    run_of(study, [])
    said = monitor(rosas_browser, study)
    assert "minutes at the median; you promised 10." in said
    settings = Study.objects.values_list("settings", flat=True).get(pk=study.pk)
    Study.objects.filter(pk=study.pk).update(settings={**settings, "pay": {**settings["pay"], "minutes": None}})
    assert "you promised" not in monitor(rosas_browser, study), "without minutes there is an estimate only"
    Study.objects.filter(pk=study.pk).update(settings=settings)
    Rater.objects.filter(study=study).update(enrolled_at=Now() - timedelta(hours=2))
    for rater in Rater.objects.filter(study=study):
        shift(rater, minutes=[2.5, 5, 7.5, 10])
    said = monitor(rosas_browser, study)
    assert "No worker has answered yet." in said
    assert ALL_WELL not in said
    assert "Progress, pay and checks need no attention now." in said
    WorkerBeat.objects.create(queue="quick", at=Now())
    said = monitor(rosas_browser, study)
    assert ALL_WELL in said
    assert "did not check" not in said


def test_judgments_from_later_than_now_break_nothing(rosas_browser: Client, study: Study, raters: list[str]) -> None:
    """As after the server's clock was set back."""
    Rater.objects.filter(study=study).update(enrolled_at=Now() + timedelta(days=2))
    for rater in Rater.objects.filter(study=study):
        shift(rater, minutes=[2.5, 5, 7.5, 10])
    assert "16 of 16 places are answered." in monitor(rosas_browser, study)
