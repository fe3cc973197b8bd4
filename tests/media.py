"""Small pictures and sounds, made by code, and showing them with the items of a study."""

import hashlib
import io
import struct
import wave
import zlib

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from tasks_app.models import ItemMedia, Media, Output, Study
from tasks_app.texts.plaintext import digest_of_files


def png(width: int = 4, height: int = 3, shade: int = 90) -> bytes:
    """Return a picture in greys that go from left to right."""

    def chunk(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    line = b"\x00" + bytes(shade + 100 * column // width for column in range(width))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(line * height)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def wav(seconds: float = 1.0, rate: int = 8_000) -> bytes:
    """Return a sound: a rising ramp, repeated, 8 bits."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(rate)
        sound.writeframes(bytes(number % 97 + 80 for number in range(int(seconds * rate))))
    return buffer.getvalue()


def stored(study: Study, content: bytes, kind: str) -> Media:
    """Store a file of a study."""
    sha256 = hashlib.sha256(content).hexdigest()
    name = default_storage.save(f"studies/{study.pk}/{sha256}", ContentFile(content))
    return Media.objects.create(study=study, sha256=sha256, kind=kind, bytes=len(content), file=name)


def show(study: Study, content: bytes, kind: str, *items: str) -> str:
    """Show a file with items of a study, all of them if none is named, and return its address within the study."""
    media = stored(study, content, kind)
    chosen = study.items.filter(key__in=items) if items else study.items.all()
    role = f"context_{kind.split('/', maxsplit=1)[0]}"
    order = 1 + ItemMedia.objects.filter(item__study=study, role=role).values("order").distinct().count()
    ItemMedia.objects.bulk_create(ItemMedia(item=item, role=role, order=order, media=media) for item in chosen)
    return media.sha256


def judge_sounds(study: Study) -> dict[int, tuple[str, str]]:
    """Put a sound with captions in the place of every output of a draft; return their hashes by the output."""
    hashes = {}
    for n, output in enumerate(Output.objects.filter(item__study=study), start=1):
        sound = stored(study, wav(n / 10), "audio/wav")
        words = stored(study, vtt(f"Sound {n}").encode(), "text/vtt")
        digest = digest_of_files(sound.sha256, words.sha256)
        Output.objects.filter(pk=output.pk).update(
            kind=Output.Kind.AUDIO, media=sound, captions=words, digest=digest, text=f"What sound {n} says"
        )
        hashes[output.pk] = (sound.sha256, words.sha256)
    return hashes


def vtt(*words: str) -> str:
    """Return captions of one second each, one after the other."""
    cues = [f"00:{n:02}.000 --> 00:{n + 1:02}.000\n{text}\n" for n, text in enumerate(words)]
    return "\n".join(["WEBVTT\n", *cues])
