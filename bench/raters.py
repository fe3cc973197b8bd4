"""Let many raters of one process go through a study over HTTP, and repeat requests that were not acknowledged.

They know nothing but the address of a study and what its pages say: no Django, no database. They answer pages of
choices (Likert scales). Several addresses are machines of one site: a rater whose machine does not respond goes to the
next one, as with a load balancer. A request that was not acknowledged is sent again unchanged, answers included, as the
script of a rater's page does.
"""

import asyncio
import html
import re
import time
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from urllib.parse import urlencode, urlsplit

TAG = re.compile(r"<(/?form|input)\b([^>]*)>")
ATTRIBUTE = re.compile(r'([\w-]+)(?:="([^"]*)")?')
# Statuses after which the same request may succeed: the server is busy or away (static/js/core/retry.js).
PASSING = frozenset({408, 425, 429, 502, 503, 504})
# Seconds before a request is sent again where no machine responds or the server asks for no other time, and the seconds
# that one request may take.
PAUSE, LONGEST = 1.0, 120.0
# Requests that may fail one after the other before a rater gives up.
TRIES = 300
# Pages that may follow each other without a question.
WAYS_ROUND = 20
# What the script of a page asks for with an answer: the next page in the reply (docs/decisions/0133).
WITH_NEXT_PAGE = "return=representation"


class Unexpected(Exception):
    """A page gave an answer that no rater should see."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a request."""

    status: int
    location: str
    retry_after: float
    has_next_page: bool
    body: str


@dataclass
class Log:
    """The acknowledged submissions of all raters, the times of their requests, and errors by text."""

    acknowledged: list[str] = field(default_factory=list)
    # Seconds of each request, and seconds from sending an answer to having the next page; both with the time when they
    # ended, in seconds since the first rater set out.
    requests: list[tuple[float, float]] = field(default_factory=list)
    turns: list[tuple[float, float]] = field(default_factory=list)
    sent_again: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    finished: int = 0
    began: float = 0.0


class Connection:
    """One connection at a time to one of several machines, kept open between requests.

    `preference` asks for the next page with an answer; without it, an answer is followed by a redirect.
    """

    def __init__(self, machines: Sequence[str], first: int, log: Log, preference: str) -> None:
        self.machines, self.at, self.log = machines, first % len(machines), log
        self.preference = f"Prefer: {preference}\r\n" if preference else ""
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, fields: Mapping[str, str] | None = None) -> Reply:
        """Send a request until it is answered. Raises Unexpected if every try fails, and for faults of the server."""
        body = urlencode(fields).encode() if fields is not None else b""
        for _try in range(TRIES):
            began = time.perf_counter()
            try:
                async with asyncio.timeout(LONGEST):
                    reply = await self._once(method, path, body)
            except (OSError, EOFError, TimeoutError) as error:
                self.close()
                self.at = (self.at + 1) % len(self.machines)
                self.log.sent_again[type(error).__name__] += 1
                # The next machine is asked at once; where there is none, it needs time to come back.
                await asyncio.sleep(0 if len(self.machines) > 1 else PAUSE)
                continue
            if reply.status in PASSING:
                self.log.sent_again[str(reply.status)] += 1
                await asyncio.sleep(reply.retry_after or PAUSE)
                continue
            now = time.perf_counter()
            self.log.requests.append((now - self.log.began, now - began))
            if reply.status >= 500:
                break
            return reply
        else:
            raise Unexpected(f"{method} was not answered {TRIES} times")
        raise Unexpected(f"{method} was answered with {reply.status}")

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self.streams is not None:
            self.streams[1].close()
            self.streams = None

    async def _once(self, method: str, path: str, body: bytes) -> Reply:
        address = urlsplit(self.machines[self.at])
        if self.streams is None:
            self.streams = await asyncio.open_connection(address.hostname, address.port, limit=1 << 20)
        reader, writer = self.streams
        form = f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n"
        head = f"{method} {path} HTTP/1.1\r\nHost: {address.netloc}\r\nAccept: text/html\r\nAccept-Encoding: gzip\r\n"
        head += self.preference
        writer.write(f"{head}{form if method == 'POST' else ''}\r\n".encode() + body)
        await writer.drain()
        first, _mark, lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").partition("\r\n")
        headers = {
            name.lower(): value.strip() for name, _colon, value in (line.partition(":") for line in lines.split("\r\n"))
        }
        content = await _content(reader, headers)
        if headers.get("connection", "").lower() == "close":
            self.close()
        if headers.get("content-encoding") == "gzip":
            content = zlib.decompress(content, wbits=31)
        return Reply(
            int(first.split()[1]),
            headers.get("location", ""),
            float(headers.get("retry-after", 0)),
            headers.get("preference-applied") == WITH_NEXT_PAGE,
            content.decode(errors="replace"),
        )


async def _content(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    if headers.get("transfer-encoding", "").lower() != "chunked":
        return await reader.readexactly(int(headers.get("content-length", 0)))
    pieces = []
    while size := int((await reader.readline()).partition(b";")[0], 16):
        pieces.append(await reader.readexactly(size))
        await reader.readexactly(2)
    await reader.readexactly(2)
    return b"".join(pieces)


@dataclass(frozen=True, slots=True)
class Form:
    """The hidden fields of a form, and the values of each group of choices."""

    hidden: dict[str, str]
    choices: dict[str, list[str]]


def form_of(page: str, form_id: str | None = None) -> Form | None:
    """Return the form with an id, or the first one that is not the choice of languages; None where there is none."""
    form: Form | None = None
    for match in TAG.finditer(page):
        name, attributes = match[1], dict(ATTRIBUTE.findall(match[2]))
        if name == "form" and form is None:
            is_wanted = attributes.get("class") != "languages" if form_id is None else attributes.get("id") == form_id
            form = Form({}, {}) if is_wanted else None
        elif name == "/form" and form is not None:
            return form
        elif name == "input" and form is not None and attributes.get("name"):
            field_name, value = attributes["name"], html.unescape(attributes.get("value", ""))
            if attributes.get("type") == "hidden":
                form.hidden[field_name] = value
            elif attributes.get("type") == "radio":
                form.choices.setdefault(field_name, []).append(value)
    return form


class Rater:
    """One rater at a time: when one has ended, the next one begins, until `over` says so."""

    def __init__(
        self,
        machines: Sequence[str],
        join: str,
        log: Log,
        *,
        number: int,
        over: Callable[[], bool],
        pause: float = 0.0,
        preference: str = WITH_NEXT_PAGE,
    ) -> None:
        self.connection = Connection(machines, number, log, preference)
        self.join, self.log, self.over, self.pause = join, log, over, pause
        self.rng = Random(number)

    async def work(self) -> None:
        """Go through the study again and again; an error ends this rater and is counted."""
        try:
            # Otherwise the first answers of all raters would come at one moment.
            await asyncio.sleep(self.rng.uniform(0, self.pause))
            while not self.over():
                await self._visit()
        except Unexpected as error:
            self.log.errors[str(error)] += 1
        finally:
            self.connection.close()

    async def _visit(self) -> None:
        location = await self._post(self.join, await self._form(self.join))
        judging = f"/r/{location.split('/')[2]}/judge/"
        ways_round = 0
        reply: Reply | None = None
        while not self.over():
            reply = reply or await self.connection.ask("GET", judging)
            if reply.status in {302, 303}:
                ways_round += 1
                if ways_round > WAYS_ROUND:
                    raise Unexpected(f"{WAYS_ROUND} pages followed each other without a question")
                if reply.location.endswith("/end/"):
                    self.log.finished += 1
                    return
                await self._post(reply.location, await self._form(reply.location))
                reply = None
                continue
            form = form_of(reply.body, "answer") if reply.status == 200 else None
            if form is None or "submission" not in form.hidden:
                raise Unexpected(f"a page of judging was answered with {reply.status} and no form")
            ways_round = 0
            reply = await self._answer(judging, form)

    async def _answer(self, path: str, form: Form) -> Reply | None:
        """Answer a page; returns the reply that has the next one, if the rater gets it at once."""
        if self.pause:
            await asyncio.sleep(self.rng.uniform(0.5, 1.5) * self.pause)
        chosen = {name: self.rng.choice(values) for name, values in form.choices.items()}
        seconds = f"{self.rng.uniform(3, 25):.1f}"
        fields = {**form.hidden, **chosen, "seconds_active": seconds, "seconds_elapsed": seconds}
        began = time.perf_counter()
        reply = await self.connection.ask("POST", path, fields)
        if reply.status not in {302, 303} and not reply.has_next_page:
            raise Unexpected(f"an answer was answered with {reply.status}")
        self.log.acknowledged.append(form.hidden["submission"])
        if not reply.has_next_page:
            if self.over() or urlsplit(reply.location).path != path:
                return None
            reply = await self.connection.ask("GET", path)
        now = time.perf_counter()
        self.log.turns.append((now - self.log.began, now - began))
        return reply

    async def _form(self, path: str) -> Form:
        reply = await self.connection.ask("GET", path)
        form = form_of(reply.body) if reply.status == 200 else None
        if form is None:
            raise Unexpected(f"a page with a form was answered with {reply.status}")
        return form

    async def _post(self, path: str, form: Form) -> str:
        reply = await self.connection.ask("POST", path, form.hidden)
        if reply.status not in {302, 303}:
            raise Unexpected(f"a form was answered with {reply.status}")
        return reply.location


async def crowd(
    machines: Sequence[str],
    join: str,
    *,
    raters: int,
    over: Callable[[Log], bool],
    pause: float = 0.0,
    log: Log | None = None,
    preference: str = WITH_NEXT_PAGE,
) -> Log:
    """Let raters work at the same time until `over` the log, and return the log.

    `machines` are the addresses of a site's web servers, `join` is the path of the study, `pause` the mean seconds
    between a page and its answer. Without a `preference`, raters ask for each page as browsers without scripts do.
    """
    log = log or Log()
    log.began = time.perf_counter()
    everybody = [
        Rater(machines, join, log, number=number, over=lambda: over(log), pause=pause, preference=preference)
        for number in range(raters)
    ]
    await asyncio.gather(*(rater.work() for rater in everybody))
    return log
