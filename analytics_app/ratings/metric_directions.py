"""Which direction of a public metric is better, by its name."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

# Names of metrics of which a lower score is better: edit and error rates, distances, perplexities. A name of several
# words has them in their order, without signs.
LOWER = frozenset({
    "ter", "hter", "sacreter", "character", "eed", "cder", "wer", "cer", "wil", "edit distance", "levenshtein", "wmd",
    "word mover distance", "ppl", "pppl", "perplexity", "nll", "fid", "self bleu", "mse", "rmse", "mae", "mqm penalty",
})  # fmt: skip
# Names of metrics of which a higher score is better: overlaps, similarities, learned scores of quality.
HIGHER = frozenset({
    "bleu", "sacrebleu", "spbleu", "gleu", "ibleu", "chrf", "chrf+", "chrf++", "chrfpp", "meteor", "nist", "rouge",
    "rougel", "rougelsum", "comet", "cometkiwi", "kiwi", "xcomet", "bleurt", "bertscore", "bartscore", "moverscore",
    "yisi", "prism", "unite", "ribes", "cider", "spice", "sari", "parent", "questeval", "summac", "gruen", "rome",
    "mauve", "accuracy", "precision", "recall", "f1",
})  # fmt: skip
# A number at the end of a word is a size or a version: BLEU4, chrF2, ROUGE1, COMET22.
_WORD = re.compile(r"[a-z]+\d*\+*")
_VERSION = re.compile(r"(?<=[a-z]{2})\d+(?=\+*$)")


def lower_is_better(name: str) -> bool | None:
    """Return whether a lower score of a metric is better, by its name; None for a name that says nothing.

    Words beside the name, such as the reference or a version, do not matter, nor do capitals.

    Examples
    --------
    >>> [lower_is_better(name) for name in ("TER_ref", "GPT2_PPL", "chrF2++", "BLEU-4 (13a)", "my score", "self-BLEU")]
    [True, True, False, False, None, True]
    """
    words = [_VERSION.sub("", word) for word in _WORD.findall(name.lower())]
    phrases = {" ".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, min(i + 3, len(words)) + 1)}
    lower, higher = phrases & LOWER, phrases & HIGHER
    # A longer name goes before a shorter one within it: self-BLEU is not BLEU.
    if lower and higher:
        longest = [max(len(phrase.split()) for phrase in names) for names in (lower, higher)]
        return None if longest[0] == longest[1] else longest[0] > longest[1]
    return True if lower else False if higher else None


@dataclass(frozen=True, slots=True)
class Directions:
    """Which metrics are turned: those that a plan lists and, if it says so, those that are known by name."""

    lower: Collection[str] = ()
    higher: Collection[str] = ()
    by_name: bool = False

    def of(self, name: str) -> tuple[bool, Literal["plan", "name", "unknown"] | None]:
        """Return whether lower is better, and who says so; None where only listed metrics are turned."""
        if not self.by_name:
            return name in self.lower, None
        if name in self.lower or name in self.higher:
            return name in self.lower, "plan"
        known = lower_is_better(name)
        return bool(known), "unknown" if known is None else "name"
