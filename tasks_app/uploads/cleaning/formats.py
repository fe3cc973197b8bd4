"""The walker of each media type."""

from collections.abc import Callable, Mapping

from tasks_app.uploads.cleaning import flac, gif, jpeg, mp4, mpeg, ogg, png, wav, webm, webp, webvtt
from tasks_app.uploads.cleaning.findings import Finding

Walker = Callable[[bytes, set[Finding]], bytes]

WALKERS: Mapping[str, Walker] = {
    "image/png": png.clean,
    "image/jpeg": jpeg.clean,
    "image/webp": webp.clean,
    "image/gif": gif.clean,
    "audio/mpeg": mpeg.clean_mp3,
    "audio/aac": mpeg.clean_aac,
    "audio/wav": wav.clean,
    "audio/flac": flac.clean,
    "audio/ogg": ogg.clean,
    "video/ogg": ogg.clean,
    "audio/mp4": mp4.clean,
    "video/mp4": mp4.clean,
    "video/webm": webm.clean,
    "text/vtt": webvtt.clean,
}
