"""A field of the set-up form is declared by one line, as docs/extending.md shows; everything else follows from it."""

import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tasks_app import studyfile
from tasks_app.models import Setup
from tasks_app.settings import study as study_settings
from tasks_app.settings.study import Pay
from tasks_app.setup import changes
from tasks_app.setup.checking import make_study
from tasks_app.setup.page import SetupPage
from tasks_app.studyfile.reference import reference
from tasks_app.studyfile.schema import _schema_in, whole_schema
from tests.pages import fields_of
from tests.tasks_app.studyfile.kit import ITEMS, STUDY, problems_of, put

EXTENDING = (Path(settings.BASE_DIR) / "docs" / "extending.md").read_text(encoding="utf-8")


def forget() -> None:
    """Forget the schema and the settings that were made before there was the field, or with it."""
    _schema_in.cache_clear()
    study_settings._parsed.cache_clear()


@pytest.fixture(autouse=True)
def new_line(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Add the line of the docs to the class `Pay`, as if it stood there."""
    (line,) = re.findall(r"class `Pay`:\n\n```\n +(.+)\n```", EXTENDING)
    declared: dict[str, object] = {}
    exec(line, vars(study_settings).copy(), declared)
    for name, field in declared.items():
        monkeypatch.setattr(Pay, name, field, raising=False)
        monkeypatch.setitem(Pay.Settings.base_fields, name, field)
    forget()
    yield
    monkeypatch.undo()
    forget()


def test_schema_and_docs_have_it() -> None:
    declared = whole_schema()["properties"]["pay"]["properties"]["tip"]
    assert declared == {
        "type": "number", "minimum": 0, "title": "Tip", "description": "Paid to everybody, in addition.", "default": 0,
    }  # fmt: skip
    assert "| `tip` | a number of at least 0 | 0 | Tip. Paid to everybody, in addition. |" in reference().splitlines()


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("tip: -1", "study.yaml:12:8: pay.tip: must be a number of at least 0; it is the number -1."),
        ("tpi: 1", "study.yaml:12:3: pay.tpi: unknown name. Did you mean “tip”?"),
    ],
)
@pytest.mark.django_db
def test_a_study_file_is_told_about_it(tmp_path: Path, line: str, problem: str) -> None:
    text = STUDY.replace("  amount: 1.50\n", f"  amount: 1.50\n  {line}\n")
    assert problems_of(put(tmp_path / "study", study_yaml=text)) == [problem]


@pytest.mark.django_db
def test_the_form_asks_for_it_and_its_value_is_typed(tmp_path: Path, rosa: User, rosas_browser: Client) -> None:
    study = studyfile.load(put(tmp_path / "study", study_yaml=STUDY, items_csv=ITEMS), owner=rosa)
    assert study.options.tip == 0, "the initial value, of a study that was stored before"
    setup = changes.begin(study)
    control = next(one for one in SetupPage(setup, "consent").controls if one.path == ("pay", "tip"))
    assert (control.label, control.help, control.kind) == ("Tip", "Paid to everybody, in addition.", "number")
    path = reverse("researcher:step", args=[study.slug, "consent"])
    for value in ("-1", "0.50"):
        page = rosas_browser.get(path).content.decode()
        rosas_browser.post(path, {**fields_of(page, "setup-form"), "pay.tip": value})
        problems = SetupPage(Setup.objects.get(pk=setup.pk), "consent", is_checked=True).problems
        assert (("pay", "tip") in problems) == (value == "-1")
    made, _loaded = make_study(setup=Setup.objects.select_related("study").get(pk=setup.pk), by=rosa)
    tip = made.options.tip
    assert (tip, type(tip)) == (Decimal("0.50"), Decimal)
