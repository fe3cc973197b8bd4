"""Clean the media of studies: raters get a file without metadata, which is made once and kept."""

import hashlib
import logging
from contextlib import suppress
from time import monotonic

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction

from tasks_app.models import Media
from tasks_app.uploads.cleaning import CannotClean, Cleaned, Reason, clean

# Seconds that the upkeep of each minute spends on earlier files.
SECONDS = 10.0

log = logging.getLogger(__name__)


def cleaned_or_reason(content: bytes, kind: str) -> tuple[Cleaned | None, str]:
    """Return a file without metadata, or why there is none."""
    try:
        return clean(content, kind), ""
    except CannotClean as error:
        return None, error.reason.value


def columns_of(cleaned: Cleaned | None, reason: str, file: str, copy: str) -> dict[str, object]:
    """Return the columns that describe the file for raters: nothing, the file itself, or a copy of it."""
    if cleaned is None:
        return {"refusal": reason}
    return {"clean_file": copy or file, "clean_bytes": len(cleaned.content), "removed": list(cleaned.findings)}


def digest_of(content: bytes) -> str:
    """Return the hash under which a file is kept."""
    return hashlib.sha256(content).hexdigest()


def save_copy(name: str, content: bytes) -> tuple[str, bool]:
    """Keep a cleaned copy beside the file of a name; return its own name, and whether it was written just now."""
    copy = f"{name}-{digest_of(content)[:16]}"
    if default_storage.exists(copy):
        if default_storage.size(copy) == len(content):
            return copy, False
        # Left there in part by a process that was killed.
        default_storage.delete(copy)
    return default_storage.save(copy, ContentFile(content)), True


def for_raters(media: Media) -> Media:
    """Return a file with the copy for raters, which is made now if it was not made yet.

    Files that were stored before files were cleaned come here. Raises FileNotFoundError where the file is lost.
    """
    if media.clean_file or media.refusal:
        return media
    with transaction.atomic():
        row = Media.objects.select_for_update().get(pk=media.pk)
        if row.clean_file or row.refusal:
            return row
        with row.file.open("rb") as stream:
            content = bytes(stream.read())
        cleaned, reason = cleaned_or_reason(content, row.kind)
        copy = ""
        if cleaned is not None and cleaned.content != content:
            copy, _is_new = save_copy(str(row.file.name), cleaned.content)
        for name, value in columns_of(cleaned, reason, str(row.file.name), copy).items():
            setattr(row, name, value)
        row.save(update_fields=["clean_file", "clean_bytes", "removed", "refusal"])
    return row


def content_for_raters(media: Media) -> bytes | None:
    """Return the content of a file that raters get, which is all that leaves the site; None where they do not get it.

    Raises FileNotFoundError where the file is lost.
    """
    cleaned_media = for_raters(media)
    if cleaned_media.refusal:
        return None
    with cleaned_media.clean_file.open("rb") as stream:
        return bytes(stream.read())


def clean_earlier(seconds: float = SECONDS) -> int:
    """Clean files that were stored before files were cleaned, for some seconds; return how many were looked at.

    On a machine without the media folder, such as one whose shared disk is not mounted, no file counts as lost.
    """
    end, n = monotonic() + seconds, 0
    if Media.objects.filter(Media.NOT_CLEANED).exists() and not default_storage.exists(""):
        log.warning("The media folder is missing on this machine. Is the disk mounted?")
        return 0
    for media in Media.objects.filter(Media.NOT_CLEANED).order_by("pk").iterator(chunk_size=100):
        if monotonic() > end:
            break
        n += 1
        # Erased meanwhile.
        with suppress(Media.DoesNotExist):
            try:
                for_raters(media)
            except FileNotFoundError:
                Media.objects.filter(Media.NOT_CLEANED, pk=media.pk).update(refusal=Reason.LOST.value)
    return n


def look_again() -> int:
    """Forget why files could not be cleaned, so that they are looked at again; return how many they are."""
    return Media.objects.exclude(refusal="").update(refusal="")
