"""Starting runs from pages, by the plan or otherwise, and cancelling them."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from analytics_app import plan as plans
from analytics_app.models import Run
from analytics_app.runs import start
from tasks_app.models import Study
from tasks_app.services.study import lifecycle
from tests.analytics_app.builders import build_run, funnel, slider_rows
from tests.analytics_app.views.reading import page, text
from tests.rendering import with_context

pytestmark = pytest.mark.django_db


@pytest.fixture
def address(study: Study) -> str:
    """The tab Results of rosa's study."""
    return f"/admin/studies/{study.slug}/results/"


@pytest.fixture
def closed(study: Study, rosa: User) -> Study:
    """Rosa's study, closed, without the run that closing starts."""
    study = lifecycle.move(study_id=study.pk, action="close", by=rosa)
    study.runs.all().delete()
    return study


def form(browser: Client, address: str) -> dict[str, str]:
    """Return the fields that the untouched form of a new run sends."""
    with with_context():
        shown = browser.get(address).context["run_form"]
    parts = [part for one in (*shown.rules, *shown.analyses) for part in (one.where, one.settings)]
    fields = [field for part in (*parts, shown.general, shown.comparisons) for field in part]
    # A browser sends no box that is not ticked.
    return {field.html_name: str(field.value()) for field in fields if str(field.value()) not in {"None", "False", ""}}


def test_the_empty_page_starts_a_run_by_the_plan(rosas_browser: Client, closed: Study, rosa: User) -> None:
    address = f"/admin/studies/{closed.slug}/results/"
    answer = rosas_browser.post(f"{address}start/")
    run = Run.objects.get()
    assert answer["Location"] == f"{address}1/"
    assert (run.planned, run.by, run.trigger) == (True, rosa, "demand")
    said = text(page(rosas_browser, f"{address}1/"))
    assert "Queued." in said
    assert "Cancel this run" in said


def test_untouched_the_form_gives_the_planned_run_and_says_so_before(rosas_browser: Client, closed: Study) -> None:
    address = f"/admin/studies/{closed.slug}/results/new/"
    assert "With these settings this run will be planned." in text(page(rosas_browser, address))
    assert rosas_browser.post(address, form(rosas_browser, address)).status_code == 302
    run = Run.objects.get()
    assert run.settings == plans.document_of(closed)
    assert run.planned


def test_a_run_with_other_rules_and_settings_is_exploratory(rosas_browser: Client, closed: Study) -> None:
    address = f"/admin/studies/{closed.slug}/results/new/"
    sent = form(rosas_browser, address)
    sent |= {
        "at-iqr-on": "on",
        "at-iqr-place": "1",
        "rule-iqr-factor": "2.5",
        "at-burn_in-on": "on",
        "at-burn_in-place": "9",
        "rule-burn_in-n": "3",
        "at-manual-place": "5",
        "run-correction": "bonferroni",
        "run-pairs": "beta-mt, alpha-mt\n\n",
        "run-primary": "fluency",
    }
    assert rosas_browser.post(address, sent).status_code == 302
    run = Run.objects.get()
    assert run.settings["rules"] == [
        {"rule": "iqr", "factor": 2.5},
        {"rule": "manual"},
        {"rule": "burn_in", "n": 3},
    ]
    assert run.settings["correction"] == "bonferroni"
    assert run.settings["comparisons"] == [["beta-mt", "alpha-mt"]]
    assert run.settings["primary"] == "fluency"
    assert not run.planned


def test_an_analysis_is_taken_off_and_another_is_set_otherwise(rosas_browser: Client, closed: Study) -> None:
    address = f"/admin/studies/{closed.slug}/results/new/"
    sent = form(rosas_browser, address)
    del sent["compute-systems-0-on"]
    sent["analysis-krippendorff-0-level"] = "interval"
    assert rosas_browser.post(address, sent).status_code == 302
    run = Run.objects.get()
    asked = {one["analysis"]: one for one in run.settings["analyses"]}
    assert "systems" not in asked
    assert asked["krippendorff"]["level"] == "interval"
    assert "correlation" in asked
    # What is no matter of this study is not offered, so it is not asked for.
    assert "panas" not in asked
    assert not run.planned

    # The form of the next run begins with these, and offers what was taken off.
    again = form(rosas_browser, f"{address}?from={run.number}")
    assert "compute-systems-0-on" not in again
    assert again["analysis-krippendorff-0-level"] == "interval"


def test_what_cannot_be_used_leads_to_its_field(rosas_browser: Client, closed: Study) -> None:
    address = f"/admin/studies/{closed.slug}/results/new/"
    wrong = {"at-iqr-on": "on", "rule-iqr-factor": "0", "run-n_resamples": "5", "at-burn_in-place": "0"}
    html = rosas_browser.post(address, form(rosas_browser, address) | wrong).content.decode()
    for field in ("id_rule-iqr-factor", "id_run-n_resamples", "id_at-burn_in-place"):
        assert f'<a href="#{field}">' in html
        assert f'id="{field}"' in html
    assert "Interquartile range: Width of the fence" in text(html)
    # What is off has no say: its settings are not asked for, and its place stands open to be mended.
    off = form(rosas_browser, address) | {"rule-iqr-factor": "0"}
    mixed = rosas_browser.post(address, off | {"run-n_resamples": "5"}).content.decode()
    assert '<a href="#id_run-n_resamples">' in mixed
    assert '<a href="#id_rule-iqr-factor">' not in mixed
    assert rosas_browser.post(address, off).status_code == 302


def test_a_setting_of_an_analysis_that_cannot_be_used_is_said(rosas_browser: Client, closed: Study) -> None:
    address = f"/admin/studies/{closed.slug}/results/new/"
    sent = form(rosas_browser, address) | {"analysis-krippendorff-0-level": "very"}
    answer = rosas_browser.post(address, sent)
    assert answer.status_code == 422
    assert "Some settings cannot be used" in text(answer.content.decode())
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"run-pairs": "alpha-mt nobody"}, "There is no “nobody” in this study."),
        ({"run-pairs": "alpha-mt"}, "must be two systems"),
        ({"at-iqr-on": "on", "rule-iqr-factor": "0"}, "greater than or equal to 0.1"),
        ({"run-n_resamples": "many"}, "Enter a whole number."),
        ({"at-manual-place": "-4"}, "greater than or equal to 1"),
    ],
    ids=["unknown system", "one system", "setting of a rule", "general setting", "place"],
)
def test_what_cannot_be_used_is_said_and_nothing_is_started(
    rosas_browser: Client, closed: Study, change: dict[str, str], said: str
) -> None:
    address = f"/admin/studies/{closed.slug}/results/new/"
    sent = form(rosas_browser, address)
    refused = rosas_browser.post(address, {**sent, **change})
    assert refused.status_code == 422
    assert "No run was started" in text(refused.content.decode())
    assert said in text(refused.content.decode())
    assert not Run.objects.exists()
    assert rosas_browser.post(address, sent).status_code == 302


def test_until_the_study_is_closed_a_run_is_an_interim_look(rosas_browser: Client, study: Study, address: str) -> None:
    assert "until the study is closed, every run is an interim look" in text(page(rosas_browser, f"{address}new/"))


def test_the_form_begins_with_the_settings_of_another_run(rosas_browser: Client, closed: Study) -> None:
    address = f"/admin/studies/{closed.slug}/results/new/"
    build_run(closed, settings={**plans.document_of(closed), "rules": [{"rule": "iqr", "factor": 3.0}], "ddof": 0})
    sent = form(rosas_browser, f"{address}?from=1")
    assert (sent["rule-iqr-factor"], sent["at-iqr-on"], sent["run-ddof"]) == ("3.0", "True", "0")
    assert "at-manual-on" not in sent
    differs = (
        "This run differs from the plan in: quality rules, degrees of freedom subtracted for the standard deviation"
    )
    assert differs in text(page(rosas_browser, f"{address}?from=1"))
    page(rosas_browser, f"{address}?from=2", 404)
    page(rosas_browser, f"{address}?from=x")


def test_a_rule_is_switched_off_by_one_press(rosas_browser: Client, closed: Study) -> None:
    address = f"/admin/studies/{closed.slug}/results/"
    rules = [{"rule": "manual"}, {"rule": "iqr", "factor": 1.5}]
    settings = {**plans.document_of(closed), "rules": rules, "reopen": ["iqr", "manual"]}
    build_run(closed, [*funnel(), *slider_rows()], settings=settings)
    html = page(rosas_browser, f"{address}1/")
    assert 'name="rule" value="iqr"' in html
    answer = rosas_browser.post(f"{address}1/without/", {"rule": "iqr"})
    assert answer["Location"] == f"{address}2/"
    without = Run.objects.get(number=2).settings
    assert (without["rules"], without["reopen"]) == ([{"rule": "manual"}], ["manual"])


def test_an_equal_run_is_shown_instead_of_a_new_one(rosas_browser: Client, closed: Study) -> None:
    address = f"/admin/studies/{closed.slug}/results/"
    sentence = "These ratings have already been analysed with these settings"
    first = rosas_browser.post(f"{address}start/", follow=True)
    assert sentence not in text(first.content.decode())
    again = rosas_browser.post(f"{address}start/", follow=True)
    assert again.redirect_chain[0][0] == f"{address}1/"
    assert sentence in text(again.content.decode())
    assert Run.objects.count() == 1


def test_while_ratings_are_imported_it_says_to_try_again(
    rosas_browser: Client, closed: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(**_given: object) -> None:
        raise start.Busy

    monkeypatch.setattr(start, "start", busy)
    answer = rosas_browser.post(f"/admin/studies/{closed.slug}/results/start/", follow=True)
    assert "Ratings are being imported right now." in text(answer.content.decode())


def test_a_run_under_way_is_cancelled(rosas_browser: Client, study: Study, address: str) -> None:
    run = build_run(study, state=Run.State.RUNNING)
    said = rosas_browser.post(f"{address}1/cancel/", follow=True).content.decode()
    run.refresh_from_db()
    assert run.state == "cancelled"
    assert "This run was cancelled. Judgments are not affected." in text(said)
    assert study.events.first().verb == "cancelled run"


def test_the_live_part_of_a_run_leads_to_its_results(rosas_browser: Client, study: Study, address: str) -> None:
    run = build_run(study, state=Run.State.RUNNING)
    waiting = rosas_browser.get(f"{address}1/?live=1")
    assert "0 of 0 parts are done." in text(waiting.content.decode())
    assert "csrfmiddlewaretoken" not in waiting.content.decode()
    Run.objects.filter(pk=run.pk).update(state="done")
    done = rosas_browser.get(f"{address}1/?live=1", headers={"if-none-match": waiting["ETag"]})
    assert done.status_code == 200
    assert "data-live-reload" in done.content.decode()
    again = rosas_browser.get(f"{address}1/?live=1", headers={"if-none-match": done["ETag"]})
    assert again.status_code == 304
