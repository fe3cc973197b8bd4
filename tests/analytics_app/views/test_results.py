"""The tab Results: which run is shown, what stands on its page, and what is hidden while a study is open."""

from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from analytics_app.models import ResultLift, Run
from analytics_app.results import COLUMNS, Row
from tasks_app.models import Membership, Study
from tasks_app.services.study import lifecycle
from tests.analytics_app.builders import (
    LIKERT,
    SETTINGS,
    SLIDER,
    add_plots,
    build_run,
    funnel,
    likert_rows,
    slider_rows,
)
from tests.analytics_app.views.reading import page, results, table, tables, text
from tests.pages import without_tokens

pytestmark = pytest.mark.django_db


def test_without_a_run_the_page_says_what_will_happen_and_offers_one(rosas_browser: Client, study: Study) -> None:
    html = page(rosas_browser, results(study))
    assert "Nothing has been computed yet." in html
    assert "It changes no rating." in html
    assert "Start a run" in html


def test_a_draft_is_told_to_open_first(rosas_browser: Client, rosa: User) -> None:
    Study.objects.create(slug="draft", title="Draft", public_title="Draft")
    Membership.objects.create(study=Study.objects.get(slug="draft"), user=rosa, role="owner")
    html = page(rosas_browser, "/admin/studies/draft/results/")
    assert "Open the study, or import ratings, first." in html
    assert "Start a run" not in html


def test_the_newest_planned_run_comes_first_then_the_newest_done(rosas_browser: Client, closed: Study) -> None:
    build_run(closed, slider_rows())
    assert "Run 1 exploratory" in text(page(rosas_browser, results(closed)))
    planned = build_run(closed, slider_rows(), planned=True)
    build_run(closed, slider_rows())
    build_run(closed, state=Run.State.FAILED)
    said = text(page(rosas_browser, results(closed)))
    assert f"Run {planned.number} planned" in said
    assert "Planned: rules, primary criterion" in said
    listed = [row[:3] for caption, rows in tables(page(rosas_browser, results(closed))) if not caption for row in rows]
    assert [row[0] for row in listed if row[1] in {"planned", "exploratory"}] == ["4", "3", "2", "1"]
    other = text(page(rosas_browser, results(closed, "3/")))
    assert "The planned run is run 2." in other


def test_a_run_that_is_none_is_not_found(rosas_browser: Client, closed: Study) -> None:
    page(rosas_browser, results(closed, "7/"), 404)
    page(rosas_browser, results(closed, "99999999999999999999/"), 404)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"rules": []}, "it differs from the plan in quality rules."),
        ({"correction": "none", "comparisons": [["a", "b"]]}, "it differs from the plan in comparisons, correction."),
        ({}, "it does not follow the plan that was frozen at opening."),
    ],
)
def test_an_exploratory_run_says_why(rosas_browser: Client, closed: Study, changes: dict, said: str) -> None:
    build_run(closed, slider_rows(), settings={**SETTINGS, **changes})
    assert f"Exploratory: {said}" in text(page(rosas_browser, results(closed)))


def test_an_interim_look_and_a_study_without_a_plan_are_exploratory(rosas_browser: Client, closed: Study) -> None:
    plan = closed.analysis_plans.get()
    build_run(closed, slider_rows(), plan=plan)
    assert "an interim look" in text(page(rosas_browser, results(closed)))
    Run.objects.update(plan=None)
    plan.delete()
    assert "no plan that was frozen at opening" in text(page(rosas_browser, results(closed)))


def test_every_number_of_a_slider_stands_in_its_table(rosas_browser: Client, closed: Study) -> None:
    run = build_run(closed, slider_rows())
    add_plots(run, "content")
    html = page(rosas_browser, results(closed))
    rows = table(html, "Systems")
    assert [row["System"] for row in rows] == sorted(SLIDER, key=SLIDER.__getitem__, reverse=True)
    assert rows[0] == {
        "System": "HIGH",
        "Ratings": "240",
        "Median": "92.0",
        "Mean": "92.4",
        "Over items": "88.4 to 96.4",
        "Over raters": "84.4 to 98.4",
        "SD": "10.0",
        "Mean z": "0.488",
        "z over items": "0.388 to 0.588",
        "z over raters": "0.288 to 0.688",
    }
    pair = next(row for row in table(html, "Pairs of systems") if row["Pair"] == "HIGH − LUO")
    assert (pair["Difference, these raters"], pair["Over items, these raters"]) == ("60.6", "56.6 to 64.6")
    assert (pair["p, these raters"], pair["Adjusted p, these raters"]) == ("< 0.001", "< 0.001")
    agreement = table(html, "Agreement between raters")
    assert agreement[0]["Measure"] == "Krippendorff's alpha (interval)"
    assert (agreement[0]["Value"], agreement[0]["Interval"]) == ("0.712", "0.652 to 0.762")
    assert "so z is undefined" in text(html)


def test_where_a_scale_has_steps_what_needs_no_equal_ones_comes_first(rosas_browser: Client, closed: Study) -> None:
    run = build_run(closed, likert_rows())
    add_plots(run, "fluency")
    html = page(rosas_browser, results(closed))
    heads = list(table(html, "Systems")[0])
    assert heads.index("Step 5") < heads.index("Median") < heads.index("Mean, steps taken as equal")
    assert [row["System"] for row in table(html, "Systems")] == list(LIKERT)
    pairs = table(html, "Pairs of systems")
    assert list(pairs[0])[2] == "First above second"
    assert pairs[0]["First above second"] == "0.72"


def test_ratings_before_and_after_rules_stand_side_by_side(rosas_browser: Client, closed: Study) -> None:
    before = [
        replace(row, basis="all", value=row.value and row.value - 1, n_ratings=row.n_ratings and row.n_ratings + 9)
        for row in slider_rows()
    ]
    build_run(closed, [*funnel(), *before, *slider_rows()])
    html = page(rosas_browser, results(closed))
    row = table(html, "Systems")[0]
    assert (row["Mean"], row["Mean before rules"]) == ("92.4", "91.4")
    assert (row["Ratings"], row["Ratings before rules"]) == ("240", "249")
    assert table(html, "Pairs of systems")[0]["Difference before rules"] == "7.3"
    assert table(html, "Agreement between raters")[0]["Before rules"] == "−0.288"


def test_the_funnel_says_what_each_rule_took_and_from_whom(rosas_browser: Client, closed: Study) -> None:
    build_run(closed, [*funnel(), *slider_rows()])
    html = page(rosas_browser, results(closed))
    steps = table(html, "Likert scale")
    assert [row["Step"] for row in steps] == [
        "Collected",
        "− Interquartile range 8 low, 1 high",
        "Kept for the results",
    ]
    assert [(row["Ratings"], row["Share"]) for row in steps] == [("720", "100 %"), ("9", "1.2 %"), ("711", "98.8 %")]
    assert table(html, "Exclusions by system")[1]["Ratings removed"] == "7"
    assert "Run without “Interquartile range”" in text(html)


def test_the_funnel_begins_with_what_is_left_out_before_any_rule(rosas_browser: Client, closed: Study) -> None:
    about = {"analysis": "funnel", "task": "main", "basis": "all"}
    stored = Row(**about, statistic="stored", n_ratings=960)
    reasons = {"training": 150, "within": 90}
    left_out = [Row(**about, statistic="left_out", label=name, n_ratings=n) for name, n in reasons.items()]
    facts = {"tasks": {"main": {"ratings": 720}}}
    build_run(closed, [stored, *left_out, *funnel(), *slider_rows()], n_seen=810, facts=facts)
    html = page(rosas_browser, results(closed))
    assert [(row["Step"], row["Ratings"]) for row in table(html, "Likert scale")] == [
        ("Collected", "960"),
        ("− Training", "150"),
        ("− Questions repeated on the same screen", "90"),
        ("Counted", "720"),
        ("− Interquartile range 8 low, 1 high", "9"),
        ("Kept for the results", "711"),
    ]
    # The head and the list of runs say the number that counts, not one in between that nobody can find again.
    assert "Ratings counted 720" in text(html)
    (runs,) = (rows for _caption, rows in tables(html) if rows[0][:2] == ["Run", "Kind"])
    assert runs[1][-1] == "720"
    assert "810" not in text(html)


def test_where_all_that_counted_was_training_no_rule_is_blamed(rosas_browser: Client, closed: Study) -> None:
    about = {"analysis": "funnel", "task": "main", "basis": "all"}
    counted = [Row(**about, statistic=name, n_ratings=0) for name in ("collected", "kept")]
    training = Row(**about, statistic="left_out", label="training", n_ratings=5)
    build_run(closed, [Row(**about, statistic="stored", n_ratings=5), training, *counted])
    assert "The rules excluded all ratings" not in text(page(rosas_browser, results(closed)))


def test_the_head_counts_the_raters_of_the_study_and_not_of_its_largest_task(
    rosas_browser: Client, closed: Study
) -> None:
    tasks = {name: {"raters": 2, "simulated_raters": 1} for name in ("one", "two")}
    build_run(closed, slider_rows(), facts={"tasks": tasks, "raters": 4, "simulated_raters": 2})
    said = text(page(rosas_browser, results(closed)))
    assert "Raters 4" in said
    assert "2 of the 4 raters are simulated" in said


def test_an_undefined_value_is_a_dash_with_its_sentence(rosas_browser: Client, closed: Study) -> None:
    gone = {"value": None, "low": None, "high": None, "note": "No two raters rated the same text."}
    rows = [
        replace(row, **gone) if row.statistic == "alpha" or (row.statistic, row.system) == ("mean", "LUO") else row
        for row in slider_rows()
    ]
    build_run(closed, rows)
    html = page(rosas_browser, results(closed))
    last = table(html, "Systems")[-1]
    assert (last["System"], last["Mean"], last["Over items"]) == ("LUO", "–", "–")
    assert table(html, "Agreement between raters")[0]["Value"] == "–"
    assert "No two raters rated the same text. (Mean: LUO)" in text(html)
    assert "nan" not in without_tokens(html).lower().replace("nannte", "")


def test_slices_and_statistics_without_a_place_of_their_own_are_shown_too(rosas_browser: Client, closed: Study) -> None:
    model = slider_rows()[0]
    more = [replace(model, slice="domain=news", value=70.5), replace(model, statistic="new_thing", value=0.125)]
    build_run(closed, [*slider_rows(), *more])
    further = table(page(rosas_browser, results(closed)), "Parts of the data, and further numbers")
    assert [(row["Measure"], row["Part"], row["Value"]) for row in further] == [
        ("Mean", "domain=news", "70.500"),
        ("New thing", "–", "0.125"),
    ]


def test_plots_stand_with_their_finding_and_their_numbers(rosas_browser: Client, closed: Study) -> None:
    run = build_run(closed, slider_rows())
    add_plots(run, "content")
    html = page(rosas_browser, results(closed))
    assert html.count('<figure class="ew-figure"') == 5
    assert "5 of 6 pairs of systems differ for content" in html
    assert "Exploratory, run 1." in html
    (numbers,) = [rows for n in range(5) if "Mean rating" in (rows := table(html, "Numbers behind this plot", n))[0]]
    assert (numbers[0]["System"], numbers[0]["Mean rating"]) == ("HIGH", "92.4")


def test_a_plot_is_taken_away_with_title_and_origin(rosas_browser: Client, closed: Study) -> None:
    run = build_run(closed, slider_rows())
    add_plots(run, "content")
    plot = run.plots.get(key="main/content/means")
    answer = rosas_browser.get(results(closed, f"1/plots/{plot.pk}.svg"))
    assert answer["Content-Type"] == "image/svg+xml"
    assert f'filename="{closed.slug}-run-1-main-content-means.svg"' in answer["Content-Disposition"]
    body = answer.content.decode()
    assert plot.title.split(",")[0] in body
    assert "Exploratory, run 1." in text(body)
    other = build_run(closed)
    assert rosas_browser.get(results(closed, f"{other.number}/plots/{plot.pk}.svg")).status_code == 404


def test_simulated_raters_erasures_and_shared_texts_are_told(rosas_browser: Client, closed: Study) -> None:
    facts = {"tasks": {"main": {"simulated_raters": 3, "raters": 12, "shared_texts": 40}}}
    build_run(closed, slider_rows(), facts=facts, erased_since=2)
    said = text(page(rosas_browser, results(closed)))
    assert "3 of the 12 raters are simulated; these are not human results." in said
    assert "2 ratings were erased at raters' request since this run" in said
    assert "Ratings that count for several systems 40" in said


def test_settings_and_sources_are_one_click_away(rosas_browser: Client, closed: Study) -> None:
    build_run(closed, slider_rows())
    said = text(page(rosas_browser, results(closed)))
    assert "Quality rules Interquartile range (Width of the fence in interquartile ranges: 1.5)" in said
    assert "Correction Holm" in said
    assert "Seed 20261121" in said
    assert "Koehn (2004)" in said


def test_while_a_study_is_open_nothing_tells_systems_apart(rosas_browser: Client, study: Study) -> None:
    run = build_run(study, [*funnel(), *slider_rows()])
    add_plots(run, "content")
    plot = run.plots.get(key="main/content/means")
    for address in ("", "1/", "1/?live=1", "1/raters/", "1/results.csv", "1/results.json"):
        answer = rosas_browser.get(results(study, address))
        body = b"".join(answer).decode()
        assert answer.status_code == 200
        assert not any(system in body for system in SLIDER), address
    html = page(rosas_browser, results(study))
    assert "Results by system are hidden until the study is closed" in html
    assert "Krippendorff" in html
    assert "are most often 90–100" in html
    assert rosas_browser.get(results(study, f"1/plots/{plot.pk}.svg")).status_code == 404
    hidden = rosas_browser.get(results(study, "1/results.csv"))
    assert b"alpha" in b"".join(hidden)


def test_an_owner_lifts_the_hiding_with_a_reason_and_it_is_said_ever_after(
    rosas_browser: Client, study: Study, rosa: User
) -> None:
    build_run(study, slider_rows())
    assert "Enter a reason" in text(rosas_browser.post(results(study, "lift/"), follow=True).content.decode())
    asked = rosas_browser.post(results(study, "lift/"), {"reason": "To stop early."}).content.decode()
    assert "Show results by system while the study is open?" in asked
    assert not ResultLift.objects.exists()
    rosas_browser.post(results(study, "lift/"), {"reason": "To stop early.", "sure": "yes"})
    assert ResultLift.objects.get().by == rosa
    event = study.events.first()
    assert (event.verb, event.actor, event.after["reason"]) == ("lifted", rosa, "To stop early.")
    said = text(page(rosas_browser, results(study)))
    assert "HIGH" in said
    lifecycle.move(study_id=study.pk, action="close", by=rosa)
    said = text(page(rosas_browser, results(study)))
    assert "by rosa, before the study was closed. Reason: To stop early." in said
    for again in ({"reason": "Again.", "sure": "yes"}, {"reason": "Again."}):
        said = text(rosas_browser.post(results(study, "lift/"), again, follow=True).content.decode())
        assert "Results by system are shown already: nothing was changed." in said
        assert "are shown from now on" not in said
    assert ResultLift.objects.count() == 1


def test_only_owners_are_offered_to_lift(client: Client, study: Study) -> None:
    editor = User.objects.create_user("eda", is_staff=True)
    Membership.objects.create(study=study, user=editor, role="editor")
    client.force_login(editor)
    html = page(client, results(study))
    assert "An owner of the study can show them earlier" in html
    assert 'name="reason"' not in html
    assert client.post(results(study, "lift/"), {"reason": "x", "sure": "yes"}).status_code == 404
    assert not ResultLift.objects.exists()


def test_how_each_rater_used_the_scale(rosas_browser: Client, study: Study) -> None:
    build_run(study, slider_rows())
    rows = table(page(rosas_browser, results(study, "1/raters/")), "Raters")
    assert [row["Rater"] for row in rows] == ["R-0001", "R-0002", "R-0003"]
    assert (rows[0]["Mean"], rows[0]["SD"]) == ("61.0", "20.0")
    assert (rows[2]["SD"], rows[2]["Note"][:25]) == ("–", "All ratings of this rater")


def test_files_hold_every_row_that_may_be_seen(rosas_browser: Client, closed: Study) -> None:
    build_run(closed, slider_rows())
    answer = rosas_browser.get(results(closed, "1/results.csv"))
    lines = b"".join(answer).decode().splitlines()
    assert lines[0].split(",") == list(COLUMNS)
    assert len(lines) == len(slider_rows()) + 1
    assert "attachment" in answer["Content-Disposition"]
    document = rosas_browser.get(results(closed, "1/results.json"))
    assert b'"rows"' in b"".join(document)


def test_long_and_odd_names_are_escaped(rosas_browser: Client, closed: Study) -> None:
    named = [replace(row, system="<script>alert(1)</script>" if row.system == "HIGH" else row.system)
             for row in slider_rows()]  # fmt: skip
    build_run(closed, named)
    html = page(rosas_browser, results(closed))
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)" in html


def test_very_many_pairs_are_left_to_the_file(rosas_browser: Client, closed: Study) -> None:
    model = next(row for row in slider_rows() if row.statistic == "difference")
    pairs = [replace(model, system=f"s{a}", system_b=f"t{b}") for a in range(10) for b in range(10)]
    build_run(closed, [row for row in slider_rows() if row.system_b is None] + pairs)
    said = text(page(rosas_browser, results(closed)))
    assert "100 pairs of systems are too many for a page" in said
    assert "s9" not in said


def test_where_no_run_is_done_the_newest_says_how_it_is(rosas_browser: Client, closed: Study) -> None:
    build_run(closed, state=Run.State.CANCELLED)
    build_run(closed, state=Run.State.FAILED, error="The disk is full.")
    said = text(page(rosas_browser, results(closed)))
    assert "This run failed. Judgments are not affected." in said
    assert "The disk is full." in said
    build_run(closed, state=Run.State.QUEUED)
    assert 'data-live="' in page(rosas_browser, results(closed))


@pytest.mark.exhaustive
def test_a_page_of_results_asks_little(
    rosas_browser: Client, closed: Study, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for criterion in ("content", "style"):
        build_run(closed, slider_rows(criterion), planned=criterion == "style")
    run = build_run(closed, [*funnel(), *slider_rows(), *likert_rows(), *slider_rows("style")])
    add_plots(run, "content", "fluency")
    for address in ("", "3/", "3/raters/", "new/"):
        with django_assert_max_num_queries(15):
            page(rosas_browser, results(closed, address))
    with django_assert_max_num_queries(15):
        page(rosas_browser, f"/admin/studies/{closed.slug}/data/")
