"""Forge archives: tricks that change the files of an archive, and the command that tells them."""

import csv
import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.management import call_command

from analytics_app.archive import keys, writing
from analytics_app.archive.keys import KeyRing
from analytics_app.archive.verdicts import Verdict
from analytics_app.models import Run
from analytics_app.runs import digest

SITE = "https://eval.example.org"
RATINGS, RESULTS, DOCUMENT, RUN = writing.RATINGS, writing.RESULTS, writing.DOCUMENT, writing.RUN
PACKAGE, MANIFEST, SIGNATURE = "datapackage.json", "manifest.json", "signature.json"
OF_SIGNATURE = {MANIFEST, SIGNATURE}
NOW = keys.now()

Files = dict[str, bytes]


@dataclass(frozen=True)
class Case:
    """An archive as the site wrote it, its files, those of another archive of the site, and the run in it."""

    folder: Path
    files: Mapping[str, bytes]
    other: Mapping[str, bytes]
    ring: KeyRing
    run: Run


def holding(path: Path, ring: KeyRing) -> None:
    """Let a file of secrets hold these keys."""
    path.write_text(f"# secrets\nSECRET_KEY=x\n{keys.LINE}={ring.write()}\n")


def contents(path: Path) -> Files:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(path: Path, files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def described(files: Files) -> None:
    """Let datapackage.json list every file as it is now: a forger changes hashes too."""
    package = json.loads(files[PACKAGE])
    listed = {resource["path"]: resource for resource in package["resources"]}
    own = {PACKAGE, MANIFEST, SIGNATURE, "README.md", "ro-crate-metadata.json"}
    package["resources"] = []
    for name, content in files.items():
        if name not in own:
            digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
            package["resources"].append(listed.get(name, {"path": name}) | {"bytes": len(content), "hash": digest})
    files[PACKAGE] = json.dumps(package).encode()


def resigned(files: Files, ring: KeyRing, **claims: object) -> None:
    """Sign all files again, with another key."""
    manifest = json.loads(files[MANIFEST]) | {"key": ring.current.fingerprint, **claims}
    manifest["members"] = [
        {"path": name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in sorted(files.items())
        if name not in OF_SIGNATURE
    ]
    files[MANIFEST] = json.dumps(manifest, sort_keys=True, separators=(",", ":")).encode() + b"\n"
    signed(files, ring)


def signed(files: Files, ring: KeyRing) -> None:
    signature = Ed25519PrivateKey.from_private_bytes(ring.private).sign(files[MANIFEST])
    files[SIGNATURE] = json.dumps(
        {
            "algorithm": "Ed25519",
            "key": ring.current.fingerprint,
            "public_key": keys.encoded(ring.current.public),
            "signature": keys.encoded(signature),
        }
    ).encode()


def told(path: Path, *options: str) -> tuple[Verdict, str, str]:
    """Verify; return the verdict by its exit code, the first line and all that was printed. The badge says the same."""
    out, badge, report = StringIO(), path.with_name("badge.svg"), path.with_name("report.json")
    code = 0
    try:
        call_command("verify", str(path), "--badge", str(badge), "--report", str(report), *options, stdout=out)
    except SystemExit as end:
        code = int(str(end.code))
    (verdict,) = (verdict for verdict in Verdict if verdict.exit_code == code)
    first = out.getvalue().splitlines()[0].removeprefix(f"{path.name}: ")
    image = badge.read_text()
    assert f'aria-label="evalweb: {first}"' in image
    assert verdict.colour.value in image
    document = json.loads(report.read_text())
    assert (document["verdict"], document["summary"]) == (verdict.name.lower(), first)
    assert first.startswith(verdict.words)
    return verdict, first, out.getvalue()


# Tricks: each changes the files of an archive.


def cells(files: Files, name: str, change: Callable[[list[list[str]]], object]) -> None:
    """Change the cells of a CSV file."""
    table = list(csv.reader(io.StringIO(files[name].decode(), newline="")))
    change(table)
    out = io.StringIO(newline="")
    csv.writer(out).writerows(table)
    files[name] = out.getvalue().encode()


def all_fives(files: Files, _case: Case) -> None:
    def change(table: list[list[str]]) -> None:
        place = table[0].index("value")
        for row in table[1:]:
            row[place] = row[place] and "5"

    cells(files, RATINGS, change)
    package = json.loads(files[PACKAGE])
    package["evalweb"]["texts"] = False
    files[PACKAGE] = json.dumps(package).encode()


def one_rater(files: Files, _case: Case) -> None:
    cells(files, RATINGS, lambda table: table[1].__setitem__(table[0].index("rater"), "R99"))


def a_number(files: Files, _case: Case) -> None:
    cells(files, RESULTS, lambda table: table[1].__setitem__(table[0].index("value"), "0.99"))


def document(files: Files, change: Callable[[dict], object]) -> None:
    content = json.loads(files[DOCUMENT])
    change(content)
    files[DOCUMENT] = json.dumps(content).encode()


def a_number_of_the_document(files: Files, _case: Case) -> None:
    document(files, lambda content: content["rows"][0].update(value=0.99))


def no_simulated_raters(files: Files, _case: Case) -> None:
    document(files, lambda content: content["run"]["facts"].update(simulated_raters=7))


def run_line(files: Files, **changes: object) -> None:
    files[RUN] = json.dumps(json.loads(files[RUN]) | changes).encode() + b"\n"


def more_ratings_seen(files: Files, case: Case) -> None:
    """With the digest that fits, in all three places."""
    run = replace_run(case.run, n_seen=10_000)
    run_line(files, n_seen=run.n_seen, digest=run.digest)
    document(files, lambda content: content["run"].update(n_seen=run.n_seen, digest=run.digest))
    package = json.loads(files[PACKAGE])
    package["evalweb"]["digest"] = run.digest
    files[PACKAGE] = json.dumps(package).encode()


def replace_run(run: Run, **changes: object) -> Run:
    other = Run.objects.get(pk=run.pk)
    for name, value in changes.items():
        setattr(other, name, value)
    other.digest = digest.digest_of(other)
    return other


def another_seed(files: Files, _case: Case) -> None:
    run_line(files, seed=1)


def a_second_run(files: Files, _case: Case) -> None:
    files[RUN] += files[RUN]


def another_version(files: Files, _case: Case) -> None:
    package = json.loads(files[PACKAGE])
    package["evalweb"]["code_version"] = "0.1.0"
    files[PACKAGE] = json.dumps(package).encode()


def without_column(name: str, column: str) -> Callable[[Files, Case], None]:
    def change(table: list[list[str]]) -> None:
        place = table[0].index(column)
        for row in table:
            del row[place]

    return lambda files, _case: cells(files, name, change)


def column_twice(files: Files, _case: Case) -> None:
    """The first has what people read, the second, which programs read, what is computed."""

    def change(table: list[list[str]]) -> None:
        place = table[0].index("value")
        for number, row in enumerate(table):
            row.insert(place, "0.99" if number else "value")

    cells(files, RESULTS, change)


def further_column(files: Files, _case: Case) -> None:
    def change(table: list[list[str]]) -> None:
        for number, row in enumerate(table):
            row.append("good" if number else "quality")

    cells(files, RESULTS, change)


def uneven_row(files: Files, _case: Case) -> None:
    cells(files, RATINGS, lambda table: table[1].append("more"))


def no_numbers(files: Files, _case: Case) -> None:
    cells(files, RESULTS, lambda table: table.__delitem__(slice(1, None)))
    document(files, lambda content: content.update(rows=[]))


def byte_order_mark(files: Files, _case: Case) -> None:
    files[RESULTS] = b"\xef\xbb\xbf" + files[RESULTS]


def line_ends(files: Files, _case: Case) -> None:
    files[RATINGS] = files[RATINGS].replace(b"\r\n", b"\n")


def datasheet(files: Files, _case: Case) -> None:
    files["datasheet.md"] += b"\nAll raters were experts.\n"


def left_out(files: Files, _case: Case) -> None:
    del files["methods.tex"]


def added(files: Files, _case: Case) -> None:
    files["erratum.md"] = b"The real results are elsewhere."


def trimmed(files: Files, _case: Case) -> None:
    del files["methods.tex"]
    manifest = json.loads(files[MANIFEST])
    manifest["members"] = [member for member in manifest["members"] if member["path"] != "methods.tex"]
    files[MANIFEST] = json.dumps(manifest, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def copied_signature(files: Files, case: Case) -> None:
    files[SIGNATURE] = case.other[SIGNATURE]


def copied_manifest(files: Files, case: Case) -> None:
    files[SIGNATURE], files[MANIFEST] = case.other[SIGNATURE], case.other[MANIFEST]


def no_signature(files: Files, _case: Case) -> None:
    del files[SIGNATURE]


def no_manifest(files: Files, _case: Case) -> None:
    del files[MANIFEST]


def stripped(files: Files, _case: Case) -> None:
    del files[SIGNATURE], files[MANIFEST]


def own_key(files: Files, _case: Case) -> None:
    resigned(files, KeyRing.new(NOW))


def own_key_and_numbers(files: Files, case: Case) -> None:
    a_number(files, case)
    described(files)
    own_key(files, case)


def own_key_by_the_name_of_the_sites(files: Files, case: Case) -> None:
    """The manifest and the signature name the site's key; the copy of the public key is the forger's."""
    own = KeyRing.new(NOW)
    resigned(files, own, key=case.ring.current.fingerprint)
    files[SIGNATURE] = json.dumps(json.loads(files[SIGNATURE]) | {"key": case.ring.current.fingerprint}).encode()


def manifest_said_twice(files: Files, _case: Case) -> None:
    own = KeyRing.new(NOW)
    resigned(files, own)
    files[MANIFEST] = files[MANIFEST].replace(b'"site":', b'"site":"https://other.example.org","site":')
    signed(files, own)


def no_object(files: Files, _case: Case) -> None:
    files[SIGNATURE] = b"[]"


def folded(files: Files, _case: Case) -> None:
    files["Results/RESULTS.csv"] = files[RESULTS]


def outside(name: str) -> Callable[[Files, Case], None]:
    return lambda files, _case: files.update({name: b"x"})
