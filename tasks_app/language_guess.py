"""Guess the language of a text by its commonest words or its script: five languages, and four scripts.

A guess is made only where the text is clear: words that several of the languages share count for none of them. Names,
numbers and words of other languages are no sign of anything.
"""

import re
from collections import Counter
from collections.abc import Mapping

_TAKEN_FROM: Mapping[str, str] = {
    "en": (
        "the and of to is are were that this you your with for not have has it how what which does from they will be "
        "can very good bad completely mostly somewhat badly well poor strongly agree disagree neither slightly about "
        "easy at all there their would should"
    ),
    "de": (
        "der das und ist sind nicht mit für von dem den des ein eine einen einem einer wie welche welcher welches sie "
        "ihr ihre wird werden auf zu im ob oder auch sich dass wenn wurde kann sehr gar gut schlecht völlig meist "
        "vollständig eher etwas kaum überhaupt teils stimme leicht schwer ganz lehne ab weder noch"
    ),
    "fr": "le les et est sont du une dans pour qui pas vous votre avec sur cette il elle aux très bien mal tout",
    "es": "el los las y es son del para usted su con como lo muy bien nada todo está esta pero",
    "pt": "os é são do da dos das uma em não você seu sua com ao muito nada tudo está mas isso",
}
_TIMES = Counter(word for words in _TAKEN_FROM.values() for word in words.split())
_WORDS: Mapping[str, frozenset[str]] = {
    code: frozenset(word for word in words.split() if _TIMES[word] == 1) for code, words in _TAKEN_FROM.items()
}
_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
)
_WORD = re.compile(r"[^\W\d_]+")

# Words of a language that a text must have, and how many times as many as of any other language.
LEAST, CLEARLY = 3, 4
# The share of letters of another script that decides.
MOST_LETTERS = 0.5

KNOWN = frozenset({*_WORDS, *(code for code, _script in _SCRIPTS)})


def guess(text: str, least: int = LEAST) -> str:
    """Return the code of the language that a text is clearly written in; "" where it is not clear."""
    words = [word.lower() for word in _WORD.findall(text)]
    letters = sum(map(len, words))
    for code, script in _SCRIPTS:
        if letters and len(script.findall(text)) >= MOST_LETTERS * letters:
            return code
    hits = {code: sum(word in known for word in words) for code, known in _WORDS.items()}
    best = max(hits, key=lambda code: hits[code])
    others = max(n for code, n in hits.items() if code != best)
    return best if hits[best] >= max(least, CLEARLY * others) else ""


def differs(text: str, language: str, least: int = LEAST) -> str:
    """Return the language that a text is clearly in instead of `language`, a tag such as de-AT; "" where none."""
    base = language.lower().partition("-")[0]
    found = guess(text, least) if base in KNOWN else ""
    # Chinese characters alone are Japanese as well.
    return "" if found == base or {found, base} == {"zh", "ja"} else found
