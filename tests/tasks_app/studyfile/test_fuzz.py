"""Whatever stands in a file, it is read or refused with its problems: nothing else is raised, nothing hangs."""

import io
import zipfile
from contextlib import suppress

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks_app import studyfile
from tasks_app.hooks.sections import Json
from tests.tasks_app.studyfile.kit import ITEMS, STUDY, zipped

pytestmark = pytest.mark.django_db
quiet = settings(suppress_health_check=list(HealthCheck))

SOUND = yaml.safe_load(STUDY)
NAMES = ["slug", "title", "language", "seed", "minutes", "key", "type", "params", "points", "k", "set_size", "anchors"]

words = st.text(max_size=8) | st.sampled_from(["fluency", "likert", "slider"])
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES) | words, inner, max_size=3),
    max_leaves=8,
)


def places(value: Json, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """List every place in nested data."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for name, one in inner for place in places(one, (*path, name)))]


def put_at(value: Json, path: tuple[str | int, ...], new: Json) -> Json:
    """Return nested data with one place changed."""
    if not path:
        return new
    if isinstance(value, dict):
        return {**value, path[0]: put_at(value[path[0]], path[1:], new)}
    return [put_at(one, path[1:], new) if number == path[0] else one for number, one in enumerate(value)]


def read(files: dict[str, bytes | str]) -> None:
    with suppress(studyfile.StudyFileError):
        studyfile.read(zipped(files))


@quiet
@given(place=st.sampled_from(places(SOUND)), value=anything)
def test_any_value_in_any_place(place: tuple[str | int, ...], value: Json) -> None:
    read({"study.yaml": yaml.safe_dump(put_at(SOUND, place, value), allow_unicode=True), "items.csv": ITEMS})


@quiet
@given(data=st.data(), file=st.sampled_from(["study.yaml", "items.csv"]))
def test_any_bytes_in_a_sound_file(data: st.DataObject, file: str) -> None:
    files = {"study.yaml": STUDY.encode(), "items.csv": ITEMS.encode()}
    content = files[file]
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, min(len(content), start + 30)))
    new = data.draw(st.binary(max_size=20) | st.text(max_size=20).map(lambda one: one.encode("utf-8", "surrogatepass")))
    read({**files, file: content[:start] + new + content[end:]})


@quiet
@given(
    content=st.binary(max_size=400), name=st.sampled_from(["items.jsonl", "controls.csv", "prefill.jsonl", "items.csv"])
)
def test_any_bytes_as_a_table(content: bytes, name: str) -> None:
    files: dict[str, bytes | str] = {"study.yaml": STUDY, "items.csv": ITEMS, name: content}
    if name == "items.jsonl":
        del files["items.csv"]
    read(files)


@quiet
@given(
    rows=st.lists(
        st.dictionaries(st.sampled_from(["item", "system", "output", "position", "options", "unit"]), anything)
    )
)
def test_any_values_in_json_lines(rows: list[dict[str, Json]]) -> None:
    import json

    read({"study.yaml": STUDY, "items.jsonl": "\n".join(json.dumps(row) for row in rows)})


@quiet
@given(data=st.data())
def test_a_damaged_zip(data: st.DataObject) -> None:
    content = bytearray(zipped({"study.yaml": STUDY, "items.csv": ITEMS}).getvalue())
    for _number in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with suppress(studyfile.StudyFileError):
        studyfile.read(io.BytesIO(bytes(content)))


def test_the_sound_files_of_these_tests_are_sound() -> None:
    assert studyfile.read(zipped({"study.yaml": yaml.safe_dump(SOUND), "items.csv": ITEMS})).counts["units"] == 5
    assert zipfile.is_zipfile(zipped({"a": "b"}))
