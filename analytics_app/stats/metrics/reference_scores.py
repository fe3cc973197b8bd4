"""Scores of texts against references that are computed here: BLEU, chrF and TER by sacrebleu, and ROUGE."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast, get_args

from analytics_app.stats.metrics import rouge

SACREBLEU = ("BLEU", "chrF", "chrF++", "TER")
COMPUTED = (*SACREBLEU, *get_args(rouge.Kind))
"""The metrics by their names."""
# Ways in which BLEU splits texts that need no further package.
TOKENIZERS = ("13a", "intl", "zh", "char", "none")
ROUGE_SIGNATURE = "{kind}|f1|words:unicode|case:lc|stem:no"


@dataclass(frozen=True, slots=True)
class ReferenceScores:
    """The scores of one system's texts, in their order, and of all texts together (None for ROUGE), with signatures."""

    texts: list[float]
    whole: float | None
    signature: str
    signature_of_whole: str


def reference_scores(
    metric: str, texts: Sequence[str], references: Sequence[str], *, tokenizer: str = "13a"
) -> ReferenceScores:
    """Score the texts of one system against one reference each.

    Parameters
    ----------
    metric : str
        One of `COMPUTED`. BLEU, chrF and TER are from 0 to 100 (TER may be above) as sacrebleu [1]_ has them, ROUGE is
        from 0 to 1.
    texts, references : sequence of str
        At least one, as many of both.
    tokenizer : str
        How BLEU splits texts: one of `TOKENIZERS`. With "zh" or "char", TER splits Chinese and Japanese.

    Returns
    -------
    ReferenceScores
        BLEU of single texts takes only the n-grams that a text is long enough for (`eff:yes` in its signature), and
        BLEU of all texts is corpus BLEU.

    Raises
    ------
    ValueError
        Unknown metric or tokenizer, or numbers of texts and references that differ.

    References
    ----------
    .. [1] M. Post (2018). A call for clarity in reporting BLEU scores. WMT, 186-191.

    Examples
    --------
    >>> reference_scores("ROUGE-L", ["the cat sat"], ["the cat"]).texts
    [0.8]
    """
    if metric not in COMPUTED:
        raise ValueError(f"The metric is one of {', '.join(COMPUTED)}, not {metric!r}.")
    if tokenizer not in TOKENIZERS:
        raise ValueError(f"The tokenizer is one of {', '.join(TOKENIZERS)}, not {tokenizer!r}.")
    if not texts or len(texts) != len(references):
        raise ValueError(f"Each text has a reference: there are {len(texts)} texts and {len(references)} references.")
    if metric not in SACREBLEU:
        kind = cast("rouge.Kind", metric)
        scores = [rouge.rouge(kind, *pair) for pair in zip(texts, references, strict=True)]
        signature = ROUGE_SIGNATURE.format(kind=kind)
        return ReferenceScores(scores, None, signature, signature)
    of_texts, of_whole = _scorer(metric, tokenizer, single=True), _scorer(metric, tokenizer, single=False)
    whole = of_whole.corpus_score(list(texts), [list(references)]).score
    scores = [of_texts.sentence_score(*pair).score for pair in zip(texts, ([one] for one in references), strict=True)]
    return ReferenceScores(
        [float(score) for score in scores], float(whole), str(of_texts.get_signature()), str(of_whole.get_signature())
    )


def _scorer(metric: str, tokenizer: str, *, single: bool) -> Any:
    # Lazy import: web processes never compute scores.
    from sacrebleu.metrics.bleu import BLEU  # noqa: PLC0415
    from sacrebleu.metrics.chrf import CHRF  # noqa: PLC0415
    from sacrebleu.metrics.ter import TER  # noqa: PLC0415

    if metric == "BLEU":
        return BLEU(tokenize=tokenizer, effective_order=single)
    if metric == "TER":
        asian = tokenizer in {"zh", "char"}
        return TER(asian_support=asian, normalized=asian)
    return CHRF(word_order=2 if metric == "chrF++" else 0)
