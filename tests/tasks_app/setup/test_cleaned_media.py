"""Raters get files without metadata: of new files nothing else is kept, of earlier ones a copy is made once."""

import hashlib
import io
import zipfile
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client
from pytest_django.fixtures import Settings

from tasks_app import studyfile
from tasks_app.models import Event, Media, Output, Setup, SetupRow
from tasks_app.services.study import cleaned, lifecycle
from tasks_app.services.study.items import store_media
from tasks_app.setup import media
from tasks_app.setup.checking import make_study
from tasks_app.setup.texts import reads
from tasks_app.studyfile.files.media import extension
from tests import pages
from tests.builders import build_study
from tests.media import png, show, stored
from tests.media_files import FILES, bomb, captions, rich_jpeg, rich_png
from tests.tasks_app.studyfile.kit import files_in_storage, put

pytestmark = pytest.mark.django_db

WORDS = b"SYSTEM-gpt-4"
UPLOAD = "/admin/studies/example-likert/set-up/texts/media/"


@pytest.fixture(autouse=True)
def private(settings: Settings, tmp_path: Path) -> None:
    """Keep files of these tests apart."""
    settings.MEDIA_ROOT = tmp_path / "storage"


def named(**contents: bytes) -> dict[str, list[SimpleUploadedFile]]:
    """Return files as a form sends them; the last `_` of a name stands for a dot."""
    files = {".".join(name.rsplit("_", 1)): content for name, content in contents.items()}
    return {"uploads": [SimpleUploadedFile(name, content) for name, content in files.items()]}


def text_of(answer: HttpResponse, status: int = 200) -> str:
    """Return a page's text."""
    assert answer.status_code == status
    return bytes(answer.content).decode()


def contents() -> dict[str, bytes]:
    """Return the content of every file in storage, by its name."""
    found = {}
    for name in files_in_storage():
        with default_storage.open(name) as stream:
            found[name] = stream.read()
    return found


def test_a_new_file_is_kept_without_metadata_and_the_page_says_what_was_removed(
    setup: Setup, rosas_browser: Client
) -> None:
    files = {f"n{number}_{extension(kind)}": made(WORDS) for number, (kind, made) in enumerate(FILES.items())}
    page = text_of(rosas_browser.post(UPLOAD, named(**files), follow=True))
    assert "14 files are stored." in page
    assert "A location (GPS) was removed from 3 pictures" in page
    assert (
        "Titles, comments or other texts were removed from 6 sound recordings, 4 pictures, 3 films, 1 file of captions."
        in page
    )
    assert "subtitles, were removed from 3 films, 2 sound recordings." in page
    assert Media.objects.filter(study=setup.study).count() == 14 == len(contents())
    assert not [name for name, content in contents().items() if WORDS[:4] in content]
    for row in Media.objects.filter(study=setup.study):
        assert (row.clean_file, row.clean_bytes) == (row.file, row.bytes)
    assert "A location" in str(Event.objects.get(study=setup.study, verb="uploaded").after)


def test_files_that_cannot_be_cleaned_or_are_called_what_they_are_not_are_said_so(
    setup: Setup, rosas_browser: Client
) -> None:
    damaged = rich_png(WORDS)[:-30]
    page = text_of(
        rosas_browser.post(UPLOAD, named(broken_png=damaged, bomb_png=bomb(), a_png=FILES["audio/mpeg"](b""))), 422
    )
    assert "is damaged or incomplete" in page
    assert "has more than 64 million pixels" in page
    assert "is audio/mpeg, but its name says something else. Give it a name that ends in .mp3." in page
    assert not contents()
    page = text_of(rosas_browser.post(UPLOAD, named(sky_jpg=png()), follow=True))
    assert "1 file has another format than its name says, and is stored in its true format: sky.jpg (PNG)." in page


def test_a_study_file_is_loaded_without_metadata_and_its_export_is_what_was_stored(tmp_path: Path) -> None:
    rows = "item,system,output,context_image\ni1,alpha,A,sky.jpg\ni2,alpha,B,\ni3,alpha,C,\ni4,alpha,D,\n"
    folder = put(tmp_path / "study", items_csv=rows)
    (folder / "sky.jpg").write_bytes(rich_jpeg(WORDS, 6))
    study, loaded = studyfile.load_with_notes(folder, owner=None)
    assert "A location (GPS) was removed from 1 picture." in loaded.notes
    assert [note for note in loaded.notes if note.startswith("Rotated as the EXIF data say, and encoded again")]
    ((name, content),) = contents().items()
    assert WORDS not in content
    assert name.endswith(hashlib.sha256(content).hexdigest())
    target = io.BytesIO()
    studyfile.export(study, target)
    with zipfile.ZipFile(target) as archive:
        (exported,) = [archive.read(one) for one in archive.namelist() if one.startswith("media/")]
    assert exported == content


def test_raters_get_a_copy_of_an_earlier_file_which_is_made_once(somebody: Client) -> None:
    study = build_study(None)
    files = {kind: made(WORDS) for kind, made in FILES.items() if kind != "text/vtt"}
    hashes = {kind: show(study, content, kind) for kind, content in files.items()}
    token = pages.join(study)
    for kind, sha256 in hashes.items():
        where = f"/r/{token}/media/{sha256}"
        answer = somebody.get(where)
        content = answer.getvalue()
        assert answer.headers["Content-Length"] == str(len(content)), kind
        assert WORDS[:4] not in content, kind
        assert answer.headers["ETag"] == f'"{sha256}-clean"'
        old = somebody.get(where, headers={"if-none-match": f'"{sha256}"', "range": "bytes=1-4"})
        assert (old.status_code, old.getvalue()) == (206, content[1:5])
    made = contents()
    assert len(made) == 2 * len(files)
    somebody.get(f"/r/{token}/media/{hashes['image/png']}").getvalue()
    assert contents() == made
    # The study file names what was frozen, and carries what raters get.
    target = io.BytesIO()
    studyfile.export(study, target)
    with zipfile.ZipFile(target) as archive:
        exported = {name: archive.read(name) for name in archive.namelist() if name.startswith("media/")}
    assert {name.removeprefix("media/").partition(".")[0] for name in exported} == set(hashes.values())
    assert not [name for name, content in exported.items() if WORDS[:4] in content]


def test_a_file_that_cannot_be_cleaned_reaches_no_rater_and_review_says_so(
    somebody: Client, rosa: User, rosas_browser: Client, caplog: pytest.LogCaptureFixture
) -> None:
    study = build_study(rosa)
    broken = show(study, rich_png(WORDS)[:-30], "image/png")
    place = show(study, rich_png(WORDS), "image/png")
    review = f"/admin/studies/{study.slug}/set-up/review/"
    assert "2 files are still waiting to be cleaned" in text_of(rosas_browser.get(review))
    token = pages.join(study)
    assert somebody.get(f"/r/{token}/media/{broken}").status_code == 404
    assert "could not be cleaned (broken)" in caplog.text
    with pytest.raises(CommandError, match="Raters do not get 1 of the files"):
        call_command("clean_media", again=True, stdout=io.StringIO(), stderr=io.StringIO())
    page = text_of(rosas_browser.get(review))
    assert "Raters do not get this file:" in page
    assert f"{broken}.png is damaged or incomplete" in page
    assert "A location (GPS) was removed from 1 picture." in page
    assert "still to be cleaned" not in page
    assert Media.objects.get(sha256=place).removed[0] == "camera"


def test_upkeep_cleans_earlier_files_and_leaves_the_rest_for_the_next_minute() -> None:
    study = build_study(None)
    lost = stored(study, png(shade=9), "image/png")
    default_storage.delete(lost.file.name)
    stored(study, captions(WORDS), "text/vtt")
    assert cleaned.clean_earlier(seconds=-1) == 0
    assert cleaned.clean_earlier() == 2
    assert cleaned.clean_earlier() == 0
    assert sorted(Media.objects.values_list("refusal", flat=True)) == ["", "lost"]


def test_upkeep_on_a_machine_without_the_shared_disk_takes_no_file_for_lost(
    settings: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    earlier = stored(build_study(None), captions(WORDS), "text/vtt")
    mounted, settings.MEDIA_ROOT = settings.MEDIA_ROOT, tmp_path / "not-mounted"
    assert cleaned.clean_earlier() == 0
    settings.MEDIA_ROOT = mounted
    assert "The media folder is missing on this machine" in caplog.text
    assert Media.objects.get(pk=earlier.pk).refusal == ""
    assert cleaned.clean_earlier() == 1
    assert Media.objects.get(pk=earlier.pk).clean_file


def test_a_draft_keeps_the_digest_of_an_earlier_file_when_it_is_checked(setup: Setup, rosa: User) -> None:
    earlier = stored(setup.study, rich_png(WORDS), "image/png")
    name = f"media/{earlier.sha256}.png"
    row = reads.rows_of(setup).get(number=1)
    SetupRow.objects.filter(pk=row.pk).update(cells={**row.cells, "output": "A house", "output_file": name})
    study, loaded = make_study(setup=Setup.objects.get(pk=setup.pk), by=rosa)
    assert not [note for note in loaded.notes if "removed from" in note]
    file = Output.objects.get(item__study=study, kind="image").media
    assert file.sha256 == earlier.sha256
    with file.clean_file.open("rb") as stream:
        assert WORDS not in stream.read()
    assert media.earlier_files(study).removed[0] == "A location (GPS) was removed from 1 picture."
    make_study(setup=Setup.objects.get(pk=setup.pk), by=rosa)
    file = Output.objects.get(item__study=study, kind="image").media
    assert len(contents()) == 2
    lifecycle.move(study_id=study.pk, action="open", by=None)
    assert cleaned.for_raters(file) is file


def test_only_cleaned_copies_leave_the_site(setup: Setup, rosa: User, rosas_browser: Client, tmp_path: Path) -> None:
    """A draft's study file, a frozen study's one and the archive: none tells where a photograph was taken."""
    study = setup.study
    earlier, broken = stored(study, rich_jpeg(WORDS), "image/jpeg"), stored(study, b"GIF89a", "image/gif")
    name, left_out = f"media/{earlier.sha256}.jpg", f"media/{broken.sha256}.gif"
    rows = reads.rows_of(setup).filter(cells__item=reads.rows_of(setup).get(number=1).cells["item"])
    for row in rows:
        SetupRow.objects.filter(pk=row.pk).update(cells={**row.cells, "context_image": name})
    draft = rosas_browser.get(f"/admin/studies/{study.slug}/set-up/study.zip")
    assert draft.status_code == 200
    make_study(setup=Setup.objects.get(pk=setup.pk), by=rosa)
    frozen = tmp_path / "frozen.zip"
    studyfile.export(study, frozen)
    for source in (io.BytesIO(b"".join(draft)), frozen):
        with zipfile.ZipFile(source) as file:
            assert WORDS not in b"".join(file.read(member) for member in file.namelist())
            assert name in file.namelist()
            assert left_out not in file.namelist()
            assert file.read(name) == cleaned.content_for_raters(Media.objects.get(sha256=earlier.sha256))
    page = text_of(rosas_browser.get(f"/admin/studies/{study.slug}/data/"))
    assert "Their names are the digests of the files that you uploaded. One file cannot be cleaned" in page
    loaded = studyfile.load(frozen, owner=rosa, replace=True)
    assert not Media.objects.filter(study=loaded, sha256=earlier.sha256).exists()
    assert media.earlier_files(loaded) is None


def test_one_file_under_two_names_is_known_by_both(setup: Setup, rosas_browser: Client) -> None:
    """A table that names the first of them would be refused otherwise."""
    text_of(rosas_browser.post(UPLOAD, named(first_png=png(), other_png=png(9, 9), second_png=png()), follow=True))
    page = text_of(rosas_browser.get(UPLOAD))
    assert "first.png, second.png (the same file)" in page
    assert "other.png (the same file)" not in page
    assert Media.objects.filter(study=setup.study).count() == 2
    names = media.uploaded(setup).by_name
    assert sorted(names) == ["first.png", "other.png", "second.png"]
    assert names["first.png"] == names["second.png"] != names["other.png"]


def test_a_file_whose_row_cannot_be_stored_does_not_stay_in_storage(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database may be restarted between the file and its row; the caller never hears of the file."""

    def lost(*_given: object, **_named: object) -> None:
        raise OperationalError("server closed the connection unexpectedly")

    study = setup.study
    monkeypatch.setattr(Media.objects, "update_or_create", lost)
    content = rich_jpeg(WORDS)
    with pytest.raises(OperationalError):
        store_media(study=study, sha256=cleaned.digest_of(content), kind="image/jpeg", content=content)
    assert contents() == {}
