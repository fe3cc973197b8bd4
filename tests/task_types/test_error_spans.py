"""Error spans: what may be marked, what is refused, and what is stored."""

import json
from random import Random
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.utils import translation

from evalweb.local_services.folder import BASE_DIR
from tasks_app.task_types.base import Criterion, ItemTexts, OutputText, Part, Quality, Screen, Value
from tasks_app.task_types.error_spans import ErrorSpans, MarksField, SpansForm
from tasks_app.task_types.error_spans.marks import prefilled
from tasks_app.task_types.error_spans.scheme import letters_for
from tasks_app.task_types.graphemes import inside
from tests.task_types.kit import form_of, ratings_of

TEXT = "The train is late today."
SOURCE = "Der Zug ist heute nicht verspätet."


def screen(*texts: str, order: list[int] | None = None, prefill: tuple[object, ...] = (), **params: object) -> Screen:
    """A screen with a source and one text or several; only the first carries marks."""
    given = ErrorSpans(params)
    shown = texts or (TEXT,)
    return Screen(
        given,
        tuple(Part(number, text, prefill=prefill if number == 0 else ()) for number, text in enumerate(shown)),
        given.brings(),
        source=SOURCE,
        arrangement={"parts": order or list(range(len(shown)))},
    )


def mark(
    start: int, end: int, severity: str | None = "major", category: str | None = None, side: str = "output"
) -> Any:
    """One mark as the page posts it."""
    return {"side": side, "start": start, "end": end, "severity": severity, "category": category}


def answer(on: Screen, *marks: Any, **more: str) -> SpansForm:
    """The form of a screen, bound to an answer with a score where one is asked."""
    score = {"p1-score": "70"} if "score" in {one.key for one in on.criteria} else {}
    posted = {"p1-spans": json.dumps(marks)} if marks else {}
    form = form_of(on, {**score, **posted, **{name.replace("_", "-"): value for name, value in more.items()}})
    assert isinstance(form, SpansForm)
    return form


def rows(on: Screen, form: SpansForm) -> list[Value]:
    """What an accepted answer stores."""
    assert form.is_valid(), form.errors
    return list(ratings_of(on, form.cleaned_data))


@pytest.mark.parametrize(("posted", "stored"), [("70.0000000001", "70.0"), ("-0", "0.0"), ("1e-10", "0.0")])
def test_a_score_is_stored_as_a_whole_number(posted: str, stored: str) -> None:
    on = screen()
    assert str(rows(on, answer(on, mark(4, 9), p1_score=posted))[0].value) == stored


def test_a_mark_is_a_row_with_its_place_text_and_kind_and_the_score_stands_beside() -> None:
    on = screen()
    score, first, second = rows(on, answer(on, mark(13, 17, "minor"), mark(4, 9)))
    assert (score.outcome, score.criterion, score.value) == ("score", "score", 70.0)
    assert (first.number, first.text, first.span_start, first.span_end, first.severity) == (1, "train", 4, 9, "major")
    assert (second.number, second.text, second.severity, second.category) == (2, "late", "minor", None)
    assert first.criterion == "errors"
    assert first.value is None  # ESA has no weights


def test_what_is_missing_stands_one_character_after_the_text() -> None:
    on = screen()
    _score, missing = rows(on, answer(on, mark(len(TEXT), len(TEXT) + 1)))
    assert (missing.text, missing.span_start, missing.span_end) == ("[missing]", 24, 25)
    assert not answer(on, mark(20, len(TEXT) + 1)).is_valid()
    assert not answer(screen(missing="no"), mark(len(TEXT), len(TEXT) + 1)).is_valid()


def test_mqm_weighs_and_marks_the_source() -> None:
    on = screen(scheme="mqm")
    given = rows(
        on,
        answer(
            on,
            mark(23, 24, "minor", "fluency/punctuation"),
            mark(18, 23, "minor", "style/awkward"),
            mark(18, 23, "major", "accuracy/omission", "source"),
        ),
    )
    assert [(one.span_side, one.text, one.value) for one in given] == [
        ("output", "today", 1.0),
        ("output", ".", 0.1),
        ("source", "nicht", 5.0),
    ]
    whole = mark(0, len(TEXT), "major", "non-translation")
    assert [one.value for one in rows(on, answer(on, whole))] == [25.0]
    for wrong in (
        mark(0, 3, "major", "non-translation"),
        mark(0, len(TEXT), "minor", "non-translation"),
        mark(0, 3, "major", "source-error"),
        mark(0, 3, "major"),
        mark(0, 3, None, "other"),
        mark(0, 3, "major", "accuracy"),
    ):
        assert not answer(on, wrong).is_valid(), wrong
    assert not answer(screen(), mark(0, 3, side="source")).is_valid()


def test_saying_nothing_is_no_answer_and_no_errors_is_one() -> None:
    on = screen(scheme="mqm")
    assert answer(on).errors == {"p1-spans": ["Mark the errors, or choose “No errors”."]}
    assert rows(on, answer(on, p1_none="1")) == []
    both = answer(on, mark(0, 3, "major", "other"), p1_none="1")
    assert both.errors == {"p1-spans": ["There are marks. Remove them, or untick “No errors”."]}
    assert not answer(on, p1_none="maybe").is_valid()


@pytest.mark.parametrize(
    "posted",
    [
        "{}", "null", "7", '"x"', "[7]", "[[]]", "[{}]", "[", "NaN", "[NaN]", "[" * 30_000, "9" * 5_000, "x" * 70_000,
        json.dumps([{**mark(0, 3), "weight": 1}]),
        json.dumps([{**mark(0, 3), "start": "0"}]),
        json.dumps([{**mark(0, 3), "start": True}]),
        json.dumps([{**mark(0, 3), "end": 3.0}]),
        json.dumps([{**mark(0, 3), "side": "target"}]),
        json.dumps([{**mark(0, 3), "side": ["output"]}]),
        json.dumps([{**mark(0, 3), "severity": {"a": 1}}]),
        json.dumps([mark(0, 3, "fatal")]),
        json.dumps([mark(0, 3, "major\ud800")]),
        json.dumps([mark(0, 3, "major", "accuracy/omission")]),
        *(json.dumps([mark(*place)]) for place in ((3, 3), (5, 2), (-1, 3), (0, 10**9), (26, 27), (24, 26))),
        json.dumps([mark(0, 5), mark(4, 9)]),
        json.dumps([mark(0, 3), mark(0, 3)]),
        json.dumps([mark(n, n + 1) for n in range(21)]),
    ],
)  # fmt: skip
def test_forged_marks_are_refused_in_words(posted: str) -> None:
    form = form_of(screen(), {"p1-spans": posted, "p1-score": "50"})
    assert not form.is_valid()
    assert list(form.errors) == ["p1-spans"]
    assert all(len(str(sentence)) > 15 for sentence in form.errors["p1-spans"])


@pytest.mark.parametrize("value", ["-1", "101", "50.5", "", "NaN", "1e999", "x", "9" * 400])
def test_a_score_off_the_scale_is_refused(value: str) -> None:
    assert list(form_of(screen(), {"p1-none": "1", "p1-score": value}).errors) == ["p1-score"]


def test_offsets_count_code_points_and_never_cut_a_character() -> None:
    text = "Ok 👩🏽‍🔧 né กำ क्ष عَلى 日本"
    assert text[3:7] == "👩🏽‍🔧"
    on = screen(text)
    assert [one.text for one in rows(on, answer(on, mark(3, 7))) if one.text] == ["👩🏽‍🔧"]
    assert {4, 5, 6} <= set(inside(text))
    for cut in inside(text):
        assert not answer(on, mark(0, cut)).is_valid()
        assert not answer(on, mark(cut, len(text))).is_valid()
    assert inside("plain text") == ()
    assert inside("a\r\nb") == (2,)


def test_overlaps_and_the_limit_are_as_set() -> None:
    over = screen(overlaps=True)
    assert len(rows(over, answer(over, mark(0, 9), mark(4, 12)))) == 3
    assert not answer(over, mark(0, 9), mark(0, 9)).is_valid()
    two = screen(max_spans=2)
    assert answer(two, mark(0, 3), mark(4, 9)).is_valid()
    assert answer(two, mark(0, 3), mark(4, 9), mark(10, 12)).errors == {
        "p1-spans": ["Mark at most 2 errors: the most serious ones. Remove the others."]
    }
    six = [mark(n, n + 1, "minor", "other") for n in range(6)]
    assert not answer(screen(scheme="mqm"), *six).is_valid()
    assert answer(screen(scheme="mqm", max_spans=6), *six).is_valid()


def test_marks_that_a_text_comes_with_are_kept_or_removed_one_by_one() -> None:
    on = screen(prefill=([{"start": 4, "end": 9, "severity": "major"}], {"start": 13, "end": 17, "severity": "minor"}))
    unsettled = answer(on, p1_given_1="keep")
    assert unsettled.errors == {"p1-given-2": ["“late”: say whether this mark is right."]}
    with translation.override("ar"):
        assert "\u2068late\u2069" in answer(on, p1_given_1="keep").errors["p1-given-2"][0]
    kept = rows(on, answer(on, mark(0, 3, "minor"), p1_given_1="keep", p1_given_2="remove"))
    assert [(one.number, one.text, one.severity) for one in kept[1:]] == [(1, "The", "minor"), (2, "train", "major")]
    assert not answer(on, mark(0, 6), p1_given_1="keep", p1_given_2="remove").is_valid()  # it overlaps one that stays
    assert answer(on, mark(0, 6), p1_given_1="remove", p1_given_2="remove").is_valid()
    nothing = answer(on, p1_given_1="remove", p1_given_2="remove")
    assert list(nothing.errors) == ["p1-spans"]
    assert answer(on, p1_given_1="remove", p1_given_2="remove", p1_none="1").is_valid()
    assert not answer(on, p1_given_1="perhaps", p1_given_2="keep").is_valid()


def test_scores_that_contradict_the_errors_are_refused_where_the_study_says_so() -> None:
    on = screen(score_check="refuse", high_score=85, low_score=85)
    above = answer(on, mark(4, 9, "major"), p1_score="85")
    assert above.errors == {"p1-score": ["You gave 85 of 100, but marked an error as “Major”. Change one of them."]}
    below = answer(on, p1_none="1", p1_score="84")
    assert below.errors == {"p1-score": ["You gave 84 of 100, but marked no error. Change one of them."]}
    for marks, score in (([mark(4, 9, "major")], "84"), ([mark(4, 9, "minor")], "100"), ([], "85")):
        more = {} if marks else {"p1_none": "1"}
        assert answer(on, *marks, p1_score=score, **more).is_valid()
    assert form_of(on).page_data()["doubtful"] == {"above": 84, "below": 85, "field": "score", "refused": True}
    asked = screen(high_score=85)
    assert answer(asked, mark(4, 9, "major"), p1_score="100").is_valid()
    assert form_of(asked).page_data()["doubtful"] == {"above": 84, "below": 80, "field": "score", "refused": False}
    for silent in (screen(score_check="nothing"), screen(score="no")):
        assert form_of(silent).page_data()["doubtful"] is None


@pytest.mark.parametrize("quality", list(Quality))
def test_simulated_raters_give_no_score_that_the_study_refuses(quality: Quality) -> None:
    on = screen(score_check="refuse", high_score=60, low_score=95)
    for seed in range(20):
        form = form_of(on, on.kind.simulate(on, quality, Random(seed)))
        assert form.is_valid(), form.errors


def test_a_reason_for_each_mark_is_stored_where_it_is_asked() -> None:
    why = mark(4, 9) | {"reason": "  It was\na bus. "}
    stored = {asked: [one.mark_reason for one in rows(on, answer(on, why, mark(13, 17))) if one.outcome == "span"]
              for asked in ("optional", "no") for on in [screen(mark_reason=asked)]}  # fmt: skip
    assert stored == {"optional": ["It was a bus.", None], "no": [None, None]}
    on = screen(mark_reason="required")
    assert form_of(on).page_data()["reason"] == "required"
    assert answer(on, why).is_valid()
    assert answer(on, p1_none="1").is_valid()
    said = MarksField(SpansForm(on.kind, on).limits(on.shown_parts[0])).in_words([why])
    assert said.startswith("“train” Major (")
    for marks, sentence in (
        ((why, mark(13, 17)), "late"),
        ((why, mark(13, 17) | {"reason": " \t"}), "say why it is an error."),
        ((why | {"reason": "x" * 301},), "give a reason of at most 300 characters."),
        ((why | {"reason": None},), "The marks cannot be read."),
        ((why | {"reason": "a\x00b"},), ""),
    ):
        form = answer(on, *marks)
        assert list(form.errors) == ["p1-spans"]
        assert sentence in str(form.errors["p1-spans"][0])


def test_kept_marks_need_no_reason_and_changed_ones_do() -> None:
    on = screen(prefill=GIVEN, given_marks="edit", mark_reason="required")
    untouched = json.loads(form_of(on)["p1-spans"].value())
    assert answer(on, *untouched).is_valid()
    changed = [untouched[0] | {"severity": "minor"}, untouched[1]]
    assert not answer(on, *changed).is_valid()
    assert answer(on, changed[0] | {"reason": "too hard"}, untouched[1]).is_valid()
    with pytest.raises(ValidationError):
        prefilled([GIVEN[0] | {"reason": "x"}])


@pytest.mark.parametrize("quality", list(Quality))
def test_simulated_raters_give_reasons_where_they_have_to(quality: Quality) -> None:
    on = screen(mark_reason="required")
    form = form_of(on, on.kind.simulate(on, quality, Random(3)))
    assert form.is_valid(), form.errors


GIVEN = ({"start": 4, "end": 9, "severity": "major"}, {"start": 13, "end": 17, "severity": "minor"})


def origins(on: Screen, form: SpansForm) -> list[tuple[str | None, str | None, int | None]]:
    """The words of each stored mark, where it comes from, and the given mark that it was."""
    return [(one.text, one.mark_origin, one.mark_of) for one in rows(on, form) if one.outcome == "span"]


def test_a_stored_mark_says_whether_it_is_own_kept_or_changed() -> None:
    on = screen(prefill=GIVEN)
    form = answer(on, mark(0, 3), mark(13, 23, "minor") | {"of": 2}, p1_given_1="keep", p1_given_2="remove")
    assert origins(on, form) == [("The", "own", None), ("train", "kept", 1), ("late today", "changed", 2)]
    # A mark that stays, or that does not exist, is nobody's predecessor; nor is one that another mark names already.
    for verdicts, of in (({"p1_given_2": "keep"}, 2), ({"p1_given_2": "remove"}, 3)):
        form = answer(on, mark(0, 3) | {"of": of}, p1_given_1="remove", **verdicts)
        assert origins(on, form)[0] == ("The", "own", None)
    both = [mark(0, 3) | {"of": 1}, mark(10, 12) | {"of": 1}]
    form = answer(on, *both, p1_given_1="remove", p1_given_2="remove")
    assert origins(on, form) == [("The", "changed", 1), ("is", "own", None)]
    assert origins(screen(), answer(screen(), mark(0, 3))) == [("The", None, None)]
    for wrong in (0, -1, True, "1", 1.5, None):
        assert not answer(on, mark(0, 3) | {"of": wrong}, p1_given_1="remove", p1_given_2="remove").is_valid(), wrong


def test_given_marks_that_are_edited_are_among_the_own_ones_from_the_start() -> None:
    on = screen(prefill=GIVEN, given_marks="edit")
    form = form_of(on)
    assert [(one["of"], one["start"]) for one in json.loads(form["p1-spans"].value())] == [(1, 4), (2, 13)]
    assert [name for name in form.fields if "given" in name] == []
    shown = form.page_data()
    assert shown["given"] == {"1": []}
    assert [one["start"] for one in shown["edited"]["1"]] == [4, 13]
    untouched = answer(on, *json.loads(form["p1-spans"].value()))
    assert origins(on, untouched) == [("train", "kept", 1), ("late", "kept", 2)]
    changed = answer(on, mark(0, 9) | {"of": 1}, mark(13, 17, "major") | {"of": 2}, mark(10, 12))
    assert origins(on, changed) == [("The train", "changed", 1), ("is", "own", None), ("late", "changed", 2)]
    assert origins(on, answer(on, p1_none="1")) == []
    assert list(answer(on).errors) == ["p1-spans"]
    # Who removed all of them finds none when coming back.
    removed = answer(on, p1_none="1")
    assert removed.is_valid()
    assert form_of(on, None, json.loads(json.dumps(removed.cleaned_data)))["p1-spans"].value() == "[]"
    assert form_of(on, None, {"p1-spans": "[]"})["p1-spans"].value() == "[]"


@pytest.mark.parametrize("quality", list(Quality))
def test_simulated_raters_edit_given_marks(quality: Quality) -> None:
    on = screen(prefill=GIVEN, given_marks="edit")
    stored = []
    for seed in range(8):
        form = form_of(on, ErrorSpans({"given_marks": "edit"}).simulate(on, quality, Random(seed)))
        assert isinstance(form, SpansForm)
        stored += origins(on, form)
    assert {origin for _words, origin, _of in stored} <= {"own", "kept"}
    assert bool(stored) is (quality is not Quality.STRAIGHT_LINER)


@pytest.mark.parametrize(
    ("payload", "said"),
    [
        ({"start": 4, "end": 9, "severity": "major"}, None),
        ({"start": 4, "end": 9, "severity": "major", "of": 1}, "mark, or a list"),
        ([], None),
        ("x", "mark, or a list"),
        ([{"start": 4}], "mark, or a list"),
        ({"start": 4, "end": 99, "severity": "major"}, "outside"),
        ({"start": 4, "end": 9}, "how serious"),
        ({"start": 4, "end": 9, "severity": "fatal"}, "severities"),
        ({"start": 4, "end": 9, "severity": "major", "side": "source"}, "not in the source"),
        ([mark(0, 9), mark(4, 12)], "overlap"),
    ],
)
def test_what_a_text_comes_with_is_checked_beforehand(payload: object, said: str | None) -> None:
    problem = ErrorSpans().prefill_problem(payload, TEXT)
    assert problem is None if said is None else said in str(problem)


def test_several_texts_are_marked_by_their_canonical_number() -> None:
    on = screen("First text", "Other text", order=[1, 0], layout="together")
    form = form_of(on, {"p1-spans": json.dumps([mark(0, 5)]), "p1-score": "10", "p2-none": "1", "p2-score": "100"})
    assert form.is_valid()
    stored = [(one.part, one.value, one.text) for one in ratings_of(on, form.cleaned_data)]
    assert stored == [(1, 10.0, None), (1, None, "Other"), (0, 100.0, None)]
    empty = form_of(on, {})
    assert empty.errors["p2-spans"] == ["Text B: Mark the errors, or choose “No errors”."]


def test_a_stored_answer_and_a_draft_restore_the_page() -> None:
    on = screen(prefill=({"start": 4, "end": 9, "severity": "major"},))
    form = answer(on, mark(13, 17, "minor"), p1_given_1="keep")
    assert form.is_valid()
    stored = json.loads(json.dumps(form.cleaned_data))
    again = form_of(on, None, stored)
    assert json.loads(again["p1-spans"].value()) == [{**mark(13, 17, "minor"), "category": ""}]
    assert again["p1-given-1"].value() == "keep"
    resent = form_of(on, {name: str(again[name].value()) for name in again.fields if again[name].value()})
    assert resent.is_valid()
    assert list(ratings_of(on, resent.cleaned_data)) == rows(on, form)
    assert again.fields["p1-spans"].in_words(stored["p1-spans"]) == "“late” Minor"
    assert form_of(on, None, {"p1-spans": '[{"side"'})["p1-spans"].value() == '[{"side"'  # half a draft


def test_what_goes_to_the_page_names_no_system_and_escapes_itself() -> None:
    data = form_of(screen("</script><b>x", "y", layout="together")).page_data()
    assert [(one["side"], one["position"], one["marked"]) for one in data["texts"]] == [
        ("source", 0, False),
        ("output", 1, True),
        ("output", 2, True),
    ]
    assert json.loads(json.dumps(data))["texts"][1]["text"] == "</script><b>x"


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"categories": "nonsense"}, "categories"),
        ({"categories": "[" * 50_000}, "categories"),
        ({"categories": [{"key": "a", "name": "A\x00"}]}, "categories"),
        ({"severities": [{"key": "a", "name": "A", "definition": "\ud800"}]}, "severities"),
        ({"categories": [{"key": "Big Key", "name": "x"}]}, "categories"),
        ({"categories": [{"key": "a"}]}, "categories"),
        ({"categories": [{"key": "a", "name": "A", "colour": "red"}]}, "categories"),
        ({"categories": [{"key": "a", "name": "A"}, {"key": "a", "name": "B"}]}, "categories"),
        ({"categories": [{"key": "a", "name": "A", "children": [{"key": "b"}]}]}, "categories"),
        ({"categories": [{"key": "a", "name": "A", "severity": "fatal"}]}, "categories"),
        ({"severities": [{"key": str(n), "name": "x"} for n in range(5)]}, "severities"),
        ({"weights": [{"weight": -1}]}, "weights"),
        ({"weights": [{"weight": 1, "severity": "fatal"}]}, "weights"),
        ({"mark_source": "yes", "layout": "together"}, "mark_source"),
        ({"mark_source": "yes", "show_source": False}, "mark_source"),
        ({"max_spans": 0}, "max_spans"),
    ],
)
def test_parameters_that_do_not_hold_together_are_refused(params: dict[str, object], named: str) -> None:
    with pytest.raises(ValueError, match=f"(?m)^{named}: "):
        ErrorSpans(params)


def test_a_hierarchy_of_ones_own_is_used_as_it_is() -> None:
    own = {
        "scheme": "plain",
        "severities": [{"key": "small", "name": "Small"}, {"key": "big", "name": "Big"}],
        "categories": [
            {"key": "fact", "name": "Fact", "children": [{"key": "number", "name": "Number"}]},
            {"key": "other", "name": "Other"},
        ],
        "weights": [{"category": "fact", "weight": 3}, {"weight": 1}],
    }
    on = screen(**own)
    given = rows(on, answer(on, mark(0, 3, "small", "fact/number"), mark(4, 9, "big", "other")))
    assert [(one.category, one.value) for one in given] == [("fact/number", 3.0), ("other", 1.0)]
    assert letters_for(["Accuracy", "Addition", "اسم", "a"]) == ["a", "d", "b", "c"]
    assert [one.key for one in ErrorSpans(own).told_apart(source=False).groups] == ["fact", "other"]


def test_plain_marks_need_nothing_but_a_place() -> None:
    on = screen(scheme="plain")
    assert [(one.text, one.severity, one.value) for one in rows(on, answer(on, mark(4, 9, None)))] == [
        ("train", None, None)
    ]


def test_every_criterion_has_its_outcome_and_its_facts() -> None:
    kind = ErrorSpans({"scheme": "mqm", "score": "yes"})
    errors, score = kind.brings()
    assert kind.outcome_of(errors).per == "span"
    assert kind.outcome_of(score).name == "score"
    assert kind.outcome_of(Criterion("fluency", "Fluency")).name == "score"
    assert kind.scale_of(score) == (0, 100, 1)
    assert kind.scale_of(errors) is None
    assert "Accuracy / Omission" in kind.heds(errors)["4.3.4"]
    assert kind.heds(score)["4.3.5"] == "slider"
    assert kind.problem_in_value(25, errors) is None
    assert kind.problem_in_value(-1, errors)
    assert kind.problem_in_value(101, score)
    assert list(kind.problems([Criterion("spans", "Spans")]))


def test_identical_outputs_are_shown_once_and_every_place_is_as_frequent() -> None:
    outputs = [OutputText(system, "", text) for system, text in zip("abc", ("x y", "x y", "z"), strict=True)]
    item = ItemTexts.collapsed("i", outputs)
    assert [len(one.parts) for one in ErrorSpans().units([item], Random(1))] == [1, 1]
    (unit,) = ErrorSpans({"layout": "together"}).units([item], Random(1))
    assert unit.parts == ((0, 1), (2,))
    stream = ErrorSpans().arrange(3, Random(1))
    first = [str(next(stream)["parts"])[1] for _draw in range(30)]
    assert [first.count(part) for part in "012"] == [10, 10, 10]


@pytest.mark.django_db
def test_the_example_can_be_loaded(django_user_model: Any) -> None:
    django_user_model.objects.create_user("owner", is_staff=True)
    call_command("load_study", str(BASE_DIR / "examples" / "error_spans"), "--owner", "owner")


def test_marks_in_the_source_are_given_where_raters_edit_them_and_may_mark_there() -> None:
    given = {**mark(0, 6), "side": "source", "category": "accuracy/omission"}
    edited = ErrorSpans({"scheme": "mqm", "given_marks": "edit"})
    assert edited.prefill_problem([given], TEXT, "Quelle und mehr") is None
    assert "not in the source" in str(ErrorSpans({"scheme": "mqm"}).prefill_problem([given], TEXT, "Quelle und mehr"))
    assert "outside" in str(edited.prefill_problem([{**given, "end": 99}], TEXT, "Quelle und mehr"))


def test_a_mark_is_the_raters_own_where_nobody_had_found_an_error() -> None:
    edited = ErrorSpans({"scheme": "plain", "given_marks": "edit"})
    screen = Screen(edited, (Part(0, TEXT, prefill=([],)),), (), arrangement={"parts": [0], "criteria": []})
    form = edited.form(screen, {"p1-spans": json.dumps([{**mark(0, 3), "severity": None, "category": None}])})
    assert form.is_valid(), form.errors
    assert [value.mark_origin for value in edited.ratings(screen, form.cleaned_data)] == ["own"]


@pytest.mark.parametrize(
    ("params", "words", "others"),
    [
        ({"scheme": "esa"}, "[missing] after the text", "in the source"),
        ({"scheme": "mqm"}, "words in the source", "[missing]"),
        ({"scheme": "mqm", "page": "document"}, "[missing] after the text", "in the source"),
        ({"scheme": "mqm", "page": "document", "missing": "no"}, "No errors", "missing"),
    ],
)
def test_instructions_name_only_the_places_that_can_be_marked(params: dict[str, str], words: str, others: str) -> None:
    instructions = str(ErrorSpans(params).instructions())
    assert words in instructions
    assert others not in instructions
