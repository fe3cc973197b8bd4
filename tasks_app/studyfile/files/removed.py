"""Describe the metadata that was removed from media files, with the number of files of each kind."""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.studyfile.files.media import MediaFile, extension, is_misnamed
from tasks_app.uploads.cleaning import Finding

# The media type of a file and the values of what was removed from it.
Removed = tuple[str, Sequence[str]]

_NAMED_AT_MOST = 5


def sentences(files: Iterable[Removed]) -> list[str]:
    """Return a sentence for each kind of data that was removed from files, the most serious first."""
    counts: dict[str, dict[str, int]] = {}
    for kind, findings in files:
        for finding in findings:
            by_kind = counts.setdefault(finding, {})
            first = kind.partition("/")[0]
            by_kind[first] = by_kind.get(first, 0) + 1
    return [_sentence(finding) % {"files": _files(counts[finding])} for finding in Finding if finding in counts]


def notes_on(files: Sequence[MediaFile]) -> list[str]:
    """Return the notes on accepted files for a researcher: the removed metadata, and the misnamed files."""
    notes = sentences((file.kind, file.findings) for file in files)
    misnamed = [file for file in files if is_misnamed(file.name, file.kind)]
    if misnamed:
        named = ", ".join(f"{file.name} ({extension(file.kind).upper()})" for file in misnamed[:_NAMED_AT_MOST])
        sentence = ngettext(
            "%(n)d file has another format than its name says, and is stored in its true format: %(files)s.",
            "%(n)d files have other formats than their names say, and are stored in their true formats: %(files)s.",
            len(misnamed),
        )
        notes.append(sentence % {"n": len(misnamed), "files": named + (" …" if len(misnamed) > _NAMED_AT_MOST else "")})
    return notes


def _sentence(finding: str) -> str:
    return {
        Finding.PLACE: _("A location (GPS) was removed from %(files)s."),
        Finding.CAMERA: _("Camera data (EXIF) was removed from %(files)s."),
        Finding.TEXT: _("Titles, comments or other texts were removed from %(files)s."),
        Finding.PICTURE: _("Embedded small pictures or covers were removed from %(files)s."),
        Finding.PROGRAM: _("Times or names of programs were removed from %(files)s."),
        Finding.TRACK: _("Further tracks, such as subtitles, were removed from %(files)s."),
        Finding.OTHER: _("Other data that can be neither seen nor heard were removed from %(files)s."),
        Finding.TURNED: _("Rotated as the EXIF data say, without loss: %(files)s."),
        Finding.ENCODED: _(
            "Rotated as the EXIF data say, and encoded again with the same settings: %(files)s. If raters judge the "
            "quality of pictures, rotate such files without loss before you upload them."
        ),
    }[Finding(finding)]


def _files(counts: dict[str, int]) -> str:
    """Write how many files of which kind there are: 3 pictures, 1 film."""
    words = []
    for first, n in sorted(counts.items(), key=lambda pair: -pair[1]):
        if first == "image":
            words.append(ngettext("%(n)d picture", "%(n)d pictures", n) % {"n": n})
        elif first == "audio":
            words.append(ngettext("%(n)d sound recording", "%(n)d sound recordings", n) % {"n": n})
        elif first == "video":
            words.append(ngettext("%(n)d film", "%(n)d films", n) % {"n": n})
        else:
            words.append(ngettext("%(n)d file of captions", "%(n)d files of captions", n) % {"n": n})
    return ", ".join(words)
