"""What follows from a change: a platform brings codes, and the first check of a kind the rule that uses it."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tasks_app import task_types
from tasks_app.hooks.sections import Json, Path
from tasks_app.models import Setup
from tasks_app.settings.study import Codes
from tasks_app.setup import changes, starting
from tasks_app.setup.starting import Names

pytestmark = pytest.mark.django_db

OUTCOMES = list(Codes.Settings.base_fields)


@pytest.fixture
def empty(rosa: User) -> Setup:
    """The set-up of a new Likert study."""
    study = starting.from_type(owner=rosa, member=task_types.registry["likert"], names=Names("Following", "Texts"))
    return Setup.objects.select_related("study").get(study=study)


def put(setup: Setup, by: User, *path: str | int, to: Json) -> Setup:
    place: Path = path
    changed = changes.change(setup=setup, values={place: to}, base=setup.revision, by=by)
    return changed.setup


def known(n: int, purpose: str) -> list[dict[str, str]]:
    return [{"unit": f"i{number}", "purpose": purpose, "kind": "exact", "answer": "4"} for number in range(n)]


def rules(setup: Setup) -> list[str]:
    setup.refresh_from_db()
    return [rule["rule"] for rule in setup.given.get("analysis", {}).get("rules", [])]


def test_a_platform_brings_a_code_for_each_outcome(empty: Setup, rosa: User) -> None:
    setup = put(empty, rosa, "channels", to={"link": {}, "prolific": {}})
    codes = setup.given["codes"]
    assert sorted(codes) == sorted(OUTCOMES)
    assert len(set(codes.values())) == len(OUTCOMES)
    assert all(code.isalnum() and len(code) == 8 for code in codes.values())
    # A code that was taken away stays away, and a change elsewhere draws none.
    setup = put(setup, rosa, "codes", "closed", to=None)
    setup = put(setup, rosa, "study", "public_title", to="Other texts")
    assert "closed" not in setup.given["codes"]


def test_codes_that_were_there_stay_and_other_channels_bring_none(empty: Setup, rosa: User) -> None:
    setup = put(empty, rosa, "channels", to={"link": {}, "invited": {}})
    assert "codes" not in setup.given
    setup = put(setup, rosa, "codes", to={"completed": "MINE"})
    setup = put(setup, rosa, "channels", to={"prolific": {}})
    assert setup.given["codes"]["completed"] == "MINE"


def test_codes_are_taken_back_with_the_platform(empty: Setup, rosa: User) -> None:
    setup = put(empty, rosa, "channels", to={"prolific": {}})
    changes.undo(setup=setup, by=rosa)
    setup.refresh_from_db()
    assert setup.given["channels"] == {"link": {}}
    assert not any(setup.given["codes"].values())


@pytest.mark.parametrize(("setting", "rule"), [("repeats", "inconsistency"), ("degraded", "control_accuracy")])
def test_a_number_of_checks_brings_its_rule(empty: Setup, rosa: User, setting: str, rule: str) -> None:
    setup = put(empty, rosa, "tasks", 0, "checks", to={setting: 2})
    assert rules(setup) == ["manual", rule]
    # A rule that was removed stays removed while the number of checks changes.
    setup = put(setup, rosa, "analysis", "rules", to=[{"rule": "manual"}])
    setup = put(setup, rosa, "tasks", 0, "checks", setting, to=3)
    assert rules(setup) == ["manual"]


@pytest.mark.parametrize("purpose", ["attention", "control"])
def test_the_first_known_answers_bring_the_rule_that_uses_them(empty: Setup, rosa: User, purpose: str) -> None:
    changes.replace_table(setup=empty, table="controls", rows=known(2, "training"), by=rosa)
    assert rules(empty) == ["manual"], "practice is no check"
    changes.replace_table(setup=empty, table="controls", rows=known(3, purpose), by=rosa)
    assert rules(empty) == ["manual", "control_accuracy"]
    assert empty.given["analysis"]["rules"][1]["least"] == 1, "one check is enough to count"


def test_a_rule_that_is_there_is_not_added_again(empty: Setup, rosa: User) -> None:
    mine = [{"rule": "control_accuracy", "share": 0.9}]
    setup = put(empty, rosa, "analysis", to={"rules": mine})
    changes.replace_table(setup=setup, table="controls", rows=known(3, "attention"), by=rosa)
    setup.refresh_from_db()
    assert setup.given["analysis"]["rules"] == mine


def test_missing_codes_are_drawn_on_review(empty: Setup, rosa: User, rosas_browser: Client) -> None:
    path = f"/admin/studies/{empty.study.slug}/set-up/review/"
    setup = put(empty, rosa, "channels", to={"prolific": {}})
    setup = put(setup, rosa, "codes", to=None)
    rows = [{"item": f"i{n}", "system": system, "output": "Some words."} for n in range(8) for system in "ab"]
    changes.replace_table(setup=setup, table="items", rows=rows, by=rosa)
    page = rosas_browser.get(path).content.decode()
    assert "Prolific needs a completion code" in page
    assert "Draw the missing codes" in page
    page = rosas_browser.post(path, {"do": "codes"}, follow=True).content.decode()
    setup.refresh_from_db()
    assert sorted(setup.given["codes"]) == sorted(OUTCOMES)
    assert "Draw the missing codes" not in page
