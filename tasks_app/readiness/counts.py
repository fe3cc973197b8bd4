"""The number of texts that the consent text and the instructions promise, beside the number in a rater's set."""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Path
from tasks_app.readiness.base import Facts, Point, register

KIND = "counts"

_WORDS = {
    word: number
    for number, words in {
        5: ("five", "fünf"), 6: ("six", "sechs"), 7: ("seven", "sieben"), 8: ("eight", "acht"), 9: ("nine", "neun"),
        10: ("ten", "zehn"), 12: ("twelve", "zwölf"), 15: ("fifteen", "fünfzehn"), 20: ("twenty", "zwanzig"),
        30: ("thirty", "dreißig"), 40: ("forty", "vierzig"), 50: ("fifty", "fünfzig"), 60: ("sixty", "sechzig"),
        80: ("eighty", "achtzig"), 100: ("a hundred", "one hundred", "hundert", "einhundert"),
    }.items()
    for word in words
}  # fmt: skip

# A verb for what raters do with texts, a number behind it, and a noun that is no time, share or step of a scale.
_JUDGED = re.compile(
    r"\b(?:read|rate|judge|see|compare|evaluate|score|be shown|lesen|bewerten|beurteilen|vergleichen|sehen)(?: sie)?"
    r" (?:(?:about|around|up to|a total of|a set of|etwa|ungefähr|rund|bis zu|insgesamt) )?"
    rf"(?P<n>\d{{1,4}}|{'|'.join(_WORDS)})"
    r" (?:(?:short|different|more|pairs of|kurze|verschiedene|paare von) )?"
    r"(?P<noun>texts?|notices|summaries|translations|answers|headlines|sentences|stories|dialogues|descriptions|outputs"
    r"|pairs|screens|texte|aushänge|zusammenfassungen|übersetzungen|antworten|sätze|geschichten|beschreibungen|paare)\b"
    r"(?! (?:at a time|at once|side by side|next to|on (?:a|each|every)|per (?:screen|page)|auf einmal|nebeneinander))",
    re.IGNORECASE,
)

# Numbers may be rounded, and checks stand among the texts.
_ABOUT = 1.25
# Fewer texts than this stand together on a screen, which has a check of its own.
_FEWEST = 5


@register
def texts_promised(facts: Facts) -> Iterator[Point]:
    """Yield a number of texts in the consent text or in instructions that no set of the study has."""
    given = _given(facts)
    texts: list[tuple[str, Path]] = [(str(text), ("consent", language)) for language, text in facts.consent.items()]
    texts += [(str(task["instructions"] or ""), ("tasks", n, "instructions")) for n, task in facts.main_tasks]
    for text, path in texts if given else ():
        for match in _JUDGED.finditer(text):
            number = _WORDS.get(match["n"].lower()) or int(match["n"])
            if number >= _FEWEST and not any(least / _ABOUT <= number <= least * _ABOUT for least in given):
                words = {"words": match[0], "n": str(max(given))}
                sentence = _("The text says “%(words)s”, but a rater is given %(n)s at most.")
                if number < max(given):
                    sentence = _("The text says “%(words)s”, but a rater is given %(n)s.")
                yield Point(KIND, sentence % words, path)


def _given(facts: Facts) -> set[int]:
    """Return the numbers of screens and texts of one rater, by task and together, for each number of sets."""
    counted = facts.workload
    if counted is None:
        return set()
    loads = counted.tasks.values()
    once = {counted.screens, counted.texts, *(load.screens for load in loads)}
    once |= {load.times(load.screens)[0] for load in loads}
    sets = int(facts.section("flow").get("sets_per_rater") or 1)
    return {n * number for n in range(1, sets + 1) for number in once if number}
