"""Post-editing."""

from random import Random

import pytest

from tasks_app.task_types.base import GoldAnswer, ItemTexts, OutputText, Part, Quality, Screen
from tasks_app.task_types.post_edit import PostEdit
from tasks_app.task_types.post_edit.changes import changes, changes_in_words
from tasks_app.task_types.simulation import latent_quality
from tests.task_types.kit import feedback_on, form_of, grades, ratings_of, simulated

FIRST, SECOND = "The cat sat on the mat.", "A cat was sitting on a mat."


def screen(*parts: Part, order: tuple[int, ...] = (), **params: object) -> Screen:
    """A screen with two suggestions, or those given."""
    texts = parts or (Part(0, FIRST), Part(1, SECOND))
    given = PostEdit({"suggestions": len(texts), **params})
    arrangement = {"parts": order or tuple(range(len(texts)))}
    return Screen(given, texts, given.brings(), source="Die Katze …", arrangement=arrangement)


ONE = Part(0, FIRST)


def item(*texts: str, systems: str = "abcdef") -> ItemTexts:
    """An item with an output by each of some systems."""
    outputs = [
        OutputText(system, str(number), text) for number, (system, text) in enumerate(zip(systems, texts, strict=False))
    ]
    return ItemTexts.collapsed("i", outputs)


@pytest.mark.parametrize(
    ("texts", "systems", "suggestions", "parts"),
    [
        ("xyz", "abc", 2, [((0,), (1,)), ((0,), (2,)), ((1,), (2,))]),
        ("xyx", "abc", 2, [((0, 2), (1,))]),
        ("xx", "ab", 2, []),
        ("xyz", "aab", 2, [((0,), (2,)), ((1,), (2,))]),
        ("xyx", "aab", 2, []),
        ("xyx", "abc", 1, [((0, 2),), ((1,),)]),
    ],
)
def test_every_two_different_texts_by_different_systems_are_a_unit(
    texts: str, systems: str, suggestions: int, parts: list[tuple[tuple[int, ...], ...]]
) -> None:
    kind = PostEdit({"suggestions": suggestions})
    units = list(kind.units([item(*texts, systems=systems)], Random(1)))
    assert [unit.parts for unit in units] == parts
    assert len({unit.key for unit in units}) == len(units)


def test_each_suggestion_is_on_each_side_equally_often() -> None:
    stream = PostEdit().arrange(2, Random(2))
    first = 0
    for number in range(1, 30):
        first += next(stream)["parts"] == [0, 1]
        assert abs(2 * first - number) <= 1


@pytest.mark.parametrize(
    ("texts", "params", "words"),
    [
        (("x", "y"), {}, None),
        (("x",), {}, "two outputs"),
        (("x",), {"suggestions": 1}, None),
        (("x" * 11, "y"), {"max_characters": 10}, "11 characters"),
        (("x" * 9 + "\r\n", "y"), {"max_characters": 10}, None),
    ],
)
def test_items_that_cannot_be_edited_are_refused(
    texts: tuple[str, ...], params: dict[str, object], words: str | None
) -> None:
    said = list(PostEdit(params).item_problems(item(*texts)))
    assert len(said) == (words is not None)
    assert all(words is not None and words in sentence for sentence in said)


def test_the_choice_and_the_edited_text_are_of_canonical_parts() -> None:
    shown = screen(order=(1, 0))
    posted = {"choice": "1", "p1-text": "A cat sat.", "p2-text": FIRST, "keystrokes": "12", "seconds": "8.4"}
    form = form_of(shown, posted)
    assert form.is_valid(), form.errors
    assert form.cleaned_data["p2-text"] == ""
    values = list(ratings_of(shown, form.cleaned_data))
    said = [(one.outcome, one.criterion, one.part, one.label or one.text or one.value) for one in values]
    assert said == [
        ("choice", "choice", 1, "chosen"),
        ("choice", "choice", 0, "not chosen"),
        ("edited-text", "edited-text", 1, "A cat sat."),
        ("keystrokes", "keystrokes", 1, 12.0),
        ("edit-seconds", "edit-seconds", 1, 8.4),
    ]
    assert [one.shown_value for one in values[:2]] == [1.0, 2.0]
    assert all(shown.kind.outcome_of(one) is not None for one in shown.criteria)


def test_without_a_script_nothing_was_counted() -> None:
    shown = screen(ONE)
    form = form_of(shown, {"p1-text": "Changed.", "keystrokes": "", "seconds": ""})
    assert form.is_valid()
    assert [one.outcome for one in ratings_of(shown, form.cleaned_data)] == ["edited-text"]


def test_zero_keys_are_an_answer() -> None:
    shown = screen(ONE)
    form = form_of(shown, {"p1-text": FIRST, "unchanged": "on", "keystrokes": "0", "seconds": "-0.0"})
    assert form.is_valid()
    assert [str(one.value) for one in ratings_of(shown, form.cleaned_data)] == ["None", "0.0", "0.0"]


def test_white_space_is_kept_and_line_ends_are_one_character() -> None:
    shown = screen(ONE, max_characters=20)
    typed = "  a\r\nb\t \rc\n"
    form = form_of(shown, {"p1-text": typed})
    assert form.is_valid(), form.errors
    assert form.cleaned_data["p1-text"] == "  a\nb\t \nc\n"
    assert form_of(shown, {"p1-text": "\r\n" * 9 + "ab"}).is_valid()


def test_a_text_that_differs_from_its_suggestion_in_line_ends_only_is_untouched() -> None:
    shown = screen(Part(0, "one\r\ntwo"))
    assert not form_of(shown, {"p1-text": "one\r\ntwo"}).is_valid()
    assert form_of(shown, {"p1-text": "one\r\ntwo", "unchanged": "on"}).is_valid()


@pytest.mark.parametrize(
    ("posted", "field", "words"),
    [
        ({"p1-text": "New."}, "choice", "Choose the suggestion"),
        ({"choice": "3", "p1-text": "New."}, "choice", "Choose one of"),
        ({"choice": "north"}, "choice", "Choose one of"),
        ({"choice": "1", "p1-text": FIRST}, "p1-text", "tick “It needs no change”"),
        ({"choice": "2", "p1-text": "New.", "p2-text": SECOND}, "p2-text", "tick “It needs no change”"),
        ({"choice": "1", "p1-text": " \n"}, "p1-text", "The text is empty"),
        ({"choice": "1", "p1-text": "New.", "unchanged": "on"}, "unchanged", "the text is changed"),
        ({"choice": "1", "p1-text": "x" * 101}, "p1-text", "more than 100 characters"),
        ({"choice": "1", "p1-text": "x" * 1_000_000}, "p1-text", "more than 100 characters"),
        ({"choice": "1", "p1-text": "a\x00b"}, "p1-text", "Null"),
        ({"choice": "1", "p1-text": "a\ud800b"}, "p1-text", "lone surrogate"),
        ({"choice": "1", "p1-text": "New.", "keystrokes": "-1"}, "__all__", "Reload"),
        ({"choice": "1", "p1-text": "New.", "keystrokes": "1.5"}, "__all__", "Reload"),
        ({"choice": "1", "p1-text": "New.", "keystrokes": "9" * 5000}, "__all__", "Reload"),
        ({"choice": "1", "p1-text": "New.", "seconds": "NaN"}, "__all__", "Reload"),
        ({"choice": "1", "p1-text": "New.", "seconds": "1e9"}, "__all__", "Reload"),
    ],
)
def test_what_is_wrong_is_said_where_it_is(posted: dict[str, str], field: str, words: str) -> None:
    form = form_of(screen(max_characters=100), posted)
    assert not form.is_valid()
    assert words in " ".join(map(str, form.errors[field]))


def test_what_nobody_chose_is_not_checked() -> None:
    form = form_of(screen(max_characters=100), {"choice": "1", "p1-text": "New.", "p2-text": "x" * 101})
    assert form.is_valid()


def test_areas_start_with_the_suggestion_or_with_what_the_text_carries() -> None:
    carried = Part(0, FIRST, prefill=({"text": "The cat sat."},))
    (area,) = form_of(screen(carried)).areas()
    assert (area.text, area.start, area.has_other_start) == ("The cat sat.", "The cat sat.", True)
    assert form_of(screen(carried), {"p1-text": FIRST}).is_valid()
    assert not form_of(screen(carried), {"p1-text": "The cat sat."}).is_valid()


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        ({"text": "Start."}, None),
        ({"text": ""}, "written as"),
        ({"text": 3}, "written as"),
        ({"text": "a", "more": 1}, "written as"),
        ("Start.", "written as"),
        ([{"text": "a"}], "written as"),
        ({"text": "x" * 101}, "101 characters"),
        ({"text": "a\x00"}, "NUL"),
    ],
)
def test_what_a_text_may_carry(payload: object, words: str | None) -> None:
    said = PostEdit({"max_characters": 100}).prefill_problem(payload, FIRST)
    assert (said is None) if words is None else (said is not None and words in said)


def test_a_stored_answer_and_a_draft_fill_the_form_again() -> None:
    shown = screen(order=(1, 0))
    form = form_of(shown, {"choice": "2", "p1-text": SECOND, "p2-text": "The cat.", "keystrokes": "3"})
    assert form.is_valid()
    areas = form_of(shown, initial=form.cleaned_data).areas()
    assert [(area.text, area.is_chosen) for area in areas] == [(SECOND, False), ("The cat.", True)]
    draft = form_of(shown, initial={"p1-text": "Half"})
    assert [(area.text, area.is_chosen) for area in draft.areas()] == [("Half", False), (FIRST, False)]


def test_two_answers_are_told_apart_by_their_changes() -> None:
    field = form_of(screen(ONE)).fields["p1-text"]
    assert field.in_words("The black cat sat on a mat") == (
        "The black cat sat on a mat\n\n(+ “black”; “the” → “a”; − “.”)"
    )
    assert field.in_words(FIRST).endswith("(no changes)")


def test_changes_add_up_to_both_texts_and_stay_fast() -> None:
    assert changes("a b c", "a x c") == [("b", "x")]
    assert changes("same", "same") == []
    assert changes("", "new") == [("", "new")]
    words = " ".join(f"w{number}" for number in range(5000))
    assert changes(words, words + " more") == [("", " more")]
    assert changes("a " * 5000, "b " * 5000) == [("a " * 4999 + "a", "b " * 4999 + "b")]
    assert changes_in_words("a " * 30, "b " * 30).endswith("…")


def test_known_answers() -> None:
    shown = screen(order=(1, 0))
    form = form_of(shown, {"choice": "1", "p1-text": "A cat  sat.\n"})
    assert form.is_valid()
    gold = [
        GoldAnswer("order", [2, 1]),
        GoldAnswer("order", [1, 2], "choice"),
        GoldAnswer("exact", "A cat sat.", "edited-text"),
        GoldAnswer("set", ["The cat sat.", "A cat was sitting."], "edited-text"),
        GoldAnswer("exact", "chosen", "choice", part=1),
    ]
    graded = grades(shown, form.cleaned_data, gold)
    assert [one.passed for one in graded] == [True, False, True, False, True]
    assert len(feedback_on(shown, form.cleaned_data, gold)) == 5


@pytest.mark.parametrize(
    "gold",
    [
        GoldAnswer("order", [1, 1]),
        GoldAnswer("order", [2]),
        GoldAnswer("order", [1, 2], "edited-text"),
        GoldAnswer("exact", "chosen"),
        GoldAnswer("exact", "chosen", "choice"),
        GoldAnswer("span", [0, 3], "edited-text"),
    ],
)
def test_known_answers_that_nobody_could_meet_are_refused(gold: GoldAnswer) -> None:
    shown = screen()
    form = form_of(shown, {"choice": "1", "p1-text": "A cat sat."})
    assert form.is_valid()
    with pytest.raises(ValueError, match=r"order|span"):
        grades(shown, form.cleaned_data, [gold])


@pytest.mark.parametrize(
    ("key", "value", "fine"),
    [
        ("keystrokes", 12.0, True),
        ("keystrokes", 1.5, False),
        ("keystrokes", -1.0, False),
        ("edit-seconds", 1.5, True),
        ("edit-seconds", -0.1, False),
        ("edit-seconds", 1e9, False),
    ],
)
def test_imported_counts_are_within_reason(key: str, value: float, fine: bool) -> None:
    kind = PostEdit()
    criterion = next(one for one in kind.brings() if one.key == key)
    assert (kind.problem_in_value(value, criterion) is None) is fine


def test_the_choice_is_asked_for_where_there_are_two() -> None:
    assert [one.key for one in PostEdit({"suggestions": 1}).brings()] == [
        "edited-text",
        "keystrokes",
        "edit-seconds",
    ]
    asked = {one.key: PostEdit().heds(one) for one in PostEdit().brings()}
    assert asked["choice"]["4.3.8"] == "relative quality estimation"
    assert asked["edited-text"]["4.3.8"] == "post-editing or annotation"


def _better_chosen(quality: Quality) -> float:
    """How often a simulated rater chooses the better of two texts."""
    rng = Random(6)
    right = 0
    for number in range(200):
        shown = screen(Part(0, f"one of {number}"), Part(1, f"two of {number}"))
        answer = simulated(shown, quality, rng)
        assert form_of(shown, answer).is_valid()
        better = max(shown.parts, key=lambda part: latent_quality(part.text, "choice"))
        right += int(answer["choice"]) == better.number + 1
    return right / 200


def test_simulated_raters_differ_in_quality() -> None:
    careful, sloppy, random = map(_better_chosen, (Quality.CAREFUL, Quality.SLOPPY, Quality.RANDOM))
    assert careful > sloppy + 0.1
    assert sloppy > random + 0.05


def test_simulated_raters_edit_worse_texts_more_and_a_straight_liner_nothing() -> None:
    texts = [f"{number} one two three four five six seven eight nine ten" for number in range(60)]
    texts.sort(key=lambda text: latent_quality(text, "choice"))
    keys = [int(simulated(screen(Part(0, text)), Quality.CAREFUL, Random(1))["keystrokes"]) for text in texts]
    assert sum(keys[:20]) > sum(keys[-20:]) * 1.5
    lazy = simulated(screen(), Quality.STRAIGHT_LINER, Random(1))
    assert (lazy["choice"], lazy["p1-text"], lazy["unchanged"], lazy["keystrokes"]) == ("1", FIRST, "on", "0")


@pytest.mark.parametrize("text", ["x", "本日は運休です。", "two words", "same same same", " ", "a\r\nb"])
def test_every_text_can_be_simulated(text: str) -> None:
    for quality in Quality:
        shown = screen(Part(0, text or "x"), Part(1, "another one"))
        answer = simulated(shown, quality, Random(4))
        form = form_of(shown, answer)
        assert form.is_valid() or (text == " " and answer["choice"] == "1")
