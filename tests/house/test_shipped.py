"""What is promised of the task types that evalweb ships: an example, a docs page, a place on the patterns page.

A type that is not in this list needs none of it: a new one is its module, its template, its script and its test.
"""

import re
from collections import Counter
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from pytest_django.fixtures import Settings

from scripts import docs
from tasks_app import studyfile
from tasks_app.management.commands import demo
from tasks_app.manual import catalogue
from tasks_app.models import Item
from tasks_app.task_types import registry
from tests.shipped import TASK_TYPES as SHIPPED
from tests.shipped import only_shipped

ROOT = Path(settings.BASE_DIR)
DOCS = ROOT / "docs" / "task-types"

LEAST_ITEMS = 12

REWRITE = "run `make docs`"

every_shipped = pytest.mark.parametrize("name", SHIPPED)


@every_shipped
def test_it_is_there(name: str) -> None:
    assert name in registry, f"tasks_app/task_types/{name}.py is missing"


def test_make_docs_writes_the_pages_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    only_shipped(monkeypatch)
    written = dict(docs.pages())
    assert [page for page, text in written.items() if page.read_text(encoding="utf-8") != text] == [], REWRITE
    assert {page.name for page in written} >= {"likert.md", "study-file.md", "columns.md", "formats.md"}


def test_a_page_without_the_comments_of_its_reference_is_refused() -> None:
    page = f"Before.\n{docs.BEGINS}old\n{docs.ENDS}After.\n"
    assert docs.with_reference(page, "new\n") == f"Before.\n{docs.BEGINS}new\n\n{docs.ENDS}After.\n"
    for comment in (docs.BEGINS, docs.ENDS):
        with pytest.raises(ValueError, match=comment.strip()):
            docs.with_reference(page.replace(comment, ""), "new")


@every_shipped
@pytest.mark.django_db
def test_its_example_loads_and_has_items_enough(name: str, tmp_path: Path, settings: Settings) -> None:
    settings.MEDIA_ROOT = tmp_path
    folder = ROOT / "examples" / name
    assert (folder / "study.yaml").is_file(), f"examples/{name}/study.yaml is missing"
    study, loaded = studyfile.load_with_notes(folder, owner=None)
    assert loaded.counts["booklets"] >= 2 * demo.RATERS, "the demonstration leaves no place for whoever looks"
    assert study.slug == f"example-{name.replace('_', '-')}"
    assert name in set(study.tasks.values_list("type", flat=True)), "the example does not use the type"
    if registry[name].needs_items:
        assert Item.objects.filter(study=study).count() >= LEAST_ITEMS


@every_shipped
def test_its_docs_page_says_what_the_program_says(name: str) -> None:
    path = DOCS / f"{name}.md"
    assert path.is_file(), f"docs/task-types/{name}.md is missing: {REWRITE}"
    assert path.read_text(encoding="utf-8") == catalogue.page(registry[name]), f"docs/task-types/{name}.md: {REWRITE}"


@every_shipped
def test_the_index_of_the_docs_has_it(name: str) -> None:
    assert catalogue.index_row(registry[name]) in (DOCS / "README.md").read_text(encoding="utf-8").splitlines(), REWRITE


def test_the_readme_counts_them() -> None:
    words = ("Twelve", "Thirteen", "Fourteen", "Fifteen", "Sixteen", "Seventeen", "Eighteen", "Nineteen", "Twenty")
    heading = f"## {words[len(SHIPPED) - 12]} task types"
    assert heading in (ROOT / "README.md").read_text(encoding="utf-8").splitlines()


def test_every_link_of_the_docs_pages_leads_somewhere() -> None:
    for page in DOCS.glob("*.md"):
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert target.startswith("http") or (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_patterns_page_shows_each_with_its_simulated_answer() -> None:
    body = Client().get("/patterns/").content.decode()
    units = Counter(re.findall(r'href="/task-types/([a-z_]+)/"', body))
    assert {name: units[name] for name in SHIPPED} == dict.fromkeys(SHIPPED, 1)
    for name in SHIPPED:
        assert f'id="type-{name}"' in body
        assert not registry[name].has_styles or registry[name].styles in body
        assert registry[name].script in body
