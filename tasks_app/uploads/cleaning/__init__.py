"""Remove from a media file everything but its picture, sound, film or captions.

`clean` is a pure function of bytes and imports nothing of Django, so that a process with limits of its own can call it.
Each format has a walker that keeps the parts it knows to be needed, and leaves out all others; coded pictures and
sounds are copied as they are. See docs/decisions/0086-raters-get-cleaned-files.md.
"""

import struct

from tasks_app.uploads.cleaning.findings import CannotClean, Cleaned, Finding, Reason
from tasks_app.uploads.cleaning.formats import WALKERS

__all__ = ["CannotClean", "Cleaned", "Finding", "Reason", "clean"]


def clean(content: bytes, kind: str) -> Cleaned:
    """Return a file of a media type without its metadata; a file that is clean comes back as the same bytes.

    Raises
    ------
    CannotClean
        Where the file is damaged, too large to be decoded, or of a codec that is not known.
    """
    findings: set[Finding] = set()
    try:
        cleaned = WALKERS[kind](content, findings)
    except (IndexError, KeyError, ValueError, OverflowError, struct.error) as error:
        raise CannotClean from error
    if cleaned == content:
        return Cleaned(content)
    return Cleaned(cleaned, tuple(sorted(findings or {Finding.OTHER})))
