"""Outcomes measured elsewhere: what is refused, what is stored, how groups and waves are compared, who is forgotten."""

import contextlib
import json
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
import statsmodels.api as sm
from django.core.management import CommandError, call_command

from analytics_app.models import MeasuredOutcome, ResultRow, Run
from tasks_app import studyfile
from tasks_app.models import Event, Identity, Invitation, Rater, Study
from tasks_app.services import erasure
from tasks_app.services.waves import schedule
from tests.analytics_app.test_waves import EXAMPLE, PEOPLE, answered
from tests.builders import build_study
from tests.once import ModuleRows

pytestmark = pytest.mark.django_db

WAVES = 3
RNG = np.random.default_rng(7)
IS_TEXTS = np.arange(PEOPLE) % 2 == 1
# Calories of forty people in three waves; people with texts eat 300 less in the last one.
CALORIES = np.round(
    2200 + RNG.normal(0, 150, PEOPLE) + RNG.normal(0, 60, (WAVES, PEOPLE)) - [[0], [0], [300]] * IS_TEXTS
)


@pytest.fixture(scope="module")
def study_once(module_db: ModuleRows, tmp_path_factory: pytest.TempPathFactory) -> int:
    """Make a study of two groups and three waves with an answer of each of forty people to each."""
    folder = tmp_path_factory.mktemp("outcomes")
    text = EXAMPLE.read_text(encoding="utf-8") + "analysis:\n  n_resamples: 100\n  analyses: [{analysis: outcomes}]\n"
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    study = studyfile.load(folder, owner=None)
    answered(folder / "ratings.csv", n_words=1)
    call_command("import_ratings", study.slug, str(folder / "ratings.csv"), stdout=StringIO())
    return study.pk


@pytest.fixture
def study(study_once: int, db: None) -> Study:
    """The study."""
    return Study.objects.get(pk=study_once)


def table(path: Path, *lines: str, head: str = "rater,wave,outcome,value") -> Path:
    path.write_text("\n".join([head, *lines, ""]), encoding="utf-8")
    return path


def calories(path: Path) -> Path:
    """Write everybody's calories; who is the seventh has none in the last wave."""
    return table(
        path,
        *(
            f"p{rater:02},{wave + 1},{CALORIES[wave, rater]:g},{wave}"
            for wave in range(WAVES)
            for rater in range(PEOPLE)
            if (wave, rater) != (2, 7)
        ),
        head="rater,wave,calories,walks",
    )


def uploaded(study: Study, path: Path, *options: str) -> dict[str, Any]:
    """Upload a file by the command and return what it reports."""
    out = StringIO()
    with contextlib.suppress(CommandError):
        call_command("upload_outcomes", study.slug, str(path), "--json", *options, stdout=out, stderr=out)
    report: dict[str, Any] = json.loads(out.getvalue())
    return report


def problems(study: Study, path: Path, *options: str) -> list[tuple[int, int, str]]:
    report = uploaded(study, path, *options)
    assert report["stored"] is False
    return [(problem["line"], problem["column"], problem["message"]) for problem in report["problems"]]


def analysed(study: Study) -> Run:
    call_command("analyse", study.slug, stdout=StringIO())
    return Run.objects.filter(study=study).latest("number")


def row_of(run: Run, statistic: str, **where: object) -> ResultRow:
    return ResultRow.objects.get(run=run, statistic=statistic, basis="kept", **where)


def test_a_draft_has_no_raters(tmp_path: Path) -> None:
    draft = build_study(None, slug="small", opened=False)
    ((line, _column, message),) = problems(draft, table(tmp_path / "o.csv", "p1,1,calories,5"))
    assert line == 0
    assert "The study is a draft" in message


def test_every_problem_has_its_place_and_nothing_is_stored(study: Study, tmp_path: Path) -> None:
    path = table(
        tmp_path / "o.csv",
        "p00,1,calories,2000",
        "p0,1,calories,2000",
        "p01,4,calories,2000",
        "p01,week-9,calories,2000",
        "p02,,calories,2000",
        "p03,1,calories,much",
        "p00,1,calories,1900",
        ",1,calories,5",
        "p04,1,,5",
        f"p05,1,{'x' * 101},5",
    )
    found = problems(study, path)
    assert [place[0] for place in found] == [3, 4, 5, 6, 7, 8, 9, 10, 11]
    texts = " ".join(place[2] for place in found)
    assert "much" in found[4][2]
    for sentence in (
        "rater: The study has no rater “p0”. Did you mean “p",
        "wave: The study has no wave “4”. Its waves are 1 to 3.",
        "wave: The study has no wave “week-9”. Its waves are 1 to 3.",
        "wave: The study has 3 waves, so every row needs one.",
        "value: Expected a number, such as 4 or 62.5; this is",
        "Line 2 already has this outcome of this rater in this wave.",
        "rater: Every row needs a rater.",
        "outcome: Every row needs the name of its outcome.",
        "This name is too long: at most 100 characters can be stored.",
    ):
        assert sentence in texts, (sentence, texts)
    assert not MeasuredOutcome.objects.exists()


def test_a_second_file_adds_or_replaces(study: Study, tmp_path: Path) -> None:
    path = table(tmp_path / "o.csv", "p00,before,calories,2000", "p00,week-1,calories,NaN", "p01,3,steps,5000")
    assert uploaded(study, path, "--check")["stored"] is False
    assert not MeasuredOutcome.objects.exists()
    report = uploaded(study, path)
    assert (report["values"], report["raters"], report["names"]) == (2, 2, ["calories", "steps"])
    again = table(tmp_path / "again.csv", "p00,1,calories,1800", "p02,1,calories,1700")
    ((line, _column, message),) = problems(study, again)
    assert (line, "--replace" in message) == (2, True)
    assert uploaded(study, table(tmp_path / "more.csv", "p02,1,calories,1700"))["stored"]
    assert uploaded(study, again, "--replace")["stored"]
    assert sorted(MeasuredOutcome.objects.values_list("rater__pseudonym", "wave", "outcome", "value")) == [
        ("p00", 1, "calories", 1800.0),
        ("p01", 3, "steps", 5000.0),
        ("p02", 1, "calories", 1700.0),
    ]
    assert Event.objects.filter(study=study, verb="uploaded outcomes").count() == 3


def test_raters_are_named_as_the_study_knows_them(study: Study, tmp_path: Path) -> None:
    first, second = Rater.objects.filter(study=study).order_by("pseudonym")[:2]
    trial = Rater.objects.create(
        study=study, pseudonym="trial", kind=Rater.Kind.SANDBOX, seed=1, token_hash="t", version=1
    )
    Identity.objects.create(rater=first, study=study, channel="prolific", external_id="5f1a")
    Invitation.objects.create(study=study, name="Kim", token_hash="a", rater=second)
    Invitation.objects.create(study=study, name="5f1a", token_hash="b", rater=trial)
    Invitation.objects.create(study=study, name="Lee", token_hash="c")
    assert uploaded(study, table(tmp_path / "o.csv", "5f1a,1,steps,1", "Kim,1,steps,2"))["stored"]
    assert dict(MeasuredOutcome.objects.values_list("rater", "value")) == {first.pk: 1.0, second.pk: 2.0}
    Rater.objects.filter(pk=trial.pk).update(kind=Rater.Kind.REAL)
    found = problems(study, table(tmp_path / "o.csv", "5f1a,2,steps,1", "Lee,2,steps,2"))
    assert "“5f1a” names several raters" in found[0][2]
    assert "“Lee” has an invitation but has not begun yet" in found[1][2]


def test_wide_files_need_their_outcomes_named(study: Study, tmp_path: Path) -> None:
    path = calories(tmp_path / "o.csv")
    ((_line, _column, message),) = problems(study, path)
    assert "Which of these columns are outcomes: calories, walks?" in message
    ((_line, _column, message),) = problems(study, path, "--outcomes", "wave")
    assert "so it cannot be one of the outcomes" in message
    assert uploaded(study, path, "--outcomes", "calories")["values"] == 119


def test_a_mapping_reads_a_column_for_each_wave(study: Study, tmp_path: Path) -> None:
    """Waves and outcomes are in the names of the columns, as in exports of statistics programs."""
    path = tmp_path / "outcomes.csv"
    path.write_text("who,calories_1,calories_2,steps_1\np00,2100,1900,N/A\n")
    (tmp_path / "map.yaml").write_text("columns: {rater: who, value: '{outcome}_{wave}'}\n")
    report = uploaded(study, path, "--map", str(tmp_path / "map.yaml"))
    assert (report["values"], report["names"]) == (2, ["calories"])


def test_groups_and_waves_are_compared_as_scores_of_panas_are(study: Study, tmp_path: Path) -> None:
    assert uploaded(study, calories(tmp_path / "o.csv"), "--outcomes", "calories,walks")["stored"]
    run = analysed(study)
    rows = ResultRow.objects.filter(run=run, analysis="outcomes")
    assert set(rows.values_list("task", flat=True)) == {"week-2"}, "all rows stand with one task"
    assert not rows.filter(by_system=True).exists()
    there = np.arange(PEOPLE) != 7
    mean = row_of(run, "outcome_mean", label="calories", group="messages", wave=3)
    assert mean.value == pytest.approx(CALORIES[2, IS_TEXTS & there].mean())
    assert mean.n_raters == 19
    about = {"label": "calories", "metric": "wave 1", "metric_b": "wave 3"}
    change = row_of(run, "outcome_change", group="messages", **about)
    paired = scipy.stats.ttest_rel(CALORIES[2, IS_TEXTS & there], CALORIES[0, IS_TEXTS & there])
    assert change.p == pytest.approx(paired.pvalue)
    assert change.settings["t"] == pytest.approx(paired.statistic)
    assert change.settings["dropped_out"] == 1
    gain = CALORIES[2] - CALORIES[0]
    welch = scipy.stats.ttest_ind(gain[IS_TEXTS & there], gain[~IS_TEXTS], equal_var=False)
    between = row_of(run, "outcome_change_between", **about)
    assert between.value == pytest.approx(gain[IS_TEXTS & there].mean() - gain[~IS_TEXTS].mean())
    assert between.p == pytest.approx(welch.pvalue)
    adjusted = row_of(run, "outcome_change_adjusted", **about)
    design = sm.add_constant(np.column_stack([IS_TEXTS[there], CALORIES[0, there]]).astype(float))
    fit = sm.OLS(CALORIES[2, there], design).fit()
    assert adjusted.value == pytest.approx(fit.params[1])
    assert adjusted.p == pytest.approx(fit.pvalues[1])
    assert adjusted.p_adjusted < 0.001
    effect = row_of(run, "outcome_change_between_effect", **about)
    assert effect.low < effect.value < effect.high < 0
    baseline = row_of(run, "outcome_baseline", label="calories")
    first = scipy.stats.ttest_ind(CALORIES[0, IS_TEXTS], CALORIES[0, ~IS_TEXTS], equal_var=False)
    assert baseline.p == pytest.approx(first.pvalue)
    # Everybody walks as often: no spread, so no test, and the row says why.
    flat = row_of(run, "outcome_change", group="diary", **{**about, "label": "walks"})
    assert (flat.p, bool(flat.note)) == (None, True)


def test_outcomes_need_not_be_measured_in_every_wave(study: Study, tmp_path: Path) -> None:
    lines = [f"p{rater:02},{wave},test,{rater % 5 + wave}" for wave in (1, 3) for rater in range(PEOPLE)]
    lines += [f"p{rater:02},2,steps,{rater}" for rater in range(PEOPLE)]
    assert uploaded(study, table(tmp_path / "o.csv", *lines))["stored"]
    rows = ResultRow.objects.filter(run=analysed(study), statistic="outcome_change")
    assert set(rows.values_list("label", "metric", "metric_b")) == {("test", "wave 1", "wave 3")}


def test_a_run_sees_what_there_was_when_it_was_started(study: Study, tmp_path: Path) -> None:
    uploaded(study, table(tmp_path / "o.csv", "p00,1,steps,1", "p01,1,steps,2"))
    first = analysed(study)
    assert first.facts["outcomes"]["n"] == 2
    assert analysed(study).pk == first.pk, "nothing changed, so it is the same run"
    uploaded(study, table(tmp_path / "more.csv", "p02,1,steps,3"))
    second = analysed(study)
    assert row_of(second, "outcome_mean", group=None).value == 2.0
    assert row_of(first, "outcome_mean", group=None).value == 1.5


def test_erasure_takes_the_outcomes_of_a_rater(study: Study, tmp_path: Path) -> None:
    uploaded(study, table(tmp_path / "o.csv", "p00,1,steps,1", "p01,1,steps,2"))
    rater = Rater.objects.get(study=study, pseudonym="p00")
    erasure.erase(rater=rater)
    assert list(MeasuredOutcome.objects.values_list("rater__pseudonym", flat=True)) == ["p01"]
    rater.refresh_from_db()
    ((_line, _column, message),) = problems(study, table(tmp_path / "o.csv", f"{rater.pseudonym},1,steps,1"))
    assert "no rater" in message


def test_waves_have_numbers_by_task(study: Study) -> None:
    assert schedule.numbers(study)["week-2"] == 3
    assert set(schedule.numbers(study).values()) == {1, 2, 3}
