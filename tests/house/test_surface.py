"""The modules that docs/extending.md shows begin with few imports, and its coefficient of agreement is computed."""

import ast
import sys
from types import ModuleType

import pytest

from analytics_app import analyses
from analytics_app.analyses.base import Analysis
from analytics_app.show import labels
from analytics_app.stats.agreement.percent import percent_agreement
from tasks_app.importing.columns import is_used
from tasks_app.task_types.base import Scale
from tests.house.test_analyses import TABLES, sample
from tests.house.test_extending import of_the_docs

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
def bennett_s(monkeypatch: pytest.MonkeyPatch) -> type[Analysis]:
    """Register the coefficient of the page until the test ends."""
    monkeypatch.setattr(analyses.registry, "_members", dict(analyses.registry))
    for name in ("_analyses", "_statistics"):
        monkeypatch.setattr(labels, name, dict(getattr(labels, name)))
    module = ModuleType("analytics_app.analyses.bennett_s")
    exec(MODULES["analytics_app/analyses/bennett_s.py"], vars(module))
    return analyses.registry["bennett_s"]


def test_the_coefficient_of_the_page_is_computed(bennett_s: type[Analysis]) -> None:
    given = sample(TABLES["usual"], Scale.ORDINAL, "bennett_s")
    (row,) = bennett_s().rows(given)
    agreed = percent_agreement(given.table.value, given.table.text).value
    assert agreed is not None
    # Five steps: those who guess agree on a fifth of the texts.
    assert row.value == pytest.approx((agreed - 1 / 5) / (1 - 1 / 5))
    (undefined,) = bennett_s().rows(sample(TABLES["nothing rated"], Scale.ORDINAL, "bennett_s"))
    assert (undefined.value, bool(undefined.note)) == (None, True)


def test_measures_of_agreement_are_those_that_analyses_declare(bennett_s: type[Analysis]) -> None:
    shipped = (
        "alpha", "fleiss_kappa", "gwet_ac1", "gwet_ac2", "cohen_kappa", "kendall_w", "icc", "percent_agreement",
        "bennett_s", "pearson",
    )  # fmt: skip
    assert analyses.measures_of_agreement() == shipped
    places = [place for member in analyses.registry.values() for place in member.agreement.values()]
    assert len(set(places)) == len(places) == len(shipped)
    for member in analyses.registry.values():
        assert set(member.agreement) <= set(member.statistics), member.name


def test_a_column_whose_name_begins_as_one_that_is_not_used_is_not_used_either() -> None:
    assert {name: is_used(name) for name in ("document_title", "title_document")} == {
        "document_title": False, "title_document": True,
    }  # fmt: skip
