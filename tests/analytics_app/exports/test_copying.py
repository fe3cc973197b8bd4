"""The stream behind an export: constant memory, errors that surface, and a connection that is as good as before."""

import csv
import io
import tracemalloc
from queue import Queue
from threading import Event
from typing import ClassVar

import pytest
from django.db import DatabaseError, connection, transaction

from analytics_app.exports import copying, ratings
from analytics_app.exports.copying import CHUNK_BYTES, CHUNKS_WAITING, CSV, ConnectionBusy, copy_out
from tasks_app.models import Study
from tests.builders import build_study

# In the list of a SELECT the series is made while it is read; in FROM it would be made as a whole before.
ENDLESS = "SELECT repeat('x', 1000), generate_series(1, 1000000000000)"
HUNDRED_MEGABYTES = "SELECT repeat('x', 1000), generate_series(1, 100000)"


class Watched(Queue[bytes | None]):
    """A queue that tells when somebody had to wait because it was full."""

    made: ClassVar[list["Watched"]] = []

    def __init__(self, size: int = 0) -> None:
        super().__init__(size)
        self.met_its_bound = Event()
        self.made.append(self)

    def put(self, item: bytes | None, block: bool = True, timeout: float | None = None) -> None:
        if self.full():
            self.met_its_bound.set()
        super().put(item, block, timeout)


def usable() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1, current_setting('enable_nestloop')")
        return bool(cursor.fetchone() == (1, "on"))


@pytest.mark.django_db
@pytest.mark.parametrize("n", [0, 1, 7, 100_000])
def test_everything_arrives_in_order(n: int) -> None:
    content = b"".join(copy_out("SELECT generate_series(1, %(n)s)", {"n": n}, options=CSV, head=b"head\n"))
    assert content.split() == [b"head", *(str(number).encode() for number in range(1, n + 1))]


@pytest.mark.django_db
@pytest.mark.parametrize("first", [0, 1, 2, 3])
def test_only_rows_get_another_end_wherever_pieces_are_cut(first: int) -> None:
    """Line feeds and quotes within a text stay, and pieces end within texts, between quotes and after them."""
    query = (
        "SELECT repeat('x', %(first)s), 'a' || chr(10) || '\"' || chr(13) || chr(10) || '\"\"', repeat(chr(10), n %% 5)"
        " FROM generate_series(1, 20000) n"
    )
    got = b"".join(copy_out(query, {"first": first}, options=CSV, head=b"1,2,3\r\n", line_end=b"\r\n"))
    rows = csv.reader(io.StringIO(got.decode(), newline=""))
    assert next(rows) == ["1", "2", "3"]
    assert list(rows) == [["x" * first, 'a\n"\r\n""', "\n" * (n % 5)] for n in range(1, 20001)]
    assert got.count(b"\r\n") == 1 + 2 * 20_000, "one in each text, and one after each row"


@pytest.mark.django_db(transaction=True)
def test_whoever_leaves_early_ends_the_copy() -> None:
    """The query would go on for days: that this test ends shows that it was cancelled."""
    chunks = copy_out(ENDLESS, {}, options=CSV)
    assert len(next(chunks)) > CHUNK_BYTES // 2
    chunks.close()
    assert usable()
    assert not connection.in_atomic_block
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND query LIKE 'COPY%' AND state = 'active'"
        )
        assert cursor.fetchone() == (0,)


@pytest.mark.django_db
def test_leaving_early_keeps_what_an_outer_transaction_wrote(study: Study) -> None:
    with transaction.atomic():
        other = build_study(None, slug="other", opened=False)
        chunks = copy_out(ENDLESS, {}, options=CSV)
        next(chunks)
        chunks.close()
        assert Study.objects.filter(pk=other.pk).exists()
    assert usable()


@pytest.mark.django_db(transaction=True)
def test_an_error_of_the_database_surfaces_after_what_came_before() -> None:
    chunks = copy_out("SELECT 1 / (150000 - g) FROM (SELECT generate_series(1, 200000) g) s", {}, options=CSV)
    got: list[bytes] = []
    with pytest.raises(DatabaseError, match="division by zero"):
        got.extend(chunks)
    assert sum(map(len, got)) > 100_000
    assert usable()


@pytest.mark.django_db(transaction=True)
def test_an_error_at_once_sends_nothing() -> None:
    with pytest.raises(DatabaseError, match="no_such_table"):
        next(copy_out("SELECT 1 FROM no_such_table", {}, options=CSV, head=b"head\n"))
    assert usable()


@pytest.mark.django_db(transaction=True)
def test_nobody_asks_the_database_in_between() -> None:
    """A second statement on the connection would silently cut the file short."""
    chunks = copy_out(ENDLESS, {}, options=CSV)
    next(chunks)
    with pytest.raises(ConnectionBusy):
        Study.objects.exists()
    chunks.close()
    assert not Study.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_memory_does_not_grow_with_what_is_sent() -> None:
    """100 MB go through a few: what waits is bounded, so a slow reader slows the server down."""
    chunks = copy_out(HUNDRED_MEGABYTES, {}, options=CSV)
    size = len(next(chunks))
    tracemalloc.start()
    try:
        for chunk in chunks:
            size += len(chunk)
        _now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size > 100_000_000
    assert peak < 4 * CHUNK_BYTES * CHUNKS_WAITING


@pytest.mark.django_db(transaction=True)
def test_what_a_slow_reader_has_not_taken_yet_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copying, "Queue", Watched)
    monkeypatch.setattr(Watched, "made", [])
    chunks = copy_out(HUNDRED_MEGABYTES, {}, options=CSV)
    next(chunks)
    (waiting,) = Watched.made
    assert waiting.met_its_bound.wait(timeout=30)
    assert waiting.qsize() <= CHUNKS_WAITING
    chunks.close()
    assert usable()


@pytest.mark.django_db(transaction=True)
def test_a_slow_reader_is_not_cut_off_by_the_limit_of_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    class Spying(copying._Pump):
        def run(self) -> None:
            self._cursor.execute("SHOW statement_timeout")
            seen.append(self._cursor.fetchone()[0])
            super().run()

    monkeypatch.setattr(copying, "_Pump", Spying)
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = '30s'")
    assert b"".join(copy_out("SELECT 1", {}, options=CSV)) == b"1\n"
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        assert (seen, cursor.fetchone()) == (["1h"], ("30s",))
        cursor.execute("RESET statement_timeout")


@pytest.mark.django_db(transaction=True)
def test_an_export_that_is_never_read_leaves_nothing_behind() -> None:
    study = build_study(None)
    ratings.stream(study)
    ratings.stream(study).close()
    assert usable()
    assert not connection.in_atomic_block
