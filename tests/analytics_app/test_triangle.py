"""The analysis of a triangle test, from imported answers to rows, tables and a chart."""

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from analytics_app import charts
from analytics_app.analyses import registry
from analytics_app.models import Plot, ResultRow
from analytics_app.results import Row
from analytics_app.stats.discrimination import triangle_test as exact
from analytics_app.stats.discrimination.beta_binomial import beta_binomial
from tasks_app.models import Membership, Study

pytestmark = pytest.mark.django_db

STUDY = """\
evalweb: 1
study: {{slug: odd, title: Odd one out, public_title: Odd one out, language: en}}
about: {{institution: Lab}}
tasks:
  - key: triads
    type: triangle
    params: {{anchor: ada, goal: {goal}, triads_per_judge: {triads}, alpha: 0.05, beta: 0.1, pd: 0.4, sureness: true}}
    k: 60
    set_size: {triads}
    spacing: 1
analysis: {{n_permutations: 999, n_resamples: 100}}
systems: [{{key: ada}}, {{key: bert}}, {{key: cleo}}]
"""
ITEMS = """\
item,system,output
a,ada,The sun shines today.
a,bert,It is sunny today.
a,cleo,It is sunny today.
b,ada,Rain falls on the hills.
b,bert,Hills get rain.
"""
ORDERS = ("BAA", "ABA", "AAB", "ABB", "BAB", "BBA")

# judge, unit, right, order (None: not known), sureness (None: not said)
Answer = tuple[str, str, bool, str | None, int | None]


@pytest.fixture
def analysed(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Load a study, import answers, analyse them, and return the results document."""

    def run(
        answers: Sequence[Answer], *, goal: str = "difference", triads: int = 1, items: str = ITEMS
    ) -> dict[str, Any]:
        (tmp_path / "study.yaml").write_text(STUDY.format(goal=goal, triads=triads), encoding="utf-8")
        (tmp_path / "items.csv").write_text(items, encoding="utf-8")
        with (tmp_path / "ratings.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["judgment", "unit", "rater", "criterion", "value", "label", "arrangement"])
            for number, (judge, unit, right, order, sure) in enumerate(answers, start=1):
                drawn = json.dumps({"order": order, "parts": ["AB".index(one) for one in order]}) if order else ""
                common = [number, unit, judge]
                writer.writerow([*common, "odd-one-out", "", 2, drawn])
                writer.writerow([*common, "correct", int(right), "", drawn])
                if sure is not None:
                    writer.writerow([*common, "sureness", sure, "", drawn])
        call_command("load_study", str(tmp_path))
        call_command("import_ratings", "odd", str(tmp_path / "ratings.csv"), "--json")
        call_command("analyse", "odd", "--json", str(tmp_path / "results.json"))
        found: dict[str, Any] = json.loads((tmp_path / "results.json").read_text())
        return found

    return run


def rows_of(document: Mapping[str, Any], statistic: str, **about: Any) -> list[Mapping[str, Any]]:
    return [
        row
        for row in document["rows"]
        if (row["analysis"], row["statistic"], row["basis"]) == ("triangle", statistic, "kept")
        and all(row[name] == value for name, value in about.items())
    ]


def row_of(document: Mapping[str, Any], statistic: str, **about: Any) -> Mapping[str, Any]:
    (found,) = rows_of(document, statistic, **about)
    return found


def first_pair(judges: int, right: int) -> list[Answer]:
    """Answers of different judges about ada and bert on item b."""
    return [
        (f"j{number:03}", "b/ada+bert", number < right, ORDERS[number % 6], 4 if number < right else number % 3 + 1)
        for number in range(judges)
    ]


AB = {"system": "ada", "system_b": "bert"}


def test_a_difference_of_several_pairs(analysed: Callable[..., dict[str, Any]]) -> None:
    # On item a the texts of bert and cleo are the same, are shown as one, and count for both.
    shared = [(f"k{n:03}", "a/ada+bert", n < 12, ORDERS[n % 6], None) for n in range(30)]
    units = {row[1] for row in shared}
    document = analysed([*first_pair(30, 18), *shared])
    pairs = {(row["system"], row["system_b"]): row for row in rows_of(document, "triangle_share")}
    assert set(pairs) == {("ada", "bert"), ("ada", "cleo")}, units
    both, alone = pairs["ada", "bert"], pairs["ada", "cleo"]
    assert (both["n_ratings"], both["n_items"], alone["n_ratings"]) == (60, 2, 30)
    assert both["p"] == pytest.approx(exact.difference_p(30, 60))
    assert alone["p"] == pytest.approx(exact.difference_p(12, 30))
    assert both["p_adjusted"] == pytest.approx(2 * both["p"])
    assert both["note"] == "Different: people can tell the two apart (strong evidence, alpha 0.05)."
    assert alone["note"].startswith("No difference was shown, which is not the same as showing that there is none.")
    assert row_of(document, "triangle_critical", **AB)["value"] == 27
    assert row_of(document, "triangle_power", **AB)["value"] == pytest.approx(0.99, abs=0.01)
    assert row_of(document, "triangle_judges", **AB)["value"] == 30
    assert row_of(document, "discriminators", **AB)["value"] == pytest.approx(0.25)
    assert not rows_of(document, "discriminators_upper")
    assert {row["label"]: row["n_ratings"] for row in rows_of(document, "triad_share")} == dict.fromkeys(
        ["b/ada+bert", *units], 30
    )
    assert [row["n_ratings"] for row in rows_of(document, "order_share", **AB)] == [10] * 6
    assert row_of(document, "odd_position_effect", **AB)["df"] == 2
    assert row_of(document, "position_chosen", label="2")["value"] == 1
    assert row_of(document, "sureness_right_above_wrong")["value"] == 1
    assert row_of(document, "sureness_share", label="4")["value"] == 1
    # Whatever tells who can be told apart waits for the end of the study.
    stored = ResultRow.objects.filter(analysis="triangle")
    assert set(stored.filter(by_system=False).values_list("statistic", flat=True)) == {"position_chosen"}
    assert set(stored.values_list("statistic", flat=True)) <= set(registry["triangle"].statistics)


def test_orders_have_the_letters_of_the_pair_not_of_the_screen(analysed: Callable[..., dict[str, Any]]) -> None:
    first_bert = "item,system,output\nb,bert,Hills get rain.\nb,ada,Rain falls on the hills.\n"
    # On the screen A is bert, whose name comes second in the pair.
    answers = [(f"j{n}", "b/bert+ada", n < 4, "BAA" if n < 4 else "AAB", None) for n in range(6)]
    document = analysed(answers, items=first_bert)
    shown = {row["label"]: (row["value"], row["n_ratings"]) for row in rows_of(document, "order_share", **AB)}
    assert shown == {"ABB": (1.0, 4), "BBA": (0.0, 2)}
    odd = {row["label"]: row["n_ratings"] for row in rows_of(document, "odd_position_share", **AB)}
    assert odd == {"1": 4, "3": 2}


def test_several_triads_a_judge_for_a_difference(analysed: Callable[..., dict[str, Any]]) -> None:
    answers = [
        (f"j{n:02}", unit, right, None, None)
        for n in range(20)
        for unit, right in (("b/ada+bert", n < 10), ("a/ada+bert", n < 12))
    ]
    document = analysed(answers, triads=2)
    found = row_of(document, "triangle_correct", **AB)
    assert found["note"] == "20 judges judged several triads: limits are too narrow, see the beta-binomial."
    assert (found["n_ratings"], found["n_raters"]) == (40, 20)
    expected = beta_binomial([2] * 10 + [1] * 2 + [0] * 8, [2] * 20, confidence=0.95)
    assert row_of(document, "replicated_discriminators", **AB)["value"] == pytest.approx(expected.discriminators.value)
    assert row_of(document, "overdispersion", **AB)["value"] == pytest.approx(expected.overdispersion.value)
    assert not rows_of(document, "order_share"), "nobody knows the orders of this import"


def test_similarity_takes_the_first_answer_of_a_judge_only(analysed: Callable[..., dict[str, Any]]) -> None:
    answers = first_pair(60, 18)
    later = [(judge, "a/ada+bert", True, None, None) for judge, *_rest in answers]
    document = analysed([*answers, *later], goal="similarity")
    found = row_of(document, "triangle_share", **AB)
    assert found["n_ratings"] == 60
    assert found["p"] == pytest.approx(exact.similarity_p(18, 60, 0.4))
    assert found["note"].startswith("Similar: at most")
    said = row_of(document, "triangle_correct", **AB)["note"]
    assert said.endswith("only the first answer of each counts, since similarity needs one each.")
    assert row_of(document, "discriminators_upper", **AB)["value"] < 0.4
    other = row_of(document, "triangle_share", system="ada", system_b="cleo")
    assert "Similarity was not shown: up to 100.0 % may be able to tell" in other["note"]


@pytest.mark.charts
def test_the_page_says_the_verdict_first_and_the_chart_claims_no_more(
    analysed: Callable[..., dict[str, Any]], rosa: Any
) -> None:
    analysed(first_pair(30, 18))
    study = Study.objects.get(slug="odd")
    Membership.objects.create(study=study, user=rosa, role="owner")
    browser = Client()
    browser.force_login(rosa)
    page = browser.get("/admin/studies/odd/results/").content.decode()
    assert "Verdicts" in page
    assert "Different: people can tell the two apart" in page
    assert page.index("Verdicts") < page.index("How many people can tell") < page.index("Right choices by order")
    plot = Plot.objects.get(key__endswith="triangle")
    assert plot.criterion == "correct"
    assert plot.title == "People can tell ada and bert apart"
    assert plot.by_system
    curve = Plot.objects.get(key__endswith="triangle-curve")
    # R sensR discrimSS: 30 judges are the fewest with a power of .9 at pd = .4 and alpha .05.
    assert curve.title.endswith("probability of showing a difference is 90\u00a0% if 40\u00a0% of people can tell")
    assert curve.by_system, "it shows what was observed"


def share_row(correct: int, n: int, p: float, goal: str, pair: tuple[str, str] = ("ada", "bert")) -> list[Row]:
    low, high = exact.share_limits(correct, n, confidence=0.95)
    about: dict[str, Any] = {
        "analysis": "triangle", "task": "t", "criterion": "correct", "system": pair[0], "system_b": pair[1],
        "by_system": True, "basis": "kept", "settings": {"goal": goal, "alpha": 0.05, "beta": 0.05, "pd": 0.3},
    }  # fmt: skip
    needed = exact.most_correct(n, 0.05, 0.3) if goal == "similarity" else exact.least_correct(n, 0.05)
    return [
        Row(
            statistic="triangle_share", value=correct / n, low=low, high=high, p=p, p_adjusted=p, n_ratings=n,
            n_raters=n, **about,
        ),
        Row(statistic="triangle_critical", value=float(needed), **about),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "title"),
    [
        (share_row(15, 30, 0.0435, "difference"), "People can tell ada and bert apart"),
        (share_row(12, 30, 0.28, "difference"), "It was not shown that people can tell ada and bert apart"),
        (share_row(36, 98, 0.0007, "similarity"), "ada and bert are hard to tell apart"),
        (share_row(50, 98, 0.5, "similarity"), "It was not shown that ada and bert are similar"),
        (
            [*share_row(15, 30, 0.0435, "difference"), *share_row(12, 40, 0.6, "difference", ("ada", "cleo"))],
            "For 1 of 2 pairs of systems it was shown that people can tell them apart",
        ),
    ],
)
def test_the_chart_in_words(rows: list[Row], title: str) -> None:
    (drawn,) = charts.draw(rows, "t", "correct", confidence=0.95)
    assert drawn.title == title
    assert "from guessing (one in three) to what" in drawn.subtitle
    columns, numbers = charts.numbers(drawn.spec)
    assert [head for _name, head in columns][4] == "Guessing"
    assert len(numbers) == len(rows) // 2


def curve_rows(correct: int, n: int, goal: str, *, beta: float = 0.05, pd: float = 0.3) -> list[Row]:
    _share, critical = share_row(correct, n, 0.5, goal)
    settings = {**(critical.settings or {}), "beta": beta, "pd": pd}
    told = exact.discriminators(correct, n, confidence=0.95)
    about = {"statistic": "discriminators", "value": told.value, "low": told.low, "high": told.high}
    critical = replace(critical, settings=settings, n_ratings=n)
    return [critical, replace(critical, **about)]


def test_the_curve_goes_through_published_values() -> None:
    """R sensR 1.5-3: discrimPwr(pd = .3, n = 30) and (.2, 100), exact, alpha .05; discrim(15, 30) at 0 and observed."""
    (drawn,) = charts.draw([*curve_rows(15, 30, "difference")], "t", "correct", confidence=0.95)
    _columns, (observed, *curve) = charts.numbers(drawn.spec)
    assert observed[:3] == ["ada – bert", pytest.approx(0.25), None]
    assert observed[3:] == [0, pytest.approx(0.530544571198)]
    by_share = {x: value for name, x, value, _low, _high in curve if name == "30 answers"}
    assert by_share[0.3] == pytest.approx(0.709083141211, abs=1e-10)
    assert by_share[0.0] == pytest.approx(0.0434822757279, abs=1e-10)
    assert by_share[1.0] == 1
    assert list(by_share.values()) == sorted(by_share.values())
    assert drawn.title.endswith("probability of showing a difference is 71\u00a0% if 30\u00a0% of people can tell")
    assert "at least 15 of 30 right" in drawn.subtitle
    (drawn,) = charts.draw([*curve_rows(50, 100, "difference", pd=0.2)], "t", "correct", confidence=0.95)
    assert "85\u00a0% if 20\u00a0% of people can tell" in drawn.title
    assert {x: value for _name, x, value, *_ in charts.numbers(drawn.spec)[1][1:]}[0.2] == pytest.approx(0.849865253948)


def test_the_curve_of_similarity_falls_to_the_risk_at_the_share_allowed() -> None:
    rows = curve_rows(25, 66, "similarity")
    (drawn,) = charts.draw(rows, "t", "correct", confidence=0.95)
    curve = {x: value for _name, x, value, *_ in charts.numbers(drawn.spec)[1][1:]}
    assert curve[0.3] <= 0.05 < curve[0.28]
    # With one right choice more the risk would be too high: 28 of 66 is the most (sensR findcr, test = "similarity").
    assert "at most 28 of 66 right" in drawn.subtitle
    assert curve[0.0] == pytest.approx(0.953, abs=0.0005), "docstring of power_of_similarity; 95 % in the title"
    assert "similarity is 95\u00a0% if nobody can tell" in drawn.title
