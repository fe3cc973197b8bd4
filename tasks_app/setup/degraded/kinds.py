"""Kinds of changed copies of texts, and five ways to make a text worse in one respect.

Do people and metrics notice that a text got worse, and do they leave a text alone that means the same? `LABELS` are the
kinds that make texts worse; `SAME` are those that keep the meaning, which `same.py` makes.

Each of the five takes the text in pieces and random numbers, and returns the degraded text, or None where the text has
nothing that can be degraded in this way. The kinds are those that studies of the robustness of metrics use, see Sai et
al. (2021), Perturbation CheckLists for Evaluating NLG Evaluation Metrics, EMNLP, 7219-7234; how each is made is ours.
"""

from collections.abc import Callable, Mapping
from random import Random

import regex
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tasks_app.services.study.degraded_text import Pieces

WORD_ORDER, NAME, NEGATION, NUMBER, REPETITION = "word-order", "dropped-name", "negation", "number", "repetition"

LABELS: Mapping[str, Promise] = {
    WORD_ORDER: _("Word order: the words of one sentence are shuffled"),
    NAME: _("Dropped name: a name inside a sentence is left out"),
    NEGATION: _("Negation: “not” is added after a verb, or removed (English only)"),
    NUMBER: _("Number: one digit is changed"),
    REPETITION: _("Repetition: some words are repeated"),
}

RENAMING, INSERTION, SUBSTITUTION, PASSIVE, PARAPHRASE = (
    "renaming",
    "insertion",
    "substitution",
    "passive",
    "paraphrase",
)

SAME: Mapping[str, Promise] = {
    RENAMING: _("Renaming: a name has another name throughout the text"),
    INSERTION: _("Insertion: words that add nothing stand before a sentence"),
    SUBSTITUTION: _("Substitution: words of your list are replaced"),
    PASSIVE: _("Passive: active sentences are passive, or the reverse"),
    PARAPHRASE: _("Paraphrase: the same in other words"),
}

# The kinds that keep the meaning and are made by the program. A program cannot write passives and paraphrases well:
# people write them, and upload them.
MADE = (RENAMING, INSERTION, SUBSTITUTION)

# A sentence with fewer words has hardly another order.
LEAST_WORDS = 4

# Words that are repeated, at most.
MOST_REPEATED = 3

# Verbs that take “not” behind them.
_VERBS = frozenset(
    {
        *("am", "is", "are", "was", "were", "has", "have", "had", "do", "does", "did"),
        *("can", "could", "will", "would", "shall", "should", "may", "might", "must"),
    }
)
_ENDS_SENTENCE = regex.compile(r"[.!?…。!?]['\"”’)\]]*$")
_TRAILING = regex.compile(r"\p{P}+$")
_NOT = regex.compile(r"^(not)([\p{P}]*)$", regex.IGNORECASE)
_NOT_SHORT = regex.compile(r"^(\p{L}+)n['’]t([\p{P}]*)$", regex.IGNORECASE)
_NAME = regex.compile(r"^\p{P}*\p{Lu}[\p{L}\p{N}.'’-]*\p{P}*$")
_DIGIT = regex.compile(r"\p{Nd}")
# Verbs whose short form is not the verb with n't behind it.
_IRREGULAR = {"wo": "will", "ca": "can", "sha": "shall"}


def degraded(kind: str, text: str, language: str, rng: Random) -> str | None:
    """Return a text degraded in one way, None where that is not possible.

    Parameters
    ----------
    kind : str
        A key of `LABELS`.
    text, language : str
        The text and its language tag.
    rng : random.Random
        The same numbers give the same copy.
    """
    worse = _MAKERS[kind](text, language, rng)
    return worse if worse is not None and worse.strip() and worse != text else None


def _shuffled(text: str, _language: str, rng: Random) -> str | None:
    """Shuffle the words of the longest sentence; the punctuation at its end stays there."""
    pieces = Pieces.of(text)
    start, end = max(sentences(pieces), key=lambda sentence: sentence[1] - sentence[0], default=(0, 0))
    if end - start < LEAST_WORDS:
        return None
    last, closing = _apart(pieces.words[end - 1])
    words = [*pieces.words[start : end - 1], last]
    order = list(words)
    while order == words and len(set(words)) > 1:
        rng.shuffle(order)
    return pieces.with_run(start, [*order[:-1], order[-1] + closing])


def _without_name(text: str, _language: str, rng: Random) -> str | None:
    """Leave out a run of capitalised words that does not begin a sentence."""
    pieces = Pieces.of(text)
    begins = {start for start, _end in sentences(pieces)}
    is_name = [n not in begins and bool(_NAME.match(word)) for n, word in enumerate(pieces.words)]
    runs = []
    for n, named in enumerate(is_name):
        if named and (n == 0 or not is_name[n - 1]):
            runs.append([n, n + 1])
        elif named:
            runs[-1][1] = n + 1
    if not runs:
        return None
    start, end = rng.choice(runs)
    closing = _apart(pieces.words[end - 1])[1]
    words = list(pieces.words)
    # A name at the end of a sentence leaves its full stop to the word before it.
    words[start - 1] += closing
    between = [*pieces.between[:start], *pieces.between[end:]]
    remaining = [*words[:start], *words[end:]]
    return "".join(space + word for space, word in zip(between, [*remaining, ""], strict=True))


def _negated(text: str, language: str, rng: Random) -> str | None:
    """Remove a “not”, or add one after a verb."""
    if language.lower().split("-", maxsplit=1)[0] != "en":
        return None
    pieces = Pieces.of(text)
    for n, word in enumerate(pieces.words):
        if match := _NOT_SHORT.match(word):
            verb = _IRREGULAR.get(match[1].lower(), match[1])
            return pieces.with_run(n, [verb + match[2]])
        if n and (match := _NOT.match(word)):
            words = [*pieces.words[: n - 1], pieces.words[n - 1] + match[2], *pieces.words[n + 1 :]]
            between = [*pieces.between[:n], *pieces.between[n + 1 :]]
            return "".join(space + word for space, word in zip(between, [*words, ""], strict=True))
    verbs = [n for n, word in enumerate(pieces.words) if word.lower() in _VERBS]
    if not verbs:
        return None
    place = rng.choice(verbs)
    return pieces.with_run(place, [f"{pieces.words[place]} not"])


def _with_another_number(text: str, _language: str, rng: Random) -> str | None:
    """Change one digit of a text to another; the first digit of a number never becomes zero."""
    digits = list(_DIGIT.finditer(text))
    if not digits:
        return None
    place = rng.choice(digits).start()
    value = int(text[place])
    begins = place == 0 or not _DIGIT.match(text[place - 1])
    other = rng.choice([digit for digit in range(1 if begins else 0, 10) if digit != value])
    return f"{text[:place]}{chr(ord(text[place]) - value + other)}{text[place + 1 :]}"


def _repeated(text: str, _language: str, rng: Random) -> str | None:
    """Repeat up to three words of one sentence directly after themselves."""
    pieces = Pieces.of(text)
    # The last word of a sentence is not repeated: its full stop would stand between.
    runs = [(start, end - 1) for start, end in sentences(pieces) if end - start > 1]
    if not runs:
        return None
    start, end = rng.choice(runs)
    length = rng.randint(1, min(MOST_REPEATED * pieces.per_word, end - start))
    first = rng.randint(start, end - length)
    run = list(pieces.words[first : first + length])
    space = " " if pieces.per_word == 1 else ""
    return pieces.with_run(first, [*run[:-1], run[-1] + space + space.join(run)])


_MAKERS: Mapping[str, Callable[[str, str, Random], str | None]] = {
    WORD_ORDER: _shuffled,
    NAME: _without_name,
    NEGATION: _negated,
    NUMBER: _with_another_number,
    REPETITION: _repeated,
}


def sentences(pieces: Pieces) -> list[tuple[int, int]]:
    """Return the place where each sentence begins, and the place after its last word."""
    ends = [n + 1 for n, word in enumerate(pieces.words) if _ENDS_SENTENCE.search(word)]
    if pieces.words and (not ends or ends[-1] < len(pieces.words)):
        ends.append(len(pieces.words))
    return list(zip([0, *ends[:-1]], ends, strict=True)) if ends else []


def _apart(word: str) -> tuple[str, str]:
    """Return a word without the punctuation behind it, and that punctuation."""
    core = _TRAILING.sub("", word)
    return core, word[len(core) :]
