"""The page of a new run: presets, what a run would do before it is started, and what its rules would exclude."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from analytics_app import plan as plans
from analytics_app import quality
from analytics_app.models import Exclusion, MetricScore, Run
from analytics_app.plan.published import published_plans
from analytics_app.quality.base import Evidence
from analytics_app.runs import preview
from analytics_app.selectors.evidence import evidence_of
from analytics_app.services.exclusions import exclude_rater
from tasks_app.models import Event, Study, System
from tasks_app.services.study import lifecycle
from tests.analytics_app.builders import build_run
from tests.analytics_app.filling import Filler, new_run, work
from tests.analytics_app.test_quality import ITEMS, SYSTEMS, four_raters
from tests.analytics_app.views.reading import page, text
from tests.analytics_app.views.test_runs import form
from tests.builders import build_study

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


@pytest.fixture
def filled(study: Study) -> Study:
    """Rosa's study with ratings of four raters, of whom sam gave the same rating throughout."""
    four_raters(study)
    return study


@pytest.fixture
def address(filled: Study) -> str:
    """The page of a new run of that study."""
    return f"/admin/studies/{filled.slug}/results/new/"


def previewed(browser: Client, address: str, **changes: str) -> str:
    """Return the part of the page that changes when its form is sent for a preview."""
    sent = {**form(browser, address), **changes}
    path, _mark, query = address.partition("?")
    answer = browser.post(f"{path}preview/?{query}", sent, headers=HTMX)
    assert answer.status_code == 200
    return answer.content.decode()


# Presets --------------------------------------------------------------------------------------------------


def rules_of(browser: Client, address: str) -> list[str]:
    """Return the rules that are switched on in the form, in their order."""
    sent = form(browser, address)
    names = [name[3:-3] for name in sent if name.startswith("at-") and name.endswith("-on")]
    return sorted(names, key=lambda name: int(sent[f"at-{name}-place"]))


def test_a_preset_is_an_address_and_changes_nothing_but_the_rules(rosas_browser: Client, address: str) -> None:
    assert rules_of(rosas_browser, address) == ["manual"]
    assert rules_of(rosas_browser, f"{address}?preset=planned") == ["manual"]
    assert rules_of(rosas_browser, f"{address}?preset=all") == []
    strict = ["manual", "working_time", "page_time", "straight_lining", "skips"]
    assert rules_of(rosas_browser, f"{address}?preset=strict") == strict
    others = [
        {name: value for name, value in form(rosas_browser, f"{address}?preset={preset}").items() if name[:3] != "at-"}
        for preset in ("planned", "strict", "all")
    ]
    assert others[0] == others[1] == others[2]
    # What is no preset is the plan, as nothing is.
    html = page(rosas_browser, f"{address}?preset=stricter")
    assert '<a href="?preset=planned" aria-current="true">As planned</a>' in html


def test_strict_switches_rules_on_that_have_something_to_look_at(
    rosas_browser: Client, address: str, rosa: User
) -> None:
    html = page(rosas_browser, f"{address}?preset=strict")
    said = text(html)
    rules = "By hand, Working time, Time on the page, Straight-lining, Skipped units."
    assert f"Only the quality rules change, to these at their default settings: {rules}" in said
    assert "Not applicable in this study: Units with known answers – no known answers; Inconsistency score" in said
    assert '<a href="?preset=strict" aria-current="true">Strict</a>' in html
    checked = build_study(rosa, slug="checked", checks={"controls": 1, "repeats": 1}, known={"control": 2})
    assert rules_of(rosas_browser, f"/admin/studies/{checked.slug}/results/new/?preset=strict") == [
        "manual",
        "working_time",
        "page_time",
        "straight_lining",
        "skips",
        "control_accuracy",
        "inconsistency",
    ]


def test_what_a_study_has_for_rules_to_look_at(rosa: User, study: Study) -> None:
    own, scale = {Evidence.MINUTES, Evidence.TIMES, Evidence.SKIPS}, {Evidence.SCALE, Evidence.POSITIONS}
    assert evidence_of(study) == own | scale
    assert evidence_of(build_study(rosa, slug="two", type="pairwise")) == own
    assert evidence_of(build_study(rosa, slug="stay", allow_skip=False)) == (own | scale) - {Evidence.SKIPS}
    # Right or wrong is no position: who is right throughout would be left out.
    odd = build_study(rosa, slug="odd", type="triangle", criteria=(), set_size=1)
    assert evidence_of(odd) == own | {Evidence.SCALE}
    assert evidence_of(build_study(rosa, slug="short", params={"points": 2})) == own | {Evidence.SCALE}
    degraded = build_study(rosa, slug="worse", checks={"degraded": 1, "repeats": 1})
    assert evidence_of(degraded) == own | scale | {Evidence.KNOWN_ANSWERS, Evidence.REPEATS}
    # Imported ratings have neither expected minutes nor, where no column has them, times.
    Study.objects.filter(pk=study.pk).update(opened_at=None)
    study.refresh_from_db()
    imported = scale | {Evidence.SKIPS}
    assert evidence_of(study) == imported
    filler = Filler(study)
    first = filler.judge("ada", ITEMS[0], SYSTEMS[0], {"fluency": 3})
    assert evidence_of(study) == imported | {Evidence.TIMES}
    filler.judge("ada", ITEMS[0], SYSTEMS[0], {"fluency": 3}, purpose="repeat", repeat_of=first.assignment)
    assert evidence_of(study) == imported | {Evidence.TIMES, Evidence.REPEATS}


def test_no_rule_that_selects_on_the_ratings_it_improves_is_strict() -> None:
    never = {name for name, rule in quality.registry.items() if rule.strict is None}
    assert never == {"burn_in", "identical_texts", "iqr", "no_differences", "simple_items", "trust"}


def test_a_study_with_scores_of_metrics_offers_the_analyses_of_a_paper(
    rosas_browser: Client, address: str, filled: Study
) -> None:
    assert "As in Logacheva" not in page(rosas_browser, address)
    MetricScore.objects.bulk_create(
        MetricScore(study=filled, metric="BLEU", system=system, value=value, source="uploaded")
        for value, system in enumerate(System.objects.filter(study=filled))
    )
    chosen = f"{address}?preset=logacheva_2022"
    assert '<a href="?preset=logacheva_2022" aria-current="true">As in Logacheva et al. (2022)</a>' in page(
        rosas_browser, chosen
    )
    assert rules_of(rosas_browser, chosen) == rules_of(rosas_browser, address)
    rosas_browser.post(chosen, form(rosas_browser, chosen))
    run = filled.runs.latest("number")
    (analysis,) = run.settings["analyses"]
    assert (analysis["analysis"], analysis["directions"], analysis["wmt"]) == ("metrics", "listed", False)


def test_strict_is_started_as_it_says(rosas_browser: Client, address: str, filled: Study) -> None:
    strict = f"{address}?preset=strict"
    assert rosas_browser.post(strict, form(rosas_browser, strict)).status_code == 302
    run = Run.objects.get()
    assert [entry["rule"] for entry in run.settings["rules"]][1:3] == ["working_time", "page_time"]
    assert run.settings == plans.check(run.settings, filled)
    assert not run.planned


def test_a_run_begins_with_the_analyses_of_a_paper_where_there_are_scores_of_metrics(
    rosas_browser: Client, address: str, filled: Study
) -> None:
    assert "As in GRUEN" not in page(rosas_browser, address)
    MetricScore.objects.create(study=filled, metric="BLEU", system=filled.systems.first(), value=1, source="uploaded")
    html = page(rosas_browser, address)
    assert [name for name in published_plans() if f'<a href="?preset={name}">' not in html] == []
    rules = rules_of(rosas_browser, address)
    for name, expected in (
        ("gruen_2020", {"metrics": {"williams_ranks": True, "wmt": False}, "metrics_apart": {"by_system": False}}),
        ("rome_2022", {"metrics_apart": {"by_level": False}, "metrics": {"compare": False}}),
        # The study has no system REF that could be left out, so the two entries are the same.
        ("lai_2022", {"metrics": {"without_systems": [], "ceiling": False}}),
        ("logacheva_2022", {"metrics": {"directions": "listed"}}),
    ):
        assert rules_of(rosas_browser, f"{address}?preset={name}") == rules
        answer = rosas_browser.post(f"{address}?preset={name}", form(rosas_browser, f"{address}?preset={name}"))
        assert answer.status_code == 302, answer.content.decode()
        entries = Run.objects.latest("pk").settings["analyses"]
        assert [entry["analysis"] for entry in entries] == list(expected), name
        for entry in entries:
            wanted = expected[entry["analysis"]]
            assert {key: entry[key] for key in wanted} == wanted, name
        Run.objects.all().delete()
    assert [entry["without_systems"] for entry in published_plans()["lai_2022"].analyses] == [["REF"], []]


def test_the_settings_of_a_run_stand_beside_the_presets(rosas_browser: Client, address: str, filled: Study) -> None:
    build_run(filled, settings={**plans.document_of(filled), "rules": [{"rule": "iqr", "factor": 3.0}]})
    html = page(rosas_browser, f"{address}?from=1")
    assert '<a href="?from=1" aria-current="true">Same as run 1</a>' in html
    assert html.count('aria-current="true"') == 1
    assert "Interquartile range (Width of the fence in interquartile ranges: 3.0)" in text(html)
    assert f'hx-post="{address}preview/?from=1"' in html
    assert f'action="{address}?from=1"' in html


# What the run would do ------------------------------------------------------------------------------------


def test_what_differs_from_the_plan_is_said_before_the_run_is_started(
    rosas_browser: Client, address: str, filled: Study, rosa: User
) -> None:
    open_still = text(page(rosas_browser, f"{address}?preset=strict"))
    assert "every run is an interim look. It also differs from the plan in: quality rules." in open_still
    lifecycle.move(study_id=filled.pk, action="close", by=rosa)
    Run.objects.all().delete()
    assert "With these settings this run will be planned." in text(page(rosas_browser, address))
    strict = text(page(rosas_browser, f"{address}?preset=strict"))
    assert "This run differs from the plan in: quality rules. It will be labelled exploratory." in strict
    live = text(
        previewed(rosas_browser, address, **{"run-correction": "none", "run-ddof": "0", "run-confidence": ".9"})
    )
    assert "This run differs from the plan in: correction, confidence, degrees of freedom" in live
    assert "every pair of systems; correction: no correction" in live
    assert "90 %; bootstrap intervals from 1,000 samples" in live
    assert "With these settings this run will be planned." in text(previewed(rosas_browser, address))


def test_the_analyses_stay_in_the_order_of_the_plan(
    rosas_browser: Client, address: str, filled: Study, rosa: User
) -> None:
    """The form once sorted them by their labels, and every run that it started was exploratory."""
    lifecycle.move(study_id=filled.pk, action="close", by=rosa)
    Run.objects.all().delete()
    plan = plans.frozen_plan(filled)
    assert plan is not None
    listed = [{"analysis": "systems"}, {"analysis": "krippendorff"}, {"analysis": "agreement"}]
    plan.document = plans.check({**plan.document, "analyses": listed}, filled)
    plan.save()
    assert "With these settings this run will be planned." in text(previewed(rosas_browser, address))
    fewer = form(rosas_browser, address)
    del fewer["compute-krippendorff-0-on"]
    html = rosas_browser.post(f"{address}preview/", fewer, headers=HTMX).content.decode()
    assert "This run differs from the plan in: analyses." in text(html)


def test_a_preview_is_what_the_run_finds(rosas_browser: Client, address: str, filled: Study, rosa: User) -> None:
    exclude_rater(rater=filled.raters.get(pseudonym="bob"), reason="Told us so.", by=rosa)
    rules = {
        "at-straight_lining-on": "on",
        "rule-straight_lining-least": "5",
        "at-iqr-on": "on",
        "rule-iqr-factor": ".4",
    }
    shown = previewed(rosas_browser, address, **rules)
    run = new_run(
        filled, rules=[{"rule": "manual"}, {"rule": "straight_lining", "least": 5}, {"rule": "iqr", "factor": 0.4}]
    )
    run.facts = {"manual_exclusions": list(Exclusion.objects.values_list("pk", flat=True))}
    run.save()
    funnel = [row for row in work(run).rows if row.analysis == "funnel" and row.statistic in {"removed", "kept"}]
    rows = {row.label or row.statistic: row for row in funnel}
    assert (rows["manual"].n_ratings, rows["straight_lining"].n_ratings) == (8, 16)
    assert rows["iqr"].n_ratings
    for name in ("manual", "straight_lining", "iqr"):
        effect = re.search(rf'<p id="effect-{name}" hx-swap-oob="innerHTML">([^<]*)</p>', shown)
        ratings, raters = rows[name].n_ratings, rows[name].n_raters
        words = f"{ratings} rating{'s' * (ratings != 1)} from {raters} rater{'s' * (raters != 1)}"
        assert effect is not None
        assert effect[1].startswith(f"Would exclude {words}.")
    assert f"With these settings, {rows['kept'].n_ratings} of 32 ratings would be kept." in text(shown)
    assert '<p id="effect-trust" hx-swap-oob="innerHTML"></p>' in shown


def test_a_preview_starts_and_stores_nothing(rosas_browser: Client, address: str) -> None:
    events = Event.objects.count()
    sent = form(rosas_browser, f"{address}?preset=strict")
    whole = rosas_browser.post(f"{address}preview/?preset=strict", sent)
    assert "would be kept" in text(whole.content.decode()), "without scripts it is a page"
    assert '<details class="ew-more ew-run-settings" open>' in whole.content.decode()
    assert "would be kept" in previewed(rosas_browser, f"{address}?preset=strict")
    assert not Run.objects.exists()
    assert not Exclusion.objects.exists()
    assert Event.objects.count() == events
    assert rosas_browser.get(f"{address}preview/").status_code == 405


def test_a_large_study_has_no_preview(rosas_browser: Client, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def computed(*_given: object) -> None:
        raise AssertionError("the preview reads the ratings")

    monkeypatch.setattr(preview, "preview", computed)
    for name in ("MOST_RATINGS", "MOST_UNITS"):
        with monkeypatch.context() as limited:
            limited.setattr(preview, name, 7)
            said = text(previewed(rosas_browser, address))
        assert "There is no preview for studies with more than " in said
        assert "would be kept" not in said


def test_a_study_without_ratings_says_so(rosas_browser: Client, study: Study, rosa: User) -> None:
    assert "There are no ratings yet." in text(
        previewed(rosas_browser, f"/admin/studies/{study.slug}/results/new/?preset=strict")
    )
    draft = build_study(rosa, slug="draft", opened=False)
    said = text(previewed(rosas_browser, f"/admin/studies/{draft.slug}/results/new/"))
    assert "The study has not been opened yet, so there are no ratings." in said


def test_every_field_has_a_place_for_its_errors(rosas_browser: Client, address: str) -> None:
    """Where htmx puts them: it complains of places that are not there."""
    places = set(re.findall(r'id="([^"]+)"', page(rosas_browser, address)))
    swapped = set(re.findall(r'id="([^"]+)" hx-swap-oob', previewed(rosas_browser, address)))
    assert len(swapped) > 20
    assert swapped <= places


def test_what_is_wrong_is_said_at_its_field_while_the_rest_stays(rosas_browser: Client, address: str) -> None:
    wrong = {"run-n_resamples": "5", "rule-iqr-factor": "0", "run-pairs": "alpha-mt nobody"}
    html = previewed(rosas_browser, address, **wrong)
    assert '<div class="ew-errors" id="id_run-n_resamples_error" hx-swap-oob="true"><p class="ew-error">Ensure' in html
    assert '<div class="ew-errors" id="id_rule-iqr-factor_error" hx-swap-oob="true"></div>' in html, "it is off"
    assert "Some settings cannot be used:" in text(html)
    assert "run-standing" not in html
    on = previewed(rosas_browser, address, **wrong, **{"at-iqr-on": "on"})
    assert '<div class="ew-errors" id="id_rule-iqr-factor_error" hx-swap-oob="true"><p class="ew-error">Ensure' in on
    unknown = text(previewed(rosas_browser, address, **{"run-pairs": "alpha-mt nobody"}))
    assert "There is no “nobody” in this study." in unknown


def test_the_settings_are_folded_until_one_is_wrong(rosas_browser: Client, address: str) -> None:
    folded = '<details class="ew-more ew-run-settings">'
    assert folded in page(rosas_browser, address)
    refused = rosas_browser.post(address, form(rosas_browser, address) | {"run-n_resamples": "5"})
    assert folded not in refused.content.decode()


@pytest.mark.exhaustive
def test_the_page_takes_few_queries(
    rosas_browser: Client, address: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for query in ("", "?preset=strict", "?preset=all"):
        with django_assert_max_num_queries(15):
            page(rosas_browser, f"{address}{query}")
