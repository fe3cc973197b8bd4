"""Attributes of systems come in with a table or study.yaml, split results, and leave with every export."""

import csv
import io
import json
import re
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
import yaml
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from analytics_app.exports.ratings import stream
from analytics_app.runs import start
from tasks_app import studyfile
from tasks_app.models import Rating, Study, System
from tests.analytics_app.test_analyse_file import analyse
from tests.tasks_app.api.conftest import script_of

pytestmark = pytest.mark.django_db

MODELS = {"A": ("7", "encoder", "machine"), "B": ("70", "decoder", "machine"), "H": ("", "", "human")}


def table() -> str:
    """Return ratings of three systems, of which one is human and has no size; each model writes worse than larger."""
    lines = ["who,item,system,text,score,model_size,architecture,system_kind"]
    for rater in ("ann", "bob", "cat"):
        for item in range(8):
            for system, (size, architecture, kind) in MODELS.items():
                score = {"A": 2, "B": 4, "H": 5}[system] - (rater == "ann" and item % 2)
                text = f"Text {item} of {system}."
                lines.append(f"{rater},i{item},{system},{text},{score},{size},{architecture},{kind}")
    return "\n".join(lines) + "\n"


def results(folder: Path, plan: str) -> list[dict[str, object]]:
    """Run a plan for the study; return the rows after the rules."""
    (folder / "plan.yaml").write_text(plan, encoding="utf-8")
    target = folder / "results.json"
    call_command("analyse", "sized", "--plan", str(folder / "plan.yaml"), "--json", str(target), stdout=StringIO())
    rows = json.loads(target.read_text(encoding="utf-8"))["rows"]
    return [row for row in rows if row["basis"] == "kept"]


def test_results_are_split_by_attributes_of_systems(tmp_path: Path) -> None:
    """Columns are found by their names; parts have the means that pandas finds, and only the systems of the part."""
    out = analyse(tmp_path, table(), name="sized.csv")
    assert "Results can be split by system_size, system_architecture, system_kind: name them" in out
    assert System.objects.get(key="B").attributes == {"size": "70", "architecture": "decoder"}
    assert System.objects.get(key="H").kind == "human"
    rows = results(
        tmp_path,
        "analyses:\n"
        "  - {analysis: systems, slices: [system_architecture, system_kind, 'system_size (10)']}\n"
        "  - {analysis: systems, where: system_size>=7, slices: [system_kind]}\n"
        "  - {analysis: krippendorff, where: system_kind!=human}\n",
    )
    frame = pd.read_csv(tmp_path / "sized.csv")
    means = {(row["slice"], row["system"]): row for row in rows if row["statistic"] == "mean" and row["system"]}
    of_part: dict[str, set[object]] = {}
    for (part, system), row in means.items():
        chosen = frame[frame.system == system]
        assert (row["value"], row["n_ratings"]) == (pytest.approx(chosen.score.mean(), abs=1e-12), len(chosen))
        of_part.setdefault(str(part), set()).add(system)
    assert of_part == {
        "None": {"A", "B", "H"},
        "system_architecture=encoder": {"A"}, "system_architecture=decoder": {"B"},
        "system_kind=machine": {"A", "B"}, "system_kind=human": {"H"},
        "system_size=up to 10": {"A"}, "system_size=over 10": {"B"},
        "system_size>=7": {"A", "B"}, "system_kind=machine; system_size>=7": {"A", "B"},
    }  # fmt: skip
    (alpha,) = (row for row in rows if row["statistic"] == "alpha" and row["slice"] == "system_kind!=human")
    assert alpha["n_ratings"] == len(frame[frame.system != "H"])


def test_a_comparison_counts_where_both_systems_belong_to_the_part(tmp_path: Path) -> None:
    lines = ["who,item,system,text,system_b,output_b,choice,model_size,system_b_size"]
    size = {"A": "small", "B": "small", "C": "large"}
    for item in range(6):
        for first, second in (("A", "B"), ("A", "C")):
            texts = f"{first},Text {item} of {first}.,{second},Text {item} of {second}."
            lines.append(f"ann,i{item},{texts},first,{size[first]},{size[second]}")
    mapping = (
        "columns: {rater: who, item: item, system: system, output: text, system_b: system_b, output_b: output_b, "
        "label: choice, system_size: model_size, system_b_size: system_b_size}\n"
    )
    analyse(tmp_path, "\n".join(lines) + "\n", mapping, "sized.csv")
    assert dict(System.objects.values_list("key", "attributes")) == {key: {"size": word} for key, word in size.items()}
    rows = results(tmp_path, "analyses:\n  - {analysis: pairwise, slices: [system_size]}\n")
    wins = {(row["slice"], row["system"], row["system_b"]): row["n_ratings"] for row in rows if row["system_b"]}
    assert {pair[1:] for pair in wins if pair[0] == "system_size=small"} == {("A", "B")}
    assert {pair[1:] for pair in wins if pair[0] is None} >= {("A", "B"), ("A", "C")}
    assert not any(pair[0] == "system_size=large" for pair in wins)


def test_attributes_leave_with_every_export_and_come_back(tmp_path: Path) -> None:
    analyse(tmp_path, table(), name="sized.csv")
    study = Study.objects.get()
    exported = b"".join(stream(study, format="csv"))
    (first, *rest) = csv.DictReader(io.StringIO(exported.decode()))
    assert list(first)[-2:] == ["system_architecture", "system_size"]
    by_system = {row["system"]: (row["system_size"], row["system_architecture"]) for row in (first, *rest)}
    assert by_system == {"A": ("7", "encoder"), "B": ("70", "decoder"), "H": ("", "")}
    lines = [json.loads(line) for line in b"".join(stream(study, format="jsonl")).splitlines()]
    assert {line["system"]: line["system_size"] for line in lines} == {"A": "7", "B": "70", "H": None}
    # The study file has them, a copy gets them from it, and the exported ratings are read as they are.
    studyfile.export(study, tmp_path / "copy")
    document = yaml.safe_load((tmp_path / "copy" / "study.yaml").read_text(encoding="utf-8"))
    assert [system.get("attributes") for system in document["systems"]] == [
        {"size": "7", "architecture": "encoder"}, {"size": "70", "architecture": "decoder"}, None,
    ]  # fmt: skip
    document["study"]["slug"] = "copy"
    (tmp_path / "copy" / "study.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    (tmp_path / "exported.csv").write_bytes(exported)
    copy = studyfile.load(tmp_path / "copy", owner=None)
    out = StringIO()
    call_command("import_ratings", "copy", str(tmp_path / "exported.csv"), stdout=out)
    assert "Not used: " in out.getvalue()
    assert "system_size" in out.getvalue()
    assert Rating.objects.filter(task__study=copy).count() == Rating.objects.filter(task__study=study).count()
    assert System.objects.get(study=copy, key="A").attributes == {"size": "7", "architecture": "encoder"}
    systems = script_of(User.objects.create_superuser("root"), copy).get("/api/v1/studies/copy/").json()["systems"]
    assert {system["key"]: system["attributes"] for system in systems}["B"] == {"size": "70", "architecture": "decoder"}


def test_a_plan_that_splits_by_what_no_system_has_is_refused_with_what_there_is(tmp_path: Path) -> None:
    analyse(tmp_path, table(), name="sized.csv")
    settings = {"analyses": [{"analysis": "systems", "slices": ["system_seize"]}]}
    sentence = (
        "No system of this study has an attribute “seize”; known are: system_architecture, system_kind, system_size."
    )
    with pytest.raises(ValueError, match=re.escape(sentence)):
        start.start(study=Study.objects.get(), by=None, settings=settings)


def test_rows_that_say_different_things_of_a_system_are_listed(tmp_path: Path) -> None:
    lines = table().splitlines()
    lines[4] = lines[4].replace(",7,", ",8,")
    (tmp_path / "sized.csv").write_text("\n".join(lines), encoding="utf-8")
    err = StringIO()
    with pytest.raises(CommandError):
        call_command("analyse_file", str(tmp_path / "sized.csv"), stdout=StringIO(), stderr=err)
    assert (
        err.getvalue()
        .splitlines()[0]
        .startswith("sized.csv:5:6: system_size: This row says something else about the same system than line 2.")
    )
    assert not Study.objects.exists()
