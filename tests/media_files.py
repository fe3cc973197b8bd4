"""Small pictures, sounds, films and captions of each kind, which hold words wherever their format can hold any.

With `words` empty, a file is as cleaning leaves it. CODED are bytes that stand for coded pictures and sounds.
"""

import io
import struct
import zlib
from collections.abc import Callable, Mapping

from PIL import Image, ImageCms, ImageDraw, PngImagePlugin

from tests.media import png, vtt, wav

CODED = bytes(range(1, 200))
ORIENTATION, GPS = 0x0112, 0x8825


def picture(width: int = 32, height: int = 16, mode: str = "RGB") -> Image.Image:
    """Return a picture that looks different however it is turned."""
    whole = Image.linear_gradient("L").resize((width, height)).convert("RGB")
    ImageDraw.Draw(whole).rectangle((1, 1, width // 3, height // 4), fill="red")
    if mode == "RGBA":
        whole.putalpha(Image.linear_gradient("L").resize((width, height)))
    return whole.convert(mode)


def exif(words: bytes, orientation: int = 1) -> Image.Exif:
    """Return EXIF data with words, a place and an orientation."""
    data = Image.Exif()
    data[ORIENTATION] = orientation
    data[0x010E] = words.decode()
    data.get_ifd(GPS).update({1: "N", 2: (48.0, 12.0, 0.0), 3: "E", 4: (16.0, 22.0, 0.0)})
    return data


def profile(words: bytes) -> bytes:
    """Return a colour profile whose description and copyright are words; without words, a small one of greys."""
    if not words:
        return b""
    whole = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    place = whole.index("sRGB built-in".encode("utf-16-be"))
    spelled = words.decode().encode("utf-16-be")
    return whole[:place] + spelled + whole[place + len(spelled) :]


def saved(whole: Image.Image, form: str, **options: object) -> bytes:
    """Return a picture as a file."""
    buffer = io.BytesIO()
    whole.save(buffer, form, **{name: value for name, value in options.items() if value})
    return buffer.getvalue()


def rich_png(words: bytes, orientation: int = 1, mode: str = "RGBA") -> bytes:
    """Return a PNG with texts, EXIF data, XMP and a colour profile."""
    texts = PngImagePlugin.PngInfo()
    texts.add_text("made by", words.decode())
    texts.add_text("again", words.decode() * 9, zip=True)
    texts.add_itxt("XML:com.adobe.xmp", words.decode())
    about = {"pnginfo": texts, "exif": exif(words, orientation), "icc_profile": profile(words)}
    return saved(picture(mode=mode), "PNG", **about if words else {})


def rich_jpeg(words: bytes, orientation: int = 1, mode: str = "RGB") -> bytes:
    """Return a JPEG with a comment, EXIF data, XMP, a colour profile, IPTC data and a small picture."""
    about = {"exif": exif(words, orientation), "comment": words, "icc_profile": profile(words)}
    whole = saved(picture(mode=mode), "JPEG", quality=90, **about if words else {})
    if not words:
        return whole
    others = {
        0xE1: b"http://ns.adobe.com/xap/1.0/\0" + words,
        0xE0: b"JFXX\0\x10" + words,
        0xE2: b"MPF\0" + words,
        0xED: b"Photoshop 3.0\x008BIM" + words,
        0xEB: words,
    }
    segments = [struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body for marker, body in others.items()]
    return whole[:2] + b"".join(segments) + whole[2:]


def rich_webp(words: bytes, orientation: int = 1, *, lossless: bool = False) -> bytes:
    """Return a WebP with EXIF data, XMP and a colour profile."""
    about = {"exif": exif(words, orientation), "xmp": words, "icc_profile": profile(words)}
    return saved(picture(mode="RGBA"), "WEBP", lossless=lossless, **about if words else {})


def animation(form: str, words: bytes = b"") -> bytes:
    """Return three pictures of different lengths, shown three times."""
    frames = [picture().rotate(angle) for angle in (0, 90, 180)]
    about = {"GIF": {"comment": words}, "WEBP": {"xmp": words}, "PNG": {}}[form]
    times = [100, 200, 300]
    return saved(frames[0], form, save_all=True, append_images=frames[1:], duration=times, loop=2, **about)


def gif(words: bytes = b"") -> bytes:
    """Return a GIF of one pixel with a comment, a text and XMP."""
    parts = [b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff"]
    if words:
        block = bytes([len(words)]) + words + b"\0"
        parts += (b"!\xfe" + block, b"!\x01\x0c" + bytes(12) + block, b"!\xff\x0bXMP DataXMP" + block)
    parts.append(b"!\xff\x0bNETSCAPE2.0\x03\x01\2\0\0!\xf9\x04\0\0\0\0\0,\0\0\0\0\1\0\1\0\0\2\2D\1\0;")
    return b"".join(parts)


def rich_wav(words: bytes) -> bytes:
    """Return a WAV with a list of texts, the chunk of broadcasters, ID3 tags and XML."""
    sound = wav(0.1)
    if not words:
        return sound
    chunks = {
        b"LIST": b"INFOINAM" + struct.pack("<I", len(words)) + words,
        b"bext": words,
        b"id3 ": words,
        b"iXML": words,
    }
    others = b"".join(
        name + struct.pack("<I", len(body)) + body + b"\0" * (len(body) % 2) for name, body in chunks.items()
    )
    return b"RIFF" + struct.pack("<I", len(sound) - 8 + 2 * len(others)) + sound[8:36] + others + sound[36:] + others


def _id3(words: bytes) -> bytes:
    body = b"TIT2" + struct.pack(">IH", len(words) + 1, 0) + b"\0" + words + b"APIC" + words
    return b"ID3\x03\0\0" + bytes([0, 0, 0, len(body)]) + body


def mp3(words: bytes = b"") -> bytes:
    """Return an MP3 with ID3 tags of both kinds, an APE tag, and the name of its coder."""
    frame = b"\xff\xfb\x90\x64" + CODED.ljust(413, b"\1")
    if not words:
        return frame * 3
    first = (b"\xff\xfb\x90\x64" + bytes(32) + b"Info" + bytes(4) + words[:9] + bytes(40)).ljust(417, b"\0")
    return _id3(words) + first + frame * 3 + b"APETAGEX" + words + b"TAG" + words.ljust(125, b"\0")


def aac(words: bytes = b"") -> bytes:
    """Return AAC in ADTS with ID3 tags."""
    size = len(CODED) + 7
    frame = bytes([0xFF, 0xF1, 0x50, 0x80 | size >> 11, size >> 3 & 0xFF, (size & 7) << 5 | 0x1F, 0xFC]) + CODED
    return (_id3(words) if words else b"") + frame * 3 + (b"TAG" + words.ljust(125, b"\0") if words else b"")


def _crc(content: bytes, polynomial: int, bits: int) -> bytes:
    crc = 0
    for byte in content:
        crc ^= byte << bits - 8
        for _bit in range(8):
            crc = (crc << 1 ^ polynomial if crc >> bits - 1 else crc << 1) & (1 << bits) - 1
    return crc.to_bytes(bits // 8, "big")


def flac(words: bytes = b"") -> bytes:
    """Return a FLAC with comments, a picture, a program's block and tags at both ends."""
    head = b"\xff\xf8\x69\x18\0\x0f"
    frame = head + _crc(head, 0x07, 8) + b"\2" + CODED
    frame += _crc(frame, 0x8005, 16)
    about = bytes([0, 16, 0, 16, 0, 0, 0, 0, 0, 0, 0x0A, 0xC4, 0x40, 0xF0, 0, 0, 0, 0x10]) + bytes(16)
    if not words:
        return b"fLaC\x80\0\0\x22" + about + frame
    blocks = [bytes([kind, 0, 0, len(words)]) + words for kind in (4, 6, 2, 1 | 0x80)]
    return _id3(words) + b"fLaC\0\0\0\x22" + about + b"".join(blocks) + frame + b"TAG" + words.ljust(125, b"\0")


def _page(flags: int, number: int, *packets: bytes, serial: int = 7) -> bytes:
    lacing = b"".join(b"\xff" * (len(packet) // 255) + bytes([len(packet) % 255]) for packet in packets)
    head = struct.pack("<4sBBqII", b"OggS", 0, flags, 0, serial, number)
    rest = bytes([len(lacing)]) + lacing + b"".join(packets)
    return head + _crc(head + bytes(4) + rest, 0x04C11DB7, 32)[::-1] + rest


def ogg(words: bytes = b"", codec: str = "opus", rest: bytes = b"") -> bytes:
    """Return Ogg with comments, in Opus, Vorbis or Theora, and with words also a stream that nobody hears.

    `rest` stands behind the packet that begins the stream.
    """
    spelled = struct.pack("<I", len(words)) + words
    comments = spelled + struct.pack("<I", 1 if words else 0) + (spelled if words else b"")
    headers = {
        "opus": (b"OpusHead\1\1" + bytes(9), b"OpusTags" + comments),
        "vorbis": (b"\1vorbis" + bytes(23), b"\3vorbis" + comments + b"\1", b"\5vorbis" + CODED),
        "theora": (b"\x80theora" + bytes(35), b"\x81theora" + comments, b"\x82theora" + CODED),
    }[codec]
    other = [_page(2, 0, b"fishead\0" + words, serial=9)] if words else []
    return b"".join([_page(2, 0, headers[0] + rest), *other, _page(0, 1, *headers[1:]), _page(4, 2, CODED, CODED)])


def element(name: int, *content: bytes) -> bytes:
    body = b"".join(content)
    size = (1 << 56 | len(body)).to_bytes(8, "big")
    return name.to_bytes((name.bit_length() + 7) // 8, "big") + size + body


def webm(words: bytes = b"") -> bytes:
    """Return a WebM with a title, names of programs and tracks, times, tags, chapters, a file and subtitles."""
    video = [
        element(0xD7, b"\1"),
        element(0x83, b"\1"),
        element(0x86, b"V_VP8"),
        element(0xE0, element(0xB0, b"\1")),
    ]
    info, tracks, blocks, others = [element(0x2AD7B1, b"\x0f\x42\x40")], [], [], []
    if words:
        info += [element(name, words) for name in (0x7BA9, 0x4D80, 0x5741, 0x4461)]
        video.append(element(0x536E, words))
        text = (element(0xD7, b"\2"), element(0x83, b"\x11"), element(0x86, b"S_TEXT/UTF8"), element(0x536E, words))
        tracks.append(element(0xAE, *text))
        blocks = [element(0xA3, b"\x82\0\0\0" + words), element(0xA0, element(0xA1, b"\x82\0\0\0" + words))]
        others = [element(name, words) for name in (0x1254C367, 0x1941A469, 0x1043A770, 0xEC)]
    coded = element(0xA3, b"\x81\0\0\x80" + CODED)
    segment = [element(0x1549A966, *info), element(0x1654AE6B, element(0xAE, *video), *tracks)]
    segment += [element(0x1F43B675, element(0xE7, b"\0"), *blocks, coded), *others]
    return element(0x1A45DFA3, element(0x4282, b"webm")) + element(0x18538067, *segment)


def box(name: bytes, *content: bytes) -> bytes:
    body = b"".join(content)
    return struct.pack(">I4s", len(body) + 8, name) + body


def mp4(words: bytes = b"", brand: bytes = b"isom") -> bytes:
    """Return an MP4 in H.264 with titles, a place, times, names of coders, XMP, and bytes that belong to no sample."""
    n, zero = len(words), bytes(4)
    seconds = words[:4].ljust(4, b"\0")
    said = b"\6\5" + bytes([16 + n]) + bytes(16) + words + b"\x80" if words else b""
    unit = b"\x65" + CODED
    sample = (struct.pack(">I", len(said)) + said if words else b"") + struct.pack(">I", len(unit)) + unit
    head = box(b"ftyp", brand, zero, b"isom")
    hidden = words
    start = len(head) + 8 + len(hidden)
    entry = (
        bytes(6)
        + b"\0\1"
        + words[:8].ljust(16, b"\0")
        + b"\0\1\0\1"
        + bytes(14)
        + words[:31].ljust(32, b"\0")
        + bytes(4)
    )
    codec = box(b"avc1", entry, box(b"avcC", b"\1\x64\0\x0a\xff\xe0\0"), *([box(b"abcd", words)] if words else []))
    table = box(
        b"stbl",
        box(b"stsd", zero, b"\0\0\0\1", codec),
        box(b"stts", zero, struct.pack(">III", 1, 1, 1)),
        box(b"stsc", zero, struct.pack(">IIII", 1, 1, 1, 1)),
        box(b"stsz", zero, struct.pack(">III", 0, 1, len(sample))),
        box(b"stco", zero, struct.pack(">II", 1, start)),
    )
    references = box(b"dinf", box(b"dref", zero, b"\0\0\0\1", box(b"url ", b"\0\0\0\1", words)))

    def track(number: int, handler: bytes, *inside: bytes) -> bytes:
        header = box(b"tkhd", zero, seconds, seconds, struct.pack(">I", number), bytes(68))
        named = box(b"hdlr", zero, seconds, handler, bytes(12), words)
        media = box(b"mdia", box(b"mdhd", zero, seconds, seconds, bytes(12)), named, box(b"minf", *inside, table))
        return box(b"trak", header, media, *([box(b"udta", box(b"name", words))] if words else []))

    parts = [box(b"mvhd", zero, seconds, seconds, bytes(88)), track(1, b"vide", references)]
    others = []
    if words:
        place = b"\xa9xyz" + struct.pack(">HH", n, 0) + words
        parts += (track(2, b"text"), box(b"udta", struct.pack(">I", len(place) + 4) + place), box(b"meta", words))
        others = [box(b"uuid", words), box(b"free", words)]
    return b"".join([head, box(b"mdat", hidden, sample), box(b"moov", *parts), *others])


def captions(words: bytes = b"") -> bytes:
    """Return captions with words wherever no browser shows them.

    In the header, a note, a style, the names of a cue, a region, a class and a voice, and in settings that are none.
    """
    plain = vtt("Hello", "there")
    if not words:
        return plain.encode()
    name = words.decode()
    blocks = f"WEBVTT - {name}\nX: {name}\n\nNOTE {name}\n\nSTYLE\n::cue {{ color: red }} /* {name} */\n\n"
    blocks += f"REGION\nid:{name} lines:3\nmade-by:{name}\n\n{name}\n"
    spoken = f"\n\n00:05.000 --> 00:06.000 region:{name} by:{name} align:start\n"
    spoken += f"<v.{name} {name}>Good <c.{name}>bye</c></v>\n"
    return (blocks + plain.removeprefix("WEBVTT\n\n").rstrip() + spoken).encode()


# By media type: a file of it that holds some words, and none where there are none.
FILES: Mapping[str, Callable[[bytes], bytes]] = {
    "image/png": lambda words: rich_png(words) if words else png(),
    "image/jpeg": rich_jpeg,
    "image/webp": rich_webp,
    "image/gif": gif,
    "audio/mpeg": mp3,
    "audio/aac": aac,
    "audio/wav": rich_wav,
    "audio/flac": flac,
    "audio/ogg": ogg,
    "video/ogg": lambda words: ogg(words, "theora"),
    "audio/mp4": lambda words: mp4(words, b"M4A "),
    "video/mp4": mp4,
    "video/webm": webm,
    "text/vtt": captions,
}


def bomb(side: int = 50_000) -> bytes:
    """Return the beginning of a PNG that would take gigabytes to decode."""
    head = b"IHDR" + struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    whole = png()
    return whole[:8] + struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head)) + whole[33:]
