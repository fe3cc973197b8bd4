"""The elements of WebM (Matroska, RFC 9559) that a cleaned file may hold, level by level."""

from collections.abc import Callable, Mapping

EBML, SEGMENT, VOID, CRC = 0x1A45DFA3, 0x18538067, 0xEC, 0xBF
INFO, TRACKS, CLUSTER, CUES, SEEK = 0x1549A966, 0x1654AE6B, 0x1F43B675, 0x1C53BB6B, 0x114D9B74
TAGS, ATTACHMENTS, CHAPTERS = 0x1254C367, 0x1941A469, 0x1043A770
TITLE, FILE_NAMES, PROGRAMS, TIME = 0x7BA9, {0x7384, 0x3C83AB, 0x3E83BB}, {0x4D80, 0x5741}, 0x4461
TRACK, NUMBER, TYPE, CODEC, PRIVATE, TRACK_NAME, LANGUAGE = 0xAE, 0xD7, 0x83, 0x86, 0x63A2, 0x536E, 0x22B59C
DOCUMENT = 0x4282
VIDEO, AUDIO, ALPHA, ENCODINGS = 0xE0, 0xE1, 0x53C0, 0x6D80
SIMPLE_BLOCK, GROUP, BLOCK, ADDITIONS, MORE, ADDITION, ADDITION_KIND = 0xA3, 0xA0, 0xA1, 0x75A1, 0xA6, 0xA5, 0xEE
TOP = {SEEK, INFO, TRACKS, CLUSTER, CUES, TAGS, ATTACHMENTS, CHAPTERS, VOID, CRC}
SHOWN = {1, 2}
CODECS = {b"V_VP8", b"V_VP9", b"V_AV1", b"A_OPUS", b"A_VORBIS"}
DOCUMENTS = {b"webm", b"matroska"}

_SEEK_ENTRY, _CUE_POINT, _CUE_PLACE, _COLOUR, _MASTERING, _PROJECTION = 0x4DBB, 0xBB, 0xB7, 0x55B0, 0x55D0, 0x7670
# The elements that an element may hold; all others become free space. What is not named here holds no elements.
PARTS: Mapping[int, set[int]] = {
    EBML: {0x4286, 0x42F7, 0x42F2, 0x42F3, DOCUMENT, 0x4287, 0x4285},
    SEEK: {_SEEK_ENTRY},
    _SEEK_ENTRY: {0x53AB, 0x53AC},
    CUES: {_CUE_POINT},
    _CUE_POINT: {0xB3, _CUE_PLACE},
    _CUE_PLACE: {0xF7, 0xF1, 0xF0, 0xB2, 0x5378},
    # How long a unit of time and the film are.
    INFO: {0x2AD7B1, 0x4489},
    TRACKS: {TRACK},
    # Number, type, flags, language, codec, delays, and the settings of picture and sound.
    TRACK: {
        NUMBER, 0x73C5, TYPE, 0xB9, 0x88, 0x55AA, 0x9C, 0x6DE7, 0x6DF8, 0x23E383, 0x234E7A, 0x23314F, 0x55EE, LANGUAGE,
        CODEC, PRIVATE, 0xAA, 0x56AA, 0x56BB, VIDEO, AUDIO,
    },
    # Sizes, cropping, units of the sizes, interlacing, stereo, transparency, colours and spheres.
    VIDEO: {
        0xB0, 0xBA, 0x54B0, 0x54BA, 0x54B2, 0x54B3, 0x54AA, 0x54BB, 0x54CC, 0x54DD, 0x9A, 0x9D, 0x53B8, ALPHA, _COLOUR,
        _PROJECTION,
    },
    AUDIO: {0xB5, 0x78B5, 0x9F, 0x6264},
    _COLOUR: {*range(0x55B1, 0x55BE), _MASTERING},
    _MASTERING: {*range(0x55D1, 0x55DB)},
    _PROJECTION: {0x7671, 0x7673, 0x7674, 0x7675},
    CLUSTER: {0xE7, 0xA7, 0xAB, SIMPLE_BLOCK, GROUP},
    # The block, what it refers to, how long it is shown, its transparency, and how much of its end is silence.
    GROUP: {BLOCK, 0x9B, 0xFA, 0xFB, ADDITIONS, 0x75A2},
    ADDITIONS: {MORE},
    MORE: {ADDITION, ADDITION_KIND},
}  # fmt: skip
# What an element holds if no number: all others have at most 8 bytes.
CONTENTS: Mapping[int, Callable[[bytes], bool]] = {
    DOCUMENT: lambda content: _word(content) in DOCUMENTS,
    CODEC: lambda content: _word(content) in CODECS,
    # Three letters of ISO 639-2.
    LANGUAGE: lambda content: len(content) == 3 and content.isalpha() and content.islower(),
    **dict.fromkeys((PRIVATE, SIMPLE_BLOCK, BLOCK, ADDITION), lambda content: True),
}


def _word(content: bytes) -> bytes:
    """Return a text without the zeros that may fill its place."""
    return content.rstrip(b"\0")
