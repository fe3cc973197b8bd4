"""Forged archives: what each trick is told, by the first line of the command and by its badge, which say the same."""

import csv
import io
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client, override_settings
from pytest_django import Settings

from analytics_app.archive import corrections, keys, recomputing, writing
from analytics_app.archive.corrections import Correction
from analytics_app.archive.keys import KeyRing
from analytics_app.archive.recomputing import Loaded
from analytics_app.archive.verdicts import Verdict
from analytics_app.models import Run
from tests.analytics_app import forging
from tests.analytics_app.forging import (
    DOCUMENT,
    MANIFEST,
    NOW,
    OF_SIGNATURE,
    PACKAGE,
    RATINGS,
    RESULTS,
    RUN,
    SIGNATURE,
    SITE,
    Case,
    cells,
    contents,
    described,
    holding,
    packed,
    resigned,
    told,
)
from tests.published.kit import analysed, judged_checked


@pytest.fixture(scope="module")
def written(module_rosa: User, tmp_path_factory: pytest.TempPathFactory) -> Case:
    """Write two signed archives of a study, the second without texts."""
    folder = tmp_path_factory.mktemp("archives")
    ring = KeyRing.new(NOW - timedelta(days=9))
    holding(folder / "secrets", ring)
    study = judged_checked(4, ("fieldwork", "krippendorff"))
    analysed(study, drawn=False)
    with override_settings(EVALWEB_URL=SITE, EVALWEB_SECRETS=folder / "secrets"):
        for name, options in (("a.zip", []), ("other.zip", ["--without-texts"])):
            call_command("archive", study.slug, str(folder / name), *options, stdout=StringIO())
    run = Run.objects.get(study=study, planned=True)
    return Case(folder, contents(folder / "a.zip"), contents(folder / "other.zip"), ring, run)


@pytest.fixture
def case(written: Case, db: None, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Case:
    """Work on copies; the run that is in the database stands for the one that is computed from the rows again.

    tests/analytics_app/test_archive.py loads and computes.
    """
    settings.EVALWEB_URL, settings.EVALWEB_SECRETS = SITE, tmp_path / "secrets"
    holding(settings.EVALWEB_SECRETS, written.ring)
    for name in ("a.zip", "other.zip"):
        (tmp_path / name).write_bytes((written.folder / name).read_bytes())
    run = written.run
    monkeypatch.setattr(recomputing, "prepare", lambda: None)
    monkeypatch.setattr(recomputing, "load", lambda _archive: Loaded(run, run.code_version, ()))
    monkeypatch.setattr(recomputing, "compute", lambda run: run)
    return replace(written, folder=tmp_path)


D, A, U, P = Verdict.DIFFERS, Verdict.ALTERED, Verdict.UNSIGNED, Verdict.PUBLISHED
# Each trick with the verdict if the signature is left in place, the one if it is removed, and what is printed.
TRICKS = [
    pytest.param(forging.all_fives, D, D, "value differs in", id="ratings-and-flag"),
    pytest.param(forging.one_rater, D, D, "rater differs in row 2: ", id="a-rater"),
    pytest.param(forging.a_number, D, D, ": value is 0.99 in the archive", id="results.csv"),
    pytest.param(forging.a_number_of_the_document, D, D, f"{DOCUMENT}: ", id="results.json"),
    pytest.param(
        forging.no_simulated_raters, D, D, f"{DOCUMENT}: run is not what {RUN} says.", id="head-of-results.json"
    ),
    pytest.param(forging.more_ratings_seen, D, D, f"{RUN}: n_seen is not what the rows give.", id="ratings-seen"),
    pytest.param(forging.another_seed, D, D, f"{RUN}: digest is not that of the run.", id="seed"),
    pytest.param(forging.a_second_run, D, D, f"{RUN} has 2 runs, but one was computed.", id="second-run"),
    pytest.param(forging.another_version, D, D, f"{PACKAGE}: code_version is not what {RUN} says.", id="version"),
    pytest.param(forging.without_column(RESULTS, "p"), D, D, "the column p is missing", id="no-p"),
    pytest.param(forging.without_column(RATINGS, "value"), D, D, "the column value is missing", id="no-values"),
    pytest.param(forging.column_twice, D, D, "value is there twice", id="column-twice"),
    pytest.param(forging.further_column, A, U, "1 further column (results/results.csv: quality)", id="further-column"),
    pytest.param(forging.uneven_row, D, D, "wrong number of cells in row 2", id="uneven-row"),
    pytest.param(forging.no_numbers, D, D, f"{RESULTS} has no number that could be compared.", id="no-numbers"),
    pytest.param(forging.byte_order_mark, D, D, "the column analysis is missing", id="byte-order-mark"),
    pytest.param(forging.line_ends, A, U, "", id="line-ends"),
    pytest.param(forging.datasheet, A, U, "", id="datasheet"),
    pytest.param(forging.left_out, A, U, "", id="left-out"),
    pytest.param(forging.added, A, U, "1 unknown file (erratum.md)", id="added"),
    pytest.param(forging.folded, A, D, "Results/RESULTS.csv and results/results.csv are the same file", id="case"),
    pytest.param(forging.outside("../results.csv"), A, D, "../results.csv is not the path of a file", id="parent"),
    pytest.param(forging.outside("/etc/x"), A, D, "/etc/x is not the path of a file inside", id="root"),
    pytest.param(forging.outside("data\\x.csv"), A, D, "is not the path of a file inside", id="backslash"),
    pytest.param(forging.outside("data/\x1b[2Jx"), A, D, "data/�[2Jx is not the path of a file inside", id="escape"),
    pytest.param(forging.outside("folder/"), A, D, "folder/ is a folder with content", id="folder"),
]


@pytest.mark.parametrize(("trick", "kept", "removed", "line"), TRICKS)
def test_what_was_falsified_is_told(case: Case, trick: Callable, kept: Verdict, removed: Verdict, line: str) -> None:
    files = dict(case.files)
    trick(files, case)
    described(files)
    for expected in dict.fromkeys((removed, kept)):
        # Numbers that differ weigh more than a signature.
        is_removed = expected == removed and kept != removed
        present = {name: content for name, content in files.items() if not (is_removed and name in OF_SIGNATURE)}
        verdict, first, printed = told(packed(case.folder / "forged.zip", present))
        assert verdict == expected
        assert line in printed
        assert "; not compared: " in first or expected != U


SIGNATURES = [
    pytest.param(forging.stripped, U, "The archive has no signature.", id="none"),
    pytest.param(forging.trimmed, A, f"The signature in {SIGNATURE} does not fit {MANIFEST}.", id="trimmed"),
    pytest.param(forging.copied_signature, A, f"The signature in {SIGNATURE} does not fit {MANIFEST}.", id="copied"),
    pytest.param(
        forging.copied_manifest,
        A,
        "study.zip was added after the archive was signed.",
        id="copied-with-manifest",
    ),
    pytest.param(forging.no_signature, A, f"{SIGNATURE} is missing.", id="no-signature"),
    pytest.param(forging.no_manifest, A, f"{MANIFEST} is missing.", id="no-manifest"),
    pytest.param(forging.no_object, A, f"{SIGNATURE} is not as evalweb writes it.", id="no-object"),
    pytest.param(forging.own_key, Verdict.UNKNOWN_KEY, f"claims to be made by {SITE}", id="own-key"),
    pytest.param(forging.own_key_and_numbers, D, ": value is 0.99 in the archive", id="own-key-and-numbers"),
    pytest.param(forging.own_key_by_the_name_of_the_sites, A, "does not fit", id="own-key-by-the-name-of-the-sites"),
    pytest.param(forging.manifest_said_twice, A, f"{MANIFEST} is not as evalweb writes it.", id="manifest-said-twice"),
]


@pytest.mark.parametrize(("trick", "expected", "line"), SIGNATURES)
def test_a_signature_is_worth_what_its_key_is(case: Case, trick: Callable, expected: Verdict, line: str) -> None:
    files = dict(case.files)
    trick(files, case)
    verdict, first, printed = told(packed(case.folder / "forged.zip", files))
    assert (verdict, line in printed) == (expected, True)
    assert SITE not in first, "what nobody vouches for is not on the badge"


def test_a_copy_of_the_key_in_the_archive_proves_nothing(case: Case, settings: Settings) -> None:
    """A reader who has only the fingerprint takes the key from the archive, and only the one of that fingerprint."""
    settings.EVALWEB_SECRETS = case.folder / "none"
    fingerprint = case.ring.current.fingerprint
    spoken = " ".join(fingerprint[place : place + 4].upper() for place in range(0, 64, 4))
    assert told(case.folder / "a.zip", "--key", spoken)[0] == P
    assert told(case.folder / "a.zip")[0] == Verdict.UNKNOWN_KEY
    assert told(case.folder / "a.zip", "--key", "0" * 64)[0] == Verdict.UNKNOWN_KEY
    files = dict(case.files)
    forging.own_key_by_the_name_of_the_sites(files, case)
    path = packed(case.folder / "forged.zip", files)
    verdict, _first, printed = told(path, "--key", fingerprint)
    assert verdict == A
    assert f"The public key in {SIGNATURE} does not have the fingerprint that it names." in printed


def test_members_are_what_is_signed_and_not_how_they_are_packed(case: Case) -> None:
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        assert told(packed(case.folder / "repacked.zip", dict(reversed(list(case.files.items()))), method))[0] == P
    twice = packed(case.folder / "twice.zip", case.files)
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(twice, "a") as archive:
        archive.writestr(RESULTS, case.files[RESULTS])
    verdict, first, printed = told(twice)
    assert (verdict, first) == (A, "altered after it was signed: not computed")
    assert f"{RESULTS} is 2 times in the zip." in printed
    joined = case.folder / "joined.zip"
    joined.write_bytes((case.folder / "other.zip").read_bytes() + (case.folder / "a.zip").read_bytes())
    assert told(joined)[0] == A


def test_the_first_line_of_an_archive_as_the_site_published_it(case: Case, client: Client) -> None:
    verdict, first, printed = told(case.folder / "a.zip")
    n, ratings = (
        len(list(csv.reader(io.StringIO(case.files[name].decode(), newline="")))) - 1 for name in (RESULTS, RATINGS)
    )
    key = case.ring.current.fingerprint
    assert verdict == P
    assert first == (
        f"verified, as published by {SITE} (key {key[:16]}): {n:,} numbers, {ratings:,} ratings; "
        "not compared: 8 documents"
    )
    assert f"Signed by {SITE} on " in printed
    assert f"with the key {key}." in printed
    page = client.get("/archive-keys/").content.decode()
    assert key in page
    assert all(verdict.words in page and verdict.meaning in page for verdict in Verdict)
    readme = case.files["README.md"].decode()
    assert f"python manage.py verify ARCHIVE.zip --key {key}" in readme


def test_the_published_file_of_keys_is_what_a_reader_gives(case: Case, client: Client, settings: Settings) -> None:
    path, file = case.folder / "a.zip", case.folder / "keys.json"
    published = client.get("/archive-keys/keys.json")
    assert published.headers["Content-Type"] == "application/json"
    assert "private" not in published.content.decode()
    file.write_bytes(published.content)
    mine, settings.EVALWEB_SECRETS = settings.EVALWEB_SECRETS, case.folder / "none"
    assert told(path, "--key", str(file))[0] == P
    assert client.get("/archive-keys/keys.json").json()["keys"] == []
    assert "no key yet" in client.get("/archive-keys/").content.decode()
    states = {
        Verdict.PUBLISHED: case.ring.rotated(NOW + timedelta(days=1)),
        Verdict.DISTRUSTED_KEY: case.ring.without_trust(case.ring.current.fingerprint, NOW),
    }
    for expected, ring in states.items():
        holding(mine, ring)
        settings.EVALWEB_SECRETS = mine
        file.write_bytes(client.get("/archive-keys/keys.json").content)
        settings.EVALWEB_SECRETS = case.folder / "none"
        verdict, first, printed = told(path, "--key", str(file))
        assert verdict == expected
        if expected == P:
            assert f", retired on {keys.day(NOW + timedelta(days=1))}): " in first
        else:
            # Not by naming the fingerprint either.
            assert told(path, "--key", str(file), "--key", case.ring.current.fingerprint)[0] == expected
            assert "which was declared compromised" in printed
    holding(mine, case.ring.rotated(NOW - timedelta(days=1)))
    settings.EVALWEB_SECRETS = mine
    verdict, _first, printed = told(path)
    assert (verdict, "which had been retired before" in printed) == (Verdict.DISTRUSTED_KEY, True)


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        (writing.VERSIONS, b"[]", "versions.json is not a JSON object"),
        (writing.VERSIONS, b"{", "versions.json is not a JSON file"),
        (RATINGS, b"\xff", "data/ratings.csv is not UTF-8: byte 1 cannot be read"),
    ],
)
def test_what_cannot_be_read_is_refused(case: Case, name: str, content: bytes, complaint: str) -> None:
    path = packed(case.folder / "forged.zip", {**case.files, name: content})
    with pytest.raises(CommandError, match=complaint):
        call_command("verify", str(path))


def test_the_documentation_has_every_verdict() -> None:
    lines = (django_settings.BASE_DIR / "docs" / "archive.md").read_text().splitlines()
    for verdict in Verdict:
        look = (verdict.words, verdict.colour.name.lower(), str(verdict.exit_code), verdict.meaning)
        assert f"| {' | '.join(look)} |" in lines


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "is neither a file of keys nor a fingerprint"),
        ("[]", "is not a file of keys"),
        ('{"evalweb_keys": 9, "keys": []}', "has format 9"),
        ('{"evalweb_keys": 1, "keys": [{"public_key": "AA=="}]}', "no public key of 32 bytes"),
    ],
)
def test_what_is_no_key_is_refused(case: Case, content: str | None, complaint: str) -> None:
    file = case.folder / "keys.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(CommandError, match=complaint):
        call_command("verify", str(case.folder / "a.zip"), "--key", str(file))


def test_a_known_correction_is_named_and_never_green(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Made up: agreement was computed otherwise before version 9."""
    files = dict(case.files)

    def change(table: list[list[str]]) -> None:
        place, name = table[0].index("value"), table[0].index("analysis")
        next(row for row in table if row[name] == "krippendorff").__setitem__(place, "0.99")

    cells(files, RESULTS, change)
    described(files)
    resigned(files, case.ring)
    path = packed(case.folder / "older.zip", files)
    made_up = Correction(
        name="made-up",
        since="9.0.0",
        statistics={"krippendorff": frozenset()},
        sentence="Pairs were counted twice.",
        applies=lambda run: run == case.run,
    )
    assert told(path)[0] == D
    monkeypatch.setattr(corrections, "CORRECTIONS", (made_up,))
    verdict, first, printed = told(path)
    assert (verdict, "1 number corrected since" in first) == (Verdict.CORRECTED, True)
    assert "Known correction in evalweb 9.0.0, 1 number: Pairs were counted twice." in printed
    forging.a_number(files, case)  # another number as well, which the correction does not explain
    described(files)
    resigned(files, case.ring)
    assert told(packed(path, files))[0] == D
    for other in (
        replace(made_up, since="0.1.0"),
        replace(made_up, applies=lambda _run: False),
        replace(made_up, statistics={"krippendorff": frozenset({"other"})}),
        replace(made_up, statistics={"systems": frozenset()}),
    ):
        monkeypatch.setattr(corrections, "CORRECTIONS", (other,))
        assert told(path)[0] == D
