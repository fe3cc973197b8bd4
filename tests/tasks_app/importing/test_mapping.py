"""Mappings: reading the files of others in our words."""

import json
from pathlib import Path

import pytest
from django.utils.translation import override
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tasks_app import importing, studyfile
from tasks_app.importing.mapping import as_yaml, schema
from tasks_app.models import Judgment, Study
from tasks_app.studyfile import StudyFileError
from tests.tasks_app.importing import kit
from tests.tasks_app.importing.kit import bring, mapped, problems_of, ratings
from tests.tasks_app.studyfile.kit import put

pytestmark = pytest.mark.django_db

THEIRS = """\
worker;segment;mt;aspect;score;job;set
W1;i1;System A;FLUENCY;20;pilot;1
W1;i1;System A;FLUENCY;40;final;1
W1;i1;System A;Style;60;final;1
W2;i1;System B;Style;100;final;2
W2;i1;System B;Style;80;final;3
"""

MAP = """\
columns:
  rater: worker
  item: segment
  system: mt
  criterion: aspect
  value: score
constant:
  purpose: main
  wave: 2
values:
  system: {System A: alpha, System B: beta}
  criterion:
    FLUENCY: fluency
  value: {20: 1, 40: 2, 60: 3, 80: 4, 100: 5}
where:
  job: final
  set: [1, 2]
"""


def test_a_file_of_others_is_read_as_the_mapping_says(draft: Study, tmp_path: Path) -> None:
    done = bring(draft, tmp_path, THEIRS, MAP)
    # Style is the name of the criterion, which does as well as its key.
    assert ratings(draft) == [
        ("W1", "i1/alpha", "fluency", 2.0), ("W1", "i1/alpha", "style", 3.0), ("W2", "i1/beta", "style", 5.0),
    ]  # fmt: skip
    assert done.counts == {"rows": 3, "skipped": 2, "raters": 2, "judgments": 2, "ratings": 3}
    assert "2 rows were left out by the mapping (where)." in done.notes
    assert set(Judgment.objects.values_list("assignment__wave", flat=True)) == {2}
    assert draft.events.get(verb="imported").after["mapping"] == "map.yaml"


def test_a_mapping_is_json_as_well(draft: Study, tmp_path: Path) -> None:
    text = json.dumps(mapped(MAP).document, indent=2)
    assert importing.from_yaml("map.json", text) == importing.ColumnMapping(
        **{**{name: getattr(mapped(MAP), name) for name in ("columns", "constant", "values", "where", "repeats")},
           "label": "map.json", "document": mapped(MAP).document}
    )  # fmt: skip
    assert bring(draft, tmp_path, THEIRS, text).counts["ratings"] == 3


def test_columns_that_are_not_mapped_are_noted_once(draft: Study, tmp_path: Path) -> None:
    content = "rater,item,system,criterion,value,z,comment,\nann,i1,alpha,style,4,0.5,x,\nann,i1,beta,style,4,0.5,y,\n"
    mapping = "columns: {rater: rater, item: item, system: system, criterion: criterion, value: value}"
    assert bring(draft, tmp_path, content, mapping).notes[0] == (
        "ratings.csv: 2 columns are not mapped and were left out: z, comment."
    )
    objects = "".join(
        json.dumps({"rater": "bob", "item": "i1", "system": "alpha", "criterion": name, "value": 4, "z": 1}) + "\n"
        for name in ("style", "fluency")
    )
    assert bring(draft, tmp_path, objects, mapping, name="more.jsonl").notes == (
        "more.jsonl: 1 column is not mapped and was left out: z.",
    )


def test_one_column_can_be_two_of_ours(tmp_path: Path, db: None) -> None:
    study = kit.study(tmp_path)
    content = "who,text id,what,score\nann,i1/alpha,style,3\n"
    bring(
        study,
        tmp_path,
        content,
        "columns: {rater: who, unit: text id, judgment: text id, criterion: what, value: score}",
    )
    assert ratings(study) == [("ann", "i1/alpha", "style", 3.0)]
    assert Judgment.objects.get().answer == {"imported": {"line": 2, "judgment": "i1/alpha"}}


def test_constants_fill_what_the_file_leaves_open(draft: Study, tmp_path: Path) -> None:
    content = "rater,item,system,criterion,value\nann,i1,,style,4\nann,i1,beta,,4\n"
    bring(draft, tmp_path, content, "constant: {system: alpha, criterion: fluency}")
    assert [row[1:3] for row in ratings(draft)] == [("i1/alpha", "style"), ("i1/beta", "fluency")]


def test_a_file_of_one_rater_need_not_name_them(draft: Study, tmp_path: Path) -> None:
    content = "item,system,criterion,value\ni1,alpha,style,4\n"
    assert problems_of(draft, tmp_path, content)[0].startswith("ratings.csv:1:1: The column “rater” is missing.")
    bring(draft, tmp_path, content, "constant: {rater: me}")
    assert ratings(draft) == [("me", "i1/alpha", "style", 4.0)]


def test_an_empty_cell_can_have_a_word_of_its_own(draft: Study, tmp_path: Path) -> None:
    content = "who,item,system,criterion,value,why\nann,i1,alpha,style,4,\nann,i1,beta,style,,tired\n"
    mapping = (
        "columns: {rater: who, item: item, system: system, criterion: criterion, value: value, purpose: why}\n"
        "values: {purpose: {'': main, tired: warm_up}, value: {'': 1}}\n"
    )
    bring(draft, tmp_path, content, mapping)
    assert [row[3] for row in ratings(draft)] == [4.0, 1.0]
    assert list(Judgment.objects.order_by("id").values_list("assignment__purpose", flat=True)) == ["main", "warm_up"]


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        ("columns: [rater]", "map.yaml:1:10: columns: must be a group of settings (name: value); it is a list."),
        ("columns:\n  rate: worker", "map.yaml:2:3: columns.rate: unknown name. Did you mean “rater”?"),
        ("columns:\n  rater: 3", "map.yaml:2:10: columns.rater: must be text; it is the number 3. Put it in quotes."),
        ("colums:\n  rater: worker", "map.yaml:1:1: colums: unknown name. Did you mean “columns”?"),
        ("constant:\n  wave: [1]", "map.yaml:2:9: constant.wave: must be text or a number or true or false"),
        ("constant:\n  wave: two", "map.yaml:2:3: constant.wave: Expected a whole number, 0 or more; this is 'two'."),
        ("columns:\n  wave: w\nconstant:\n  wave: 2", "map.yaml:4:3: constant.wave: This is mapped to a column as"),
        ("columns:\n  rater: w\nvalues:\n  rate: {a: b}", "map.yaml:4:3: values.rate: unknown name. Did you mean"),
        ("columns:\n  rater: w\nvalues:\n  value: {a: 1}", "map.yaml:4:3: values.value: No column is mapped to this"),
        ("values:\n  value:\n    good: five", "map.yaml:3:11: values.value.good: Expected a number"),
        ("where: {job: []}", "map.yaml:1:9: where.job: needs at least one word, or no row counts."),
        ("repeats: forget", "map.yaml:1:10: repeats: must be one of: refuse, first, last, keep; it is 'forget'."),
        ("", "map.yaml: This mapping is empty. docs/ratings-file.md describes what to write."),
        ("- a\n", "map.yaml:1:1: must be a group of settings (name: value); it is a list."),
        ("columns: {rater: &a worker}", "map.yaml:1:18: &a is an anchor. Write the value out."),
        ("columns: {rater: worker", "map.yaml:1:24: This is not YAML"),
        ("columns:\n  rater: a\n  rater: b", "map.yaml:3:3: “rater” stands in line 2 already. Keep one of the two."),
    ],
)  # fmt: skip
def test_a_mistake_in_a_mapping_is_named_with_its_place(mapping: str, said: str) -> None:
    with pytest.raises(StudyFileError) as refused:
        importing.from_yaml("map.yaml", mapping)
    assert any(line.startswith(said) for line in refused.value.lines()), refused.value.lines()


def test_a_mapping_that_is_far_too_long_is_not_read() -> None:
    with pytest.raises(StudyFileError, match="at most 1 MiB can be read"):
        importing.from_yaml("map.yaml", "#" * 2_000_000)


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        (
            "columns: {rater: wroker, value: score}",
            "ratings.csv:1:1: The column “wroker” is missing. The columns here, separated by semicolons, are: "
            "'worker, segment, mt, aspect, score, job, set'. Did you mean “worker”?",
        ),
        ("where: {jobb: final}", "ratings.csv:1:1: The column “jobb” is missing."),
        ("columns: {rater: worker}\nwhere: {job: fnal}", "ratings.csv: The mapping (where) leaves out all 5 rows."),
    ],
)  # fmt: skip
def test_what_does_not_fit_the_file_is_said_there(draft: Study, tmp_path: Path, mapping: str, said: str) -> None:
    assert any(line.startswith(said) for line in problems_of(draft, tmp_path, THEIRS, mapping))


def test_problems_are_placed_in_the_columns_of_the_file(draft: Study, tmp_path: Path) -> None:
    content = THEIRS.replace("W1;i1;System A;Style;60;final", "W1;i1;System A;Style;fine;final")
    assert problems_of(draft, tmp_path, content, MAP) == [
        "ratings.csv:4:5: value: Expected a number, such as 4 or 62.5; this is 'fine'."
    ]
    lines = '{"score": 1, "worker": "W1", "item": "i1", "mt": "alpha", "aspect": "styl"}\n'
    mapping = "columns: {rater: worker, item: item, system: mt, criterion: aspect, value: score}"
    (line,) = problems_of(draft, tmp_path, lines, mapping, name="r.jsonl")
    assert line.startswith("r.jsonl:1:59: criterion: The task “reading” does not ask this.")


def test_the_schema_is_one_and_knows_the_example() -> None:
    Draft202012Validator.check_schema(schema())
    Draft202012Validator(schema()).validate(mapped(MAP).document)


words = st.text(st.characters(codec="utf-8", exclude_characters="\x00\r"), min_size=1, max_size=12).map(str.strip)
plain = words.filter(bool)
# What a mapping puts into a cell has to be a name that can be read.
name = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Zl", "Zp"]), max_size=12).map(str.strip)
named = name.filter(bool) | st.integers(-99, 99) | st.booleans() | st.floats(-9, 9)
scalar = plain | st.integers(-99, 99) | st.booleans() | st.floats(-9, 9)


# The table of all characters is made with the first text, which takes a second on a busy machine.
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    columns=st.dictionaries(st.sampled_from(["rater", "item", "system"]), plain, min_size=1),
    constant=st.dictionaries(st.sampled_from(["task", "criterion"]), named, min_size=1),
    words=st.dictionaries(plain, named, min_size=1, max_size=3),
    where=st.dictionaries(plain, scalar | st.lists(scalar, min_size=1, max_size=3), min_size=1, max_size=2),
    repeats=st.sampled_from(["refuse", "keep"]),
)
def test_a_mapping_that_is_written_is_read_again(
    columns: dict, constant: dict, words: dict, where: dict, repeats: str
) -> None:
    values = {next(iter(columns)): words}
    document = {
        "columns": columns, "constant": constant, "values": values, "where": where, "repeats": repeats,
    }  # fmt: skip
    assert importing.from_yaml("m", as_yaml(document)).document == document


PAGE = Path(__file__).parents[3] / "docs" / "ratings-file.md"


def blocks(language: str) -> list[str]:
    """Return the examples of the page in a language."""
    return [one.partition("```")[0] for one in PAGE.read_text(encoding="utf-8").split(f"```{language}\n")[1:]]


@pytest.mark.django_db
def test_the_first_example_of_the_page_can_be_followed(tmp_path: Path) -> None:
    (items, ratings_csv), (study_yaml, mapping, *_more) = blocks("csv"), blocks("yaml")
    study = studyfile.load(put(tmp_path / "paper", study_yaml=study_yaml, items_csv=items), owner=None)
    assert bring(study, tmp_path, ratings_csv, mapping).counts["ratings"] == 5
    assert ratings(study)[0] == ("w1", "1/A", "fluency", 5.0)


def test_the_page_names_every_column_as_the_program_does() -> None:
    page = PAGE.read_text(encoding="utf-8")
    with override("en"):
        for column in importing.RATINGS.columns:
            row = f"| `{column.name}` | {column.kind.value} | {column.doc} |\n"
            assert row in page, f"docs/ratings-file.md lacks this row of its table of columns: {row}"
    examples = [one for one in blocks("yaml") if "evalweb: 1" not in one]
    assert [importing.from_yaml("example", one).repeats for one in examples].count("first") == 1
    for word in schema()["properties"]:
        assert f"`{word}`" in page or f"\n{word}:" in page
