"""Small pictures and sounds, made by code, and showing them with the items of a study."""

import hashlib
import io
import struct
import wave
import zlib

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from tasks_app.models import ItemMedia, Media, Study


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


def show(study: Study, content: bytes, kind: str, *items: str) -> str:
    """Show a file with items of a study, all of them if none is named, and return its address within the study."""
    sha256 = hashlib.sha256(content).hexdigest()
    name = default_storage.save(f"studies/{study.pk}/{sha256}", ContentFile(content))
    media = Media.objects.create(study=study, sha256=sha256, kind=kind, bytes=len(content), file=name)
    chosen = study.items.filter(key__in=items) if items else study.items.all()
    role = f"context_{kind.split('/', maxsplit=1)[0]}"
    ItemMedia.objects.bulk_create(ItemMedia(item=item, role=role, media=media) for item in chosen)
    return sha256
