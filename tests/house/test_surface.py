"""The modules that docs/extending.md shows begin with few imports, and do what the page says."""

import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from types import ModuleType
from typing import Any

import pytest
import yaml
from django.template import engines

from analytics_app import analyses
from analytics_app.analyses.base import Analysis
from analytics_app.show import labels
from analytics_app.stats.agreement.percent import percent_agreement
from tasks_app import task_types
from tasks_app.importing.columns import is_used
from tasks_app.importing.named import apart
from tasks_app.studyfile.explain import violations
from tasks_app.studyfile.schema import _schema_in, whole_schema
from tasks_app.task_types.base import Scale
from tests.house.test_analyses import TABLES, sample
from tests.house.test_extending import ROOT, of_the_docs
from tests.shipped import ANALYSES, BY_REGISTRY

PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
MODULES = {path: code for path, code in of_the_docs().items() if path.endswith(".py") and not path.startswith("tests/")}

# Frameworks and pure computation, which are not evalweb's to offer.
ELSEWHERE = {"numpy", "django", "analytics_app.stats"}


@pytest.mark.parametrize("path", list(MODULES))
def test_a_member_needs_ten_lines_of_imports_and_one_place_to_import_from(path: str) -> None:
    imports = [node for node in ast.parse(MODULES[path]).body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in imports) <= 10
    names = {
        name
        for node in imports
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names])
        if name.partition(".")[0] not in sys.stdlib_module_names
        and not any(f"{name}.".startswith(f"{package}.") for package in ELSEWHERE)
    }
    assert names == {path.rpartition("/")[0].replace("/", ".")}


@pytest.fixture
def members(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Register every member of the page until the test ends."""
    for registry, _names in BY_REGISTRY:
        monkeypatch.setattr(registry, "_members", dict(registry))
    for name in ("_analyses", "_statistics"):
        monkeypatch.setattr(labels, name, dict(getattr(labels, name)))
    for path, code in MODULES.items():
        module = ModuleType(path.removesuffix(".py").replace("/", "."))
        # Dataclasses and annotations look their module up by its name.
        monkeypatch.setitem(sys.modules, module.__name__, module)
        exec(code, vars(module))
    _schema_in.cache_clear()
    yield
    monkeypatch.undo()
    _schema_in.cache_clear()


@pytest.fixture
def bennett_s(members: None) -> type[Analysis]:
    """Return the coefficient of the page."""
    return analyses.registry["bennett_s"]


@pytest.mark.usefixtures("members")
def test_the_lines_of_a_study_file_on_the_page_use_its_members() -> None:
    lines = re.findall(r"`((?:analysis|channels|design|design_params): [^`\n]+)`", PAGE)
    assert len(lines) == 6
    for line in lines:
        given = yaml.safe_load(line)
        document = (
            given if {"analysis", "channels"} & given.keys() else {"tasks": [{"design": "plain_rounds", **given}]}
        )
        (section,) = document
        assert problems_of(document, section) == [], line
    wrong = {"analysis": {"rules": [{"rule": "only_ends", "share": 9}]}}
    assert problems_of(wrong, "analysis") == ["must be a number from 0.5 to 1; it is the number 9."]


def problems_of(document: dict[str, Any], section: str) -> list[str]:
    """Return the problems of what a section says; a section of the page is not the whole of it, so it lacks some."""
    found = violations(document, whole_schema())
    return [words for place, words, _about_key in found if place[0] == section and "is missing" not in words]


@pytest.mark.usefixtures("members")
def test_the_task_type_of_the_page_shows_the_text_that_is_judged() -> None:
    kind = task_types.registry["thumbs"]()
    criteria = (task_types.Criterion("fluency", "Fluency", question="How fluent is it?"),)
    screen = task_types.Screen(
        kind, (task_types.Part(0, "The train is late."),), criteria, source="Der Zug kommt spät."
    )
    template = engines["django"].from_string(of_the_docs()["templates/task_types/thumbs.html"])
    page = template.render({"screen": screen, "form": kind.form(screen), "media_base": ""})
    for words in ("Der Zug kommt spät.", "The train is late.", "How fluent is it?"):
        assert page.count(words) == 1, words


@pytest.mark.usefixtures("members")
def test_the_format_of_the_page_is_recognised_and_read() -> None:
    def line(**given: object) -> str:
        record = {"text": "The train is late.", "label": "USEFUL", "answer": "accept", "_input_hash": 1}
        return json.dumps({**record, "_annotator_id": "ann", **given})

    content = "\n".join([line(), line(answer="reject", _annotator_id="bob"), line(answer="ignore", _input_hash=2)])
    (sign,) = apart.recognise(BytesIO(content.encode()), name="useful.jsonl")
    assert (sign.format, sign.sure) == ("prodigy", "certain")
    converted = apart.convert(
        BytesIO(content.encode()), BytesIO(), name="useful.jsonl", format="prodigy", options={}, slug="useful"
    )
    assert [(row["rater"], row["label"]) for row in converted.samples] == [("ann", "accept"), ("bob", "reject")]
    assert converted.notes == ("Left out: ignored texts (1).",)


def test_the_coefficient_of_the_page_is_computed(bennett_s: type[Analysis]) -> None:
    given = sample(TABLES["usual"], Scale.ORDINAL, "bennett_s")
    (row,) = bennett_s().rows(given)
    agreed = percent_agreement(given.table.value, given.table.text).value
    assert agreed is not None
    # Five steps: those who guess agree on a fifth of the texts.
    assert row.value == pytest.approx((agreed - 1 / 5) / (1 - 1 / 5))
    (undefined,) = bennett_s().rows(sample(TABLES["nothing rated"], Scale.ORDINAL, "bennett_s"))
    assert (undefined.value, bool(undefined.note)) == (None, True)


def test_measures_of_agreement_are_those_that_analyses_declare(
    bennett_s: type[Analysis], monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = (
        "alpha", "fleiss_kappa", "gwet_ac1", "gwet_ac2", "cohen_kappa", "kendall_w", "icc", "percent_agreement",
        "bennett_s", "pearson",
    )  # fmt: skip
    ours = {"bennett_s": bennett_s, **{name: analyses.registry[name] for name in ANALYSES}}
    places = Counter(place for member in analyses.registry.values() for place in member.agreement.values())
    twice = sorted(place for place, n in places.items() if n > 1)
    assert twice == [], "Two statistics have these places in `agreement`: give the new one a number of its own."
    monkeypatch.setattr(analyses.registry, "_members", ours)
    assert analyses.measures_of_agreement() == shipped, "Add a statistic that evalweb ships to `shipped`, by its place."
    for member in analyses.registry.values():
        assert set(member.agreement) <= set(member.statistics), member.name


def test_a_column_whose_name_begins_as_one_that_is_not_used_is_not_used_either() -> None:
    assert {name: is_used(name) for name in ("document_title", "title_document")} == {
        "document_title": False, "title_document": True,
    }  # fmt: skip
