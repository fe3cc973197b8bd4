"""A small, made-up file of every named format, in the form that the tools write, and what a study has of it."""

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Miniature:
    """Files by their names, one or several; `counts` and `ratings` (as rows) are what is read of them."""

    files: Mapping[str, str | bytes]
    counts: Mapping[str, int]
    ratings: list[dict[str, Any]]
    options: Mapping[str, str] = field(default_factory=dict)
    kinds: tuple[tuple[str, str], ...] = ()

    @property
    def upload(self) -> tuple[str, bytes]:
        """Name and content of the upload: the file itself, or a zip of several."""
        if len(self.files) == 1:
            ((name, content),) = self.files.items()
            return name, content.encode() if isinstance(content, str) else content
        return "files.zip", zipped(self.files)


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def lines(*records: object) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def parquet(rows: list[dict[str, Any]]) -> bytes:
    import polars

    target = io.BytesIO()
    polars.DataFrame(rows).write_parquet(target)
    return target.getvalue()


OLD_HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
WMT_MQM = OLD_HEADER + (
    "Online-A.15\ttalk.1\t1\t84\trater1\tEin 🙂 Satz.\tA 🙂 <v>sentense</v>.\tFluency/Spelling\tMinor\n"
    "Online-A.15\ttalk.1\t1\t84\trater1\tEin <v>🙂</v> Satz.\tA 🙂 sentense.\tAccuracy/Omission\tMajor\n"
    'CUNI MH (v2)\ttalk.1\t1\t84\trater1\tEin 🙂 Satz.\t"A 🙂 sentence.\tNo-error\tno-error\n'
    "Online-A.15\ttalk.1\t2\t85\trater2\tEnde.\tThe <v>end.\tFluency/Punctuation\tMinor\n"
)
MAROT = (
    "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\tmetadata\t# Documentation: …\n"
    "A\td:en-de\t1\t7\trater1\tOne <v>eror</v>.\tEin Fehler.\tSource issue\tMajor\t{}\n"
    "A\td:en-de\t1\t7\trater1\tOne eror.\tEin Fehler<v>.</v>\tLocale/Punctuation\tMinor\t{}\n"
    "A\td:en-de\t1\t7\trater2\tOne eror.\t<v>Ein</v> Fehler.\tAccuracy/Mistranslation\tCritical\t{}\n"
    "A\td:en-de\t2\t8\trater1\tPlanted.\tGesetzt.\tFound\tHOTW-test\t{}\n"
)

ESA_ROWS = (
    'engdeu1,SysA,1,TGT,eng,deu,80,doc1,False,"[{""start_i"":2,""end_i"":4,""severity"":""minor""}]",'
    "1724108648.6,1724108650.1\n"
    'engdeu1,SysA,1,TGT,eng,deu,85,doc1,False,"[{""start_i"":""missing"",""end_i"":""missing"",'
    '""severity"":""major""}]",'
    "1724108700.0,1724108720.5\n"
    "engdeu1,SysB,1,TGT,eng,deu,90.5,doc1,True,[],1724108800.0,1724108801.0\n"
    "engdeu1,SysB,1,BAD,eng,deu,10,doc1#bad,True,[],1724108900.0,1724108901.0\n"
    "engdeu1,SysA,ende-tutorial,TGT,eng,deu,10,ende-tutorial1,True,[],1724108900.0,1724108901.0\n"
)
ESA_TEXTS = {
    "txt/sources/en-de.txt": "canary\nA smile 🙂.\n",
    "txt/system-outputs/en-de/SysA.txt": "canary\n🙂 Ein Lächeln.\n",
    "txt/system-outputs/en-de/SysB.txt": "canary\nLächeln.\n",
}

PEARMUT = {
    "user_id": "alice", "item_i": 0,
    "item": [{"item_id": "en-es-0", "src": "Hi.\nYou.", "tgt": {"m1": "🙂 Ho\nla.", "m2": "Hola."}}],
    "annotation": [{
        "m1": {"score": 70, "error_spans": [
            {"start_i": 3, "end_i": 6, "category": None, "severity": "minor"},
            {"start_i": 8, "end_i": 8, "category": None, "severity": "major"},
        ]},
        "m2": {"score": 95, "error_spans": [], "textfield": "Hola"},
    }],
    "actions": [{"time": 1771311126.0, "action": "load"}, {"time": 1771311136.5, "action": "submit"}],
}  # fmt: skip

LABEL_STUDIO = [{
    "id": 5, "data": {"text": "🙂 Rome is big.", "text2": "Rome is large.", "prompt": "Say it."},
    "annotations": [
        {"id": 9, "completed_by": {"id": 3, "email": "a@example.org"}, "lead_time": 4.5,
         "created_at": "2026-03-09T22:16:08.728353Z", "result": [
            {"from_name": "quality", "to_name": "text", "type": "rating", "value": {"rating": 4}},
            {"from_name": "topic", "to_name": "text", "type": "choices", "value": {"choices": ["city", "size"]}},
            {"from_name": "ner", "to_name": "text", "type": "labels",
             "value": {"start": 3, "end": 7, "text": "Rome", "labels": ["PLACE"]}},
            {"from_name": "better", "to_name": "text,text2", "type": "pairwise", "value": {"selected": "right"}},
            {"from_name": "why", "to_name": "text", "type": "textarea", "value": {"text": ["shorter"]}},
         ]},
        {"id": 10, "completed_by": 4, "was_cancelled": True, "result": []},
        {"id": 11, "completed_by": 4, "result": [
            {"from_name": "quality", "to_name": "text", "type": "rating", "value": {"rating": 2}},
            {"from_name": "topic", "to_name": "text", "type": "choices", "value": {"choices": ["city"]}}]},
    ],
}]  # fmt: skip

POTATO = {
    "annotation_output/ann/annotated_instances.jsonl": lines(
        {"id": "1", "displayed_text": "A 🙂 day.", "label_annotations": {
            "quality": {"scale_4": "4"}, "tone": {"kind": True}, "why": {"text_box": "because"}},
         "span_annotations": [{"schema": "words", "label": "noun", "start": 5, "end": 8, "text": "day"}],
         "behavioral_data": {"time_string": "Time spent: 0d 0h 1m 7s "}},
        {"id": "2", "displayed_text": "A night.", "label_annotations": {"quality": {"scale_2": "2"}},
         "span_annotations": [], "behavioral_data": {}},
    ),
    "annotation_output/bob/annotated_instances.jsonl": lines(
        {"id": "1", "displayed_text": "A 🙂 day.", "label_annotations": {"quality": {"3": True}, "tone": {"rude": "1"}},
         "span_annotations": []},
    ),
    "data/texts.jsonl": lines({"id": "1", "text": "A 🙂 day."}, {"id": "2", "text": "A night."}),
}  # fmt: skip

ARGILLA = [
    {"id": "r1", "fields": {"prompt": "Hello?", "response": "Hi 🙂 there"}, "metadata": {"model": "m1"},
     "suggestions": {},
     "responses": {"quality": [{"value": 4, "user_id": "u-1"}, {"value": 2, "user_id": "u-2"}],
                   "label": [{"value": "good", "user_id": "u-1"}],
                   "span": [{"value": [{"start": 6, "end": 11, "label": "place"}], "user_id": "u-1"}]}},
    {"id": "r2", "fields": {"prompt": "Bye?", "response": "Bye."}, "metadata": {"model": "m2"}, "suggestions": {},
     "responses": {"quality": [{"value": 5, "user_id": "u-1", "status": "draft"}],
                   "label": [{"value": "bad", "user_id": "u-2"}]}},
]  # fmt: skip

JSPSYCH = (
    '"trial_type","trial_index","time_elapsed","rt","stimulus","response","subject","system"\n'
    '"preload","0","10","","","","p1",""\n'
    '"html-slider-response","1","3010","2500","<p>A &amp; B 🙂</p>","62","p1","s1"\n'
    '"survey-likert","2","5010","1500.5","A second text.","{""clear"":3}","p1","s2"\n'
    '"html-button-response","3","6010","700","A second text.","1","p1","s2"\n'
)

MINIATURES: Mapping[str, Miniature] = {
    "wmt-mqm": Miniature(
        {"mqm_ted_ende.tsv": WMT_MQM},
        {"items": 2, "systems": 2, "texts": 3, "raters": 2, "ratings": 4},
        [
            {"rater": "rater1", "item": "talk.1-1", "system": "Online-A.15", "span_side": "output", "span_start": 4,
             "span_end": 12, "text": "sentense", "category": "Fluency/Spelling", "severity": "minor"},
            {"rater": "rater1", "item": "talk.1-1", "system": "Online-A.15", "span_side": "source", "span_start": 4,
             "span_end": 5, "text": "🙂", "category": "Accuracy/Omission", "severity": "major"},
            {"rater": "rater2", "item": "talk.1-2", "system": "Online-A.15", "span_side": "output", "span_start": 4,
             "span_end": 8, "text": "end.", "category": "Fluency/Punctuation", "severity": "minor"},
            {"rater": "rater1", "item": "talk.1-1", "system": "CUNI MH (v2)", "label": "none"},
        ],
        kinds=(("errors", "error_spans"),),
    ),
    "wmt-esa": Miniature(
        {"humeval/esa_wave0.csv": ESA_ROWS, **ESA_TEXTS},
        {"items": 1, "systems": 2, "texts": 2, "raters": 1, "ratings": 3},
        [
            {"rater": "engdeu1", "item": "en-de-1", "system": "SysA", "criterion": "score", "value": 85.0,
             "started_at": "2024-08-19T23:05:00+00:00", "submitted_at": "2024-08-19T23:05:20.500000+00:00"},
            {"rater": "engdeu1", "item": "en-de-1", "system": "SysA", "criterion": "errors", "span_side": "output",
             "span_start": 14, "span_end": 15, "text": "[missing]", "severity": "major"},
            {"rater": "engdeu1", "item": "en-de-1", "system": "SysB", "criterion": "score", "value": 90.5},
        ],
        kinds=(("ratings", "error_spans"),),
    ),
    "appraise": Miniature(
        {
            "scores.csv": "u1,SysA,1,TGT,eng,deu,80,100000001.5,100000003.5\nu2,SysA,1,TGT,eng,deu,70\n"
            "u2,SysB,1,CHK,eng,deu,7\n",
            "batches.json": json.dumps([{"items": [{"itemID": 1, "itemType": "TGT", "targetID": "SysA",
                                                    "targetText": "Eins.", "sourceText": "One."}], "task": {}}]),
        },
        {"items": 1, "systems": 1, "texts": 1, "raters": 2, "ratings": 2},
        [
            {"rater": "u1", "item": "en-de-1", "system": "SysA", "criterion": "score", "value": 80.0,
             "submitted_at": "1973-03-03T09:46:43.500000+00:00"},
            {"rater": "u2", "item": "en-de-1", "system": "SysA", "criterion": "score", "value": 70.0},
        ],
        kinds=(("ratings", "slider"),),
    ),
    "pearmut": Miniature(
        {"annotations.jsonl": lines({**PEARMUT, "annotation": [{"m1": {"score": 1, "error_spans": []}}]}, PEARMUT,
                                    {**PEARMUT, "item_i": "welcome_0"})},
        {"items": 1, "systems": 2, "texts": 2, "raters": 1, "ratings": 4},
        [
            {"rater": "alice", "item": "en-es-0", "system": "m1", "criterion": "score", "value": 70,
             "submitted_at": "2026-02-17T06:52:16.500000+00:00"},
            {"rater": "alice", "item": "en-es-0", "system": "m1", "criterion": "errors", "span_side": "output",
             "span_start": 2, "span_end": 7, "text": "Ho\nla", "severity": "minor"},
            {"rater": "alice", "item": "en-es-0", "system": "m1", "criterion": "errors", "span_side": "output",
             "span_start": 8, "span_end": 9, "text": "[missing]", "severity": "major"},
            {"rater": "alice", "item": "en-es-0", "system": "m2", "criterion": "score", "value": 95},
        ],
        kinds=(("ratings", "error_spans"),),
    ),
    "label-studio": Miniature(
        {"project-1.json": json.dumps(LABEL_STUDIO)},
        {"items": 1, "systems": 3, "texts": 3, "raters": 2, "ratings": 7},
        [
            {"rater": "3", "criterion": "quality", "item": "5", "system": "texts", "value": 4.0, "seconds": 4.5},
            {"rater": "3", "criterion": "topic", "label": "city"},
            {"rater": "3", "criterion": "topic", "label": "size"},
            {"rater": "3", "span_side": "output", "span_start": 2, "span_end": 6, "text": "Rome", "category": "PLACE"},
            {"rater": "3", "criterion": "better", "system": "text", "system_b": "text2", "label": "second"},
            {"rater": "4", "criterion": "quality", "value": 2.0},
            {"rater": "4", "criterion": "topic", "label": "city"},
        ],
        kinds=(("scores", "likert"), ("labels", "labels"), ("marks", "error_spans"), ("pairs", "pairwise")),
    ),
    "potato": Miniature(
        POTATO,
        {"items": 2, "systems": 1, "texts": 2, "raters": 2, "ratings": 6},
        [
            {"rater": "ann", "item": "1", "criterion": "quality", "value": 4.0, "seconds": 67.0},
            {"rater": "ann", "item": "1", "criterion": "tone", "label": "kind"},
            {"rater": "ann", "item": "1", "span_start": 4, "span_end": 7, "text": "day", "category": "noun"},
            {"rater": "ann", "item": "2", "criterion": "quality", "value": 2.0},
            {"rater": "bob", "item": "1", "criterion": "quality", "value": 3.0},
            {"rater": "bob", "item": "1", "criterion": "tone", "label": "rude"},
        ],
        kinds=(("scores", "likert"), ("labels", "labels"), ("marks", "error_spans")),
    ),
    "argilla": Miniature(
        {"records.json": json.dumps(ARGILLA)},
        {"items": 2, "systems": 2, "texts": 2, "raters": 2, "ratings": 5},
        [
            {"rater": "u-1", "item": "r1", "system": "m1", "criterion": "quality", "value": 4},
            {"rater": "u-2", "item": "r1", "system": "m1", "criterion": "quality", "value": 2},
            {"rater": "u-1", "item": "r1", "span_start": 5, "span_end": 10, "text": "there", "category": "place"},
            {"rater": "u-1", "item": "r1", "criterion": "label", "label": "good"},
            {"rater": "u-2", "item": "r2", "criterion": "label", "label": "bad"},
        ],
        kinds=(("scores", "likert"), ("marks", "error_spans"), ("labels", "labels")),
    ),
    "jspsych": Miniature(
        {"data.csv": JSPSYCH},
        {"items": 2, "systems": 2, "texts": 2, "raters": 1, "ratings": 3},
        [
            {"rater": "p1", "system": "s1", "criterion": "slider", "value": 62.0, "seconds": 2.5},
            {"rater": "p1", "system": "s2", "criterion": "clear", "value": 4.0, "seconds": 1.5005},
            {"rater": "p1", "system": "s2", "criterion": "button", "label": "1", "seconds": 0.7},
        ],
        kinds=(("scores", "slider"), ("steps", "likert"), ("labels", "labels")),
    ),
    "crowd-kit": Miniature(
        {"labels.csv": "task,worker,label\nt1,w1,cat\nt1,w2,dog\nt2,w1,cat\n",
         "tasks.csv": "task,text\nt1,Miaow.\nt2,Purr.\n"},
        {"items": 2, "systems": 1, "texts": 2, "raters": 2, "ratings": 3},
        [
            {"rater": "w1", "item": "t1", "criterion": "label", "label": "cat"},
            {"rater": "w2", "item": "t1", "criterion": "label", "label": "dog"},
            {"rater": "w1", "item": "t2", "criterion": "label", "label": "cat"},
        ],
        kinds=(("labels", "labels"),),
    ),
    "mt-metrics-eval": Miniature(
        {
            "wmt99/sources/en-de.txt": "One 🙂.\nTwo.\n",
            "wmt99/references/en-de.refA.txt": "Eins.\nZwei.\n",
            "wmt99/documents/en-de.docs": "news doc1\nnews doc1\n",
            "wmt99/system-outputs/en-de/sysA.txt": "🙂 Eins.\nZwei.\n",
            "wmt99/system-outputs/en-de/sysB.txt": "Ein.\n[No translation supplied]\n",
            "wmt99/human-scores/en-de.mqm.seg.score": "sysA\t-1.5\nsysA\tNone\nsysB\t-6\nsysB\tNone\n",
            "wmt99/human-scores/en-de.mqm.sys.score": "sysA -1.5\nsysB -6\n",
            "wmt99/human-scores/en-de.mqm.merged.seg.rating": (
                'sysA\t{"errors": [{"start": 2, "end": 6, "category": "Fluency/Grammar", "severity": "minor", '
                '"score": 1.0, "is_source_error": false}]}\trater1\nsysA\tNone\n'
                'sysB\t{"errors": []}\trater2\nsysB\tNone\n'
            ),
        },
        {"items": 2, "systems": 2, "texts": 3, "raters": 3, "ratings": 4},
        [
            {"rater": "rater1", "item": "en-de-1", "system": "sysA", "span_start": 2, "span_end": 6, "text": "Eins",
             "category": "Fluency/Grammar", "severity": "minor"},
            {"rater": "rater2", "item": "en-de-1", "system": "sysB", "label": "none"},
            {"rater": "mqm", "item": "en-de-1", "system": "sysA", "criterion": "mqm", "value": -1.5},
            {"rater": "mqm", "item": "en-de-1", "system": "sysB", "criterion": "mqm", "value": -6.0},
        ],
        kinds=(("errors", "error_spans"), ("scores-mqm", "slider")),
    ),
}  # fmt: skip
