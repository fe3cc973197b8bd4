"""The registry of sections: another app's part of a study is checked, stored, frozen, copied and replaced with it."""

from collections.abc import Iterator
from graphlib import CycleError
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from tasks_app import studyfile
from tasks_app.hooks import sections
from tasks_app.hooks.sections import Json, Reading, Section
from tasks_app.models import Study
from tasks_app.services.study import lifecycle
from tests.tasks_app.studyfile.kit import STUDY, problems_of, put

kept: dict[str, Json] = {}
heard: list[tuple[str, object]] = []


class Rules(Section):
    name = "rules"
    after = ("items",)

    def schema(self) -> dict[str, Json]:
        return {"type": "array", "items": {"type": "string"}}

    def check(self, reading: Reading) -> Json:
        rules = reading.given("rules") or []
        for number, rule in enumerate(rules):
            if rule == "nonsense" and reading.sound(("rules", number)):
                reading.problem(("rules", number), "is nonsense.")
        reading.note(f"{len(rules)} rules")
        return rules

    def export(self, study: Study) -> Json:
        return kept.get(study.slug, [])

    def store(self, study: Study, rules: Json) -> None:
        kept[study.slug] = rules

    def freeze(self, study: Study, version: int) -> None:
        heard.append((study.slug, version))

    def erase(self, study: Study) -> None:
        heard.append((study.slug, kept.pop(study.slug)))


RULES = Rules()


@pytest.fixture(autouse=True)
def another_app() -> Iterator[None]:
    """Register the section of an app that keeps its rows elsewhere."""
    kept.clear()
    heard.clear()
    sections.register(RULES)
    yield
    sections.unregister("rules")


def test_sections_are_registered_once_and_in_order() -> None:
    before = sections.registered()
    studyfile.register_sections()
    sections.register(RULES)
    assert sections.registered() == before
    assert [one.name for one in before] == [
        "study", "about", "pay", "flow", "codes", "channels", "consent", "criteria", "groups", "tasks", "acceptance",
        "systems", "items", "controls", "prefill", "batches", "analysis", "rules",
    ]  # fmt: skip
    with pytest.raises(sections.SectionTaken, match="'rules'"):
        sections.register(Rules())


def test_sections_stand_behind_those_they_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def section(name: str, *after: str) -> tuple[str, Section]:
        return name, type(name, (Rules,), {"name": name, "after": after})()

    def order() -> list[str]:
        return [one.name for one in sections.registered()]

    own: dict[str, Section] = {}
    monkeypatch.setattr(sections, "_sections", own)
    own.update([section("last", "late"), section("first"), section("late", "second"), section("second")])
    assert order() == ["first", "second", "late", "last"]
    own.update([section("lonely", "nobody")])
    with pytest.raises(KeyError, match="nobody"):
        sections.registered()
    del own["lonely"]
    own.update([section("first", "last"), section("second", "first")])
    with pytest.raises(CycleError):
        sections.registered()


@pytest.mark.django_db
def test_another_apps_section_goes_the_whole_way(tmp_path: Path, rosa: User) -> None:
    folder = put(tmp_path / "study", study_yaml=STUDY + "rules: [burn_in, trust]\n")
    study, loaded = studyfile.load_with_notes(folder, owner=rosa)
    assert "2 rules" in loaded.notes
    assert sections.snapshot(study)["rules"] == ["burn_in", "trust"]
    studyfile.export(study, tmp_path / "copy")
    studyfile.load(tmp_path / "copy", owner=rosa, replace=True)
    assert heard == [("fluency", ["burn_in", "trust"])]
    assert kept == {"fluency": ["burn_in", "trust"]}
    lifecycle.move(study_id=study.pk, action="open", by=rosa)
    assert heard[1:] == [("fluency", 1)]
    assert study.versions.get().document["rules"] == ["burn_in", "trust"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("[burn_in, nonsense]", "study.yaml:32:18: rules[1]: is nonsense."),
        ("[burn_in, 3]", "study.yaml:32:18: rules[1]: must be text; it is the number 3. Put it in quotes."),
    ],
)
def test_another_apps_problems_have_their_place(tmp_path: Path, rules: str, expected: str) -> None:
    assert problems_of(put(tmp_path / "study", study_yaml=f"{STUDY}rules: {rules}\n")) == [expected]
    assert not kept


def test_digests_do_not_depend_on_the_order_of_keys() -> None:
    assert sections.digest({"a": 1, "b": [1, 2]}) == sections.digest({"b": [1, 2], "a": 1})
    assert sections.digest({"a": 1}) != sections.digest({"a": 2})
    with pytest.raises(ValueError, match="Out of range"):
        sections.digest({"a": float("nan")})
