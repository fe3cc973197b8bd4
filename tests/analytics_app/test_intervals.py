"""What intervals are over, and what is said of those that rest on little."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import scipy.stats

from analytics_app import analyses
from analytics_app.analyses import Common, Question, Sample
from analytics_app.ratings import Extras, Table
from analytics_app.ratings.extras.kinds import Kinds
from analytics_app.results import Row
from analytics_app.stats.scales.standardise import judge_wise_z
from tasks_app.task_types.base import Scale
from tests.analytics_app.by_commands import analysed, load, one, score, write
from tests.analytics_app.comparing import Screens

STEPS = (1.0, 2.0, 3.0, 4.0, 5.0)


def rows(
    name: str, data: Table, task_type: str = "likert", *, over_raters: Literal["t", "percentile"] = "t", **question: Any
) -> list[Row]:
    """The rows of an analysis with its defaults, of documents shown whole unless that is said otherwise."""
    asked = Question("main", task_type, Scale.ORDINAL, "quality", STEPS, (1.0, 5.0), by_document=True)
    z = judge_wise_z(data.value, data.rater).z
    known = Extras({Kinds: Kinds.empty(data)})
    common = Common(n_resamples=200, n_permutations=99, seed=5, over_raters=over_raters)
    sample = Sample(data, z, replace(asked, **question), common, "kept", extras=known)
    return list(analyses.registry[name]().rows(sample))


def judged(
    n_documents: int, *, raters: int = 3, systems: str = "A B", one_each: bool = False, constant: int = 0
) -> Table:
    """Two items a document, rated by all raters, or each rater by one system only; some give threes throughout."""
    draw, screens = np.random.default_rng(3), Screens()
    units = {
        (item, system): screens.unit(f"i{item:02}", system)
        for item in range(2 * n_documents)
        for system in systems.split()
    }
    for (item, system), unit in units.items():
        for rater in range(raters):
            if not one_each or "AB".index(system) == rater % 2:
                value = 3 + 0.6 * (item % 5 - 2) + draw.normal(0, 0.8)
                screens.values(rater, unit, 3.0 if rater < constant else float(np.clip(np.round(value), 1, 5)))
    data = screens.table()
    documents = np.arange(2 * n_documents, dtype=np.int32) // 2
    names = replace(data.names, document_of_item=documents, documents=tuple(f"d{k}" for k in range(n_documents)))
    return replace(data, names=names)


def of(found: list[Row], statistic: str, **columns: Any) -> Row:
    (row,) = [
        row for row in found if row.statistic == statistic and all(getattr(row, k) == v for k, v in columns.items())
    ]
    return row


class TestMeans:
    def test_those_over_few_documents_say_so(self) -> None:
        mean = of(rows("systems", judged(4)), "mean", system="A")
        assert mean.low is not None
        assert mean.n_items == 8
        assert mean.note == (
            "The steps of the scale are treated as equally far apart. Generalises to new documents, not to new raters. "
            "The interval rests on 4 documents only."
        )
        enough = of(rows("systems", judged(10)), "mean", system="A")
        assert str(enough.note).endswith("equally far apart. Generalises to new documents, not to new raters.")
        by_item = of(rows("systems", judged(4), by_document=False), "mean", system="A")
        assert str(by_item.note).endswith("The interval rests on 8 items only.")

    def test_a_z_that_is_refused_says_why_and_nothing_of_an_interval(self) -> None:
        found = rows("systems", judged(4, one_each=True))
        for statistic in ("mean_z", "mean_z_over_raters"):
            row = of(found, statistic, system="A")
            assert (row.value, row.low) == (None, None)
            assert row.note == "Most raters saw one system only, so z cannot tell systems apart and is not given."

    def test_who_has_no_z_is_not_counted_for_its_interval(self) -> None:
        found = rows("systems", judged(4, raters=11, constant=2), over_raters="percentile")
        assert (
            of(found, "mean_over_raters", system="A").note == "The steps of the scale are treated as equally far apart."
        )
        z = of(found, "mean_z_over_raters", system="A")
        assert (z.n_raters, z.note) == (9, "Fewer than 10 raters: this interval is rough.")

    def test_those_over_raters_are_students_and_say_to_what_they_generalise(self) -> None:
        data = judged(4, raters=5)
        found = rows("systems", data)
        mean, over_items = of(found, "mean_over_raters", system="A"), of(found, "mean", system="A")
        of_a = data.by_system()[1] == 0
        own = [data.value[of_a & (data.rater == rater)].mean() for rater in range(5)]
        expected = scipy.stats.t.interval(0.95, 4, np.mean(own), scipy.stats.sem(own))
        assert (mean.low, mean.high, mean.df) == pytest.approx((*expected, 4))
        assert mean.settings is not None
        assert over_items.settings is not None
        assert (mean.settings["interval"], mean.settings["generalises_to"]) == (
            "Student's t over raters", "further raters, on these texts",
        )  # fmt: skip
        assert over_items.settings["generalises_to"] == "further texts, by these raters"

    def test_a_difference_over_raters_has_its_p(self) -> None:
        difference = of(rows("systems", judged(4, raters=5, systems="A B C")), "difference_over_raters", system_b="B")
        assert difference.p is not None
        assert difference.p_adjusted is not None
        assert difference.settings is not None
        assert difference.settings["family"] == "3 pairs of one criterion"
        of_two = of(rows("systems", judged(4, raters=3)), "difference_over_raters")
        assert (of_two.p, of_two.low) == (None, None)
        assert of_two.note == "No interval over raters: it takes at least 4, and here are 3."
        earlier = of(rows("systems", judged(4, raters=3), over_raters="percentile"), "difference_over_raters")
        assert earlier.p is None
        assert earlier.low is not None


class TestAgreement:
    @pytest.mark.parametrize(
        ("analysis", "statistic"),
        [("krippendorff", "alpha"), ("agreement", "percent_agreement"), ("agreement", "fleiss_kappa")],
    )
    def test_documents_shown_whole_are_drawn(self, analysis: str, statistic: str) -> None:
        whole = of(rows(analysis, judged(12)), statistic)
        texts = of(rows(analysis, judged(12), by_document=False), statistic)
        assert whole.settings is not None
        assert texts.settings is not None
        assert (whole.settings["interval"], texts.settings["interval"]) == (
            "bootstrap over documents", "bootstrap over texts",
        )  # fmt: skip
        assert whole.value == texts.value
        assert (whole.low, whole.high) != (texts.low, texts.high)
        few = of(rows(analysis, judged(9)), statistic)
        assert (few.low, few.n_items) == (None, 36)
        assert "Too few documents" in str(few.note)

    @pytest.mark.parametrize(("raters", "said"), [(2, "Fisher's z"), (3, None)])
    def test_correlations_say_what_their_interval_is(self, raters: int, said: str | None) -> None:
        found = rows("correlation", judged(12, raters=raters))
        # With three raters of every text the stacked one has no interval, and says nothing of one.
        assert [of(found, name).settings.get("interval") for name in ("pearson", "spearman")] == [said, said]
        pairs = [row for row in found if row.statistic == "pearson_pair"]
        assert {(row.settings or {})["interval"] for row in pairs} == {"Fisher's z"}

    def test_rankings_have_documents_for_blocks(self) -> None:
        draw, screens = np.random.default_rng(3), Screens()
        for item in range(24):
            unit = screens.unit(f"i{item:02}", "A", "B", "C")
            for rater in range(2):
                screens.values(rater, unit, *(draw.permutation(3) + 1.0))
        data = screens.table()
        documents = np.arange(24, dtype=np.int32) // 2
        data = replace(data, names=replace(data.names, document_of_item=documents, documents=("d",) * 12))
        found = {flag: rows("ranking", data, "ranking", by_document=flag) for flag in (True, False)}
        friedman = {flag: of(one, "friedman_chi2") for flag, one in found.items()}
        assert [friedman[flag].n_items for flag in (True, False)] == [12, 24]
        assert str((friedman[True].settings or {})["blocks"]).startswith("documents")
        w = {flag: of(one, "concordance_w") for flag, one in found.items()}
        assert w[True].value == w[False].value
        assert w[True].low != w[False].low
        assert (w[True].settings or {})["interval"] == "bootstrap over documents"


@pytest.mark.django_db
def test_suggestions_in_documents_and_those_of_several_systems(tmp_path: Path) -> None:
    """Three systems; in every third document A and C wrote the same, which stands against B as either's."""
    texts = {
        (f"i{k}", system): "same" if system in "AC" and k // 2 % 3 == 0 else f"{system} {k}"
        for k in range(24)
        for system in "ABC"
    }
    document = {f"i{k}": {"document": f"d{k // 2}", "position": k % 2 + 1} for k in range(24)}
    items = [
        {"item": item, "system": system, "output": text, "source": "s", **document[item]}
        for (item, system), text in texts.items()
        if not (int(item[1:]) // 2 % 3 and system == "C")
    ]
    ratings = []
    for k in range(24):
        for system in "AB":
            said = "chosen" if (system == "A") == (k % 4 != 0) else "not chosen"
            ratings.append({"rater": "ann", "item": f"i{k}", "system": system, "criterion": "choice", "label": said})
    task = {"type": "post_edit", "params": {"suggestions": 2}, "k": 1, "keep_identical": False}
    load(tmp_path, task, items, ratings)
    found = analysed(tmp_path, {"analysis": "post_edit"})
    over = one(found, "suggestion_chosen_over", system="A", system_b="B")
    assert (over["value"], over["n_ratings"]) == (0.75, 24)
    other = one(found, "suggestion_chosen_over", system="B", system_b="C")
    assert (other["n_ratings"], other["settings"]["family"]) == (8, "2 pairs")
    assert other["settings"]["interval"] == "bootstrap over items"
    # A plan that names the pair the other way round has it so here, and no other pair changes.
    planned = analysed(tmp_path, {"analysis": "post_edit"}, comparisons=[["B", "A"]])
    turned = one(planned, "suggestion_chosen_over", system="B", system_b="A")
    assert (turned["value"], turned["n_ratings"]) == (0.25, 24)
    assert one(planned, "suggestion_chosen_over", system="B", system_b="C")["value"] == other["value"]


@pytest.mark.django_db
def test_marks_and_scores_of_documents_shown_whole(tmp_path: Path) -> None:
    items = [
        {
            "item": f"i{k}", "system": system, "output": f"Some words of {system} in text {k}", "source": "Source",
            "document": f"d{k // 2}", "position": k % 2 + 1,
        }
        for k in range(24)
        for system in "AB"
    ]  # fmt: skip
    ratings = [
        {
            "rater": rater, "item": row["item"], "system": row["system"], "criterion": "errors",
            "category": "style/awkward",
            "severity": "major" if number % 3 else "minor", "span_side": "output", "span_start": start,
            "span_end": start + 4,
        }
        for number, row in enumerate(items)
        for rater, start in (("ann", 0), ("bob", number // 4 % 4))
    ]  # fmt: skip
    task = {"type": "error_spans", "params": {"scheme": "mqm"}, "k": 2, "design": "documents", "set_size": 2}
    load(tmp_path, task, items, ratings)
    scores = [{"item": row["item"], "system": row["system"], "m": number % 7} for number, row in enumerate(items)]
    score(write(tmp_path / "scores.csv", scores), "m")
    found = analysed(tmp_path, {"analysis": "error_spans"}, {"analysis": "metrics_of_errors"})
    for statistic in ("span_f1_exact", "character_alpha", "metric_pearson_texts", "metric_tau_like_pooled"):
        row = next(row for row in found if row["statistic"] == statistic)
        assert row["settings"]["interval"] == "bootstrap over documents", statistic
        assert row["low"] is not None
        # Items, or texts, and not the twelve documents.
        assert row["n_items"] > 12, statistic
