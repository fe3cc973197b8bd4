"""Static files under names that hold a hash of their content; scripts and style sheets of raters' pages are joined."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage
from whitenoise.storage import CompressedManifestStaticFilesStorage

from evalweb import static_joining

# The places of sources: by name under static/, the storage that has the source and its path there.
Places = dict[str, tuple[Any, str]]


class StaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # WhiteNoise ships no types
    """WhiteNoise's storage that also joins files, rewrites imports of ES modules, and compresses the files of pages.

    Without rewriting an upgrade could mix a new script with an old one that it imports. Every address on a page holds a
    hash, so that the files under their own names are asked for by nobody.
    """

    support_js_module_import_aggregation = True

    @cached_property
    def _addresses(self) -> dict[tuple[object, ...], str]:
        """The addresses that were asked for: finding one takes as long as a small template, and a page has six."""
        return {}

    def url(self, name: str, force: bool = False) -> str:
        """Return the address of a static file."""
        key = (name, force, settings.DEBUG)
        if key not in self._addresses:
            self._addresses[key] = super().url(name, force)
        return self._addresses[key]

    def post_process(self, paths: Places, dry_run: bool = False, **options: Any) -> Iterator[Any]:
        """Name the files by their content, entries by that of everything joined in them."""
        self._addresses.clear()
        sources = Joined(paths)
        of_entries = {name: (sources, name) for name in paths if static_joining.is_joined(name)}
        yield from super().post_process(paths | of_entries, dry_run, **options)

    def compress_files(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Compress those files that have a hash in their names."""
        return cast("Iterator[tuple[str, str]]", super().compress_files(set(paths) & set(self.hashed_files.values())))


class Joined(Storage):
    """Opens entries with everything that they import, from the sources that were collected."""

    def __init__(self, places: Places) -> None:
        self.places = places

    def open(self, name: str, mode: str = "rb") -> "File[bytes]":
        """Return an entry as a file of bytes. Raises JoiningError."""
        assert mode == "rb"
        return ContentFile(static_joining.joined(name, self._read).encode(), name)

    def _read(self, name: str) -> str:
        storage, path = self.places[name]
        with storage.open(path) as file:
            return cast("str", file.read().decode())


# What the digest of static files covers beside their sources.
PROGRAMS = (Path(__file__), Path(static_joining.__file__))
