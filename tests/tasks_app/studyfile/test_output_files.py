"""Outputs that are pictures, sounds and films: read, refused with their places, stored, and written again."""

import io
from pathlib import Path

import pytest

from tasks_app import studyfile
from tasks_app.hooks import sections
from tasks_app.models import Media, Output, PartOutput
from tasks_app.selectors import screens
from tasks_app.services.study import lifecycle
from tasks_app.setup import starting
from tasks_app.setup.checking import make_study
from tasks_app.studyfile.files.captions import faults_of
from tests.media import png, vtt, wav
from tests.media_files import webm
from tests.tasks_app.studyfile.kit import STUDY, files_in_storage, problems_of, put, spoil, stored

ITEMS = """\
item,system,output,output_file,captions
i1,alpha,A bright room,one.png,
i1,beta,Also a bright room,same.png,
i2,alpha,,dark.png,
i2,beta,A darker room,darker.png,
i3,alpha,She says hello.,hello.wav,hello.vtt
i3,beta,She says goodbye.,goodbye.wav,
i4,alpha,A dog runs,dog.webm,
i4,beta,Just a text,,
"""
FILES: dict[str, bytes | str] = {
    "one_png": png(shade=1), "same_png": png(shade=1), "dark_png": png(shade=2), "darker_png": png(shade=3),
    "hello_wav": wav(0.1), "goodbye_wav": wav(0.2), "hello_vtt": vtt("Hello"), "dog_webm": webm(),
}  # fmt: skip
INSTRUCTED = STUDY.replace("    k: 2\n", "    k: 2\n    instructions: Look and listen.\n")
SIDE_BY_SIDE = INSTRUCTED.replace("      points: 5\n", "      points: 5\n      layout: together\n")
SPANS = """\
evalweb: 1
study: {slug: fluency, title: Errors, public_title: Errors, language: en, seed: 7}
tasks:
  - {key: marking, type: error_spans, set_size: 4}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return put(tmp_path / "study", study_yaml=INSTRUCTED, items_csv=ITEMS, **FILES)


@pytest.mark.django_db
def test_outputs_are_stored_with_their_files_and_captions_and_written_as_they_were(folder: Path) -> None:
    study, loaded = studyfile.load_with_notes(folder, owner=None)
    rows = Output.objects.order_by("id").values_list(
        "item__key", "system__key", "kind", "media__kind", "captions__kind"
    )
    assert list(rows) == [
        ("i1", "alpha", "image", "image/png", None), ("i1", "beta", "image", "image/png", None),
        ("i2", "alpha", "image", "image/png", None), ("i2", "beta", "image", "image/png", None),
        ("i3", "alpha", "audio", "audio/wav", "text/vtt"), ("i3", "beta", "audio", "audio/wav", None),
        ("i4", "alpha", "video", "video/webm", None), ("i4", "beta", "text", None, None),
    ]  # fmt: skip
    assert any("2 of 8 outputs are identical" in note for note in loaded.notes), "by their files, whatever the words"
    assert any("1 output is a picture, sound or film without words" in note for note in loaded.notes)
    assert not any("speak of texts" in note for note in loaded.notes)
    shared = PartOutput.objects.filter(part__unit__item__key="i1").values_list("part", flat=True)
    assert len(shared) == 2
    assert len(set(shared)) == 1, "identical pictures are shown once"
    assert len(files_in_storage()) == Media.objects.count() == 7
    again = io.BytesIO()
    studyfile.export(study, again)
    before = sections.snapshot(study)
    again.seek(0)
    copy = studyfile.load(again, owner=None, replace=True)
    assert sections.snapshot(copy) == before
    lifecycle.move(study_id=copy.pk, action="open", by=None)
    copy.refresh_from_db()
    assert sections.snapshot(copy)["items"] == before["items"]


@pytest.mark.django_db
def test_a_copy_of_a_study_has_its_files(folder: Path, rosa: object) -> None:
    study = studyfile.load(folder, owner=rosa)
    names = starting.Names(title="Copy", public_title="Copy")
    copy = starting.copy_of(origin=study, by=rosa, names=names)
    made, _loaded = make_study(setup=copy.setup, by=rosa)
    assert sections.snapshot(made)["items"] == sections.snapshot(study)["items"]
    assert Media.objects.filter(study=made).count() == 7


@pytest.mark.django_db
def test_a_screen_has_the_file_and_captions_and_no_system(folder: Path) -> None:
    study = studyfile.load(folder, owner=None)
    unit = study.tasks.get().units.get(key="i3/alpha")
    (part,) = screens.read_materials([unit.pk])[unit.pk].parts
    assert part.file is not None
    assert (part.kind, part.file.mime, part.text) == ("audio", "audio/wav", "She says hello.")
    assert set(Media.objects.filter(kind__in=["audio/wav", "text/vtt"]).values_list("sha256", flat=True)) >= {
        part.file.name,
        part.file.captions,
    }


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "dark.png",
            "darc.png",
            "items.csv:4:4: output_file: There is no file “darc.png” beside study.yaml. Did you mea",
        ),
        (
            "dark.png",
            "hello.vtt",
            "items.csv:4:4: output_file: hello.vtt is text/vtt, which does not belong into outpu",
        ),
        (
            "hello.vtt",
            "dark.png",
            "items.csv:6:5: captions: dark.png is image/png, which does not belong into captions",
        ),
        (
            "room,one.png,",
            "room,one.png,hello.vtt",
            "items.csv:2:5: captions: Captions belong to a sound or film; the o",
        ),
        (
            "a text,,",
            "a text,,hello.vtt",
            "items.csv:9:5: captions: Captions belong to a sound or film. Name it in outp",
        ),
    ],
    ids=["missing", "no medium", "no captions", "captions of a picture", "captions of a text"],
)
def test_files_that_cannot_be_an_output_are_refused(folder: Path, old: str, new: str, expected: str) -> None:
    spoil(folder, "items.csv", old, new)
    assert problems_of(folder)[0].startswith(expected)
    assert not stored()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("study", "expected"),
    [
        (
            SPANS,
            "items.csv:2:4: output_file: The task “marking” is of the type error_spans, which works on the words o",
        ),
        (
            SIDE_BY_SIDE,
            "items.csv:8:4: output_file: The task “reading” shows this on one screen with the output of “beta”, whi",
        ),
        (
            INSTRUCTED.replace("    k: 2\n", "    k: 2\n    items: {item: [i1, i2, i4]}\n"),
            "items.csv:6:4: output_file: No task uses the item “i3”, so raters would never see this.",
        ),
    ],
    ids=["a type of words", "side by side", "no task"],
)
def test_files_that_raters_could_not_judge_are_refused(folder: Path, study: str, expected: str) -> None:
    put(folder, study_yaml=study, items_csv=ITEMS)
    assert problems_of(folder)[0].startswith(expected)
    assert not stored()


@pytest.mark.django_db
def test_what_belongs_to_texts_is_refused_beside_files(folder: Path) -> None:
    lines = ITEMS.replace(",captions", ",captions,highlight").replace("one.png,", "one.png,,0:3").splitlines()
    put(folder, items_csv="\n".join([lines[0], lines[1], *(f"{line}," for line in lines[2:])]))
    assert problems_of(folder) == [
        "items.csv:2:6: highlight: Words of a text can be highlighted; the output of this row is a file. Empty one of "
        "the two."
    ]
    only = "".join(line + "\n" for line in ITEMS.splitlines() if "text" not in line)
    degraded = STUDY.replace("    spacing: 1\n", "    spacing: 1\n    checks: {degraded: 1}\n")
    put(folder, study_yaml=degraded, items_csv=only)
    assert "Degraded copies are made of texts; all outputs of this task are pictures" in problems_of(folder)[0]
    put(folder, study_yaml=STUDY, items_csv=only)
    assert any("speak of texts: write your own" in note for note in studyfile.read(folder).notes)


@pytest.mark.parametrize(
    ("content", "faults"),
    [
        (vtt("Hello"), []),
        (
            "WEBVTT - a title\nKind: captions\n\nNOTE\nnothing\n\n1\n01:00:00.000 --> 01:00:02.500 line:0\nHi\nthere\n",
            [],
        ),
        ("WEBVTT\n", [(1, "There is no caption in this file.")]),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\n\n00:03,000 --> 00:04,000\nHi", [(3, "no words"), (5, "Write the times")]),
        ("WEBVTT\n\n00:04.000 --> 00:02.000\nHi\n\nHello\n", [(3, "ends before"), (6, "needs a line of times")]),
        ("WEBVTT\r\n\r\n00:05.000 --> 00:06.000\r\nHi\r\n\r\n00:01.000 --> 00:02.000\r\nHo", [(6, "begins before")]),
        (b"WEBVTT\n\n00:01.000 --> 00:02.000\n\xff", [(4, "is not UTF-8")]),
    ],
    ids=["sound", "all that may be", "empty", "commas", "backwards", "order", "Latin-1"],
)
def test_captions_are_validated(content: str | bytes, faults: list[tuple[int, str]]) -> None:
    found = list(faults_of(content.encode() if isinstance(content, str) else content))
    assert [line for line, _sentence in found] == [line for line, _words in faults]
    assert all(words in sentence for (_line, sentence), (_n, words) in zip(found, faults, strict=True))


@pytest.mark.django_db
def test_faults_of_captions_name_the_file_and_the_line(folder: Path) -> None:
    (folder / "hello.vtt").write_text("WEBVTT\n\n00:04.000 --> 00:02.000\nHi\n")
    assert problems_of(folder) == ["hello.vtt:3:1: This caption ends before it begins."]
