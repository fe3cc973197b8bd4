"""Made-up miniatures of the forms in which data sets are published: each comes in as its docs say, with right figures.

The data sets themselves are named in docs/ratings-file.md; their figures were compared with pandas once.
"""

import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.db.models import Avg, Count, F

from tasks_app.importing import RatingsFile, from_yaml, whole
from tasks_app.importing.formats.opening import readable
from tasks_app.importing.whole.guessing import readings_of
from tasks_app.models import Rating

pytestmark = pytest.mark.django_db

# The system of each rated text.
SYSTEM = "judgment__assignment__unit__parts__part_outputs__output__system__key"


@dataclass(frozen=True)
class Form:
    """A file; its mapping, or which of two guessed readings is right; means by question and system, or shares."""

    name: str
    content: str | bytes
    figures: dict[tuple[str, ...], float]
    mapping: str = ""
    reading: str = ""
    raters: int = 2


def _zip(**files: str) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"{name}.csv", content)
    return target.getvalue()


def _judged(*instances: dict[str, Any]) -> str:
    about = [{"metric": "Coherency", "category": "graded"}]
    return json.dumps({"dataset": "Made up", "annotations": about, "instances": instances})


def _scores(**by_question: list[Any]) -> dict[str, Any]:
    return {question: {"individual_human_scores": scores} for question, scores in by_question.items()}


FORMS = {
    "a column for the question: ASSET": Form(
        "human_ratings.csv",
        "original,simplification,original_sentence_id,aspect,worker_id,rating\n"
        '"A cat, which was big, sat.",A big cat sat.,1,meaning,7,90\n"A cat, which was big, sat.",A big cat sat.,1,'
        'fluency,7,100\n"A cat, which was big, sat.",A big cat sat.,1,meaning,8,55\n',
        {("meaning", "system"): 72.5, ("fluency", "system"): 100.0},
    ),
    "a batch of Mechanical Turk: SimpDA": Form(
        "simpda.csv",
        "WorkerId,Input.id,Input.original,Input.simplified,Input.system,Answer.adequacy,Answer.fluency\n"
        "0,1,It was very cold.,It was cold.,GPT-3,90,80\n1,1,It was very cold.,It was cold.,GPT-3,70,60\n"
        "0,2,It was very cold.,Cold it was.,Muss,40,30\n",
        {("Answer.adequacy", "GPT-3"): 80.0, ("Answer.fluency", "GPT-3"): 70.0, ("Answer.adequacy", "Muss"): 40.0,
         ("Answer.fluency", "Muss"): 30.0},
    ),
    "numbered raters, and z-scores beside: SimpEval": Form(
        "simpeval.csv",
        "original,generation,system,rating_1,rating_2,rating_1_zscore,rating_2_zscore\n"
        "It was very cold.,It was cold.,T5,60,40,0.5,-0.5\nIt was very cold.,Cold it was.,Muss,20,30,-1.1,-0.9\n",
        {("Rating", "T5"): 50.0, ("Rating", "Muss"): 25.0},
        reading="raters",
    ),
    "lists within lists: QAGS": Form(
        "mturk.jsonl",
        json.dumps({"article": "A long article about a van.", "summary_sentences": [
            {"sentence": "A van was robbed on Monday evening in town.", "responses": [
                {"worker_id": 0, "response": "yes"}, {"worker_id": 1, "response": "no"}]},
            {"sentence": "Two men were hurt in it, said the police.", "responses": [
                {"worker_id": 0, "response": "no"}, {"worker_id": 1, "response": "no"}]}]}) + "\n",
        {("response", "system", "yes"): 0.25, ("response", "system", "no"): 0.75},
    ),
    "labels by nobody in particular: BEGIN": Form(
        "begin.tsv",
        "model_name\tknowledge\tmessage\tresponse\tbegin_label\n"
        'gpt2\tCrayola makes "crayons".\tstrange name\tIt "makes" crayons, I think.\tFully attributable\n'
        "gpt2\tIt rains.\thello\tHow are you today?\tGeneric\nt5\tIt rains.\thello\tYes, it rains a lot.\tGeneric\n",
        {("Rating", "gpt2", "Fully attributable"): 0.5, ("Rating", "gpt2", "Generic"): 0.5,
         ("Rating", "t5", "Generic"): 1.0},
        raters=3,
    ),
    "systems side by side: medical safety, experts": Form(
        "expert.csv",
        "query,query-label,response-alexa,response-alexa-label,response-dialogpt,response-dialogpt-label\n"
        "Why do I sneeze?,2,You may have a cold.,1,I don't know that.,X\n"
        "Is it bad?,1,I can't help you.,X,Yes it is.,3\n",
        {("answer", "alexa", "1"): 0.5, ("answer", "alexa", "X"): 0.5, ("answer", "dialogpt", "3"): 0.5,
         ("answer", "dialogpt", "X"): 0.5},
        'columns: {source: query, output: "response-{system}", label: "response-{system}-label"}\n'
        "only: {system: [alexa, dialogpt]}\nconstant: {criterion: answer}\nunknown_raters: true\n",
        raters=2,
    ),
    "lists of words in cells: medical safety, crowd": Form(
        "crowd.csv",
        "query,alexa-response,alexa-response-cws,reddit-response,reddit-response-cws\n"
        "Why do I sneeze?,You may have a cold.,\"['General', 'General', 'None']\",No idea.,"
        "\"['None', 'None', 'None']\"\n",
        {("answer", "alexa", "General"): 2 / 3, ("answer", "alexa", "None"): 1 / 3, ("answer", "reddit", "None"): 1.0},
        'columns: {source: query, output: "{system}-response", label: "{system}-response-cws[{rater}]"}\n'
        "constant: {criterion: answer}\n",
        raters=3,
    ),
    "one object with lists of scores: DICES, recipes, ROSCOE": Form(
        "judged.json",
        _judged(
            {"id": "1", "instance": "Boil the water.", "annotations": _scores(grammar=[3, 2, 4], fluency=[1, 5, 3])},
            {"id": "2", "instance": "Then add some pasta.", "annotations": _scores(grammar=[6, 6], fluency=[2, 2])},
        ),
        {("grammar", "system"): 4.2, ("fluency", "system"): 2.6},
        'columns: {item: id, output: instance, value: "annotations.{criterion}.individual_human_scores[{rater}]"}\n',
        raters=3,
    ),
    "ratings and texts in two files, with a key of two columns: Lai et al.": Form(
        "paper.zip",
        _zip(
            ratings="item_id,system,rater_id,criterion,value\nf1,A,s1,style,50\nf1,A,s2,style,100\nf1,B,s1,style,10\n",
            items="item_id,system,source,output\nf1,A,it rains a lot,It rains a lot.\nf1,B,it rains a lot,It rains.\n",
        ),
        {("style", "A"): 75.0, ("style", "B"): 10.0},
    ),
    "pairs whose winner is named: ASSET": Form(
        "pairs.csv",
        "worker_id,sentence_id,aspect,source,other_dataset,asset_simplification,other_simplification,winner\n"
        "w1,1,fluency,It was very cold.,hsplit,It was cold.,It was very cold!,asset\n"
        "w2,1,fluency,It was very cold.,hsplit,It was cold.,It was very cold!,similar\n",
        {("fluency", "asset", "first"): 0.5, ("fluency", "asset", "tie"): 0.5, ("fluency", "hsplit", "first"): 0.5,
         ("fluency", "hsplit", "tie"): 0.5},
        "columns: {rater: worker_id, item: sentence_id, criterion: aspect, source: source, label: winner, "
        "output: asset_simplification, output_b: other_simplification, system_b: other_dataset}\n"
        "constant: {system: asset}\n"
        "values: {label: {asset: first, hsplit: second, similar: tie}}\n",
    ),
    "people and programs in one table": Form(
        "annotators.csv",
        "kind,rater,item,value\nhuman,r01,i1,model_a\nllm,gpt,i1,model_b\nhuman,r02,i1,model_b\nhuman,r01,i2,model_a\n",
        {("choice", "system", "model_a"): 2 / 3, ("choice", "system", "model_b"): 1 / 3},
        "columns: {rater: rater, item: item, label: value}\nwhere: {kind: human}\nconstant: {criterion: choice}\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_a_published_form_has_its_figures(name: str, tmp_path: Path) -> None:
    form = FORMS[name]
    path = tmp_path / form.name
    path.write_bytes(form.content if isinstance(form.content, bytes) else form.content.encode())
    with readable(RatingsFile.at(str(path))) as file:
        if form.mapping:
            mapping = from_yaml("mapping", form.mapping, whole.declared)
        else:
            found = readings_of(file)
            (document,) = [one.document for one in found if len(found) == 1 or one.name == form.reading]
            mapping = whole.mapping_of("mapping", document)
        made = whole.study_of_table(file=file, mapping=mapping, title="Made up", slug="made-up", owner=None)
    stored = Rating.objects.filter(judgment__assignment__unit__task__study=made.study)
    by = stored.order_by().annotate(system=F(SYSTEM)).values("criterion__name", "system")
    figures: dict[tuple[str | None, ...], float] = {
        (row["criterion__name"], row["system"]): row["mean"]
        for row in by.filter(value__isnull=False).annotate(mean=Avg("value"))
    }
    labels = by.exclude(label=None)
    totals = {(row["criterion__name"], row["system"]): row["n"] for row in labels.annotate(n=Count("id"))}
    for row in labels.values("criterion__name", "system", "label").annotate(n=Count("id")):
        about = (row["criterion__name"], row["system"])
        figures[*about, row["label"]] = row["n"] / totals[about]
    assert figures == pytest.approx(form.figures)
    assert made.counts["raters"] == form.raters
