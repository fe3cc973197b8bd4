"""The archive of a study: what is in it, that nothing of it names people, and that its run is computed again."""

import csv
import hashlib
import html
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg2
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

import manage
from analytics_app import plan
from analytics_app.archive import rows, writing
from analytics_app.archive.comparing import RATINGS
from analytics_app.archive.verdicts import Verdict
from analytics_app.models import Plan, ResultRow, Run
from evalweb.local_services.folder import BASE_DIR
from tasks_app.models import Item, Output, Rater, Study
from tasks_app.models.raters import Identity
from tasks_app.selectors.opening import opening_facts
from tasks_app.selectors.studies import contents
from tasks_app.services.plan import extending
from tasks_app.services.study import correcting, lifecycle, withdrawing
from tasks_app.texts.plaintext import digest
from tests import extent
from tests.about import ready
from tests.analytics_app import forging
from tests.builders import build_study
from tests.published.kit import analysed, judged_checked
from tests.tasks_app.services.test_pay import work

SLUG = "example-checked"
PLATFORM_ID = "5f3e9a77bb01c2"
CONTACT = "helpdesk@uni-trier.de"


@pytest.fixture(scope="module")
def study_once(module_rosa: User) -> int:
    """Make the example with checks, closed, with raters of whom one has a platform id, and a quick run."""
    study = judged_checked(4, ("fieldwork", "krippendorff", "systems"))
    changed_while_open(study)
    rater = Rater.objects.filter(study=study).earliest("pk")
    Identity.objects.create(rater=rater, study=study, channel="prolific", external_id=PLATFORM_ID)
    analysed(study, drawn=False)
    return study.pk


def changed_while_open(study: Study) -> None:
    """Correct the contact and withdraw an item that was judged, as somebody did while the study was open."""
    Study.objects.filter(pk=study.pk).update(state=Study.State.OPEN)
    contact = next(text for text in correcting.texts_of(study) if text.kind == "contact")
    about = {"name": contact.name, "shown": contact.shown, "text": CONTACT, "reason": "Letters were swapped."}
    correcting.correct(study_id=study.pk, by=None, **about)
    judged = study.items.filter(units__assignments__purpose="main").earliest("pk")
    withdrawing.withdraw(study_id=study.pk, item=judged.pk, reason="It is in the wrong language.", by=None)
    Study.objects.filter(pk=study.pk).update(state=Study.State.CLOSED)
    study.refresh_from_db()


@pytest.fixture
def judged(study_once: int, db: None) -> Study:
    """The example with a run."""
    return Study.objects.get(pk=study_once)


def archived(folder: Path, *options: str, slug: str = SLUG) -> Path:
    """Write the archive by its command."""
    path = folder / "archive.zip"
    call_command("archive", slug, str(path), *options, stdout=StringIO())
    return path


def refused(path: Path, exit_code: int = Verdict.DIFFERS.exit_code) -> str:
    """Run the command on an archive that is not verified; return what it printed.

    An exhaustive run types it: it then makes a database of its own, whatever the environment names.
    """
    if extent.is_exhaustive():
        command = [sys.executable, "manage.py", "verify", str(path)]
        found = subprocess.run(command, cwd=BASE_DIR, capture_output=True, text=True, check=False)
        assert found.returncode == exit_code, found.stderr
        return found.stdout
    empty_all_tables()
    out = StringIO()
    with pytest.raises(SystemExit) as end:
        call_command("verify", str(path), stdout=out)
    assert end.value.code == exit_code
    return out.getvalue()


def rewritten(path: Path, changed: dict[str, bytes | None]) -> Path:
    """Return an archive in which files are others, or missing where they are None; those that are new are added."""
    target = path.with_name("rewritten.zip")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            content = changed.get(name, old.read(name))
            if content is not None:
                new.writestr(name, content)
        for name in set(changed) - set(old.namelist()):
            new.writestr(name, changed[name] or b"")
    return target


def test_what_was_changed_is_named_and_every_other_number_is_computed_again(judged: Study, tmp_path: Path) -> None:
    path = archived(tmp_path)
    with zipfile.ZipFile(path) as archive:
        results = archive.read(writing.RESULTS).decode()
    with pytest.raises(CommandError, match="is there already: name another file"):
        archived(tmp_path)
    lines = results.splitlines(keepends=True)
    rows_read = csv.DictReader(io.StringIO(results, newline=""))
    place, value = next((number, row["value"]) for number, row in enumerate(rows_read, start=1) if "." in row["value"])
    other = value[:-1] + ("3" if value[-1] != "3" else "4")
    lines[place] = lines[place].replace(value, other, 1)
    versions = {**writing.versions(), "scipy": "0.1"}
    changed = {
        writing.RESULTS: "".join(lines).encode(),
        writing.VERSIONS: json.dumps(versions).encode(),
        "more.txt": b"",
        "methods.tex": None,
    }
    told = refused(rewritten(path, changed))
    assert told.startswith("rewritten.zip: not verified: 5 differences; not compared: 7 documents, 1 unknown file\n")
    assert f"Different version: scipy was 0.1 in the archive, {writing.versions()['scipy']} is installed." in told
    assert "methods.tex is missing." in told
    assert "more.txt is not listed in datapackage.json." in told
    assert f"{writing.RESULTS} was changed: its SHA-256 differs." in told
    assert f": value is {other} in the archive, {value} computed." in told


def test_it_describes_itself_names_nobody_and_can_be_without_texts(
    judged: Study, rosa: User, client: Client, tmp_path: Path
) -> None:
    study = judged
    path = archived(tmp_path)
    assert not (secrets_of(study) & words_of(path))
    with zipfile.ZipFile(path) as archive:
        assert_described(archive)
        for line in archive.read("rows/judgment.jsonl").decode().splitlines():
            row = json.loads(line)
            assert (row["answer"], row["comment"], row["log"]) == ({}, "", [])

    client.force_login(rosa)
    page = client.get(reverse("analytics:data", args=[study.slug])).content.decode()
    address = reverse("analytics:archive", args=[study.slug])
    assert f'href="{address}"' in page
    path.write_bytes(b"".join(client.get(f"{address}?without_texts=1")))
    number = Run.objects.filter(study=study, planned=True).latest("number").number
    assert study.events.filter(verb="exported", object=f"archive of run {number} without texts", actor=rosa).exists()
    texts = [
        *study.items.values_list("source", flat=True),
        *Output.objects.filter(item__study=study).values_list("text", flat=True),
    ]
    with zipfile.ZipFile(path) as archive:
        assert "study.zip" not in archive.namelist()
        contents = [archive.read(name).decode() for name in archive.namelist()]
    assert not [text for text in texts if text and any(text in content for content in contents)]
    hashes = {digest(text) for text in texts}
    assert not [one for one in hashes if any(one in content for content in contents)]

    Study.objects.filter(pk=study.pk).update(state=Study.State.OPEN)
    assert client.get(address).status_code == 404
    assert f'href="{address}"' not in client.get(reverse("analytics:data", args=[study.slug])).content.decode()
    is_verified_without_texts(path)


def test_falsified_ratings_are_told_by_the_rows_whatever_the_archive_says_of_itself(
    judged: Study, tmp_path: Path
) -> None:
    """Every value is 5, with the hash of the file, and no texts to compare, as it says; rows have a further column."""
    path = archived(tmp_path)
    with zipfile.ZipFile(path) as archive:
        table = list(csv.DictReader(io.StringIO(archive.read(writing.RATINGS).decode(), newline="")))
        package = json.loads(archive.read("datapackage.json"))
        systems = archive.read("rows/system.jsonl")
        corrections = archive.read("rows/correction.jsonl")
        with zipfile.ZipFile(io.BytesIO(archive.read(writing.STUDY_FILE))) as study_file:
            assert CONTACT in study_file.read("study.yaml").decode()
        assert "Letters were swapped." in archive.read("datasheet.md").decode()
        assert "withdrawn while the study was open" in archive.read("methods.md").decode()
        assert json.loads(archive.read(writing.RUN))["facts"]["withdrawn"]["texts"][0]["whole"]
    n = sum(row["value"] not in {"", "5"} for row in table)
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(table[0]))
    writer.writeheader()
    writer.writerows(row | {"value": row["value"] and "5"} for row in table)
    changed = {
        writing.RATINGS: out.getvalue().encode(),
        "rows/system.jsonl": systems.replace(b"{", b'{"praise":1,', 1),
        "rows/correction.jsonl": corrections.replace(CONTACT.encode(), b"somebody@uni-trier.de"),
    }
    package["evalweb"]["texts"] = False
    for resource in package["resources"]:
        if resource["path"] in changed:
            resource["hash"] = f"sha256:{hashlib.sha256(changed[resource['path']]).hexdigest()}"
    told = refused(rewritten(path, {**changed, "datapackage.json": json.dumps(package).encode()}))
    assert told.startswith(
        f"rewritten.zip: not verified: {n + 2} differences; not compared: 8 documents, 1 further column\n"
    )
    assert f"{writing.RATINGS}: value differs in {n} rows, first in rows " in told
    assert "datapackage.json says that texts were left out, but the rows have texts." in told
    assert "contact: raters read another text than the corrections say." in told
    assert "1 further column (rows/system.jsonl: praise)" in told


def _renamed(name: str, other: str) -> Callable[[str], str]:
    return lambda line: line.replace(f'"{name}":', f'"{other}":', 1)


def _in_settings(column: str, change: Callable[[dict[str, Any]], object]) -> Callable[[str], str]:
    def changed(line: str) -> str:
        row = json.loads(line)
        change(row[column])
        return json.dumps(row)

    return changed


# A file of rows, what is done to its first row, and the refusal.
UNKNOWN: list[tuple[str, Callable[[str], str], str]] = [
    (
        "rows/system.jsonl",
        _renamed("key", "kee"),
        "rows/system.jsonl, line 1: “kee” is no column of this table. Did you mean “key”?",
    ),
    (
        "rows/system.jsonl",
        lambda line: json.dumps({name: value for name, value in json.loads(line).items() if name != "key"}),
        "rows/system.jsonl, line 1: the column “key” is missing.",
    ),
    (
        writing.RUN,
        _in_settings("settings", lambda settings: settings.update(analysess=[])),
        f"{writing.RUN}: settings: analysess: unknown setting. Did you mean “analyses”?",
    ),
    (
        writing.RUN,
        _in_settings("settings", lambda settings: settings["analyses"][0].update(analysis="fieldwrk")),
        f"{writing.RUN}: settings: analyses[0].analysis: There is no “fieldwrk”",
    ),
    (
        writing.RUN,
        _in_settings("settings", lambda settings: settings.update(rules=[{"rule": "iqr", "facter": 2}])),
        f"{writing.RUN}: settings: rules[0].facter: unknown setting. Did you mean “factor”?",
    ),
    (
        "rows/plan.jsonl",
        _in_settings("document", lambda document: document.update(confidense=0.9)),
        "rows/plan.jsonl: document: confidense: unknown setting. Did you mean “confidence”?",
    ),
]


def test_unknown_names_are_refused_with_a_suggestion(judged: Study, tmp_path: Path) -> None:
    """Computing without a setting or an analysis that this version does not know would verify something else."""
    path = archived(tmp_path)
    files = forging.contents(path)
    empty_all_tables()
    for name, change, sentence in UNKNOWN:
        first, *others = files[name].decode().splitlines()
        changed = "\n".join([change(first), *others, ""])
        with pytest.raises(CommandError) as refusal:
            call_command("verify", str(rewritten(path, {name: changed.encode()})))
        assert sentence in str(refusal.value)


def test_a_study_with_added_places_is_computed_again(rosa: User, tmp_path: Path) -> None:
    study = build_study(rosa, slug="extended", opened=False)
    document = {"n_resamples": 100, "n_permutations": 99, "analyses": [{"analysis": "systems"}]}
    Plan.objects.create(study=study, version=1, document=plan.check(document, study))
    lifecycle.move(study_id=study.pk, action="open", by=rosa)
    wish = extending.Wish(1, 0)
    extending.extend(study_id=study.pk, wish=wish, click=uuid4(), places=8, by=rosa)
    for _rater in range(6):
        work(study)
    lifecycle.move(study_id=study.pk, action="close", by=rosa)
    run = analysed(study, drawn=False).run
    assert (run.planned, len(run.facts["added"])) == (True, 8)
    path = archived(tmp_path, slug=study.slug)
    with zipfile.ZipFile(path) as archive:
        (extension,) = map(json.loads, archive.read("rows/extension.jsonl").decode().splitlines())
        assert (extension["after"], extension["sets"], extension["by_id"]) == (4, 2, None)
        assert "the plan was extended by 1 further judgment of each unit" in archive.read("methods.md").decode()
    assert refused(path, Verdict.UNSIGNED.exit_code).startswith("archive.zip: recomputed, unsigned: ")


def is_verified_without_texts(path: Path) -> None:
    """Assert that every number is computed again, and that output, report and badge tell how many these are."""
    with zipfile.ZipFile(path) as archive:
        n = len(list(csv.DictReader(io.StringIO(archive.read(writing.RESULTS).decode(), newline=""))))
    report, badge = path.with_name("report.json"), path.with_name("badge.svg")
    with zipfile.ZipFile(path) as archive:
        rows_read = csv.DictReader(io.StringIO(archive.read(writing.RATINGS).decode(), newline=""))
        ratings = len(list(rows_read))
    empty_all_tables()
    out = StringIO()
    with pytest.raises(SystemExit) as end:
        call_command("verify", str(path), "--report", str(report), "--badge", str(badge), stdout=out)
    assert end.value.code == Verdict.UNSIGNED.exit_code
    found = json.loads(report.read_text())
    summary = found["summary"]
    texts = next(entry for entry in found["not_compared"] if entry["what"] == "texts left out")
    assert summary == (
        f"recomputed, unsigned: {n:,} numbers, {ratings:,} ratings; not compared: {texts['n']} texts left out, "
        "7 documents"
    )
    assert out.getvalue().startswith(f"archive.zip: {summary}\n")
    assert (found["verdict"], found["numbers"], found["differences"]) == ("unsigned", n, [])
    assert f"evalweb: {summary}" in badge.read_text()


def secrets_of(study: Study) -> set[str]:
    """Return the secrets of a study: words that lead to people, and tokens that let somebody act for them."""
    raters = Rater.objects.filter(study=study)
    return {
        PLATFORM_ID,
        study.link_code,
        *vars(study.options.codes).values(),
        *raters.values_list("token_hash", flat=True),
    }


def words_of(path: Path) -> set[str]:
    """Return the words of all files of an archive, and of the study file in it."""
    with zipfile.ZipFile(path) as archive:
        texts = [archive.read(name).decode() for name in archive.namelist() if not name.endswith(".zip")]
        if "study.zip" in archive.namelist():
            with zipfile.ZipFile(io.BytesIO(archive.read("study.zip"))) as study:
                texts += [study.read(name).decode(errors="replace") for name in study.namelist()]
    return set(re.findall(r"\w+", " ".join(texts)))


def assert_described(archive: zipfile.ZipFile) -> None:
    """Assert that every file is in the descriptions, as it is."""
    package = json.loads(archive.read("datapackage.json"))
    crate = json.loads(archive.read("ro-crate-metadata.json"))
    readme = archive.read("README.md").decode()
    names = set(archive.namelist())
    for resource in package["resources"]:
        content = archive.read(resource["path"])
        assert resource["bytes"] == len(content)
        assert resource["hash"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
        assert f"| `{resource['path']}` | {resource['description']} |" in readme
        if "schema" in resource:
            head = next(csv.reader(io.StringIO(content.decode(), newline="")))
            assert [field["name"] for field in resource["schema"]["fields"]] == head
    listed = {resource["path"] for resource in package["resources"]}
    assert names == listed | {"README.md", "datapackage.json", "ro-crate-metadata.json"}
    by_id = {entity["@id"]: entity for entity in crate["@graph"]}
    assert {part["@id"] for part in by_id["./"]["hasPart"]} == names - {"ro-crate-metadata.json"}
    assert names <= set(by_id)
    assert by_id["ro-crate-metadata.json"]["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}
    stored = {rows.path_of(table) for table in rows.TABLES} & names
    assert {one["@id"] for one in by_id["#run"]["object"]} == stored


def empty_all_tables() -> None:
    """Let the database be as empty as the one that the command makes for itself, until the test ends."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
        kept = {"django_migrations", "django_content_type", "auth_permission"}
        names = ", ".join(connection.ops.quote_name(name) for name in tables if name not in kept)
        cursor.execute(f"TRUNCATE {names} CASCADE")


def test_the_command_works_on_an_empty_database_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["manage.py", "verify", "archive.zip"])
    monkeypatch.setenv("DATABASE_URL", "postgresql://evalweb@127.0.0.1:1/named")
    with manage.database():
        session = psycopg2.connect(os.environ["DATABASE_URL"])
        with session, session.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")
            assert cursor.fetchone() == (0,)
        session.close()


@pytest.mark.django_db
def test_what_cannot_be_archived_is_refused_and_leaves_no_file(rosa: User, tmp_path: Path) -> None:
    call_command("load_study", ready("likert", tmp_path / "study"), owner="rosa", stdout=StringIO())
    call_command("move_study", "example-likert", "open", stdout=StringIO())
    path = tmp_path / "archive.zip"
    with pytest.raises(CommandError, match="is open: close it first"):
        call_command("archive", "example-likert", str(path))
    call_command("move_study", "example-likert", "close", stdout=StringIO())
    with pytest.raises(CommandError, match="no run that is done"):
        call_command("archive", "example-likert", str(path))
    assert not path.exists()


def test_checks_are_kept_apart_from_what_is_evaluated(judged: Study, rosas_browser: Client, tmp_path: Path) -> None:
    """Their system is counted nowhere, and their answers leave the site only if they are asked for."""
    evaluated = set(judged.systems.exclude(key__in=("known", "_degraded")).values_list("key", flat=True))
    run = Run.objects.filter(study=judged).latest("number")
    assert not ResultRow.objects.filter(run=run, system="known").exists()
    assert not ResultRow.objects.filter(run=run, system_b="known").exists()

    def purposes(address: str) -> set[str]:
        answer = rosas_browser.get(address)
        rows = list(csv.DictReader(io.StringIO(b"".join(answer).decode(), newline="")))
        assert ({row["system"] for row in rows} - {""} == evaluated) != address.endswith("checks=1")
        return {row["purpose"] for row in rows}

    page = reverse("analytics:ratings", args=[judged.slug, "csv"])
    assert purposes(page) == {"screening", "warm_up", "main", "repeat", "exit"}
    assert {"training", "exam", "control", "attention"} < purposes(f"{page}?checks=1")
    shown = rosas_browser.get(reverse("analytics:data", args=[judged.slug])).content.decode()
    n_rows = len(list(csv.reader(io.StringIO(b"".join(rosas_browser.get(page)).decode(), newline="")))) - 1
    assert f"{n_rows} rows, with raters" in shown
    assert 'main = ratings[ratings.purpose == "main"]' in html.unescape(shown)

    facts = opening_facts(judged)
    seen = contents(judged)
    assert facts.systems == len(evaluated) == len(seen.systems)
    assert facts.items == seen.items == Item.objects.filter(study=judged).count() - seen.checks
    assert seen.checks > 0
    for name in ("researcher:setup", "analytics:results", "analytics:monitor", "researcher:design"):
        assert "known</" not in rosas_browser.get(reverse(name, args=[judged.slug])).content.decode()
    # The archive has all of it, so that everything can be computed again.
    with zipfile.ZipFile(archived(tmp_path)) as archive:
        rows = csv.DictReader(io.StringIO(archive.read(RATINGS).decode(), newline=""))
        assert "attention" in {row["purpose"] for row in rows}
