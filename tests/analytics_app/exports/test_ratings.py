"""The ratings in long form: which rows there are, what stands in them, and that they read back as they were."""

import csv
import io
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from analytics_app.api.serializers import RATINGS_CSV
from analytics_app.archive.rows import TABLES
from analytics_app.exports import ratings
from analytics_app.exports.size import rows_of_file
from tasks_app.models import Assignment, Group, Identity, Judgment, Rater, Rating, Study
from tasks_app.selectors.judgments import may_export
from tasks_app.services.study import lifecycle
from tests.analytics_app.by_commands import load
from tests.analytics_app.exports.conftest import LONG_NAME, as_csv, as_json, assignments, plain, rate
from tests.analytics_app.filling import Filler
from tests.builders import build_study

pytestmark = pytest.mark.django_db

# Design section 7: these and in this order; `rating` tells rows of one rating, features follow. The three
# about given marks, the set time and tasks elsewhere came later.
COLUMNS = [
    *("judgment", "task", "unit", "rater", "item", "system", "variant", "system_b", "criterion", "value", "label"),
    *("text", "shown_value", "arrangement", "span_side", "span_start", "span_end", "category", "severity"),
    *(
        "mark_origin",
        "mark_of",
        "given_by",
        "mark_reason",
        "wording",
        "seconds",
        "timing",
        "elsewhere",
        "submitted_at",
        "position",
        "purpose",
        "repeat_of",
        "wave",
        "group",
        "document",
        "version",
        "state",
        "taken_from",
    ),
    *("excluded_by", "rating"),
]


def test_the_columns_are_those_of_the_design(rated: Study) -> None:
    assert list(ratings.COLUMNS) == COLUMNS, "COLUMNS above lists the columns in the order of the export."
    features = [f"feature_{LONG_NAME}", "feature_domain"]
    assert list(as_csv(rated)[0]) == [*COLUMNS, *features]
    assert list(as_json(rated)[0]) == [*COLUMNS, *features]


def test_the_example_in_the_reference_of_the_api_has_its_values_under_their_columns() -> None:
    (row,) = csv.DictReader(io.StringIO(RATINGS_CSV))
    shown = {name: row[name] for name in ("value", "seconds", "purpose", "rating", "feature_domain")}
    assert shown == {"value": "4", "seconds": "8.4", "purpose": "main", "rating": "2408", "feature_domain": "news"}
    assert None not in row


def test_every_rating_is_there_once_for_each_system_that_produced_its_text(rated: Study) -> None:
    rows = as_json(rated)
    said = {(row["rating"], row["system"]) for row in rows if row["rating"] is not None}
    stored = Rating.objects.filter(task__study=rated)
    expected = set()
    for rating in stored.select_related("part"):
        expected |= {(rating.pk, shown.output.system.key) for shown in rating.part.part_outputs.all()}
    assert said == expected
    alike = [row for row in rows if row["item"] == "i0" and row["system"] in {"alpha-mt", "gamma-mt"}]
    assert len(alike) == 8
    for rating in {row["rating"] for row in alike}:
        pair = [row for row in alike if row["rating"] == rating]
        assert [row["system"] for row in pair] == ["alpha-mt", "gamma-mt"]
        assert pair[0]["value"] == pair[1]["value"] == stored.get(pk=rating).value


def test_the_number_of_rows_that_pages_say_is_that_of_the_file(rated: Study) -> None:
    assert rows_of_file(rated) == len(as_json(rated))
    filler = Filler(rated)
    first = Judgment.objects.filter(assignment__rater__pseudonym="R-0001").earliest("id")
    filler.answer(first.assignment, filler.parts["i0", "alpha-mt"], {"fluency": 5, "content": 5}, replaces=first)
    filler.judge("tries", "i0", "alpha-mt", {"fluency": 1, "content": 1}, rater_kind="sandbox")
    rows = as_json(rated)
    # Texts of two systems, a skip and an answer without a rating: more rows than ratings.
    assert rows_of_file(rated) == len(rows) == len({row["rating"] for row in rows if row["rating"]}) + 4 + 2


def test_a_row_says_where_its_rating_comes_from(rated: Study) -> None:
    rating = Rating.objects.filter(unit__item__key="i1", criterion__key="content").order_by("id").first()
    row = next(row for row in as_json(rated) if row["rating"] == rating.pk)
    given = rating.judgment.assignment
    assert row == {
        **dict.fromkeys(COLUMNS),
        "judgment": rating.judgment_id,
        "task": "main",
        "unit": "i1/alpha-mt",
        "rater": "R-0001",
        "item": "i1",
        "system": "alpha-mt",
        "criterion": "content",
        "value": 3,
        "arrangement": given.arrangement,
        "seconds": 12.5,
        "submitted_at": f"{rating.judgment.submitted_at:%Y-%m-%dT%H:%M:%S.%f}Z",
        "position": given.order,
        "purpose": "main",
        "wave": 1,
        "version": 1,
        "state": "submitted",
        "rating": rating.pk,
        f"feature_{LONG_NAME}": None,
        "feature_domain": None,
    }


def test_rows_come_by_the_number_of_the_rating_and_judgments_without_one_at_the_end(rated: Study) -> None:
    rows = as_json(rated)
    numbers = [row["rating"] for row in rows]
    rated_rows = [number for number in numbers if number is not None]
    assert numbers == [*sorted(rated_rows), None, None]
    assert [row["rating"] for row in as_json(rated)] == numbers
    ending = [(row["label"], row["text"], row["state"], row["item"], row["system"]) for row in rows[-2:]]
    assert ending == [
        ("skip", "cannot_judge", "skipped", "i1", "beta-mt"),
        ("none", None, "submitted", "i1", "beta-mt"),
    ]


def test_csv_and_json_lines_say_the_same(rated: Study) -> None:
    rate(rated, value=-0.5, label="=SUM(A1)", text="'", severity="minor")
    assert len(as_csv(rated)) == len(as_json(rated))
    for cells, row in zip(as_csv(rated), as_json(rated), strict=True):
        for name, value in row.items():
            if value is None:
                assert cells[name] == "", name
            elif name == "arrangement":
                assert json.loads(cells[name]) == value
            elif isinstance(value, str):
                assert plain(cells[name]) == value, name
            else:
                assert float(cells[name]) == value, name


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "'=1", "''-1", "'", "''", "a=1", " =1", "'a", "", "-", "'\t", '"', ","],
)
def test_a_text_is_no_formula_and_reads_back_as_it_was(rated: Study, text: str) -> None:
    """Any number of apostrophes and then a sign gets one apostrophe more; taking one away gives the text back."""
    rating = rate(rated, label=text, text=text, category=text)
    filler = Filler(rated)
    filler.judge(f"{text}rater"[:40], "i0", "beta-mt", {"fluency": 2})
    row = next(row for row in as_csv(rated) if row["rating"] == str(rating.pk))
    for name in ("label", "text", "category"):
        assert not row[name].startswith(tuple("=+-@\t\r"))
        assert plain(row[name]) == text
        if plain(text) == text and not text.startswith(tuple("=+-@\t\r")):
            assert row[name] == text
    assert f"{text}rater" in {plain(one["rater"]) for one in as_csv(rated)}
    exact = next(row for row in as_json(rated) if row["rating"] == rating.pk)
    assert (exact["label"], exact["text"]) == (text, text)


@pytest.mark.parametrize("value", [-3.0, 0.1 + 0.2, 1 / 3, 1e-300, 1.7976931348623157e308, -0.0, 5e-324])
def test_a_number_reads_back_to_the_last_digit_and_is_never_a_text(rated: Study, value: float) -> None:
    rating = rate(rated, value=value, shown_value=value)
    cells = next(row for row in as_csv(rated) if row["rating"] == str(rating.pk))
    row = next(row for row in as_json(rated) if row["rating"] == rating.pk)
    for said in (cells["value"], cells["shown_value"], row["value"], row["shown_value"]):
        assert float(said) == value
    assert not cells["value"].startswith("'")


@pytest.mark.parametrize(
    "text", ["one\nline", "one\r\nline", 'say "so"', "a,b", "naïve 日本 🎉", "\\.", "\x01\x02", "{}"]
)
def test_line_breaks_quotes_and_other_scripts_survive(rated: Study, text: str) -> None:
    rating = rate(rated, text=text)
    assert next(row for row in as_csv(rated) if row["rating"] == str(rating.pk))["text"] == text
    assert next(row for row in as_json(rated) if row["rating"] == rating.pk)["text"] == text


def test_lines_of_csv_end_as_its_standard_says(rated: Study) -> None:
    """RFC 4180, 2.1: each record on a line of its own, ended by CRLF."""
    rate(rated, text="one\nline")
    content = b"".join(ratings.stream(rated, format="csv"))
    lines = content.split(b"\r\n")
    assert lines[-1] == b""
    assert len(lines) == 1 + len(as_csv(rated)) + 1
    assert content.decode("utf-8").count('"one\nline"') == 1


def test_features_are_columns_whatever_their_names(rated: Study) -> None:
    for row in as_csv(rated):
        news = row["item"] == "i0"
        assert row["feature_domain"] == ("news" if news else "")
        assert row[f"feature_{LONG_NAME}"] == ("'=1+1" if news else "")
    for row in as_json(rated):
        assert row[f"feature_{LONG_NAME}"] == ("=1+1" if row["item"] == "i0" else None)


def test_only_the_current_answer_counts(rated: Study) -> None:
    first = Judgment.objects.filter(assignment__rater__pseudonym="R-0002", ratings__isnull=False).order_by("id").first()
    filler = Filler(rated)
    again = filler.answer(first.assignment, filler.parts["i0", "alpha-mt"], {"fluency": 5}, replaces=first)
    judgments = [row["judgment"] for row in as_json(rated)]
    assert first.pk not in judgments
    assert again.pk in judgments


def test_nobody_who_tried_it_out_is_in_it_and_nobody_is_named(rated: Study) -> None:
    filler = Filler(rated)
    filler.judge("R-sandbox", "i0", "beta-mt", {"fluency": 1}, rater_kind="sandbox")
    filler.judge("R-simulated", "i0", "beta-mt", {"fluency": 1}, rater_kind="imported")
    Identity.objects.create(
        rater=Rater.objects.get(pseudonym="R-0001"),
        study=rated,
        channel="prolific",
        external_id="5f0c-PROLIFIC-PID",
        session_id="session-77",
        email="ada@example.org",
    )
    for format in ("csv", "jsonl"):
        text = b"".join(ratings.stream(rated, format=format)).decode()
        assert "R-simulated" in text
        for secret in ("R-sandbox", "PROLIFIC", "session-77", "ada@"):
            assert secret not in text


def test_repeats_groups_and_purposes_are_told(rated: Study) -> None:
    filler = Filler(rated)
    first = next(assignments(rated))
    Rater.objects.filter(pseudonym="R-0001").update(group=Group.objects.create(study=rated, key="experts"))
    filler.raters["R-0001"] = Rater.objects.get(pseudonym="R-0001")
    filler.orders["R-0001"] = 10
    repeat = filler.judge("R-0001", "i0", "alpha-mt", {"fluency": 3}, purpose="repeat", repeat_of=first, wave=2)
    rows = [row for row in as_json(rated) if row["judgment"] == repeat.pk]
    assert {(row["purpose"], row["repeat_of"], row["wave"], row["group"], row["position"]) for row in rows} == {
        ("repeat", first.judgments.get().pk, 2, "experts", 11)
    }
    assert {row["repeat_of"] for row in as_json(rated) if row["judgment"] != repeat.pk} == {None}


def test_another_study_is_not_in_it(rated: Study, rosa: User) -> None:
    other = build_study(rosa, slug="other")
    Filler(other).judge("R-0001", "i0", "alpha-mt", {"fluency": 4})
    assert len(as_json(other)) == 1
    assert len(as_json(rated)) == 18


@pytest.mark.parametrize(
    ("wanted", "n"),
    [
        ({"tasks": ["main"]}, 18),
        ({"raters": ["R-0001"]}, 9),
        ({"raters": ["R-0001", "R-0002"]}, 18),
        ({"criterion": "content"}, 8),
        ({"include": ["main"]}, 18),
        ({"include": ["training", "exam"]}, 0),
    ],
)
def test_a_part_of_the_ratings(rated: Study, wanted: dict[str, Any], n: int) -> None:
    rows = as_json(rated, **wanted)
    assert len(rows) == n
    if "raters" in wanted:
        assert {row["rater"] for row in rows} <= set(wanted["raters"])
    if "criterion" in wanted:
        assert {row["criterion"] for row in rows} == {"content"}


def test_what_came_since_a_rating(rated: Study) -> None:
    rows = as_json(rated)
    middle = sorted({row["rating"] for row in rows if row["rating"]})[5]
    since = as_json(rated, since_id=middle)
    assert [row for row in since if row["rating"]] == [row for row in rows if (row["rating"] or 0) > middle]
    assert [row["label"] for row in since if row["rating"] is None] == ["skip", "none"]
    # These two came after the last rating, so they are new whenever that one is known.
    assert [row["label"] for row in as_json(rated, since_id=10**12)] == ["skip", "none"]
    later = rate(rated, value=3)
    assert [row["rating"] for row in as_json(rated, since_id=later.pk)] == []


@pytest.mark.parametrize(
    "wanted", [{"tasks": ["mian"]}, {"raters": ["R-9"]}, {"criterion": "grammar"}, {"include": ["mains"]}]
)
def test_an_unknown_name_is_refused_before_anything_is_sent(rated: Study, wanted: dict[str, Any]) -> None:
    with pytest.raises(ratings.UnknownName, match=r"mian|R-9|grammar|mains"):
        ratings.stream(rated, **wanted)


def test_an_empty_study_gives_a_header(rosa: User) -> None:
    study = build_study(rosa, slug="empty", opened=False)
    assert b"".join(ratings.stream(study, format="csv")).decode() == ",".join(COLUMNS) + "\r\n"
    assert b"".join(ratings.stream(study, format="jsonl")) == b""


@pytest.mark.parametrize(
    ("state", "role", "may"),
    [
        ("draft", "viewer", True),
        ("open", "viewer", False),
        ("open", "editor", False),
        ("open", "owner", True),
        ("open", None, True),
        ("paused", "editor", False),
        ("paused", "owner", True),
        ("closed", "viewer", True),
    ],
)
def test_who_may_take_ratings_out(study: Study, state: str, role: str | None, may: bool) -> None:
    study.state = state
    assert may_export(study, role) is may


def test_assignments_without_an_answer_give_no_row(rated: Study, rosa: User) -> None:
    lifecycle.move(study_id=rated.pk, action="open", by=rosa, reason="more raters")
    Assignment.objects.create(
        rater=Rater.objects.get(pseudonym="R-0001"), rater_kind="imported", unit=next(assignments(rated)).unit,
        order=99, version=1, state="expired",
    )  # fmt: skip
    assert len(as_json(rated)) == 18


def test_reasons_of_marks_go_out_in_again_and_into_archives(tmp_path: Path) -> None:
    """Imported as a column, they are in exports and among the columns of texts of an archive."""
    items = [{"item": "i1", "system": "A", "output": "The cat sat.", "source": "s"}]
    span = {"span_side": "output", "span_start": 4, "span_end": 7, "text": "cat", "severity": "major"}
    row = {"rater": "r1", "item": "i1", "system": "A", "criterion": "errors", **span, "mark_reason": "=It was, a dog."}
    load(tmp_path, {"type": "error_spans", "params": {"score": "no", "mark_reason": "required"}, "k": 1}, items, [row])
    study = Study.objects.get(slug="small")
    assert [line["mark_reason"] for line in as_json(study)] == ["=It was, a dog."]
    assert [line["mark_reason"] for line in as_csv(study)] == ["'=It was, a dog."]
    assert Rating.objects.get(task__study=study).mark_reason == "=It was, a dog."
    (table,) = [table for table in TABLES if table.model is Rating]
    assert "mark_reason" in table.texts
    assert "mark_reason" in table.later


def test_reasons_of_marks_are_stored_with_an_answer() -> None:
    params = {"mark_reason": "required", "score": "no"}
    study = build_study(None, slug="reasons", type="error_spans", params=params, criteria=(), k=1)
    call_command("simulate_raters", "reasons", raters=2, stdout=StringIO())
    marks = Rating.objects.filter(task__study=study, span_start__isnull=False)
    assert marks.exists()
    assert set(marks.values_list("mark_reason", flat=True)) == {"simulated"}
