"""Features of outputs: declared rules by hand, groups, means, contrasts, and what cannot be computed."""

from dataclasses import replace

import numpy as np
import pytest
from django.core.exceptions import ValidationError

from analytics_app import analyses
from analytics_app.analyses.base import Common, Question, Sample
from analytics_app.analyses.features.rules import Feature, computed, read_features
from analytics_app.ratings import Extras, Table
from analytics_app.ratings.extras.due_units import Wanted
from analytics_app.ratings.extras.shown_texts import ShownTexts
from analytics_app.results import Row
from tasks_app.task_types.base import Scale
from tests.house.test_analyses import made, table

SOURCE = "The tram leaves at 9 and at 10.30 from stop 4."


@pytest.mark.parametrize(
    ("rule", "text", "value"),
    [
        ("words", "A tram, at nine.", 4),
        ("words", "電車は九時", 5 / 1.5),
        ("words", "", 0),
        ("characters", "Tram.", 5),
        ("sentences", "It leaves. Does it? No!", 3),
        ("sentences", "It leaves at 10.30. No end", 2),
        ("sentences", "電車です。九時です。", 2),
        ("sentences", "", 0),
        (r"matches \d+", "At 9.", "yes"),
        (r"matches ^\d+", "At 9.", "no"),
        (r"count \b\w", "one two three", 3),
        ("contains may, might", "It MIGHT leave.", "yes"),
        ("contains may, might", "In mayhem.", "no"),
        ("numbers_lost", "At 9 from stop 5.", 2),
        ("numbers_kept", "At 9 from stop 5.", 1 / 3),
        ("copied", "The tram is late", 1 / 2),
        ("copied", "", None),
    ],
)
def test_rules_by_hand(rule: str, text: str, value: float | str | None) -> None:
    (values,) = computed([Feature.read(f"x: {rule}")], [text], [SOURCE])
    assert not isinstance(values, str)
    (found,) = values
    assert found == (value if value is None or isinstance(value, str) else pytest.approx(value))


def test_without_numbers_or_words_in_the_source_there_is_no_value() -> None:
    for rule in ("numbers_lost", "numbers_kept"):
        assert computed([Feature.read(f"x: {rule}")], ["At 9."], ["No number"]) == [[None]]
    assert computed([Feature.read("x: copied")], ["At 9."], [""]) == [[None]]


@pytest.mark.parametrize(
    ("line", "column", "said"),
    [
        ("length = words", 1, "Write a name"),
        ("length: wrods", 9, "There is no rule “wrods”. The rules are: words"),
        ("length: words 3", 9, "takes nothing after it"),
        ("length (20, 10): words", 9, "Limits are rising numbers"),
        ("length (ten): words", 9, "Limits are rising numbers"),
        ("digit (1): matches a", 8, "yes and no"),
        ("digit: matches", 16, "needs a pattern"),
        ("hedge: contains , ", 17, "Write words"),
        ("digit: matches a(b", 19, "The regular expression is wrong: missing )"),
    ],
)
def test_bad_lines_are_refused_with_their_column(line: str, column: int, said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        read_features(f"domain\n\n{line}")
    (message,) = caught.value.messages
    assert message.startswith(f"Line 3, column {column}")
    assert said in message


def test_a_name_is_declared_once_and_there_are_not_too_many() -> None:
    with pytest.raises(ValidationError, match="declared twice"):
        read_features("domain\ndomain: words")
    with pytest.raises(ValidationError, match="At most 12"):
        read_features("\n".join(f"f{number}" for number in range(13)))


def test_lines_are_written_in_one_way() -> None:
    field = analyses.registry["features"].Settings.base_fields["features"]
    given = " length( 10,20 ):words\r\n\r\ndomain\nmany: count  a , b"
    once = field.clean(given)
    assert once == "length (10, 20): words\ndomain\nmany: count a , b"
    assert field.clean(once) == once


def test_a_pattern_that_takes_too_long_is_stopped() -> None:
    features = read_features("x: matches ^(\\w|\\w\\w)+\\d$\ny: count ^(\\w|\\w\\w)+\\d$\nlength: characters")
    slow, slow_too, length = computed(features, ["a" * 60 + "!"], [""], seconds=0.05)
    assert slow == "The pattern of “x” takes longer than 0.05 seconds on the outputs."
    assert slow_too == "The pattern of “y” takes longer than 0.05 seconds on the outputs."
    assert length == [61]


# Rows ---------------------------------------------------------------------------------------------------

N_ITEMS = 6
TEXTS = ("short words", "a text of rather many more words than that")


def study_table(values: dict[tuple[int, int], float]) -> Table:
    """Make a table of two raters for each text; (item, system) -> the mean of their ratings."""
    given = [(rater, item, system) for rater in range(2) for item, system in values]
    raters, items, systems = (list(one) for one in zip(*given, strict=True))
    ratings = [values[item, system] + (0.5 if rater else -0.5) for rater, item, system in given]
    return table(ratings, raters, items, systems)


# s0 is 2 better than s1 on the items a, and as good on b, but for what keeps the ratings from being all equal.
PLANTED = {(item, 0): 4.0 + 0.1 * item for item in range(6)} | {
    (item, 1): (2.0 if item < 3 else 4.0) + 0.1 * (item % 2) for item in range(6)
}


def rows_of(
    data: Table, features: str, texts: tuple[str, ...] = (), slices: tuple[str, ...] = (), **settings: object
) -> list[Row]:
    question = Question("main", "likert", Scale.ORDINAL, "fluency", (1.0, 2.0, 3.0, 4.0, 5.0), (1.0, 5.0))
    texts = texts or ("",) * len(data.names.part_ids)
    extras = Extras({ShownTexts: ShownTexts(texts, (SOURCE,) * len(texts)), Wanted: Wanted.empty(data)})
    sample = Sample(data, data.z(), question, Common(n_resamples=100, seed=1), "kept", extras=extras)
    return list(made("features", features=features, slices=slices, **settings).rows(sample))


def of(rows: list[Row], statistic: str, **about: object) -> list[Row]:
    return [row for row in rows if row.statistic == statistic and all(getattr(row, k) == v for k, v in about.items())]


def test_means_and_the_contrast_of_a_column_of_the_items() -> None:
    rows = rows_of(study_table(PLANTED), "half")
    (mean,) = of(rows, "feature_mean", system=None, label="half: a")
    assert mean.value == pytest.approx(np.mean([PLANTED[key] for key in PLANTED if key[0] < 3]))
    assert (mean.n_ratings, mean.n_items, mean.by_system) == (12, 3, False)
    (cell,) = of(rows, "feature_mean", system="s1", label="half: b")
    assert cell.value == pytest.approx(np.mean([PLANTED[item, 1] for item in range(3, 6)]))
    assert cell.by_system
    (contrast,) = of(rows, "feature_contrast")
    assert (contrast.system, contrast.system_b, contrast.label) == ("s0", "s1", "half: b")
    differences = [PLANTED[item, 0] - PLANTED[item, 1] for item in range(6)]
    assert contrast.value == pytest.approx(np.mean(differences[3:]) - np.mean(differences[:3]))
    assert contrast.p_adjusted == contrast.p
    assert contrast.p is not None
    assert contrast.p < 0.001
    assert contrast.by_system
    counts = of(rows, "feature_outputs")
    assert {(row.system, row.label, row.value) for row in counts} == {
        (system, f"half: {half}", 3.0) for system in ("s0", "s1") for half in "ab"
    }


def test_a_feature_of_outputs_groups_the_outputs_of_one_item_apart() -> None:
    data = study_table(PLANTED)
    # Parts are sorted by item and system: s0 has the long texts.
    texts = tuple(TEXTS[1 - part % 2] for part in range(12))
    rows = rows_of(data, "length: words", texts)
    assert {row.label for row in of(rows, "feature_mean")} == {"length: 2", "length: 9"}
    # Each group holds one system, so the means of groups are those of systems.
    assert all(row.by_system for row in of(rows, "feature_mean"))
    counts = {(row.system, row.label): row.value for row in of(rows, "feature_outputs")}
    assert counts["s0", "length: 9"] == 6
    assert counts["s0", "length: 2"] == 0
    (note,) = {row.note for row in of(rows, "feature_outputs") if row.value == 0}
    assert note == "No output of this system has this value."
    (contrast,) = of(rows, "feature_contrast")
    assert contrast.value is None
    assert "Both systems need outputs of at least two items" in str(contrast.note)


def test_numbers_are_cut_at_quantiles_or_at_given_limits() -> None:
    data = study_table(PLANTED)
    texts = tuple("word " * (1 + part) for part in range(12))
    labels = [row.label for row in of(rows_of(data, "n: words", texts), "feature_mean", system=None)]
    assert labels == ["n: up to 4", "n: over 4 to 8", "n: over 8"]
    given = of(rows_of(data, "n (1, 6): words", texts), "feature_mean", system=None)
    assert [(row.label, row.n_items) for row in given] == [
        ("n: up to 1", 1), ("n: over 1 to 6", 3), ("n: over 6", 3)
    ]  # fmt: skip
    halves = of(rows_of(data, "n: words", texts, groups=2), "feature_mean", system=None)
    assert [row.label for row in halves] == ["n: up to 6", "n: over 6"]


def test_nearly_equal_numbers_still_make_two_groups() -> None:
    texts = ("a",) + ("a b",) + ("a b c",) + ("a b c d",) * 9
    labels = [row.label for row in of(rows_of(study_table(PLANTED), "n: words", texts), "feature_mean", system=None)]
    assert labels == ["n: up to 3", "n: over 3"]


def test_parts_have_the_groups_of_the_whole_and_no_second_count_of_outputs() -> None:
    texts = tuple("word " * (1 + part) for part in range(12))
    rows = rows_of(study_table(PLANTED), "n: words", texts, slices=("half",))
    assert {row.slice for row in of(rows, "feature_outputs")} == {None}
    labels = {row.label for row in of(rows, "feature_mean", slice="half=a")}
    assert labels == {"n: up to 4", "n: over 4 to 8", "n: over 8"}
    # Items a have the first six texts, none of over eight words.
    (empty,) = of(rows, "feature_mean", slice="half=a", label="n: over 8", system=None)
    assert (empty.value, empty.n_ratings) == (None, 0)


def test_what_cannot_be_grouped_is_said() -> None:
    data = study_table(PLANTED)
    (row,) = rows_of(data, "genre")
    assert row.note == "The items have no feature “genre”. Their features: half."
    (row,) = rows_of(data, "half (3)")
    assert row.note == "The feature “half” has values that are not numbers, so limits mean nothing."
    features = {"id": np.array([f"i{n}" for n in range(6)], dtype=object), "none": np.full(6, "", dtype=object)}
    (row,) = rows_of(replace(data, names=replace(data.names, features=features)), "none")
    assert row.note == "No output has a value of “none”."
    assert rows_of(data, "") == []


def test_too_many_words_are_no_groups() -> None:
    values = {(item, system): float(1 + (item + system) % 5) for item in range(14) for system in range(2)}
    data = study_table(values)
    names = replace(
        data.names,
        items=tuple(f"i{n}" for n in range(14)),
        document_of_item=np.full(14, -1, dtype=np.int32),
        features={"id": np.array([f"i{n}" for n in range(14)], dtype=object)},
    )
    (row,) = rows_of(replace(data, names=names), "id")
    assert row.note == "The feature “id” has 14 values; at most 12 can be compared."


def test_texts_are_read_only_where_a_rule_needs_them() -> None:
    member = analyses.registry["features"]
    assert member({"features": ""}).needed() == frozenset()
    assert member({"features": "domain"}).needed() == {Wanted}
    assert member({"features": "domain\nlength: words"}).needed() == {ShownTexts, Wanted}
