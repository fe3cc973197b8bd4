"""González Corbelle, Alonso Moral and Bugarín Diz (2020), "A proof of concept on triangular test evaluation for NLG".

EvalNLGEval 2020. Tables 1 to 3 (taken there from ISO 4120) and both worked examples, by the functions that the planning
page and the analysis use; and the example of 98 judges once more through a study. One printed number of judges differs:
pd 10 %, alpha .05, beta .001 is printed 1181, and 1178 are enough.
"""

import csv
import json
import shutil
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from analytics_app.stats.discrimination import triangle_test as exact
from analytics_app.stats.planning.discrimination_power import judges_each, judges_needed, power_of_difference
from tests.reproduction.conftest import command
from tests.reproduction.published import OURS, every, expected, folder_of, left_out, missing, row_of

SET = "triangle_test"
MISPRINTED = {"min_judges.pd=0.1.alpha=0.05.beta=0.001"}
TABLES = {"min_judges": 125, "min_correct": 95, "max_correct": 100}


def settings_of(name: str) -> dict[str, float]:
    """Read the settings out of the name of a figure: min_judges.pd=0.1.alpha=0.05.beta=0.001."""
    return {key.rpartition(".")[2]: float(value) for key, value in _parts(name)}


def _parts(name: str) -> list[tuple[str, str]]:
    pieces = name.split("=")
    found = []
    for before, after in pairwise(pieces):
        key = before.rpartition(".")[2]
        value = after if after is pieces[-1] else after.rpartition(".")[0]
        found.append((key, value))
    return found


def computed(name: str) -> int | None:
    """Compute the cell of a table."""
    said = settings_of(name)
    if name.startswith("min_judges"):
        return judges_needed(alpha=said["alpha"], beta=said["beta"], pd=said["pd"]).smallest
    n = int(said["n"])
    if name.startswith("min_correct"):
        least = int(exact.least_correct(n, said["alpha"]))
        return least if least <= n else None
    return int(exact.most_correct(n, said["beta"], said["pd"]))


def in_tables(name: str) -> bool:
    return name.split(".", maxsplit=1)[0] in TABLES


@every(expected(SET, in_tables))
def test_every_cell_of_the_tables(name: str, figure: Mapping[str, Any]) -> None:
    assert computed(name) == figure["value"]
    if name not in MISPRINTED:
        assert computed(name) == figure.get("paper")  # none is possible: printed as a dash


def test_so_many_cells_are_compared() -> None:
    if reason := missing(SET):
        pytest.skip(reason)
    found = json.loads((folder_of(SET) / "expected.json").read_text())
    cells = {kind: sum(name.startswith(kind) for name in found) for kind in TABLES}
    assert cells == TABLES
    cells_of = {name: figure for name, figure in found.items() if in_tables(name)}
    assert {name for name, one in cells_of.items() if one["value"] != one.get("paper")} == MISPRINTED


def test_how_many_judges_keep_the_power() -> None:
    if reason := missing(SET):
        pytest.skip(reason)
    with (folder_of(SET) / "table1_judges.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        said = {name: float(row[name]) for name in ("alpha", "beta", "pd")}
        assert judges_needed(**said).stable == int(row["exact_all_larger_n_ok"]), row
        n = int(row["printed"])
        assert 1 - float(power_of_difference(n, alpha=said["alpha"], pd=said["pd"])) == pytest.approx(
            float(row["actual_beta_at_printed_n"]), abs=5e-7
        )


WORKED: dict[str, Callable[[], Any]] = {
    "worked.similarity_98_36.upper_limit_text_formula": lambda: exact.normal_limits(36, 98, alpha=0.05, beta=0.01).high,
    "worked.similarity_98_36.upper_limit_clopper_pearson": lambda: exact.upper_limit(36, 98, risk=0.01, pd=0.3).value,
    "worked.similarity_98_36.p_value_difference_test": lambda: exact.difference_p(36, 98),
    "worked.similarity_98_36.p_value_similarity_pd0.3": lambda: exact.similarity_p(36, 98, 0.3),
    "worked.similarity_98.max_correct.beta0.01.pd0.3": lambda: int(exact.most_correct(98, 0.01, 0.3)),
    "worked.judges.alpha0.05.beta0.05.pd0.5": lambda: judges_needed(alpha=0.05, beta=0.05, pd=0.5).smallest,
    "worked.critical.n=24.alpha=0.05": lambda: int(exact.least_correct(24, 0.05)),
    "formula.lower_limit.n=24.x=13.alpha=0.05": lambda: exact.normal_limits(13, 24, alpha=0.05, beta=0.05).low,
    "presentation.counts.98_judges": lambda: _times(98),
    "presentation.counts.64_judges": lambda: _times(64),
}


def _times(n: int) -> dict[str, int]:
    each = judges_each(n).tolist()
    return {f"{times}_times": each.count(times) for times in set(each)}


@every(expected(SET, lambda name: not in_tables(name)))
def test_the_worked_examples(name: str, figure: Mapping[str, Any]) -> None:
    found = WORKED[name]()
    if isinstance(figure["value"], dict):
        assert found == figure["value"]
        return
    assert found == pytest.approx(figure["value"], abs=figure["tolerance"] or 0)
    if isinstance(figure.get("paper"), float):
        assert round(found, 3) == figure["paper"]


@pytest.mark.django_db
def test_the_example_of_98_judges_as_a_study(tmp_path: Path) -> None:
    for name in ("study.yaml", "items.csv"):
        shutil.copy(OURS / SET / name, tmp_path)
    ratings = tmp_path / "ratings.csv"
    write_ratings(ratings, n=98, right=36)
    command("load_study", str(tmp_path))
    command("import_ratings", "triangle-worked", str(ratings), "--json")
    document = tmp_path / "results.json"
    command("analyse", "triangle-worked", "--json", str(document))
    results = json.loads(document.read_text())

    def row(statistic: str, **about: Any) -> Mapping[str, Any]:
        pair = {"criterion": "correct", "system": "template", "system_b": "writer", **about}
        return row_of(results, analysis="triangle", statistic=statistic, task="triads", **pair)

    assert (row("triangle_correct")["value"], row("triangle_correct")["n_raters"]) == (36, 98)
    share = row("triangle_share")
    assert share["value"] == pytest.approx(36 / 98)
    assert share["p"] == pytest.approx(0.0006945916225325032, abs=1e-12)
    assert share["note"] == "Similar: at most 23.4 % can tell (risk 0.01); 30 % were allowed."
    assert row("triangle_critical")["value"] == 40
    assert row("discriminators_upper")["value"] == pytest.approx(0.2339733549679277, abs=1e-9)
    assert row("discriminators_normal")["value"] == pytest.approx(0.22121868613490603, abs=1e-9)
    assert row("discriminators_normal")["note"].startswith(
        "The limit by the paper's approximation is shown to compare only"
    )
    assert row("discriminators")["value"] == pytest.approx(36 / 98 * 1.5 - 0.5)
    shown = {order: row("order_share", label=order)["n_ratings"] for order in ORDERS}
    assert sorted(shown.values()) == [16, 16, 16, 16, 17, 17]
    thirds = [row("odd_position_share", label=place)["n_ratings"] for place in "123"]
    assert sum(thirds) == 98
    sure = {"criterion": "sureness", "system": None, "system_b": None}
    assert row("sureness_median", label="right", **sure)["value"] == 4
    assert row("sureness_median", label="wrong", **sure)["value"] == 1
    assert row("sureness_right_above_wrong", **sure)["value"] == 1


ORDERS = ("BAA", "ABA", "AAB", "ABB", "BAB", "BBA")


def write_ratings(file: Path, *, n: int, right: int) -> None:
    """Write the answers of n judges: the first `right` find the odd text and are certain, the others are not."""
    with file.open("w", encoding="utf-8", newline="") as target:
        writer = csv.writer(target)
        writer.writerow(["judgment", "unit", "rater", "criterion", "value", "label", "arrangement"])
        for judge in range(n):
            order = ORDERS[judge % 6]
            odd = judge % 3 + 1
            found = judge < right
            drawn = json.dumps({"order": order, "parts": ["AB".index(letter) for letter in order]})
            chosen = odd if found else odd % 3 + 1
            common = [judge + 1, "monday/template+writer", f"judge-{judge + 1:03}"]
            writer.writerow([*common, "odd-one-out", "", chosen, drawn])
            writer.writerow([*common, "correct", int(found), "", drawn])
            writer.writerow([*common, "sureness", 4 if found else 1, "", drawn])


def test_no_published_figure_is_left_out() -> None:
    assert left_out(SET) == set()
