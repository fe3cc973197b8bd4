"""Compare the results and ratings in an archive with those that were computed again from its rows.

Nothing in the archive decides what is compared. Every column that evalweb writes is compared, whatever the archive says
of itself; whether texts are there is read from the rows. What cannot be compared is counted and named.
"""

import csv
import io
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, TypeAlias

from django.core.serializers.json import DjangoJSONEncoder

from analytics_app import analyses, quality
from analytics_app.archive import describing
from analytics_app.archive.describing import MANIFEST, SIGNATURE
from analytics_app.archive.reading import Archive
from analytics_app.archive.rows import LATER_IN_FILE, OF_RUN, TABLES, instance, masked, path_of
from analytics_app.archive.writing import DOCUMENT, RATINGS, REPORTS, RESULTS, RUN, STUDY_FILE, VERSIONS
from analytics_app.exports import ratings, results
from analytics_app.models import Run
from analytics_app.ratings import WITHDRAWN
from analytics_app.ratings.extras.shown import Shown
from analytics_app.ratings.extras.shown_texts import ShownTexts
from analytics_app.ratings.extras.texts import Texts
from analytics_app.results import COLUMNS
from analytics_app.runs import digest, start, withdrawn
from tasks_app import task_types
from tasks_app.models import Output, Study, Withdrawal
from tasks_app.services.study import correcting, withdrawing

# Columns that identify a number; the others are the number and its details.
NAMING = (
    "analysis", "statistic", "task", "criterion", "system", "system_b", "label", "rater", "group", "wave", "slice",
    "metric", "metric_b", "basis",
)  # fmt: skip
# What people read: nothing is computed from it, and nothing of it is computed again.
DOCUMENTS = frozenset({*REPORTS, STUDY_FILE, describing.README, describing.CRATE})
KNOWN = DOCUMENTS | {RATINGS, RESULTS, DOCUMENT, RUN, VERSIONS, describing.PACKAGE, MANIFEST, SIGNATURE}
KNOWN |= {path_of(table) for table in TABLES}
# Facts that say how a run came about, not what it found.
ORIGIN = frozenset({"taken_over"})
# What a difference is about where ratings name the two texts of a pair in the other order, and say the same.
PAIR_ORDER = "order of pairs"
# The most places of the same difference that are named.
MOST_PLACES = 3

Cells: TypeAlias = Mapping[str, str]
Key: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference: a sentence, the number of places where it is, and its subject.

    That is the analysis and the statistic of a number, or the name of a fact of the run. A difference of a number also
    has its column, and the row in the archive and the computed one, by column ("empty" for none).
    """

    sentence: str
    analysis: str = ""
    statistic: str = ""
    n: int = 1
    fact: str = ""
    column: str = ""
    archived: Cells = field(default_factory=dict)
    computed: Cells = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Omission:
    """Things that were not compared: their number, their noun, and their names."""

    n: int
    singular: str
    plural: str
    names: Sequence[str] = ()

    def __str__(self) -> str:
        """Return the count with its noun."""
        return f"{self.n:,} {self.singular if self.n == 1 else self.plural}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The counts of compared numbers and lines of ratings, the differences, and the things that were not compared."""

    n_numbers: int
    n_ratings: int
    differences: Sequence[Difference]
    omissions: Sequence[Omission]


@dataclass
class _Table:
    """A CSV file of an archive: its rows by the expected columns, the faults of its form, and further columns."""

    rows: list[Cells] = field(default_factory=list)
    faults: list[Difference] = field(default_factory=list)
    further: list[str] = field(default_factory=list)


def compare(archive: Archive, run: Run, *, further: Iterable[str] = ()) -> Comparison:
    """Compare every number and every rating in the archive with those of a run on the loaded archive.

    `further` names columns of rows that were not loaded, since no table has them.
    """
    study = run.study
    n_texts, is_masked = texts_of(study)
    unread = set(_reading_texts()) if is_masked else set()
    computed = b"".join(results.stream(run, format="csv", systems=True, texts=not is_masked)).decode()
    exported = b"".join(ratings.stream(study, checks=True)).decode()
    then, now = _read(archive.text(RESULTS), RESULTS, list(COLUMNS)), _as_written(computed)
    head = _head(exported)
    rated, rows_now = _read(archive.text(RATINGS), RATINGS, head, later=LATER_IN_FILE), _as_written(exported)
    numbers, left_out = _without(then.rows, unread)
    differences = [
        *map(Difference, correcting.contradictions(study)),
        *_withdrawal_differences(run),
        *then.faults,
        *_number_differences(numbers, _without(now, unread)[0]),
        *_document_differences(archive, run, unread, texts=not is_masked),
        *rated.faults,
        *rating_differences(rated.rows, rows_now, hidden=is_masked),
        *_fact_differences(archive, run, has_words=bool(n_texts) and not is_masked),
    ]
    if not numbers:
        differences.insert(0, Difference(f"{RESULTS} has no number that could be compared."))
    omissions = [
        Omission(n_texts if is_masked else 0, "text left out", "texts left out"),
        Omission(
            len(left_out), "number that is computed from texts", "numbers that are computed from texts",
            sorted({row["analysis"] for row in left_out}),
        ),
        Omission(
            Output.objects.filter(item__study=study).exclude(kind=Output.Kind.TEXT).count(),
            "picture, sound or film", "pictures, sounds or films",
        ),
        *_file_omissions(archive),
        _columns([*(f"{RESULTS}: {name}" for name in then.further), *(f"{RATINGS}: {name}" for name in rated.further),
                  *further]),
    ]  # fmt: skip
    return Comparison(len(numbers), len(rated.rows), differences, [omission for omission in omissions if omission.n])


def texts_of(study: Study) -> tuple[int, bool]:
    """Return the number of texts in the loaded rows, counted up to the first unmasked one, and whether all are."""
    n = 0
    for table in TABLES:
        if table.texts:
            rows = table.model._default_manager.filter(**{table.of_study: study.pk})
            for text in filter(None, chain.from_iterable(rows.values_list(*table.texts).iterator())):
                n += 1
                if masked(text) != text:
                    return n, False
    return n, n > 0


def _columns(names: Sequence[str]) -> Omission:
    return Omission(len(names), "further column", "further columns", sorted(names))


def _file_omissions(archive: Archive) -> Iterator[Omission]:
    """Yield the files that nothing is compared with: documents, and files that evalweb does not write."""
    present = {name for name in archive.zip.namelist() if not name.endswith("/")}
    documents, unknown = sorted(present & DOCUMENTS), sorted(present - KNOWN)
    yield Omission(len(documents), "document", "documents", documents)
    yield Omission(len(unknown), "unknown file", "unknown files", unknown)


def _reading_texts() -> Iterator[str]:
    """Yield the analyses and rules that read texts."""
    for registry in (analyses.registry, quality.registry):
        for name, member in registry.items():
            if {Shown, ShownTexts, Texts} & set(member.needs):
                yield name


def _without(rows: Iterable[Cells], names: set[str]) -> tuple[list[Cells], list[Cells]]:
    """Return the rows of a results file without those of some analyses, and these."""
    remaining: list[Cells] = []
    left_out: list[Cells] = []
    for row in rows:
        (left_out if row["analysis"] in names else remaining).append(row)
    return remaining, left_out


def _head(text: str) -> list[str]:
    return next(csv.reader(io.StringIO(text, newline="")))


def _as_written(text: str) -> list[Cells]:
    """Return the rows of a file that was written just now."""
    return list(csv.DictReader(io.StringIO(text, newline="")))


def _read(text: str, path: str, expected: Sequence[str], *, later: Collection[str] = ()) -> _Table:
    """Return a CSV file of the archive, by the columns that it must have; `later` ones may be empty."""
    table = _Table()
    # No cell is longer than its file; by default, one of 131,072 characters is refused.
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    lines = csv.reader(io.StringIO(text, newline=""))
    try:
        head = next(lines, [])
        missing = [name for name in expected if name not in head and name not in later]
        twice = sorted({name for name in head if head.count(name) > 1})
        if missing or twice:
            faults = [
                *(f"the column {name} is missing" for name in missing),
                *(f"{name} is there twice" for name in twice),
            ]
            table.faults.append(Difference(f"{path}: {'; '.join(faults)}.", n=len(faults)))
        table.further = sorted(set(head) - set(expected))
        uneven = []
        for number, cells in enumerate(lines, start=2):
            if len(cells) != len(head):
                uneven.append(number)
            table.rows.append(dict.fromkeys(expected, "") | dict(zip(head, cells, strict=False)))
        if uneven:
            table.faults.append(Difference(f"{path}: wrong number of cells{_places(uneven)}.", n=len(uneven)))
    except csv.Error as error:
        table.faults.append(Difference(f"{path}, line {lines.line_num:,}: not readable as CSV ({error})."))
    return table


def _places(lines: Sequence[int]) -> str:
    """Return the first lines of a difference, and how many there are."""
    first = ", ".join(f"{line:,}" for line in lines[:MOST_PLACES])
    if len(lines) > MOST_PLACES:
        return f" in {len(lines):,} rows, first in rows {first}"
    return f" in row{'s' if len(lines) > 1 else ''} {first}"


def _number_differences(then: Iterable[Cells], now: Iterable[Cells]) -> Iterator[Difference]:
    """Yield the differences between two files of results."""
    before, after = _by_name(then, lambda row, name: row[name]), _by_name(now, lambda row, name: row[name])
    yield from _differing(before, after, lambda row, name: row[name] or "empty", "")


def _by_name(rows: Iterable[Any], cell: Callable[[Any, str], str]) -> dict[Key, list[Any]]:
    """Return rows by the columns that identify them."""
    by_name: dict[Key, list[Any]] = {}
    for row in rows:
        by_name.setdefault(tuple(cell(row, name) for name in NAMING), []).append(row)
    return by_name


def _differing(
    then: Mapping[Key, Sequence[Any]], now: Mapping[Key, Sequence[Any]], cell: Callable[[Any, str], str], where: str
) -> Iterator[Difference]:
    for key in dict.fromkeys([*then, *now]):
        name = where + " ".join(filter(None, key[:2])) + "".join(f", {word}" for word in key[2:] if word)
        before, after = then.get(key, ()), now.get(key, ())
        if len(before) != len(after):
            yield Difference(f"{name}: {len(before)} in the archive, {len(after)} computed.", key[0], key[1])
        for old, new in zip(before, after, strict=False):
            for column in COLUMNS:
                was, computed = cell(old, column), cell(new, column)
                if was != computed:
                    sentence = f"{name}: {column} is {was} in the archive, {computed} computed."
                    rows = [{name: cell(row, name) for name in COLUMNS} for row in (old, new)]
                    yield Difference(sentence, key[0], key[1], column=column, archived=rows[0], computed=rows[1])


def _document_differences(archive: Archive, run: Run, unread: set[str], *, texts: bool) -> Iterator[Difference]:
    """Yield the differences in the results as JSON: of its numbers from those computed, of its head from the run."""
    try:
        then = json.loads(archive.text(DOCUMENT), object_pairs_hook=_each_once)
        rows, head = [dict(row) for row in then.pop("rows")], dict(then)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        yield Difference(f"{DOCUMENT} is not a results document.")
        return
    now = json.loads(b"".join(results.stream(run, systems=True, texts=texts)))
    if uneven := sum(set(row) != set(COLUMNS) for row in rows):
        yield Difference(f"{DOCUMENT}: not the columns of results{_places(range(1, uneven + 1))}.", n=uneven)
    before, after = (
        _by_name((row for row in side if row.get("analysis") not in unread), _cell) for side in (rows, now["rows"])
    )
    yield from _differing(before, after, _cell, f"{DOCUMENT}: ")
    archived = _archived_run(archive, run)
    expected = json.loads(_dumps(results.head(archived, systems=True)))
    for name in dict.fromkeys([*expected, *head]):
        if _plain(head.get(name)) != _plain(expected.get(name)):
            yield Difference(f"{DOCUMENT}: {name} is not what {RUN} says.")


def _cell(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return "empty" if value is None else _plain(value)


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)


def _dumps(value: object) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        raise ValueError("a name stands twice")
    return document


def _archived_run(archive: Archive, run: Run) -> Run:
    """Return the run as the archive has it, with the loaded study."""
    archived = instance(OF_RUN, next(archive.lines(RUN)))
    assert isinstance(archived, Run)
    archived.study = run.study
    return archived


def _fact_differences(archive: Archive, run: Run, *, has_words: bool) -> Iterator[Difference]:
    """Yield the statements of the archive about its run and itself that its rows do not bear out."""
    archived = _archived_run(archive, run)
    counts = start.counts_seen(archived)
    archived_facts = {**archived.facts, "n_seen": archived.n_seen}
    # Versions record other facts: those that only one of them has are not compared.
    recomputed = {
        name: value for name, value in run.facts.items() if name in archived_facts and name not in ORIGIN
    } | counts
    for name, value in recomputed.items():
        if _plain(archived_facts.get(name)) != _plain(value):
            yield Difference(f"{RUN}: {name} is not what the rows give.", fact=name)
    if (n_runs := sum(1 for _line in archive.lines(RUN))) != 1:
        yield Difference(f"{RUN} has {n_runs} runs, but one was computed.")
    if digest.digest_of(archived) != archived.digest:
        yield Difference(f"{RUN}: digest is not that of the run.")
    described = archive.descriptor["evalweb"]
    for name, value in {
        "study": run.study.slug,
        "run": archived.number,
        "digest": archived.digest,
        "code_version": archived.code_version,
    }.items():
        if described.get(name) != value:
            yield Difference(f"{describing.PACKAGE}: {name} is not what {RUN} says.")
    if has_words and not described.get("texts"):
        yield Difference(f"{describing.PACKAGE} says that texts were left out, but the rows have texts.")


def _withdrawal_differences(run: Run) -> Iterator[Difference]:
    """Yield the statements about withdrawn texts, of the run and its rows, that the withdrawals do not bear out."""
    rows = list(Withdrawal.objects.filter(study=run.study).select_related("item").order_by("pk"))
    fact = run.facts.get(WITHDRAWN, {})
    named = [row for row in rows if row.pk in fact.get("withdrawals", ())]
    if fact and fact != withdrawn.fact_of(named):
        yield Difference(f"{RUN}: {WITHDRAWN} is not what the rows give.", fact=WITHDRAWN)
    for row in rows:
        before = row.at < run.created_at and (row.taken_back_at is None or row.taken_back_at > run.created_at)
        if before and row not in named:
            yield Difference(f"{RUN}: the run does not leave out “{row.item.key}”, which was withdrawn before it.")
        stored = sorted(row.units.values_list("unit_id", flat=True))
        if stored != (withdrawing.units_of(row) if row.taken_back_at is None else []):
            yield Difference(f"The withdrawn units of “{row.item.key}” are not those that show it.")


def rating_differences(then: Sequence[Cells], now: Sequence[Cells], *, hidden: bool) -> Iterator[Difference]:
    """Yield the columns in which the file of ratings differs from the rows, each with the places."""
    if len(then) != len(now):
        yield Difference(f"{RATINGS}: {len(then):,} ratings in the archive, {len(now):,} from the rows.")
    places: dict[str, list[int]] = {}
    first: dict[str, tuple[str, str]] = {}
    turned: list[int] = []
    for number, (old, new) in enumerate(zip(then, now, strict=False), start=2):
        if _is_turned(old, new):
            turned.append(number)
            continue
        for column, value in new.items():
            if old[column] != value and not (hidden and column == "text" and _is_mask(old[column], value)):
                places.setdefault(column, []).append(number)
                first.setdefault(column, (old[column] or "empty", value or "empty"))
    for column, numbers in places.items():
        was, given = first[column]
        yield Difference(
            f"{RATINGS}: {column} differs{_places(numbers)}: {was} in the archive, {given} from the rows.",
            n=len(numbers),
        )
    if turned:
        sentence = f"{RATINGS}: names the two texts of a pair in the other order than the rows{_places(turned)}."
        yield Difference(sentence, n=len(turned), fact=PAIR_ORDER)


def _is_turned(old: Cells, new: Cells) -> bool:
    """Return whether a rating says the same, with the two texts of its pair named in the other order."""
    if not old["system_b"] or (old["system"], old["system_b"]) != (new["system_b"], new["system"]):
        return False
    labels = task_types.exchanged_labels()
    # Of the two texts, only the first has its variant in the file.
    same = {name: value for name, value in new.items() if name not in {"system", "variant", "system_b", "label"}}
    return new["label"] == labels.get(old["label"], old["label"]) and all(old[name] == same[name] for name in same)


def _is_mask(cell: str, text: str) -> bool:
    """Return whether a cell is the mask of a text from masked rows, which may have had an apostrophe before it."""
    return cell in {masked(text), f"'{masked(text)}"}
