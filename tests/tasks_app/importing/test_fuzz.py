"""Whatever is in a file, it is imported or refused with sentences; nothing else happens."""

import gzip
import io
from collections.abc import Callable
from functools import partial
from random import Random

import pytest

from tasks_app import importing
from tasks_app.importing import RatingsFile
from tasks_app.importing.guessing import guess, peek
from tasks_app.models import Rating, Study
from tasks_app.studyfile import StudyFileError
from tests import extent
from tests.tasks_app.importing.kit import mapped
from tests.tasks_app.importing.test_mapping import MAP, THEIRS
from tests.tasks_app.importing.test_storing import WHOLE

pytestmark = pytest.mark.django_db

ODD = [
    b"\x00", b"\xff", b'"', b'""', b",", b";", b"\t", b"\r", b"\n", b"\r\n", b"'=", b"-1", b"1e999", b"NaN", b"{}",
    b"[]", b'{"a": 1}', b"\xef\xbb\xbf", b"skip", b"none", b"repeat", b"j1", b"j2", b"99999999999999999999",
    "\u202e\U0001f600".encode(), b"x" * 200, b"2026-13-41", b"0001-01-01T00:00:00+23:59", b"true", b"null",
]  # fmt: skip

LINES = b"".join(
    b'{"rater": "ann", "item": "i1", "system": "alpha", "criterion": "style", "value": %d, "judgment": "j%d"}\n'
    % (n, n)
    for n in range(1, 5)
)


def spoilt(content: bytes, rng: Random) -> bytes:
    """Change a file in a few places."""
    for _change in range(rng.randint(1, 4)):
        at = rng.randrange(len(content) + 1)
        kind = rng.randrange(4)
        if kind == 0:
            content = content[:at] + rng.choice(ODD) + content[at:]
        elif kind == 1:
            content = content[:at] + content[at + rng.randint(1, 12) :]
        elif kind == 2:
            content = content[:at] + content[rng.randrange(len(content) + 1) :]
        else:
            cells = content.split(b",")
            cells[rng.randrange(len(cells))] = rng.choice(ODD)
            content = b",".join(cells)
    return content


def refusal(work: Callable[[], object]) -> list[str]:
    """Return the lines with which something is refused; none where it is not."""
    try:
        work()
    except StudyFileError as refused:
        return refused.lines()
    return []


@pytest.mark.parametrize("seed", range(12 if extent.is_exhaustive() else 1))
@pytest.mark.parametrize(
    ("name", "content", "mapping"),
    [
        ("r.csv", WHOLE.encode(), ""),
        ("r.csv", THEIRS.encode(), MAP),
        ("r.jsonl", LINES, ""),
        ("r.csv.gz", gzip.compress(WHOLE.encode()), ""),
    ],
    ids=["ours", "theirs", "jsonl", "gzip"],
)
def test_a_spoilt_file_is_imported_or_refused(draft: Study, name: str, content: bytes, mapping: str, seed: int) -> None:
    rng = Random(seed)
    for _round in range(10):
        file = RatingsFile(name, partial(io.BytesIO, spoilt(content, rng)))
        lines = refusal(
            partial(importing.import_ratings, study=draft, file=file, mapping=mapped(mapping), by=None, check=True)
        )
        assert all(line.startswith(name) for line in lines[:200]), lines
        assert not Rating.objects.exists()
        refusal(lambda file=file: guess(peek(file).columns))


@pytest.mark.parametrize("seed", range(20 if extent.is_exhaustive() else 5))
def test_a_spoilt_mapping_is_read_or_refused(seed: int) -> None:
    rng = Random(seed)
    for _round in range(20):
        text = spoilt(MAP.encode(), rng).decode(errors="replace")
        lines = refusal(partial(importing.from_yaml, "map.yaml", text))
        assert all(line.startswith("map.yaml") for line in lines), lines
