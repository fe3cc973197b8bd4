"""The next version of a corpus: judgments of identical pairs come with it, and raters judge only what is new."""

import csv
import json
import zipfile
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from analytics_app.exports import ratings as ratings_export
from analytics_app.services import exclusions, next_version
from tasks_app.models import Event, Item, Judgment, Membership, Part, Place, Prefill, Rater, Rating, Study, Unit
from tasks_app.services import erasure
from tasks_app.services.study import lifecycle, removing
from tests.analytics_app.by_commands import Rows, load, write
from tests.analytics_app.test_archive import empty_all_tables
from tests.cast import browser_of
from tests.undrawn import undrawn

pytestmark = pytest.mark.django_db

ADDRESS = "/admin/studies/second/data/next-version/"
RATERS = ("r1", "r2", "r3")
# Source and text of each pair; the second version has other keys, an order of its own, and a pair twice.
FIRST = {"a": ("s1", "t1"), "b": ("s2", "t2"), "c": ("s3", "t3"), "d": ("s4", "T 4"), "e": ("s5", "=t5")}
SECOND = {
    "v": ("s6", "t6"), "w": ("s2", "t2"), "x": ("s1", "t1"), "y": ("s1", "t1"), "z": ("s4", "t  4"), "u": ("s5", "=t5"),
}  # fmt: skip
VALUES = {"a": (5, 5, 4), "b": (4, 5, 4), "c": (1, 2, 1), "d": (2, 1, 1), "e": (5, 4, 4)}
TASK: dict[str, Any] = {
    "key": "main", "type": "likert", "criteria": ["quality"], "params": {"points": 5, "show_source": True}, "k": 3,
    "set_size": 2, "spacing": 1,
}  # fmt: skip
CRITERION = {"key": "quality", "name": "Quality", "question": "How good?", "low": "bad", "high": "good"}


def items(pairs: dict[str, tuple[str, str]], system: str) -> list[dict[str, object]]:
    """Return the rows of the texts of a version."""
    return [{"item": key, "system": system, "source": source, "output": text} for key, (source, text) in pairs.items()]


@pytest.fixture
def second(tmp_path: Path, rosa: User) -> Study:
    """The draft of the second version; the first one, “small”, is closed and has three raters."""
    ratings = [
        {"rater": rater, "item": key, "system": "crawl-1", "value": value}
        for key, values in VALUES.items()
        for rater, value in zip(RATERS, values, strict=True)
    ]
    load(tmp_path, TASK, items(FIRST, "crawl-1"), ratings, criteria=[CRITERION])
    second = draft(tmp_path / "second", criteria=[CRITERION])
    for study in Study.objects.filter(slug__in=("small", "second")):
        Membership.objects.create(study=study, user=rosa, role=Membership.Role.OWNER)
    return second


def draft(folder: Path, task: Mapping[str, object] = TASK, rows: Rows | None = None, **more: object) -> Study:
    """Load the draft of the second version."""
    import yaml

    folder.mkdir()
    about = {"slug": "second", "title": "Second", "public_title": "Second", "language": "en", "seed": 8}
    about_them = {"institution": "I", "contact": "a@example.org", "complaints": "b@example.org"}
    document = {"evalweb": 1, "study": about, "about": about_them, "tasks": [dict(task)], **more}
    (folder / "study.yaml").write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    write(folder / "items.csv", items(SECOND, "crawl-2") if rows is None else rows)
    call_command("load_study", str(folder), stdout=StringIO())
    return Study.objects.get(slug="second")


def take(browser: Client, **more: object) -> Any:
    """Take over on the page."""
    return browser.post(ADDRESS, {"origin": "small", "least": "1", "action": "take", **more})


def values_of(study: Study) -> dict[str, list[float]]:
    """Return the ratings of a study by item."""
    values: dict[str, list[float]] = {}
    for item, value in Rating.objects.filter(unit__task__study=study).values_list("unit__item__key", "value"):
        values.setdefault(item, []).append(float(value or 0))
    return {item: sorted(of_item) for item, of_item in values.items()}


def test_identical_pairs_bring_their_judgments_and_only_the_others_are_planned(
    rosas_browser: Client, second: Study
) -> None:
    looked = rosas_browser.post(ADDRESS, {"origin": "small", "least": "1", "action": "look"})
    assert "Take over 9 judgments" in looked.content.decode()
    assert not Rating.objects.filter(unit__task__study=second).exists()
    assert take(rosas_browser).status_code == 302
    second.refresh_from_db()
    # The pair that stands there twice has its judgments once; what looks like a formula stays as it is.
    assert values_of(second) == {"w": [4, 4, 5], "x": [4, 5, 5], "u": [4, 4, 5]}
    (task,) = Event.objects.get(study=second, verb="took over judgments").after["tasks"]
    assert (task["kept"], task["lost"], task["new"], task["judgments"], task["raters"]) == (3, 2, 3, 9, 3)
    assert task["kept"] + task["lost"] == len(FIRST)
    assert task["kept"] + task["new"] == len(SECOND)
    (shift,) = task["shifts"]
    kept, lost = (sum(sum(VALUES[key]) / 3 for key in keys) / len(keys) for keys in ("abe", "cd"))
    assert (shift["kept"], shift["lost"]) == pytest.approx((kept, lost))
    assert shift["difference"] == pytest.approx(kept - lost)
    # Each judgment says which one it was.
    names = {
        judgment.answer["imported"]["judgment"] for judgment in Judgment.objects.filter(assignment__rater__study=second)
    }
    there = Judgment.objects.filter(assignment__rater__study__slug="small", assignment__unit__item__key__in="abe")
    assert names == {f"taken-from:small/{pk}" for pk in there.values_list("pk", flat=True)}
    assert not set(Rater.objects.filter(study=second).values_list("pseudonym", flat=True)) & set(RATERS)
    # Never twice.
    assert take(rosas_browser).status_code == 422
    assert Judgment.objects.filter(assignment__rater__study=second).count() == 9
    lifecycle.move(study_id=second.pk, action="open", by=None, reason="The next version")
    planned = list(Place.objects.filter(booklet__task__study=second).values_list("unit__item__key", flat=True))
    assert sorted(planned) == sorted([*"vyz"] * 3)
    page = rosas_browser.get(ADDRESS).content.decode()
    assert "Taken over from “Small”" in page


def test_differences_that_do_not_count_are_chosen(rosas_browser: Client, second: Study) -> None:
    assert take(rosas_browser, normalise=["spaces", "case"]).status_code == 302
    assert set(values_of(second)) == {*"wxuz"}
    assert Event.objects.get(study=second, verb="took over judgments").after["normalise"] == ["spaces", "case"]


def test_answers_of_raters_who_left_stay_behind(rosas_browser: Client, second: Study) -> None:
    Rater.objects.filter(study__slug="small", pseudonym="r1").update(outcome=Rater.Outcome.WITHDRAWN)
    erasure.erase(rater=Rater.objects.get(study__slug="small", pseudonym="r2"))
    assert "Take over" not in rosas_browser.post(
        ADDRESS, {"origin": "small", "least": "2", "action": "look"}
    ).content.decode().partition("Compare the texts")[2].partition("</form>")[0]  # fmt: skip
    assert take(rosas_browser).status_code == 302
    assert values_of(second) == {"w": [4], "x": [4], "u": [4]}


def test_what_was_excluded_by_hand_stays_behind(second: Study) -> None:
    small = Study.objects.get(slug="small")
    exclusions.exclude_rater(rater=small.raters.get(pseudonym="r1"), by=None, reason="Answered by a machine.")
    one = Judgment.objects.get(assignment__rater__pseudonym="r2", assignment__unit__item__key="a")
    exclusions.exclude_judgment(judgment=one, by=None, reason="A slip.")
    lifted = exclusions.exclude_rater(rater=small.raters.get(pseudonym="r3"), by=None, reason="Too fast.")
    exclusions.lift(exclusion=lifted, by=None)
    call_command("take_over", "second", "small", stdout=StringIO())
    assert values_of(second) == {"w": [4, 5], "x": [4], "u": [4, 4]}


def test_an_erasure_in_the_earlier_study_reaches_the_later_one(rosas_browser: Client, second: Study) -> None:
    take(rosas_browser)
    erasure.erase(rater=Rater.objects.get(study__slug="small", pseudonym="r1"))
    assert values_of(second) == {"w": [4, 5], "x": [4, 5], "u": [4, 4]}
    assert "3 of these judgments were erased since" in rosas_browser.get(ADDRESS).content.decode()


def test_the_later_study_outlives_the_earlier_one(rosas_browser: Client, second: Study) -> None:
    take(rosas_browser)
    first = Study.objects.get(slug="small")
    # As a deletion does, which keeps the log apart.
    Event.objects.filter(study=first).update(study=None)
    removing.remove(first)
    assert len(values_of(second)) == 3
    assert set(Rater.objects.filter(study=second).values_list("taken_from", flat=True)) == {None}
    assert "Taken over from “Small”" in rosas_browser.get(ADDRESS).content.decode()


@pytest.mark.parametrize("spoilt", ["open", "stranger", "question"])
def test_what_cannot_be_taken_over_is_refused(spoilt: str, rosas_browser: Client, second: Study, mallory: User) -> None:
    browser = rosas_browser
    if spoilt == "open":
        Study.objects.filter(slug="small").update(state=Study.State.OPEN)
    elif spoilt == "stranger":
        # An editor of the new study who may not see the earlier one.
        Membership.objects.create(study=second, user=mallory, role=Membership.Role.EDITOR)
        browser = browser_of(mallory)
    else:
        criterion = second.criteria.get()
        criterion.question = "How bad?"
        criterion.save()
    assert take(browser).status_code == 422
    assert not Judgment.objects.filter(assignment__rater__study=second).exists()
    assert set(Unit.objects.filter(task__study=second).values_list("k", flat=True)) == {3}


def test_the_command_does_the_same(second: Study) -> None:
    out = StringIO()
    call_command("take_over", "second", "small", "--check", stdout=out)
    assert out.getvalue() == "main: 3 kept, 2 lost, 3 new; 9 judgments by 3 raters.\n"
    assert not values_of(second)
    call_command("take_over", "second", "small", "--ignore", "spaces", "--ignore", "case", stdout=out)
    assert "main: 4 kept, 1 lost, 2 new; 12 judgments by 3 raters." in out.getvalue()
    with pytest.raises(CommandError, match="before a study is opened"):
        call_command("take_over", "second", "small", stdout=out)


def test_export_and_datasheet_name_the_source(rosas_browser: Client, second: Study) -> None:
    take(rosas_browser)
    content = b"".join(rosas_browser.get("/admin/studies/second/data/ratings.csv").streaming_content)
    rows = list(csv.DictReader(StringIO(content.decode())))
    assert len(rows) == 9
    assert all(row["taken_from"].startswith("small/") for row in rows)
    sheet = StringIO()
    call_command("heds", "second", stdout=sheet)
    assert "9 judgments of 3 texts were taken over from the earlier study “Small”" in sheet.getvalue()


def test_of_labels_the_share_of_each_is_compared(tmp_path: Path) -> None:
    labels = {"type": "labels", "params": {}, "criteria": ["quality"]}
    task = {**TASK, **labels}
    ratings = [
        {"rater": rater, "item": key, "system": "crawl-1", "label": "valid" if key in "ab" else "misaligned"}
        for key in FIRST
        for rater in RATERS
    ]
    criterion = {"key": "quality", "name": "Quality", "question": "What is it?", "labels": ["valid", "misaligned"]}
    load(tmp_path, task, items(FIRST, "crawl-1"), ratings, criteria=[criterion])
    second = draft(tmp_path / "second", task, criteria=[criterion])
    found = next_version.preview(second, next_version.Request(Study.objects.get(slug="small")))
    shares: dict[str, Any] = {shift.criterion: (shift.kept, shift.lost) for shift in found.coverage[0].shifts}
    assert shares == {
        "Quality: valid": (pytest.approx(2 / 3), 0.0), "Quality: misaligned": (pytest.approx(1 / 3), 1.0)
    }  # fmt: skip


@pytest.mark.parametrize("changed", ["format", "highlights", "marks"])
def test_how_a_text_is_shown_counts_as_well(changed: str, second: Study) -> None:
    texts = Item.objects.filter(study=second, key="x")
    if changed == "format":
        texts.update(format="markdown")
    elif changed == "highlights":
        texts.update(highlights={"source": [[0, 2]]})
    else:
        Prefill.objects.create(part=Part.objects.get(unit__task__study=second, unit__item__key="x"), payload=[])
    call_command("take_over", "second", "small", stdout=StringIO())
    # The same pair stands there a second time, as it was.
    assert values_of(second) == {"w": [4, 4, 5], "y": [4, 5, 5], "u": [4, 4, 5]}


def test_whoever_takes_over_may_see_the_earlier_study(second: Study, mallory: User) -> None:
    Membership.objects.create(study=second, user=mallory, role=Membership.Role.EDITOR)
    with pytest.raises(CommandError, match="may not export the ratings of 'small'"):
        call_command("take_over", "second", "small", "--owner", mallory.username, stdout=StringIO())
    assert not values_of(second)
    Membership.objects.create(study=Study.objects.get(slug="small"), user=mallory, role=Membership.Role.VIEWER)
    call_command("take_over", "second", "small", "--owner", mallory.username, stdout=StringIO())
    assert set(values_of(second)) == {*"wxu"}


def test_an_earlier_study_that_was_opened_meanwhile_is_refused(second: Study) -> None:
    wanted = next_version.Request(Study.objects.get(slug="small"))
    Study.objects.filter(slug="small").update(state=Study.State.OPEN)
    with pytest.raises(next_version.NotPossible, match="Close the earlier study first"):
        next_version.take_over(study=second, request=wanted, by=None)


def of_documents(system: str, *texts: str) -> list[dict[str, object]]:
    """Return the rows of texts such as “d/2 source | text”: the document, the place there, and the words."""
    rows: list[dict[str, object]] = []
    for text in texts:
        place, _space, words = text.partition(" ")
        document, _slash, position = place.partition("/")
        source, output = words.split(" | ")
        about = {"item": place.replace("/", ""), "document": document, "position": int(position)}
        rows.append({**about, "system": system, "source": source, "output": output})
    return rows


WHOLE_DOCUMENT = {"page": "document", "score_document": True}
ONE, ANOTHER = ("d/1 s1 | t1", "d/2 s2 | t2", "d/3 s3 | t3"), ("e/1 s5 | t5", "e/2 s6 | t6")


@pytest.mark.parametrize(
    ("params", "later", "kept"),
    [
        # Another sentence stands before the second text, and the same one before the third.
        ({"context_before": 1}, ("d/1 other | t1", *ONE[1:]), {"d3"}),
        ({"context_before": 1}, ("d/1 s1 | other", *ONE[1:]), {"d2", "d3"}),
        ({"context_before": 1, "context_shows": "translations"}, ("d/1 s1 | other", *ONE[1:]), {"d3"}),
        ({"context_before": 0}, ("d/1 other | t1", *ONE[1:]), {"d2", "d3"}),
        # Of the document that goes on, no text was read with all others, and its score is that of another document.
        (WHOLE_DOCUMENT, (*ONE, "d/4 s4 | t4", *ANOTHER), {"e1", "e2"}),
        (WHOLE_DOCUMENT, (*ONE, ANOTHER[0], "e/2 s6 | other"), {"d1", "d2", "d3"}),
    ],
)
def test_what_is_shown_around_a_text_counts(
    params: dict[str, object], later: tuple[str, ...], kept: set[str], tmp_path: Path
) -> None:
    """Sentences of its document before it, and on the page of a document the whole document."""
    task: dict[str, Any] = {**TASK, "type": "slider", "k": 1, "set_size": 5, "params": params}
    if params == WHOLE_DOCUMENT:
        task |= {"design": "documents", "design_params": {"all_systems": True}}
    texts = of_documents("crawl-1", *ONE, *ANOTHER)
    ratings = [{"rater": "r1", "item": row["item"], "system": "crawl-1", "criterion": "quality", "value": 5}
               for row in texts]  # fmt: skip
    if params == WHOLE_DOCUMENT:
        ratings += [{**ratings[-1], "item": last, "criterion": "document_score", "value": 9} for last in ("d3", "e2")]
    load(tmp_path, task, texts, ratings, criteria=[CRITERION])
    rows = of_documents("crawl-2", *later)
    second = draft(tmp_path / "second", {**task, "set_size": len(rows)}, rows, criteria=[CRITERION])
    call_command("take_over", "second", "small", stdout=StringIO())
    taken = Rating.objects.filter(unit__task__study=second)
    assert set(taken.values_list("unit__item__key", flat=True)) == kept
    scored = taken.filter(criterion__key="document_score")
    assert {rating.unit_id for rating in scored} == set(
        Unit.objects.filter(task__study=second, features__has_key="ends_document", item__key__in=kept)
        .values_list("pk", flat=True)
    )  # fmt: skip


def test_the_wording_that_a_rater_read_comes_with_the_judgment(tmp_path: Path) -> None:
    criterion = {**CRITERION, "wordings": [{"key": "reversed", "question": "How bad?", "reversed": True}]}
    ratings = [
        {
            "rater": rater, "item": key, "system": "crawl-1", "value": 5, "shown_value": shown_value,
            "arrangement": json.dumps({"wordings": {"quality": wording}}),
        }
        for rater, wording, shown_value in (("r1", "first", 5), ("r2", "reversed", 1))
        for key in FIRST
    ]  # fmt: skip
    load(tmp_path, TASK, items(FIRST, "crawl-1"), ratings, criteria=[criterion])
    draft(tmp_path / "second", criteria=[criterion])
    call_command("take_over", "second", "small", stdout=StringIO())
    exported = b"".join(ratings_export.stream(Study.objects.get(slug="second"), format="csv")).decode()
    rows = list(csv.DictReader(StringIO(exported)))
    assert {(row["wording"], row["value"], row["shown_value"]) for row in rows} == {
        ("first", "5", "5"), ("reversed", "5", "1")
    }  # fmt: skip


def test_an_archive_says_where_judgments_come_from_and_is_computed_again(second: Study, tmp_path: Path) -> None:
    call_command("take_over", "second", "small", stdout=StringIO())
    (tmp_path / "plan.yaml").write_text("n_resamples: 100\nanalyses: [{analysis: krippendorff}]\n", encoding="utf-8")
    with undrawn():
        call_command("analyse", "second", "--plan", str(tmp_path / "plan.yaml"), stdout=StringIO(), stderr=StringIO())
    path = tmp_path / "archive.zip"
    call_command("archive", "second", str(path), stdout=StringIO())
    with zipfile.ZipFile(path) as archive:
        rows = [json.loads(line) for line in archive.read("rows/judgment.jsonl").splitlines()]
        raters = [json.loads(line) for line in archive.read("rows/rater.jsonl").splitlines()]
    assert all(row["answer"]["imported"]["judgment"].startswith("taken-from:small/") for row in rows)
    assert {row["taken_from_id"] for row in raters} == {None}
    empty_all_tables()
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("verify", str(path), stdout=out)
    assert out.getvalue().startswith("archive.zip: recomputed, unsigned: "), out.getvalue()
