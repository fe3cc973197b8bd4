"""A question asked twice in one judgment: the second answer enters no mean, no z and no agreement."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from tasks_app.models import Rating
from tests.house.examples import judged, load

pytestmark = pytest.mark.django_db


def test_repeated_pairs_are_left_out_of_the_figures(tmp_path: Path) -> None:
    study = judged(load("semantic_differential", tmp_path, "asked-again", params={"repeated_share": 0.5}), raters=2)
    again = Rating.objects.filter(rater__study=study, number=2)
    assert again.exists()
    firsts = Rating.objects.filter(rater__study=study, number=1, judgment__replaced_by=None)
    document = tmp_path / "results.json"
    call_command("analyse", study.slug, "--json", str(document), stdout=StringIO(), stderr=StringIO())
    rows = json.loads(document.read_text())["rows"]
    (collected,) = [
        row
        for row in rows
        if (row["analysis"], row["statistic"], row["criterion"], row["system"]) == ("funnel", "collected", None, None)
    ]
    assert collected["n_ratings"] == firsts.count()
    key = again.first().criterion.key
    values = list(firsts.filter(criterion__key=key, part__part_outputs__output__system__key__isnull=False).values_list(
        "part__part_outputs__output__system__key", "value"
    ))  # fmt: skip
    means = {row["system"]: row for row in rows if (row["statistic"], row["criterion"]) == ("mean", key)}
    for system, row in means.items():
        own = [value for name, value in values if name == system]
        assert row["n_ratings"] == len(own)
