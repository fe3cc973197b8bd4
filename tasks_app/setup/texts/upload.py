"""An uploaded file of texts between its first look and its storage by a worker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.importing import uploads
from tasks_app.models import Setup
from tasks_app.services import events
from tasks_app.setup import media
from tasks_app.setup.tables.checking import CheckedTexts, check_file
from tasks_app.setup.tables.layout import Layout
from tasks_app.setup.tables.source import TextsFile, open_file
from tasks_app.setup.texts import reads, writes


class UploadGone(Exception):
    """The file was deleted; the message tells how to go on."""


@dataclass(frozen=True, slots=True)
class TextsUpload:
    """A kept file by its token, its layout, and whether its rows are added to those that are there."""

    token: str
    layout: Layout
    is_added: bool

    def to_store(self) -> dict[str, Json]:
        """Return the data that find and read the file again, as JSON."""
        return {"token": self.token, "layout": self.layout.to_store(), "is_added": self.is_added}

    @classmethod
    def stored(cls, given: Mapping[str, Json]) -> TextsUpload:
        """Return the upload that was stored so."""
        return cls(given["token"], Layout.stored(given["layout"]), given["is_added"])

    def check(self, setup: Setup) -> CheckedTexts:
        """Check the whole table. Raises StudyFileError where it cannot be read, and UploadGone."""
        return check(setup, self._file(setup), self.layout, is_added=self.is_added)

    def store(self, setup: Setup, checked: CheckedTexts, by: events.Actor) -> Setup:
        """Store the rows of a table without problems. Raises NotADraft."""
        return writes.store(
            setup=setup, rows=checked.rows, systems=checked.systems, by=by, add=self.is_added,
            source={"file": self._file(setup).name, "items": checked.items},
        )  # fmt: skip

    def forget(self, setup: Setup) -> None:
        """Delete the file."""
        uploads.forget(setup.study, self.token)

    def _file(self, setup: Setup) -> TextsFile:
        file = uploads.find(setup.study, self.token)
        if file is None:
            raise UploadGone(_("The uploaded file was deleted after a day. Upload it again."))
        return open_file(file)


def check(setup: Setup, file: TextsFile, layout: Layout, *, is_added: bool) -> CheckedTexts:
    """Check a table of texts, with the rows that it is added to. Raises StudyFileError."""
    before = reads.cells_of_rows(setup) if is_added else ()
    return check_file(file, layout, media.uploaded(setup), before)
