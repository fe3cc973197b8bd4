"""Each rule about a setting is checked once: whatever is wrong with a value, one message says so, at its place."""

from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from tasks_app.hooks import sections
from tasks_app.hooks.sections import Json
from tasks_app.studyfile.files.source import open_files
from tasks_app.studyfile.reading import StudyReading
from tasks_app.studyfile.schema import whole_schema
from tests.tasks_app.studyfile.kit import STUDY, put

# Sections that are a group of settings, each a field of its own.
BLOCKS = ("about", "acceptance", "codes", "flow", "pay", "study")


def wrong_type(_schema: Mapping[str, Json]) -> Json:
    return ["a list"]


def below(schema: Mapping[str, Json]) -> Json:
    return schema["minimum"] - 1 if "minimum" in schema else None


def above(schema: Mapping[str, Json]) -> Json:
    return schema["maximum"] + 1 if "maximum" in schema else None


def too_long(schema: Mapping[str, Json]) -> Json:
    return "x" * (schema["maxLength"] + 1) if "maxLength" in schema else None


def misspelt(schema: Mapping[str, Json]) -> Json:
    return "no such / thing" if {"pattern", "format"} & schema.keys() else None


@pytest.mark.parametrize("spoilt", [wrong_type, below, above, too_long, misspelt])
@pytest.mark.django_db
def test_a_wrong_setting_has_one_message_at_its_place(tmp_path: Path, spoilt: Json) -> None:
    schema, given = whole_schema()["properties"], yaml.safe_load(STUDY)
    wrong = set()
    for block in BLOCKS:
        for name, node in schema[block]["properties"].items():
            if (value := spoilt(node)) is not None:
                given.setdefault(block, {})[name] = value
                wrong.add((block, name))
    folder = put(tmp_path / "study", study_yaml=yaml.safe_dump(given, sort_keys=False, width=10_000))
    with open_files(folder) as files:
        reading = StudyReading(files)
        for section in sections.registered():
            reading.document[section.name] = section.check(reading)
    messages = {path: sentences for path, sentences in reading.sentences.items() if path in wrong}
    assert wrong
    assert {path: len(sentences) for path, sentences in messages.items()} == dict.fromkeys(wrong, 1)
    lines = (folder / "study.yaml").read_text().splitlines()
    for block, name in wrong:
        place = reading.tree.place((block, name))
        assert lines[place.line - 1].strip().startswith((f"{name}:", "- a list")), (block, name)
        assert place.column > 0
