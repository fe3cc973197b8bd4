"""Two runs side by side: what differs in their settings, what they found, and the file."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from analytics_app.models import ResultLift, ResultRow
from analytics_app.results import Row
from analytics_app.show.comparisons import Unit
from analytics_app.views.comparing.tables import turned
from tasks_app.models import Event, Study
from tasks_app.services.study import lifecycle
from tests.analytics_app.builders import LIKERT, SETTINGS, TESTS, build_run, funnel, likert_rows
from tests.analytics_app.views.reading import page, tables, text
from tests.rendering import with_context

pytestmark = pytest.mark.django_db

PLAIN = {**SETTINGS, "rules": [{"rule": "iqr", "factor": 1.5}], "comparisons": "all"}


@pytest.fixture
def closed(study: Study, rosa: User) -> Study:
    """Rosa's study, closed, without the run that closing starts."""
    study = lifecycle.move(study_id=study.pk, action="close", by=rosa)
    study.runs.all().delete()
    return study


@pytest.fixture
def address(closed: Study) -> str:
    """The page that compares two runs of that study."""
    return f"/admin/studies/{closed.slug}/results/compare/"


def without_iqr(rows: Sequence[Row]) -> Iterator[Row]:
    """Change rows as another run might have them: north and south are no longer apart, and alpha is lower."""
    for row in rows:
        if row.statistic == "mean" and row.system == "south":
            assert row.value is not None
            yield replace(row, value=row.value + 0.4)
        elif row.statistic == "difference" and {row.system, row.system_b} == {"north", "south"}:
            yield replace(row, p=0.2, p_adjusted=0.4)
        elif row.statistic == "alpha":
            yield replace(row, value=0.31, low=0.25, high=0.36)
        else:
            yield row


def all_kept() -> list[Row]:
    """Return the funnel of a run without rules."""
    rows = [row for row in funnel() if row.statistic == "collected"]
    return [*rows, replace(rows[0], statistic="kept")]


@pytest.fixture
def two(closed: Study) -> Study:
    """A planned run, and one without its rule that corrects otherwise."""
    build_run(closed, [*funnel(), *likert_rows()], planned=True, settings=PLAIN, facts={"manual_exclusions": []})
    changed = {**PLAIN, "rules": [], "correction": "bonferroni", "analyses": "all"}
    build_run(closed, [*all_kept(), *without_iqr(likert_rows())], settings=changed, facts={"manual_exclusions": []})
    return closed


# The page -------------------------------------------------------------------------------------------------


def test_what_differs_comes_first_and_in_words(rosas_browser: Client, address: str, two: Study) -> None:
    html = page(rosas_browser, f"{address}?a=1&b=2")
    said = text(html)
    for sentence in (
        "Only run 1 applies the rule Interquartile range.",
        "Run 2 computes all analyses that fit, run 1 only 3 selected ones.",
        "Correction: Holm in run 1, Bonferroni in run 2.",
        "1 of 3 tests of pairs of systems reaches different conclusions in the two runs, for: Fluency.",
    ):
        assert sentence in said
    assert said.index("Only run 1") < said.index("1 of 3 tests") < said.index("Finding Run 1:")


def test_a_criterion_has_findings_groups_systems_pairs_and_agreement(
    rosas_browser: Client, address: str, two: Study
) -> None:
    html = page(rosas_browser, f"{address}?a=1&b=2")
    said = text(html)
    assert "Finding Run 1: north is rated higher than south and west" in said
    assert "Groups Run 1: north above south, west. Run 2: " in said
    assert "alpha (ordinal) 0.48 (interval 0.42 to 0.53). Run 2: " in said
    assert "(ordinal) 0.31 (interval 0.25 to 0.36)." in said
    (rows,) = [rows for caption, rows in tables(html) if caption == "Systems"]
    assert rows[0][0] == "System"
    assert rows[0][-1] == "Difference (second − first run)"
    assert rows[0][2] == "Interval, run 1"
    assert rows[1] == ["north", "4.20", "3.90 to 4.50", "4.20", "3.90 to 4.50", "0.00"]
    assert [row[-1] for row in rows[1:]] == ["0.00", "0.40", "0.00"]
    found = (
        "north is rated higher than south (adjusted p &lt; 0.001); no clear difference in run 2 (adjusted p = 0.400)."
    )
    assert f"north and south: in run 1 {found}" in said
    (steps,) = [rows for caption, rows in tables(html) if caption == "What was excluded"]
    assert steps[1:] == [
        ["Collected", "720", "12", "720", "12"],
        ["Interquartile range", "− 9", "4", "–", "–"],
        ["Kept for the results", "711", "12", "720", "12"],
    ]


def test_equal_runs_say_so_once(rosas_browser: Client, address: str, two: Study) -> None:
    said = text(page(rosas_browser, f"{address}?a=1&b=1"))
    assert "The two runs have the same ratings and settings." in said
    assert "All 3 tests of pairs of systems that both runs computed reach the same conclusion." in said
    assert "Both runs: north is rated higher" in said
    assert "Pairs on which the tests disagree" not in said


def test_a_single_pair_is_not_counted(rosas_browser: Client, closed: Study, address: str) -> None:
    rows = [row for row in likert_rows() if "west" not in (row.system, row.system_b)]
    build_run(closed, rows)
    build_run(closed, list(without_iqr(rows)))
    the_test = "The one test of a pair of systems that both runs computed reaches"
    assert f"{the_test} the same conclusion." in text(page(rosas_browser, f"{address}?a=1&b=1"))
    assert f"{the_test} different conclusions in them." in text(page(rosas_browser, f"{address}?a=1&b=2"))


def test_systems_are_in_the_order_of_the_first_run_and_then_those_of_the_second_alone(
    rosas_browser: Client, closed: Study, address: str
) -> None:
    rows = likert_rows()
    build_run(closed, [row for row in rows if "west" not in (row.system, row.system_b)])
    build_run(closed, [row for row in rows if "north" not in (row.system, row.system_b)])
    html = page(rosas_browser, f"{address}?a=1&b=2")
    (compared,) = [table for caption, table in tables(html) if caption == "Systems"]
    assert [(row[0], row[-1]) for row in compared[1:]] == [("north", "–"), ("south", "0.00"), ("west", "–")]


def test_ratings_exclusions_versions_and_rules_that_differ(rosas_browser: Client, closed: Study, address: str) -> None:
    rules = [{"rule": "manual"}, {"rule": "iqr", "factor": 1.5}, {"rule": "burn_in", "n": 10}]
    others = [{"rule": "burn_in", "n": 3}, {"rule": "manual"}, {"rule": "skips", "n": 5}, {"rule": "gone"}]
    one = {"rules": rules, "comparisons": [["alpha-mt", "beta-mt"]], "analyses": [{"analysis": "systems"}]}
    two = {"rules": others, "analyses": [{"analysis": "krippendorff", "level": "interval"}], "ddof": 0}
    build_run(closed, likert_rows(), settings=PLAIN | one, facts={"manual_exclusions": [1, 2]}, n_seen=90)
    build_run(closed, likert_rows(), settings=PLAIN | two, facts={}, n_seen=100, version=2, code_version="9.9")
    said = text(page(rosas_browser, f"{address}?a=1&b=2"))
    for sentence in (
        "Run 1 used version 1 of the study, run 2 used version 2.",
        "Ratings before exclusions: 100 in run 2, 90 in run 1.",
        "The list of exclusions by hand changed: it had 2 entries at run 1 and 0 at run 2.",
        "run 2 by evalweb 9.9.",
        "Only run 1 applies the rule Interquartile range.",
        "Only run 2 applies the rules Skipped units and gone.",
        "Burn-in, “Judgments to leave out”: 10 in run 1, 3 in run 2.",
        "Run 1 and run 2 apply their shared rules in different orders.",
        "Only run 1 computes Systems.",
        "Pairs of systems: alpha-mt – beta-mt in run 1, every pair in run 2.",
        "Degrees of freedom subtracted for the standard deviation in z: 1 in run 1, 0 in run 2.",
    ):
        assert sentence in said


def test_without_an_address_the_planned_run_stands_beside_the_newest(
    rosas_browser: Client, closed: Study, address: str
) -> None:
    none = text(page(rosas_browser, address))
    assert "A comparison needs two finished runs." in none
    build_run(closed, likert_rows())
    assert "A comparison needs two finished runs." in text(page(rosas_browser, address))
    build_run(closed, likert_rows())
    assert chosen(rosas_browser, address) == (1, 2)
    assert chosen(rosas_browser, f"{address}?b=1") == (2, 1)
    build_run(closed, likert_rows(), planned=True)
    assert chosen(rosas_browser, address) == (3, 2)
    build_run(closed, likert_rows())
    build_run(closed, state="running")
    assert chosen(rosas_browser, address) == (3, 4)
    assert chosen(rosas_browser, f"{address}?a=1") == (1, 4)
    assert chosen(rosas_browser, f"{address}?b=3") == (2, 3)
    for wrong in ("a=5", "a=9", "b=x", "a=-1", "b=%00", "a=99999999999999999999"):
        page(rosas_browser, f"{address}?{wrong}", 404)


def chosen(browser: Client, address: str) -> tuple[int, int]:
    with with_context():
        choice = browser.get(address).context["choice"]
    return choice.a.number, choice.b.number


def test_results_lead_there(rosas_browser: Client, address: str, two: Study) -> None:
    html = page(rosas_browser, f"/admin/studies/{two.slug}/results/")
    assert f'href="{address}?a=1&amp;b=2"' in html
    assert f'href="{address}?a=1"' in html
    # The planned run is the first of the two, whichever page leads there.
    other = page(rosas_browser, f"/admin/studies/{two.slug}/results/2/")
    assert f'href="{address}?a=1&amp;b=2"' in other
    assert f'href="{address}?b=2"' in other


# Hidden systems, and who may see it ------------------------------------------------------------------------


def test_hidden_systems_stay_hidden(rosas_browser: Client, study: Study, rosa: User) -> None:
    address = f"/admin/studies/{study.slug}/results/compare"
    build_run(study, [*funnel(), *likert_rows()], settings=PLAIN)
    build_run(study, [*all_kept(), *without_iqr(likert_rows())], settings={**PLAIN, "rules": []})
    said = text(page(rosas_browser, f"{address}/?a=1&b=2"))
    file = rosas_browser.get(f"{address}.csv?a=1&b=2").content.decode()
    assert "Results by system are hidden until the study is closed." in said
    assert "alpha (ordinal) 0.31" in said, "what tells no systems apart is shown"
    for name in (*LIKERT, "conclusion"):
        assert name not in said.partition("What differs")[2]
        assert name not in file
    ResultLift.objects.create(study=study, by=rosa, reason="a talk")
    assert "north and south" in text(page(rosas_browser, f"{address}/?a=1&b=2"))
    assert "north" in rosas_browser.get(f"{address}.csv?a=1&b=2").content.decode()


def test_a_superusers_look_is_logged(two: Study, address: str) -> None:
    root = User.objects.create_user("root", is_staff=True, is_superuser=True)
    browser = Client()
    browser.force_login(root)
    page(browser, address)
    browser.get(f"{address[:-1]}.csv")
    looks = Event.objects.filter(study=two, verb="viewed", actor=root).order_by("pk").values_list("object", flat=True)
    assert list(looks) == ["compare", "runs 1 and 2 as csv"]


# The file -------------------------------------------------------------------------------------------------


def test_the_file_has_every_number_unrounded(rosas_browser: Client, address: str, two: Study) -> None:
    answer = rosas_browser.get(f"{address[:-1]}.csv?a=1&b=2")
    assert answer["Content-Disposition"] == f'attachment; filename="{two.slug}-runs-1-and-2.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    found = {(row["Statistic"], row["System"], row["Compared with"]): row for row in rows}
    south = found["mean", "south", ""]
    assert (south["Task"], south["Criterion"]) == ("main", "fluency")
    assert float(south["Value, run 2"]) - float(south["Value, run 1"]) == pytest.approx(0.4)
    assert float(south["Difference (second − first run)"]) == pytest.approx(0.4)
    assert float(south["Interval, run 1, lower end"]) == pytest.approx(2.8)
    pair = found["difference", "north", "south"]
    assert (pair["Adjusted p, run 2"], pair["Tests disagree"]) == ("0.4", "yes")
    assert found["difference", "north", "west"]["Tests disagree"] == "no"
    assert found["alpha", "", ""]["Value, run 2"] == "0.31"
    assert found["Interquartile range", "", ""]["Ratings, run 1"] == "9"
    assert rosas_browser.get(f"{address[:-1]}.csv?a=1&b=7").status_code == 404


# Size -----------------------------------------------------------------------------------------------------


def large(n_systems: int, n_criteria: int, p: float) -> Iterator[Row]:
    """Make the rows of many systems and criteria; every other pair has this p."""
    for number in range(n_criteria):
        place = {"task": "main", "criterion": f"c{number}", "basis": "kept", "analysis": "systems", "by_system": True}
        names = [f"a-system-of-a-long-name-{n:02}" for n in range(n_systems)]
        for n, name in enumerate(names):
            yield Row(**place, statistic="mean", system=name, value=90.0 - n, low=88.0 - n, high=92.0 - n, n_ratings=90)
        pairs = [(one, other) for n, one in enumerate(names) for other in names[n + 1 :]]
        for n, (one, other) in enumerate(pairs):
            tested = {"p": p / 2, "p_adjusted": p if n % 2 else 0.001, "settings": TESTS}
            yield Row(**place, statistic="difference", system=one, system_b=other, value=1.0, **tested)


@pytest.mark.exhaustive
def test_many_systems_and_criteria_take_few_queries_and_a_page_of_fair_length(
    rosas_browser: Client, closed: Study, address: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    build_run(closed, [*funnel(), *large(30, 10, 0.01)], planned=True)
    build_run(closed, [*funnel(), *large(30, 10, 0.7)])
    with django_assert_max_num_queries(15):
        html = page(rosas_browser, address)
    assert len(html.encode()) <= 500_000
    assert "2,170 of 4,350 tests of pairs of systems reach different conclusions in the two runs" in text(html)
    assert "and 197 more pairs, in the CSV file" in text(html)
    with django_assert_max_num_queries(15):
        file = rosas_browser.get(f"{address[:-1]}.csv").content.decode()
    assert file.count("yes") == 2170


@pytest.mark.parametrize(
    ("unit", "values"),
    [("number", (-0.5, -0.75, -0.25)), ("share", (0.5, 0.25, 0.75)), ("ratio", (2.0, 4 / 3, 4.0))],
)
def test_a_pair_can_be_turned_round(unit: Unit, values: tuple[float, float, float]) -> None:
    row = turned(ResultRow(system="a", system_b="b", value=0.5, low=0.25, high=0.75, p_adjusted=0.01), unit)
    assert (row.system, row.system_b, row.p_adjusted) == ("b", "a", 0.01)
    assert (row.value, row.low, row.high) == pytest.approx(values)
    assert turned(ResultRow(system="a", system_b="b"), unit).value is None


def test_the_file_compares_pairs_in_whichever_order_a_run_names_them(
    rosas_browser: Client, closed: Study, address: str
) -> None:
    def other_way(row: Row) -> Row:
        if row.system_b is None or row.statistic != "difference":
            return row
        return replace(row, system=row.system_b, system_b=row.system, value=-row.value, low=-row.high, high=-row.low)

    build_run(closed, likert_rows("style"))
    build_run(closed, [other_way(row) for row in likert_rows("style")])
    file = rosas_browser.get(f"{address[:-1]}.csv?a=1&b=2").content.decode()
    pairs = [line for line in csv.DictReader(io.StringIO(file)) if line["Statistic"] == "difference"]
    assert len(pairs) == 3
    assert all(line["Value, run 1"] == line["Value, run 2"] != "" for line in pairs)
