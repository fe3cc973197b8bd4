"""Media, under their names only when all of them is on the disk."""

from pathlib import Path
from typing import Any

from django.core.files.storage import FileSystemStorage
from django.utils.crypto import get_random_string


class MediaStorage(FileSystemStorage):
    """A file storage that writes beside and renames.

    A file is named by the digest of its content, and one that exists is not written again: half a file, left by a full
    disk or a killed process, would stand for the whole one.
    """

    def _save(self, name: str, content: Any) -> str:
        unfinished = f"{name}.{get_random_string(12)}.part"
        try:
            unfinished = super()._save(unfinished, content)  # type: ignore[misc]  # the stubs do not have it
            Path(self.path(unfinished)).replace(self.path(name))
        except BaseException:
            self.delete(unfinished)
            raise
        return name
