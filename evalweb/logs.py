"""JSON log lines without personal data.

A token is a rater's credential, an address is a person, and an answer belongs to the study. None of them may reach
a log, whoever logs: Django names paths, gunicorn names addresses, and PostgreSQL quotes the row it refused. So every
line passes `SafeJsonFormatter`, which drops the values of exceptions and takes tokens and addresses out of the rest.
"""

import ipaddress
import logging
import re
import time
import traceback
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from threading import Lock
from typing import Any

from django.core.exceptions import FieldError, ImproperlyConfigured
from django.db import Error as DatabaseError
from django.template import TemplateDoesNotExist, TemplateSyntaxError
from pythonjsonlogger.json import JsonFormatter

from evalweb.outages import is_outage
from evalweb.secret_paths import GONE, hide, is_cut_before_secret

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)

# Messages of these loggers are about code, never about input; every other message may quote an answer.
SPEAKS_OF_CODE = (
    AttributeError,
    FieldError,
    ImportError,
    ImproperlyConfigured,
    NameError,
    TemplateDoesNotExist,
    TemplateSyntaxError,
    TypeError,
)
# Extras other people's code puts on a record: requests, Celery's job with its result, WSGI environments.
DROPPED_EXTRAS = frozenset({"request", "data", "args", "environ", "taskName"})
# Extras of ours that are written in code, such as the route r/<secret:token>/, whose signs would be taken for a path.
OF_CODE = frozenset({"route"})
# The values in Celery's own messages that may hold data: a job's result, arguments or exception.
HIDDEN_CELERY_VALUES = ("exc", "return_value", "traceback", "args", "kwargs")

# No message needs more characters, and an endless header must not keep a process busy.
LONGEST_FIELD, LONGEST_TRACEBACK = 2_000, 20_000
SECONDS_BETWEEN_OUTAGES = 60
clock: Callable[[], float] = time.monotonic

# Each pattern starts at a place that the text has at most once a word, or takes what it has looked at: the time that
# scrubbing takes grows with the length of the line, whatever stands in it.
_WORD = re.compile(r"[^\s\"'<>]+")
# A drawn token of 128 bits, wherever it stands. In processes that know no addresses, this is what hides tokens in them.
_DRAWN = re.compile(r"(?<![\w-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])(?=[\w-]*[0-9])[\w-]{22}(?![\w-])", re.ASCII)
# A token for the API, which somebody has put into an address instead of the header.
_API_TOKEN = re.compile(r"(ewt_)[\w-]+")
_BETWEEN_PARTS = re.compile(r"([:/\\])")
_LONGEST_ADDRESS = len("[ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255]:65535")
_MAYBE_ADDRESS = re.compile(rf"(?<![\w.:])[0-9A-Fa-f.:]{{2,{_LONGEST_ADDRESS}}}(\w?)")


def scrub(line: str) -> str:
    """Return `line` with secrets of addresses, query strings, e-mail and network addresses replaced by `…`."""
    return _WORD.sub(_scrub_word, line)


def scrub_value(text: str) -> str:
    """Scrub a text that is not JSON yet. A secret behind a space or a quotation mark is hidden as well (`/r/ …`)."""
    scrubbed, end, is_cut = [], 0, False
    for match in _WORD.finditer(text):
        scrubbed += [text[end : match.start()], GONE if is_cut else _scrub_word(match)]
        end, is_cut = match.end(), is_cut_before_secret(match.group())
    return "".join([*scrubbed, text[end:]])


def _scrub_word(match: re.Match[str]) -> str:
    word = match.group()
    path, mark, query = hide(word).partition("?")
    word = f"{path}{mark}{GONE}" if query and ("/" in path or "=" in query) else f"{path}{mark}{query}"
    word = _DRAWN.sub(GONE, word)
    word = _API_TOKEN.sub(rf"\1{GONE}", word)
    if "@" in word:
        word = "".join(GONE if "@" in part[1:-1] else part for part in _BETWEEN_PARTS.split(word))
    return _MAYBE_ADDRESS.sub(_hide_address, word)


def _hide_address(match: re.Match[str]) -> str:
    """Replace an address of another machine; this machine's own (loopback, unspecified) identify nobody."""
    text = match.group()
    digits = text.removesuffix(match[1])
    if match[1]:  # a word goes on here, so that its last part is no number
        digits = digits[: max(digits.rfind("."), digits.rfind(":"), 0)]
    if digits.count(".") + digits.count(":") < 2:
        return text
    candidate = digits if digits.endswith("::") else digits.rstrip(".:")
    if "." in candidate and candidate.count(":") == 1:
        candidate = candidate.partition(":")[0]  # the port of an IPv4 address follows
    try:
        address = ipaddress.ip_address(candidate)
    except ValueError:
        return text  # a version, a time, a dotted name
    return text if address.is_loopback or address.is_unspecified else GONE + text[len(candidate) :]


def _cut(value: object) -> object:
    return f"{value[:LONGEST_FIELD]}{GONE}" if isinstance(value, str) and len(value) > LONGEST_FIELD else value


def describe(error: BaseException) -> str:
    """Name an exception without its data: its type, and the database's name of the rule that was broken."""
    name = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    if isinstance(error, SPEAKS_OF_CODE):
        return f"{name}: {error}"
    if isinstance(error, DatabaseError):
        cause = error.__cause__
        diagnosis = getattr(cause, "diag", None)
        parts = (getattr(cause, "pgcode", None), getattr(diagnosis, "table_name", None))
        return " ".join([name, *filter(None, [*parts, getattr(diagnosis, "constraint_name", None)])])
    if isinstance(error, OSError) and error.strerror:
        return f"{name}: {error.strerror}"
    return name


def safe_traceback(error: BaseException) -> str:
    """Return the traceback of an exception and of those that led to it: places in the code, no values."""
    chain: list[str] = []
    visited: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in visited:
        visited.add(id(current))
        frames = "".join(traceback.format_tb(current.__traceback__))
        chain.append(f"{frames}{describe(current)}")
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return "\nwhich came from\n".join(chain)


class OutageTracebacks:
    """Lets one traceback of a lost database pass per interval.

    Every request fails in the same way until the database is back, and a log that holds nothing else has lost what
    came before.
    """

    def __init__(self) -> None:
        self._lock, self._last = Lock(), -float(SECONDS_BETWEEN_OUTAGES)

    def allow(self) -> bool:
        """Return whether the traceback is due, and count it."""
        with self._lock:
            now = clock()
            due = now - self._last >= SECONDS_BETWEEN_OUTAGES
            if due:
                self._last = now
            return due


class SafeJsonFormatter(JsonFormatter):
    """One JSON object per record: time, level, logger, message, request_id, and the caller's `extra`."""

    def __init__(self, *_args: object, **_kwargs: object) -> None:
        super().__init__(
            "%(asctime)s %(levelname)s %(name)s %(message)s",
            rename_fields={"asctime": "time", "levelname": "level", "name": "logger", "exc_info": "traceback"},
            json_ensure_ascii=False,
        )
        self.outage_tracebacks = OutageTracebacks()

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line of JSON without tokens, addresses and answers."""
        return scrub(super().format(self._without_data(record)))

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802
        """Return the time with its zone, so that logs of several machines can be laid side by side."""
        return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")

    def formatException(self, ei: Any) -> str:  # noqa: N802  the name logging calls
        """Return a traceback without the values an exception carries, from its end where it is very long."""
        return scrub_value(safe_traceback(ei[1])[-LONGEST_TRACEBACK:])

    def _without_data(self, record: logging.LogRecord) -> logging.LogRecord:
        fields = {key: _cut(value) for key, value in record.__dict__.items() if key not in DROPPED_EXTRAS}
        fields["args"] = self._without_results(record)
        if isinstance(record.msg, str):
            message = logging.makeLogRecord({"msg": record.msg, "args": fields["args"]}).getMessage()
            fields |= {"msg": _cut(message), "args": ()}
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and is_outage(error) and not self.outage_tracebacks.allow():
            fields |= {"exc_info": None, "error": describe(error)}
        fields = {
            key: scrub_value(value) if isinstance(value, str) and key not in OF_CODE else value
            for key, value in fields.items()
        }
        fields["exc_text"] = None  # another handler may have formatted the exception with its message
        if (current := request_id.get()) is not None:
            fields["request_id"] = current
        return logging.makeLogRecord(fields)

    @staticmethod
    def _without_results(record: logging.LogRecord) -> object:
        arguments = record.args
        if record.name.startswith("celery.") and isinstance(arguments, dict):
            return {**arguments, **dict.fromkeys(HIDDEN_CELERY_VALUES, GONE)}
        if isinstance(arguments, tuple):
            return tuple(describe(value) if isinstance(value, BaseException) else value for value in arguments)
        return arguments


def config(level: str) -> dict[str, Any]:
    """Return the logging configuration of every process: one safe handler on stderr, at `level` and above."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": "evalweb.logs.SafeJsonFormatter"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json", "stream": "ext://sys.stderr"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # Django and gunicorn give these handlers of their own, which would write around the formatter.
            name: {"handlers": [], "level": level, "propagate": True}
            for name in ("django", "django.server", "gunicorn.error", "celery")
        }
        | {"gunicorn.access": {"handlers": [], "propagate": False}},
    }
