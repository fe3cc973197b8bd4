"""Parquet and Arrow files, and folders that `datasets` of Hugging Face writes, are tables like any other."""

import io
from pathlib import Path

import polars
import pytest

from tasks_app import importing
from tasks_app.importing import RatingsFile
from tasks_app.models import Study
from tests.tasks_app.importing import kit

pytestmark = pytest.mark.django_db

ROWS: dict[str, list[object]] = {
    "rater": ["ann", "bob"],
    "item": ["i1", "i1"],
    "system": ["alpha", "alpha"],
    "value": [4, 3],
}
STYLE = "columns: {rater: rater, item: item, system: system, value: value}\nconstant: {criterion: style}\n"
RATED = [("ann", "i1/alpha", "style", 4.0), ("bob", "i1/alpha", "style", 3.0)]


def written(format: str, rows: dict[str, list[object]]) -> bytes:
    """Return rows as a file; `stream` is what `save_to_disk` writes, and `file` what Feather is."""
    target, frame = io.BytesIO(), polars.DataFrame(rows)
    match format:
        case "parquet":
            frame.write_parquet(target)
        case "stream":
            frame.write_ipc_stream(target, compat_level=polars.CompatLevel.oldest())
        case _:
            frame.write_ipc(target, compat_level=polars.CompatLevel.oldest())
    return target.getvalue()


@pytest.mark.parametrize(
    ("format", "name"),
    [("parquet", "r.parquet"), ("parquet", "r.csv"), ("stream", "data-00000-of-00001.arrow"), ("file", "r.arrow")],
)
def test_files_of_columns_are_tables(draft: Study, tmp_path: Path, format: str, name: str) -> None:
    """A Parquet file is known by its first bytes, whatever its name."""
    kit.bring(draft, tmp_path, written(format, ROWS), STYLE, name)
    assert kit.ratings(draft) == RATED


def test_a_folder_of_several_files_is_one_table(draft: Study, tmp_path: Path) -> None:
    folder = tmp_path / "theirs" / "train"
    folder.mkdir(parents=True)
    for number in (0, 1):
        rows = {name: values[number : number + 1] for name, values in ROWS.items()}
        (folder / f"data-0000{number}-of-00002.arrow").write_bytes(written("stream", rows))
    (folder / "dataset_info.json").write_text("{}")
    file = RatingsFile.at(str(tmp_path / "theirs"))
    importing.import_ratings(study=draft, file=file, mapping=kit.mapped(STYLE), by=None)
    assert kit.ratings(draft) == RATED


def test_lists_and_objects_within_columns_are_read_by_paths(draft: Study, tmp_path: Path) -> None:
    rows = {"id": ["i1"], "mt": ["alpha"], "notes": [[{"who": "ann", "score": 4}, {"who": "bob", "score": 3}]]}
    mapping = (
        "columns: {item: id, system: mt, rater: 'notes[*].who', value: 'notes[*].score'}\n"
        "constant: {criterion: style}\n"
    )
    kit.bring(draft, tmp_path, written("parquet", rows), mapping, "r.parquet")
    assert kit.ratings(draft) == RATED


@pytest.mark.parametrize("content", [b"PAR1", b"PAR1" + b"\x00" * 500 + b"PAR1", b"\xff" * 4000, b""])
def test_a_damaged_file_is_refused(draft: Study, tmp_path: Path, content: bytes) -> None:
    (line,) = kit.problems_of(draft, tmp_path, content, STYLE, "r.parquet")
    assert line.startswith("r.parquet: This file is damaged or of another format")
