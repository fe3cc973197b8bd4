"""Zips and folders that may come from anybody: looked through before anything is unpacked."""

import io
import stat
import zipfile
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import override_settings

from tasks_app import studyfile
from tests.tasks_app.studyfile.kit import ITEMS, STUDY, problems_of, put, stored, zipped

SOUND = {"study.yaml": STUDY, "items.csv": ITEMS}

pytestmark = pytest.mark.django_db


def test_a_zip_a_folder_in_a_zip_and_an_upload_are_read_alike(tmp_path: Path) -> None:
    document = studyfile.read(put(tmp_path / "study")).document
    assert studyfile.read(zipped(SOUND)).document == document
    within = zipped({f"my study/{name}": content for name, content in SOUND.items()})
    assert studyfile.read(within).document == document
    windows = zipped({f"my study\\{name}": content for name, content in SOUND.items()})
    assert studyfile.read(windows).document == document
    upload = SimpleUploadedFile("study.zip", zipped(SOUND).getvalue())
    assert studyfile.read(upload).document == document
    (tmp_path / "study.zip").write_bytes(zipped(SOUND).getvalue())
    assert studyfile.read(tmp_path / "study.zip").document == document


def test_what_systems_leave_behind_is_left_alone_and_said() -> None:
    loaded = studyfile.read(
        zipped(
            {**SOUND, "__MACOSX/._items.csv": b"\x00\x05", ".DS_Store": b"x", "Thumbs.db": b"x", "README.md": "Hello"}
        )
    )
    assert "3 hidden files were ignored (__MACOSX/._items.csv …)." in loaded.notes
    assert "1 file is not used: README.md." in loaded.notes


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("../evil.csv", "../evil.csv: points outside of the study's folder."),
        ("media/../../evil.csv", "media/../../evil.csv: points outside"),
        ("..\\evil.csv", "../evil.csv: points outside"),
        ("/etc/passwd", "/etc/passwd: points outside"),
        ("C:\\evil.csv", "C:/evil.csv: points outside"),
        ("ITEMS.csv", "ITEMS.csv: is in the zip twice. Keep one of them."),
    ],
)
def test_members_that_lead_elsewhere_are_refused(name: str, expected: str) -> None:
    assert problems_of(zipped({**SOUND, name: "x"}))[0].startswith(expected)
    assert not stored()


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_that_is_there_twice_is_refused() -> None:
    stream = zipped(SOUND)
    with zipfile.ZipFile(stream, "a") as archive:
        archive.writestr("items.csv", ITEMS)
    assert problems_of(stream) == ["items.csv: is in the zip twice. Keep one of them."]


def test_links_and_passwords_are_refused() -> None:
    stream = zipped(SOUND)
    with zipfile.ZipFile(stream, "a") as archive:
        link = zipfile.ZipInfo("secrets.csv")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    assert problems_of(stream) == ["secrets.csv: is a link. Put the file itself into the zip."]
    locked = zipped(SOUND).getvalue()
    # The flag of encryption, in the local header and in the directory.
    locked = locked.replace(b"PK\x03\x04\x14\x00\x00", b"PK\x03\x04\x14\x00\x01").replace(
        b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01"
    )
    assert "items.csv: is encrypted. Make the zip without a password." in problems_of(io.BytesIO(locked))
    assert not stored()


def test_only_the_usual_packing_is_read() -> None:
    stream = zipped(SOUND)
    with zipfile.ZipFile(stream, "a", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("notes.txt", "x" * 100)
    assert problems_of(stream) == [
        "notes.txt: is packed in an unusual way. Make the zip with the usual method (deflate)."
    ]


def test_a_member_without_a_name_is_refused() -> None:
    content = zipped(SOUND).getvalue().replace(b"items.csv", b"\0tems.csv")
    assert "This member of the zip has no usable name. Rename it." in problems_of(io.BytesIO(content))[0]


def test_bombs_are_refused_without_unpacking() -> None:
    bomb = zipped({**SOUND, "media/a.png": b"\0" * 4_000_000})
    assert problems_of(bomb)[0].startswith("media/a.png: is packed ")
    wide = zipped({**SOUND, "a.bin": b"ab" * 500_000, "b.bin": b"ab" * 500_000})
    studyfile.read(wide)
    with override_settings(STUDY_FILE_LIMITS={"unpacked_bytes": 1_500_000}):
        assert problems_of(wide)[0].endswith("This zip unpacks to 1.9 MiB; at most 1.4 MiB can be taken.")
        assert problems_of(zipped({**SOUND, "a.bin": b"abcd" * 500_000}))[0].startswith("a.bin: unpacks to 1.9 MiB")
    with override_settings(STUDY_FILE_LIMITS={"files": 3}):
        many = zipped({**SOUND, "a": "1", "b": "2"})
        assert problems_of(many)[0].endswith(
            "This zip holds more than 3 files. Remove those you don't need, or split the study."
        )
        assert problems_of(zipped({f"{n}.txt": "" for n in range(7)}))[0].endswith(
            "This zip holds more than 3 files. Remove those you don't need, or split the study."
        )
    assert not stored()


def test_a_crowd_of_members_is_refused_before_it_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    crowd = zipped({f"{n}.txt": "" for n in range(7)})

    def listing(*_args: object) -> None:
        raise AssertionError("the directory of this zip was read into memory")

    monkeypatch.setattr(zipfile, "ZipFile", listing)
    with override_settings(STUDY_FILE_LIMITS={"files": 3}):
        assert problems_of(crowd)[0].endswith(
            "This zip holds more than 3 files. Remove those you don't need, or split the study."
        )


def test_a_member_larger_than_it_claims_is_refused() -> None:
    """The directory says 20 bytes, the member unpacks to more: a bomb that lies."""
    content = zipped(SOUND).getvalue()
    size = len(ITEMS).to_bytes(4, "little")
    lying = content.replace(size, (20).to_bytes(4, "little"))
    assert lying != content
    assert problems_of(io.BytesIO(lying))[0].startswith("items.csv: cannot be unpacked (")
    damaged = content.replace(b"PK\x03\x04", b"PK\x03\x05")
    assert "Create the zip again." in problems_of(io.BytesIO(damaged))[0]
    assert not stored()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "upload.zip: This file is empty (0 bytes). Choose the zip of the study's folder."),
        (b"item,system,output\n", "upload.zip: This is not a zip. Zip the folder that holds study.yaml"),
        (b"PK\x05\x06" + b"\0" * 18, "upload.zip: There is no study.yaml here."),
        (zipped(SOUND).getvalue()[:-30], "upload.zip: This is not a zip."),
    ],
    ids=["0 bytes", "a table", "an empty zip", "half a zip"],
)  # fmt: skip
def test_what_is_no_zip_is_refused(content: bytes, expected: str) -> None:
    assert problems_of(SimpleUploadedFile("upload.zip", content))[-1].startswith(expected)
    assert not stored()


def test_an_upload_above_the_limit_is_refused_by_its_size() -> None:
    class Sparse(io.BytesIO):
        """200 MB that nobody has to hold in memory; reading any of it would fail the test."""

        name = "huge.zip"

        def seek(self, offset: int, whence: int = 0, /) -> int:
            return 200_000_000 if whence == io.SEEK_END else 0

        def read(self, size: int | None = -1, /) -> bytes:
            raise AssertionError("an upload above the limit was read")

    assert problems_of(Sparse()) == [
        "huge.zip: This file has 190.7 MiB; at most 64 MiB are accepted. Leave out media, or make them smaller."
    ]


def test_folders_are_looked_through_as_well(tmp_path: Path) -> None:
    folder = put(tmp_path / "study")
    (tmp_path / "secret.csv").write_text("secret")
    (folder / "controls.csv").symlink_to(tmp_path / "secret.csv")
    assert problems_of(folder) == [
        "controls.csv: is a link to a file outside of the folder. Put the file itself there."
    ]
    (folder / "controls.csv").unlink()
    with override_settings(STUDY_FILE_LIMITS={"unpacked_bytes": 100}):
        assert problems_of(folder) == ["study: holds more than 100 bytes. Make the files smaller, or split the study."]
    with override_settings(STUDY_FILE_LIMITS={"files": 1}):
        assert problems_of(folder) == [
            "study: holds more than 1 files. Remove those you don't need, or split the study."
        ]
    assert problems_of(tmp_path / "nowhere") == [f"{tmp_path / 'nowhere'}: There is no such folder or file."]
    assert problems_of(folder / "study.yaml") == [f"study.yaml: Give the folder that holds this file: {folder}"]


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        ({"table_bytes": 50}, "items.csv: has "),
        ({"rows": 5}, "items.csv:7:1: There are more than 5 rows. Split the file."),
        ({"columns": 3}, "items.csv:1:1: There are more than 3 columns. Remove those you don't need."),
        ({"text_characters": 20}, "items.csv:4:3: output: has 21 characters; at most 20 can be stored."),
        ({"yaml_bytes": 100}, "study.yaml: has "),
        ({"depth": 2}, "study.yaml:"),
    ],
)
def test_limits_are_settings(tmp_path: Path, limit: dict[str, int], expected: str) -> None:
    folder = put(tmp_path / "study")
    studyfile.read(folder)
    with override_settings(STUDY_FILE_LIMITS=limit):
        assert problems_of(folder)[0].startswith(expected)
    assert not stored()
