"""Small studies by the commands a user has: described, loaded, ratings imported, analysed."""

import csv
import json
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import yaml
from django.core.management import call_command

from tasks_app.models import Study
from tests.analytics_app.complete import missing_settings

Rows = Sequence[Mapping[str, object]]


def write(path: Path, rows: Rows) -> Path:
    """Write a table whose columns are all that occur."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path


def set_aside() -> None:
    """Give another name to the study of a module, in a test that makes its own."""
    Study.objects.filter(slug="small").update(slug="of-the-module")


def load(folder: Path, task: Mapping[str, object], items: Rows, ratings: Rows, **more: object) -> str:
    """Load a study of one task with its items and ratings, and return its slug."""
    set_aside()
    about = {"slug": "small", "title": "Small", "public_title": "Small", "language": "en", "seed": 7}
    task = {"key": "main", "keep_identical": True, "spacing": 1, "set_size": 1, **task}
    document = {"evalweb": 1, "study": about, "about": {"institution": "As published"}, "tasks": [task], **more}
    (folder / "study.yaml").write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    if items:
        write(folder / "items.csv", items)
    call_command("load_study", str(folder), stdout=StringIO())
    call_command("import_ratings", "small", str(write(folder / "ratings.csv", ratings)), stdout=StringIO())
    return "small"


def score(path: Path, *metrics: str) -> None:
    """Import these columns of a file as scores of metrics."""
    call_command("import_scores", "small", str(path), metrics=",".join(metrics), stdout=StringIO())


def analysed(folder: Path, *analyses: Mapping[str, object], **settings: object) -> list[dict[str, Any]]:
    """Analyse the study by these analyses and return the rows of its results document."""
    plan = {"n_resamples": 100, "n_permutations": 99, "analyses": [dict(one) for one in analyses], **settings}
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan), encoding="utf-8")
    out = folder / "results.json"
    said = {"json": str(out), "plan": str(folder / "plan.yaml"), "stdout": StringIO(), "stderr": StringIO()}
    call_command("analyse", "small", **said)
    rows: list[dict[str, Any]] = json.loads(out.read_text())["rows"]
    assert not {row["statistic"]: lack for row in rows if (lack := missing_settings(row))}
    return rows


def one(rows: Sequence[Mapping[str, Any]], statistic: str, **columns: object) -> Mapping[str, Any]:
    """Return the one row of a statistic with these columns; those that are not given are null."""
    about = ("criterion", "system", "system_b", "label", "rater", "group", "wave", "slice", "metric", "metric_b")
    wanted = {name: columns.get(name) for name in about} | {"basis": columns.get("basis", "kept")}
    found = [row for row in rows if row["statistic"] == statistic and all(row[k] == v for k, v in wanted.items())]
    assert len(found) == 1, f"{len(found)} rows of {statistic} {columns}"
    return found[0]
