"""Media of raters: private, streamed, by ranges, and only those of a rater's own units."""

import re
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.test import Client
from pytest_django.fixtures import Settings

from tasks_app.models import Assignment, Rater, Study
from tasks_app.services.study import lifecycle
from tasks_app.views.rater import media
from tests import pages
from tests.builders import build_study
from tests.media import judge_sounds, png, show, wav
from tests.once import study_made_once

pytestmark = pytest.mark.django_db

SOUND = wav(20.0)  # 160,044 bytes: several pieces


study_once, study = study_made_once("study", build_study)


@pytest.fixture(autouse=True)
def private(settings: Settings, tmp_path: Path) -> None:
    """Keep files of these tests apart."""
    settings.MEDIA_ROOT = tmp_path


def address(somebody: Client, study: Study, name: str) -> str:
    return f"/r/{pages.join(study)}/media/{name}"


def test_a_file_comes_whole_with_its_kind_and_nobody_else_may_keep_it(somebody: Client, study: Study) -> None:
    where = address(somebody, study, show(study, SOUND, "audio/wav"))
    answer = somebody.get(where)
    assert answer.status_code == 200
    assert answer.streaming
    pieces = list(answer.streaming_content)
    assert b"".join(pieces) == SOUND
    assert max(map(len, pieces)) <= media.PIECE < len(SOUND)
    assert {name: answer.headers[name] for name in ("Content-Type", "Content-Length", "Content-Disposition")} == {
        "Content-Type": "audio/wav",
        "Content-Length": str(len(SOUND)),
        "Content-Disposition": "inline",
    }
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"].startswith("private, ")
    assert answer.headers["Accept-Ranges"] == "bytes"
    assert "'none'" in answer.headers["Content-Security-Policy"]
    again = somebody.get(where, headers={"if-none-match": answer.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    head = somebody.head(where)
    assert (head.status_code, head.content, head.headers["Content-Length"]) == (200, b"", str(len(SOUND)))
    assert somebody.post(where).status_code == 405


PARTS = {
    "bytes=0-0": (0, 0),
    "bytes=100-199": (100, 199),
    "bytes=100000-": (100_000, len(SOUND) - 1),
    "bytes=-500": (len(SOUND) - 500, len(SOUND) - 1),
    "bytes=-99999999": (0, len(SOUND) - 1),
    "bytes=5-99999999": (5, len(SOUND) - 1),
}
NOT_THERE = (f"bytes={len(SOUND)}-", "bytes=99999999-", "bytes=-0", f"bytes={'9' * 400}-")
NO_SINGLE_RANGES = ("bytes=5-4", "bytes=-", "bytes=a-b", "lines=1-2", "bytes=0-1,4-5", "bytes=٣-٤")


def test_a_player_gets_the_part_it_asks_for_or_the_size_or_everything(somebody: Client, study: Study) -> None:
    where = address(somebody, study, show(study, SOUND, "audio/wav"))
    for asked, (first, last) in PARTS.items():
        answer = somebody.get(where, headers={"range": asked})
        told = f"bytes {first}-{last}/{len(SOUND)}"
        assert (answer.status_code, answer.headers["Content-Range"]) == (206, told), asked
        assert answer.headers["Content-Length"] == str(last - first + 1), asked
        assert answer.getvalue() == SOUND[first : last + 1], asked
        head = somebody.head(where, headers={"range": asked})
        assert (head.status_code, head.content, head.headers["Content-Range"]) == (206, b"", told), asked
    for asked in NOT_THERE:
        answer = somebody.get(where, headers={"range": asked})
        assert (answer.status_code, answer.headers["Content-Range"]) == (416, f"bytes */{len(SOUND)}"), asked
    for asked in NO_SINGLE_RANGES:
        answer = somebody.get(where, headers={"range": asked})
        assert (answer.status_code, answer.getvalue()) == (200, SOUND), asked
    answer = somebody.get(where, headers={"range": "bytes=0-9", "if-range": '"another file"'})
    assert (answer.status_code, len(answer.getvalue())) == (200, len(SOUND))


def test_only_media_of_own_units_are_there(somebody: Client, study: Study) -> None:
    token = pages.join(study)
    rater = Rater.objects.get(study=study)
    own = set(Assignment.objects.filter(rater=rater).values_list("unit__item__key", flat=True))
    mine, not_mine = sorted(own)[0], next(key for key in ("i0", "i1", "i2", "i3", "none") if key not in own)
    elsewhere = build_study(None, slug="elsewhere")
    names = {
        show(study, png(shade=1), "image/png", mine): 200,
        show(study, png(shade=2), "image/png", not_mine): 404,
        show(elsewhere, png(shade=3), "image/png"): 404,
        "0" * 64: 404,
        "no-hash": 404,
    }
    for name, status in names.items():
        assert somebody.get(f"/r/{token}/media/{name}").status_code == status, name
    other = pages.join(elsewhere)
    assert somebody.get(f"/r/{other}/media/{next(iter(names))}").status_code == 404


def test_outputs_and_their_captions_are_there_in_own_units_only(somebody: Client) -> None:
    study = build_study(None, slug="another", opened=False)
    hashes = judge_sounds(study)
    lifecycle.move(study_id=study.pk, action="open", by=None)
    study.refresh_from_db()
    token = pages.join(study)
    assigned = Assignment.objects.filter(rater__study=study)
    own = set(assigned.values_list("unit__parts__part_outputs__output", flat=True))
    assert own < set(hashes)
    for output, (sound, captions) in hashes.items():
        status = 200 if output in own else 404
        assert somebody.get(f"/r/{token}/media/{sound}").status_code == status
        assert somebody.get(f"/r/{token}/media/{captions}").status_code == status
    sound, captions = hashes[sorted(own)[0]]
    answer = somebody.get(f"/r/{token}/media/{captions}")
    assert (answer.headers["Content-Type"], answer.getvalue()[:6]) == ("text/vtt", b"WEBVTT")
    assert somebody.get(f"/r/{token}/media/{sound}", headers={"range": "bytes=44-"}).status_code == 206
    page = somebody.get(f"/r/{token}/judge/")
    body, policy = page.content.decode(), page.headers["Content-Security-Policy"]
    assert "media-src 'self'" in policy
    assert re.search(rf'<video [^>]*src="/r/{token}/media/[0-9a-f]{{64}}"', body)


def test_a_file_that_is_lost_is_not_found_and_logged(
    somebody: Client, study: Study, caplog: pytest.LogCaptureFixture
) -> None:
    name = show(study, png(), "image/png")
    where = address(somebody, study, name)
    default_storage.delete(f"studies/{study.pk}/{name}")
    assert somebody.get(where).status_code == 404
    assert "not in storage" in caplog.text


def test_the_page_of_a_unit_shows_them_by_their_hash_alone(somebody: Client) -> None:
    study = build_study(None, slug="another", opened=False)
    study.items.update(options={"alt": "A yellow house"})
    name = show(study, png(), "image/png")
    lifecycle.move(study_id=study.pk, action="open", by=None)
    study.refresh_from_db()
    token = pages.join(study)
    body = somebody.get(f"/r/{token}/judge/").content.decode()
    assert f'src="/r/{token}/media/{name}" alt="A yellow house"' in body
