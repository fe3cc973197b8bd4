"""Pictures, sounds and films beside texts: on screens with texts of one item, and of several."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.template.loader import render_to_string

from tasks_app.task_types import registry
from tasks_app.task_types.base import Media, described
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
        assert f'aria-label="Picture {shown.letter}"' in page
        assert f'data-zoom="image-{shown.letter}-1"' in page
        assert end < picture < page.index(shown.part.text, picture), "above its own text, below the one before"
        end = page.index(shown.part.text, picture)


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
