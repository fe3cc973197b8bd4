"""Metrics that other programs compute: the site's administrator names them in EVALWEB_METRIC_PROGRAMS."""

import json
import math
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _


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
    given = "".join(json.dumps({"id": place, **text}, ensure_ascii=False) + "\n" for place, text in enumerate(texts))
    try:
        # The command is the administrator's own, and no shell reads it.
        ended = subprocess.run(
            list(programs()[name]), input=given, capture_output=True, text=True, encoding="utf-8",
            timeout=settings.EVALWEB_METRIC_PROGRAM_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, UnicodeDecodeError) as error:
        raise ProgramFailed(_("The program of %(name)s: %(error)s") % {"name": name, "error": error}) from error
    except subprocess.TimeoutExpired as error:
        sentence = _("The program of %(name)s was ended after %(seconds)s seconds.")
        raise ProgramFailed(sentence % {"name": name, "seconds": f"{error.timeout:g}"}) from error
    if ended.returncode:
        last = (ended.stderr.strip().splitlines() or [""])[-1]
        sentence = _("The program of %(name)s ended with code %(code)d: %(last)s")
        raise ProgramFailed(sentence % {"name": name, "code": ended.returncode, "last": last[:300]})
    return _read(name, ended.stdout, len(texts))


def _read(name: str, written: str, n: int) -> list[float]:
    scores: dict[int, float] = {}
    for number, line in enumerate(written.splitlines(), start=1):
        try:
            entry = json.loads(line)
            place, score = entry["id"], float(entry["score"])
        except (ValueError, TypeError, KeyError):
            place, score = None, math.nan
        if not isinstance(place, int) or not 0 <= place < n or place in scores or not math.isfinite(score):
            sentence = _('Line %(line)d of the program of %(name)s is no new {"id": …, "score": …}: %(text)s')
            raise ProgramFailed(sentence % {"line": number, "name": name, "text": line[:100]})
        scores[place] = score
    if len(scores) < n:
        sentence = _("The program of %(name)s wrote %(written)d scores for %(n)d texts.")
        raise ProgramFailed(sentence % {"name": name, "written": len(scores), "n": n})
    return [scores[place] for place in range(n)]
