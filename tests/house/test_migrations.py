"""Migrations are frozen: a database that has seen one is never told of a later change to it."""

from hashlib import sha256
from pathlib import Path

from django.conf import settings

ROOT = Path(settings.BASE_DIR)
DIGESTS = Path(__file__).with_name("migrations.sha256")


def test_each_migration_is_as_it_was_when_it_landed() -> None:
    frozen = {path: digest for digest, path in (line.split() for line in DIGESTS.read_text().splitlines())}
    on_disk = {str(path.relative_to(ROOT)): path for path in sorted(ROOT.glob("*_app/migrations/[0-9]*.py"))}
    edited = [name for name in frozen if name in on_disk and digest_of(on_disk[name]) != frozen[name]]
    assert not edited, "Put these back as they were, and make a new migration of the change"
    assert not frozen.keys() - on_disk.keys(), "Databases have seen these; they cannot be taken away or renamed"
    new = sorted(on_disk.keys() - frozen.keys())
    assert not new, f"Freeze what is new: sha256sum {' '.join(new)} >> {DIGESTS.relative_to(ROOT)}"


def digest_of(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()
