"""What docs/ratings-file.md promises in two minutes: its files and commands lead to its results."""

import csv
import re
import shlex
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command

PAGE = (Path(settings.BASE_DIR) / "docs" / "ratings-file.md").read_text(encoding="utf-8")
PART = PAGE.split("## In two minutes")[1].split("\n## ")[0]
FILES = ("paper/items.csv", "paper/study.yaml", "ratings.csv", "map.yaml")


@pytest.mark.django_db
def test_the_files_and_commands_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rosa: User) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "paper").mkdir()
    for name, text in zip(FILES, re.findall(r"```(?:csv|yaml)\n(.*?)```", PART, re.DOTALL), strict=True):
        assert f"`{name.rpartition('/')[2]}`" in PART or f"`{name}`" in PART
        Path(name).write_text(text, encoding="utf-8")
    # Other raters of the same texts.
    Path("more.csv").write_text("worker,segment,model,score\nw3,1,A,3\nw3,2,B,2\n", encoding="utf-8")
    (commands,) = re.findall(r"```sh\n(.*?)```", PART, re.DOTALL)
    for line in commands.replace("more.csv.gz", "more.csv").splitlines():
        words, _redirected, file = line.partition("#")[0].partition(" > ")
        output = ["--output", file.strip()] if file else []
        call_command(*shlex.split(words)[2:], *output, stdout=StringIO(), stderr=StringIO())
    with Path("results.csv").open(encoding="utf-8", newline="") as rows:
        means = {row["system"]: row["value"] for row in csv.DictReader(rows) if row["statistic"] == "mean"}
    assert means == {"A": "4.25", "B": str(5 / 3)}
