"""One order of every pair of systems: rows, charts and tables of a run name it alike and say the same number."""

import re
from collections.abc import Iterator, Sequence
from html import unescape

from django.test import Client

from analytics_app.models import Plot, ResultRow, Run
from analytics_app.selectors.sections import names_of
from tasks_app.models import Study, System
from tasks_app.task_types.questionnaire import panas
from tests import extent
from tests.analytics_app.views.reading import tables

# Between the names of a pair, in tables and charts.
SIGNS = "−", "–", "/", "over", "above", ">"
# How strongly one text was preferred is said of the answers that preferred it, so each order has a row of its own.
OF_AN_ORDER = "pairwise_strength"
FURTHER_WORDS = {f"{panas.PREFIX}{word}" for word in (*panas.POSITIVE[1:], *panas.NEGATIVE[1:])}


def hold_one_order(study: Study, pages: Sequence[str]) -> int:
    """Assert that a pair stands in the order of the study wherever it is named, and return how many rows do so.

    A chart shows the very numbers of the rows of its pairs, and a table on the page has them with the same names.
    """
    run = Run.objects.filter(study=study).latest("pk")
    keys = list(System.objects.filter(study=study).order_by("pk").values_list("key", flat=True))
    called = names_of(study).systems
    names = [str(called.get(key, key)) for key in keys]
    rows = ResultRow.objects.filter(run=run, system_b__isnull=False).exclude(analysis=OF_AN_ORDER)
    values: dict[tuple[str, str], set[float | None]] = {}
    for row in rows:
        a, b = keys.index(row.system), keys.index(row.system_b)
        assert a < b, (row.analysis, row.statistic, row.system, row.system_b)
        values.setdefault((names[a], names[b]), set()).add(row.value)
    shown: dict[tuple[str, str], set[str]] = {}
    for page in pages:
        for pair, cells in _in_tables(page, names).items():
            shown.setdefault(pair, set()).update(cells)
    assert all(names.index(a) < names.index(b) for a, b in shown), list(shown)
    assert bool(values) <= bool(shown), "pairs have a table"
    for plot in Plot.objects.filter(run=run):
        for point in plot.spec["data"]["values"]:
            for pair in _pairs_in(str(point.get("name", "")), names):
                assert point["value"] in values.get(pair, set()), (plot.key, point)
                assert shown.get(pair, set()) & set(_as_written(point["value"])), (plot.key, point, shown.get(pair))
    return len(rows)


def pages_of_results(study: Study, browser: Client) -> Iterator[str]:
    """Yield the page of results, and those of single criteria where it shows one at a time."""
    address = f"/admin/studies/{study.slug}/results/"
    first = browser.get(address).content.decode()
    yield first
    for section in dict.fromkeys(re.findall(r'href="\?section=([^#"]+)#', first)):
        if not is_alike(section):
            yield browser.get(f"{address}?section={unescape(section)}").content.decode()


def is_alike(section: str) -> bool:
    """Return whether an ordinary run leaves out a section of results: words of PANAS beyond one of each score."""
    return not extent.is_exhaustive() and section.rpartition("--")[2] in FURTHER_WORDS


def _in_tables(page: str, names: Sequence[str]) -> dict[tuple[str, str], set[str]]:
    """Return the words of the tables of results about each pair; those of the numbers behind a chart do not count."""
    found: dict[tuple[str, str], set[str]] = {}
    for caption, rows in tables(page):
        for head, *cells in rows if caption != "Numbers behind this plot" else ():
            for pair in _pairs_in(head, names):
                found.setdefault(pair, set()).update(cells)
    return found


def _pairs_in(text: str, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the pair that a text names."""
    for sign in SIGNS:
        a, found, b = text.partition(f" {sign} ")
        if found and a in names and b in names:
            yield a, b


def _as_written(value: float) -> Iterator[str]:
    """Yield the ways in which tables write a number."""
    for digits in range(4):
        yield f"{value:z.{digits}f}".replace("-", "−")
        yield f"{value * 100:z.{digits}f} %".replace("-", "−")
        yield f"{value * 100:z.{digits}f}\u00a0%".replace("-", "−")
