"""Scores of automatic metrics: importing them, what is refused, and what they say against people."""

import contextlib
import gzip
import json
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from django.core.management import CommandError, call_command

from analytics_app import charts, plan
from analytics_app.methods_text import formats
from analytics_app.models import MetricScore, ResultRow, Run
from analytics_app.ratings.metric_directions import lower_is_better
from analytics_app.results import Row
from analytics_app.show.shown import tables_for
from analytics_app.show.table import Table
from analytics_app.stats.metrics.perm_both import perm_both
from analytics_app.stats.metrics.soft_accuracy import soft_pairwise_accuracy
from analytics_app.stats.metrics.tie_calibration import equal_accuracy
from analytics_app.views.methods import text_of
from tasks_app.models import Event
from tasks_app.services.study import lifecycle
from tests.analytics_app.builders import are_rendered
from tests.analytics_app.by_commands import analysed, load, one, set_aside, write
from tests.builders import build_study
from tests.once import ModuleRows

pytestmark = pytest.mark.django_db

RNG = np.random.default_rng(11)
N_ITEMS, SYSTEMS = 12, ("A", "B", "C", "D")
HUMAN = np.round(np.clip(RNG.normal([40, 55, 60, 75], 12, (N_ITEMS, 4)), 0, 100))
GOOD = HUMAN + RNG.normal(0, 8, HUMAN.shape)
NOISE = RNG.normal(0, 8, HUMAN.shape)


def cells(**columns: Any) -> list[dict[str, object]]:
    return [
        {"item": f"i{i}", "system": system, **{name: float(matrix[i, s]) for name, matrix in columns.items()}}
        for i in range(N_ITEMS)
        for s, system in enumerate(SYSTEMS)
    ]


@pytest.fixture(scope="module")
def study_once(module_db: ModuleRows, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Load the study of a module."""
    folder = tmp_path_factory.mktemp("study")
    items = [{**row, "output": f"text of {row['system']} for {row['item']}", "source": "s"} for row in cells()]
    ratings = [{"rater": rater, **row} for rater in ("r1", "r2") for row in cells(value=HUMAN)]
    task = {"type": "slider", "criteria": ["quality"], "params": {"minimum": 0, "maximum": 100}, "k": 2}
    criterion = {"key": "quality", "name": "Quality", "question": "How good?", "low": "bad", "high": "good"}
    load(folder, task, items, ratings, criteria=[criterion])
    return folder


@pytest.fixture
def study(study_once: Path, db: None) -> Path:
    """A study of sliders whose two raters agree exactly: the folder of its files."""
    return study_once


def imported(path: Path, *options: str) -> dict[str, Any]:
    """Import scores; unless `options` name the metrics, all columns that are neither item nor system."""
    out = StringIO()
    if "--metrics" not in options and path.suffix == ".csv":
        names = path.read_text(encoding="utf-8").partition("\n")[0].strip().split(",")
        metrics = [name for name in names if name not in {"item", "system", "variant"} and "metric" not in names]
        options = (*options, "--metrics", ",".join(metrics))
    with contextlib.suppress(CommandError):
        call_command("import_scores", "small", str(path), "--json", *options, stdout=out, stderr=out)
    said: dict[str, Any] = json.loads(out.getvalue())
    return said


def asked(name: str) -> str:
    """Return the question of an import about a metric with a name that does not say which direction is better."""
    return (
        f"Is a higher score better? Analyses assume so for {name}. If lower is better, name the metric in the analysis "
        "plan under lower_is_better."
    )


def problems(path: Path, *options: str) -> list[tuple[int, int, str]]:
    said = imported(path, *options)
    assert said["stored"] is False
    return [(one["line"], one["column"], one["message"]) for one in said["problems"]]


def test_a_draft_takes_no_scores_and_the_whole_file_is_named(tmp_path: Path) -> None:
    set_aside()
    draft = build_study(None, slug="small", opened=False)
    path = write(tmp_path / "scores.csv", [{"item": "i0", "system": "alpha-mt", "COMET": 0.5}])
    (problem,) = problems(path)
    assert problem[:2] == (0, 0)
    assert "The study is a draft" in problem[2]
    assert not MetricScore.objects.exists()
    lifecycle.move(study_id=draft.pk, action="open", by=None)
    assert imported(path)["stored"] is True


def test_one_column_a_metric(study: Path) -> None:
    path = write(study / "scores.csv", cells(good=GOOD, noise=NOISE))
    assert imported(path, "--check")["stored"] is False
    assert not MetricScore.objects.exists()
    said = imported(path)
    assert (said["stored"], said["scores"], said["names"]) == (True, 96, ["good", "noise"])
    assert MetricScore.objects.count() == 96
    event = Event.objects.get(verb="imported scores")
    assert event.after["scores"] == 96


def test_long_form_other_names_empty_cells_and_gzip(study: Path) -> None:
    long = [
        {"seg": row["item"], "mt": row["system"], "metric": "good", "value": row["good"]} for row in cells(good=GOOD)
    ]
    long.append({"seg": "", "mt": "A", "metric": "BLEU", "value": 31.5})
    path = write(study / "long.csv", long)
    packed = study / "long.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    said = imported(packed, "--item", "seg", "--system", "mt")
    assert (said["scores"], said["of systems as wholes"]) == (49, 1)
    holes = [{**row, "other": "" if number else 1.0} for number, row in enumerate(cells())]
    assert imported(write(study / "holes.csv", holes))["scores"] == 1


def test_a_mapping_reads_scores_of_other_shapes(study: Path) -> None:
    """Ids are split, words replaced and rows selected, as with ratings; before, each text needed a row of its own."""
    rows = [
        {"id": f"{row['item']}/{row['system']}", "kind": kind, "score": "nan" if kind == "empty" else row["good"]}
        for row in cells(good=GOOD)
        for kind in ("COMET-22", "empty", "length")
    ]
    (study / "map.yaml").write_text(
        "columns: {metric: kind, value: score}\nsplit: {id: '{item}/{system}'}\n"
        "values: {metric: {COMET-22: COMET}}\nwhere: {kind: [COMET-22, empty]}\n"
    )
    path = write(study / "scores.csv", rows)
    said = imported(path, "--metrics", "", "--map", str(study / "map.yaml"))
    assert (said["scores"], said["names"]) == (48, ["COMET"])
    assert MetricScore.objects.get(item__key="i0", system__key="A").value == cells(good=GOOD)[0]["good"]
    nested = study / "scores.json"
    nested.write_text(json.dumps([{"id": "i1", "scores": {"A": {"chrF": 61.5}, "B": {"chrF": 7, "ter": None}}}]))
    (study / "nested.yaml").write_text("columns: {item: id, value: 'scores.{system}.{metric}'}\n")
    assert imported(nested, "--map", str(study / "nested.yaml"))["scores"] == 2
    (problem,) = problems(nested, "--map", str(study / "map.yaml"))[:1]
    assert problem[2].startswith("The file has no “kind”. It has: id, scores.A.chrF")


def test_everything_wrong_is_told_with_its_place_and_nothing_stored(study: Path) -> None:
    rows = [
        {"item": "i0", "system": "A", "good": 1},
        {"item": "i00", "system": "A", "good": 1},
        {"item": "i1", "system": "E", "good": 1},
        {"item": "i1", "system": "B", "good": "high"},
        {"item": "i0", "system": "A", "good": 2},
        {"item": "i1", "system": "", "good": 2},
    ]
    found = problems(write(study / "wrong.csv", rows))
    assert [(line, column) for line, column, _said in found] == [(3, 1), (4, 2), (5, 3), (6, 3), (7, 2)]
    said = [message for _line, _column, message in found]
    assert said[0].startswith("item: The study has no item “i00”.")
    assert said[1].startswith("system: The study has no system “E”.")
    assert "Expected a number" in said[2]
    assert said[3] == "good: There is a score of this metric already, in line 2. Keep one of them."
    assert said[4] == "system: Enter a system: every row needs one."
    assert not MetricScore.objects.exists()
    assert "no scores" in problems(write(study / "none.csv", [{"item": "i0", "system": "A"}]))[0][2]


def test_scores_that_are_there_are_replaced_only_on_request(study: Path) -> None:
    path = write(study / "scores.csv", cells(good=GOOD))
    imported(path)
    assert "--replace" in problems(path)[0][2]
    assert imported(path, "--replace")["stored"] is True
    assert MetricScore.objects.count() == 48


def test_a_draft_takes_none(tmp_path: Path) -> None:
    set_aside()
    document = "evalweb: 1\nstudy: {slug: small, title: Small, public_title: Small, language: en}\n"
    task = "tasks: [{key: main, type: error_spans, set_size: 1, spacing: 1}]\n"
    (tmp_path / "study.yaml").write_text(document + task)
    write(tmp_path / "items.csv", [{"item": "i0", "system": "A", "output": "x"}])
    call_command("load_study", str(tmp_path), stdout=StringIO())
    found = problems(write(tmp_path / "scores.csv", [{"item": "i0", "system": "A", "good": 1}]))
    assert "is a draft" in found[0][2]


def test_metrics_against_people(study: Path) -> None:
    assert not [row for row in analysed(study, {"analysis": "metrics"}) if row["analysis"] == "metrics"]
    imported(write(study / "scores.csv", cells(good=GOOD, noise=NOISE)))
    rows = analysed(study, {"analysis": "metrics"})
    about = {"criterion": "quality", "metric": "good"}
    texts = one(rows, "metric_pearson_texts", **about)
    assert texts["value"] == pytest.approx(scipy.stats.pearsonr(HUMAN.ravel(), GOOD.ravel()).statistic)
    assert (texts["n_ratings"], texts["n_items"]) == (48, 12)
    assert texts["low"] < texts["value"] < texts["high"]
    # As in the plan: a whole number without a point.
    assert repr(one(rows, "metric_tau_like_pooled", **about)["settings"]["gap"]) == "0"
    kendall = one(rows, "metric_kendall_texts", **about)["value"]
    assert kendall == pytest.approx(scipy.stats.kendalltau(HUMAN.ravel(), GOOD.ravel()).statistic)
    systems = one(rows, "metric_pearson_systems", **about)
    every_order = scipy.stats.PermutationMethod(n_resamples=np.inf)
    wanted = scipy.stats.pearsonr(HUMAN.mean(axis=0), GOOD.mean(axis=0), method=every_order)
    assert systems["settings"]["test"] == "all orders"
    assert (systems["value"], systems["p"]) == pytest.approx((wanted.statistic, wanted.pvalue))
    assert "4 systems are few" in systems["note"]
    assert one(rows, "metric_mean", system="B", **about)["value"] == pytest.approx(GOOD[:, 1].mean())
    test = one(rows, "metric_williams_texts", metric="good", metric_b="noise", criterion="quality")
    assert test["value"] > 2
    assert test["p_adjusted"] == test["p"] < 0.05


def test_averages_accuracies_and_the_best_systems(study: Path) -> None:
    imported(write(study / "scores.csv", cells(good=GOOD, noise=NOISE)))
    # All exchanges of twelve items are enumerated.
    rows = analysed(study, {"analysis": "metrics", "top_and_last": 3}, n_permutations=2**12)
    about = {"criterion": "quality", "metric": "good"}
    for end, groups in (("by_item", (HUMAN, GOOD)), ("by_system", (HUMAN.T, GOOD.T))):
        for name, statistic in (("pearson", scipy.stats.pearsonr), ("spearman", scipy.stats.spearmanr)):
            row = one(rows, f"metric_{name}_{end}", **about)
            assert row["value"] == pytest.approx(
                np.mean([statistic(*pair).statistic for pair in zip(*groups, strict=True)])
            )
            assert row["low"] < row["value"] < row["high"]
    tau = [scipy.stats.kendalltau(*pair).statistic for pair in zip(HUMAN.T, GOOD.T, strict=True)]
    assert one(rows, "metric_tau_b_by_system", **about)["value"] == pytest.approx(np.mean(tau))
    assert one(rows, "metric_tau_b_by_system", **about)["n_ratings"] == 4
    options = {"n_resamples": 0, "confidence": 0.95, "rng": np.random.default_rng(1)}
    for end, grouping, n in (("texts", "none", 1128), ("by_item", "item", 72), ("by_system", "system", 264)):
        row, wanted = (
            one(rows, f"metric_acc_eq_{end}", **about),
            equal_accuracy(HUMAN, GOOD, grouping=grouping, **options),
        )
        assert (row["value"], row["n_ratings"]) == (pytest.approx(wanted.calibrated.value), n)
        assert row["settings"]["epsilon"] == pytest.approx(wanted.epsilon)
        assert row["settings"]["accuracy_without_epsilon"] == pytest.approx(wanted.uncalibrated)
    soft = one(rows, "metric_soft_pairwise_accuracy", **about)
    wanted_soft = soft_pairwise_accuracy(HUMAN, GOOD, n_permutations=2**12, rng=np.random.default_rng(1))
    assert soft["value"] == pytest.approx(wanted_soft.value)
    assert (soft["n_ratings"], soft["settings"]["exchanged"]) == (4, "items")
    best = np.argsort(-HUMAN.mean(axis=0))
    for end, codes in (("top", best[:3]), ("last", best[-3:])):
        row = one(rows, f"metric_pearson_{end}", label=f"{end} 3", **about)
        wanted_r = scipy.stats.pearsonr(HUMAN[:, codes].mean(axis=0), GOOD[:, codes].mean(axis=0)).statistic
        assert (row["value"], row["n_ratings"]) == (pytest.approx(wanted_r), 3)
    made = tables_for("metrics", [ResultRow(**row) for row in rows if row["analysis"] == "metrics"], 0.05)
    by_caption = {table.caption: table for table in made}
    # Three choices of pairs for each of two metrics, and two comparisons of people.
    assert len(by_caption["Pairwise accuracy with ties"].rows) == 8
    assert [cells[0].text for cells in by_caption["Metrics within systems"].rows] == ["good", "noise"]
    assert "Soft pairwise accuracy over systems" in [
        column.label for column in by_caption["Metrics over systems"].columns
    ]
    assert len(by_caption["Metrics over the best and the worst systems"].rows) == 2


def each_against_others(of_raters: dict[str, Any]) -> tuple[list[float], list[float]]:
    """Return Pearson's r of each rater with the mean of the others, over texts and over systems."""
    texts, systems = [], []
    for rater, matrix in of_raters.items():
        others = np.mean([other for name, other in of_raters.items() if name != rater], axis=0)
        known = ~np.isnan(matrix)
        texts.append(scipy.stats.pearsonr(matrix[known], others[known]).statistic)
        systems.append(scipy.stats.pearsonr(np.nanmean(matrix, axis=0), np.nanmean(others, axis=0)).statistic)
    return texts, systems


def test_the_human_ceiling_stands_beside_the_metrics(tmp_path: Path) -> None:
    """The fixed study's raters agree exactly, so this study has raters of its own, who differ."""
    rng = np.random.default_rng(4)
    of_raters = {f"r{n}": np.round(np.clip(HUMAN + rng.normal(0, 15, HUMAN.shape), 0, 100)) for n in range(3)}
    items = [{**row, "output": f"text of {row['system']} for {row['item']}", "source": "s"} for row in cells()]
    ratings = [{"rater": rater, **row} for rater, matrix in of_raters.items() for row in cells(value=matrix)]
    # A text that a single rater judged is in no comparison of people; of another there is no score.
    ratings = [row for row in ratings if (row["item"], row["system"]) != ("i0", "A") or row["rater"] == "r0"]
    scores = [row for row in cells(good=GOOD) if (row["item"], row["system"]) != ("i1", "B")]
    task = {"type": "slider", "criteria": ["quality"], "params": {"minimum": 0, "maximum": 100}, "k": 3}
    criterion = {"key": "quality", "name": "Quality", "question": "How good?", "low": "bad", "high": "good"}
    load(tmp_path, task, items, ratings, criteria=[criterion])
    imported(write(tmp_path / "scores.csv", scores))
    rows = analysed(tmp_path, {"analysis": "metrics"})
    left_out = [(0, 0), (1, 1)]
    for matrix in of_raters.values():
        for place in left_out:
            matrix[place] = np.nan
    texts, systems = each_against_others(of_raters)
    about = {"criterion": "quality", "label": "one rater against the others"}
    row = one(rows, "people_pearson_texts", **about)
    assert (row["value"], row["n_ratings"]) == (pytest.approx(np.mean(texts)), 46)
    assert row["settings"]["n_comparisons"] == 3
    assert (row["settings"]["lowest"], row["settings"]["highest"]) == pytest.approx((min(texts), max(texts)))
    assert one(rows, "people_pearson_systems", **about)["value"] == pytest.approx(np.mean(systems))
    # Of three raters, a half is one of them.
    half = one(rows, "people_pearson_texts", criterion="quality", label="half of the raters against the others")
    assert min(texts) - 1e-9 <= half["value"] <= max(texts) + 1e-9
    made = tables_for("metrics", [ResultRow(**row) for row in rows if row["analysis"] == "metrics"], 0.05)
    by_caption = {table.caption: table for table in made}
    for caption, column in (("Metrics over texts", 1), ("Metrics within items", 1), ("Metrics over systems", 1)):
        lines = [(line[0].text, line[column].text) for line in by_caption[caption].rows]
        assert [head for head, _value in lines] == [
            "good", "People: one rater against the others", "People: half of the raters against the others",
        ]  # fmt: skip
        assert all(len(line) == len(by_caption[caption].columns) for line in by_caption[caption].rows)
    assert f"{np.mean(texts):.3f}" in [line[1].text for line in by_caption["Metrics over texts"].rows]
    (note,) = [note for note in by_caption["Metrics over texts"].notes if note.startswith("People, one rater")]
    assert note.endswith(f"is from {min(texts):.3f} to {max(texts):.3f} in them.")
    people = [line for line in by_caption["Pairwise accuracy with ties"].rows if line[0].text.startswith("People")]
    assert len(people) == 2
    run = Run.objects.latest("pk")
    text = formats.in_format(text_of(run.study, run), "md")
    assert "the ratings of each rater in turn against the mean ratings of all others (mean over raters)" in text
    assert "a random half of the raters against the other half (mean over 20 divisions)" in text
    assert "Agirre et al., 2012" in text
    without = analysed(tmp_path, {"analysis": "metrics", "ceiling": False})
    assert not [row for row in without if row["statistic"].startswith("people_")]


def test_metrics_compared_by_swapped_scores(study: Path) -> None:
    third = GOOD + NOISE
    whole = [{"item": "", "system": system, "BLEU": value} for system, value in zip(SYSTEMS, (3, 1, 2, 9), strict=True)]
    imported(write(study / "scores.csv", [*cells(good=GOOD, noise=NOISE, third=third), *whole]))
    rows = analysed(study, {"analysis": "metrics"}, n_permutations=2**12)
    columns = np.column_stack([GOOD.ravel(), NOISE.ravel(), third.ravel()])
    options = {"n_permutations": 2**12, "rng": np.random.default_rng(1)}
    by_item = perm_both(HUMAN.ravel(), columns, swapped=np.repeat(np.arange(N_ITEMS), 4), **options)
    about = {"criterion": "quality", "metric": "good", "metric_b": "noise"}
    row = one(rows, "metric_perm_texts", label="PERM-INPUT", **about)
    assert (row["value"], row["p"]) == pytest.approx((by_item[0].difference.value, by_item[0].difference.p))
    assert row["p"] <= row["p_adjusted"] <= 3 * row["p"]
    assert (row["settings"]["family"], row["settings"]["swapped"]) == ("3 pairs of metrics", "items")
    single = one(rows, "metric_perm_texts", label="PERM-BOTH", **about)
    assert single["value"] == pytest.approx(row["value"])
    assert "Single texts are swapped" in single["note"]
    accuracy = one(rows, "metric_perm_acc_eq", label="PERM-INPUT", **about)
    at = [one(rows, "metric_acc_eq_by_item", criterion="quality", metric=name)["value"] for name in ("good", "noise")]
    assert accuracy["value"] == pytest.approx(at[0] - at[1])
    systems = one(rows, "metric_perm_systems", label="PERM-BOTH", **about)
    assert (systems["n_ratings"], systems["settings"]["family"]) == (4, "6 pairs of metrics")
    assert "With 4 systems no p is below 0.12" in systems["note"]
    groups = {
        (row["statistic"], row["label"], row["metric"]): row["value"] for row in rows if "_group_" in row["statistic"]
    }
    assert groups["metric_group_texts", "as WMT", "good"] == 1
    assert [groups["metric_group_texts", "corrected", name] for name in ("good", "third", "noise")] == [1, 2, 3]
    assert {groups["metric_group_systems", "corrected", name] for name in ("good", "noise", "third", "BLEU")} == {1}
    assert ("metric_group_texts", "as WMT", "BLEU") not in groups
    made = {
        table.caption: table
        for table in tables_for("metrics", [ResultRow(**row) for row in rows if row["analysis"] == "metrics"], 0.05)
    }
    assert [cells[0].text for cells in made["Rank groups of metrics"].rows][-1] in {"noise", "BLEU"}
    assert len(made["Difference between two metrics' correlations with people, over texts"].rows) == 6
    for less in ({"compare": False}, {"wmt": False}):
        rows = analysed(study, {"analysis": "metrics", **less})
        assert not [row for row in rows if "_perm_" in row["statistic"] or "_group_" in row["statistic"]]
    assert {row["statistic"] for row in rows if row["metric_b"]} == {"metric_williams_texts", "metric_williams_systems"}


def test_plans_from_before_have_the_figures_of_that_time() -> None:
    """Archives of runs with such plans verify: no row is computed that they do not have."""
    entry = {"analysis": "metrics", "human": "raw", "metrics": [], "lower_is_better": [], "gap": 0, "compare": True}
    (kept,) = plan.as_meant({"analyses": [entry]})["analyses"]
    assert kept == {**entry, "wmt": False, "ceiling": False, "directions": "listed"}


def test_lower_is_better_where_that_is_said_and_systems_as_wholes(study: Path) -> None:
    whole = [
        {"item": "", "system": system, "TER": float(value)} for system, value in zip(SYSTEMS, (4, 3, 2, 1), strict=True)
    ]
    imported(write(study / "scores.csv", [*cells(), *whole][len(cells()) :]))
    rows = analysed(study, {"analysis": "metrics", "lower_is_better": ["TER"], "human": "z"})
    row = one(rows, "metric_spearman_systems", criterion="quality", metric="TER")
    assert row["value"] == pytest.approx(1)
    assert row["settings"]["sign"] == "turned"
    assert row["settings"]["score_of_a_system"] == "as imported"
    assert one(rows, "metric_mean", criterion="quality", metric="TER", system="A")["value"] == 4
    assert not [one for one in rows if one["statistic"] == "metric_pearson_texts"]


def test_public_metrics_are_turned_by_their_names(study: Path) -> None:
    said = imported(write(study / "scores.csv", cells(sacreTER=-GOOD, errors=-GOOD, BLEU=GOOD)))
    assert said["notes"] == ["Lower is better, as the name says: sacreTER.", asked("errors")]

    def directions(**settings: object) -> dict[str, tuple[float, str, str | None]]:
        rows = analysed(study, {"analysis": "metrics", **settings})
        found = [row for row in rows if row["statistic"] == "metric_pearson_systems"]
        shown.extend(tables_for("metrics", [ResultRow(**row) for row in rows if row["analysis"] == "metrics"], 0.05))
        return {
            row["metric"]: (round(row["value"]), row["settings"]["sign"], row["settings"].get("direction"))
            for row in found
        }

    shown: list[Table] = []
    assert directions() == {
        "sacreTER": (1, "turned", "name"), "errors": (-1, "as it is", "unknown"), "BLEU": (1, "as it is", "name"),
    }  # fmt: skip
    assert "Higher is taken as better for errors: neither the plan nor the name says otherwise." in shown[0].notes
    assert directions(lower_is_better=["errors"], higher_is_better=["sacreTER"]) == {
        "sacreTER": (-1, "as it is", "plan"), "errors": (1, "turned", "plan"), "BLEU": (1, "as it is", "name"),
    }  # fmt: skip
    # Plans from before names were known.
    assert directions(directions="listed")["sacreTER"] == (-1, "as it is", None)


def test_directions_of_public_names() -> None:
    lower = ("TER_ref", "hter", "WER", "GPT2_PPL", "Perplexity (GPT-2)", "self-BLEU", "CharacTER", "WMD_src", "RMSE")
    higher = ("BLEU-4", "sacreBLEU", "chrF2++", "chrF++", "ROUGE-L_ref", "rouge1", "wmt22-comet-da", "COMET-w_src",
              "BLEURT-20", "BERTScore_F1", "XCOMET-XL", "GRUEN", "RoMe")  # fmt: skip
    unknown = ("good", "errors", "MetricX-24", "C-PT16", "STAm", "matter", "filter", "kilometre", "")
    for names, direction in ((lower, True), (higher, False), (unknown, None)):
        assert {name: lower_is_better(name) for name in names} == dict.fromkeys(names, direction)


def test_z_is_refused_where_raters_saw_one_system_each(tmp_path: Path) -> None:
    items = [{**row, "output": f"text of {row['system']} for {row['item']}", "source": "s"} for row in cells()]
    ratings = [{"rater": f"r{row['system']}", **row} for row in cells(value=HUMAN)]
    task = {"type": "slider", "criteria": ["quality"], "params": {"minimum": 0, "maximum": 100}, "k": 1}
    criterion = {"key": "quality", "name": "Quality", "question": "How good?", "low": "bad", "high": "good"}
    load(tmp_path, task, items, ratings, criteria=[criterion])
    imported(write(tmp_path / "scores.csv", cells(good=GOOD)))
    found = [row for row in analysed(tmp_path, {"analysis": "metrics", "human": "z"}) if row["analysis"] == "metrics"]
    (row,) = found
    assert row["value"] is None
    assert row["note"].startswith("Most raters saw one system only")


def test_charts_and_tables_of_it(study: Path) -> None:
    imported(write(study / "scores.csv", cells(good=GOOD, noise=NOISE)))
    rows = [row for row in analysed(study, {"analysis": "metrics"}) if row["analysis"] == "metrics"]
    drawn = {chart.key: chart for chart in charts.draw([Row(**row) for row in rows], "main", "quality")}
    assert {"metrics-texts", "metrics-systems"} <= set(drawn)
    assert are_rendered(drawn.values())
    assert drawn["metrics-texts"].title.startswith("good agrees best with people over texts")
    made = tables_for("metrics", [ResultRow(**row) for row in rows], 0.05)
    assert [cells[0].text for cells in made[0].rows][:2] == ["good", "noise"]
    assert all(len(cells) == len(table.columns) for table in made for cells in table.rows)


def test_metrics_against_each_other(study: Path) -> None:
    third = np.round(GOOD + NOISE)
    whole = [{"item": "", "system": system, "BLEU": value} for system, value in zip(SYSTEMS, (3, 1, 2, 9), strict=True)]
    imported(write(study / "scores.csv", [*cells(good=GOOD, noise=NOISE, third=third), *whole]))
    rows = analysed(study, {"analysis": "metric_pairs", "lower_is_better": ["noise"]})
    rows = [row for row in rows if row["analysis"] == "metric_pairs"]
    over_texts = one(rows, "metric_pair_kendall_texts", metric="good", metric_b="third")
    assert over_texts["value"] == pytest.approx(scipy.stats.kendalltau(GOOD.ravel(), third.ravel()).statistic)
    assert over_texts["low"] < over_texts["value"] < over_texts["high"]
    assert (over_texts["n_ratings"], over_texts["n_items"], over_texts["p"]) == (48, 12, None)
    turned = one(rows, "metric_pair_spearman_texts", metric="good", metric_b="noise")
    assert turned["value"] == pytest.approx(-scipy.stats.spearmanr(GOOD.ravel(), NOISE.ravel()).statistic)
    assert turned["settings"]["sign_b"] == "turned"
    bleu = one(rows, "metric_pair_spearman_systems", metric="BLEU", metric_b="good")
    assert bleu["value"] == pytest.approx(scipy.stats.spearmanr((3, 1, 2, 9), GOOD.mean(axis=0)).statistic)
    assert bleu["settings"]["family"] == "6 pairs of metrics"
    assert not [
        row for row in rows if row["statistic"].endswith("_texts") and "BLEU" in {row["metric"], row["metric_b"]}
    ]
    drawn = {chart.key: chart for chart in charts.draw_task([Row(**row) for row in rows], "main", None)}
    assert are_rendered(drawn.values())
    assert drawn["metric-pairs-texts"].title == "good and third agree most with each other over texts (r = .92)"
    tables = tables_for("metric_pairs", [ResultRow(**row) for row in rows], 0.05)
    assert [len(table.rows) for table in tables] == [3, 6]


def test_nobody_guesses_which_columns_are_metrics(study: Path) -> None:
    """A number beside each text may be the number of its line."""
    rows = [{"seg": n, **row, "note": "fine"} for n, row in enumerate(cells(good=GOOD), start=1)]
    path, out = write(study / "scores.csv", rows), StringIO()
    with pytest.raises(CommandError, match="Nothing was stored"):
        call_command("import_scores", "small", str(path), stdout=out, stderr=out)
    assert out.getvalue() == (
        "scores.csv:1:1: Which of these columns are metrics: seg, good, note? Name them with --metrics, or tick them "
        "on the page.\n"
    )
    assert (
        problems(path, "--metrics", "good,system")[0][2]
        == "The column “system” says what a value belongs to, so it cannot be one of the metrics."
    )
    assert problems(path, "--metrics", "goods")[0][2].startswith("The column “goods” is missing.")
    assert not MetricScore.objects.exists()
    said = imported(path, "--metrics", "good")
    assert (said["scores"], said["names"]) == (48, ["good"])
    assert said["notes"] == ["scores.csv: 2 columns are not mapped and were left out: seg, note.", asked("good")]


def test_metrics_of_a_file_in_long_form_can_be_chosen(study: Path) -> None:
    rows = [{"item": "i0", "system": "A", "metric": name, "value": 1} for name in ("good", "line")]
    said = imported(write(study / "long.csv", rows), "--metrics", "good")
    assert said["names"] == ["good"]
    assert said["notes"] == ["Left out, because they were not named: line.", asked("good")]


@pytest.mark.parametrize("word", ["NaN", "nan", "None", "null", "NA", "n/a"])
def test_words_for_no_score(study: Path, word: str) -> None:
    rows = [{"item": "i0", "system": system, "good": word if system == "B" else 0.5} for system in SYSTEMS]
    assert imported(write(study / "scores.csv", rows))["scores"] == 3
    long = [{"item": "i0", "system": "A", "metric": "other", "value": word}, {"item": "i0", "system": "B",
            "metric": "other", "value": 1}]  # fmt: skip
    assert imported(write(study / "long.csv", long))["scores"] == 1


def test_variants_of_a_text(tmp_path: Path) -> None:
    items = [
        {"item": "i0", "system": "A", "variant": variant, "output": f"text {variant}"} for variant in ("low", "high")
    ]
    items.append({"item": "i0", "system": "B", "variant": "", "output": "text of B"})
    criterion = {"key": "quality", "name": "Quality", "question": "How good?", "low": "bad", "high": "good"}
    task = {"type": "slider", "criteria": ["quality"], "k": 1}
    rating = [{"rater": "r1", "item": "i0", "system": "A", "variant": "low", "value": 3}]
    load(tmp_path, task, items, rating, criteria=[criterion])
    rows = [
        {"item": "i0", "system": "A", "variant": "low", "good": 1.0},
        {"item": "i0", "system": "A", "variant": "high", "good": 4.0},
        {"item": "i0", "system": "B", "variant": "", "good": 2.0},
    ]
    wrong = [{**rows[0], "variant": "lo"}, {**rows[1], "variant": "low"}, rows[0], {**rows[0], "variant": ""}]
    assert [said for _line, _column, said in problems(write(tmp_path / "wrong.csv", wrong))] == [
        "variant: The system has no such variant here. Did you mean “low”?",
        "good: There is a score of this metric already, in line 3. Keep one of them.",
        "variant: The system has several texts. Say which one: give variant.",
    ]
    # Without the column, a score is of all variants of the text.
    assert imported(write(tmp_path / "plain.csv", [{"item": "i0", "system": "A", "plain": 3.0}]))["scores"] == 1
    said = imported(write(tmp_path / "scores.csv", rows))
    assert said["notes"] == ["1 score is the mean over the variants of a text.", asked("good")]
    found = MetricScore.objects.filter(metric="good").order_by("system__key").values_list("system__key", "value")
    assert list(found) == [("A", 2.5), ("B", 2.0)]
