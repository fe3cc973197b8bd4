"""Cleaning, format by format: no word is left, and what is seen and heard stays as it was."""

import io
import random
from collections.abc import Callable
from contextlib import suppress

import pytest
from PIL import Image, ImageChops, ImageOps, ImageSequence, ImageStat

from tasks_app.studyfile.files.media import sniff
from tasks_app.uploads.cleaning import CannotClean, Finding, Reason, clean
from tasks_app.uploads.cleaning.formats import WALKERS
from tests import media_files
from tests.media_files import CODED, FILES
from tests.media_places import PLACES, pixels

WORDS = b"SYSTEM-gpt-4"
PICTURES = sorted(kind for kind in FILES if kind.startswith("image/"))


def opened(content: bytes) -> Image.Image:
    return Image.open(io.BytesIO(content))


def held(content: bytes) -> bool:
    """Return whether a file holds the words, in one byte a letter or in two."""
    return WORDS[:4] in content or WORDS[:4].decode().encode("utf-16-be") in content


def test_each_kind_of_file_has_a_walker_and_an_example_here() -> None:
    assert WALKERS.keys() == FILES.keys()
    for kind, made in FILES.items():
        assert sniff(made(WORDS)) == sniff(made(b"")) == kind


@pytest.mark.parametrize("kind", sorted(FILES))
def test_no_word_is_left_and_what_is_coded_stays(kind: str) -> None:
    before = FILES[kind](WORDS)
    assert held(before)
    # Whatever follows captions is captions.
    trailing = b"" if kind == "text/vtt" else b"PK\3\4 <html>" + WORDS
    cleaned = clean(before + trailing, kind)
    assert not held(cleaned.content)
    assert sniff(cleaned.content) == kind
    assert Finding.TEXT in cleaned.findings
    assert clean(cleaned.content, kind).content == cleaned.content
    if CODED in before:
        assert cleaned.content.count(CODED) == before.count(CODED)
    elif kind in PICTURES:
        assert opened(cleaned.content).tobytes() == opened(before).tobytes()
    without = FILES[kind](b"")
    assert clean(without, kind).content == without
    assert clean(without, kind).findings == ()


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("REGION\nid:mine width:40% x:1\n\n", "REGION\nid:1 width:40%\n\n"),
        ("STYLE\n::cue(#one) { color: red }\n\none\n", "STYLE\n::cue(#one) { color: red }\n\none\n"),
    ],
)
def test_what_browsers_read_of_captions_stays(written: str, kept: str) -> None:
    """Settings stay as they are, but regions are numbered; names stay where a style asks for them."""
    times = "00:01.000 --> 00:02.500 line:-2,end position:10.5%,line-left size:80% align:left vertical:rl"
    words = "<lang de>Guten <b>Tag</b></lang> <00:01.500>um 3 < 4 & 5"
    before, after = (f"WEBVTT\n\n{block}{times}\n{words}\n" for block in (written, kept))
    assert clean(before.encode(), "text/vtt").content.decode() == after


@pytest.mark.parametrize("kind", sorted(FILES))
def test_damaged_files_are_refused_or_cleaned_and_raise_nothing_else(kind: str) -> None:
    whole, rng = FILES[kind](WORDS), random.Random(30)
    for _example in range(60):
        damaged = bytearray(whole[: rng.randrange(1, len(whole) + 1)])
        for _byte in range(rng.randrange(4)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        with suppress(CannotClean):
            clean(bytes(damaged), kind)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("form", ["PNG", "palette", "JPEG", "grey JPEG", "WebP", "lossless WebP"])
def test_a_picture_is_turned_as_its_exif_data_say(form: str, orientation: int) -> None:
    forms: dict[str, Callable[[], tuple[bytes, str]]] = {
        "PNG": lambda: (media_files.rich_png(WORDS, orientation), "image/png"),
        "palette": lambda: (media_files.rich_png(WORDS, orientation, "P"), "image/png"),
        "JPEG": lambda: (media_files.rich_jpeg(WORDS, orientation), "image/jpeg"),
        "grey JPEG": lambda: (media_files.rich_jpeg(WORDS, orientation, "L"), "image/jpeg"),
        "WebP": lambda: (media_files.rich_webp(WORDS, orientation), "image/webp"),
        "lossless WebP": lambda: (media_files.rich_webp(WORDS, orientation, lossless=True), "image/webp"),
    }
    before, kind = forms[form]()
    cleaned = clean(before, kind)
    assert not held(cleaned.content)
    seen, wanted = opened(cleaned.content), ImageOps.exif_transpose(opened(before))
    assert not seen.getexif()
    assert (seen.size, seen.mode) == (wanted.size, wanted.mode)
    difference = ImageChops.difference(seen.convert("RGBA"), wanted.convert("RGBA"))
    mean = max(ImageStat.Stat(difference).mean)
    # A JPEG is coded again with the same tables; the edges of this picture are sharp. Turned wrongly, the mean is 33.
    assert mean <= (5 if kind == "image/jpeg" and orientation > 1 else 0)
    turned = {Finding.TURNED, Finding.ENCODED}.intersection(cleaned.findings)
    assert turned == (set() if orientation == 1 else {Finding.ENCODED if kind == "image/jpeg" else Finding.TURNED})
    assert {Finding.PLACE, Finding.CAMERA} <= set(cleaned.findings)


@pytest.mark.parametrize("kind", ["image/png", "image/jpeg", "image/webp"])
def test_a_colour_profile_stays_without_its_words(kind: str) -> None:
    before = FILES[kind](WORDS)
    profile, cleaned = (opened(content).info["icc_profile"] for content in (before, clean(before, kind).content))
    assert held(profile)
    assert not held(cleaned)
    assert len(cleaned) == len(profile)
    # What the numbers mean is the same: the white point, the primaries and the curves.
    for tag in (b"wtpt", b"rXYZ", b"gXYZ", b"bXYZ", b"rTRC"):
        place = profile.index(tag) + 4
        start, size = (int.from_bytes(profile[at : at + 4], "big") for at in (place, place + 4))
        assert cleaned[start : start + size] == profile[start : start + size]


@pytest.mark.parametrize("form", ["PNG", "WEBP", "GIF"])
def test_an_animation_keeps_frames_times_and_how_often(form: str) -> None:
    before = media_files.animation(form, WORDS)
    after = clean(before, f"image/{form.lower()}").content
    assert not held(after)
    frames = [
        [(frame.info.get("duration"), frame.info.get("loop"), frame.convert("RGBA").tobytes()) for frame in frames]
        for frames in (ImageSequence.Iterator(opened(content)) for content in (before, after))
    ]
    assert frames[0] == frames[1]
    assert len(frames[0]) == 3


@pytest.mark.parametrize("codec", ["opus", "vorbis", "theora"])
def test_ogg_keeps_its_packets_in_pages_with_right_numbers_and_sums(codec: str) -> None:
    assert clean(media_files.ogg(WORDS, codec), "audio/ogg").content == media_files.ogg(b"", codec)


def test_a_picture_of_too_many_pixels_is_refused_by_its_head() -> None:
    with pytest.raises(CannotClean) as refusal:
        clean(media_files.bomb(), "image/png")
    assert refusal.value.reason == Reason.LARGE


@pytest.mark.parametrize("kind", sorted(PLACES))
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_words_at_any_place_that_no_decoder_needs_are_removed(kind: str) -> None:
    """Refusing such a file would be safe as well, but none here is damaged: browsers show all of them."""
    wrong, n_places = [], 0
    for place, before, without in PLACES[kind](WORDS):
        n_places += 1
        assert held(before), place
        try:
            after = clean(before, kind).content
        except CannotClean:
            wrong.append(f"{place}: refused")
            continue
        if held(after):
            wrong.append(f"{place}: still holds the words")
        elif clean(after, kind).content != after or sniff(after) != sniff(without):
            wrong.append(f"{place}: is not clean afterwards")
        elif kind in PICTURES and pixels(after) != pixels(without):
            wrong.append(f"{place}: shows something else")
        elif after.count(CODED) != without.count(CODED):
            wrong.append(f"{place}: lost what is coded")
    assert not wrong, f"{len(wrong)} of {n_places}: {wrong}"
