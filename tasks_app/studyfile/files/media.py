"""Detect the kind of an image, sound, video or captions by the first bytes, and clean it; its name proves nothing."""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from tasks_app.studyfile.files import captions
from tasks_app.studyfile.files.limits import limits, megabytes
from tasks_app.uploads.cleaning import CannotClean, Cleaned, Finding, Reason, clean
from tasks_app.uploads.cleaning.tags import start_of_sound

# First word of the media types that a column of an item accepts.
ROLES = {"context_image": "image", "context_audio": "audio", "context_video": "video"}

# Columns that name the file of an output, and its captions.
OUTPUT_FILE, CAPTIONS = "output_file", "captions"

# First words of the media types that each column of files accepts.
ACCEPTED: Mapping[str, tuple[str, ...]] = {
    **{role: (first,) for role, first in ROLES.items()},
    OUTPUT_FILE: tuple(ROLES.values()),
    CAPTIONS: ("text",),
}

_EXTENSIONS = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/webp": "webp",
    "image/gif": "gif",
    "audio/mpeg": "mp3",
    "audio/mp4": "m4a",
    "audio/aac": "aac",
    "audio/wav": "wav",
    "audio/ogg": "ogg",
    "audio/flac": "flac",
    "video/mp4": "mp4",
    "video/webm": "webm",
    "video/ogg": "ogv",
    captions.KIND: "vtt",
}

# Suffixes by which a cell is taken for the name of a picture, sound or film.
_FILE_NAME = re.compile(r"[^\s|]+\.(?:png|jpe?g|webp|gif|mp3|m4a|aac|wav|og[gv]|oga|opus|flac|mp4|webm)", re.IGNORECASE)

_HEAD = 512

# The first bytes of a frame of AAC.
_ADTS = (b"\xff\xf1", b"\xff\xf9")

# Endings that stand for one of those above.
_ALIASES = {"jpeg": "jpg", "oga": "ogg", "opus": "ogg", "ogv": "ogg", "m4a": "mp4", "m4b": "mp4", "m4v": "mp4"}


@dataclass(frozen=True, slots=True)
class MediaFile:
    """A media file of the study: its name, the digest of the stored copy, its media type, and the removed metadata."""

    name: str
    sha256: str
    kind: str
    findings: tuple[Finding, ...] = ()


def extension(kind: str) -> str:
    """Return the suffix of a file of a media type."""
    return _EXTENSIONS[kind]


def kind_of_name(name: str) -> str:
    """Return the media type of a stored file by the suffix that it was given; "" for none."""
    suffix = name.rpartition(".")[2]
    return next((kind for kind, known in _EXTENSIONS.items() if known == suffix), "")


def is_file_name(text: str) -> bool:
    """Return whether a text is nothing but the name of a file that raters could be shown."""
    return _FILE_NAME.fullmatch(text.strip()) is not None


def sniff(content: bytes) -> str | None:
    """Return the media type of a file that browsers can show or play, or None."""
    head = content[:_HEAD]
    # FLAC and AAC may have ID3 tags in front, too.
    behind_tags = content[start_of_sound(content, set()) :][:_HEAD]
    if behind_tags.startswith((b"fLaC", *_ADTS)):
        head = behind_tags
    return next((kind for test, kind in _TESTS if test(head)), None)


def belongs(kind: str, column: str) -> bool:
    """Return whether a column accepts files of a media type."""
    return kind.partition("/")[0] in ACCEPTED[column]


def column_of(kind: str) -> str:
    """Return the first column of items.csv that takes files of a media type; any for one of no known type."""
    return next((column for column in ACCEPTED if belongs(kind, column)), next(iter(ACCEPTED)))


def too_large(size: int) -> str:
    """Return a sentence about a file that no rater can be shown."""
    sentence = _("has %(size)s; at most %(most)s can be shown to raters. Make it smaller.")
    return sentence % {"size": megabytes(size), "most": megabytes(limits().media_bytes)}


def is_misnamed(name: str, kind: str) -> bool:
    """Return whether a file's name has the ending of another type, such as same.jpg for a PNG; no ending is fine."""
    suffix = _suffix(name)
    return bool(suffix) and suffix != _suffix(f".{extension(kind)}")


def why_not_clean(reason: str) -> str:
    """Return a sentence about a file from which metadata cannot be removed, without its name at the beginning."""
    return {
        Reason.BROKEN: _(
            "is damaged or incomplete, so its metadata cannot be removed. Open it in a program and save it again."
        ),
        Reason.CODEC: _(
            "has sound or pictures of a kind that most browsers cannot play. Save it as MP3, AAC, Opus, FLAC or WAV, "
            "or as H.264, VP9 or AV1."
        ),
        Reason.LARGE: _("has more than 64 million pixels, which browsers cannot show well. Make it smaller."),
        Reason.TURN: _("should be rotated as its EXIF data say, which evalweb cannot do. Rotate it and save it again."),
        Reason.LOST: _("is not in storage."),
    }[Reason(reason)]


def identify(name: str, content: bytes, role: str, *, is_stored: bool = False) -> tuple[MediaFile | None, str]:
    """Return the type of a file, or None and the reason why it cannot be shown as `role`, a column of files.

    A file `is_stored` where the study has it already: its digest then stays as it is, and raters get a cleaned copy.
    """
    media, cleaned, sentence = accept(name, content, role)
    if media is None or cleaned is None or not is_stored:
        return media, sentence
    return MediaFile(name, hashlib.sha256(content).hexdigest(), media.kind), ""


def accept(name: str, content: bytes, role: str) -> tuple[MediaFile | None, Cleaned | None, str]:
    """Return a file that can be shown as `role` with its content without metadata, or Nones and the reason."""
    kind, sentence = _kind_for(name, content, role)
    if not kind:
        return None, None, sentence
    try:
        cleaned = clean(content, kind)
    except CannotClean as error:
        return None, None, why_not_clean(error.reason)
    if len(cleaned.content) > limits().media_bytes:
        # Without loss, a turned WebP is larger than it was.
        return None, None, why_not_clean(Reason.TURN)
    sha256 = hashlib.sha256(cleaned.content).hexdigest()
    return MediaFile(name, sha256, kind, cleaned.findings), cleaned, ""


def _kind_for(name: str, content: bytes, role: str) -> tuple[str, str]:
    """Return the media type of a file for `role`, or "" and the reason why there is none."""
    most = limits().media_bytes
    if len(content) > most:
        return "", too_large(len(content))
    if not content:
        return "", _("is empty (0 bytes).")
    kind = sniff(content)
    if kind is None:
        return "", _why_unknown(content, role)
    if not belongs(kind, role):
        sentence = _("is %(kind)s, which does not belong into %(role)s.")
        return "", sentence % {"kind": kind, "role": role}
    called = kind_of_name(_suffix(name))
    if called and _family(called) != _family(kind):
        sentence = _("is %(kind)s, but its name says something else. Give it a name that ends in .%(suffix)s.")
        return "", sentence % {"kind": kind, "suffix": extension(kind)}
    return kind, ""


def _family(kind: str) -> str:
    """Return the first word of a media type; one for sounds and films, which share their formats."""
    first = kind.partition("/")[0]
    return "video" if first == "audio" else first


def _suffix(name: str) -> str:
    """Return the ending of a name, one for all that mean the same; "" for none."""
    last = name.rpartition("/")[2]
    suffix = last.rpartition(".")[2].lower() if "." in last else ""
    return _ALIASES.get(suffix, suffix)


def _why_unknown(content: bytes, role: str) -> str:
    """Return a sentence about a file of no known type."""
    if role == CAPTIONS:
        return _("is not WebVTT: such a file begins with the line WEBVTT.")
    if re.search(rb"<(!doctype|html|svg|script|\?xml)", content[:_HEAD], re.IGNORECASE):
        return _("is SVG, HTML or XML, which can carry scripts. Save it as PNG, JPEG, WebP or GIF.")
    return _("is not a format that browsers can show. Use PNG, JPEG, WebP, GIF, MP3, M4A, WAV, Ogg, FLAC, MP4 or WebM.")


def _begins(*starts: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(starts)


def _riff(form: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(b"RIFF") and head[8:12] == form


def _ogg(*codecs: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(b"OggS") and any(codec in head for codec in codecs)


def _mp4(*brands: bytes) -> Callable[[bytes], bool]:
    return lambda head: head[4:8] == b"ftyp" and head[8:12].startswith(brands)


def _mpeg_frame(head: bytes) -> bool:
    # Eleven bits of sync, then a layer that is not reserved (00): MP3 without an ID3 tag.
    return len(head) > 2 and head[0] == 0xFF and head[1] & 0xE0 == 0xE0 and head[1] & 0x06 != 0


_TESTS: tuple[tuple[Callable[[bytes], bool], str], ...] = (
    (captions.is_captions, captions.KIND),
    (_begins(b"\x89PNG\r\n\x1a\n"), "image/png"),
    (_begins(b"\xff\xd8\xff"), "image/jpeg"),
    (_begins(b"GIF87a", b"GIF89a"), "image/gif"),
    (_riff(b"WEBP"), "image/webp"),
    (_riff(b"WAVE"), "audio/wav"),
    (_begins(b"fLaC"), "audio/flac"),
    (_ogg(b"theora"), "video/ogg"),
    (_ogg(b"vorbis", b"OpusHead", b"Speex", b"FLAC"), "audio/ogg"),
    (_mp4(b"M4A", b"M4B"), "audio/mp4"),
    (
        _mp4(b"isom", b"iso2", b"iso4", b"iso5", b"iso6", b"mp41", b"mp42", b"avc1", b"M4V", b"MSNV", b"dash"),
        "video/mp4",
    ),
    (lambda head: head.startswith(b"\x1aE\xdf\xa3") and b"webm" in head, "video/webm"),
    # AAC frames have layer 00, which no MP3 has.
    (_begins(*_ADTS), "audio/aac"),
    (_begins(b"ID3"), "audio/mpeg"),
    (_mpeg_frame, "audio/mpeg"),
)
