"""Magnitude estimation: the reference, the numbers and their messages, who is judged, and published items."""

import csv
from collections import Counter
from itertools import islice
from math import log
from pathlib import Path
from random import Random
from statistics import mean

import pytest
from django.core.management import CommandError, call_command

from evalweb.local_services.folder import BASE_DIR
from tasks_app.models import Unit
from tasks_app.task_types.base import (
    Criterion,
    GoldAnswer,
    ItemTexts,
    OutputText,
    Part,
    Quality,
    Scale,
    Screen,
    Value,
)
from tasks_app.task_types.magnitude import Magnitude
from tasks_app.task_types.simulation import latent_quality
from tests.reproduction.published import folder_of, missing
from tests.task_types.kit import feedback_on, form_of, grades, ratings_of, simulated

QUALITY = Criterion("quality", "Quality", question="How good is the text?")
CLARITY = Criterion("clarity", "Clarity")


def item(**texts: str) -> ItemTexts:
    """An item with a text by each system; `reference` is the item's own."""
    reference = texts.pop("reference", "")
    return ItemTexts.collapsed("i", [OutputText(key, "", text) for key, text in texts.items()], reference=reference)


def screen(
    n_parts: int = 1, order: list[int] | None = None, criteria: tuple[Criterion, ...] = (QUALITY,), **params: object
) -> Screen:
    """A screen with a few texts and an item's reference."""
    return Screen(
        Magnitude(params),
        tuple(Part(number, f"Text {number}") for number in range(n_parts)),
        criteria,
        reference="The reference",
        arrangement={"parts": list(range(n_parts)) if order is None else order},
    )


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("1", 1), ("999999", 999_999), ("100", 100), (" 150 ", 150), ("0100", 100), ("١٥٠", 150), ("१५०", 150),
        ("１５０", 150), ("\u200f150\u200e", 150), ("000000000150", 150),
    ],
)  # fmt: skip
def test_whole_numbers_in_the_digits_of_any_script_are_accepted(typed: str, value: int) -> None:
    given = screen()
    form = form_of(given, {"p1-quality": typed})
    assert form.is_valid(), form.errors
    assert form.cleaned_data == {"p1-quality": value}
    assert list(ratings_of(given, form.cleaned_data)) == [
        Value("magnitude", part=0, criterion="quality", value=float(value))
    ]
    again = form_of(given, initial=form.cleaned_data)
    assert again["p1-quality"].value() == value


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        (("", " ", "\u00a0", "\u200e"), "“How good is the text?”: give a number."),
        (("0", "000"), "“How good is the text?”: the least you can give is 1."),
        (("-5", "−5", "- 5", "-0.5", "-1,5"), "“How good is the text?”: use a number above 0, without a minus sign."),
        (
            ("1.5", "0,5", ".5", "100.", "1/2", "99.99", "1٫5"),
            "“How good is the text?”: use a whole number, such as 150.",
        ),
        (
            ("1,500", "1.500", "1 500", "1\u202f500", "1'500", "12,345,678"),
            "“How good is the text?”: write the number without commas, points or spaces, such as 1500.",
        ),
        (
            (
                "abc",
                "150%",
                "1e3",
                "NaN",
                "Infinity",
                "+150",
                "½",
                "²",
                "0x10",
                "1_000",
                "10 0",
                "1\x002",
                "true",
                "[1]",
            ),
            "“How good is the text?”: use digits only, such as 150.",
        ),
        (
            ("1000000", "9" * 40, "9" * 100_000, "1" + "0" * 10_000_000),
            "“How good is the text?”: the most you can give is 999999.",
        ),
        (("x" * 10_000_000, "\ud800"), "“How good is the text?”: use digits only, such as 150."),
    ],
)
def test_everything_else_is_refused_in_a_sentence_of_its_own(typed: tuple[str, ...], sentence: str) -> None:
    for one in typed:
        form = form_of(screen(), {"p1-quality": one})
        assert form.errors == {"p1-quality": [sentence]}, one[:50]


def test_the_message_names_the_text_where_there_are_several() -> None:
    given = screen(2, criteria=(QUALITY, CLARITY))
    form = form_of(given, {"p1-quality": "100", "p1-clarity": "1.5", "p2-quality": "0"})
    assert form.errors == {
        "p1-clarity": ["Text A, “Clarity”: use a whole number, such as 150."],
        "p2-quality": ["Text B, “How good is the text?”: the least you can give is 1."],
        "p2-clarity": ["Text B, “Clarity”: give a number."],
    }


def test_fields_nobody_asked_for_change_nothing() -> None:
    given = screen(2)
    forged = {"p1-quality": "100", "p2-quality": "50", "p3-quality": "1", "p1-other": "7", "quality": "9"}
    form = form_of(given, forged)
    assert form.is_valid()
    assert [(one.part, one.value) for one in ratings_of(given, form.cleaned_data)] == [(0, 100), (1, 50)]


def test_numbers_are_about_the_text_that_stood_there() -> None:
    given = screen(3, order=[2, 0, 1])
    form = form_of(given, {"p1-quality": "300", "p2-quality": "10", "p3-quality": "20"})
    assert form.is_valid()
    assert {one.part: one.value for one in ratings_of(given, form.cleaned_data)} == {2: 300, 0: 10, 1: 20}


def test_all_texts_of_an_item_are_one_unit_or_each_its_own() -> None:
    items = [item(a="One", b="Two", c="One", reference="R"), ItemTexts.collapsed("empty", [])]
    together = list(Magnitude().units(items, Random(1)))
    assert [(unit.key, unit.parts) for unit in together] == [("i", ((0, 2), (1,)))]
    plain = list(Magnitude({"layout": "plain"}).units(items, Random(1)))
    assert [(unit.key, unit.parts) for unit in plain] == [("i/a", ((0, 2),)), ("i/b", ((1,),))]


@pytest.mark.parametrize("layout", ["rankme", "plain"])
def test_a_system_that_is_the_reference_is_shown_and_never_judged(layout: str) -> None:
    kind = Magnitude({"layout": layout, "reference_system": "human"})
    # One system says exactly what the reference says: that text is judged like any other.
    texts = item(a="One", human="Two", b="Two")
    units = list(kind.units([texts], Random(1)))
    assert [unit.parts for unit in units] == {
        "rankme": [((0,), (2,), (1,))],
        "plain": [((0,), (1,)), ((2,), (1,))],
    }[layout]
    for unit in units:
        parts = tuple(Part(n, texts.outputs[group[0]].text) for n, group in enumerate(unit.parts))
        drawn = next(kind.arrange(len(parts), Random(1)))
        for arrangement in (drawn, {}):
            given = Screen(kind, parts, (QUALITY,), reference="An example", arrangement=arrangement)
            form = form_of(given, simulated(given, Quality.CAREFUL, Random(1)))
            assert form.is_valid()
            assert form.reference.text == "Two"
            assert len(form.fields) == len(parts) - 1
            assert {one.part for one in ratings_of(given, form.cleaned_data)} == set(range(len(parts) - 1))


def test_every_text_stands_in_every_column_equally_often() -> None:
    for system, judged in (("", 3), ("human", 2)):
        stream = Magnitude({"reference_system": system}).arrange(3, Random(4))
        drawn: list[list[int]] = [one["parts"] for one in islice(stream, 50)]
        for n in range(1, 51):
            counts = Counter((column, part) for order in drawn[:n] for column, part in enumerate(order))
            assert len(counts) <= judged**2
            assert max(counts.values()) - min(counts.get((c, p), 0) for c in range(judged) for p in range(judged)) <= 1


@pytest.mark.parametrize(
    ("texts", "params", "sentence"),
    [
        ({"a": "One", "reference": "R"}, {}, ""),
        ({"a": "One"}, {"reference_text": "R"}, ""),
        ({"a": "One", "h": "R"}, {"reference_system": "h"}, ""),
        ({"a": "One", "reference": " \n"}, {}, "has no reference to compare its texts with."),
        ({"a": "One", "reference": "R"}, {"reference_system": "h"}, "has no text by “h”"),
        ({"h": "R"}, {"reference_system": "h"}, "nothing to judge"),
    ],
)
def test_an_item_without_a_reference_is_refused(
    texts: dict[str, str], params: dict[str, object], sentence: str
) -> None:
    kind, given = Magnitude(params), item(**texts)
    said = [*kind.item_problems(given), *kind.missing_for_raters(given)]
    assert len(said) == bool(sentence)
    assert sentence in "".join(said)


def test_a_reference_must_be_one_text() -> None:
    outputs = [OutputText("h", "v1", "R1"), OutputText("h", "v2", "R2"), OutputText("a", "", "One")]
    kind = Magnitude({"reference_system": "h"})
    (said,) = kind.item_problems(ItemTexts.collapsed("i", outputs))
    assert said == "has several texts by “h”. The reference must be one."


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"reference_value": 0}, "reference_value"),
        ({"reference_value": 1_000_000}, "reference_value"),
        ({"reference_system": "h", "reference_text": "R"}, "reference_text"),
        ({"show_reference": True}, "show_reference"),
        ({"layout": "together"}, "layout"),
    ],
)
def test_parameters_that_contradict_are_refused_by_name(params: dict[str, object], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        Magnitude(params)


def test_what_the_task_says_goes_before_the_items_own_reference() -> None:
    assert form_of(screen()).reference.text == "The reference"
    assert form_of(screen(reference_text="Mine", reference_value=40)).reference.text == "Mine"
    assert form_of(screen(reference_value=40)).reference.worth == 40


def test_magnitudes_are_on_a_ratio_scale_without_ends() -> None:
    kind = Magnitude()
    assert kind.outcome_of(QUALITY).scale is Scale.RATIO
    assert kind.scale_of(QUALITY) is None
    for value, fine in ((1, True), (999_999, True), (0, False), (1_000_000, False), (1.5, False), (-3, False)):
        assert (kind.problem_in_value(float(value), QUALITY) is None) is fine
    facts = Magnitude({"reference_value": 50}).heds(QUALITY)
    assert set(facts) == {"4.3.3", "4.3.4", "4.3.5", "4.3.8"}
    assert "50" in facts["4.3.4"]
    assert facts["4.3.8"] == "relative quality estimation"


def test_known_answers_can_be_a_range() -> None:
    given = screen(2)
    form = form_of(given, {"p1-quality": "150", "p2-quality": "90"})
    assert form.is_valid()
    gold = [GoldAnswer("range", [120, 999_999], "quality", part) for part in (0, 1)]
    assert [one.passed for one in grades(given, form.cleaned_data, gold)] == [True, False]
    told = feedback_on(given, form.cleaned_data, [GoldAnswer("range", [120, 300], "quality", 1, "It is better.")])
    assert (told[0].passed, told[0].explanation) == (False, "It is better.")


def test_simulated_raters_differ_as_their_quality_says() -> None:
    kind = Magnitude()
    parts = tuple(Part(n, f"A text with the number {n}") for n in range(40))
    given = Screen(kind, parts, (QUALITY,), reference="R")
    latent = [log(4) * 2 * (latent_quality(part.text, "quality") - latent_quality("R", "quality")) for part in parts]
    errors = {}
    for quality in Quality:
        said = simulated(given, quality, Random(8))
        logs = [log(int(said[f"p{n + 1}-quality"]) / 100) for n in range(len(parts))]
        errors[quality] = mean(abs(a - b) for a, b in zip(logs, latent, strict=True))
        assert (len(set(logs)) == 1) is (quality is Quality.STRAIGHT_LINER)
    assert errors[Quality.CAREFUL] < errors[Quality.SLOPPY] < errors[Quality.RANDOM]


STUDY = """\
evalweb: 1
study: {{slug: rankme, title: RankME, public_title: Rating short texts, seed: 2018}}
about: {{institution: As published}}
criteria:
  - {{key: informativeness, name: Informativeness}}
  - {{key: naturalness, name: Naturalness}}
tasks:
  - key: main
    type: magnitude
    criteria: [informativeness, naturalness]
    criteria_mode: {mode}
    k: 3
    set_size: 20
    spacing: 1
    keep_identical: {keep}
    params: {params}
columns:
  items: {{item: mr_id, system: system, source: meaning_representation, output: output_text}}
"""


def _load_published(folder: Path, params: str, mode: str = "together", keep: str = "true") -> Counter[int]:
    """Load the items of RankME, and count units by their number of parts."""
    (folder / "study.yaml").write_text(STUDY.format(params=params, mode=mode, keep=keep))
    (folder / "items.csv").write_bytes((folder_of("rankme") / "items.csv").read_bytes())
    call_command("load_study", str(folder))
    return Counter(unit.parts.count() for unit in Unit.objects.filter(task__study__slug="rankme"))


@pytest.mark.django_db
@pytest.mark.skipif(bool(missing("rankme")), reason=missing("rankme"))
@pytest.mark.parametrize(
    ("params", "mode", "keep"),
    [
        ("{{layout: rankme, {text}}}", "together", "true"),
        ("{{layout: rankme, {text}}}", "rater", "true"),
        ("{{layout: rankme, {text}}}", "together", "false"),
        ("{{layout: plain, {text}}}", "together", "true"),
        ("{{layout: rankme, reference_system: slug2slug}}", "together", "true"),
        ("{{layout: plain, reference_system: slug2slug}}", "together", "true"),
    ],
)
def test_the_published_items_make_the_units_of_the_paper(tmp_path: Path, params: str, mode: str, keep: str) -> None:
    """100 inputs, three systems; the standard of the paper is one text for all of them."""
    with (folder_of("rankme") / "items.csv").open(encoding="utf-8") as file:
        texts: dict[str, list[str]] = {}
        for row in csv.DictReader(file):
            texts.setdefault(row["mr_id"], []).append(row["output_text"])
    alike = Counter(len(set(some)) for some in texts.values())
    given = params.format(text="reference_text: Aromi is located in the city centre. It is not family-friendly.")
    expected = {
        (True, False): Counter({3: 100}) if keep == "true" else alike,
        (False, False): Counter({1: 300}),
        # The reference is a part of every unit.
        (True, True): Counter({3: 100}),
        (False, True): Counter({2: 200}),
    }["rankme," in params, "reference_system" in params]
    times = 2 if mode == "rater" else 1
    assert _load_published(tmp_path, given, mode, keep) == Counter({n: times * count for n, count in expected.items()})


@pytest.mark.django_db
@pytest.mark.skipif(bool(missing("rankme")), reason=missing("rankme"))
def test_published_items_are_refused_without_a_reference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CommandError, match="Nothing was stored"):
        _load_published(tmp_path, "{layout: rankme}")
    said = capsys.readouterr().err
    assert "item “1”: has no reference to compare its texts with." in said
    assert "100 problems like this, first at 2:3, 5:3, 8:3." in said
    assert not Unit.objects.exists()


@pytest.mark.django_db
def test_the_example_loads() -> None:
    call_command("load_study", str(BASE_DIR / "examples" / "magnitude"))
    units = Unit.objects.filter(task__study__slug="example-magnitude")
    assert [unit.parts.count() for unit in units] == [3] * 12
