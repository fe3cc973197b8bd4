"""Features of outputs before anything is judged: counted by system on a page and in a file."""

import csv
import io
from contextlib import suppress

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from analytics_app.analyses.features.rules import read_features
from analytics_app.models import Plan
from analytics_app.selectors import coverage
from tasks_app.models import Item, Membership, Output, PartOutput, Study
from tasks_app.texts import patterns
from tests.analytics_app.views.reading import page, table, text
from tests.builders import build_study

pytestmark = pytest.mark.django_db

ITEMS = "/admin/studies/hidden-slug/items/"
PATH = f"{ITEMS}features/"
EVEN = "even: matches Text [02468]"


@pytest.fixture
def draft(rosa: User) -> Study:
    """A draft of eight items and two systems, with two more items that have known answers."""
    return build_study(rosa, items=8, opened=False, checks={"controls": 1}, known={"control": 2})


BOMB = "q: matches (?:(?:(?:abc){200}){200}){120}"


def counted(browser: Client, features: str, status: int = 200) -> str:
    answer = browser.post(PATH, {"features": features, "groups": "3"})
    assert answer.status_code == status
    return answer.content.decode()


def test_outputs_of_a_draft_are_counted_by_system(draft: Study, rosas_browser: Client) -> None:
    """Items with known answers are not among them: nobody compares systems by these."""
    assert PATH in page(rosas_browser, ITEMS)
    html = counted(rosas_browser, f"{EVEN}\nlength (3): words")
    assert table(html, "Outputs with each value") == [
        {"Feature": "even", "Value": "no", "Items": "4", "alpha-mt": "4", "beta-mt": "4"},
        {"Feature": "even", "Value": "yes", "Items": "4", "alpha-mt": "4", "beta-mt": "4"},
        {"Feature": "length", "Value": "up to 3", "Items": "0", "alpha-mt": "0", "beta-mt": "0"},
        {"Feature": "length", "Value": "over 3", "Items": "8", "alpha-mt": "8", "beta-mt": "8"},
    ]
    few = "Fewer than 5 outputs of some system have these values, too few to compare systems by them: "
    assert f"{few}even: no, even: yes, length: up to 3." in text(html)
    # Three texts with each value, for whoever tries a rule.
    assert "Examples of texts with each value" in text(html)
    assert html.count('<p class="ew-text"') == 3 * 3


def test_an_address_makes_nobody_compile_a_pattern(
    draft: Study, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Viewers see the saved features; editors try others by POST, within the bounds of patterns."""
    assert "even" in counted(rosas_browser, EVEN)
    assert "too large: its repeats make more than 20,000 steps" in text(counted(rosas_browser, BOMB, status=422))
    monkeypatch.setattr(patterns, "check", lambda pattern: pytest.fail(f"a GET compiles {pattern}"))
    Membership.objects.filter(study=draft).update(role=Membership.Role.VIEWER)
    for address in (PATH, f"{ITEMS}features.csv"):
        answer = rosas_browser.get(address, {"features": EVEN, "groups": "3"})
        assert answer.status_code == 200
        assert EVEN not in answer.content.decode()
        assert rosas_browser.post(address, {"features": EVEN, "groups": "3"}).status_code == 404
    html = page(rosas_browser, PATH)
    assert "length: words" in text(html)
    assert "<textarea" not in html


def test_the_features_of_the_plan_come_first_then_those_of_items(draft: Study, rosas_browser: Client) -> None:
    assert "length: words</textarea>" in page(rosas_browser, PATH)
    Item.objects.filter(key__in=["i0", "i1", "i2"]).update(features={"domain": "أخبار"})
    Item.objects.filter(key__in=["i3", "i4", "i5", "i6"]).update(features={"domain": "<b>law</b>"})
    html = page(rosas_browser, PATH)
    assert "domain</textarea>" in html
    assert "<b>law</b>" not in html
    assert [(line["Value"], line["Items"]) for line in table(html, "Outputs with each value")] == [
        ("<b>law</b>", "4"),
        ("أخبار", "3"),
    ]
    assert "“domain”: 2 of 16 outputs have no value." in text(html)
    plan = {"analyses": [{"analysis": "features", "features": EVEN, "groups": 2}]}
    Plan.objects.create(study=draft, version=1, document=plan)
    html = page(rosas_browser, PATH)
    assert f"{EVEN}</textarea>" in html
    assert "The features are those of the analysis plan" in text(html)


def test_the_file_has_a_row_for_each_value_and_system(draft: Study, rosas_browser: Client) -> None:
    Item.objects.filter(key__in=["i0", "i1"]).update(features={"domain": "=1+1"})
    saved = rosas_browser.get(f"{ITEMS}features.csv")
    assert saved["Content-Disposition"] == 'attachment; filename="hidden-slug-features.csv"'
    tried = rosas_browser.post(f"{ITEMS}features.csv", {"features": "domain", "groups": "3"})
    assert tried.content == saved.content
    assert list(csv.DictReader(io.StringIO(saved.content.decode()))) == [
        {"task": "main", "feature": "domain", "value": "'=1+1", "system": system, "items": "2", "outputs": "2"}
        for system in ("alpha-mt", "beta-mt")
    ]


def test_what_cannot_be_counted_is_said(draft: Study, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    html = counted(rosas_browser, f"{EVEN}\nn: wrods", status=422)
    assert "Line 2, column 4: There is no rule “wrods”" in text(html)
    assert rosas_browser.post(f"{ITEMS}features.csv", {"features": "n: wrods"}).status_code == 404
    assert counted(rosas_browser, "", status=422)
    assert "“topic”" in text(counted(rosas_browser, "topic"))
    monkeypatch.setattr(coverage, "PATTERN_SECONDS", 0.05)
    Output.objects.update(text="a" * 60 + "!")
    assert "takes longer than" in text(counted(rosas_browser, r"x: matches ^(\w|\w\w)+\d$"))
    monkeypatch.setattr(coverage, "MOST_OUTPUTS", 15)
    html = counted(rosas_browser, EVEN)
    assert "more than" in text(html)
    assert "<table" not in html
    assert rosas_browser.post(f"{ITEMS}features.csv", {"features": EVEN}).status_code == 404


def test_no_texts_are_read_of_more_outputs_than_the_page_counts(draft: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of a large study would all be sorted; `reads` are the statements that ask for them."""

    def reads() -> int:
        with CaptureQueriesContext(connection) as captured, suppress(coverage.TooManyOutputs):
            coverage.coverage_of(draft, read_features(EVEN), 3)
        return sum("o.text" in query["sql"] for query in captured)

    for most, expected in ((15, 0), (16, 1)):
        monkeypatch.setattr(coverage, "MOST_OUTPUTS", most)
        assert reads() == expected
    # Two variants with the same text are shown as one output.
    shown = Output.objects.filter(item__key="i0").earliest("pk")
    variant = Output.objects.create(
        item=shown.item, system=shown.system, variant="again", text=shown.text, digest=shown.digest
    )
    PartOutput.objects.create(part=shown.part_outputs.get().part, output=variant)
    assert reads() == 1
