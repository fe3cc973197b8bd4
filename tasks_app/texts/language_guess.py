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
        "es ihr ihre wird werden auf zu im ob oder auch sich dass wenn wurde kann sehr gar gut schlecht völlig meist "
        "vollständig eher etwas kaum überhaupt teils stimme leicht schwer ganz lehne ab weder noch"
    ),
    "fr": (
        "le les et est sont du une dans pour qui pas vous votre avec sur cette il elle aux très bien mal tout ces nous "
        "ils elles leur leurs sans être avez pouvez peut chaque aussi quand quel quelle quels quelles"
    ),
    "es": (
        "el los las y es son del para usted su con como lo muy bien nada todo está esta pero una hay más sin puede qué "
        "cuál cómo ningún cada que"
    ),
    "pt": (
        "os é são do da dos das uma em não você seu sua com ao muito nada tudo está mas isso para como cada pode mais "
        "qual nenhum pelo pela nas sem que"
    ),
}
_TIMES = Counter(word for words in _TAKEN_FROM.values() for word in words.split())
_LANGUAGE_OF: Mapping[str, str] = {
    word: code for code, words in _TAKEN_FROM.items() for word in words.split() if _TIMES[word] == 1
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
# The beginning of a text that is looked at, in characters, and the share of its letters of another script that decides.
BEGINNING = 400
MOST_LETTERS = 0.5
# Chinese characters without kana that no Japanese text has.
CHINESE_ALONE = 12

# Quotations and code, which may be in any language, and lines that are quoted or begin with a label ("Source: …").
_QUOTED = re.compile(
    r"“[^”]{1,400}”|„[^“”]{1,400}[“”]|«[^»]{1,400}»|»[^«]{1,400}«|「[^」]{1,400}」|『[^』]{1,400}』|‘[^’]{1,400}’(?!\w)"
    r"|\"[^\"]{1,400}\"|(?<!\w)'[^'\n]{1,400}'(?!\w)|`[^`]{1,400}`|\([^()]{1,400}\)|\*[^*\n]{1,400}\*|_[^_\n]{1,400}_"
)
_LABELLED = re.compile(r"^[ \t]*(?:>.*|(?:[-*\d.]+ )?[^\s:：.!?][^:：.!?\n]{0,30}[:：].*)$", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
# Words that a sentence of a Latin script must have, and letters of another script.
WORDS_OF_A_SENTENCE, LETTERS_OF_A_SENTENCE = 5, 6

KNOWN = frozenset({*_TAKEN_FROM, *(code for code, _script in _SCRIPTS)})


def guess(text: str, least: int = LEAST) -> str:
    """Return the code of the language that a text is clearly written in; "" where it is not clear."""
    beginning = text[:BEGINNING].lower()
    words = _WORD.findall(beginning)
    if not beginning.isascii():
        letters = sum(map(len, words))
        for code, script in _SCRIPTS:
            if letters and len(script.findall(beginning)) >= MOST_LETTERS * letters:
                return code
    hits = Counter(_LANGUAGE_OF[word] for word in words if word in _LANGUAGE_OF).most_common(2)
    if not hits:
        return ""
    others = hits[1][1] if len(hits) > 1 else 0
    return hits[0][0] if hits[0][1] >= max(least, CLEARLY * others) else ""


def differs(text: str, language: str, least: int = LEAST) -> str:
    """Return the language that a text is clearly in instead of `language`, a tag such as de-AT; "" where none."""
    base = language.lower().partition("-")[0]
    guessed = guess(text, least) if base in KNOWN else ""
    if (guessed, base) == ("zh", "ja"):
        # A few Chinese characters alone are Japanese as well; a Japanese sentence has kana.
        kana, chinese = (dict(_SCRIPTS)[code].findall(text[:BEGINNING]) for code in ("ja", "zh"))
        return "zh" if not kana and len(chinese) >= CHINESE_ALONE else ""
    return "" if guessed == base else guessed


def foreign_sentence(text: str, language: str) -> tuple[str, str]:
    """Return the first sentence of a text that is clearly in another language, with its code; both "" if none is.

    Quotations, what stands in brackets or is emphasised, and lines that begin with a label are left out: examples may
    be in any language.
    """
    plain = _LABELLED.sub("", _QUOTED.sub(" ", text))
    for sentence in map(str.strip, _SENTENCE_END.split(plain)):
        words = _WORD.findall(sentence)
        is_sentence = len(words) >= WORDS_OF_A_SENTENCE or (
            not sentence.isascii() and sum(map(len, words)) >= LETTERS_OF_A_SENTENCE
        )
        if is_sentence and (other := differs(sentence, language)):
            return other, sentence
    return "", ""
