"""Compare the results in an archive with those that were computed again from it."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from analytics_app import analyses, quality
from analytics_app.archive.reading import Archive
from analytics_app.archive.writing import RATINGS, RESULTS
from analytics_app.exports import ratings, results
from analytics_app.models import Run
from analytics_app.ratings.extras.shown import Shown
from analytics_app.ratings.extras.shown_texts import ShownTexts
from analytics_app.ratings.extras.texts import Texts

# Columns that identify a number; the others are the number and its details.
NAMING = (
    "analysis", "statistic", "task", "criterion", "system", "system_b", "label", "rater", "group", "wave", "slice",
    "metric", "metric_b", "basis",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Comparison:
    """The count of compared numbers, a sentence for each difference, and the analyses that could not be compared."""

    n: int
    differences: Sequence[str]
    left_out: Sequence[str]


def compare(archive: Archive, run: Run) -> Comparison:
    """Compare every number and every rating in the archive with those of a run on the loaded archive."""
    results_then = archive.text(RESULTS)
    analyses = {row["analysis"] for row in csv.DictReader(io.StringIO(results_then, newline=""))}
    left_out = [] if archive.has_texts else sorted(analyses & set(_comparing_texts()))
    then, now = (
        _read(lines, left_out)
        for lines in (results_then, b"".join(results.stream(run, format="csv", systems=True)).decode())
    )
    differences = [*_differences(then, now)]
    if archive.has_texts:
        exported = b"".join(ratings.stream(run.study)).decode()
        differences += _lines_that_differ(archive.text(RATINGS), exported)
    return Comparison(sum(len(rows) for rows in then.values()), differences, left_out)


def _comparing_texts() -> Iterator[str]:
    """Yield the analyses and rules that read texts."""
    for registry in (analyses.registry, quality.registry):
        for name, member in registry.items():
            if {Shown, ShownTexts, Texts} & set(member.needs):
                yield name


def _read(text: str, left_out: Iterable[str]) -> dict[tuple[str, ...], list[Mapping[str, str]]]:
    """Return the rows of a results file by the columns that identify them."""
    skipped = set(left_out)
    rows: dict[tuple[str, ...], list[Mapping[str, str]]] = {}
    for row in csv.DictReader(io.StringIO(text, newline="")):
        if row["analysis"] not in skipped:
            rows.setdefault(tuple(row[name] for name in NAMING), []).append(row)
    return rows


def _differences(
    then: Mapping[tuple[str, ...], Sequence[Mapping[str, str]]],
    now: Mapping[tuple[str, ...], Sequence[Mapping[str, str]]],
) -> Iterator[str]:
    for key in dict.fromkeys([*then, *now]):
        name = " ".join(filter(None, key[:2])) + "".join(f", {word}" for word in key[2:] if word)
        before, after = then.get(key, ()), now.get(key, ())
        if len(before) != len(after):
            yield f"{name}: {len(before)} in the archive, {len(after)} computed."
        for old, new in zip(before, after, strict=False):
            for column in old:
                was, computed = old[column] or "empty", new.get(column) or "empty"
                if was != computed:
                    yield f"{name}: {column} is {was} in the archive, {computed} computed."


def _lines_that_differ(then: str, now: str) -> Iterator[str]:
    before, after = then.splitlines(), now.splitlines()
    if len(before) != len(after):
        yield f"{RATINGS}: {len(before):,} lines in the archive, {len(after):,} from the rows."
    for number, (old, new) in enumerate(zip(before, after, strict=False), start=1):
        if old != new:
            yield f"{RATINGS}, line {number:,}: not what the rows say."
