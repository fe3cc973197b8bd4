"""Composite scores: how they are declared and refused, what they are, and what is computed from them."""

from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.test import Client
from statsmodels.stats.proportion import proportion_confint

from analytics_app import charts
from analytics_app.models import ResultRow, Run
from analytics_app.plan import BadPlan, complete
from analytics_app.ratings.composites import Composite, read_composites
from analytics_app.results import Row
from analytics_app.show.findings import FindingQuestion, findings_beside
from analytics_app.show.shown import tables_for
from analytics_app.stats.metrics.composite import combined, passed
from tasks_app.models import Membership, Study
from tests.analytics_app.builders import are_rendered
from tests.analytics_app.by_commands import Rows, analysed, load, one, score, write
from tests.analytics_app.views.test_runs import form
from tests.once import ModuleRows

RNG = np.random.default_rng(5)
SYSTEMS, N_ITEMS = ("A", "B", "C"), 24
NEWSPAPER = np.round(RNG.uniform(0, 1, (N_ITEMS, 3)) * [1.0, 0.75, 0.45], 3)
MATCHES = (RNG.uniform(0, 1, (N_ITEMS, 3)) < [0.95, 0.85, 0.6]).astype(float)
HUMAN = np.round(np.clip(60 * NEWSPAPER + 25 * MATCHES + RNG.normal(0, 8, (N_ITEMS, 3)), 0, 100))
# One score of one part is missing.
HOLE = (3, 1)
COMPLIANT = np.where((NEWSPAPER >= 0.4) & (MATCHES == 1), 1.0, 0.0)
COMPLIANT[HOLE] = np.nan

PLAN = "compliant: all of newspaper >= 0.4, matches = 1\njoint: product of newspaper, matches"


def cells(**columns: Any) -> list[dict[str, object]]:
    return [
        {
            "item": f"i{i:02}",
            "system": system,
            **{name: "" if np.isnan(matrix[i, s]) else float(matrix[i, s]) for name, matrix in columns.items()},
        }
        for i in range(N_ITEMS)
        for s, system in enumerate(SYSTEMS)
    ]


def test_a_line_says_name_way_and_parts() -> None:
    given = 'a b: share of "BLEU, 4" ≥ 0.5 , COMET-22<=-1.5,classifier == 2'
    read = Composite.read(given)
    assert (read.name, read.how) == ("a b", "share")
    assert [(part.metric, part.sign, part.limit) for part in read.parts] == [
        ("BLEU, 4", ">=", 0.5),
        ("COMET-22", "<=", -1.5),
        ("classifier", "=", 2.0),
    ]
    assert str(read) == 'a b: share of "BLEU, 4" >= 0.5, COMET-22 <= -1.5, classifier = 2'
    assert Composite.read(str(read)) == read
    after = read_composites("both: all of ok, b >= 1\n\nok: any of x = 1, y = 1")
    assert [composite.name for composite in after] == ["ok", "both"]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("compliant", "Line 1, column 1: Write a name, a colon and the parts"),
        ("ok: all of", "Line 1, column 8: “ok” has no parts."),
        ("ok: all", "Line 1, column 8: “ok” has no parts."),
        ("ok: best of a", "Line 1, column 5: “best” is no way to combine scores."),
        ("ok: all of a", "Line 1, column 12: With “all of”, say when “a” is passed"),
        ("ok: mean of a, ", "Line 1, column 14: After “a” comes a comma and the next part"),
        ("ok: mean of a b >= 1 c", "Line 1, column 21: After “a b >= 1” comes a comma"),
        ("ok: mean of , a", "Line 1, column 13: The name of a score is missing here."),
        ("ok: mean of a >= high", "Line 1, column 13: “high” is no number."),
        ("ok: mean of a, a", "Line 1, column 16: “a” is a part twice."),
        ("ok: mean of a\nok: mean of b", "Line 2, column 1: “ok” is declared twice."),
        ("x: mean of y, a\ny: mean of x, a", "Line 1, column 1: This score is a part of itself: x → y → x."),
        ("x: mean of x", "Line 1, column 1: This score is a part of itself: x → x."),
    ],
)
def test_what_declares_nothing_is_refused_with_its_place(line: str, problem: str) -> None:
    with pytest.raises(ValidationError) as found:
        read_composites(line)
    assert [said for said in found.value.messages if said.startswith(problem)], found.value.messages
    with pytest.raises(BadPlan, match="composites"):
        complete({"composites": line}, criteria=(), systems=())


def test_a_plan_writes_composites_in_one_way() -> None:
    document = complete({"composites": "\nc:mean of  b,a>=2 \n"}, criteria=(), systems=())
    assert document["composites"] == "c: mean of b, a >= 2"
    assert complete({}, criteria=(), systems=())["composites"] == ""


def test_parts_combine() -> None:
    parts = [[1, 1, 0, 0, np.nan], [1, 0, 1, 0, 1]]
    expected = {"all": [1, 0, 0, 0], "any": [1, 1, 1, 0], "share": [1, 0.5, 0.5, 0], "product": [1, 0, 0, 0]}
    for how, values in expected.items():
        np.testing.assert_array_equal(combined(parts, how), [*values, np.nan])
    assert passed([0.1 + 0.2, 0.31], "=", 0.3).tolist() == [1, 0]
    with pytest.raises(ValueError, match="passed"):
        combined([[0.5]], "all")
    with pytest.raises(ValueError, match="one part at least"):
        combined(np.empty((0, 3)), "mean")


@pytest.fixture(scope="module")
def study_once(module_db: ModuleRows, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Load the study of a module."""
    folder = tmp_path_factory.mktemp("study")
    items: Rows = [{**row, "output": f"text of {row['system']} for {row['item']}", "source": "s"} for row in cells()]
    ratings: Rows = [{"rater": rater, **row} for rater in ("r1", "r2") for row in cells(value=HUMAN)]
    task = {"type": "slider", "criteria": ["quality"], "params": {"minimum": 0, "maximum": 100}, "k": 2}
    criterion = {"key": "quality", "name": "Quality", "question": "How good?", "low": "bad", "high": "good"}
    load(folder, task, items, ratings, criteria=[criterion])
    matches = MATCHES.copy()
    matches[HOLE] = np.nan
    score(write(folder / "scores.csv", cells(newspaper=NEWSPAPER, matches=matches)), "newspaper", "matches")
    return folder


@pytest.fixture
def study(study_once: Path, db: None) -> Path:
    """A study of sliders whose texts have the scores of two classifiers, one of which is missing once."""
    return study_once


@pytest.mark.django_db
def test_a_composite_is_a_score_like_others(study: Path) -> None:
    rows = analysed(study, {"analysis": "metrics"}, composites=PLAN)
    about = {"criterion": "quality", "metric": "compliant"}
    for code, system in enumerate(SYSTEMS):
        column = COMPLIANT[:, code]
        known = column[~np.isnan(column)]
        share = one(rows, "metric_mean", system=system, **about)
        low, high = proportion_confint(known.sum(), len(known), method="wilson")
        assert (share["value"], share["low"], share["high"]) == pytest.approx((known.mean(), low, high))
        assert share["n_items"] == len(known)
        assert share["settings"]["composite"] == "all of newspaper >= 0.4, matches = 1"
        lacking = share["note"] and "1 rated text has scores of some parts of “compliant” only" in share["note"]
        assert bool(lacking) is (system == "B")
    there = ~np.isnan(COMPLIANT)
    texts = one(rows, "metric_pearson_texts", **about)
    # Of a score that is 1 or 0, Pearson's is the point-biserial correlation.
    expected = scipy.stats.pointbiserialr(COMPLIANT[there], HUMAN[there]).statistic
    assert texts["value"] == pytest.approx(expected)
    assert texts["n_ratings"] == there.sum() == 71
    rated = np.where(there, HUMAN, np.nan)
    systems = one(rows, "metric_pearson_systems", **about)["value"]
    means = np.nanmean(rated, axis=0), np.nanmean(COMPLIANT, axis=0)
    assert systems == pytest.approx(scipy.stats.pearsonr(*means).statistic)


@pytest.mark.django_db
def test_systems_are_compared_by_composites(study: Path) -> None:
    rows = analysed(study, {"analysis": "metrics"}, composites=PLAN, n_permutations=9999)
    assert {row["metric"] for row in rows if row["statistic"] == "metric_difference"} == {"compliant", "joint"}
    pair = one(rows, "metric_difference", criterion="quality", metric="compliant", system="A", system_b="B")
    apart = COMPLIANT[:, 0] - COMPLIANT[:, 1]
    apart = apart[~np.isnan(apart)]
    assert (pair["value"], pair["n_items"]) == (pytest.approx(apart.mean()), len(apart))
    # Sign flips of differences that are 1, 0 or -1 are McNemar's exact test.
    won, lost = int((apart == 1).sum()), int((apart == -1).sum())
    assert pair["p"] == pytest.approx(scipy.stats.binomtest(won, won + lost).pvalue, abs=0.02)
    joint = one(rows, "metric_mean", criterion="quality", metric="joint", system="A")
    assert joint["value"] == pytest.approx((NEWSPAPER * MATCHES)[:, 0].mean())
    everything = analysed(study, {"analysis": "metrics", "compare_systems": "all"}, composites=PLAN)
    compared = {row["metric"] for row in everything if row["statistic"] == "metric_difference"}
    assert compared == {"compliant", "joint", "matches", "newspaper"}


@pytest.mark.django_db
def test_what_cannot_be_computed_says_why(study: Path) -> None:
    plan = "x: mean of nonesuch, newspaper\ny: mean of x, newspaper\nmatches: all of newspaper >= 1"
    rows = analysed(study, {"analysis": "metrics"}, composites=plan)
    notes = {row["metric"]: row["note"] for row in rows if row["statistic"] == "metric_mean" and not row["system"]}
    assert notes == {
        "x": "Not computed: no scores of “nonesuch” were imported. Imported are: matches, newspaper.",
        "y": "Not computed, since “x” could not be computed.",
        "matches": "There are imported scores of the same name, so this composite is left out. Give it another name.",
    }
    problems = StringIO()
    (study / "bad.yaml").write_text("composites: 'x: mean of x'\n")
    with pytest.raises(CommandError, match="part of itself"):
        call_command("analyse", "small", plan=str(study / "bad.yaml"), stdout=problems, stderr=problems)


@pytest.mark.django_db
def test_tables_chart_and_finding(study: Path) -> None:
    plan = PLAN.partition("\n")[0]
    rows = analysed(study, {"analysis": "metrics"}, composites=plan, n_permutations=9999)
    stored = [ResultRow(**row) for row in rows if row["analysis"] == "metrics"]
    captions = {str(table.caption): table for table in tables_for("metrics", stored, 0.05)}
    means = captions["Means of metrics by system"]
    assert means.notes[0] == "compliant: all of newspaper >= 0.4, matches = 1."
    assert [row[0].text for row in captions["Systems compared by metrics"].rows] == ["compliant"] * 3
    drawn = {chart.key: chart for chart in charts.draw([Row(**row) for row in rows], "main", "quality")}
    assert are_rendered(drawn.values())
    assert drawn["composite-1"].title == "A scores highest on compliant (71\N{NO-BREAK SPACE}%)"
    (finding,) = findings_beside(stored, FindingQuestion("Quality", "slider", 0.05))
    assert finding.text.startswith("By the composite score “compliant”, ")
    assert finding.text.endswith("A scores higher than B and C; no clear difference between B and C.")


@pytest.mark.django_db
def test_the_form_of_a_new_run_refuses_parts_that_were_not_imported(study: Path, rosa: User, client: Client) -> None:
    small, address = Study.objects.get(slug="small"), "/admin/studies/small/results/new/"
    Membership.objects.create(study=small, user=rosa, role="owner")
    client.force_login(rosa)
    posted = form(client, address)
    wrong = client.post(address, {**posted, "run-composites": "x: mean of newspapr, matches"})
    assert "“x”: no scores of “newspapr” were imported. Did you mean “newspaper”?" in wrong.content.decode()
    client.post(address, {**posted, "run-composites": PLAN})
    assert Run.objects.filter(study=small).latest("number").settings["composites"] == PLAN
