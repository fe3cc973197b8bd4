"""Every quality rule and every analysis is held to its contract."""

import dataclasses
import math
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from django.db import models

from analytics_app import analyses, quality
from analytics_app.analyses.base import Analysis, Common, Question, QuestionCriterion, Sample
from analytics_app.archive.writing import LIBRARIES
from analytics_app.models import ResultRow
from analytics_app.ratings import Extras, Judgments, Names, Table
from analytics_app.results import COLUMNS, Row
from tasks_app import task_types
from tasks_app.task_types.base import Scale
from tests import extent
from tests.analytics_app.complete import missing_settings
from tests.deviations import assert_each

LONGEST = {
    one.name: one.max_length
    for one in ResultRow._meta.get_fields()
    if isinstance(one, models.CharField) and one.max_length
}


N_ITEMS, N_SYSTEMS, N_RATERS = 6, 3, 5


def table(
    values: list[float], raters: list[int], items: list[int], systems: list[int], *, grouped: bool = False
) -> Table:
    """Make a table of one criterion: an item with several systems has a part for each of them.

    `grouped` puts every other rater into a second group, and every other judgment into a second wave.
    """
    n = len(values)
    pairs = sorted(set(zip(items, systems, strict=True)))
    part = np.array([pairs.index(one) for one in zip(items, systems, strict=True)], dtype=np.int32)
    codes = np.arange(n, dtype=np.int32)
    rater = np.array(raters, dtype=np.int32)
    judgments = Judgments(
        id=codes.astype(np.int64),
        rater=rater,
        unit=part,
        order=codes,
        seconds=np.ones(n),
        at=np.ones(n),
        wave=(1 + codes % 2 if grouped else np.ones(n)).astype(np.int32),
        group=(rater % 2 if grouped else np.full(n, -1)).astype(np.int32),
        simulated=np.zeros(n, dtype=bool),
    )
    nothing = np.full(n, -1, dtype=np.int32)
    return Table(
        id=codes.astype(np.int64),
        judgment=codes,
        rater=rater,
        unit=part,
        part=part,
        part_b=nothing,
        criterion=np.zeros(n, dtype=np.int32),
        number=np.ones(n, dtype=np.int32),
        value=np.array(values, dtype=float),
        shown=np.full(n, np.nan),
        label=nothing,
        judgments=judgments,
        names=_names(pairs, ("g0", "g1") if grouped else ()),
    )


def _names(pairs: list[tuple[int, int]], groups: tuple[str, ...]) -> Names:
    """Name what the codes of a table stand for; `pairs` are an item and a system each."""
    n_units = max(len(pairs), 1)
    return Names(
        raters=tuple(f"r{number}" for number in range(N_RATERS)),
        rater_ids=np.arange(N_RATERS, dtype=np.int64),
        units=tuple(f"u{number}" for number in range(n_units)),
        unit_ids=np.arange(n_units, dtype=np.int64),
        part_ids=np.arange(len(pairs), dtype=np.int64),
        unit_of_part=np.arange(len(pairs), dtype=np.int32),
        item_of_unit=np.array([item for item, _system in pairs] or [0], dtype=np.int32),
        criteria=("fluency",),
        criterion_ids=np.array([1], dtype=np.int64),
        labels=(),
        systems=tuple(f"s{number}" for number in range(N_SYSTEMS)),
        items=tuple(f"i{number}" for number in range(N_ITEMS)),
        document_of_item=np.array([-1, -1, 0, 0, 1, 1], dtype=np.int32),
        documents=("d0", "d1"),
        groups=groups,
        shown_part=np.arange(len(pairs), dtype=np.int32),
        shown_system=np.array([system for _item, system in pairs], dtype=np.int32),
        shown_item=np.array([item for item, _system in pairs], dtype=np.int32),
        features={"half": np.array(["a", "a", "a", "b", "b", "b"], dtype=object)},
    )


RNG = np.random.default_rng(1)
EVERYTHING = [(rater, item, system) for rater in range(5) for item in range(6) for system in range(3)]


def crossed(values: list[float], *, grouped: bool = False) -> Table:
    raters, items, systems = (list(one) for one in zip(*EVERYTHING, strict=True))
    return table(values, raters, items, systems, grouped=grouped)


def labelled(data: Table) -> Table:
    """Turn values into words, as nominal scales have them."""
    words = sorted({f"{value:g}" for value in data.value[~np.isnan(data.value)]})
    codes = [-1 if math.isnan(value) else words.index(f"{value:g}") for value in data.value.tolist()]
    return dataclasses.replace(
        data,
        value=np.full(len(data), np.nan),
        label=np.array(codes, dtype=np.int32),
        names=dataclasses.replace(data.names, labels=tuple(words)),
    )


TABLES = {
    "usual": crossed(RNG.integers(1, 6, len(EVERYTHING)).astype(float).tolist()),
    "all equal": crossed([3.0] * len(EVERYTHING)),
    "two values": crossed([1.0, 5.0] * (len(EVERYTHING) // 2)),
    "nothing": table([], [], [], []),
    "nothing rated": crossed([math.nan] * len(EVERYTHING)),
    "one rating": table([3.0], [0], [0], [0]),
    "one rater": table([1.0, 2.0, 3.0, 4.0], [0] * 4, [0, 1, 2, 3], [0, 1, 0, 1]),
    "one item": table([1.0, 2.0, 3.0, 4.0], [0, 1, 2, 3], [0] * 4, [0, 0, 1, 1]),
    "missing in blocks": table([1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1], [0, 1, 2, 3], [0, 0, 1, 1]),
    "groups and waves": crossed(RNG.integers(1, 6, len(EVERYTHING)).astype(float).tolist(), grouped=True),
    "one system": table([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1], [0, 0, 1, 1], [2] * 4),
}


def sample(data: Table, scale: Scale, name: str = "systems") -> Sample:
    """Return ratings on a scale as an analysis is given them: those on one criterion, or those of a whole task."""
    member = analyses.registry[name]
    data = labelled(data) if scale is Scale.NOMINAL else data
    kind = min(member.task_types) if member.task_types else "likert"
    domain = (1.0, 2.0, 3.0, 4.0, 5.0) if scale is Scale.ORDINAL else ()
    asked = QuestionCriterion("fluency", "Fluency", scale, 0, domain, (1.0, 5.0))
    question = Question(
        task="main",
        task_type=kind,
        scale=scale,
        criterion=None if member.whole_task else "fluency",
        domain=domain,
        limits=(1.0, 5.0),
        whole=member.whole_task,
        criteria=(asked,) if member.whole_task else (),
        params=task_types.registry[kind]().params,
    )
    draws = (100, 99) if extent.is_exhaustive() else (20, 19)
    common = Common(n_resamples=draws[0], n_permutations=draws[1], seed=3)
    extras = Extras.empty(data, member.needs)
    return Sample(data, data.z(**common.of_z), question, common, "kept", extras=extras)


def natural(name: str) -> Scale:
    """Return the scale on which an analysis is tried where one will do."""
    scales = analyses.registry[name].scales
    return next((one for one in (Scale.ORDINAL, Scale.INTERVAL, Scale.RATIO) if one in scales), Scale.NOMINAL)


# Runs of a simulation: rows have one form, however many there are.
FEWER = {"rounds": 2, "n_runs": 40, "trueskill_runs": 40}


def made(name: str, **settings: object) -> Analysis:
    """Return an analysis with these settings, and with fewer runs of simulations."""
    member = analyses.registry[name]
    return member({key: FEWER[key] for key in FEWER if key in member.Settings.base_fields} | settings)


@pytest.mark.parametrize("name", list(analyses.registry))
def test_rows_fit_the_document_whatever_the_ratings(name: str) -> None:
    scales = sorted((analyses.registry[name].scales & TRIED) or {natural(name)})
    cases = ((f"{scale}, {case}", {"scale": scale, "case": case}) for scale in scales for case in TABLES)
    assert_each(partial(rows_fit, name), cases)


TRIED = {Scale.NOMINAL, Scale.ORDINAL, Scale.INTERVAL}


def rows_fit(name: str, scale: Scale, case: str) -> None:
    """Assert that the rows of an analysis are what a results document takes."""
    member = analyses.registry[name]
    sliced = {"slices": ["half", "no such"]} if "slices" in member.Settings.base_fields else {}
    rows = list(made(name, **sliced).rows(sample(TABLES[case], scale, name)))
    for row in rows:
        assert row.analysis == name
        assert row.task == "main"
        assert row.criterion in ({None, "fluency"} if member.whole_task else {"fluency"})
        assert row.statistic in member.statistics, row.statistic
        for column, value in dataclasses.asdict(row).items():
            if isinstance(value, float):
                assert math.isfinite(value), (column, row)
                assert type(value) is float, (column, row)
            elif isinstance(value, int):
                assert type(value) in {int, bool}, (column, row)
            if isinstance(value, str):
                assert len(value) <= LONGEST.get(column, 10_000), (column, row)
        # Of ratings without a figure nobody says that there are none; in a slice there may be none.
        is_part = {row.slice, row.group, row.wave} != {None}
        assert is_part or case.startswith("nothing") or "Nothing was rated" not in (row.note or ""), row
        # An undefined value says why.
        assert row.value is not None or row.note, row
        # An interval has a width: only a rank may be the same in all resamples.
        assert row.low is None or row.low < row.high or "rank" in row.statistic, row
        assert row.p is None or 0 <= row.p <= 1, row
        assert not missing_settings(dataclasses.asdict(row)), row
        # Whatever names a system is hidden while the study is open.
        assert row.by_system or (row.system is None and row.system_b is None), row
    names = [
        (
            row.statistic, row.criterion, row.system, row.system_b, row.label, row.rater, row.group, row.wave,
            row.slice, row.metric, row.metric_b,
        )
        for row in rows
    ]  # fmt: skip
    assert len(set(names)) == len(names), "a number must be found by its name"


# What needs more than the made-up tables have yields nothing of them; its own tests show what it yields.
WITH_ROWS = ("systems", "krippendorff", "correlation", "raters", "distribution")


@pytest.mark.parametrize("name", list(analyses.registry))
def test_the_same_seed_gives_the_same_digits_and_the_order_of_rows_nothing(name: str) -> None:
    data, scale, analysis = TABLES["usual"], natural(name), made(name)
    shuffled = np.random.default_rng(2).permutation(len(data))
    first = list(analysis.rows(sample(data, scale, name)))
    again = list(analysis.rows(sample(data, scale, name)))
    assert first == again
    assert first or name not in WITH_ROWS
    moved = analysis.rows(sample(data.where(shuffled), scale, name))
    for one, two in zip(first, moved, strict=True):
        assert two.value == pytest.approx(one.value), one


@pytest.mark.parametrize("name", WITH_ROWS)
def test_groups_and_waves_have_rows_of_their_own(name: str) -> None:
    rows = list(made(name).rows(sample(TABLES["groups and waves"], natural(name), name)))
    of = {(row.group, row.wave) for row in rows}
    both = {(None, None), ("g0", None), ("g1", None), (None, 1), (None, 2)}
    both |= {(group, wave) for group in ("g0", "g1") for wave in (1, 2)}
    assert of == (both if analyses.registry[name].splits else {(None, None)})


# Analyses that compare the pairs of systems that a plan names.
COMPARING = {
    "systems", "magnitude", "pairwise", "ranking", "triangle", "labels", "error_labels", "error_spans", "joint_labels",
    "known_truth", "search_results", "predictions", "counts",
}  # fmt: skip


@pytest.mark.parametrize("name", analyses.registry)
def test_a_planned_pair_that_names_a_system_without_ratings_has_a_row_with_the_reason(name: str) -> None:
    given = sample(TABLES["one system"], natural(name), name)
    planned = dataclasses.replace(given, common=dataclasses.replace(given.common, pairs=(("s0", "s2"), ("s2", "s1"))))
    named = {
        "joint_labels": {"good": ["fluency=3"]},
        "known_truth": {"truth": "system"},
        "search_results": {"relevant": ["3"]},
    }
    analysis = made(name, **named.get(name, {}))
    rows = list(analysis.pairs_without_ratings(planned))
    expected = [("s0", "s2", "s0"), ("s2", "s1", "s1")] if name in COMPARING else []
    assert [(row.system, row.system_b, row.note) for row in rows] == [
        (a, b, f"Planned, but not compared: there are no ratings of {missing} here.") for a, b, missing in expected
    ]
    assert all(row.value is None and row.by_system for row in rows)
    assert {row.statistic for row in rows} <= set(analysis.statistics)
    everything = list(analysis.rows(planned))
    if name not in {"error_spans"}:  # made-up tables have no errors, so nothing is compared at all
        assert [row for row in everything if row in rows] == rows
    assert not list(analysis.pairs_without_ratings(given)), "without a plan of pairs all that there are"


LEAVING_OUT = [
    name
    for name, member in analyses.registry.items()
    if not member.whole_task and "without_systems" in member.Settings.base_fields
]


@pytest.mark.parametrize("name", LEAVING_OUT)
def test_a_system_left_out_leaves_no_trace(name: str) -> None:
    data = TABLES["usual"]
    _row, system, _item = data.by_system()
    without = list(made(name, without_systems=["s2"]).rows(sample(data, natural(name), name)))
    alone = list(made(name).rows(sample(data.where(system != 2), natural(name), name)))
    assert {one.slice for one in without} == {"system!=s2"} or (not without and name not in WITH_ROWS)
    assert [one.statistic for one in without] == [one.statistic for one in alone]
    # z is taken before, over everything a rater judged, as Lai et al. (2022) do with the reference.
    raw = [(one.value, other.value) for one, other in zip(without, alone, strict=True) if "_z" not in one.statistic]
    assert [one for one, _other in raw] == pytest.approx([other for _one, other in raw])


def test_a_statistic_has_one_name_whichever_analysis_yields_it() -> None:
    called: dict[str, set[str]] = {}
    for member in analyses.registry.values():
        for name, label in member.statistics.items():
            called.setdefault(name, set()).add(str(label))
    assert {name: labels for name, labels in called.items() if len(labels) > 1} == {}


@pytest.mark.parametrize("kind", ["quality", "analyses"])
def test_every_member_says_what_it_is_and_where_it_comes_from(kind: str) -> None:
    for name, member in {"quality": quality, "analyses": analyses}[kind].registry.items():
        assert str(member.label), name
        assert str(member.summary).endswith((".", "?")), name
        assert any(character.isdigit() for character in member.source) or name == "manual", name
        assert (member.__doc__ or "").strip(), name
        assert all(field.initial is not None or not field.required for field in member.Settings.base_fields.values())


def test_the_columns_are_those_of_the_table() -> None:
    stored = [one.name for one in ResultRow._meta.get_fields() if one.name not in {"id", "run", "order", "by_system"}]
    assert tuple(stored) == COLUMNS
    assert set(LONGEST) <= set(COLUMNS)
    assert [one.name for one in dataclasses.fields(Row)] == [*COLUMNS, "by_system"]


def test_serving_pages_loads_no_heavy_library() -> None:
    code = (
        "import django, sys; django.setup(); import evalweb.urls\n"
        "heavy = {'statsmodels', 'pingouin', 'pandas', 'altair', 'vl_convert', 'sacrebleu', 'krippendorff'}\n"
        "heavy |= {'scipy.stats', 'celery.bin', 'matplotlib'}\n"
        "print(*sorted(heavy & set(sys.modules)))"
    )
    root = Path(__file__).resolve().parents[2]
    answer = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert answer.stdout.split() == []


def test_no_library_of_an_analysis_loads_a_plotting_library() -> None:
    """A worker would need 50 MiB more, and an installation another ten packages."""
    root = Path(__file__).resolve().parents[2]
    lazy = re.compile(r"^ +(?:import|from) ([a-z_.]+)", re.MULTILINE)
    sources = (path.read_text() for path in (root / "analytics_app").rglob("*.py"))
    found = {
        name
        for source in sources
        for name in lazy.findall(source)
        if name.split(".")[0] in {*LIBRARIES, "altair", "vl_convert"}
    }
    assert {name.split(".")[0] for name in found} >= {"choix", "krippendorff", "sacrebleu", "statsmodels"}
    code = f"import sys\nimport {', '.join(sorted(found))}\nprint(*{{'matplotlib', 'pingouin'}} & set(sys.modules))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == []
