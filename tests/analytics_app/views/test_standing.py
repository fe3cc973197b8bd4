"""What pages, captions and the form of a new run say of a run: planned or why not, seen before, and what came later."""

import json

import pytest
from django.contrib.auth.models import User
from django.test import Client

from analytics_app import plan as plans
from analytics_app.exports import results
from analytics_app.models import MetricScore, Plan, Run
from analytics_app.results import FEW_UNITS_NOTE, NO_WIDTH_NOTE, Row
from analytics_app.runs import start
from analytics_app.services import exclusions
from analytics_app.views import words
from analytics_app.views.run_form import without
from tasks_app.models import Item, Study, System
from tasks_app.services.study import lifecycle
from tests.analytics_app.builders import SETTINGS, add_plots, build_run, slider_rows
from tests.analytics_app.filling import Filler
from tests.analytics_app.views.reading import page, text
from tests.analytics_app.working import finish
from tests.rendering import with_context

pytestmark = pytest.mark.django_db


@pytest.fixture
def address(study: Study) -> str:
    """The tab Results of rosa's study."""
    return f"/admin/studies/{study.slug}/results/"


def drawing(browser: Client, address: str, run: Run) -> str:
    """Return the words of a plot that was taken away."""
    add_plots(run, "content")
    return text(page(browser, f"{address}{run.number}/plots/{run.plots.first().pk}.svg"))


# Planned or not -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("times", "said"), [(1, "(1 time)."), (3, "(3 times).")])
def test_a_study_that_was_opened_again_says_so(
    rosas_browser: Client, closed: Study, address: str, times: int, said: str
) -> None:
    sentence = f"The study was opened again after results had been seen {said}"
    run = build_run(closed, slider_rows(), planned=True, facts={"reopened": times})
    add_plots(run, "content")
    for rest in ("", "1/"):
        html = text(page(rosas_browser, f"{address}{rest}"))
        assert f"before the first judgment. {sentence}" in html
        assert f"Planned, run 1. {sentence}" in html
    build_run(closed, slider_rows())
    assert "opened again" not in text(page(rosas_browser, f"{address}2/"))


def test_a_plot_that_is_taken_away_says_so_too(rosas_browser: Client, closed: Study, address: str) -> None:
    run = build_run(closed, slider_rows(), planned=True, facts={"reopened": 2})
    said = drawing(rosas_browser, address, run)
    assert "opened again after results" in said
    assert "(2 times)." in said


def test_figures_from_before_a_correction_are_marked_beside_the_headline(
    rosas_browser: Client, closed: Study, address: str
) -> None:
    """Whoever reads only the first card must not take them for the corrected ones."""
    said = "Computed before a correction: in "
    build_run(closed, slider_rows(), facts={"tasks": {"main": {"uncorrected": ["pair_order"]}}})
    build_run(closed, slider_rows())
    cards = [
        page(rosas_browser, f"{address}{number}/").split('id="summary"')[1].split("</section>")[0] for number in (1, 2)
    ]
    assert [said in card for card in cards] == [True, False]


def test_rows_from_before_a_correction_keep_their_numbers_and_say_so(
    rosas_browser: Client, closed: Study, address: str
) -> None:
    about = {"analysis": "systems", "task": "main", "criterion": "content", "by_system": True}
    old = Row(**about, statistic="mean", system="HIGH", value=4.0, low=4.0, high=4.0)
    few = {"cannot_differ": "With so few items none of the tests of this family can be significant."}
    pair = Row(**about, statistic="difference", system="HIGH", system_b="LUO", value=1.0, p=1.0, p_adjusted=1.0,
               settings=few)  # fmt: skip
    now = Row(**about, statistic="mean", system="LUO", value=3.0, low=2.5, high=3.5)
    run = build_run(closed, [old, now, pair])
    run.refresh_from_db()
    html = text(page(rosas_browser, f"{address}1/"))
    assert NO_WIDTH_NOTE in html
    assert FEW_UNITS_NOTE in html
    rows = json.loads(b"".join(results.stream(run, systems=True)))["rows"]
    assert [(row["low"], row["note"]) for row in rows] == [
        (4.0, NO_WIDTH_NOTE), (2.5, None), (None, FEW_UNITS_NOTE),
    ]  # fmt: skip


def test_a_run_over_later_ratings_names_the_planned_one(rosas_browser: Client, closed: Study, address: str) -> None:
    first = build_run(closed, slider_rows(), planned=True, high_water=10)
    facts = {"planned_before": first.number}
    build_run(closed, slider_rows(), plan=first.plan, facts=facts)
    said = text(page(rosas_browser, f"{address}2/"))
    assert "Exploratory. Run 1 was the planned one; this run has ratings that came later." in said
    assert "interim look" not in said
    assert "Exploratory, run 2: run 1 was the planned one." in drawing(
        rosas_browser, address, closed.runs.get(number=2)
    )
    build_run(closed, slider_rows(), facts=facts, settings={**SETTINGS, "rules": []})
    assert "it differs from the plan in quality rules." in text(page(rosas_browser, f"{address}3/"))
    build_run(closed, slider_rows(), plan=first.plan, facts=facts, high_water=10)
    assert "this run was started later." in text(page(rosas_browser, f"{address}4/"))
    build_run(closed, slider_rows(), plan=first.plan, facts=facts | {"planned_by_hand": 1}, high_water=10)
    assert "exclusions by hand or withdrawn texts changed after it." in text(page(rosas_browser, f"{address}5/"))


def test_ratings_that_were_there_before_the_plan(rosas_browser: Client, closed: Study, address: str) -> None:
    Study.objects.filter(pk=closed.pk).update(opened_at=None)
    plan = closed.analysis_plans.get()
    run = build_run(closed, slider_rows(), plan=plan)
    assert "Exploratory: the ratings existed before the plan." in text(page(rosas_browser, address))
    assert "Exploratory, run 1: the ratings existed before the plan." in drawing(rosas_browser, address, run)
    assert "will be exploratory: the ratings existed" in text(page(rosas_browser, f"{address}new/"))


def test_the_form_names_the_run_that_was_planned(rosas_browser: Client, closed: Study, address: str) -> None:
    assert "With these settings this run will be planned." in text(page(rosas_browser, f"{address}new/"))
    build_run(closed, slider_rows(), planned=True)
    said = text(page(rosas_browser, f"{address}new/"))
    assert (
        "Run 1 was the planned run. If ratings or exclusions have changed since then, this run will be exploratory."
        in said
    )


# Ratings that came after a run --------------------------------------------------------------------------


def test_ratings_after_a_run_are_counted_and_a_new_run_is_one_press_away(
    rosas_browser: Client, study: Study, address: str, rosa: User
) -> None:
    quick = {"analyses": [{"analysis": "systems"}], "n_resamples": 100, "n_permutations": 99}
    Plan.objects.update_or_create(study=study, version=1, defaults={"document": plans.check(quick, study)})
    filler = Filler(study)
    filler.judge("ada", "i0", "alpha-mt", {"fluency": 3})
    study = lifecycle.move(study_id=study.pk, action="close", by=rosa)
    start.compute_here(run=Run.objects.get())
    assert "came after this run" not in text(page(rosas_browser, address))
    filler.judge("tries", "i0", "alpha-mt", {"fluency": 3}, rater_kind="sandbox")
    assert "came after this run" not in text(page(rosas_browser, address))
    filler.judge("ada", "i1", "beta-mt", {"fluency": 3}, purpose="attention")
    assert "came after this run" not in text(page(rosas_browser, address))
    filler.judge("ada", "i1", "alpha-mt", {"fluency": 3})
    assert "1 rating came after this run. A new run starts automatically" in text(page(rosas_browser, address))
    filler.judge("bob", "i1", "alpha-mt", {"fluency": 3})
    for rest in ("", "1/"):
        html = page(rosas_browser, f"{address}{rest}")
        assert "2 ratings came after this run." in text(html)
        assert f'action="{address}start/"' in html
    rosas_browser.post(f"{address}start/")
    html = page(rosas_browser, address)
    assert "2 ratings came after this run. Run 2 is being computed." in text(html)
    assert f'action="{address}start/"' not in html
    start.compute_here(run=Run.objects.get(number=2))
    html = page(rosas_browser, f"{address}1/")
    assert "2 ratings came after this run. They are in run 2." in text(html)
    assert f'action="{address}start/"' not in html
    assert "came after this run" not in text(page(rosas_browser, f"{address}2/"))


def test_viewers_read_it_and_start_nothing(rosas_browser: Client, study: Study, address: str) -> None:
    Filler(study).judge("ada", "i0", "alpha-mt", {"fluency": 3})
    build_run(study, slider_rows(), high_water=0)
    study.memberships.update(role="viewer")
    html = page(rosas_browser, address)
    assert "1 rating came after this run." in text(html)
    assert "Compute again" not in html


def test_exclusions_and_scores_that_a_run_does_not_know_are_said(
    rosas_browser: Client, study: Study, address: str, rosa: User
) -> None:
    quick = {"analyses": [{"analysis": "systems"}], "n_resamples": 100, "n_permutations": 99}
    document = plans.check({**quick, "rules": [{"rule": "manual"}]}, study)
    Plan.objects.update_or_create(study=study, version=1, defaults={"document": document})
    filler = Filler(study)
    filler.judge("ada", "i0", "alpha-mt", {"fluency": 3})
    filler.judge("bob", "i0", "alpha-mt", {"fluency": 3})
    study = lifecycle.move(study_id=study.pk, action="close", by=rosa)
    start.compute_here(run=Run.objects.get())
    assert "after this run" not in text(page(rosas_browser, address))
    excluded = exclusions.exclude_rater(rater=filler.raters["ada"], by=rosa, reason="Answered by rote.")
    html = page(rosas_browser, address)
    assert "1 exclusion by hand came after this run." in text(html)
    assert f'action="{address}start/"' in html
    rosas_browser.post(f"{address}start/")
    start.compute_here(run=Run.objects.get(number=2))
    said = text(page(rosas_browser, f"{address}1/"))
    assert "1 exclusion by hand came after this run. Run 2 takes it into account." in said
    assert "after this run" not in text(page(rosas_browser, f"{address}2/"))
    exclusions.lift(exclusion=excluded, by=rosa)
    assert "1 exclusion was lifted after this run." in text(page(rosas_browser, f"{address}2/"))
    assert "after this run" not in text(page(rosas_browser, f"{address}1/"))
    item = Item.objects.get(study=study, key="i0")
    system = System.objects.get(study=study, key="alpha-mt")
    MetricScore.objects.create(study=study, item=item, system=system, metric="bleu", value=0.5, source="uploaded")
    assert "Scores of metrics have changed since this run." in text(page(rosas_browser, f"{address}1/"))


# What cannot be taken away, or repeated -----------------------------------------------------------------


def test_of_a_run_that_is_not_done_there_is_nothing_to_take_away(
    rosas_browser: Client, closed: Study, address: str
) -> None:
    run = build_run(closed, slider_rows())
    add_plots(run, "content")
    files = ["1/results.csv", "1/results.json", f"1/plots/{run.plots.first().pk}.svg"]
    for status, now in ((200, "done"), (404, "queued"), (404, "running"), (404, "failed"), (404, "cancelled")):
        Run.objects.filter(pk=run.pk).update(state=now)
        assert [rosas_browser.get(f"{address}{one}").status_code for one in files] == [status] * 3


def test_a_run_that_was_refused_is_repeated_by_nobody(rosas_browser: Client, closed: Study, address: str) -> None:
    start.refuse(study=closed, trigger="closing", problem="x")
    assert rosas_browser.post(f"{address}1/without/", {"rule": "iqr"}).status_code == 404
    assert Run.objects.count() == 1
    with with_context():
        begun = rosas_browser.get(f"{address}new/?from=1").context["run_form"]
    assert begun.start["rules"] == SETTINGS["rules"]


def test_where_the_plan_cannot_be_used_the_form_begins_with_the_defaults(
    rosas_browser: Client, closed: Study, address: str
) -> None:
    closed.analysis_plans.update(document={"rules": [{"rule": "gone"}]})
    start.refuse(study=closed, trigger="closing", problem="rules[0].rule: There is no “gone”.")
    for rest in ("new/", "new/?from=1"):
        said = text(page(rosas_browser, f"{address}{rest}"))
        assert "This run differs from the plan in: quality rules. It will be labelled exploratory." in said
        assert "These are the default settings, with the quality rules: By hand." in said
        assert "As planned" not in said


def test_settings_without_rules_have_none_to_switch_off() -> None:
    assert without({}, "iqr") == {"rules": [], "reopen": []}


@pytest.mark.parametrize(
    ("raters", "is_closed", "said"),
    [
        (1, False, "not complete yet: 4 of 16 judgments"),
        (1, True, "not complete: 4 of 16 judgments"),
        (4, False, ""),
    ],
)
def test_results_of_a_part_of_the_judgments_say_how_many_there_are(
    rosa: User, rosas_browser: Client, address: str, study: Study, raters: int, is_closed: bool, said: str
) -> None:
    for _rater in range(raters):
        finish(study)
    if is_closed:
        lifecycle.move(study_id=study.pk, action="close", by=rosa)
    build_run(study, slider_rows())
    html = text(page(rosas_browser, address))
    assert said in html if said else "not complete" not in html


def test_settings_of_a_run_are_worded(study: Study) -> None:
    settings = {
        "correction": "fdr_bh",
        "rules": [{"rule": "control_accuracy", "share": 0.7, "least": 1, "attention": True, "copies": False}],
        "analyses": [{"analysis": "answers_by_group", "family": "holm-sidak"}],
    }
    said = " ".join(f"{label}: {text}" for label, text in words.settings_in_words(settings, systems=True))
    assert "Benjamini–Hochberg" in said
    assert "Correction for several tests: Holm–Šidák" in said
    assert "such as “choose 3 here”: yes" in said
    for raw in ("fdr_bh", "holm-sidak", "True", "False"):
        assert raw not in said


@pytest.mark.parametrize(
    ("chosen", "said"),
    [("raters_and_texts", "further texts and further raters, where an analysis has such a test"),
     ("texts", "further texts, judged by these raters, as most papers have it")],
)  # fmt: skip
def test_the_settings_of_a_run_promise_further_raters_only_where_that_is_tested(chosen: str, said: str) -> None:
    in_words = dict(words.settings_in_words({"generalise_to": chosen}))
    assert in_words["Differences between systems hold for"].partition(";")[0] == said
