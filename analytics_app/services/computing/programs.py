"""Metrics that other programs compute: the site's administrator names them in EVALWEB_METRIC_PROGRAMS."""

import json
import math
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from os import SEEK_END
from tempfile import TemporaryFile
from time import monotonic
from typing import IO, Any

from django.conf import settings
from django.utils.translation import gettext as _

# Seconds after which the size of a program's output is looked at again, while it runs.
LOOKS_EVERY = 0.2

# Bytes at the end of what a program says about its errors, which are searched for the last line.
_LAST_BYTES = 10_000


class ProgramFailed(Exception):
    """A program ended with an error, or wrote something other than a score for each text."""


def programs() -> Mapping[str, Sequence[str]]:
    """Return the command of each metric, by its name."""
    named: Mapping[str, Sequence[str]] = settings.EVALWEB_METRIC_PROGRAMS
    return named


def scores_by(name: str, texts: Sequence[Mapping[str, Any]]) -> list[float]:
    """Return the scores that a program writes for texts, in their order.

    The program reads JSON lines from its standard input, one for each text with the keys `id`, `item`, `system`,
    `text`, `source`, `reference` and `language`, and writes a JSON line with `id` and `score` for each.

    Raises
    ------
    ProgramFailed
        It ended with an error, took too long, or wrote something else.
    """
    seconds: float = settings.EVALWEB_METRIC_PROGRAM_SECONDS
    with TemporaryFile() as given, TemporaryFile() as errors:
        for place, text in enumerate(texts):
            given.write(f"{json.dumps({'id': place, **text}, ensure_ascii=False)}\n".encode())
        # Many times what the scores need, and enough for a program that repeats its input.
        most = 1_000_000 + 1_000 * len(texts) + given.tell()
        given.seek(0)
        try:
            written, code, is_late = _run(programs()[name], given, errors, most, seconds)
        except OSError as error:
            raise ProgramFailed(_("The program of %(name)s: %(error)s") % {"name": name, "error": error}) from error
        errors.seek(max(0, errors.seek(0, SEEK_END) - _LAST_BYTES))
        said = errors.read().decode(errors="replace")
    if is_late:
        sentence = _("The program of %(name)s was ended after %(seconds)s seconds.")
        raise ProgramFailed(sentence % {"name": name, "seconds": f"{seconds:g}"})
    if len(written) > most:
        sentence = _("The program of %(name)s wrote far more than a score for each text, and was ended.")
        raise ProgramFailed(sentence % {"name": name})
    if code:
        last = (said.strip().splitlines() or [""])[-1]
        sentence = _("The program of %(name)s ended with code %(code)d: %(last)s")
        raise ProgramFailed(sentence % {"name": name, "code": code, "last": last[:300]})
    try:
        return _read(name, written.decode(), len(texts))
    except UnicodeDecodeError as error:
        raise ProgramFailed(_("The program of %(name)s: %(error)s") % {"name": name, "error": error}) from error


def _run(
    command: Sequence[str], given: IO[bytes], errors: IO[bytes], most: int, seconds: float
) -> tuple[bytes, int, bool]:
    """Run a program, and end it with its processes if it takes too long or writes more than `most` bytes.

    Returns its output, its exit code, and whether it took longer than `seconds`.
    """
    with TemporaryFile() as output:
        # The command is the administrator's own, and no shell reads it. In a session of its own, its processes can be
        # ended together. It writes to a file: one that has left the session, as `setsid` does, would keep a pipe open,
        # and the worker waiting for it.
        process = subprocess.Popen(list(command), stdin=given, stdout=output, stderr=errors, start_new_session=True)
        until = monotonic() + seconds
        try:
            while _is_running(process) and _size(output) <= most and monotonic() < until:
                pass
            is_late = process.poll() is None and _size(output) <= most
        finally:
            # Also where the worker itself is told to stop meanwhile.
            _end(process.pid)
            code = process.wait()
        # Not from the position in the file, which is the program's as well.
        return os.pread(output.fileno(), most + 1, 0), code, is_late


def _is_running(process: subprocess.Popen[bytes]) -> bool:
    """Wait for a moment, and return whether a program still runs."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(LOOKS_EVERY)
    return process.returncode is None


def _size(file: IO[bytes]) -> int:
    return os.fstat(file.fileno()).st_size


def _end(group: int) -> None:
    """End the processes of a group, if there are any left."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def _read(name: str, written: str, n: int) -> list[float]:
    scores: dict[int, float] = {}
    # Texts that a program repeats may hold other characters that Python takes for ends of lines, such as U+2028.
    for number, line in enumerate(written.removesuffix("\n").split("\n") if written else (), start=1):
        try:
            entry = json.loads(line)
            place, score = entry["id"], float(entry["score"])
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
            place, score = None, math.nan
        if (
            not isinstance(place, int)
            or isinstance(place, bool)
            or not 0 <= place < n
            or place in scores
            or not math.isfinite(score)
        ):
            sentence = _('Line %(line)d of the program of %(name)s is no new {"id": …, "score": …}: %(text)s')
            raise ProgramFailed(sentence % {"line": number, "name": name, "text": line[:100]})
        scores[place] = score
    if len(scores) < n:
        sentence = _("The program of %(name)s wrote %(written)d scores for %(n)d texts.")
        raise ProgramFailed(sentence % {"name": name, "written": len(scores), "n": n})
    return [scores[place] for place in range(n)]
