"""Headers of public files with texts, and what each of their columns is, said by hand.

Only headers are taken from the files. The cells below them are made here: what a cell looks like is part of what a
guess goes by, so each column has the kind of cells that the file has.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tasks_app.importing.guessing import Peek
from tasks_app.setup.tables.layout import ASKED, FEATURE, SYSTEM

# Items in a made table, and outputs of each where a column names systems.
ITEMS, SYSTEMS = 6, 3


@dataclass(frozen=True, slots=True)
class PublicHeader:
    """A header: where it comes from, and for each column its name, its use, and the kind of its cells.

    Kinds of cells: `text`; `item` and `word`, equal for all outputs of an item; `label`, another one for each of them;
    `row`, another one in each row; `system`; `number`; `verse`, a place in a book; `document`, equal for neighbours;
    `none`, empty.
    """

    origin: str
    columns: Sequence[tuple[str, str, str]]

    @property
    def uses(self) -> dict[str, str]:
        """Return the use of each column that has one."""
        return {name: use for name, use, _cells in self.columns if use}

    @property
    def peek(self) -> Peek:
        """Return a table with this header."""
        outputs = SYSTEMS if any(kind == "system" for _name, _use, kind in self.columns) else 1
        rows = [
            [_cell(name, kind, item, output, outputs) for name, _use, kind in self.columns]
            for item in range(ITEMS)
            for output in range(outputs)
        ]
        return Peek([name for name, _use, _kind in self.columns], rows)


def _cell(name: str, kind: str, item: int, output: int, outputs: int) -> str:
    whose = f"number {item + 1}" if name.lower() in _SHARED else f"number {item + 1}, version {output + 1}"
    made = {
        "text": f"In {name} there stands a whole sentence, {whose}.",
        "item": f"{item + 1}",
        "row": f"{item * outputs + output + 1}",
        "system": f"model-{'abc'[output]}",
        "word": ("news", "chat")[item % 2],
        "label": ("minor", "major", "none")[output],
        "number": f"0.{(item * 7 + output * 3) % 10}",
        "verse": f"Genesis 1:{item + 1}",
        "document": f"talk-{item // 3}",
        "none": "",
    }
    return made[kind]


# Texts that all outputs of an item share.
_SHARED = {
    "source", "src", "original", "mr", "reference", "ref", "references", "prompt", "article", "context", "input",
    "instruction", "question", "history", "document", "dialogue", "doc", "inputs", "abstract",
    "source_text", "reference_text", "meaning_representation", "articletext", "articletitle",
}  # fmt: skip


def _of(origin: str, *columns: str) -> PublicHeader:
    """Make a header of columns as `name:use:cells`; a use and cells that are left out are none and text."""
    split = [[*column.split(":"), "", ""][:3] for column in columns]
    return PublicHeader(origin, [(name, use, cells or "text") for name, use, cells in split])


HEADERS: Sequence[PublicHeader] = (
    _of(
        "jeknov/RankME (NAACL 2018), as items.csv",
        "item_id::row", "system:system:system", "mr_id:item:item", "meaning_representation:source",
        "output_text:output",
    ),
    _of("tuetschek/e2e-eval, system_outputs/primary/*.tsv", "MR:source", "output:output"),
    _of("tuetschek/e2e-dataset, trainset.csv", f"mr:{ASKED}", f"ref:{ASKED}"),
    _of(
        "google/wmt-mqm-human-evaluation, newstest2020/ende/mqm_newstest2020_ende.tsv",
        "system:system:system", "doc:document:document", "doc_id::item", "seg_id:item:item", "rater::word",
        "source:source", "target:output", "category::label", "severity::label",
    ),
    _of(
        "google/wmt-mqm-human-evaluation, ted/ende, as items.csv",
        "item_id::row", "system:system:system", f"language_pair:{FEATURE}:word", "document:document:document",
        "seg_id:item:item", "source:source", "output:output", "reference:reference",
    ),
    _of(
        "Unbabel's WMT 2020-da.csv (COMET)",
        f"lp:{FEATURE}:word", "src:source", "mt:output", "ref:reference", "z_score::number", "score::number",
        "annotators::number",
    ),
    _of(
        "RicardoRei/wmt-mqm-human-evaluation (Hugging Face)",
        f"lp:{FEATURE}:word", "src:source", "mt:output", "ref:reference", "score::number", "system:system:system",
        "annotators::number", f"domain:{FEATURE}:word", "year::number",
    ),
    _of(
        "facebookresearch/mlqe, data/*/train.*.df.short.tsv",
        "index:item:item", "original:source", "translation:output", "scores::number", "mean::number",
        "z_scores::number", "z_mean::number", "model_scores::number",
    ),
    _of(
        "facebookresearch/asset, human_ratings/human_ratings.csv",
        "original:source", "simplification:output", "original_sentence_id:item:item", "aspect::word",
        "worker_id::number", "rating::number",
    ),
    _of(
        "paracrawl/human-evaluations, release 3",
        "url1::row", "url2::row", "src:source", "trg:output", "hunalign::number", "zipporah::number",
        "bicleaner::number", "evaluation::word", "comments::none",
    ),
    _of(
        "laihuiyuan/eval-formality-transfer (HumEval 2022), as items.csv",
        "item_id::row", "system:system:system", "survey::word", "direction::word", "source:source", "output:output",
        "reference:reference",
    ),
    _of("textq (45 German sentences), as items.csv", "item_id:item:item", "system:system:system", "output_text:output"),
    _of(
        "a table of coreference errors, as items.csv",
        "item_id:item:item", "system:system:system", "document:document:document", "source_text:source",
        "reference_text:reference", "output_text:output", "err_border::number", "MUC_R::number",
    ),
    _of(
        "huankoh/How-Far-are-We-from-Robust-Long-Abstractive-Summarization, *.csv",
        f"dataset:{FEATURE}:word", "dataset_id:item:item", "model_type:system:system", "model_summary:output",
        "relevance::number", "factual consistency::number",
    ),
    _of(
        "lil-lab/newsroom, humaneval/newsroom-human-eval.csv",
        "ArticleID:item:item", "System:system:system", "ArticleText:source", "SystemSummary:output", "ArticleTitle",
        "CoherenceRating::number", "FluencyRating::number", "InformativenessRating::number", "RelevanceRating::number",
    ),
    _of(
        "Yale-LILY/SummEval, model_annotations.aligned.jsonl",
        "id:item:item", "decoded:output", "expert_annotations::number", "turker_annotations::number",
        "references:reference", "model_id:system:system", "filepath::item",
    ),
    _of(
        "google-research-datasets/xsum_hallucination_annotations, hallucination_annotations_xsum_summaries.csv",
        "bbcid:item:item", "system:system:system", "summary:output", "hallucination_type::word",
        "hallucinated_span_start::number", "hallucinated_span_end::number", "worker_id::word",
    ),
    _of(
        "artidoro/frank, data/benchmark_data.json",
        "hash:item:item", "model_name:system:system", "article:source", "summary:output", "reference:reference",
        f"split:{FEATURE}:word",
    ),
    _of(
        "lmsys/lmsys-arena-human-preference-55k (Hugging Face), train.csv",
        "id:item:item", "model_a::word", "model_b::word", "prompt:source", f"response_a:{SYSTEM}",
        f"response_b:{SYSTEM}", "winner_model_a::number", "winner_model_b::number", "winner_tie::number",
    ),
    _of(
        "lmarena-ai/PPE-Debug (Hugging Face)",
        "question_id:item:item", "prompt:source", f"response_1:{SYSTEM}", f"response_2:{SYSTEM}", "winner::word",
    ),
    _of(
        "a best-of-four experiment on GitHub",
        "set_id::row", "prompt_id:item:item", "prompt:source", f"response_a:{SYSTEM}", f"response_b:{SYSTEM}",
        f"response_c:{SYSTEM}", f"response_d:{SYSTEM}", "human_chosen::word",
    ),
    _of(
        "Intel/orca_dpo_pairs (Hugging Face)",
        "system", "question:source", f"chosen:{SYSTEM}", f"rejected:{SYSTEM}",
    ),
    _of("tatsu-lab/stanford_alpaca, alpaca_data.json", f"instruction:{ASKED}", f"input:{ASKED}", "output:output"),
    _of(
        "tatsu-lab/alpaca_eval, results/*/model_outputs.json",
        f"dataset:{FEATURE}:word", "instruction:source", "output:output", "generator:system:system",
    ),
    _of(
        "databricks/databricks-dolly-15k (Hugging Face)",
        f"instruction:{ASKED}", f"context:{ASKED}", "response:output", f"category:{FEATURE}:word",
    ),
    _of(
        "nvidia/HelpSteer (Hugging Face)",
        "prompt:source", "response:output", "helpfulness::number", "correctness::number", "coherence::number",
    ),
    _of(
        "LabelBench, test dataset",
        "id:item:item", "prompt:source", "response:output", "model:system:system", "task_type::word",
    ),
    _of(
        "a BLEU script over translations by direction, on GitHub",
        "direction::word", "idx:item:item", "source:source", "hypothesis:output", "reference:reference",
    ),
    _of(
        "a translation memory for slides, on GitHub",
        "segment_id:item:item", "source:source", "target:output", "context::word", "confidence::number", "notes::none",
    ),
    _of(
        "outputs of inference with COMET, on GitHub",
        "segment_id:item:item", "source:source", "references:reference", "candidates:output",
    ),
    _of(
        "translation results of a benchmark, on GitHub",
        "source_text:source", "reference_translation:reference", "predicted_translation:output", "correct::word",
        "bleu::number", "f1::number",
    ),
    _of(
        "a translated Bible with confidences, on GitHub",
        "reference::verse", "source_text:source", "translation:output", "confidence::number",
    ),
    _of(
        "validation of a retrieval system (ragas), on GitHub",
        f"question:{ASKED}", "answer:output", f"context:{ASKED}", "ground_truth:reference",
    ),
    _of(
        "Shikib/fed, fed_data.json",
        "context:source", "response:output", "system:system:system", "annotations::number",
    ),
    _of("a plain-English corpus, submission format on GitHub", "Original:source", "Simplified:output"),
    _of(
        "google/wmt24pp (Hugging Face)",
        f"lp:{FEATURE}:word", f"domain:{FEATURE}:word", "document_id:document:document", "segment_id:item:item",
        "is_bad_source::word", "source:source", f"target:{ASKED}", f"original_target:{ASKED}",
    ),
    _of("Multi30k as a table (Hugging Face, bentrevett/multi30k)", f"en:{ASKED}", f"de:{ASKED}"),
    _of(
        "deutsche-telekom/ger-backtrans-paraphrase (Hugging Face)",
        "uuid:item:item", f"de:{ASKED}", f"en_de:{ASKED}", "corpus::word", "min_char_len::number", "cos_sim::number",
    ),
    _of(
        "stanfordnlp/SHP (Hugging Face)",
        "post_id:item:item", f"domain:{FEATURE}:word", "history:source", f"human_ref_A:{SYSTEM}",
        f"human_ref_B:{SYSTEM}", "score_A::number", "score_B::number", "labels::number",
    ),
    _of("EdinburghNLP/xsum (Hugging Face)", "document:source", "summary:output", "id:item:item"),
    _of("knkarthick/dialogsum (Hugging Face)", "id:item:item", "dialogue:source", "summary:output", f"topic:{FEATURE}"),
    _of(
        "Liyan06/AggreFact, data/aggre_fact_final.csv",
        f"dataset:{FEATURE}:word", "id:item:item", "doc:source", "summary:output", "model_name:system:system",
    ),
    _of(
        "truthfulqa/truthful_qa (Hugging Face), generation",
        f"type:{FEATURE}:word", f"category:{FEATURE}:word", f"question:{ASKED}", "best_answer:output",
        f"source:{ASKED}:word",
    ),
    _of(
        "ScalerLab/JudgeBench (Hugging Face)",
        "original_id:item:item", f"source:{ASKED}:word", f"question:{ASKED}", "response_model::word",
        f"response_A:{SYSTEM}", f"response_B:{SYSTEM}", "label::word",
    ),
    _of("tuetschek/e2e-cleaning, train-fixed.csv", f"mr:{ASKED}", f"ref:{ASKED}", "fixed::number", "orig_mr"),
    _of("outputs of a T5 script", "inputs:source", f"targets:{ASKED}", f"predictions:{ASKED}"),
    _of("titles generated from abstracts, on GitHub", f"abstract:{ASKED}", "generated_title:output"),
    _of(
        "google/wmt-mqm-human-evaluation, generalMT2022/ende/mqm_generalMT2022_ende.tsv",
        "system:system:system", "doc:document:document", "docSegId::item", "globalSegId:item:item", "rater::word",
        "source:source", "target:output", "category::label", "severity::label",
    ),
    _of(
        "segments of a translation benchmark by system, on GitHub",
        f"lang_pair:{FEATURE}:word", "doc_id:document:document", "seg_id:item:item", "sys_name:system:system",
        "src:source", "hyp:output", "ref:reference",
    ),
    _of("localisation export of a game, on GitHub", "locale::word", "source_en:source", "translation:output"),
    _of("issue 32: parallel columns", "segment_no:item:item", "source_de:source", "translation_en:output"),
    _of("issue 32: parallel columns with a document", "document:document:document", "segment_no:item:item",
        "model:system:system", "source_en:source", "hypothesis_de:output", "reference_de:reference"),
    _of("issue 32: input and response", "input:source", "response:output"),
    _of("issue 32: a column for each model", "mr:source", f"gpt-4o:{SYSTEM}", f"llama-3:{SYSTEM}",
        f"mistral:{SYSTEM}", "reference:reference"),
)  # fmt: skip
