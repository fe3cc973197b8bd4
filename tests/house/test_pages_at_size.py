"""Every page of researchers at two sizes of a study: how many queries it asks, and how many rows these look at.

The larger study has four times the raters and four times the places. A page may look at four times the rows then; a
join of both, or something counted again for every rater, would look at sixteen times as many. An ordinary run asks for
each page at one size alone, where a query for each rater or text would already be one too many.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from analytics_app.heds.filling.texts import _COUNTS
from analytics_app.models import Exclusion, ResultLift, Run
from analytics_app.results import Row
from bench import crowds
from bench.addresses import ACTIONS, DRAFTS, FILES, PAGES, Address, of_researchers
from tasks_app.models import Rater, Setup, Study
from tasks_app.projects import work
from tasks_app.selectors import evaluated, studies
from tasks_app.services.study import projects, tokens
from tasks_app.setup import changes
from tasks_app.setup.frozen import current_version, frozen_setup
from tasks_app.setup.numbers import MOST_TEXTS
from tests.analytics_app.builders import add_plots, build_run, slider_rows, store

pytestmark = pytest.mark.django_db

RATERS, GROWTH = 15, 4
SMALL_DRAFT = 30
# What design section 9 promises of every page.
# Bytes as they are sent, packed, and unpacked as the browser reads them.
MOST_QUERIES, MOST_BYTES, MOST_UNPACKED = 15, 150_000, 200_000
# Linear growth, and room for reading the judgments of the larger study whole where indexes served the smaller. Its
# raters times its places would be 72,000.
MOST_GROWTH, ROOM = 1.5 * GROWTH, 5_000


@dataclass(frozen=True)
class Asked:
    """What one request cost the database, and how long its answer was, packed and unpacked."""

    queries: int
    rows: int
    bytes: int
    unpacked: int

    @property
    def is_within_limits(self) -> bool:
        """Return whether a page of researchers may ask so much and be so long."""
        is_short = self.bytes <= MOST_BYTES and self.unpacked <= MOST_UNPACKED
        return self.queries <= MOST_QUERIES and is_short

    def keeps_to(self, before: Asked) -> bool:
        """Return whether the request cost no more than the size of the study allows, by that of a smaller one."""
        return self.queries == before.queries and self.rows <= MOST_GROWTH * before.rows + ROOM


def test_every_address_is_sorted() -> None:
    sorted_ones = {one.name for one in (*PAGES, *FILES, *DRAFTS)} | ACTIONS
    assert sorted_ones == set(of_researchers())


def test_no_page_asks_too_many_queries_or_is_too_long(rosa: User) -> None:
    costs = at_size(rosa, RATERS, None, PAGES) | of_draft(rosa, SMALL_DRAFT, None)
    assert {name: cost for name, cost in costs.items() if not cost.is_within_limits} == {}


@pytest.mark.exhaustive
def test_no_page_looks_at_more_than_its_share(rosa: User, subtests: pytest.Subtests) -> None:
    small = at_size(rosa, RATERS, {}, (*PAGES, *FILES))
    large = at_size(rosa, RATERS * GROWTH, small, (*PAGES, *FILES))
    for address in (*PAGES, *FILES):
        with subtests.test(address=str(address)):
            before, after = small[str(address)], large[str(address)]
            assert after.rows <= MOST_GROWTH * before.rows + ROOM, "a query looks at rows once for each other row"
            assert after.queries == before.queries, "the number of queries grows with the study"
            if address in PAGES:
                assert after.queries <= MOST_QUERIES
                assert after.bytes <= MOST_BYTES, "too long a page"
                assert after.unpacked <= MOST_UNPACKED, "too long a page"


@pytest.mark.exhaustive
def test_no_step_of_the_set_up_asks_more_of_a_larger_draft(rosa: User, subtests: pytest.Subtests) -> None:
    """A step reads the first items, whatever there is; all of a small draft, to say what it comes to."""
    no_small_draft = MOST_TEXTS // 2 + 10  # of two texts each
    small = of_draft(rosa, no_small_draft, {})
    large = of_draft(rosa, 2 * no_small_draft, small)
    for address, before in small.items():
        with subtests.test(address=address):
            assert large[address].queries == before.queries <= MOST_QUERIES
            assert large[address].rows <= MOST_GROWTH * before.rows + ROOM


def of_draft(owner: User, items: int, before: Mapping[str, Asked] | None) -> dict[str, Asked]:
    """Load a draft, and ask for every step of its set-up, and for its review after a change."""
    draft = crowds.load_draft(f"of-{items}-items", items=items, systems=2, k=3, criteria=2, owner=owner)
    changes.begin(draft)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    browser = Client()
    browser.force_login(owner)
    costs = ask_for(DRAFTS, lambda _address: browser, {"DRAFT": draft.slug}, before)
    setup = Setup.objects.get(study=draft)
    changes.change(setup=setup, values={("study", "title"): "Changed"}, base=setup.revision, by=owner)
    return costs | {
        "review of what was not checked": ask(
            browser, reverse("researcher:review", args=[draft.slug]), with_rows=before is not None
        ),
    }


def at_size(
    owner: User, raters: int, before: Mapping[str, Asked] | None, addresses: Sequence[Address]
) -> dict[str, Asked]:
    """Fill a study whose raters have a set each, ask for some addresses, and take it all back.

    `before` is what was asked of a smaller study; None where rows are not counted (see `ask_for`).
    """
    with transaction.atomic():
        study = crowds.load(
            f"with-{raters}-raters", items=raters * crowds.SET_SIZE // 6 + 1, systems=2, k=3, criteria=2, owner=owner
        )
        crowds.fill(study, raters=raters, booklets=raters)
        words = results(study, owner)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        costs = ask_for(addresses, clients(owner, study), words, before)
        transaction.set_rollback(True)
    return costs


def clients(owner: User, study: Study) -> Callable[[Address], Client]:
    """Return who asks for an address: the owner's browser, or their script."""
    browser = Client()
    browser.force_login(owner)
    made = tokens.make(user=owner, name="script", scopes=list(tokens.SCOPES), study=study, everywhere=True)
    script = Client(headers={"authorization": f"Bearer {made.secret}"})
    return lambda address: script if address.name.startswith("api") else browser


def results(study: Study, owner: User) -> dict[str, str]:
    """Store a run that found and left out something for every rater; return what names in addresses stand for."""
    ResultLift.objects.create(study=study, reason="Whatever pages of results show is asked for.")
    run = build_run(study, slider_rows("c0"))
    add_plots(run, "c0")
    raters = list(Rater.objects.filter(study=study).order_by("id"))
    store(run, list(_rows_of_raters(run, raters)))
    Exclusion.objects.bulk_create(
        Exclusion(study=study, run=run, rule="trust", rater=rater, reason="Trust below 0.5.") for rater in raters
    )
    frozen_setup(current_version(study))  # made when somebody first looks
    project = projects.put_into_new(study=study, name="At size", by=None)
    opened = work.begin(project=project, action="open", studies=[study], by=None)
    return {
        "SLUG": study.slug,
        "PROJECT": project.slug,
        "WORK": str(opened.pk),
        "DELETED": str(crowds.delete_another(owner).number),
        "RUN": str(run.number),
        "PLOT": str(run.plots.filter(by_system=False).values_list("pk", flat=True)[0]),
        "RATER": raters[0].pseudonym,
        "ITEM": str(study.items.earliest("pk").pk),
    }


def _rows_of_raters(run: Run, raters: list[Rater]) -> Iterator[Row]:
    for rater in raters:
        for statistic in ("rater_mean", "rater_sd"):
            yield Row(
                analysis="raters",
                statistic=statistic,
                task="main",
                criterion="c0",
                rater=rater.pseudonym,
                basis="kept",
                value=1.0,
            )


def ask_for(
    addresses: Sequence[Address],
    client_of: Callable[[Address], Client],
    words: dict[str, str],
    before: Mapping[str, Asked] | None,
) -> dict[str, Asked]:
    """Ask for each address, and return what that cost by its name.

    The second answer counts: what never changes, such as a frozen plan, is read once by each process. A first answer
    that already keeps to what `before` allows stands for the second. Where `before` is None, queries are counted but
    not the rows that they look at, and a first answer stands that keeps to the limits of every page.
    """
    costs = {}
    for address in addresses:
        name, client, path = str(address), client_of(address), address.path(words)
        if before is None:
            costs[name] = ask(client, path, with_rows=False)
            stands = costs[name].is_within_limits
        else:
            if name not in before:
                read(client, path)
            costs[name] = ask(client, path)
            stands = name not in before or costs[name].keeps_to(before[name])
        if not stands:
            costs[name] = ask(client, path, with_rows=before is not None)
    return costs


def ask(client: Client, path: str, *, with_rows: bool = True) -> Asked:
    """Ask for a page; with rows, have PostgreSQL explain each of its queries with the rows that it looked at."""
    with explained(with_rows) as rows:
        content = read(client, path)
    return Asked(len(rows), sum(rows), len(gzip.compress(content)), len(content))


def read(client: Client, path: str) -> bytes:
    """Return the bytes of a page, and take back what it writes."""
    with transaction.atomic():
        answer = client.get(path)
        assert answer.status_code == 200, path
        content: bytes = b"".join(answer) if answer.streaming else answer.content
        transaction.set_rollback(True)
    return content


@contextmanager
def explained(with_rows: bool) -> Iterator[list[int]]:
    """Yield a list that gets the number of rows which each query meanwhile looked at; 0 for one that writes.

    Without rows, it gets 0 for each.
    """
    rows: list[int] = []

    def explain(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        verb = sql.split(None, 1)[0].upper()
        if verb not in {"SAVEPOINT", "RELEASE", "ROLLBACK"}:
            rows.append(rows_of(sql, params) if with_rows and verb in {"SELECT", "WITH"} else 0)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(explain):
        yield rows


def rows_of(sql: str, params: Any) -> int:
    """Return how many rows the nodes of a query's plan looked at."""
    with connection.connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON, TIMING OFF) {sql}", params)
        (found,) = cursor.fetchone()
    plan = found if isinstance(found, list) else json.loads(found)
    return round(sum(_looked_at(node) for node in _nodes(plan[0]["Plan"])))


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("Plans", ()):
        yield from _nodes(child)


def _looked_at(node: dict[str, Any]) -> float:
    dropped = sum(value for name, value in node.items() if name.startswith("Rows Removed by"))
    return float(node["Actual Loops"] * (node["Actual Rows"] + dropped))


def test_whether_drafts_have_texts_is_asked_of_an_index() -> None:
    """Without the order of that index, PostgreSQL may read the texts of all drafts for each study of the list."""
    query = str(studies.with_gaps(Study.objects.all()).query)
    assert 'ORDER BY U0."setup_id" ASC, U0."table" ASC, U0."number" ASC LIMIT 1' in query


def test_texts_of_a_datasheet_are_counted_without_looking_up_their_tasks_and_systems() -> None:
    """Joined with these, 100,000 units are taken for some hundred, and sorted by words."""
    judged, _beside, _others = _COUNTS.partition("beside AS (")
    assert re.findall(r"(?:FROM|JOIN) tasks_app_(\w+) \w+$", judged, re.MULTILINE) == ["unit"]
    assert re.findall(r"JOIN tasks_app_(\w+)", judged) == ["part", "partoutput", "output"]


def test_items_with_known_answers_are_looked_up_once_for_all_texts(rosa: User) -> None:
    """The plan has them in a hash, and asks no unit of an item for each text."""
    study = crowds.load("known", items=10, systems=2, k=1, criteria=1, owner=rosa)
    for texts in (evaluated.items(study), evaluated.outputs(study)):
        plan = texts.explain()
        assert "hashed SubPlan" in plan
        assert "Anti Join" not in plan
