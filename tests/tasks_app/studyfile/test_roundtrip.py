"""What is written is read again as the same study, and what is stored is what was read."""

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from tasks_app import studyfile
from tasks_app.hooks import sections
from tasks_app.hooks.sections import Json
from tasks_app.models import Study
from tasks_app.services.study import lifecycle
from tasks_app.setup import starting
from tasks_app.setup.checking import make_study
from tasks_app.studyfile.files.writing import write
from tasks_app.studyfile.files.yaml_text import dump
from tasks_app.studyfile.files.yaml_tree import parse
from tasks_app.studyfile.problems import Problems
from tests import chance
from tests.tasks_app.studyfile.kit import STUDY, png, put

# Words that YAML, CSV, JSON and spreadsheets each like to take for something else.
TRICKY = [
    "no", "012", "1e3", "0x1F", "12:30", "2024-01-01", "~", "null", "true", "- a", "a: b", "# c", "@x", "&x", "*x",
    "!x", "'", '"', "''", "{a}", "[1]", "=1+1", ",", ";", "\t", "a,b", 'say "x"', "x\ny", "\nx", "x\n", "x \ny", " x",
    "x ", "\u2028", "\u0085", "\ufeffx", "\x7f", "\x1b", "👩🏽‍🚀", "مرحبا",
    "% x", "| x", "> x", "?", "<b>", "a\tb", "\\n",
    "---", "...", "{{ x }}", "x: |\n  y", "  x\n y", "\u00ad", "\u200f",
]  # fmt: skip

text = st.text(st.characters(codec="utf-8", exclude_characters="\x00\r"), min_size=1, max_size=40) | st.sampled_from(
    TRICKY
)
line = text.map(lambda one: " ".join(one.split())).filter(bool)
key = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,8}", fullmatch=True)
keys = st.lists(key, min_size=1, max_size=3, unique=True)


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Json]:
    """A small study as a person could have made it, before its defaults are filled in."""
    criteria, systems, items = draw(keys), draw(keys), draw(keys)
    layout = draw(st.sampled_from(["single", "together"]))
    units = len(items) * (len(systems) if layout == "single" else 1)
    first = draw(st.integers(0, 1))
    return {
        "study": {
            "slug": draw(st.from_regex(r"[a-z][a-z0-9_-]{0,10}", fullmatch=True)),
            "title": draw(line),
            "public_title": draw(line),
            "language": "en",
            "seed": draw(st.integers(1, 10**9)),
        },
        "about": {"institution": draw(line), "stored": draw(line), "withdraw_until": "2031-02-28"},
        "pay": {"minutes": draw(st.floats(1, 100)), "amount": draw(st.integers(0, 10_000)) / 100},
        "flow": {"allow_skip": draw(st.booleans())},
        "consent": {"en": draw(text.filter(str.strip)), "ar": draw(text)},
        "criteria": [draw(criteria_called(one)) for one in criteria],
        "groups": [{"key": "g", "name": draw(line)}],
        "tasks": [draw(tasks_over(criteria, layout, units))],
        "systems": [{"key": systems[0], "name": draw(line), "kind": "human"}],
        "items": [draw(items_called(item, number, systems)) for number, item in enumerate(items, start=first)],
    }


@st.composite
def criteria_called(draw: st.DrawFn, name: str) -> dict[str, Json]:
    """A criterion, some words of which are tricky."""
    return {
        "key": name,
        "name": draw(line),
        "definition": draw(text),
        "question": draw(text),
        "low": draw(line),
        "anchors": draw(st.dictionaries(st.sampled_from(["0", "-3", "2", "3.5"]), text, max_size=3)),
        "heds": draw(st.dictionaries(text, text | st.integers() | st.lists(text), max_size=2)),
    }


@st.composite
def tasks_over(draw: st.DrawFn, criteria: list[Json], layout: str, units: int) -> dict[str, Json]:
    """A task of so many units that asks these criteria."""
    types: list[tuple[str, dict[str, Json]]] = [
        ("likert", {"points": 5}),
        ("slider", {"minimum": -3, "maximum": 4, "step": 0.5}),
    ]
    kind, params = draw(st.sampled_from(types))
    return {
        "key": draw(key),
        "type": kind,
        "instructions": draw(text),
        "criteria": criteria,
        "params": {"layout": layout, **params},
        "k": draw(st.integers(1, 3)),
        "set_size": draw(st.integers(1, units)),
        "spacing": 0,
        "groups": draw(st.sampled_from([[], ["g"]])),
        "keep_identical": True,
    }


@st.composite
def items_called(draw: st.DrawFn, name: str, number: int, systems: list[str]) -> dict[str, Json]:
    """An item with an output or two of each system."""
    return {
        "key": name,
        "document": draw(st.sampled_from(["", "d"])),
        "position": number,
        "source": draw(text | st.just("")),
        "reference": draw(text | st.just("")),
        "source_language": draw(st.sampled_from(["", "pt-BR"])),
        "format": draw(st.sampled_from(["text", "markdown", "code"])),
        "options": draw(st.dictionaries(text, text | st.booleans() | st.floats(-9, 9), max_size=2)),
        "features": draw(st.dictionaries(key, text, max_size=2)),
        "context": [],
        "outputs": [
            {
                "system": system,
                "variant": variant,
                "text": draw(text | st.just("")),
                "language": draw(st.sampled_from(["", "zh-Hant"])),
                "unit": "",
            }
            for system in systems
            for variant in draw(st.sampled_from([[""], ["", "b"]]))
        ],
    }


def complete(given_by_hand: dict[str, Json]) -> tuple[io.BytesIO, dict[str, Json]]:
    """Write a study by hand and read it, so that its defaults are filled in; return it as a zip and a document."""
    stream = io.BytesIO()
    rest = {"codes": {}, "channels": {"link": {}}, "controls": [], "prefill": [], "batches": []}
    write({**rest, "acceptance": {}, "analysis": {}, **given_by_hand}, stream, no_media)
    stream.seek(0)
    return stream, studyfile.read(stream).document


@pytest.mark.parametrize("word", TRICKY)
def test_every_text_survives_study_yaml(word: str) -> None:
    document: dict[str, Any] = {section.name: [] for section in sections.registered()} | {
        "consent": {"en": word, word: "x"}
    }
    problems = Problems()
    tree = parse("study.yaml", dump(document, sections.registered()), problems)
    problems.raise_if_any()
    assert tree.data["consent"] == {"en": word, word: "x"}


def no_media(_sha256: str) -> bytes:
    raise AssertionError("this study has no media")


def same_items(read: Any, made: Any) -> bool:
    """Say whether every text came through; what is left out of a file has its default."""
    return [(one["key"], one["outputs"], one["source"], one["options"], one["features"]) for one in read] == [
        (one["key"], one["outputs"], one["source"], one["options"], one["features"]) for one in made
    ]


@given(made=documents())
def test_what_is_written_is_read_again(made: dict[str, Json]) -> None:
    stream, document = complete(made)
    assert same_items(document["items"], made["items"])
    assert [one["definition"] for one in document["criteria"]] == [
        one["definition"].strip() for one in made["criteria"]
    ]
    assert [one["anchors"] for one in document["criteria"]] == [one["anchors"] for one in made["criteria"]]
    assert [one["heds"] for one in document["criteria"]] == [one["heds"] for one in made["criteria"]]
    again = io.BytesIO()
    write(document, again, no_media)
    again.seek(0)
    assert studyfile.read(again).document == document
    third = io.BytesIO()
    write(document, third, no_media)
    assert third.getvalue() == again.getvalue()
    assert stream.getvalue()


@pytest.mark.django_db
@chance.slow(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(made=documents())
def test_what_is_stored_is_what_was_read(made: dict[str, Json]) -> None:
    stream, document = complete(made)
    study = studyfile.load(stream, owner=None, replace=True)
    stored = sections.snapshot(study)
    assert stored == document
    assert sections.digest(stored) == sections.digest(sections.snapshot(study))
    first = exported(study)
    again = studyfile.load(io.BytesIO(first), owner=None, replace=True)
    assert again.pk == study.pk
    assert sections.snapshot(again) == stored
    assert exported(again) == first


def exported(study: Study) -> bytes:
    stream = io.BytesIO()
    studyfile.export(study, stream)
    return stream.getvalue()


@pytest.mark.django_db
def test_an_export_does_not_say_when_it_was_made(tmp_path: Path) -> None:
    study = studyfile.load(put(tmp_path / "study"), owner=None)
    with zipfile.ZipFile(io.BytesIO(exported(study))) as archive:
        assert [(one.filename, one.date_time) for one in archive.infolist()] == [
            ("study.yaml", (1980, 1, 1, 0, 0, 0)), ("items.csv", (1980, 1, 1, 0, 0, 0)),
        ]  # fmt: skip


@pytest.mark.django_db
@pytest.mark.usefixtures("texts_carry_something")
def test_controls_prefill_media_and_unit_names_come_back(tmp_path: Path) -> None:
    items = (
        "item,system,output,unit,context_image,context_audio\n"
        "i1,alpha,First.,u1,pictures/a.png,\ni1,beta,Second.,u2,,\ni2,alpha,Third.,u3,pictures/a.png|b.png,\n"
        "i2,beta,Fourth.,u4,,\ni3,alpha,Same.,u5,,\ni3,beta,Same.,u6,,\n"
    )
    controls = (
        "unit,purpose,criterion,kind,answer,explanation\n"
        'u1,control,fluency,exact,3,"Because, well."\nu1,control,style,range,"[2, 4]",\nu2,control,,set,"[1, 2]",\n'
    )
    folder = put(
        tmp_path / "study", study_yaml=STUDY.replace("set_size: 4", "set_size: 3"), items_csv=items,
        controls_csv=controls,
        prefill_jsonl='{"unit": "u4", "part": 1, "payload": [{"start": 0, "end": 3}]}\n',
        b_png=png(2),
    )  # fmt: skip
    (folder / "pictures").mkdir()
    (folder / "pictures" / "a.png").write_bytes(png(1))
    study, loaded = studyfile.load_with_notes(folder, owner=None)
    assert "Identical outputs are one unit; it has the name of the first row." in loaded.notes
    assert loaded.counts["places"] == 2 * 3  # u1 and u2 have known answers; u5 and u6 are one unit
    before = sections.snapshot(study)
    assert before == loaded.document
    assert [one["unit"] for item in before["items"] for one in item["outputs"]] == ["u1", "u2", "u3", "u4", "u5", "u5"]
    assert [one["answer"] for one in before["controls"]] == [3, [2, 4], [1, 2]]
    assert before["prefill"] == [{"task": "reading", "unit": "u4", "part": 1, "payload": [{"start": 0, "end": 3}]}]
    assert len({one["sha256"] for item in before["items"] for one in item["context"]}) == 2
    first = exported(study)
    again = studyfile.load(io.BytesIO(first), owner=None, replace=True)
    assert sections.snapshot(again) == before
    assert exported(again) == first


@pytest.mark.django_db
def test_a_copy_of_a_study_is_the_same_design(tmp_path: Path, rosa: User) -> None:
    items = "item,system,output,context_image\ni1,alpha,x,a.png\ni2,alpha,y,\ni3,alpha,z,\ni4,alpha,w,\n"
    study = studyfile.load(put(tmp_path / "study", items_csv=items, a_png=png()), owner=rosa)
    before = sections.snapshot(study)
    for state in ("draft", "open"):
        if state == "open":
            lifecycle.move(study_id=study.pk, action="open", by=rosa)
            study.refresh_from_db()
        names = starting.Names(f"Copy of the {state} study", study.public_title)
        copy = starting.copy_of(origin=study, by=rosa, names=names, keep_seed=True)
        make_study(setup=copy.setup, by=rosa)
        after = sections.snapshot(Study.objects.get(pk=copy.pk))
        assert after.pop("study") != before["study"]
        assert after == {name: part for name, part in before.items() if name != "study"}
        assert copy.media.get().file.read() == png()
