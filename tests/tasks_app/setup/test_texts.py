"""The texts of a study that is set up: stored, changed row by row, sampled, shown with media."""

from collections.abc import Mapping

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile

from tasks_app.hooks.sections import digest
from tasks_app.models import Media, Setup, Study
from tasks_app.services.study.drafts import NotADraft
from tasks_app.services.study.lifecycle import move
from tasks_app.setup import changes, media, table_rows
from tasks_app.setup.checking import make_study
from tasks_app.setup.tables.checking import UploadedMedia
from tasks_app.setup.texts import reads, samples, writes
from tasks_app.studyfile.files.media import column_of
from tasks_app.studyfile.problems import StudyFileError
from tests.media import png

pytestmark = pytest.mark.django_db

ROWS = [
    {
        "item": f"i{n}",
        "system": system,
        "output": f"text {n} of {system}",
        "source": "x" * n,
        "feature_kind": "ab"[n % 2],
    }
    for n in range(10)
    for system in ("one", "two")
]
SYSTEMS = {"one": "The One", "two": ""}


@pytest.fixture
def stored(setup: Setup, rosa: User) -> Setup:
    """The same with other texts."""
    return writes.store(setup=setup, rows=ROWS, systems=SYSTEMS, by=rosa)


def put(setup: Setup, by: User, number: int | None = None, **cells: str) -> None:
    """Store a row."""
    writes.put_row(setup=setup, number=number, cells=cells, media=UploadedMedia(), by=by)


def test_a_table_takes_the_place_of_the_texts(stored: Setup) -> None:
    assert list(reads.cells_of_rows(stored)) == ROWS
    assert stored.given["systems"] == [{"key": "one", "name": "The One"}, {"key": "two"}]
    counts = reads.counts(stored)
    assert (counts.items, counts.outputs) == (10, 20)
    assert [(one.label, one.outputs, one.kind) for one in counts.systems] == [
        ("The One", 10, "machine"), ("two", 10, "machine"),
    ]  # fmt: skip
    assert stored.changes.filter(is_table=True).count() == 2
    assert changes.undo(setup=stored, by=User.objects.get(username="rosa")) is None, "names go with their table"


def test_rows_are_added_behind_those_that_are_there(stored: Setup, rosa: User) -> None:
    more = [{"item": "i99", "system": "three", "output": "more"}]
    setup = writes.store(setup=stored, rows=more, systems={"three": "Third"}, by=rosa, add=True)
    assert list(reads.cells_of_rows(setup)) == [*ROWS, *more]
    assert [entry["key"] for entry in setup.given["systems"]] == ["one", "two", "three"]


def test_how_an_uploaded_study_file_called_its_columns_is_forgotten(setup: Setup, rosa: User) -> None:
    given = {**setup.given, "columns": {"items": {"output": "hyp"}}, "quoting": {"items": "none"}}
    setup = changes.replace_given(setup=setup, given=given, base=setup.revision, by=rosa)
    setup = writes.store(setup=setup, rows=ROWS, systems=SYSTEMS, by=rosa)
    assert [setup.given.get(part) for part in ("columns", "quoting")] == [{}, {}]


def test_a_row_is_changed_and_added(stored: Setup, rosa: User) -> None:
    put(stored, rosa, 1, item="i0", system="one", output="better", source="", feature_kind="a")
    assert reads.rows_of(stored).get(number=1).cells["output"] == "better"
    put(stored, rosa, item="i10", system="three", output="new\r\ntext", position="3")
    cells = reads.rows_of(stored).get(number=21).cells
    assert cells == {"item": "i10", "system": "three", "output": "new\ntext", "position": "3"}
    assert [one.key for one in reads.counts(changes.begin(stored.study)).systems] == ["one", "two", "three"]


def test_what_is_changed_about_an_item_is_changed_in_all_its_rows(stored: Setup, rosa: User) -> None:
    cells = dict(reads.rows_of(stored).get(number=3).cells)
    put(stored, rosa, 3, **{**cells, "source": "line\r\nline", "feature_kind": ""})
    changed = [row.cells for row in reads.rows_of(stored).filter(cells__item="i1")]
    assert [row["source"] for row in changed] == ["line\nline"] * 2
    assert not any("feature_kind" in row for row in changed)
    assert [row["output"] for row in changed] == ["text 1 of one", "text 1 of two"]


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        ({"item": "i0", "system": "two"}, "stand in line 2 already"),
        ({"item": "i1", "system": "new", "source": "other"}, "The item “i1” has another value here in line 3"),
        ({"item": "no\nkey", "system": "one"}, "characters that can be seen, without line breaks"),
        ({"item": "i0", "system": "new", "position": "many"}, "Expected a whole number"),
        ({"item": "i0", "system": "new", "context_image": "media/none.png"}, "There is no file"),
        ({"system": "new"}, "A value is needed"),
    ],
)
def test_a_row_that_does_not_fit_is_refused(stored: Setup, rosa: User, cells: Mapping[str, str], sentence: str) -> None:
    with pytest.raises(StudyFileError) as refused:
        put(stored, rosa, **cells)
    assert sentence in str(refused.value)
    assert reads.rows_of(stored).count() == len(ROWS)


def test_a_wrong_value_of_an_item_changes_no_row(stored: Setup, rosa: User) -> None:
    cells = dict(reads.rows_of(stored).get(number=3).cells)
    for wrong in ({"position": "many"}, {"source": "\x00"}, {"options": "[1]"}):
        with pytest.raises(StudyFileError):
            put(stored, rosa, 3, **{**cells, **wrong})
    assert list(reads.cells_of_rows(stored)) == ROWS


def test_a_row_that_somebody_else_has_changed_is_not_overwritten(stored: Setup, rosa: User) -> None:
    cells = dict(reads.rows_of(stored).get(number=3).cells)
    digest_shown = digest(cells)
    put(stored, rosa, 3, **{**cells, "output": "theirs"})
    mine = {**cells, "output": "mine"}
    for number in (3, 99):
        with pytest.raises(table_rows.RowChanged):
            writes.put_row(
                setup=stored, number=number, cells=mine, media=UploadedMedia(), by=rosa, digest_shown=digest_shown
            )
    assert reads.rows_of(stored).get(number=3).cells["output"] == "theirs"


def test_rows_are_found_and_removed(stored: Setup, rosa: User) -> None:
    assert reads.search(stored, "TEXT 3").count() == 2
    assert reads.search(stored, "text 3", "one").count() == 1
    assert not reads.search(stored, "output").exists(), "names of columns are no texts"
    assert writes.remove_rows(setup=stored, rows=reads.search(stored, system="two"), by=rosa) == 10
    assert {row["system"] for row in reads.cells_of_rows(stored)} == {"one"}


def test_a_sample_keeps_whole_items_and_says_how_it_was_drawn(stored: Setup, rosa: User) -> None:
    drawing = samples.take_sample(setup=stored, sample=samples.Sample(4, "feature_kind", seed=5), by=rosa)
    rows = list(reads.cells_of_rows(stored))
    assert len(rows) == 8
    assert len({row["item"] for row in rows}) == 4
    assert drawing == {
        "from_items": 10, "items": 4, "from_rows": 20, "rows": 8, "by": "feature_kind", "equal": False, "seed": 5,
        "strata": {"a": 2, "b": 2},
    }  # fmt: skip
    assert samples.last_sample(stored) == drawing
    writes.store(setup=stored, rows=ROWS, systems=SYSTEMS, by=rosa)
    assert samples.last_sample(stored) is None, "these are other texts"
    samples.take_sample(setup=stored, sample=samples.Sample(4, "feature_kind", seed=5), by=rosa)
    assert list(reads.cells_of_rows(stored)) == rows, "the seed draws the same again"


def test_a_sample_by_length_has_short_and_long_ones(stored: Setup, rosa: User) -> None:
    drawing = samples.take_sample(setup=stored, sample=samples.Sample(3, samples.BY_SOURCE, equal=True), by=rosa)
    assert drawing["strata"] == {"short": 1, "middle": 1, "long": 1}
    assert isinstance(drawing["seed"], int)


@pytest.mark.parametrize(("n", "by"), [(10, ""), (0, ""), (3, "document")])
def test_a_sample_that_cannot_be_drawn_removes_nothing(stored: Setup, rosa: User, n: int, by: str) -> None:
    with pytest.raises(samples.CannotSample):
        samples.take_sample(setup=stored, sample=samples.Sample(n, by), by=rosa)
    assert reads.rows_of(stored).count() == len(ROWS)


def test_systems_get_names_and_kinds(stored: Setup, rosa: User) -> None:
    entries = [{"key": "one", "name": "First", "kind": "human"}, {"key": "two", "name": "", "kind": "machine"}]
    assert writes.name_systems(setup=stored, systems=entries, base=stored.revision, by=rosa)
    setup = changes.begin(stored.study)
    assert setup.given["systems"] == [
        {"key": "one", "name": "First", "kind": "human"},
        {"key": "two", "kind": "machine"},
    ]
    assert not writes.name_systems(setup=setup, systems=entries[:1], base=stored.revision, by=rosa), "seen before that"
    setup = writes.store(setup=setup, rows=ROWS, systems=SYSTEMS, by=rosa)
    assert setup.given["systems"][0]["name"] == "First", "a table does not rename what has a name"


def test_media_are_found_by_the_names_of_their_files(stored: Setup, rosa: User) -> None:
    media.keep(setup=stored, uploads=[SimpleUploadedFile("one.png", png())], by=rosa)
    (file,) = media.files_of(stored)
    assert (file.called, column_of(file.kind)) == ("one.png", "context_image")
    uploaded = media.uploaded(stored)
    assert uploaded.by_name == {"one.png": file.name}
    cells = {"item": "i0", "system": "new", "output": "x", "context_image": file.name}
    writes.put_row(setup=stored, number=None, cells=cells, media=uploaded, by=rosa)
    with pytest.raises(media.IsUsed, match="“i0”"):
        media.remove(setup=stored, name=file.name, by=rosa)
    writes.remove_rows(setup=stored, rows=reads.search(stored, system="new"), by=rosa)
    media.remove(setup=stored, name=file.name, by=rosa)
    assert not Media.objects.filter(study=stored.study).exists()


def test_files_that_raters_cannot_be_shown_are_refused_together(stored: Setup, rosa: User) -> None:
    files = [SimpleUploadedFile("one.png", png()), SimpleUploadedFile("two.svg", b"<svg></svg>")]
    with pytest.raises(StudyFileError, match="is SVG, HTML or XML"):
        media.keep(setup=stored, uploads=files, by=rosa)
    assert not Media.objects.filter(study=stored.study).exists()


def test_the_study_is_made_of_the_texts(stored: Setup, rosa: User) -> None:
    """With systems by their names, features, and a picture."""
    media.keep(setup=stored, uploads=[SimpleUploadedFile("one.png", png())], by=rosa)
    (file,) = media.files_of(stored)
    for number, row in enumerate(ROWS[:2], start=1):
        cells = {**row, "context_image": file.name, "position": "", "output": f"{row['output']}."}
        writes.put_row(setup=stored, number=number, cells=cells, media=media.uploaded(stored), by=rosa)
    study, loaded = make_study(setup=stored, by=rosa)
    assert (loaded.counts["items"], loaded.counts["outputs"], loaded.counts["systems"]) == (10, 20, 2)
    item = study.items.get(key="i0")
    assert item.features == {"kind": "a"}
    assert item.item_media.get().role == "context_image"
    assert list(study.systems.order_by("id").values_list("key", "name")) == [("one", "The One"), ("two", "")]
    assert media.files_of(changes.begin(study))[0].called == "one.png", "the name of the file is kept"


def test_nothing_changes_once_the_study_is_open(setup: Setup, rosa: User) -> None:
    study = Study.objects.get(pk=setup.study_id)
    move(study_id=study.pk, action="open", by=rosa)
    setup.study = Study.objects.get(pk=study.pk)
    for change in (
        lambda: writes.store(setup=setup, rows=ROWS, systems=SYSTEMS, by=rosa),
        lambda: put(setup, rosa, 1, item="i0", system="one"),
        lambda: writes.remove_rows(setup=setup, rows=reads.search(setup), by=rosa),
        lambda: samples.take_sample(setup=setup, sample=samples.Sample(2), by=rosa),
        lambda: media.keep(setup=setup, uploads=[SimpleUploadedFile("one.png", png())], by=rosa),
    ):
        with pytest.raises(NotADraft):
            change()
    assert reads.rows_of(setup).count() == 36
