"""One table of texts and ratings becomes a study with results: by the command, and its figures by hand."""

import io
import json
import re
import zipfile
from io import StringIO
from pathlib import Path

import pandas as pd
import polars
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from analytics_app.analyses import registry
from analytics_app.analyses.shared.unknown_raters import UNDEFINED, without_claims
from analytics_app.management.commands.analyse_file import SHOWN
from analytics_app.models import ResultRow
from analytics_app.results import TO_RATERS, TO_RATERS_AND_TEXTS, TO_TEXTS, Row
from analytics_app.runs import start
from tasks_app.models import Event, Item, Output, Rater, Rating, Study, Task

pytestmark = pytest.mark.django_db

# Two systems, two texts each, two raters; the texts stand in every row.
TABLE = """\
annotator,segment,model,src,translation,fluency,adequacy,age,domain
ann,1,Online-A (v2),Der Zug ist da.,The train is here.,5,80,31,news
bob,1,Online-A (v2),Der Zug ist da.,The train is here.,4,70.5,45,news
ann,1,Zürich,Der Zug ist da.,Here the train.,2,30,31,news
bob,1,Zürich,Der Zug ist da.,Here the train.,1,20,45,news
ann,2,Online-A (v2),Es regnet wieder.,It rains again.,4,90,31,talk
bob,2,Online-A (v2),Es regnet wieder.,It rains again.,5,95,45,talk
ann,2,Zürich,Es regnet wieder.,Again rain there is.,3,40,31,talk
bob,2,Zürich,Es regnet wieder.,Again rain there is.,2,35,45,talk
"""


def analyse(folder: Path, content: str, mapping: str = "", name: str = "ratings.csv", *options: str) -> str:
    """Run the command on a file; return what it prints."""
    (folder / name).write_text(content, encoding="utf-8")
    if mapping:
        (folder / "map.yaml").write_text(mapping, encoding="utf-8")
        options = (*options, "--map", str(folder / "map.yaml"))
    out = StringIO()
    call_command("analyse_file", str(folder / name), *options, stdout=out, stderr=out)
    return out.getvalue()


def mean(criterion: str, system: str) -> float | None:
    return ResultRow.objects.get(
        statistic="mean", criterion=criterion, system=system, basis="kept", slice=None, group=None
    ).value


def test_a_table_as_it_is(tmp_path: Path) -> None:
    """Criteria in columns, keys of any kind, and attributes of items and raters are found without a mapping."""
    out = analyse(tmp_path, TABLE)
    study = Study.objects.get()
    assert (study.title, study.state, Item.objects.count(), Output.objects.count()) == ("ratings", "closed", 2, 4)
    assert [task.type for task in Task.objects.order_by("order")][:2] == ["likert", "slider"]
    assert (mean("fluency", "Online-A (v2)"), mean("fluency", "Zürich")) == (4.5, 2.0)
    assert mean("adequacy", "Online-A (v2)") == pytest.approx((80 + 70.5 + 90 + 95) / 4)
    assert "mean fluency Zürich: 2.000" in out
    assert "fluency: read as a scale of 5 steps." in out
    assert set(Item.objects.values_list("features__domain", flat=True)) == {"news", "talk"}
    ages = Rating.objects.filter(task__key="raters").order_by("rater__pseudonym")
    assert list(ages.values_list("rater__pseudonym", "text")) == [("ann", "31"), ("bob", "45")]


def test_a_mapping_groups_raters_and_names_the_only_system(tmp_path: Path) -> None:
    table = "who,text,score,gender\nann,One text here.,3,f\nbob,One text here.,4,m\nann,Another text.,2,f\n"
    mapping = (
        "columns: {rater: who, output: text, value: score, group: gender, rater_gender: gender}\n"
        "constant: {system: gpt, criterion: Overall quality}\n"
    )
    analyse(tmp_path, table, mapping, "one.csv", "--title", "One table")
    assert Study.objects.get().title == "One table"
    assert mean("Overall-quality", "gpt") == 3.0
    assert dict(Rater.objects.values_list("pseudonym", "group__key")) == {"ann": "f", "bob": "m"}


def test_ratings_without_texts_and_raters(tmp_path: Path) -> None:
    out = analyse(tmp_path, "system,score\nA,61.5\nA,58\nB,33\n", name="means.csv")
    assert mean("score", "A") == 59.75
    assert "The file does not say who rated" in out
    assert "a sentence that says so stands in its place" in out


def test_agreement_of_unknown_raters_is_undefined_with_the_reason(tmp_path: Path) -> None:
    """Two ratings of each text by nobody in particular: means are given, agreement and what rests on raters is not."""
    rows = [f"{system},t{n},A text of {system} about {n}.,{1 + (n + k) % 5}" for system in "AB" for n in range(6)
            for k in range(2)]  # fmt: skip
    analyse(tmp_path, "\n".join(["system,item,output,score", *rows]) + "\n", name="anonymous.csv")
    assert mean("score", "A") is not None
    agreement = ResultRow.objects.filter(analysis__in=["krippendorff", "agreement", "icc", "kappa", "correlation"])
    assert agreement.filter(statistic="alpha").exists()
    assert not agreement.filter(value__isnull=False).exists()
    assert not agreement.exclude(note__startswith="The file does not say who rated.").exists()


@pytest.mark.parametrize("to", [TO_RATERS, TO_RATERS_AND_TEXTS, TO_TEXTS])
def test_nothing_generalises_to_further_raters_where_raters_are_unknown(to: str) -> None:
    row = Row(analysis="means", statistic="mean", value=3.0, low=2.0, high=4.0, p=0.04, settings={"generalises_to": to})
    told = without_claims(row, registry["krippendorff"]())
    assert (told.value, told.low, told.note) == (None, None, UNDEFINED)
    kept = without_claims(row, registry["distribution"]())
    assert kept.value == 3.0
    assert (kept.low, kept.p) == ((2.0, 0.04) if to == TO_TEXTS else (None, None))


def test_a_second_rating_that_is_left_out_is_told_and_kept_in_the_log(
    tmp_path: Path, rosas_browser: Client, rosa: User
) -> None:
    """Issue: `repeats: first` dropped a row, and neither the output, the log nor the results said so."""
    table = TABLE + "ann,1,Zürich,Der Zug ist da.,Here the train.,5,90,31,news\n"
    mapping = "columns: {rater: annotator, item: segment, system: model, output: translation, value: fluency}\n"
    told = "1 of 9 rows left out: a second rating of the same text by the same rater (line 10)."
    checked = analyse(tmp_path, table, mapping + "repeats: first\n", "twice.csv", "--check")
    assert told in checked
    assert not Study.objects.exists()
    assert told in analyse(tmp_path, table, mapping + "repeats: first\n", "twice.csv", "--owner", "rosa")
    (event,) = Event.objects.filter(verb="imported")
    assert event.after["left_out"] == {"first": {"rows": 1, "lines": [10]}}
    page = rosas_browser.get("/admin/studies/twice/results/").content.decode()
    assert f"twice.csv: {told}" in page
    out = analyse(tmp_path, table, mapping + "repeats: last\n", "last.csv")
    assert "1 of 9 rows left out: an earlier rating of the same text by the same rater (line 4)." in out


def test_a_second_rating_is_refused_with_both_values_and_a_line_for_the_mapping(tmp_path: Path) -> None:
    table = TABLE + "ann,1,Zürich,Der Zug ist da.,Here the train.,5,90,31,news\n"
    (tmp_path / "twice.csv").write_text(table, encoding="utf-8")
    (tmp_path / "map.yaml").write_text("columns: {rater: annotator, item: segment, system: model, value: fluency}")
    err = StringIO()
    with pytest.raises(CommandError):
        call_command(
            "analyse_file", str(tmp_path / "twice.csv"), "--map", str(tmp_path / "map.yaml"), stdout=StringIO(),
            stderr=err,
        )  # fmt: skip
    assert "twice.csv:10:1: rater: This rater has already rated this, in line 4: '2' there, '5' here." in err.getvalue()
    assert "write “repeats: first” into the mapping" in err.getvalue()


def test_empty_outputs_are_asked_about_and_the_mapping_says_what_they_are(tmp_path: Path) -> None:
    table = "who,seg,model,text,score\nann,1,A,A text here.,3\nann,1,B,,1\nann,2,A,,2\nann,2,B,Another text.,4\n"
    mapping = "columns: {rater: who, item: seg, system: model, output: text, value: score}\n"
    asked = analyse(tmp_path, table, mapping, "empty.csv", "--check")
    assert "2 outputs are empty (lines 3, 4). Is this missing or an empty text?" in asked
    analyse(tmp_path, table, mapping + "empty: text\n", "as-text.csv")
    assert Output.objects.filter(text="").count() == 2
    missing = analyse(tmp_path, table, mapping + "empty: missing\n", "missing.csv")
    assert "2 outputs are empty (lines 3, 4). Their texts are missing, as the mapping says" in missing
    assert Output.objects.filter(text__startswith="(The file has no text of").count() == 2


def test_nested_json_with_labels(tmp_path: Path) -> None:
    records = [
        {"id": "i1", "reply": "Yes, of course.", "labels": {"ann": "civil", "bob": "rude"}},
        {"id": "i2", "reply": "No, never ever.", "labels": {"ann": "rude"}},
    ]
    mapping = "columns: {item: id, output: reply, label: 'labels.{rater}'}\nconstant: {system: bot}\n"
    analyse(tmp_path, json.dumps(records), mapping, "labels.json")
    share = ResultRow.objects.filter(
        statistic="share", label="rude", system="bot", basis="kept", slice=None, group=None
    ).first()
    assert share is not None
    assert share.value == pytest.approx(2 / 3)


def test_spans_with_a_score(tmp_path: Path) -> None:
    records = [
        {"seg": "1", "mt": "A", "tgt": "The trian is late.", "by": "ann", "score": 70,
         "errors": [{"start": 4, "end": 9, "severity": "minor"}]},
        {"seg": "1", "mt": "B", "tgt": "The train is late.", "by": "ann", "score": 100, "errors": []},
    ]  # fmt: skip
    mapping = (
        "columns: {item: seg, system: mt, output: tgt, rater: by, value: score, span_start: 'errors[*].start', "
        "span_end: 'errors[*].end', severity: 'errors[*].severity'}\nconstant: {span_side: output}\n"
    )
    analyse(tmp_path, json.dumps(records), mapping, "esa.json")
    assert Rating.objects.get(criterion__key="errors").span_end == 9
    assert mean("score", "B") == 100.0


def test_errors_as_rows_have_a_penalty_and_no_note_on_a_word_of_the_mapping(tmp_path: Path) -> None:
    """The word none stands in no cell of the file: the mapping says that nothing was found."""
    table = "rater,item,system,category,severity\nann,1,A,Accuracy/Omission,Major\nann,2,A,No-error,No-error\n"
    mapping = (
        "columns: {rater: rater, item: item, system: system, label: severity, category: category, severity: severity}\n"
        "values: {label: {No-error: none, Major: ''}, severity: {No-error: ''}, category: {No-error: ''}}\n"
    )
    out = analyse(tmp_path, table, mapping, "errors.csv")
    assert "mqm_score A: 2.500" in out
    assert "is kept as a word" not in out


def test_every_statistic_that_the_command_shows_is_one_of_an_analysis() -> None:
    known = {name for analysis in registry.values() for name in analysis.statistics}
    assert set(SHOWN) <= known


def test_rows_that_contradict_are_listed_and_nothing_is_stored(tmp_path: Path) -> None:
    table = TABLE.replace("bob,1,Zürich,Der Zug ist da.,Here the train.", 'bob,1,Zürich,Der Bus ist da.,"Here, train!"')
    table = table.replace("2,35,45,talk", "2,35,46,talk")
    (tmp_path / "ratings.csv").write_text(table, encoding="utf-8")
    err = StringIO()
    with pytest.raises(CommandError):
        call_command("analyse_file", str(tmp_path / "ratings.csv"), stdout=StringIO(), stderr=err)
    assert err.getvalue().splitlines() == [
        "ratings.csv:5:4: source: This row says something else about the same item than line 2.",
        "ratings.csv:5:5: output: This row has another text for the item and system of line 4.",
        "ratings.csv:9:8: rater_age: This row says something else about the same rater than line 3.",
    ]
    assert not Study.objects.exists()


@pytest.mark.parametrize(
    ("lines", "mapping", "problem"),
    [
        (["who,item,model,text,lang,score", "a,i1,A,Hello there.,en,4", "b,i2,A,What now.,Deutsch!,3"],
         "columns: {rater: who, item: item, system: model, output: text, language: lang, value: score}\n",
         "f.csv:3:5: language: This is not a language tag."),
        (["who,item,model,text,score", f"a,i1,A,Hello.,4\nb,{'k' * 120},A,Hallo.,5"], "",
         "f.csv:3:2: item: Use at most 100 characters"),
        (["who,item,model,text,doc,score", f"a,i1,A,Hello.,{'d' * 120},4"],
         "columns: {rater: who, item: item, system: model, output: text, document: doc, value: score}\n",
         "f.csv:2:5: document: Use at most 100 characters"),
        (["who,item,model,text,choice", "a,i1,A,Hello.,yes", 'a,i2,A,Hallo.,"n\no"', 'a,i3,A,Hi.,"y\nes"'],
         "columns: {rater: who, item: item, system: model, output: text, label: choice}\n",
         "f.csv:3:5: label: A label is one line of at most 200 characters, without spaces around it. If raters wrote "
         "the words, map the column to text. 2 problems like this, at 3:5, 5:5."),
    ],
)  # fmt: skip
def test_problems_of_what_was_made_of_a_table_have_their_places_in_it(
    tmp_path: Path, lines: list[str], mapping: str, problem: str
) -> None:
    """They named study.yaml and items.jsonl, files that nobody had seen."""
    (tmp_path / "f.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "map.yaml").write_text(mapping, encoding="utf-8")
    err = StringIO()
    options = ["--map", str(tmp_path / "map.yaml")] if mapping else []
    with pytest.raises(CommandError):
        call_command("analyse_file", str(tmp_path / "f.csv"), *options, stdout=StringIO(), stderr=err)
    (line,) = err.getvalue().splitlines()
    assert line.startswith(problem)
    assert not Study.objects.exists()


ONE_SCALE = [(4, 3, 4), (2, 2, 1), (5, 4, 4), (1, 2, 1)]


def wide(*names: str, values: list[tuple[object, ...]] | list[tuple[int, int, int]] = ONE_SCALE) -> str:
    """Return a table with a text in each row and these columns of ratings."""
    rows = [f"i{n},Text number {n}.,{','.join(map(str, row))}" for n, row in enumerate(values)]
    return "\n".join([f"item,text,{','.join(names)}", *rows]) + "\n"


@pytest.mark.parametrize(
    "names",
    [
        ("annotator1", "annotator2", "annotator3"),
        ("rater_a", "rater_b", "rater_c"),
        ("Bewerter 1", "Bewerter 2", "Bewerter 3"),
        ("评估员1", "评估员2", "评估员3"),
        ("score_judge1", "score_judge2", "score_judge3"),
    ],
)
def test_numbered_columns_whose_names_mean_a_rater_are_raters(tmp_path: Path, names: tuple[str, ...]) -> None:
    out = analyse(tmp_path, wide(*names), "", "wide.csv", "--check")
    assert "wide:\n  of: rater\n  value: [" in out
    assert "unknown_raters" not in out


def test_ratings_in_columns_of_raters_have_agreement(tmp_path: Path) -> None:
    analyse(tmp_path, wide("annotator1", "annotator2", "annotator3"))
    assert sorted(Rater.objects.values_list("pseudonym", flat=True)) == ["annotator1", "annotator2", "annotator3"]
    assert set(Rating.objects.values_list("criterion__name", flat=True)) == {"Rating"}
    assert ResultRow.objects.filter(statistic="alpha", value__isnull=False).exists()


def test_words_of_numbered_raters_are_labels(tmp_path: Path) -> None:
    values = [("yes", "no", "yes"), ("no", "no", "no"), ("yes", "yes", "no"), ("no", "yes", "yes")]
    analyse(tmp_path, wide("annotator1", "annotator2", "annotator3", values=values))
    assert (Rater.objects.count(), Rating.objects.filter(label="yes").count()) == (3, 6)


@pytest.mark.parametrize(
    "names",
    [("score1", "score2", "score3"), ("r1", "r2", "r3"), ("quality_a", "quality_b", "quality_c"),
     ("annotator_ann", "annotator_bob", "annotator_cat")],
)  # fmt: skip
def test_other_numbered_columns_are_asked_about_and_nothing_is_stored(tmp_path: Path, names: tuple[str, ...]) -> None:
    (tmp_path / "wide.csv").write_text(wide(*names), encoding="utf-8")
    out = StringIO()
    with pytest.raises(CommandError, match="two ways") as refused:
        call_command("analyse_file", str(tmp_path / "wide.csv"), stdout=out, stderr=StringIO())
    assert refused.value.returncode == 2
    assert not Study.objects.exists()
    assert "--numbered criteria" in analyse(tmp_path, wide(*names), "", "wide.csv", "--check")
    assert "--numbered raters" in out.getvalue()


def test_the_choice_is_an_option(tmp_path: Path) -> None:
    table = wide("score1", "score2", "score3")
    assert "No column says who rated" not in analyse(tmp_path, table, "", "a.csv", "--numbered", "raters")
    assert Rater.objects.count() == 3
    assert "No column says who rated" in analyse(tmp_path, table, "", "b.csv", "--numbered", "criteria")
    assert Rater.objects.count() == 3 + 4


def test_columns_of_criteria_and_raters(tmp_path: Path) -> None:
    values: list[tuple[object, ...]] = [(4, 3, 1, 2), (2, 2, 5, 4), (5, 4, 3, 3)]
    names = ("fluency_annotator1", "fluency_annotator2", "style_annotator1", "style_annotator2")
    analyse(tmp_path, wide(*names, values=values))
    assert (Rater.objects.count(), mean("fluency", "system"), mean("style", "system")) == (2, 20 / 6, 3.0)


def test_numbered_columns_beside_a_rater_are_criteria(tmp_path: Path) -> None:
    table = "rater,item,text,score1,score2\nann,i1,A text here.,4,5\nbob,i1,A text here.,3,5\n"
    analyse(tmp_path, table)
    assert (Rater.objects.count(), mean("score1", "system"), mean("score2", "system")) == (2, 3.5, 5.0)


def test_answers_in_lists_of_objects_are_found(tmp_path: Path) -> None:
    """Issue: worker and score stood in annotations, and no column was said to hold ratings."""
    records = [
        {"id": 7, "text": "A short text.", "annotations": [{"worker": "w1", "score": 4}, {"worker": "w2", "score": 5}]},
        {"id": 8, "text": "Another text.", "annotations": [{"worker": "w1", "score": 2}]},
    ]
    lines = "".join(json.dumps(record) + "\n" for record in records)
    out = analyse(tmp_path, lines, "", "nested.jsonl")
    assert "annotations[*].worker" in out
    assert "unknown_raters" not in out
    assert (Item.objects.count(), Rater.objects.count()) == (2, 2)
    assert mean("score", "system") == pytest.approx(11 / 3)


def test_several_numbers_in_objects_are_criteria_and_words_are_labels(tmp_path: Path) -> None:
    both = [{"text": "A short text.", "marks": [{"annotator": "a", "fluency": 4, "style": 2}]},
            {"text": "Another text.", "marks": [{"annotator": "a", "fluency": 5, "style": 1}]}]  # fmt: skip
    analyse(tmp_path, json.dumps(both), "", "both.json")
    assert (mean("fluency", "system"), mean("style", "system")) == (4.5, 1.5)
    words = [{"text": "One more.", "marks": [{"user": "a", "label": "good"}, {"user": "b", "label": "bad"}]}]
    analyse(tmp_path, json.dumps(words), "", "words.json")
    assert Rating.objects.filter(label="good", rater__pseudonym="a").count() == 1


def planted() -> str:
    """Return ratings in which women prefer A by two steps and men B by one, and older raters rate one step lower."""
    lines = ["who,item,model,text,score,gender,age,expertise,domain"]
    for number in range(16):
        gender, age = ("f", "m")[number % 2], 20 + 3 * number
        for item in range(3):
            for system in "AB":
                score = {"fA": 5, "fB": 3, "mA": 3, "mB": 4}[gender + system] - (age > 42)
                row = (f"r{number}", f"i{item}", system, f"Text {item} of {system}.", score, gender, age,
                       ("novice", "expert")[number % 4 // 2], ("news", "talk")[item % 2])  # fmt: skip
                lines.append(",".join(map(str, row)))
    return "\n".join(lines) + "\n"


def test_results_are_split_by_every_attribute_of_raters(tmp_path: Path) -> None:
    """Planted differences come out by gender, by declared and by computed groups of ages, and under a condition."""
    out = analyse(tmp_path, planted(), name="planted.csv")
    assert "Results can be split by domain, rater_gender, rater_age, rater_expertise: name them" in out
    plan = (
        "analyses:\n"
        "  - {analysis: systems, slices: [rater_gender, 'rater_age (42)', domain]}\n"
        "  - {analysis: systems, slices: [rater_age], where: rater_gender=f}\n"
        "  - {analysis: systems, where: rater_age>42}\n"
    )
    (tmp_path / "plan.yaml").write_text(plan, encoding="utf-8")
    results = tmp_path / "results.json"
    call_command("analyse", "planted", "--plan", str(tmp_path / "plan.yaml"), "--json", str(results), stdout=StringIO())
    frame = pd.read_csv(tmp_path / "planted.csv")
    rows = json.loads(results.read_text(encoding="utf-8"))["rows"]
    means = {
        (row["slice"], row["system"]): row
        for row in rows
        if row["statistic"] == "mean" and row["system"] and row["basis"] == "kept"
    }
    expected = {
        "rater_gender=f": frame.gender == "f", "rater_gender=m": frame.gender == "m",
        "domain=news": frame.domain == "news",
        "rater_age=up to 42": frame.age <= 42, "rater_age=over 42": frame.age > 42, "rater_age>42": frame.age > 42,
        # Sixteen different ages are three groups, of women as of all raters.
        "rater_age=up to 35; rater_gender=f": (frame.gender == "f") & (frame.age <= 35),
        "rater_age=over 35 to 50; rater_gender=f": (frame.gender == "f") & (frame.age > 35) & (frame.age <= 50),
    }  # fmt: skip
    for name, mask in expected.items():
        for system in "AB":
            chosen = frame[mask & (frame.model == system)]
            row = means[name, system]
            assert row["value"] == pytest.approx(chosen.score.mean(), abs=1e-12), name
            assert (row["n_ratings"], row["n_raters"]) == (len(chosen), chosen.who.nunique()), name


def test_a_plan_that_splits_by_what_nobody_was_asked_is_refused_with_what_was(tmp_path: Path) -> None:
    analyse(tmp_path, planted(), name="planted.csv")
    study = Study.objects.get()
    for slices, sentence in {
        "rater_hight": "No questionnaire of this study asks raters for “hight”; known are: rater_age, rater_expertise",
        "rater_age (40, 30)": "Limits are rising numbers",
    }.items():
        with pytest.raises(ValueError, match=re.escape(sentence)):
            start.start(study=study, by=None, settings={"analyses": [{"analysis": "systems", "slices": [slices]}]})


RATED = """\
who,segment,score
ann,s1,5
bob,s1,4
ann,s2,2
bob,s2,1
ann,s3,4
bob,s3,3
"""
SEGMENTS = "id,mt,src,translation\ns1,A,Es regnet.,It rains.\ns2,B,Es regnet.,Rains it.\ns3,A,Guten Tag.,Good day.\n"


def packed(**files: str | bytes) -> bytes:
    """Return a zip of files in a folder."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"paper/{name.replace('_', '.')}", content)
    return target.getvalue()


def test_a_zip_of_tables_that_belong_together_is_joined(tmp_path: Path) -> None:
    """Keys of other names are found by their values; the systems are described in a third file."""
    systems = '[{"mt": "A", "size": "large"}, {"mt": "B", "size": "small"}]'
    content = packed(segments_csv=SEGMENTS, ratings_csv=RATED, systems_json=systems, README_md="no table")
    (tmp_path / "paper.zip").write_bytes(content)
    out = StringIO()
    call_command("analyse_file", str(tmp_path / "paper.zip"), stdout=out)
    assert Output.objects.count() == 3
    assert (mean("score", "A"), mean("score", "B")) == (4.0, 1.5)
    assert set(Item.objects.values_list("source", flat=True)) == {"Es regnet.", "Guten Tag."}
    # The same mapping reads the files of a folder.
    text = out.getvalue()
    assert "paper.zip holds several tables: ratings.csv, segments.csv, systems.json." in text


def test_a_zipped_data_set_of_hugging_face_is_one_table(tmp_path: Path) -> None:
    shards = []
    for half in ([1, 2], [3, 4]):
        target = io.BytesIO()
        polars.DataFrame(
            {
                "annotator": ["ann", "bob"],
                "model": ["A", "B"],
                "output": ["A text here.", "Another text."],
                "score": half,
            }
        ).write_parquet(target)
        shards.append(target.getvalue())
    (tmp_path / "hub.zip").write_bytes(
        packed(a_parquet=shards[0], b_parquet=shards[1], state_json="{}", README_md="no table")
    )
    mapping = "columns: {rater: annotator, system: model, output: output, value: score}\nrepeats: keep\n"
    (tmp_path / "map.yaml").write_text(mapping)
    call_command("analyse_file", str(tmp_path / "hub.zip"), "--map", str(tmp_path / "map.yaml"), stdout=StringIO())
    assert (mean("rating", "A"), mean("rating", "B")) == (2.0, 3.0)


def test_a_zip_without_a_table_says_so(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(packed(README_md="no table"))
    err = StringIO()
    with pytest.raises(CommandError):
        call_command("analyse_file", str(tmp_path / "x.zip"), stdout=StringIO(), stderr=err)
    assert "This zip holds no table" in err.getvalue()


def test_words_and_numbers_side_by_side_are_asked_about_as_criteria_and_raters(tmp_path: Path) -> None:
    values: list[tuple[object, ...]] = [(4, 3, 1, 2), (2, 2, 5, 4), (5, 4, 3, 3)]
    names = ("fluency1", "fluency2", "style1", "style2")
    (tmp_path / "wide.csv").write_text(wide(*names, values=values), encoding="utf-8")
    with pytest.raises(CommandError, match="two ways"):
        call_command("analyse_file", str(tmp_path / "wide.csv"), stdout=StringIO(), stderr=StringIO())
    analyse(tmp_path, wide(*names, values=values), "", "wide.csv", "--numbered", "raters")
    assert (Rater.objects.count(), mean("fluency", "system"), mean("style", "system")) == (2, 20 / 6, 3.0)
