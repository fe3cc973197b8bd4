"""Known answers, batches and suggestions of a draft: uploaded, filled in from a template, changed row by row."""

import csv
import io
import json
from collections.abc import Mapping
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from tasks_app import studyfile
from tasks_app.hooks.sections import Json, digest
from tasks_app.models import Gold, Setup, Study
from tasks_app.services.study.drafts import NotADraft
from tasks_app.services.study.lifecycle import move
from tasks_app.setup import changes, table_rows
from tasks_app.setup.changes import ChangedMeanwhile
from tasks_app.setup.checking import make_study, reading_of
from tasks_app.setup.unit_tables import rows as unit_rows
from tasks_app.setup.unit_tables.answers import answerable
from tasks_app.setup.unit_tables.declared import UNIT_TABLES
from tests.rendering import with_context
from tests.workbooks import workbook

pytestmark = pytest.mark.django_db

SLUG = "example-likert"
CONTROLS, BATCHES, PREFILL = (UNIT_TABLES[name] for name in ("controls", "batches", "prefill"))

# Each text of an item: an item with a known answer is not judged otherwise.
KNOWN = [
    {"unit": f"cafe-lindner/{system}", "purpose": "control", "kind": "exact", "answer": "5", "criterion": "accuracy"}
    for system in ("neural", "template", "writer")
]


def written(rows: list[dict[str, str]]) -> str:
    """Return rows as CSV."""
    text = io.StringIO()
    names = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def path_of(table: str = "controls", name: str = "unit_table", **more: object) -> str:
    """Return the address of a page about a table."""
    return reverse(f"researcher:{name}", kwargs={"slug": SLUG, "table": table, **more})


def send(
    browser: Client, action: str, content: str | bytes, table: str = "controls", name: str = "known.csv", **chosen: str
) -> Any:
    """Upload a table, and press a button of the second page with the columns as they were guessed."""
    file = SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)
    uploaded = browser.post(path_of(table), {"action": "upload", "file": file})
    assert uploaded.status_code == 302, uploaded.content.decode()
    with with_context():
        form = browser.get(uploaded["Location"]).context["form"]
    guessed = {field.html_name: field.value() or "" for field in form}
    token = uploaded["Location"].partition("file=")[2]
    return browser.post(path_of(table), {"action": action, "file": token, **guessed, **chosen})


def shown(answer: Any, status: int = 200) -> str:
    """Return a page's text."""
    assert answer.status_code == status, answer.content.decode()[:3000]
    return str(answer.content.decode())


def stored(setup: Setup, table: str = "controls") -> list[dict[str, str]]:
    """Return the rows of a table."""
    return list(table_rows.cells_of_rows(setup, table))


def change(setup: Setup, **values: Json) -> None:
    """Set values of the first task."""
    changes.change(setup=setup, values={("tasks", 0, name): value for name, value in values.items()}, base=0, by=None)


def test_a_table_of_known_answers_is_checked_and_stored(setup: Setup, rosa: User, rosas_browser: Client) -> None:
    assert "3 rows" in shown(send(rosas_browser, "check", written(KNOWN)))
    assert not stored(setup), "nothing is stored before that is asked for"
    assert send(rosas_browser, "store", written(KNOWN))["Location"] == path_of()
    assert stored(setup) == KNOWN
    page = shown(rosas_browser.get(path_of()))
    assert "Stored: 3 rows." in page
    assert "cafe-lindner/neural" in page
    setup.refresh_from_db()
    newest = setup.changes.filter(is_table=True).latest("id")
    assert (newest.path, newest.before, newest.after, newest.is_table, newest.by) == (["controls"], 0, 3, True, rosa)
    assert setup.study.events.filter(verb="stored", object="controls").get().after == {"rows": 3, "file": "known.csv"}
    study, _loaded = make_study(setup=setup, by=rosa)
    gold = Gold.objects.filter(unit__task__study=study)
    assert set(gold.values_list("unit__key", "criterion__key", "purpose", "answer")) == {
        (row["unit"], "accuracy", "control", 5) for row in KNOWN
    }


@pytest.mark.parametrize("name", ["known.tsv", "known.jsonl", "known.xlsx"])
def test_other_formats_are_read_like_texts(setup: Setup, rosas_browser: Client, name: str) -> None:
    header = list(KNOWN[0])
    contents: Mapping[str, str | bytes] = {
        "known.tsv": "\n".join("\t".join(row) for row in (header, *(row.values() for row in KNOWN))),
        "known.jsonl": "\n".join(json.dumps({**row, "answer": 5}) for row in KNOWN),
        "known.xlsx": workbook({"Known": [header, *(list(row.values()) for row in KNOWN)]}),
    }
    assert send(rosas_browser, "store", contents[name], name=name).status_code == 302
    assert stored(setup) == KNOWN


def test_a_word_that_looks_like_a_number_stays_a_word(setup: Setup, rosas_browser: Client) -> None:
    rows = "\n".join(json.dumps({**row, "answer": "5"}) for row in KNOWN)
    page = shown(send(rosas_browser, "store", rows, name="known.jsonl"), 422)
    assert "This is answered by a number; &#x27;5&#x27; is not a number." in page


def test_columns_with_other_names_are_guessed_or_chosen(setup: Setup, rosas_browser: Client) -> None:
    other = [
        {"screen": row["unit"], "gold": row["answer"], "why": "So.", "x": "control", "kind": "exact"} for row in KNOWN
    ]
    page = shown(send(rosas_browser, "store", written(other)), 422)
    assert "The table needs these columns as well: purpose." in page
    assert send(rosas_browser, "store", written(other), **{"use-3": "purpose"}).status_code == 302
    assert stored(setup)[0] == {
        "unit": "cafe-lindner/neural", "answer": "5", "explanation": "So.", "purpose": "control", "kind": "exact",
    }  # fmt: skip
    twice = shown(send(rosas_browser, "store", written(other), **{"use-3": "purpose", "use-2": "answer"}), 422)
    assert "Only one column can be “answer”. Choose one of “gold”, “why”." in twice


BAD = {
    "unknown unit": ({"unit": "cafe-lidner/neural"}, "There is no unit “cafe-lidner/neural”."),
    "unknown criterion": ({"criterion": "acuracy"}, "Did you mean “accuracy”?"),
    "answer off the scale": ({"answer": "9"}, "must be from 1 to 5, the scale of this task; it is 9."),
    "kind of other types": (
        {"kind": "span", "answer": "[]"},
        "Gold of kind &#x27;span&#x27; is not graded by this task type.",
    ),
    "purpose": ({"purpose": "screening"}, "must be one of: training, exam, control, attention"),
    "no answer": ({"answer": ""}, "A value is needed here in every row."),
    "twice": ({"unit": "cafe-lindner/template"}, "Line 2 has an answer to this already. Keep one of them."),
}


@pytest.mark.parametrize(("changed", "sentence"), BAD.values(), ids=BAD)
def test_nothing_is_stored_where_a_row_does_not_fit(
    setup: Setup, rosas_browser: Client, changed: dict[str, str], sentence: str
) -> None:
    rows = [KNOWN[1], {**KNOWN[0], **changed}, KNOWN[2]]
    page = shown(send(rosas_browser, "store", written(rows)), 422)
    assert sentence in page
    assert not stored(setup)


def test_the_table_comes_back_with_its_problems(setup: Setup, rosas_browser: Client) -> None:
    rows = [{**row, "answer": "9"} for row in KNOWN]
    page = shown(send(rosas_browser, "check", written(rows)), 422)
    assert "3 problems like this, at 2:4, 3:4, 4:4." in page
    answer = send(rosas_browser, "marked", written(rows))
    lines = b"".join(answer.streaming_content).decode().splitlines()
    assert lines[0] == "\ufeffproblem,unit,purpose,kind,answer,criterion"
    assert lines[1].startswith('"answer: must be from 1 to 5')
    corrected = "\n".join(lines).removeprefix("\ufeff").replace(",9,", ",4,")
    assert send(rosas_browser, "store", corrected).status_code == 302, "the column of problems is left out by itself"


def test_an_item_is_known_as_a_whole_or_not_at_all(setup: Setup, rosas_browser: Client) -> None:
    page = shown(send(rosas_browser, "store", written(KNOWN[:2])), 422)
    assert "but its unit “cafe-lindner/writer” has none" in page
    assert "known.csv" in page, "the file is named"
    assert send(rosas_browser, "store", written(KNOWN[:2])).status_code == 422
    assert send(rosas_browser, "store", written(KNOWN)).status_code == 302
    more = [{**row, "unit": row["unit"].replace("cafe-lindner", "museum-clocks")} for row in KNOWN]
    assert send(rosas_browser, "store", written(more), mode="add").status_code == 302
    assert stored(setup) == [*KNOWN, *more]
    again = shown(send(rosas_browser, "check", written(more), mode="add"), 422)
    assert "has an answer to this already" in again


def test_texts_and_tasks_come_first(setup: Setup, rosas_browser: Client) -> None:
    change(setup, criteria=["no such criterion"])
    page = shown(send(rosas_browser, "check", written(KNOWN)), 422)
    assert "Complete the task and the texts first." in page
    assert "no such criterion" in page
    assert "Complete the task and the texts first." in shown(rosas_browser.get(path_of(name="unit_template")), 422)
    changes.undo(setup=setup, by=None)
    setup.rows.filter(table="items").delete()
    assert "Complete the task and the texts first." in shown(send(rosas_browser, "check", written(KNOWN)), 422)


def test_a_template_lists_every_unit_and_criterion(setup: Setup, rosas_browser: Client) -> None:
    answer = rosas_browser.get(path_of(name="unit_template"))
    text = b"".join(answer.streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    assert len(rows) == 35 * 2, "two outputs are the same text, and so one unit"
    assert {(row["purpose"], row["kind"], row["answer"]) for row in rows} == {("control", "exact", "")}
    assert {row["criterion"] for row in rows} == {"fluency", "accuracy"}
    first = next(row for row in rows if row["unit"] == "cafe-lindner/neural")
    assert first["unit_text"].startswith("Lindner, a café at the harbour")
    filled = [{**row, "answer": "4"} for row in rows if row["unit"].startswith("cafe-lindner/")]
    assert send(rosas_browser, "store", written(filled)).status_code == 302
    assert len(stored(setup)) == 6
    assert set(stored(setup)[0]) == {"unit", "purpose", "criterion", "kind", "answer"}


def test_rows_are_added_and_changed_one_by_one(setup: Setup, rosa: User, rosas_browser: Client) -> None:
    page = shown(rosas_browser.post(path_of(name="unit_new"), KNOWN[0], follow=True))
    assert "Row 1 is stored." in page
    assert "Still to do in this table: The item “cafe-lindner” has known answers, but" in page
    for row in KNOWN[1:]:
        rosas_browser.post(path_of(name="unit_new"), row)
    assert stored(setup) == KNOWN
    edit = path_of(name="unit_row", number=2)
    seen = digest(KNOWN[1])
    assert rosas_browser.post(edit, {**KNOWN[1], "answer": "2", "seen": seen}).status_code == 302
    assert stored(setup)[1]["answer"] == "2"
    twice = shown(rosas_browser.post(edit, {**KNOWN[0], "seen": digest(stored(setup)[1])}), 422)
    assert "Line 1 has an answer to this already." in twice
    wrong = shown(rosas_browser.post(edit, {**KNOWN[1], "answer": "7"}), 422)
    assert "must be from 1 to 5" in wrong
    theirs = shown(rosas_browser.post(edit, {**KNOWN[1], "seen": seen}, follow=True))
    assert "Somebody else has changed this row while you were editing" in theirs
    assert stored(setup)[1]["answer"] == "2", "what the other has stored stays"
    unit_rows.remove_rows(setup=setup, table=CONTROLS, rows=unit_rows.search(setup, CONTROLS, "writer"), by=rosa)
    gone = rosas_browser.post(path_of(name="unit_row", number=3), KNOWN[2])
    assert gone.status_code == 404


def test_rows_are_searched_filtered_and_removed(setup: Setup, rosa: User, rosas_browser: Client) -> None:
    rows = [{**KNOWN[0], "unit": f"u{n}", "purpose": "exam" if n % 2 else "control"} for n in range(120)]
    unit_rows.store(setup=setup, table=CONTROLS, rows=rows, base=setup.revision, by=rosa)
    assert "Page 1 of 3" in shown(rosas_browser.get(path_of()))
    assert "Page 1 of 2" in shown(rosas_browser.get(path_of(), {"only": "exam"}))
    page = shown(rosas_browser.get(path_of(), {"q": "U77"}))
    assert ">u77<" in page
    assert ">u78<" not in page
    page = shown(rosas_browser.post(path_of(), {"action": "remove", "all": "1", "only": "exam"}))
    assert "Remove 60 rows?" in page
    assert len(stored(setup)) == 120
    rosas_browser.post(path_of(), {"action": "remove", "all": "1", "only": "exam", "sure": "1"})
    assert {row["purpose"] for row in stored(setup)} == {"control"}
    rosas_browser.post(path_of(), {"action": "remove", "row": ["1", "3", "x"]})
    assert len(stored(setup)) == 58
    assert setup.study.events.filter(verb="removed", object="controls").count() == 2


def test_a_check_that_no_longer_holds_stores_nothing(setup: Setup, rosa: User) -> None:
    with pytest.raises(ChangedMeanwhile):
        unit_rows.store(setup=setup, table=CONTROLS, rows=KNOWN, base=setup.revision - 1, by=rosa)
    assert not stored(setup)


def test_batches_take_every_unit_to_be_judged(setup: Setup, rosa: User, rosas_browser: Client) -> None:
    assert "No task has the design “batches”." in shown(rosas_browser.get(path_of("batches")))
    change(setup, design="batches")
    send(rosas_browser, "store", written(KNOWN))
    answer = rosas_browser.get(path_of("batches", "unit_template"))
    text = b"".join(answer.streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    assert len(rows) == 32, "units with a known answer are in no batch"
    assert {row["batch"] for row in rows} == {""}
    batches = [{**row, "batch": f"batch-{n // 8}"} for n, row in enumerate(rows)]
    short = shown(send(rosas_browser, "store", written(batches[1:]), "batches"), 422)
    assert "1 unit of the task “places” is in no batch" in short
    assert send(rosas_browser, "store", written(batches), "batches").status_code == 302
    study, _loaded = make_study(setup=changes.begin(setup.study), by=rosa)
    study = move(study_id=study.pk, action="open", by=rosa)
    plan = [booklet.places.count() for booklet in study.tasks.get().booklets.all()]
    assert plan == [8] * 12
    with pytest.raises(NotADraft):
        unit_rows.store(setup=setup, table=BATCHES, rows=[], base=0, by=rosa)


def test_suggestions_are_for_types_that_show_them(setup: Setup, rosa: User, rosas_browser: Client) -> None:
    assert "Task types that can: Error spans and Post-editing." in shown(rosas_browser.get(path_of("prefill")))
    spans = studyfile.load("examples/error_spans", owner=rosa)
    changes.begin(spans)
    path = reverse("researcher:unit_template", args=[spans.slug, "prefill"])
    text = b"".join(rosas_browser.get(path).streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    assert rows
    assert set(rows[0]) == {"unit", "part", "payload", "given_by", "source_text", "unit_text"}
    new = reverse("researcher:unit_new", args=[spans.slug, "prefill"])
    row = {"unit": rows[0]["unit"], "part": "1"}
    assert rosas_browser.post(new, {**row, "payload": '{"start": 0, "end": 100000}'}).status_code == 422
    assert rosas_browser.post(new, {**row, "payload": '{"start": 0, "end": 4'}).status_code == 422


@pytest.mark.parametrize(
    ("example", "kinds"),
    [
        ("likert", ["exact", "range", "set"]),
        ("labels", ["exact", "set"]),
        ("ranking", ["order"]),
        ("best_worst", ["exact", "set", "order"]),
        ("error_spans", ["exact", "range", "set", "span"]),
    ],
)
def test_the_kinds_that_a_type_grades_are_explained(
    rosa: User, rosas_browser: Client, example: str, kinds: list[str]
) -> None:
    study: Study = studyfile.load(f"examples/{example}", owner=rosa, replace=True)
    (task,) = answerable(reading_of(changes.begin(study)))
    assert [kind for kind, _words, _example in task.kinds] == kinds
    page = shown(rosas_browser.get(reverse("researcher:unit_table", args=[study.slug, "controls"])))
    for kind in kinds:
        assert f'<th scope="row">{kind}</th>' in page


def test_steps_lead_to_the_tables_that_a_task_has_a_use_for(setup: Setup, rosas_browser: Client) -> None:
    def links(step: str) -> list[str]:
        page = shown(rosas_browser.get(reverse("researcher:step", args=[SLUG, step])))
        return [name for name in UNIT_TABLES if path_of(name) in page]

    assert [links(step) for step in ("task", "raters", "checks")] == [[], [], ["controls"]]
    change(setup, design="batches", type="error_spans")
    assert [links(step) for step in ("task", "raters", "checks")] == [["prefill"], ["batches"], ["controls"]]
    assert rosas_browser.get(path_of("items")).status_code == 404
    review = reverse("researcher:review", args=[SLUG])
    assert path_of() not in shown(rosas_browser.get(review))
    setup.rows.create(table="controls", number=1, cells=KNOWN[0])
    assert path_of() in shown(rosas_browser.get(review))
