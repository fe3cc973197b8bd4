"""Media: recognised by content, stored once under their hash, refused where they could carry scripts."""

import hashlib
from pathlib import Path

import pytest
from django.test import override_settings

from tasks_app import studyfile
from tasks_app.models import ItemMedia, Media
from tasks_app.studyfile.files.media import sniff
from tests.media_files import gif, ogg
from tests.tasks_app.studyfile.kit import STUDY, files_in_storage, png, problems_of, put, stored

ITEMS = (
    "item,system,output,context_image,context_audio\n"
    "i1,alpha,A,pictures/a.png|pictures/b.gif,x.ogg\ni2,alpha,B,pictures/same.jpg,\ni3,alpha,C,,\ni4,alpha,D,,\n"
)
QUESTIONS = """\
evalweb: 1
study: {slug: fluency, title: Questions, public_title: Questions, language: en}
tasks:
  - key: asked
    type: questionnaire
    set_size: 1
    params: {questions: [{key: age, kind: number, question: Your age}]}
"""
GIF, OGG = gif(), ogg()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = put(tmp_path / "study", items_csv=ITEMS, x_ogg=OGG)
    (folder / "pictures").mkdir()
    for name, content in {"a.png": png(), "b.gif": GIF, "same.jpg": png()}.items():
        (folder / "pictures" / name).write_bytes(content)
    return folder


@pytest.mark.django_db
def test_files_are_kept_once_under_their_hash(folder: Path) -> None:
    study, _loaded = studyfile.load_with_notes(folder, owner=None)
    assert sorted(Media.objects.values_list("kind", flat=True)) == ["audio/ogg", "image/gif", "image/png"]
    assert list(ItemMedia.objects.order_by("id").values_list("item__key", "role", "order", "media__kind")) == [
        ("i1", "context_image", 1, "image/png"), ("i1", "context_image", 2, "image/gif"),
        ("i1", "context_audio", 1, "audio/ogg"), ("i2", "context_image", 1, "image/png"),
    ]  # fmt: skip
    kept = Media.objects.get(kind="image/png")
    assert kept.sha256 == hashlib.sha256(png()).hexdigest()
    assert (kept.file.name, kept.bytes) == (f"studies/{study.pk}/{kept.sha256}", len(png()))
    assert kept.file.read() == png()
    assert len(files_in_storage()) == 3


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "pictures/a.png is SVG, HTML or XML, which can carry scripts."),
        (b"\n<!DOCTYPE html><script>", "pictures/a.png is SVG, HTML or XML"),
        (b"just text", "pictures/a.png is not a format that browsers can show."),
        (b"", "pictures/a.png is empty (0 bytes)."),
        (OGG, "pictures/a.png is audio/ogg, which does not belong into context_image."),
        (png() + b"\0" * 2000, "pictures/a.png has 2 KiB; at most 1 KiB can be shown"),
        (None, "There is no file “pictures/a.png” beside study.yaml."),
    ],
    ids=["SVG", "HTML", "text", "empty", "sound", "large", "missing"],
)
def test_other_files_are_refused(folder: Path, content: bytes | None, expected: str) -> None:
    studyfile.read(folder)
    path = folder / "pictures" / "a.png"
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with override_settings(STUDY_FILE_LIMITS={"media_bytes": 1000}):
        assert problems_of(folder)[0].startswith(f"items.csv:2:4: context_image: {expected}")
    assert not stored()


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (png(), "image/png"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", "image/jpeg"),
        (b"RIFF\x24\0\0\0WEBPVP8 ", "image/webp"),
        (b"RIFF\x24\0\0\0WAVEfmt ", "audio/wav"),
        (b"RIFF\x24\0\0\0AVI LIST", None),
        (b"ID3\x04\0\0", "audio/mpeg"),
        (b"\xff\xfb\x90\x64", "audio/mpeg"),
        (b"\xff\xf1\x50\x80", "audio/aac"),
        (b"fLaC\0\0\0\x22", "audio/flac"),
        (b"\0\0\0\x20ftypM4A \0\0", "audio/mp4"),
        (b"\0\0\0\x20ftypisom\0\0", "video/mp4"),
        (b"\0\0\0\x14ftypqt  \0\0", None),
        (b"\x1aE\xdf\xa3\x9fB\x86\x81\x01webm", "video/webm"),
        (b"\x1aE\xdf\xa3\x9fB\x86\x81\x01matroska", None),
        (b"OggS" + b"\0" * 24 + b"\x80theora", "video/ogg"),
        (b"OggS" + b"\0" * 24 + b"OpusHead", "audio/ogg"),
        (b"%PDF-1.7", None),
        (b"<?xml version='1.0'?><svg/>", None),
        (b"", None),
    ],
)
def test_kinds_are_told_by_content(content: bytes, kind: str | None) -> None:
    assert sniff(content) == kind


ALT = '"{""alt"": ""A house""}"'


@pytest.mark.django_db
@pytest.mark.parametrize("why", ["a questionnaire shows no texts", "no task takes the items"])
def test_media_that_no_task_shows_are_refused_together_with_their_places(tmp_path: Path, why: str) -> None:
    """They were loaded in silence, and raters never saw them."""
    rows = "".join(f"i{number},alpha,Text {number},house.png,{ALT}\n" for number in range(1, 13))
    study = (
        STUDY.replace("    k: 2\n", "    k: 2\n    items: {item: [i1, i2, i3, i4]}\n") if "takes" in why else QUESTIONS
    )
    folder = put(tmp_path / "study", study_yaml=study, items_csv=f"item,system,output,context_image,options\n{rows}")
    (folder / "house.png").write_bytes(png())
    first, n = (6, 8) if "takes" in why else (2, 12)
    assert problems_of(folder) == [
        f"items.csv:{first}:4: context_image: No task uses the item “i{first - 1}”, so raters would never see this. "
        "Add the item to a task, or empty this cell. "
        f"{n} problems like this, first at {first}:4, {first + 1}:4, {first + 2}:4."
    ]
    assert not stored()
    put(folder, study_yaml=STUDY)
    assert not any("description" in note for note in studyfile.read(folder).notes)
    put(folder, items_csv="item,system,output,context_image\n" + "".join(f"i{n},a,T{n},house.png\n" for n in range(4)))
    (note,) = [note for note in studyfile.read(folder).notes if "description" in note]
    assert note.startswith("4 items have pictures, sounds or films without a description")
    assert "(i0, i1, i2 …)" in note
