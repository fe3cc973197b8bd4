"""Write a document as files, study.yaml, tables and media, into a folder or a zip."""

import csv
import io
import os
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TypeAlias

from django.utils.translation import gettext as _

from tasks_app.hooks import sections
from tasks_app.hooks.sections import Document, Json
from tasks_app.studyfile.columns import (
    BATCHES,
    BETWEEN_FILES,
    CONTROLS,
    ITEMS,
    PREFILL,
    BadCell,
    TableDeclaration,
    from_text,
)
from tasks_app.studyfile.files import captions
from tasks_app.studyfile.files.jsontext import dumps
from tasks_app.studyfile.files.media import CAPTIONS, OUTPUT_FILE, ROLES, extension
from tasks_app.studyfile.files.source import STUDY_YAML
from tasks_app.studyfile.files.yaml_text import dump
from tasks_app.studyfile.problems import Problem, StudyFileError
from tasks_app.task_types import highlights

Target: TypeAlias = "str | os.PathLike[str] | IO[bytes]"

# The earliest time a zip can hold. With the true one no two exports of a study would be the same bytes.
_TIME = (1980, 1, 1, 0, 0, 0)

MEDIA_FOLDER = "media"


def write(document: Document, target: Target, media: Callable[[str], bytes | None], notes: Sequence[str] = ()) -> None:
    """Write a document; `media` gives the content of a file by its hash, or None for one that is left out.

    `notes` are lines that stand as comments on top of study.yaml.

    Raises
    ------
    StudyFileError
        Where the target is a folder that holds something already.
    """
    if isinstance(target, str | os.PathLike) and Path(target).suffix.lower() != ".zip":
        folder = Path(target)
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            sentence = _("already exists and is not an empty folder. Choose a new name, or one that ends in .zip.")
            raise StudyFileError([Problem(str(target), 0, 0, sentence)])
        for name, content in files_of(document, media, notes):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        return
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files_of(document, media, notes):
            entry = zipfile.ZipInfo(name, _TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)


def files_of(
    document: Document, media: Callable[[str], bytes | None], notes: Sequence[str] = ()
) -> Iterator[tuple[str, bytes]]:
    """Yield (name, content) of every file of a study; `notes` are comments on top of study.yaml."""
    comments = "".join(f"# {note}\n" for note in notes)
    yield STUDY_YAML, (comments + dump(document, sections.registered())).encode()
    for table, rows in tables_of(document):
        yield f"{table.stem}.csv", table_bytes(table, rows)
    kinds = {medium["sha256"]: medium["kind"] for item in document["items"] for medium in item["context"]}
    files = [output["file"] for item in document["items"] for output in item["outputs"] if "file" in output]
    kinds |= {file["sha256"]: file["kind"] for file in files}
    kinds |= {file["captions"]: captions.KIND for file in files if "captions" in file}
    for sha256, kind in sorted(kinds.items()):
        if (content := media(sha256)) is not None:
            yield media_name(sha256, kind), content


def tables_of(document: Document) -> Iterator[tuple[TableDeclaration, list[Mapping[str, Json]]]]:
    """Yield every table of a document that has rows, with its rows."""
    if document["items"]:
        yield ITEMS, list(item_rows(document["items"]))
    if document["controls"]:
        yield CONTROLS, [{**control, "answer": answer_text(control["answer"])} for control in document["controls"]]
    if document["prefill"]:
        yield PREFILL, [{**prefill, "payload": dumps(prefill["payload"])} for prefill in document["prefill"]]
    if document["batches"]:
        yield BATCHES, document["batches"]


def media_name(sha256: str, kind: str) -> str:
    """Return the name of a media file, which is its digest, so that it reveals nothing."""
    return f"{MEDIA_FOLDER}/{sha256}.{extension(kind)}"


def item_rows(items: list[dict[str, Json]]) -> Iterator[dict[str, Json]]:
    """Yield one row per output, with the columns of the item repeated."""
    for item in items:
        of_item = {
            "item": item["key"],
            **{name: item[name] for name in ("source", "reference", "document", "source_language")},
            "position": item["position"] if item["document"] or item["position"] else "",
            "format": "" if item["format"] == "text" else item["format"],
            "options": dumps(item["options"]) if item["options"] else "",
            **{f"{name}_highlight": _spans(spans) for name, spans in item.get("highlights", {}).items()},
            **{f"feature_{name}": value for name, value in item["features"].items()},
        }
        for role in ROLES:
            names = [
                media_name(medium["sha256"], medium["kind"]) for medium in item["context"] if medium["role"] == role
            ]
            of_item[role] = BETWEEN_FILES.join(names)
        for output in item["outputs"]:
            yield {
                **of_item,
                "system": output["system"],
                "output": output["text"],
                "highlight": _spans(output.get("highlights", ())),
                **_file_names(output.get("file", {})),
                **{name: output[name] for name in ("variant", "unit", "language")},
            }


def _file_names(file: Mapping[str, str]) -> dict[str, str]:
    """Return the names of the file of an output and of its captions, as cells have them."""
    if not file:
        return {}
    names = {OUTPUT_FILE: media_name(file["sha256"], file["kind"])}
    return {**names, CAPTIONS: media_name(file["captions"], captions.KIND)} if "captions" in file else names


def _spans(spans: Sequence[Sequence[Json]]) -> str:
    """Return highlights as a cell has them; as positions, which are never taken for a word of the text."""
    return highlights.written(highlights.stored(spans))


def answer_text(answer: Json) -> str:
    """Write a known answer: a word unchanged if it is read back as the same word, else JSON."""
    return answer if isinstance(answer, str) and _reads_as_itself(answer) else dumps(answer)


def _reads_as_itself(word: str) -> bool:
    try:
        return bool(from_text(CONTROLS.columns[3], word) == word)
    except BadCell:
        # The word begins like JSON but is not JSON.
        return False


def table_bytes(table: TableDeclaration, rows: Sequence[Mapping[str, Json]]) -> bytes:
    """Write CSV with the non-empty columns, the needed columns, and a researcher's own columns by name."""
    filled = {name for row in rows for name, value in row.items() if value != ""}
    extra = sorted(filled - set(table.names))
    header = [name for name in table.names if name in filled or name in table.needed] + extra
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([row.get(name, "") for name in header] for row in rows)
    return text.getvalue().encode()
