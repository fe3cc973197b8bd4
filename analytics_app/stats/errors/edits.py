"""Distance of an edited text from its origin: characters (Levenshtein) and words (TER)."""

import unicodedata
from dataclasses import dataclass

# The time that TER needs for shifts grows with the cube of the length; longer texts are not sentences.
MOST_WORDS = 200


def edit_distance(a: str, b: str) -> int:
    """Least number of characters to insert, delete or replace to turn one text into the other [1]_.

    Counted in Unicode code points after normalisation to NFC, so that a combining accent is not an edit.
    Bit-parallel [2]_: a column of the table is one integer, so texts of 10,000 characters take some hundredths
    of a second.

    Parameters
    ----------
    a, b : str

    References
    ----------
    .. [1] V. I. Levenshtein (1966). Binary codes capable of correcting deletions, insertions, and reversals. Soviet
       Physics Doklady 10(8), 707-710.
    .. [2] H. Hyyrö (2003). A bit-vector algorithm for computing Levenshtein and Damerau edit distances. Nordic Journal
       of Computing 10(1), 29-39.

    Examples
    --------
    >>> edit_distance("kitten", "sitting"), edit_distance("", "abc"), edit_distance("same", "same")
    (3, 3, 0)
    """
    a, b = _trimmed(unicodedata.normalize("NFC", a), unicodedata.normalize("NFC", b))
    if len(a) < len(b):
        a, b = b, a
    if not b:
        return len(a)
    # The longer text is held in the bits; the loop goes through the shorter text.
    places: dict[str, int] = {}
    for place, character in enumerate(a):
        places[character] = places.get(character, 0) | 1 << place
    full, top = (1 << len(a)) - 1, 1 << (len(a) - 1)
    up, down, distance = full, 0, len(a)
    for character in b:
        equal = places.get(character, 0)
        zero = (((equal & up) + up) ^ up) | equal | down
        right, left = down | (full & ~(zero | up)), up & zero
        if right & top:
            distance += 1
        elif left & top:
            distance -= 1
        right = (right << 1) | 1
        up = full & ((left << 1) | (full & ~(zero | right)))
        down = right & zero & full
    return distance


def _trimmed(a: str, b: str) -> tuple[str, str]:
    """Remove the common beginning and end of two texts, since most edits change little."""
    shorter = min(len(a), len(b))
    head = next((place for place in range(shorter) if a[place] != b[place]), shorter)
    a, b = a[head:], b[head:]
    shorter -= head
    tail = next((place for place in range(shorter) if a[-1 - place] != b[-1 - place]), shorter)
    return a[: len(a) - tail], b[: len(b) - tail]


def normalised_distance(a: str, b: str) -> float:
    """Edit distance over the length of the longer text: 0 the same, 1 nothing in common.

    Two empty texts are the same.

    Examples
    --------
    >>> normalised_distance("kitten", "sitting") == 3 / 7
    True
    """
    longer = max(len(unicodedata.normalize("NFC", a)), len(unicodedata.normalize("NFC", b)))
    return edit_distance(a, b) / longer if longer else 0.0


@dataclass(frozen=True, slots=True)
class WordEdits:
    """Edits in words (including shifts) and words of the edited text; HTER is `edits` over `words`."""

    edits: float
    words: float


class Ter:
    """Translation edit rate by sacrebleu, the tool that papers use [1]_.

    Between a suggestion and the text an editor made of it, this is HTER [2]_. Edits are insertions, deletions,
    replacements and shifts of words; the rate of several texts is the sum of edits over the sum of words.

    Parameters
    ----------
    case_sensitive : bool
        Whether a changed capital is an edit; by default it is not, as in sacrebleu and tercom.
    asian_support : bool
        Whether Chinese and Japanese characters count as words; punctuation is then separated from words.

    References
    ----------
    .. [1] M. Post (2018). A call for clarity in reporting BLEU scores. WMT, 186-191.
    .. [2] M. Snover, B. Dorr, R. Schwartz, L. Micciulla and J. Makhoul (2006). A study of translation edit rate with
       targeted human annotation. AMTA, 223-231.

    Examples
    --------
    >>> Ter().edits("the cat sat on the mat", "the cat is on the mat")
    WordEdits(edits=1.0, words=6.0)
    """

    def __init__(self, *, case_sensitive: bool = False, asian_support: bool = False) -> None:
        # Lazy import: web processes never count edits.
        from sacrebleu.metrics.ter import TER  # noqa: PLC0415

        # sacrebleu splits Chinese and Japanese texts only with normalisation, even with `asian_support`.
        self._ter = TER(case_sensitive=case_sensitive, asian_support=asian_support, normalized=asian_support)
        # sacrebleu has a signature only after it has scored a reference.
        self._ter.corpus_score(["a"], [["a"]])

    @property
    def signature(self) -> str:
        """Return sacrebleu's signature: its settings and version."""
        return str(self._ter.get_signature())

    def edits(self, suggestion: str, edited: str) -> WordEdits | None:
        """Return the edits from a suggestion to the edited text, or None if either has more than 200 words."""
        if max(len(suggestion.split()), len(edited.split())) > MOST_WORDS:
            return None
        score = self._ter.sentence_score(suggestion, [edited])
        return WordEdits(float(score.num_edits), float(score.ref_length))
