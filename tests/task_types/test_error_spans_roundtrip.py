"""Error spans there and back: simulated raters, exported, imported into a copy of the study, exported again."""

import csv
import io
import shutil
from pathlib import Path

import pytest
import yaml
from django.core.management import call_command

from evalweb.local_services.folder import BASE_DIR
from tasks_app.models import Study
from tests.about import ABOUT, AS_IT_IS
from tests.published.kit import judged

KEPT = (
    *("unit", "rater", "item", "system", "criterion", "value", "label", "text", "span_side", "span_start"),
    *("span_end", "category", "severity"),
)


def load(folder: Path, slug: str, params: dict[str, object]) -> None:
    """Load and open the example under another name."""
    shutil.copytree(BASE_DIR / "examples" / "error_spans", folder)
    study = yaml.safe_load((folder / "study.yaml").read_text(encoding="utf-8"))
    study["study"]["slug"] = slug
    study["about"] |= ABOUT
    study.setdefault("flow", {})["enrolments_per_address"] = 1000
    study["tasks"][0]["params"].update(params)
    (folder / "study.yaml").write_text(yaml.safe_dump(study, allow_unicode=True), encoding="utf-8")
    call_command("load_study", str(folder), "--owner", "rosa", stdout=io.StringIO())
    call_command("move_study", slug, "open", *AS_IT_IS, stdout=io.StringIO())


def exported(slug: str, to: Path) -> list[tuple[str, ...]]:
    """Export the ratings of a study; return what must not change."""
    call_command("export", slug, "--checks", "--output", str(to), stdout=io.StringIO())
    with to.open(encoding="utf-8", newline="") as lines:
        return sorted(tuple(row[name] for name in KEPT) for row in csv.DictReader(lines))


@pytest.mark.django_db
@pytest.mark.parametrize("params", [{}, {"scheme": "mqm"}], ids=["esa", "mqm"])
def test_nothing_changes_on_the_way(django_user_model: type, tmp_path: Path, params: dict[str, object]) -> None:
    django_user_model.objects.create_superuser("rosa")
    load(tmp_path / "one", "one", params)
    judged(Study.objects.get(slug="one"), lambda _number, _rng: None, 2, by_pages=0)
    first = exported("one", tmp_path / "one.csv")
    marked = [row for row in first if row[KEPT.index("span_side")]]
    assert len(marked) > 20
    # Who found no error and gave no score has a row all the same.
    assert any(row[KEPT.index("label")] == "none" for row in first) == bool(params)
    load(tmp_path / "two", "two", params)
    call_command("import_ratings", "two", str(tmp_path / "one.csv"), stdout=io.StringIO())
    assert exported("two", tmp_path / "two.csv") == first
