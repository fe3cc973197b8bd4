"""ROUGE: overlap of words, pairs of words, and the longest common subsequence, with a reference."""

import re
from collections import Counter
from typing import Literal

Kind = Literal["ROUGE-1", "ROUGE-2", "ROUGE-L"]

_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> list[str]:
    """Return the words of a text in small letters: runs of letters and digits, in any script.

    Examples
    --------
    >>> words_of("It's a CAT – naïve, 3rd.")
    ['it', 's', 'a', 'cat', 'naïve', '3rd']
    """
    return _WORD.findall(text.lower())


def rouge(kind: Kind, text: str, reference: str) -> float:
    """Return the F1 of a text against its reference, from 0 to 1 [1]_, as rouge-score does without stemming.

    ROUGE-1 and ROUGE-2 count the words, and pairs of neighbouring words, that both have; ROUGE-L takes the longest
    common subsequence of words of the whole texts. rouge-score keeps the letters a to z and digits only; here words
    have letters of any script, which makes no difference for texts in ASCII.

    Returns
    -------
    float
        0 where either has no word, or no pair of words.

    References
    ----------
    .. [1] C.-Y. Lin (2004). ROUGE: a package for automatic evaluation of summaries. Text Summarization Branches Out,
       74-81.

    Examples
    --------
    >>> round(rouge("ROUGE-L", "the cat sat on the mat", "the cat is on the mat"), 4)
    0.8333
    """
    said, wanted = words_of(text), words_of(reference)
    if kind == "ROUGE-L":
        return _f(_longest(said, wanted), len(said), len(wanted))
    n = 1 if kind == "ROUGE-1" else 2
    of_text, of_reference = (Counter(zip(*(words[i:] for i in range(n)), strict=False)) for words in (said, wanted))
    return _f((of_text & of_reference).total(), of_text.total(), of_reference.total())


def _f(shared: int, n_text: int, n_reference: int) -> float:
    return 2 * shared / (n_text + n_reference) if shared else 0.0


def _longest(a: list[str], b: list[str]) -> int:
    """Return the length of the longest common subsequence."""
    lengths = [0] * (len(b) + 1)
    for word in a:
        before = 0
        for place, other in enumerate(b, start=1):
            diagonal, before = before, lengths[place]
            lengths[place] = diagonal + 1 if word == other else max(lengths[place], lengths[place - 1])
    return lengths[-1]
