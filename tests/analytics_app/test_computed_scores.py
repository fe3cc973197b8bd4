"""Scores computed here: BLEU, chrF, TER and ROUGE with signatures, languages, and programs of the site."""

import csv
import json
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import sacrebleu
from django.core.management import CommandError, call_command

from analytics_app import charts
from analytics_app.exports import tables as export
from analytics_app.methods_text import formats
from analytics_app.models import MetricScore, ResultRow, Run
from analytics_app.ratings.metric_directions import lower_is_better
from analytics_app.results import Row
from analytics_app.show.shown import tables_for
from analytics_app.stats.metrics import reference_scores as module
from analytics_app.stats.metrics.reference_scores import reference_scores
from analytics_app.stats.metrics.rouge import rouge
from analytics_app.views.methods import text_of
from evalweb import environment
from tasks_app.models import Event, Study
from tests.analytics_app.builders import are_rendered
from tests.analytics_app.by_commands import analysed, load, one, set_aside
from tests.builders import build_study
from tests.house import recipes

pytestmark = pytest.mark.django_db

REFERENCES = ("the cat is on the mat", "there is a dog in the garden", "hello there world")
ONE_EACH = [[reference] for reference in REFERENCES]
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
        assert reference_scores(metric, TEXTS["A"], ONE_EACH).whole == pytest.approx(score)
    with pytest.raises(ValueError, match="metric is one of"):
        reference_scores("METEOR", ["a"], [["a"]])
    with pytest.raises(ValueError, match="tokenizer"):
        reference_scores("BLEU", ["a"], [["a"]], tokenizer="13b")
    with pytest.raises(ValueError, match="has a reference"):
        reference_scores("BLEU", ["a"], [])


def test_several_references_as_sacrebleu_takes_them() -> None:
    others = ["the cat sat on a mat", "a dog is in the garden", "hello world"]
    both = [list(pair) for pair in zip(REFERENCES, others, strict=True)]
    found = reference_scores("BLEU", TEXTS["A"], both)
    assert found.whole == pytest.approx(sacrebleu.corpus_bleu(TEXTS["A"], [list(REFERENCES), others]).score)
    assert found.texts[0] == pytest.approx(sacrebleu.sentence_bleu(TEXTS["A"][0], both[0]).score)
    assert found.signature.startswith("nrefs:2|")
    # One at a time: the mean over both.
    single = reference_scores("BLEU", TEXTS["A"], both, at_once=1)
    each = [reference_scores("BLEU", TEXTS["A"], [[one] for one in side]) for side in (REFERENCES, others)]
    assert single.texts == pytest.approx([sum(pair) / 2 for pair in zip(*(one.texts for one in each), strict=True)])
    assert single.whole == pytest.approx(sum(one.whole for one in each if one.whole is not None) / 2)
    assert single.signature == f"{each[0].signature}|choices:2"
    # Texts may have different numbers of references, but not where some are taken at once.
    uneven = [both[0], [REFERENCES[1]], [REFERENCES[2]]]
    streams = [list(REFERENCES), [others[0], None, None]]
    mixed = reference_scores("chrF", TEXTS["A"], uneven)
    assert mixed.whole == pytest.approx(sacrebleu.corpus_chrf(TEXTS["A"], streams).score)
    assert mixed.signature.startswith("nrefs:var|")
    assert mixed.signature_of_whole.startswith("nrefs:var|")
    with pytest.raises(ValueError, match="same number of references"):
        reference_scores("chrF", TEXTS["A"], uneven, at_once=1)
    # Of ROUGE the best reference counts.
    assert reference_scores("ROUGE-1", ["a b"], [["a c", "a b"]]).texts == [1]
    assert reference_scores("ROUGE-1", ["a b"], [["a c", "a b"]]).signature.endswith("|nrefs:2|best")


def test_shorter_n_grams_and_capped_ter() -> None:
    bleu = sacrebleu.BLEU(max_ngram_order=2).corpus_score(TEXTS["B"], [list(REFERENCES)]).score
    two = reference_scores("BLEU-2", TEXTS["B"], ONE_EACH)
    assert two.whole == pytest.approx(bleu)
    assert two.whole != pytest.approx(reference_scores("BLEU", TEXTS["B"], ONE_EACH).whole)
    assert two.signature.endswith("|order:2")
    long = ["one two three four five", "the cat"]
    plain, capped = (reference_scores(name, long, [["six"], ["the dog"]]) for name in ("TER", "TER capped"))
    assert (plain.texts, capped.texts) == ([500, 50], [100, 50])
    assert capped.whole is None, "the mean over texts is a score of the system, and what is above 100 counts as 100"
    assert capped.signature == f"{plain.signature}|cap:100"
    assert lower_is_better("TER capped") is lower_is_better("TER (asian; source)") is True


def test_tokenizers_of_packages_are_offered_where_these_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = {"MeCab", "ipadic", "mecab_ko"}
    monkeypatch.setattr(module, "find_spec", lambda name: object() if name in installed else None)
    assert module.tokenizers() == ("13a", "intl", "zh", "char", "none", "ja-mecab")


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
            words = {"title": "T", "label": "tab:t", "origin": "o"}
            head, *lines = csv.reader(export.write(table, format="csv", **words).splitlines())
            assert head[-1] == "Signature"
            of_metrics = [line[-1] for line in lines if line[0] == "BLEU"]
            assert all(cell.startswith("BLEU: nrefs:1|case:mixed|eff:yes|") for cell in of_metrics), table.caption
            assert "BLEU was computed here: nrefs:1" in export.write(table, format="tex", **words)
    run = Run.objects.latest("pk")
    text = formats.in_format(text_of(run.study, run), "md").replace("\\", "")
    assert f"BLEU (nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version:{version}" in text
    assert "were computed on the texts of the study (Post, 2018)" in text


def test_every_way_has_a_name_of_its_own(tmp_path: Path) -> None:
    loaded(tmp_path, source="the dog sat")
    said = computed("--metrics", "BLEU-2,TER,chrF", "--tokenize", "13a,intl,char", "--against", "source,both")
    assert said["names"] == [
        "BLEU-2 (source)", "BLEU-2 (source and references)", "BLEU-2 (intl; source)",
        "BLEU-2 (intl; source and references)", "BLEU-2 (char; source)", "BLEU-2 (char; source and references)",
        "TER (source)", "TER (source and references)", "TER (asian; source)", "TER (asian; source and references)",
        "chrF (source)", "chrF (source and references)",
    ]  # fmt: skip
    text = TEXTS["A"][0]
    assert scores("chrF (source)")["i0", "A"] == pytest.approx(sacrebleu.sentence_chrf(text, ["the dog sat"]).score)
    # A text whose item has no reference is compared with its source, and not with both.
    assert ("i3", "A") in scores("chrF (source)")
    both = scores("chrF (source and references)")
    assert both["i0", "A"] == pytest.approx(sacrebleu.sentence_chrf(text, ["the dog sat", REFERENCES[0]]).score)
    assert ("i3", "A") not in both
    asian = sacrebleu.sentence_ter(text, ["the dog sat"], normalized=True, asian_support=True).score
    assert scores("TER (asian; source)")["i0", "A"] == pytest.approx(asian)
    signature = MetricScore.objects.filter(metric="BLEU-2 (char; source)", item__key="i0").first().signature
    assert "|tok:char|" in signature
    assert signature.endswith("|order:2|against:source")


def test_fewer_references_at_once_and_a_reference_scored_like_a_system(study: Path) -> None:
    said = computed("--metrics", "chrF", "--references", "B", "--item-references", "--by-number")
    assert said["names"] == ["chrF", "chrF (1 of 2 references)"]
    text, references = TEXTS["A"][0], [REFERENCES[0], TEXTS["B"][0]]
    assert scores("chrF")["i0", "A"] == pytest.approx(sacrebleu.sentence_chrf(text, references).score)
    each = [sacrebleu.sentence_chrf(text, [one]).score for one in references]
    assert scores("chrF (1 of 2 references)")["i0", "A"] == pytest.approx(sum(each) / 2)
    # The texts of B are references: they are compared with the other one only, and not with themselves.
    of_b = scores("chrF (1 of 2 references)")["i0", "B"]
    assert of_b == pytest.approx(sacrebleu.sentence_chrf(TEXTS["B"][0], [REFERENCES[0]]).score)
    assert not any(system == "B" for _item, system in scores("chrF"))
    # The text of A whose item has no reference is left out of both, so that they are about the same texts.
    assert {item for item, _system in scores("chrF")} == {None, "i0", "i1", "i2"}
    rows = analysed(study, {"analysis": "metrics"})
    stored = [ResultRow(**row) for row in rows if row["analysis"] == "metrics"]
    by_caption = {table.caption: table for table in tables_for("metrics", stored, 0.05)}
    table = by_caption["Metrics by number of references"]
    assert [column.label for column in table.columns] == ["Metric", "1 of 2", "2 of 2"]
    assert [line[0].text for line in table.rows] == ["chrF"]
    drawn = {chart.key: chart for chart in charts.draw([Row(**row) for row in rows], "main", "quality")}
    assert are_rendered([drawn["metrics-references"]])
    assert [line[1] for line in charts.numbers(drawn["metrics-references"].spec)[1]] == ["1", "2"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--by-number",), "Fewer references at once need several places"),
        (("--by-number", "--references", "A,B", "--against", "source"), "compared with the references alone"),
        (("--against", "reference"), "Compare texts with references, source or both"),
        (("--tokenize", "13b"), "a tokenizer among 13a, intl, zh, char, none"),
        (("--references", "A,C"), "The study has no texts of a system “C”"),
    ],
)
def test_ways_that_cannot_be_computed_are_refused(study: Path, options: tuple[str, ...], words: str) -> None:
    with pytest.raises(CommandError, match=words):
        computed("--metrics", "BLEU", *options)


def test_a_study_without_sources_cannot_compare_with_them(tmp_path: Path) -> None:
    loaded(tmp_path, source="")
    with pytest.raises(CommandError, match="BLEU cannot compare with the source: no item of this study has one"):
        computed("--metrics", "BLEU", "--against", "source")


def test_a_composite_has_the_signatures_of_its_parts(study: Path) -> None:
    computed("--metrics", "chrF,ROUGE-L")
    rows = analysed(study, {"analysis": "metrics_apart"}, composites="joint: mean of chrF, ROUGE-L")
    row = one(rows, "metric_levels_differ", criterion="quality", metric="joint")
    version = sacrebleu.__version__
    assert row["settings"]["signature"].startswith("chrF: nrefs:1|case:mixed|eff:yes|nc:6|nw:0|")
    assert f"|version:{version}" in row["settings"]["signature"]
    assert row["settings"]["signature"].endswith("; ROUGE-L: ROUGE-L|f1|words:unicode|case:lc|stem:no")
    tables = list(tables_for("metrics_apart", [ResultRow(**row) for row in rows if row["metric"] == "joint"], 0.05))
    assert tables
    assert all(any(note.startswith("joint was computed here: chrF: nrefs") for note in t.notes) for t in tables)


def test_scores_are_replaced_only_where_that_is_said(study: Path) -> None:
    computed("--metrics", "chrF")
    for options, words in (
        (("--metrics", "chrF"), "has scores of chrF already"),
        (
            ("--metrics", "BLEURT"),
            "Unknown: BLEURT. Known are BLEU, BLEU-3, BLEU-2, BLEU-1, chrF, chrF\\+\\+, TER, TER capped, ROUGE-1",
        ),
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
    name = {"ja": "Japanese", "zh": "Chinese", "ko": "Korean", "th": "Thai"}[tag]
    assert warning.startswith(
        f"The texts are in {name}, which the tokenizer 13a does not split into words, so scores by BLEU mean little"
    )
    assert f"Choose the tokenizer {better}" in warning
    assert len(computed("--metrics", "BLEU", "--replace", "--tokenize", better)["notes"]) == 1
    # TER splits Chinese and Japanese, and ROUGE nothing.
    asian = computed("--metrics", "TER,ROUGE-L", "--tokenize", better)["notes"][1]
    assert ("scores by TER (asian), ROUGE-L mean" if tag in {"ko", "th"} else "scores by ROUGE-L mean") in asian
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
    """A process in a session of its own outlives its program, and keeps the files of the program open."""
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
