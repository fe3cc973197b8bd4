"""Systems compared with raters and texts both random: the rows, what they say, and the charts."""

import csv
import gzip
import json
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest

from analytics_app import analyses, charts
from analytics_app.analyses import Common, Question, Sample
from analytics_app.ratings import Extras
from analytics_app.ratings.extras.kinds import Kinds
from analytics_app.results import Row
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.mixed.crossed import compare_crossed
from analytics_app.stats.mixed.laplace import TERMS
from analytics_app.stats.mixed.ordinal import ALONE, compare_ordinal
from analytics_app.stats.resampling.bootstrap import Adjusted
from analytics_app.stats.scales.standardise import judge_wise_z
from tasks_app.task_types.base import Scale
from tests.analytics_app.comparing import Screens, one
from tests.house import recipes
from tests.reproduction.published import folder_of, missing, root_of_all

FURTHER = "further texts and further raters"
THESE = "further texts, by these raters"
# Two raters like A better, two B, and each of them on nearly every text.
TORN = (1.2, 0.9, -0.6, -0.2)
# How high raters rate both systems.
LENIENT = (0.6, -0.7, 0.5, -0.4, 0.1)
STEPS = (1.0, 2.0, 3.0, 4.0, 5.0)


def planted(leanings: tuple[float, ...], *, items: int = 40, systems: str = "AB", one_each: bool = False) -> Screens:
    """Ratings by raters, each of whom rates A higher than B by a leaning; with `one_each` a text has one rater."""
    draw, screens = np.random.default_rng(6), Screens()
    for item in range(items):
        quality = draw.normal(0, 0.5)
        for system in systems:
            unit = screens.unit(f"i{item:02}", system)
            for rater, leaning in enumerate(leanings):
                value = 3 + quality + LENIENT[rater] + (leaning if system == "A" else 0.0) + draw.normal(0, 0.6)
                if not one_each or item % len(leanings) == rater:
                    screens.values(rater, unit, round(value, 2))
    return screens


def stepped(leanings: tuple[float, ...], *, items: int = 40, systems: str = "AB") -> Screens:
    """The same ratings in whole steps from 1 to 5."""
    screens = planted(leanings, items=items, systems=systems)
    for rating in screens.said:
        rating["value"] = float(np.clip(round(rating["value"]), 1, 5))
    return screens


def rows_of(
    screens: Screens,
    name: str = "systems",
    *,
    generalise_to: Literal["raters_and_texts", "texts"] = "raters_and_texts",
    scale: Scale = Scale.INTERVAL,
    earlier: bool = False,
    **part: str,
) -> list[Row]:
    """The rows of an analysis with the settings of a plan, or with those of an `earlier` run."""
    table, steps = screens.table(), STEPS if scale is Scale.ORDINAL else ()
    common = Common(n_resamples=100, n_permutations=999, seed=7, generalise_to=generalise_to)
    if earlier:
        common = replace(common, generalise_to="texts", over_raters="percentile", scope_named=False)
    asked = Question("main", "likert", scale, "quality", steps)
    sample = Sample(table, judge_wise_z(table.value, table.rater).z, asked, common, "kept")
    sample = replace(sample, extras=Extras({Kinds: Kinds.empty(table)}), **part)
    return list(analyses.registry[name]().rows(sample))


def settings_of(row: Row) -> Mapping[str, Any]:
    assert row.settings is not None
    return row.settings


def test_where_raters_prefer_different_systems_only_the_test_over_texts_rejects() -> None:
    rows = rows_of(planted(TORN))
    over_texts, crossed = (one(rows, name, "A", "B") for name in ("difference", "difference_crossed"))
    assert over_texts.p_adjusted is not None
    assert over_texts.p_adjusted <= 0.001
    assert crossed.p_adjusted is not None
    assert crossed.p_adjusted > 0.2
    assert crossed.value == pytest.approx(over_texts.value)
    assert (crossed.n_items, crossed.n_raters) == (40, 4)
    assert crossed.low is not None
    assert crossed.high is not None
    assert crossed.low < 0 < crossed.high
    assert crossed.se is not None
    assert over_texts.se is not None
    assert crossed.se > 4 * over_texts.se
    assert crossed.df == pytest.approx(3, abs=0.5)
    assert settings_of(crossed)["generalises_to"] == FURTHER
    assert settings_of(over_texts)["generalises_to"] == THESE
    assert settings_of(one(rows, "wilcoxon", "A", "B"))["generalises_to"] == THESE
    assert settings_of(one(rows, "superiority", "A", "B"))["generalises_to"] == THESE


def test_rows_name_model_correction_and_effect_size() -> None:
    rows = rows_of(planted((0.9, 1.0, 1.1, 0.8, 1.0), systems="ABC"), scale=Scale.ORDINAL)
    row = one(rows, "difference_crossed", "A", "B")
    about = settings_of(row)
    assert about["model"] == "value ~ system + (1|item) + (1|item:system) + (1|rater) + (1|rater:system)"
    assert (about["method"], about["correction"], about["family"]) == (
        "mixed model", "holm", "3 pairs of one criterion",
    )  # fmt: skip
    assert row.p is not None
    assert row.p_adjusted is not None
    assert 0 < row.p <= row.p_adjusted < 0.01
    assert str(row.note).startswith("The steps of the scale are treated as equally far apart.")
    total = sum(sd**2 for sd in about["sd"].values()) ** 0.5
    assert row.value is not None
    assert one(rows, "effect_size_crossed", "A", "B").value == pytest.approx(row.value / total)
    means = {name: one(rows, "mean_crossed", name) for name in "ABC"}
    assert row.value == pytest.approx((means["A"].value or 0) - (means["B"].value or 0))
    for mean in means.values():
        assert mean.low is not None
        assert mean.high is not None
        assert mean.low < (mean.value or 0) < mean.high


def test_a_plan_for_texts_alone_has_the_tests_of_papers_and_no_model() -> None:
    rows = rows_of(planted(TORN), generalise_to="texts")
    assert not [row for row in rows if "crossed" in row.statistic or row.statistic == "rater_difference"]
    assert one(rows, "difference", "A", "B").p is not None


def test_a_run_from_before_the_choice_is_computed_again_as_it_was() -> None:
    """Archives of such runs verify: the rows, their settings and notes are those of that time."""
    screens = planted((0.9, 1.0, 1.1))
    rows = rows_of(screens, earlier=True)
    assert {row.statistic for row in rows} == {
        "mean", "mean_over_raters", "mean_z", "mean_z_over_raters", "median", "sd", "difference", "difference_z",
        "difference_over_raters", "wilcoxon", "superiority", "effect_size", "effect_size_z",
    }  # fmt: skip
    assert [row.statistic for row in rows if "generalises_to" in (row.settings or {})] == []
    mean, difference = one(rows, "mean_over_raters", "A"), one(rows, "difference_over_raters", "A", "B")
    assert settings_of(mean) == {
        "confidence": 0.95, "mean": "over ratings", "interval": "bootstrap over raters",
        "method": "expanded percentiles", "n_resamples": 100, "seed": settings_of(mean)["seed"],
    }  # fmt: skip
    rough = "Fewer than 10 raters: this interval is rough."
    assert (mean.note, difference.note) == (rough, f"The interval rests on 3 items or documents only. {rough}")
    table = screens.table()
    row, system, _item = table.by_system()
    drawn = group_means(
        table.value[row],
        system,
        table.rater[row],
        n_groups=2,
        n_resamples=100,
        confidence=Adjusted(0.95),
        rng=np.random.default_rng(settings_of(mean)["seed"]),
    )[0]
    assert (mean.value, mean.low, mean.high) == (drawn.value, drawn.low, drawn.high)
    assert (difference.p, difference.df) == (None, None)


def test_terms_that_the_design_cannot_tell_apart_are_left_out_and_said() -> None:
    row = one(rows_of(planted((0.5, 0.6, 0.4), one_each=True)), "difference_crossed", "A", "B")
    assert row.p is not None
    assert "item:system" not in settings_of(row)["model"]
    assert "system_item" in settings_of(row)["left_out"]
    assert "Without systems on items: " in str(row.note)


@pytest.mark.parametrize(
    ("screens", "reason"),
    [
        (planted((0.5,)), "One rater only: nothing can be said about further raters."),
        (planted(TORN, items=1), "One text only: nothing can be said about further texts."),
    ],
)
def test_one_rater_or_one_text_allow_no_such_conclusion(screens: Screens, reason: str) -> None:
    rows = rows_of(screens)
    row = one(rows, "difference_crossed", "A", "B")
    assert (row.value, row.p, row.note) == (None, None, reason)
    assert not [row for row in rows if row.statistic == "mean_crossed"]


def test_the_variance_of_raters_who_prefer_other_systems_is_a_component() -> None:
    rows = rows_of(planted(TORN), "variance_components")
    sd = one(rows, "sd_rater_system")
    assert sd.value is not None
    # The differences of raters vary by the SD of raters by system times the root of 2.
    assert sd.value == pytest.approx(np.std(TORN, ddof=1) / 2**0.5, abs=0.1)
    assert settings_of(sd)["method"] == "REML"
    assert (sd.n_ratings, sd.n_items, sd.n_raters) == (320, 40, 4)
    earlier = rows_of(planted(TORN), "variance_components", generalise_to="texts")
    assert {row.statistic for row in earlier} == {"sd_item", "sd_system_item", "sd_rater", "sd_residual"}
    assert settings_of(earlier[0])["method"] == "Henderson 1"
    once = rows_of(planted((0.5, 0.6, 0.4), one_each=True), "variance_components")
    assert one(once, "sd_system_item").value is None
    assert one(once, "sd_system_item").note


def test_two_analyses_of_the_same_ratings_share_one_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    fits: list[int] = []

    def counted(values: Any, *columns: Any, **options: Any) -> Any:
        fits.append(len(values))
        return compare_crossed(values, *columns, **options)

    monkeypatch.setattr("analytics_app.analyses.shared.crossed.compare_crossed", counted)
    torn, agreed = planted(TORN, items=9), planted((0.5, 0.5, 0.5), items=9)
    for screens in (torn, agreed):
        rows_of(screens)
        rows_of(screens, "variance_components")
    assert fits == [72, 54]


def test_each_raters_difference_is_drawn_in_order() -> None:
    rows = rows_of(planted(TORN))
    own = [row for row in rows if row.statistic == "rater_difference"]
    assert [row.rater for row in own] == ["r0", "r1", "r3", "r2"]
    drawn = {one.key: one for one in charts.draw(rows, "main", "quality", name="Quality")}
    chart = drawn["rater-differences"]
    assert chart.title == "2 of 4 raters rate A above B for Quality, 2 below"
    assert [row[0] for row in charts.numbers(chart.spec)[1]] == ["r0", "r1", "r3", "r2"]
    assert "further texts and further raters" in drawn["means"].subtitle
    assert drawn["differences"].title == "The two systems do not differ significantly for Quality"
    agreed = {one.key for one in charts.draw(rows_of(planted((0.9,))), "main", "quality")}
    assert "rater-differences" not in agreed


def test_the_recipe_in_python_gives_the_same_figures(tmp_path: Path) -> None:
    """docs/methods/which-conclusion.md: statsmodels, which is independent of ours, on ratings as they are exported."""
    screens = planted(TORN, items=20)
    table = screens.table()
    row, system, item = table.by_system()
    columns = {"value": table.value[row], "system": system, "item": item, "rater": table.rater[row]}
    kept = {"purpose": "main", "state": "submitted", "excluded_by": "", "criterion": "quality"}
    # What a run leaves out, and answers to checks and to other questions, would lead elsewhere.
    left_out = [{"excluded_by": "manual"}, {"purpose": "control"}, {"state": "surplus"}, {"criterion": "fluency"}]
    others = [pd.DataFrame(columns).assign(**{**kept, **change}, value=1.0) for change in left_out]
    pd.concat([pd.DataFrame(columns).assign(**kept), *others]).to_csv(tmp_path / "ratings.csv", index=False)
    (code,) = recipes.blocks_of("docs/methods/which-conclusion.md")
    with warnings.catch_warnings():
        # A variance that is estimated as 0 makes statsmodels warn.
        warnings.simplefilter("ignore")
        fit = recipes.names_after(code, tmp_path)["fit"]
    ours = one(rows_of(screens), "difference_crossed", "A", "B")
    assert ours.value == pytest.approx(-fit.params["C(system)[T.1]"], abs=1e-4)
    assert ours.se == pytest.approx(fit.bse["C(system)[T.1]"], rel=1e-3)


@pytest.mark.skipif(bool(missing("rankme")), reason=missing("rankme") or "-")
def test_the_published_ratings_of_rankme_have_the_figures_of_lme4() -> None:
    """Novikova et al. (2018), Likert, setup 2, quality; figures by R's lme4 and lmerTest."""
    with (folder_of("rankme") / "items.csv").open(encoding="utf-8", newline="") as stream:
        inputs = {row["item_id"]: row["mr_id"] for row in csv.DictReader(stream)}
    screens, units = Screens(), {}
    raters: dict[str, int] = {}
    with gzip.open(folder_of("rankme") / "ratings.csv.gz", "rt", encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            if (row["method"], row["setup"], row["criterion"]) == ("likert", "2", "quality"):
                place = (inputs[row["item_id"]], row["system"])
                if place not in units:
                    units[place] = screens.unit(*place)
                rater = raters.setdefault(row["rater_id"], len(raters))
                screens.values(rater, units[place], float(row["value"]))
    rows = rows_of(screens, scale=Scale.ORDINAL)
    lead = one(rows, "difference_crossed", "baseline", "sheffield_v2")
    assert (lead.value, lead.se, lead.df) == pytest.approx((0.75, 0.22, 23), rel=0.02)
    assert one(rows, "difference", "baseline", "sheffield_v2").value == pytest.approx(0.62, abs=0.005)
    by_method = json.loads((root_of_all().parent / "mixed_models.json").read_text())["rankme_likert_2_quality"]
    by_r, on_steps = (
        next(row for row in by_method[name]["coefficients"] if row["term"] == "systemsheffield_v2")
        for name in ("lmm", "clmm")
    )
    assert lead.value == pytest.approx(-by_r["estimate"], abs=1e-4)
    assert (lead.se, lead.df) == pytest.approx((by_r["se"], by_r["df"]), rel=1e-2)
    # By ordinal::clmm, with z in the place of t, and without the factor for few raters.
    steps = one(rows, "log_odds", "baseline", "sheffield_v2")
    assert steps.value == pytest.approx(-on_steps["estimate"], abs=1e-3)
    n = steps.n_raters
    assert n is not None
    assert steps.se == pytest.approx(on_steps["se"] * (n / (n - 1)) ** 0.5, rel=1e-2)
    assert steps.df == lead.df
    assert steps.p is not None
    assert steps.p > on_steps["p"]


def test_steps_have_log_odds_and_the_superiority_they_imply() -> None:
    screens = stepped((0.9, 1.0, 1.1, 0.8, 1.0))
    rows = rows_of(screens, scale=Scale.ORDINAL)
    table = screens.table()
    row, system, item = table.by_system()
    crossed = one(rows, "difference_crossed", "A", "B")
    (found,) = compare_ordinal(
        table.value[row], system, item, table.rater[row], n_systems=2, pairs=[(0, 1)], confidence=0.95,
        left_out=[name for name in TERMS if name in settings_of(crossed).get("left_out", {})], df=[crossed.df],
    ).pairs  # fmt: skip
    steps, above = one(rows, "log_odds", "A", "B"), one(rows, "superiority_latent", "A", "B")
    assert (steps.value, steps.se, steps.p) == pytest.approx(
        (found.log_odds.value, found.log_odds.se, found.log_odds.p), rel=1e-4
    )
    assert (steps.df, steps.p_adjusted) == (crossed.df, steps.p)
    assert (above.value, above.low, above.high) == pytest.approx(
        (found.superiority.value, found.superiority.low, found.superiority.high), rel=1e-4
    )
    assert above.p is None
    for one_row in (steps, above):
        assert settings_of(one_row)["generalises_to"] == FURTHER
        assert (one_row.n_items, one_row.n_raters) == (crossed.n_items, crossed.n_raters)
    assert settings_of(steps)["family"] == settings_of(crossed)["family"]


def test_the_model_of_steps_is_fitted_once_to_whole_data_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    def on_steps(rows: list[Row]) -> list[Row]:
        return [row for row in rows if row.statistic in {"log_odds", "superiority_latent"}]

    screens = stepped((0.5, 0.4, 0.6), items=8, systems="ABC")
    assert len(on_steps(rows_of(screens, scale=Scale.ORDINAL))) == 6
    assert not on_steps(rows_of(screens))
    assert not on_steps(rows_of(screens, scale=Scale.ORDINAL, generalise_to="texts"))
    assert not on_steps(rows_of(stepped((0.5,), items=8), scale=Scale.ORDINAL))
    assert not on_steps(rows_of(screens, scale=Scale.ORDINAL, slice="domain=news"))
    assert not on_steps(rows_of(screens, scale=Scale.ORDINAL, group="experts"))
    monkeypatch.setattr("analytics_app.stats.mixed.ordinal.MOST_RATINGS", 10)
    (why,) = on_steps(rows_of(screens, scale=Scale.ORDINAL))
    assert (why.value, why.system, why.by_system) == (None, None, True)
    assert why.note == f"The model of ordinal steps takes up to 10 ratings; there are 72. {ALONE}"
