"""Pictures, sounds and films: beside texts of one item and of several, and as outputs in the place of texts."""

import re
from dataclasses import replace
from random import Random

import pytest
from django.template.loader import render_to_string
from django.utils.html import escape

from tasks_app.task_types import registry
from tasks_app.task_types.base import Media, Quality, Screen, described
from tasks_app.task_types.likert import Likert
from tasks_app.task_types.magnitude import Magnitude
from tasks_app.task_types.samples import sample_kind, sample_screen

SKY = Media("image", "5" * 64, "image/png", "A grey sky")


@pytest.mark.parametrize("name", sorted(name for name, member in registry.items() if member.needs_items))
def test_every_type_that_shows_texts_shows_the_media_of_their_item(name: str) -> None:
    screen = replace(sample_screen(sample_kind(registry[name])), media=(SKY,))
    context = {"screen": screen, "form": screen.kind.form(screen), "media_base": "/m/"}
    page = render_to_string(f"task_types/{name}.html", context)
    assert page.count(f'src="/m/{SKY.name}" alt="A grey sky"') == 1


@pytest.mark.parametrize(("name", "params"), [("triangle", {"variant": "three"}), ("best_worst", {"of": "all"})])
def test_texts_of_several_items_have_their_own_media_beside_them(name: str, params: dict[str, str]) -> None:
    screen = sample_screen(sample_kind(registry[name], params))
    skies = [replace(SKY, name=f"{number}" * 64, description=f"Sky {number}") for number in range(len(screen.parts))]
    parts = tuple(replace(part, media=(sky,)) for part, sky in zip(screen.parts, skies, strict=True))
    screen = replace(screen, parts=parts)
    context = {"screen": screen, "form": screen.kind.form(screen), "media_base": "/m/"}
    page = render_to_string(f"task_types/{name}.html", context)
    assert page.count("<img") == len(screen.shown_parts)
    end = 0
    for shown in screen.shown_parts:
        picture = page.index(f'src="/m/{shown.part.media[0].name}" alt="Sky {shown.part.number}"')
        assert f"Picture {shown.letter}" in headings(page)
        assert f'data-zoom="image-{shown.letter}-1"' in page
        assert end < picture < page.index(shown.part.text, picture), "above its own text, below the one before"
        end = page.index(shown.part.text, picture)


def with_files(screen: Screen, kind: str, mime: str, captions: str = "") -> Screen:
    """Put a file in the place of every text, each with words of its own."""
    files = [Media(kind, f"{part.number}" * 64, mime, captions=captions) for part in screen.parts]
    parts = (replace(part, file=file) for part, file in zip(screen.parts, files, strict=True))
    return replace(screen, parts=tuple(parts))


def page_of(screen: Screen) -> str:
    """Return the unit as a page has it."""
    context = {"screen": screen, "form": screen.kind.form(screen), "media_base": "/m/"}
    return render_to_string(screen.kind.template_name, context)


JUDGES_FILES = sorted(name for name, member in registry.items() if member.judges_files)


def headings(page: str) -> list[str]:
    """Return the headings of a page, in their order, as a screen reader lists them."""
    silent = re.sub(r'<(\w+)[^>]*aria-hidden="true"[^>]*>[^<]*</\1>', "", page)
    inner = re.findall(r"<(h[2-6])[^>]*>(.*?)</\1>", silent, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", "", words).split()) for _level, words in inner]


def test_types_that_work_on_words_do_not_judge_files() -> None:
    assert {*registry} - {*JUDGES_FILES} == {
        "error_labels", "error_spans", "post_edit", "predictions", "questionnaire",
    }  # fmt: skip


@pytest.mark.parametrize("name", JUDGES_FILES)
def test_every_type_that_judges_files_shows_them_and_calls_none_a_text(name: str) -> None:
    screen = with_files(sample_screen(sample_kind(registry[name])), "image", "image/png")
    page = page_of(screen)
    shown_parts = screen.kind.form(screen).screen.shown_parts
    for shown in shown_parts:
        heading = shown.name if len(shown_parts) > 1 else "Picture"
        assert heading in headings(page)
        assert page.count(f'src="/m/{shown.part.file.name}" alt="{escape(shown.part.text)}"') == sum(
            other.part == shown.part for other in shown_parts
        )
    words = re.sub(r'<template.*?</template>|<[^>]*?(aria-label="[^"]*")?[^>]*?>', r" \1 ", page, flags=re.DOTALL)
    assert "Text " not in words
    posted = screen.kind.simulate(screen, Quality.CAREFUL, Random(1))
    assert screen.kind.form(screen, posted).is_valid()
    refused = screen.kind.form(screen, {})
    assert "ext A" not in str(refused.errors)


@pytest.mark.parametrize(
    ("kind", "mime", "heading"), [("audio", "audio/wav", "Recording"), ("video", "video/webm", "Film")]
)
def test_sounds_and_films_have_captions_and_words_on_demand(kind: str, mime: str, heading: str) -> None:
    sample = sample_screen(Likert({}))
    page = page_of(with_files(sample, kind, mime))
    assert f'<{kind} class="media-player" src="/m/{"0" * 64}" controls preload="metadata"' in page
    assert f'aria-label="{heading}" data-media="output-A"' in page
    assert '<details class="disclosure"><summary>In words</summary>' in page
    assert "<track" not in page
    page = page_of(with_files(sample, kind, mime, captions="c" * 64))
    assert "<video" in page, "only the player of films shows captions"
    assert f'<track kind="captions" src="/m/{"c" * 64}" srclang="en" label="Captions" default>' in page


def test_a_picture_that_was_changed_is_told_from_its_source() -> None:
    page = page_of(with_files(replace(sample_screen(Likert({})), media=(SKY,)), "image", "image/png"))
    assert headings(page)[:3] == ["Source picture", "Source", "Picture"]


def test_the_reference_of_ratios_is_a_file_as_well() -> None:
    kind = Magnitude({"reference_system": "0"})
    page = page_of(with_files(sample_screen(kind), "audio", "audio/wav"))
    assert headings(page)[:2] == ["Source", "Reference, worth 100"]


@pytest.mark.parametrize(
    ("alt", "expected"),
    [
        ("A house", ["A house", ""]),
        (["A house", "A bark"], ["A house", "A bark"]),
        (["A house", 3, "more"], ["A house", ""]),
        (None, ["", ""]),
        ({"a": 1}, ["", ""]),
    ],
)
def test_descriptions_are_those_of_the_media_in_the_order_they_are_shown(alt: object, expected: list[str]) -> None:
    media = described([Media("audio", "b"), Media("image", "a")], {"alt": alt})
    assert [one.kind for one in media] == ["image", "audio"]
    assert [one.description for one in media] == expected
