"""The time that it takes to read a text, by the speed that was measured for adults who read silently.

Brysbaert (2019, Journal of Memory and Language) found 238 English words or 260 Chinese characters a minute.
"""

import re

WORDS_A_MINUTE = 238
WIDE_A_MINUTE = 260

# Scripts that put no spaces between words: kana, Chinese characters, Hangul syllables.
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


def reading_seconds(text: str) -> float:
    """Return the seconds that it takes to read a text once."""
    wide = len(_WIDE.findall(text))
    words = len(_WIDE.sub(" ", text).split())
    return 60 * (words / WORDS_A_MINUTE + wide / WIDE_A_MINUTE)
