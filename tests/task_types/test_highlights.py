"""Highlights: what cells may say, what is refused, and texts as nested pieces."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.template.loader import render_to_string
from hypothesis import given
from hypothesis import strategies as st

from tasks_app.task_types import registry
from tasks_app.task_types.base import ItemTexts, OutputText
from tasks_app.task_types.graphemes import inside
from tasks_app.task_types.highlights import BadHighlights, Chains, Highlight, Node, nested, read, stored, written
from tasks_app.task_types.samples import sample_kind, sample_screen

TEXT = "She sat on the bank, not in the bank 👩🏽‍🚀."


def test_positions_lists_and_words_say_the_same() -> None:
    spans = (Highlight(0, 3), Highlight(15, 19))
    assert read("0:3;15:19", TEXT) == read("15:19 ; 0:3", TEXT) == read([[15, 19], [0, 3]], TEXT) == spans
    assert read("sat", TEXT) == (Highlight(4, 7),)
    assert read("👩🏽‍🚀", TEXT) == (Highlight(37, 41),)
    mentions = (Highlight(0, 19, "1"), Highlight(0, 3, "b"))
    assert read("0:3=b;0:19=1", TEXT) == read([[0, 3, "b"], [0, 19, 1]], TEXT) == mentions
    assert stored([one.as_list() for one in mentions]) == mentions


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("bank", "“bank” occurs 2 times in the text. Write which one is meant, such as 15:19."),
        ("river", "“river” does not occur in the text."),
        ("4:99", "4:99 ends outside the text, which has 42 characters."),
        ("7:7", "7:7 is empty: a highlight ends after it starts."),
        ([[7, 4]], "7:4 is empty"),
        ([[-1, 4]], "-1:4 is empty"),
        ("38:41", "38:41 starts or ends within a character"),
        ("0:7;4:9", "0:7 and 4:9 overlap. Only mentions of chains may"),
        ("0:7=1;0:7=1", "0:7=1 is given twice. Remove one of the two."),
        ("0:7=a b", "does not occur in the text"),
        ([[0, 7, "a/b"]], "Name a chain by letters, digits, dots, hyphens and underscores, at most 40; this is “a/b”."),
        ([[0]], "Each highlight is [start, end] or [start, end, chain], such as [4, 9, 1]; this is [0]."),
        ([[0, True]], "Each highlight is"),
        ([[0, 1.5]], "Each highlight is"),
        ([4, 9], "Each highlight is"),
        ([[0, 3, str(n)] for n in range(501)], "There are 501 highlights; a text may have 500."),
    ],
)
def test_what_does_not_fit_is_refused(given: object, words: str) -> None:
    with pytest.raises(BadHighlights) as refused:
        read(given, TEXT)
    assert words in str(refused.value)


def flat(nodes: tuple[Node, ...]) -> Iterator[Node]:
    """Yield all pieces, outer ones first."""
    for node in nodes:
        yield node
        yield from flat(node.inner)


def test_nested_mentions_lie_within_one_another() -> None:
    (outer, rest) = nested("his dog barks", read("0:3=1;0:7=2", "his dog barks"))
    assert (outer.highlight, outer.depth, rest.words) == (Highlight(0, 7, "2"), 2, " barks")
    assert [node.words for node in flat(outer.inner)] == ["", "his", " dog"]


def test_mentions_that_cross_are_cut_and_say_where_they_begin_and_end() -> None:
    first, second = nested("abcdef", (Highlight(0, 4, "1"), Highlight(2, 6, "2")))
    (_words, inner) = first.inner
    assert (first.begins, first.ends, inner.begins, inner.ends) == (True, True, True, False)
    assert (second.highlight, second.begins, second.ends) == (inner.highlight, False, True)


@given(
    st.text(min_size=1, max_size=30),
    st.lists(st.tuples(st.integers(0, 29), st.integers(1, 30), st.sampled_from("123")), max_size=8),
)
def test_pieces_make_up_the_text(text: str, spans: list[tuple[int, int, str]]) -> None:
    cuts = inside(text)
    wanted = {(a, b, c) for a, b, c in spans if a < b <= len(text) and a not in cuts and b not in cuts}
    highlights = read([list(span) for span in wanted], text)
    nodes = list(flat(nested(text, highlights)))
    assert "".join(node.words for node in nodes) == text
    for one in highlights:
        pieces = [node for node in nodes if node.highlight == one]
        assert "".join(inner.words for node in pieces for inner in flat((node,))) == text[one.start : one.end]
        assert [node.begins for node in pieces] == [True] + [False] * (len(pieces) - 1)
        assert [node.ends for node in pieces] == [False] * (len(pieces) - 1) + [True]
    assert read(written(highlights), text) == highlights if highlights else True


def test_chains_are_numbered_by_their_first_mentions() -> None:
    texts = [(Highlight(0, 1, "x"), Highlight(2, 3)), (Highlight(0, 1, "a"), Highlight(1, 2, "x"))]
    assert Chains.of(texts).numbers == {"x": 1, "a": 2}


def test_one_text_with_two_annotations_is_two_texts() -> None:
    annotations = [(Highlight(0, 1, "1"),), (Highlight(0, 1, "2"),), (Highlight(0, 1, "1"),)]
    outputs = [OutputText(str(n), "", "Same", "", marked) for n, marked in enumerate(annotations)]
    assert ItemTexts.collapsed("i", outputs).groups == ((0, 2), (1,))


@pytest.mark.parametrize("name", [name for name, member in registry.items() if member.needs_items])
def test_every_type_shows_highlights_of_source_and_texts(name: str) -> None:
    screen = sample_screen(sample_kind(registry[name]))
    parts = tuple(replace(part, highlights=(Highlight(0, 1),)) for part in screen.parts)
    marked = {"source": (Highlight(0, 2),), "reference": (Highlight(0, 2),)}
    screen = replace(screen, parts=parts, highlights=marked, reference="An example.")
    page = render_to_string(screen.kind.template_name, {"screen": screen, "form": screen.kind.form(screen, None)})
    assert page.count('<mark class="highlight">') >= len(parts)


def test_nothing_of_a_text_becomes_html_and_names_of_chains_stay_away() -> None:
    screen = sample_screen(sample_kind(registry["likert"]))
    part = replace(screen.parts[0], text="<b>a</b> & c", highlights=(Highlight(0, 4, "goldstandard"), Highlight(4, 8)))
    screen = replace(screen, parts=(part,))
    page = render_to_string(screen.kind.template_name, {"screen": screen, "form": screen.kind.form(screen, None)})
    assert "&lt;b&gt;a" in page
    assert "<b>a" not in page
    assert "goldstandard" not in page
    assert 'data-chain="1" data-begins data-ends' in page
