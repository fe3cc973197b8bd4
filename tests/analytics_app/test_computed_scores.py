"""Scores computed here: BLEU, chrF, TER and ROUGE with signatures, languages, and programs of the site."""

import json
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import sacrebleu
from django.core.management import CommandError, call_command

from analytics_app.models import MetricScore, ResultRow
from analytics_app.show.shown import tables_for
from analytics_app.stats.metrics.reference_scores import reference_scores
from analytics_app.stats.metrics.rouge import rouge
from evalweb import environment
from tasks_app.models import Event, Study
from tests.analytics_app.by_commands import analysed, load, one, set_aside
from tests.builders import build_study
from tests.house import recipes

pytestmark = pytest.mark.django_db

REFERENCES = ("the cat is on the mat", "there is a dog in the garden", "hello there world")
TEXTS = {
    "A": ("the cat sat on the mat", "there is a dog in the garden today", "hello world"),
    "B": ("a cat is on a mat", "dog in garden", "hello there world"),
}


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A study of sliders with references, but for its last item: the folder of its files."""
    return loaded(tmp_path)


def loaded(folder: Path, **more: object) -> Path:
    items = [
        {"item": f"i{n}", "system": system, "output": text, "source": "s", "reference": REFERENCES[n], **more}
        for system, texts in TEXTS.items()
        for n, text in enumerate(texts)
    ]
    items.append({"item": "i3", "system": "A", "output": "no reference", "source": "s", "reference": "", **more})
    ratings = [
        {"rater": rater, "item": row["item"], "system": row["system"], "value": 10 * n}
        for n, row in enumerate(items)
        for rater in ("r1", "r2")
    ]
    criterion = {"key": "quality", "name": "Quality", "question": "How good?", "low": "bad", "high": "good"}
    load(folder, {"type": "slider", "criteria": ["quality"], "k": 2}, items, ratings, criteria=[criterion])
    return folder


def computed(*options: str) -> dict[str, Any]:
    out = StringIO()
    call_command("compute_scores", "small", "--json", *options, stdout=out)
    said: dict[str, Any] = json.loads(out.getvalue())
    return said


def scores(metric: str) -> dict[tuple[str | None, str], float]:
    rows = MetricScore.objects.filter(metric=metric, source="computed")
    return {(item, system): value for item, system, value in rows.values_list("item__key", "system__key", "value")}


def test_corpus_scores_as_sacrebleu_prints_them() -> None:
    # shared/reference_values.json, sacrebleu_corpus: sacrebleu 2.6.0 with its default signatures.
    for metric, score in (("BLEU", 65.29157067), ("chrF", 72.41785552), ("chrF++", 73.90582591), ("TER", 18.75)):
        assert reference_scores(metric, TEXTS["A"], REFERENCES).whole == pytest.approx(score)
    with pytest.raises(ValueError, match="metric is one of"):
        reference_scores("METEOR", ["a"], ["a"])
    with pytest.raises(ValueError, match="tokenizer"):
        reference_scores("BLEU", ["a"], ["a"], tokenizer="13b")
    with pytest.raises(ValueError, match="has a reference"):
        reference_scores("BLEU", ["a"], [])


def test_rouge_as_the_package_rouge_score_has_it() -> None:
    # rouge-score 0.1.2, RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=False), fmeasure.
    published = {
        ("the cat sat on the mat", "the cat is on the mat"): (0.833333, 0.6, 0.833333),
        ("there is a dog in the garden today", "there is a dog in the garden"): (0.933333, 0.923077, 0.933333),
        ("It's 3rd-rate, isn't it?", "It is third rate; is it not?"): (0.428571, 0, 0.428571),
        ("a b a b c", "b a c a b"): (1, 0.5, 0.6),
        ("Police killed the gunman!", "the gunman kill police"): (0.75, 0.333333, 0.5),
        ("", "a word"): (0, 0, 0),
    }
    for pair, values in published.items():
        found = (rouge("ROUGE-1", *pair), rouge("ROUGE-2", *pair), rouge("ROUGE-L", *pair))
        assert found == pytest.approx(values, abs=1e-6), pair
    assert rouge("ROUGE-L", "кошка спит", "кошка не спит") == pytest.approx(0.8)


def test_scores_of_texts_and_systems_with_signatures_below_every_table(study: Path) -> None:
    said = computed("--metrics", "BLEU, TER,ROUGE-L")
    assert (said["scores"], said["of systems as wholes"], said["names"]) == (22, 4, ["BLEU", "TER", "ROUGE-L"])
    assert said["notes"] == ["1 text has no score by metrics that need a reference, since its item has none."]
    of_bleu = scores("BLEU")
    assert of_bleu[None, "A"] == pytest.approx(65.29157067)
    assert of_bleu["i2", "B"] == pytest.approx(100)
    sentence = sacrebleu.sentence_bleu(TEXTS["A"][0], [REFERENCES[0]])
    assert of_bleu["i0", "A"] == pytest.approx(sentence.score)
    assert ("i3", "A") not in of_bleu
    assert scores("ROUGE-L")["i0", "A"] == pytest.approx(5 / 6)
    event = Event.objects.get(verb="computed scores")
    assert event.after == {"metrics": ["BLEU", "TER", "ROUGE-L"], "scores": 22, "replaced": False}
    rows = analysed(study, {"analysis": "metrics"}, {"analysis": "metric_pairs"})
    row = one(rows, "metric_pearson_texts", criterion="quality", metric="BLEU")
    version = sacrebleu.__version__
    assert row["settings"]["signature"] == (
        f"nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version:{version}; "
        f"nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:{version}"
    )
    # TER is known to be better when lower.
    assert one(rows, "metric_pearson_texts", criterion="quality", metric="TER")["settings"]["sign"] == "turned"
    for analysis in ("metrics", "metric_pairs"):
        tables = list(tables_for(analysis, [ResultRow(**row) for row in rows if row["analysis"] == analysis], 0.05))
        assert tables
        for table in tables:
            assert any(note.startswith("BLEU was computed here: nrefs:1|") for note in table.notes), table.caption


def test_scores_are_replaced_only_where_that_is_said(study: Path) -> None:
    computed("--metrics", "chrF")
    for options, words in (
        (("--metrics", "chrF"), "has scores of chrF already"),
        (("--metrics", "BLEURT"), "Unknown: BLEURT. Known are BLEU, chrF, chrF\\+\\+, TER, ROUGE-1"),
        (("--metrics", ","), "at least one metric"),
    ):
        with pytest.raises(CommandError, match=words):
            computed(*options)
    assert computed("--metrics", "chrF", "--replace")["scores"] == 8
    assert MetricScore.objects.count() == 8


def test_a_draft_and_a_study_without_references_are_refused() -> None:
    set_aside()
    draft = build_study(None, slug="small", opened=False)
    with pytest.raises(CommandError, match="The study is a draft"):
        computed("--metrics", "BLEU")
    Study.objects.filter(pk=draft.pk).update(slug="draft")
    build_study(None, slug="small")
    with pytest.raises(CommandError, match="BLEU needs references, and no item of this study has one"):
        computed("--metrics", "BLEU")


@pytest.mark.parametrize(("language", "better"), [("ja", "char"), ("zh-CN", "zh"), ("ko", "char"), ("th", "char")])
def test_languages_without_spaces_are_warned_about(tmp_path: Path, language: str, better: str) -> None:
    loaded(tmp_path, language=language)
    (_references, warning) = computed("--metrics", "BLEU,chrF")["notes"]
    tag = language.partition("-")[0]
    assert f"({tag}) that the tokenizer 13a does not split into words, so scores by BLEU mean little" in warning
    assert f"Choose the tokenizer {better}" in warning
    assert len(computed("--metrics", "BLEU", "--replace", "--tokenize", better)["notes"]) == 1
    assert len(computed("--metrics", "chrF++")["notes"]) == 1


PROGRAM = """
import json, sys
texts = [json.loads(line) for line in sys.stdin]
assert set(texts[0]) == {"id", "item", "system", "text", "source", "reference", "language"}, texts[0]
for text in reversed(texts):
    print(json.dumps({"id": text["id"], "score": len(text["text"]) / 10}))
"""


def test_programs_of_the_site_read_json_lines_and_write_scores(study: Path, tmp_path: Path, settings: Any) -> None:
    program = tmp_path / "lengths.py"
    program.write_text(PROGRAM)
    settings.EVALWEB_METRIC_PROGRAMS = {"GRUEN": [sys.executable, str(program)]}
    said = computed("--metrics", "GRUEN")
    # Texts without a reference are scored too: not every metric needs one.
    assert (said["scores"], said["of systems as wholes"]) == (7, 0)
    assert scores("GRUEN")["i3", "A"] == pytest.approx(len("no reference") / 10)
    assert MetricScore.objects.filter(signature="program:GRUEN").count() == 7


def test_the_program_in_the_docs_scores_with_a_module_of_its_name(study: Path, tmp_path: Path, settings: Any) -> None:
    """GRUEN's model cannot be shipped: a stand-in for its module has the function that the program calls."""
    (code,) = recipes.blocks_of("docs/metrics-file.md")
    (tmp_path / "evalweb.py").write_text(code)
    (tmp_path / "main.py").write_text("def get_gruen(texts):\n    return [len(text) / 10 for text in texts]\n")
    settings.EVALWEB_METRIC_PROGRAMS = {"GRUEN": [sys.executable, str(tmp_path / "evalweb.py")]}
    computed("--metrics", "GRUEN")
    assert scores("GRUEN")["i3", "A"] == pytest.approx(len("no reference") / 10)


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("raise SystemExit('no model found')", "ended with code 1: no model found"),
        ("print('loading')", "Line 1 of the program of GRUEN is no"),
        ('print(\'{"id": 0, "score": NaN}\')', "Line 1"),
        ('print(\'{"id": 0, "score": 1}\\n\' * 2)', "Line 2"),
        ('print(\'{"id": 0, "score": 1}\')', "wrote 1 scores for 7 texts"),
        ('print(\'{"id": true, "score": 1}\')', "Line 1"),
        ('print(\'{"id": 0, "score": 1\' + "0" * 400 + "}")', "Line 1"),
        ("print('[' * 100_000)", "Line 1"),
        ("import sys; sys.stdout.buffer.write(bytes([255]))", "can't decode byte 0xff"),
        ("while True: print('loading' * 1000)", "wrote far more than a score for each text, and was ended"),
    ],
)
def test_a_program_that_fails_stores_nothing(study: Path, settings: Any, program: str, words: str) -> None:
    settings.EVALWEB_METRIC_PROGRAMS = {"GRUEN": [sys.executable, "-c", program]}
    with pytest.raises(CommandError, match=words):
        computed("--metrics", "BLEU,GRUEN")
    assert not MetricScore.objects.exists()


def test_a_program_may_repeat_texts_with_any_characters(study: Path, settings: Any) -> None:
    """Some characters end lines for Python, though not in JSON."""
    program = """
import json, sys
for line in sys.stdin:
    print(json.dumps({**json.loads(line), "text": "\\u2028\\x85", "score": 1}, ensure_ascii=False))
"""
    settings.EVALWEB_METRIC_PROGRAMS = {"GRUEN": [sys.executable, "-X", "utf8", "-c", program]}
    assert computed("--metrics", "GRUEN")["scores"] == 7


def test_a_program_that_takes_too_long_is_ended_with_all_that_it_began(
    study: Path, tmp_path: Path, settings: Any
) -> None:
    """What it began keeps its output open, so waiting for that would last as long as it does."""
    begun = f"sleep 5; touch {tmp_path / 'lived'}"
    settings.EVALWEB_METRIC_PROGRAMS = {"GRUEN": ["sh", "-c", f"({begun}) & sleep 5"]}
    settings.EVALWEB_METRIC_PROGRAM_SECONDS = 0.2
    with pytest.raises(CommandError, match=r"The program of GRUEN was ended after 0\.2 seconds\."):
        computed("--metrics", "GRUEN")
    assert not (tmp_path / "lived").exists()


def test_a_process_that_detaches_itself_keeps_nobody_waiting(study: Path, tmp_path: Path, settings: Any) -> None:
    """It is in no session that could be ended, and holds what it inherited from the program."""
    program, done = tmp_path / "lengths.py", tmp_path / "done"
    program.write_text(PROGRAM)
    detached = f"for _ in $(seq 600); do [ -e {done} ] && exit; sleep 0.1; done"
    settings.EVALWEB_METRIC_PROGRAMS = {
        "GRUEN": ["sh", "-c", f"setsid sh -c '{detached}' & {sys.executable} {program}"]
    }
    settings.EVALWEB_METRIC_PROGRAM_SECONDS = 50
    try:
        assert computed("--metrics", "GRUEN")["scores"] == 7
    finally:
        done.touch()


def test_a_program_that_is_not_there_is_named(study: Path, settings: Any) -> None:
    settings.EVALWEB_METRIC_PROGRAMS = {"GRUEN": ["/nowhere/gruen"]}
    with pytest.raises(CommandError, match=r"The program of GRUEN: .*No such file"):
        computed("--metrics", "GRUEN")


def test_programs_are_named_in_json(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "EVALWEB_METRIC_PROGRAMS"
    assert environment.commands(name) == {}
    monkeypatch.setenv(name, '{"GRUEN": ["python3", "gruen.py"]}')
    assert environment.commands(name) == {"GRUEN": ["python3", "gruen.py"]}
    for wrong in ("python3 gruen.py", '["python3"]', '{"GRUEN": "python3 gruen.py"}', '{"GRUEN": []}'):
        monkeypatch.setenv(name, wrong)
        with pytest.raises(environment.ImproperlyConfigured, match="Set it to JSON"):
            environment.commands(name)
