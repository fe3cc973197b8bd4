"""Collecting static files, unless the last collection is of the same sources."""

import fcntl
import hashlib
import json
from importlib.metadata import version
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.apps import StaticFilesConfig
from django.core.management import call_command

from evalweb import static_storage

# The file beside the collected ones that holds the digest of their sources.
DIGEST = "sources.sha256"
# The empty file beside it by which several collections wait for each other.
LOCK = "lock"


def collect() -> bool:
    """Collect, name and compress the static files unless nothing has changed; return whether it collected them.

    `collectstatic` alone would hash and compress every file again at each start. Several at once wait for each other.
    """
    root = Path(settings.STATIC_ROOT)
    root.mkdir(parents=True, exist_ok=True)
    digest, written = digest_of_sources(), root / DIGEST
    with (root / LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if written.is_file() and written.read_text() == digest and _is_complete():
            return False
        written.unlink(missing_ok=True)  # an interrupted collection does not count
        call_command("collectstatic", interactive=False, verbosity=0)
        written.write_text(digest)
    return True


def digest_of_sources() -> str:
    """Return a digest of the files to collect, and of the programs that process them."""
    ignored = StaticFilesConfig.ignore_patterns
    digest = hashlib.sha256(f"{version('django')} {version('whitenoise')} {settings.STATIC_URL}\n".encode())
    for program in static_storage.PROGRAMS:
        digest.update(program.read_bytes())
    for finder in finders.get_finders():
        # Of files of one name, the one that comes first is collected.
        for name, storage in finder.list(ignored):
            content = hashlib.sha256(Path(storage.path(name)).read_bytes()).hexdigest()
            digest.update(f"{name}\0{content}\n".encode())
    return digest.hexdigest()


def _is_complete() -> bool:
    """Return whether every collected file is there."""
    manifest = Path(settings.STATIC_ROOT) / "staticfiles.json"
    if not manifest.is_file():
        return False
    names = json.loads(manifest.read_text())["paths"].values()
    return all((manifest.parent / name).is_file() for name in names)
