"""One order of every pair of systems: rows, charts and tables of a run name it alike."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from django.test import Client

from analytics_app.models import Plot, ResultRow, Run
from analytics_app.selectors.sections import names_of
from tasks_app.models import Study, System

# Between the names of a pair, in tables and charts.
SIGNS = "−", "–", "/", "over", "above", ">"
# How strongly one text was preferred is said of the answers that preferred it, so each order has a row of its own.
OF_AN_ORDER = "pairwise_strength"


def hold_one_order(study: Study, browser: Client) -> int:
    """Assert that a pair stands in the order of the study wherever it is named, and return how many rows do so.

    A chart shows the very numbers of the rows of its pairs, whose table has the same names.
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
    drawn = 0
    for plot in Plot.objects.filter(run=run).exclude(spec=None):
        for point in plot.spec["data"]["values"]:
            for a, b in _pairs_in(str(point.get("name", "")), names):
                assert point["value"] in values.get((a, b), set()), (plot.key, point)
                drawn += 1
    page = browser.get(f"/admin/studies/{study.slug}/results/").content.decode()
    heads = [html.unescape(one) for one in re.findall(r'<th scope="row"[^>]*><bdi>([^<]*)</bdi></th>', page)]
    shown = [pair for head in heads for pair in _pairs_in(head, names)]
    assert all(names.index(a) < names.index(b) for a, b in shown), shown
    assert bool(values) <= bool(shown), "pairs have a table"
    assert drawn == 0 or shown, "a chart of pairs has its table"
    return len(rows)


def _pairs_in(text: str, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the pair that a text names."""
    for sign in SIGNS:
        a, found, b = text.partition(f" {sign} ")
        if found and a in names and b in names:
            yield a, b
