"""Between the event loop and the threads: nobody waits for a slow client, and nothing cut short counts as whole."""

import asyncio
import errno
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from http import HTTPStatus
from io import BytesIO
from typing import Any, TypeVar

import pytest

from evalweb import memory
from evalweb.front import pace, requests
from evalweb.front.application import Front
from evalweb.front.requests import REFUSAL, Environ, Refused
from evalweb.front.responses import PIECE
from tasks_app.uploads.request_sizes import ORDINARY

T = TypeVar("T")
LARGE = 5 * ORDINARY
START_RESPONSE = Callable[..., Any]


class Page(list[bytes]):
    """A response that is computed whole, as Django's are."""

    streaming = False


class Application:
    """A WSGI application that remembers what it was asked, and answers as its address says."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, bytes, Environ]] = []
        self.closed = 0

    def __call__(self, environ: Environ, start: START_RESPONSE) -> Any:
        self.asked.append((environ["PATH_INFO"], environ["wsgi.input"].read(), dict(environ)))
        encoding = [("Content-Encoding", "gzip")] if environ["PATH_INFO"] == "/compressed/" else []
        start(f"{environ.get(REFUSAL, 200)} Said", [("Content-Type", "text/plain"), *encoding])
        answer = getattr(self, environ["PATH_INFO"].strip("/"), None)
        return answer(environ) if answer else Page([b"page"])

    def large(self, _environ: Environ) -> Page:
        return Page([b"x" * 10 * PIECE])

    def export(self, _environ: Environ) -> Iterator[bytes]:
        try:
            yield from [b"row\n"] * 3
            yield b"x" * 40 * PIECE
        finally:
            self.closed += 1

    def compressed(self, _environ: Environ) -> Iterator[bytes]:
        yield from [b"head", b"rows", b"end"]

    def broken(self, _environ: Environ) -> Iterator[bytes]:
        yield b"row\n"
        raise ConnectionError("the database went away")

    def film(self, environ: Environ) -> Any:
        return environ["wsgi.file_wrapper"](BytesIO(b"f" * 3 * PIECE), PIECE)


class Client:
    """One client: what it sends, and whether it takes what is sent to it."""

    def __init__(self, front: Front, path: str = "/", method: str = "GET", **headers: str) -> None:
        self.front, self.sent, self.received = front, 0, list[dict[str, Any]]()
        self.chunks: list[bytes] = []
        self.finishes, self.leaves, self.reads = asyncio.Event(), False, asyncio.Event()
        self.reads.set()
        self.scope = {
            "type": "http",
            "method": method,
            "http_version": "1.1",
            "scheme": "https",
            "raw_path": path.encode(),
            "query_string": b"a=1",
            "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()],
            "server": ("127.0.0.1", 8000),
            "client": ("203.0.113.9", 50_000),
        }

    async def receive(self) -> dict[str, Any]:
        if self.sent < len(self.chunks):
            self.sent += 1
            return {"type": "http.request", "body": self.chunks[self.sent - 1], "more_body": True}
        if self.leaves:
            return {"type": "http.disconnect"}
        await self.finishes.wait()
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(self, message: dict[str, Any]) -> None:
        self.received.append(message)
        if message["type"] == "http.response.body":
            await self.reads.wait()

    async def run(self) -> None:
        await self.front(self.scope, self.receive, self.send)

    @property
    def status(self) -> int:
        return int(self.received[0]["status"])

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.received)

    @property
    def whole(self) -> bool:
        return bool(self.received) and self.received[-1].get("more_body") is False


def limit(environ: Environ) -> int:
    """Allow much at one address, nothing to strangers there, and as much as anywhere else at the others."""
    if environ["PATH_INFO"] == "/strangers/":
        raise Refused(HTTPStatus.FORBIDDEN)
    return LARGE if environ["PATH_INFO"] == "/upload/" else ORDINARY


@pytest.fixture
def application() -> Application:
    return Application()


@pytest.fixture
def front(application: Application) -> Iterator[Front]:
    front = Front(application, limit, threads=1)
    yield front
    front.threads.shutdown()
    front.file_threads.shutdown()


def run(story: Callable[[], Coroutine[Any, Any, T]]) -> T:
    async def bounded() -> T:
        async with asyncio.timeout(60):
            return await story()

    return asyncio.run(bounded())


async def until(happened: Callable[[], object], others: Awaitable[Any] | None = None) -> None:
    """Let the event loop work until something has happened."""
    while not happened():
        await asyncio.sleep(0)


def test_a_body_that_never_ends_holds_no_thread(front: Front, application: Application) -> None:
    async def story() -> None:
        slow = Client(front, "/slow/", "POST", content_length="2")
        slow.chunks = [b"he"]
        waiting = asyncio.ensure_future(slow.run())
        await until(lambda: slow.sent)
        quick = Client(front, "/quick/")
        await quick.run()
        assert (quick.status, quick.body) == (200, b"page")
        assert [path for path, *_rest in application.asked] == ["/quick/"]
        slow.finishes.set()
        await waiting

    run(story)
    assert application.asked[-1][:2] == ("/slow/", b"he")


@pytest.mark.parametrize("path", ["/large/", "/film/"])
def test_a_client_that_reads_nothing_holds_no_thread(front: Front, path: str) -> None:
    async def story() -> None:
        slow = Client(front, path)
        slow.reads.clear()
        waiting = asyncio.ensure_future(slow.run())
        await until(lambda: len(slow.received) == 2)
        quick = Client(front)
        await quick.run()
        assert quick.body == b"page"
        slow.reads.set()
        await waiting
        assert slow.whole
        assert len(slow.body) == {"/large/": 10, "/film/": 3}[path] * PIECE

    run(story)


def test_a_download_that_nobody_takes_is_given_up(
    front: Front, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> Client:
        slow = Client(front, "/export/")
        slow.reads.clear()
        waiting = asyncio.ensure_future(slow.run())
        await until(lambda: len(slow.received) == 2)
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await until(lambda: application.closed)
        quick = Client(front)
        await quick.run()
        assert quick.body == b"page"
        return slow

    monkeypatch.setattr(pace, "PATIENCE_SECONDS", 0.05)
    assert not run(story).whole


def test_rows_are_joined_and_the_first_goes_at_once(front: Front) -> None:
    client = Client(front, "/export/")
    run(client.run)
    assert client.whole
    assert [len(message.get("body", b"")) for message in client.received[1:4]] == [4, PIECE, PIECE]
    assert client.body.startswith(b"row\nrow\nrow\nxxx")


def test_pieces_that_were_joined_before_they_were_compressed_are_sent_as_they_come(front: Front) -> None:
    client = Client(front, "/compressed/")
    run(client.run)
    assert client.whole
    assert [message.get("body") for message in client.received[1:4]] == [b"head", b"rows", b"end"]


def test_a_response_that_fails_halfway_does_not_look_whole(front: Front) -> None:
    client = Client(front, "/broken/")
    with pytest.raises(ConnectionError):
        run(client.run)
    assert client.status == 200
    assert not client.whole


@pytest.mark.parametrize(
    ("content_type", "n"), [("multipart/form-data; boundary=x", 1), ("application/x-www-form-urlencoded", 0)]
)
def test_memory_is_given_back_after_requests_with_files(
    front: Front, monkeypatch: pytest.MonkeyPatch, content_type: str, n: int
) -> None:
    given_back: list[str] = []
    monkeypatch.setattr(memory, "give_back", lambda: given_back.append(content_type))
    client = Client(front, "/broken/", "POST", content_type=content_type, content_length="0")
    with pytest.raises(ConnectionError):
        run(client.run)
    assert len(given_back) == n


def test_a_body_cut_short_reaches_nobody(front: Front, application: Application) -> None:
    client = Client(front, "/", "POST", content_length="1000")
    client.chunks, client.leaves = [b"half an ans"], True
    with pytest.raises(asyncio.CancelledError):
        run(client.run)
    assert application.asked == []
    assert client.received == []


def test_a_claimed_length_above_the_limit_is_refused_before_anything_is_read(
    front: Front, application: Application
) -> None:
    client = Client(front, "/", "POST", content_length=str(ORDINARY + 1))
    client.chunks = [b"x"]
    read: list[int] = []
    client.finishes.set()

    async def send(message: dict[str, Any]) -> None:
        read.append(client.sent)
        await Client.send(client, message)

    run(lambda: client.front(client.scope, client.receive, send))
    assert (client.status, application.asked[0][1]) == (413, b"")
    assert set(read) == {0}


def test_a_chunked_body_is_read_to_the_limit_and_no_further(front: Front, application: Application) -> None:
    client = Client(front, "/", "POST", transfer_encoding="chunked")
    client.chunks = [b"x" * 500_000] * 20
    at_answer: list[int] = []

    async def send(message: dict[str, Any]) -> None:
        at_answer.append(client.sent)
        await Client.send(client, message)

    client.finishes.set()
    run(lambda: client.front(client.scope, client.receive, send))
    assert client.status == 413
    assert application.asked[0][1] == b""
    assert at_answer[0] == ORDINARY // 500_000 + 1


@pytest.mark.parametrize(("path", "status", "arrived"), [("/upload/", 200, 4_000_000), ("/strangers/", 403, 0)])
def test_the_limit_is_that_of_the_address_and_of_who_asks(
    front: Front, application: Application, path: str, status: int, arrived: int
) -> None:
    for header in ({"content_length": "4000000"}, {"transfer_encoding": "chunked"}):
        client = Client(front, path, "POST", **header)
        client.chunks = [b"x" * 1_000_000] * 4
        client.finishes.set()
        run(client.run)
        assert (client.status, len(application.asked[-1][1])) == (status, arrived)
        assert application.asked[-1][2]["CONTENT_LENGTH"] == str(arrived)


def test_a_body_that_comes_too_slowly_is_refused(
    front: Front, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace, "PATIENCE_SECONDS", 0.05)
    client = Client(front, "/", "POST", content_length="5")
    with pytest.raises(asyncio.CancelledError):
        run(client.run)
    assert client.status == 408
    assert client.whole
    assert application.asked[0][1] == b""


def test_a_body_for_which_the_disk_has_no_room_is_refused_with_the_sites_page(
    front: Front, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    class FullDisk(BytesIO):
        def write(self, _content: Any) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(requests.tempfile, "SpooledTemporaryFile", lambda **_options: FullDisk())
    client = Client(front, "/", "POST", content_length="5")
    client.chunks = [b"12345"]
    client.finishes.set()
    run(client.run)
    assert client.status == 503
    assert application.asked[0][1] == b""


def test_what_the_application_is_told(front: Front, application: Application) -> None:
    client = Client(front, "/r/%C3%A4%2Fb", "HEAD", host="eval.example.org", x_forwarded_proto="https")
    client.scope["headers"] += [(b"cookie", b"a=1"), (b"cookie", b"b=2"), (b"x-a", b"1"), (b"x-a", b"2")]
    run(client.run)
    environ = application.asked[0][2]
    told = {name: environ.get(name) for name in ("PATH_INFO", "QUERY_STRING", "HTTP_COOKIE", "HTTP_X_A", "REMOTE_ADDR")}
    assert told == {
        "PATH_INFO": "/r/ä/b".encode().decode("latin-1"),
        "QUERY_STRING": "a=1",
        "HTTP_COOKIE": "a=1; b=2",
        "HTTP_X_A": "1,2",
        "REMOTE_ADDR": "203.0.113.9",
    }
    # Nobody said that there is a proxy which ends TLS: neither gunicorn nor a header is believed.
    assert environ["wsgi.url_scheme"] == "http"
    assert client.body == b""


def test_a_question_that_nobody_waits_for_is_dropped_and_an_answer_is_stored(
    front: Front, application: Application
) -> None:
    async def story() -> None:
        blocker = asyncio.Event()
        front.threads.submit(lambda: asyncio.run_coroutine_threadsafe(blocker.wait(), loop).result())
        clients = [Client(front, "/question/"), Client(front, "/answer/", "POST", content_length="2")]
        clients[1].chunks = [b"ok"]
        clients[1].finishes.set()
        tasks = [asyncio.ensure_future(client.run()) for client in clients]
        await until(lambda: front.threads._work_queue.qsize() == 2)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        blocker.set()
        await until(lambda: application.asked)

    async def whole() -> None:
        nonlocal loop
        loop = asyncio.get_running_loop()
        await story()

    loop: asyncio.AbstractEventLoop
    run(whole)
    front.threads.shutdown()
    assert [(path, body) for path, body, _environ in application.asked] == [("/answer/", b"ok")]


def test_a_change_to_websockets_is_refused(front: Front, caplog: pytest.LogCaptureFixture) -> None:
    client = Client(front)
    client.scope["type"] = "websocket"
    with caplog.at_level(logging.ERROR):
        run(client.run)
    assert client.received == [{"type": "websocket.close"}]
    assert not caplog.records
