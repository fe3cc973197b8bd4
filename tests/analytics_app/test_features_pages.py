"""Features of outputs from the plan to the pages: computed from stored texts, shown, and set up in the browser."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from analytics_app.models import Run
from analytics_app.plan import BadPlan, check
from analytics_app.runs import start
from tasks_app.models import Study
from tasks_app.services.study import lifecycle
from tests.analytics_app.filling import Filler
from tests.analytics_app.views.reading import page, results, table, text
from tests.analytics_app.views.test_runs import form
from tests.builders import build_study

pytestmark = pytest.mark.django_db

DECLARED = "even: matches Text [02468]\nlength: characters\nkept: numbers_kept"


@pytest.fixture
def rated(rosa: User) -> Study:
    """A closed study in which alpha is rated higher than beta for texts with an even number, and alike otherwise."""
    study = build_study(rosa, items=8, checks={"controls": 1}, known={"control": 2})
    filler = Filler(study)
    for number in range(8):
        for rater in ("ada", "bob"):
            high = 4 + (rater == "bob" and number in {0, 3, 6})
            low = (2 if number % 2 == 0 else 4) + (number in {1, 2})
            filler.judge(rater, f"i{number}", "alpha-mt", {"fluency": high})
            filler.judge(rater, f"i{number}", "beta-mt", {"fluency": low})
    return lifecycle.move(study_id=study.pk, action="close", by=rosa)


def computed(study: Study) -> Run:
    settings = {"analyses": [{"analysis": "features", "features": DECLARED}]}
    return start.compute_here(run=start.start(study=study, by=None, settings=settings, trigger="command"))


def test_the_planted_dependence_is_found_and_shown(rated: Study, rosas_browser: Client) -> None:
    run = computed(rated)
    assert run.state == Run.State.DONE
    (contrast,) = run.rows.filter(statistic="feature_contrast", label="even: yes", basis="kept")
    assert contrast.value == pytest.approx((4.25 - 2.25) - (4.125 - 4.25))
    assert contrast.p_adjusted is not None
    assert contrast.p_adjusted < 0.05
    assert contrast.settings is not None
    assert contrast.settings["family"] == "1 contrasts of one criterion"
    html = page(rosas_browser, results(rated, f"{run.number}/"))
    assert "Differences of systems depend on “even” on" in text(html)
    lines = table(html, "Ratings by feature")
    assert [(line["Feature"], line["Value"]) for line in lines[:2]] == [("even", "no"), ("even", "yes")]
    # Texts with known answers are not among them.
    counts = table(html, "Outputs with each value")
    assert {line["Value"]: (line["alpha-mt"], line["beta-mt"]) for line in counts if line["Feature"] == "even"} == {
        "no": ("4", "4"),
        "yes": ("4", "4"),
    }


def test_features_are_declared_in_the_form_of_a_run(rated: Study, rosas_browser: Client) -> None:
    address = results(rated, "new/")
    sent = form(rosas_browser, address)
    sent |= {"compute-features-0-on": "on", "analysis-features-0-features": DECLARED.replace("\n", "\r\n")}
    assert rosas_browser.post(address, sent).status_code == 302
    (entry,) = [one for one in Run.objects.latest("number").settings["analyses"] if one["analysis"] == "features"]
    assert entry["features"] == DECLARED
    sent["analysis-features-0-features"] = "even: matches (Text"
    refused = rosas_browser.post(address, sent)
    assert refused.status_code == 422
    assert "Line 1, column 20: The regular expression is wrong: missing )" in refused.content.decode()


def test_a_plan_is_held_to_the_same(rated: Study) -> None:
    with pytest.raises(BadPlan, match=r"analyses\[0\]\.features: Line 2, column 4: There is no rule “wrods”"):
        check({"analyses": [{"analysis": "features", "features": "domain\nn: wrods"}]}, rated)
    with pytest.raises(
        BadPlan, match=r"analyses\[0\]\.features: Line 1, column 12: The regular expression is too large"
    ):
        check({"analyses": [{"analysis": "features", "features": "q: matches (?:(?:(?:abc){200}){200}){120}"}]}, rated)
