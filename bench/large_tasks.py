"""Analyses of large tasks, without a database: `python -m bench.large_tasks [spans|labels|metrics ...]`.

Each is computed in a process of its own from made-up columns, with the settings that a plan has by default. Printed are
processor seconds, and how many MiB the peak of the process lies above its memory before the first row. The promises are
a fifth of what such tasks took when they were first measured: 10^6 marked errors 43 s and 1,600 MiB, 10^6 labels 750
MiB, and 23 metrics on three criteria with seven parts 80 s, without the figures of the WMT metrics task, which came
later.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import psutil

if TYPE_CHECKING:
    from analytics_app.analyses.base import Analysis, Sample
    from analytics_app.ratings import Names, Table

N_METRICS, N_CRITERIA, DOMAINS = 23, 3, ("news", "chat", "mail", "law", "health", "sport")
LABELS = ("right", "wrong", "partly", "unclear", "other")


class Design(NamedTuple):
    """Texts of systems, each seen by some of the raters."""

    items: int
    systems: int
    raters: int
    raters_a_text: int


class Large(NamedTuple):
    """A large task: its samples with the analysis of each, and the promised seconds and MiB; None is not promised."""

    samples: Callable[[], Iterator[tuple[Analysis, Sample]]]
    seconds: float | None
    memory: float | None


def main() -> None:
    """Print a line for each task, or for those named."""
    import django  # noqa: PLC0415  the analyses take their words from the apps
    from django.conf import settings  # noqa: PLC0415

    if not settings.configured:
        import os  # noqa: PLC0415

        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    fork = multiprocessing.get_context("fork")
    for name in sys.argv[1:] or TASKS:
        process = fork.Process(target=_measure, args=(name,))
        process.start()
        process.join()
        if process.exitcode:
            sys.exit(process.exitcode)


def _measure(name: str) -> None:
    task = TASKS[name]
    given = list(task.samples())
    before, began, n_rows = psutil.Process().memory_info().rss / 2**20, time.process_time(), 0
    for analysis, sample in given:
        n_rows += sum(1 for _row in analysis.rows(sample))
    seconds = time.process_time() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before
    limits = [f"{most:.0f} {unit}" for most, unit in ((task.seconds, "s"), (task.memory, "MiB")) if most is not None]
    print(f"{name}: {n_rows:,} rows, {seconds:.1f} s, {memory:.0f} MiB (promised: {' and '.join(limits)})", flush=True)


def _names(design: Design, criteria: tuple[str, ...], labels: tuple[str, ...] = ()) -> Names:
    from analytics_app.ratings import Names  # noqa: PLC0415

    texts = design.items * design.systems
    item = np.repeat(np.arange(design.items, dtype=np.int32), design.systems)
    code = np.arange(texts, dtype=np.int32)
    return Names(
        raters=tuple(f"r{number:04}" for number in range(design.raters)),
        rater_ids=np.arange(design.raters, dtype=np.int64) + 1,
        units=tuple(f"u{number}" for number in range(texts)),
        unit_ids=code + np.int64(1),
        part_ids=code + np.int64(1),
        unit_of_part=code,
        item_of_unit=item,
        criteria=criteria,
        criterion_ids=np.arange(len(criteria), dtype=np.int64) + 1,
        labels=labels,
        systems=tuple(f"s{number}" for number in range(design.systems)),
        items=tuple(f"i{number}" for number in range(design.items)),
        document_of_item=np.full(design.items, -1, dtype=np.int32),
        documents=(),
        groups=(),
        shown_part=code,
        shown_system=code % np.int32(design.systems),
        shown_item=item,
        features={"domain": np.array([DOMAINS[number % len(DOMAINS)] for number in range(design.items)], dtype=object)},
    )


def _table(design: Design, names: Names, judgment: np.ndarray, **columns: np.ndarray) -> Table:
    """Return the ratings of judgments of all texts, each by neighbours in the ring of raters."""
    from analytics_app.ratings import Judgments, Table  # noqa: PLC0415

    texts = design.items * design.systems
    unit = np.repeat(np.arange(texts, dtype=np.int32), design.raters_a_text)
    n = len(unit)
    rater = ((unit // 7 + np.tile(np.arange(design.raters_a_text), texts)) % design.raters).astype(np.int32)
    judgments = Judgments(
        id=np.arange(n, dtype=np.int64) + 1,
        rater=rater,
        unit=unit,
        order=np.ones(n, dtype=np.int32),
        seconds=np.full(n, 10.0),
        at=np.arange(n, dtype=float),
        wave=np.ones(n, dtype=np.int32),
        group=np.full(n, -1, dtype=np.int32),
        simulated=np.zeros(n, dtype=bool),
    )
    size = len(judgment)
    none = np.full(size, -1, dtype=np.int32)
    usual: dict[str, Any] = {
        "id": np.arange(size, dtype=np.int64) + 1,
        "judgment": judgment.astype(np.int32),
        "rater": rater[judgment],
        "unit": unit[judgment],
        "part": unit[judgment],
        "part_b": none,
        "criterion": np.zeros(size, dtype=np.int32),
        "number": np.ones(size, dtype=np.int32),
        "value": np.full(size, np.nan),
        "shown": np.full(size, np.nan),
        "label": none,
    }
    return Table(**{**usual, **columns}, judgments=judgments, names=names)


def _sample(analysis: Analysis, table: Table, criteria: tuple[str, ...], kind: str, scale: str, **about: Any) -> Sample:
    from analytics_app.analyses.base import Common, Question, QuestionCriterion, Sample  # noqa: PLC0415
    from analytics_app.ratings import Extras  # noqa: PLC0415
    from tasks_app import task_types  # noqa: PLC0415
    from tasks_app.task_types.base import Scale  # noqa: PLC0415

    domain = (1.0, 2.0, 3.0, 4.0, 5.0) if scale == "ordinal" else ()
    asked = tuple(
        QuestionCriterion(key, key, Scale(scale), table.names.criterion_code(key), domain) for key in criteria
    )
    params: Mapping[str, Any] = task_types.registry[kind](about.pop("params", {})).params
    question = Question("main", kind, Scale(scale), domain=domain, criteria=asked, params=params, **about)
    extras = Extras.empty(table, analysis.needed())
    return Sample(table, table.z(), question, Common(seed=1), "kept", extras=extras)


def spans() -> Iterator[tuple[Analysis, Sample]]:
    """Yield 10^6 marks in 250,000 answers: 10 systems, 5,000 items, five raters a text."""
    from analytics_app import analyses  # noqa: PLC0415
    from analytics_app.ratings.extras.spans import Spans  # noqa: PLC0415

    design, rng = Design(items=5_000, systems=10, raters=100, raters_a_text=5), np.random.default_rng(1)
    n_looks = design.items * design.systems * design.raters_a_text
    judgment = np.sort(rng.integers(n_looks, size=4 * n_looks))
    n = len(judgment)
    number = np.arange(n) - np.searchsorted(judgment, judgment) + 1
    table = _table(design, _names(design, ("errors",)), judgment, number=number.astype(np.int32))
    start = rng.integers(0, 180, size=n).astype(np.int32)
    texts = np.full(len(table.names.part_ids), 200, dtype=np.int32)
    none = np.empty(0, dtype=np.int64)
    marks = Spans(
        id=table.id,
        side=np.zeros(n, dtype=np.int32),
        start=start,
        end=start + rng.integers(1, 20, size=n).astype(np.int32),
        category=rng.integers(0, 3, size=n).astype(np.int32),
        severity=rng.integers(0, 2, size=n).astype(np.int32),
        categories=("accuracy/mistranslation", "fluency/grammar", "style/awkward"),
        severities=("major", "minor"),
        output_length=texts,
        source_length=np.full(design.items, 200, dtype=np.int32),
        gone_raters=none,
        gone_judgments=none,
    )
    analysis = analyses.registry["error_spans"]({})
    sample = _sample(analysis, table, ("errors",), "error_spans", "nominal", whole=True, criterion=None)
    yield analysis, replace(sample, extras=type(sample.extras)({**dict(sample.extras), Spans: marks}))


def labels() -> Iterator[tuple[Analysis, Sample]]:
    """Yield 10^6 labels: 10 systems, 10,000 items, ten raters a text."""
    from analytics_app import analyses  # noqa: PLC0415

    design, rng = Design(items=10_000, systems=10, raters=200, raters_a_text=10), np.random.default_rng(2)
    n = design.items * design.systems * design.raters_a_text
    truth = np.repeat(rng.integers(len(LABELS), size=n // 10), 10)
    label = np.where(rng.random(n) < 0.6, truth, rng.integers(len(LABELS), size=n)).astype(np.int32)
    table = _table(design, _names(design, ("kind",), LABELS), np.arange(n), label=label)
    analysis = analyses.registry["labels"]({})
    about: dict[str, Any] = {"criterion": "kind", "labels": LABELS}
    yield analysis, _sample(analysis, table, ("kind",), "labels", "nominal", **about)


def metrics() -> Iterator[tuple[Analysis, Sample]]:
    """Yield 23 metrics against three criteria: all and six domains of 240 items, 15 systems, three raters a text."""
    from analytics_app import analyses  # noqa: PLC0415
    from analytics_app.ratings.extras.scores import Scores  # noqa: PLC0415

    design, rng = Design(items=240, systems=15, raters=30, raters_a_text=3), np.random.default_rng(3)
    criteria = tuple(f"c{number}" for number in range(N_CRITERIA))
    names, texts = _names(design, criteria), design.items * design.systems
    quality = rng.standard_normal(texts) + 0.3 * (np.arange(texts) % design.systems)
    scores = Scores(
        metrics=tuple(f"m{number:02}" for number in range(N_METRICS)),
        metric=np.repeat(np.arange(N_METRICS, dtype=np.int32), texts),
        item=np.tile(names.shown_item, N_METRICS),
        system=np.tile(names.shown_system, N_METRICS),
        value=(np.tile(quality, N_METRICS) + rng.standard_normal(N_METRICS * texts)),
    )
    analysis = analyses.registry["metrics"]({"wmt": False, "slices": ["domain"]})
    for code, key in enumerate(criteria):
        judgment = np.arange(texts * design.raters_a_text)
        value = np.clip(np.round(3 + np.repeat(quality, 3) / 2 + rng.standard_normal(len(judgment))), 1, 5)
        criterion = np.full(len(judgment), code, dtype=np.int32)
        table = _table(design, names, judgment, value=value, criterion=criterion)
        sample = _sample(analysis, table, (key,), "likert", "ordinal", criterion=key)
        yield analysis, replace(sample, extras=type(sample.extras)({**dict(sample.extras), Scores: scores}))


TASKS: Mapping[str, Large] = {
    "spans": Large(spans, 8.6, 320),
    "labels": Large(labels, None, 150),
    "metrics": Large(metrics, 16, None),
}

if __name__ == "__main__":
    main()
