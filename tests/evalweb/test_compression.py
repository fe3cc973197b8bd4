"""What is compressed for whom: pages, JSON and tables, for clients that accept gzip."""

import gzip
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.signals import request_finished
from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.test import Client, RequestFactory

from evalweb.compression import MOST_RANDOM_BYTES, CompressionMiddleware, accepts_gzip
from evalweb.front.responses import PIECE
from tests.builders import build_study
from tests.pages import join
from tests.tasks_app.api.conftest import script_of

LONG = "A sentence that says the same again and again. " * 100
GZIP = {"accept-encoding": "gzip, deflate, br, zstd"}
Answer = Callable[[], HttpResponseBase]


def answer_to(response: HttpResponseBase, *, cookies: str = "", **headers: str) -> Any:
    request = RequestFactory().get("/", headers=GZIP | {name.replace("_", "-"): headers[name] for name in headers})
    request.META["HTTP_COOKIE"] = cookies

    def view(_request: HttpRequest) -> Any:
        return response

    return CompressionMiddleware(view)(request)


@pytest.mark.parametrize(
    "kind",
    [
        "text/html; charset=utf-8", "text/csv; charset=utf-8", "text/calendar", "application/json",
        "application/jsonl; charset=utf-8", "application/vnd.oai.openapi+json", "image/svg+xml",
    ],
)  # fmt: skip
def test_texts_are_compressed(kind: str) -> None:
    answer = answer_to(HttpResponse(LONG, content_type=kind))
    assert gzip.decompress(answer.content).decode() == LONG
    assert (answer["Content-Encoding"], answer["Vary"]) == ("gzip", "Accept-Encoding")
    assert answer["Content-Length"] == str(len(answer.content))


@pytest.mark.parametrize(
    "response",
    [
        lambda: HttpResponse("short", content_type="text/plain"),
        lambda: HttpResponse(LONG, content_type="image/png"),
        lambda: HttpResponse(LONG, content_type="application/zip"),
        lambda: HttpResponse(LONG, content_type="application/vnd.apache.parquet"),
        lambda: HttpResponse(
            LONG, content_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        ),
        lambda: StreamingHttpResponse([LONG], content_type="text/event-stream"),
        lambda: StreamingHttpResponse([LONG], content_type="video/mp4"),
        lambda: HttpResponse(LONG, status=206, headers={"Content-Range": "bytes 0-9/20"}),
        lambda: HttpResponse(LONG, headers={"Content-Encoding": "br"}),
        lambda: HttpResponse(LONG, headers={"Cache-Control": "public, no-transform"}),
        lambda: HttpResponse(status=204),
        lambda: HttpResponse(status=304),
    ],
)  # fmt: skip
def test_what_is_small_partial_or_compressed_already_is_left_alone(response: Answer) -> None:
    expected, answer = response(), answer_to(response())
    assert dict(answer.headers) == dict(expected.headers)
    assert b"".join(answer) == b"".join(expected)


@pytest.mark.parametrize(
    ("header", "accepted"),
    [
        ("gzip", True), ("deflate, GZip;q=0.5", True), ("x-gzip", True), ("*", True), ("br;q=1.0, *;q=0.1", True),
        ("", False), ("identity", False), ("gzip;q=0", False), ("gzip; q=0.000, *", False), ("br, *;q=0", False),
        ("gzipped", False),
    ],
)  # fmt: skip
def test_the_client_says_whether_it_reads_gzip(header: str, accepted: bool) -> None:
    assert accepts_gzip(header) is accepted
    answer = answer_to(HttpResponse(LONG), accept_encoding=header)
    assert ("Content-Encoding" in answer) is accepted
    assert answer["Vary"] == "Accept-Encoding", "a cache must keep the two apart"


def test_rows_are_sent_as_they_come() -> None:
    """The first at once, then 64 KiB at a time; each piece can be read when it arrives, and nothing is read ahead."""
    made: list[bytes] = []

    def rows() -> Iterator[bytes]:
        for number in range(30_000):
            made.append(b"%d,a rating\n" % number)
            yield made[-1]

    answer = answer_to(StreamingHttpResponse(rows(), content_type="text/csv", headers={"Content-Length": "5"}))
    assert "Content-Length" not in answer
    reader, read, pieces = zlib.decompressobj(wbits=31), b"", 0
    for piece in answer.streaming_content:
        pieces += 1
        read += reader.decompress(piece)
        assert read == b"".join(made)
        if pieces == 1:
            assert len(made) == 1
    assert reader.eof
    assert pieces == 2 + -(-(len(read) - len(made[0])) // PIECE)


def test_a_table_that_fails_halfway_has_no_end() -> None:
    def rows() -> Iterator[bytes]:
        yield b"item,rating\n"
        raise ConnectionError("the database went away")

    answer = answer_to(StreamingHttpResponse(rows(), content_type="text/csv"))
    reader = zlib.decompressobj(wbits=31)
    pieces = iter(answer.streaming_content)
    assert reader.decompress(next(pieces)) == b"item,rating\n"
    with pytest.raises(ConnectionError):
        next(pieces)
    assert not reader.eof


def test_a_file_is_compressed_and_closed(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "table.tsv").write_text(LONG)
    file = (tmp_path / "table.tsv").open("rb")
    answer = answer_to(FileResponse(file, content_type="text/tab-separated-values"))
    # A server would send the open file itself.
    assert answer.file_to_stream is None
    assert gzip.decompress(b"".join(answer)).decode() == LONG
    monkeypatch.setattr(request_finished, "send", lambda **_sender: [])
    answer.close()
    assert file.closed


@pytest.mark.parametrize(("given", "sent"), [('"abc"', 'W/"abc"'), ('W/"abc"', 'W/"abc"')])
def test_a_tag_of_other_bytes_is_a_weak_one(given: str, sent: str) -> None:
    assert answer_to(HttpResponse(LONG, headers={"ETag": given}))["ETag"] == sent
    assert answer_to(HttpResponse(LONG, headers={"ETag": given}), accept_encoding="")["ETag"] == given


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_pages_that_another_site_asks_for_with_our_cookies_are_not_compressed(site: str) -> None:
    signed_in = {"cookies": "sessionid=abc"}
    assert "Content-Encoding" not in answer_to(HttpResponse(LONG), sec_fetch_site=site, **signed_in)
    assert answer_to(HttpResponse(LONG), sec_fetch_site="same-origin", **signed_in)["Content-Encoding"] == "gzip"
    assert answer_to(HttpResponse(LONG), sec_fetch_site="none", **signed_in)["Content-Encoding"] == "gzip"
    assert answer_to(HttpResponse(LONG), sec_fetch_site=site)["Content-Encoding"] == "gzip", "no cookies, no secrets"


def test_the_length_of_pages_with_cookies_varies(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = len(answer_to(HttpResponse(LONG)).content)
    for random in (0, 7, MOST_RANDOM_BYTES - 1):
        monkeypatch.setattr("secrets.randbelow", lambda _most, random=random: random)
        answer = answer_to(HttpResponse(LONG), cookies="sessionid=abc")
        assert len(answer.content) == plain + random + 1  # the end of the name
        assert gzip.decompress(answer.content).decode() == LONG


@pytest.mark.django_db
def test_a_page_of_judging_takes_at_most_5_kb(client: Client) -> None:
    study = build_study(None, criteria=("fluency", "adequacy", "style", "coherence"))
    address = f"/r/{join(study)}/judge/"
    plain = client.get(address)
    assert "Content-Encoding" not in plain
    answer = client.get(address, headers=GZIP)
    assert gzip.decompress(answer.content).startswith(b"<!doctype html>")
    assert len(plain.content) > 3 * len(answer.content)
    assert len(answer.content) <= 5_000
    assert answer["Cache-Control"] == "no-store"
    head = client.head(address, headers=GZIP)
    assert (head.status_code, head.content, head["Content-Encoding"]) == (200, b"", "gzip")


@pytest.mark.django_db
def test_what_scripts_read_is_compressed(rosa: User) -> None:
    study = build_study(rosa, items=30)
    script = script_of(rosa, study)
    for name in ("", "ratings.csv", "ratings.jsonl"):
        address = f"/api/v1/studies/{study.slug}/{name}"
        plain, answer = script.get(address), script.get(address, headers=GZIP)
        assert plain.status_code == answer.status_code == 200
        assert answer["Content-Encoding"] == "gzip"
        assert gzip.decompress(b"".join(answer)) == b"".join(plain)
        head = script.head(address, headers=GZIP)
        assert (head["Content-Encoding"], b"".join(head)) == ("gzip", b"")


def test_a_page_without_a_view_is_compressed_too(client: Client) -> None:
    answer = client.get("/nowhere/", headers=GZIP | {"accept": "text/html"})
    assert (answer.status_code, answer["Content-Encoding"]) == (404, "gzip")
    assert b"<html" in gzip.decompress(answer.content)
