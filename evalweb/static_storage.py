"""Static files under names that hold a hash of their content, imports between scripts included."""

from collections.abc import Iterable, Iterator
from typing import cast

from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # WhiteNoise ships no types
    """WhiteNoise's storage that also rewrites imports of ES modules, and compresses the files that pages ask for.

    Without the first an upgrade could mix a new script with an old one that it imports. Every address on a page holds a
    hash, so that the files under their own names are asked for by nobody.
    """

    support_js_module_import_aggregation = True

    def compress_files(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Compress those files that have a hash in their names."""
        return cast("Iterator[tuple[str, str]]", super().compress_files(set(paths) & set(self.hashed_files.values())))
