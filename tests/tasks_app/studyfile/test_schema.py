"""The JSON Schema and the page about the study file follow from the declarations."""

from pathlib import Path

import pytest
import yaml
from django.db import models
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from tasks_app import designs, studyfile, task_types
from tasks_app.models import Criterion, Group, Study, System, Task
from tasks_app.settings.study import Block
from tasks_app.studyfile.columns import TABLES
from tasks_app.studyfile.declarations import LISTS, StudyBlock
from tasks_app.studyfile.fields import is_language
from tasks_app.studyfile.files.limits import Limits
from tasks_app.studyfile.reference import reference
from tests.shipped import only_shipped
from tests.tasks_app.studyfile.kit import STUDY

ROOT = Path(__file__).parents[3]


def test_the_schema_is_one_and_takes_the_examples() -> None:
    schema = studyfile.schema()
    Draft202012Validator.check_schema(schema)
    for path in sorted(ROOT.glob("examples/*/study.yaml")):
        Draft202012Validator(schema).validate(yaml.safe_load(path.read_text()))
    Draft202012Validator(schema).validate(yaml.safe_load(STUDY))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("points: 5", "points: 5\n      minimum: 0"),  # a slider's parameter
        ("points: 5", "points: 1"),
        ("type: likert", "type: nothing"),
        ("key: style", "key: my style"),
        ("k: 2", "k: 2\n    design: nothing"),
        ("k: 2", "k: 2\n    design_params: {x: 1}"),  # of the default design, which has none
        ("amount: 1.50", "amount: -1"),
        ("language: en", "language: 'no such language tag'"),
    ],
)
def test_the_schema_refuses_what_loading_refuses(old: str, new: str) -> None:
    validator = Draft202012Validator(studyfile.schema())
    validator.validate(yaml.safe_load(STUDY))
    with pytest.raises(ValidationError):
        validator.validate(yaml.safe_load(STUDY.replace(old, new)))


def test_every_type_and_design_has_its_condition() -> None:
    conditions = studyfile.schema()["properties"]["tasks"]["items"]["allOf"]
    chosen = {value["const"] for one in conditions for value in one["if"]["properties"].values()}
    assert chosen == {*task_types.registry, *designs.registry}


@pytest.mark.parametrize(
    ("form", "model"),
    [
        (StudyBlock, Study),
        (LISTS["criteria"], Criterion),
        (LISTS["systems"], System),
        (LISTS["groups"], Group),
        (LISTS["tasks"], Task),
    ],
)
def test_what_is_accepted_fits_its_column(form: type[Block], model: type[models.Model]) -> None:
    """No text is accepted that is longer than its column, and no default differs from the table's."""
    columns = {field.name: field for field in model._meta.get_fields() if isinstance(field, models.Field)}
    compared = [name for name in form.base_fields if name in columns]
    assert len(compared) >= 2
    for name in compared:
        field, column = form.base_fields[name], columns[name]
        if column.max_length is not None and getattr(field, "max_length", None) is not None:
            assert field.max_length <= column.max_length, name
        if column.has_default() and field.initial is not None and not callable(column.default):
            assert field.initial == column.default, name


def test_the_page_says_what_the_program_says(monkeypatch: pytest.MonkeyPatch) -> None:
    only_shipped(monkeypatch)
    page = (ROOT / "docs" / "study-file.md").read_text()
    between = page.split("<!-- reference begins -->\n")[1].split("\n<!-- reference ends -->")[0]
    assert between.strip() == reference().strip(), "docs/study-file.md: run `make docs`"
    for declared in TABLES:
        for column in declared.columns:
            assert f"| `{column.name}`" in between
    assert f"{Limits().rows:,}" in between


@pytest.mark.parametrize(
    "tag", ["en", "no", "pt-BR", "zh-Hant-TW", "sr-Latn", "de-CH-1996", "x-klingon"[2:], "es-419", "mul"]
)
def test_language_tags_are_known_by_their_shape(tag: str) -> None:
    assert is_language(tag)


@pytest.mark.parametrize("tag", ["", "e", "english please", "en_GB", "en-", "-en", "123", "en-GB\n", "a" * 36])
def test_what_is_no_language_tag_is_refused(tag: str) -> None:
    assert not is_language(tag)
