"""Questions that lead raters, and neutral wordings of them.

A question that names one direction only, or takes for granted what it asks, moves the answers: Schoch, Yang and Ji
(2020), “This is a problem, don't you agree?” Framing and bias in human evaluation for natural language generation.
EvalNLGEval. The rules know English; they miss wordings that nobody has thought of here, and say nothing of these.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

# Adjectives and adverbs with their opposites, so that both ends are named.
_PAIRS = (
    ("good", "bad"),
    ("well", "badly"),
    ("clear", "unclear"),
    ("easy", "hard"),
    ("natural", "unnatural"),
    ("formal", "informal"),
    ("polite", "impolite"),
    ("simple", "complicated"),
    ("interesting", "boring"),
    ("likely", "unlikely"),
    ("accurate", "inaccurate"),
    ("correct", "wrong"),
    ("appropriate", "inappropriate"),
    ("specific", "general"),
    ("much", "little"),
)
OPPOSITES = {**dict(_PAIRS), **{second: first for first, second in _PAIRS}}

LONGEST = 1_000

# Words after "how" that give no direction of quality: "how many", "how often".
_COUNTS = frozenset({"many", "often", "long", "old", "sure", "certain", "confident", "far"})

_TAG = re.compile(
    r",? ?(?:don['’]t you (?:think|agree)|do you not agree|wouldn['’]t you (?:say|agree)|"
    r"(?:is|are|does|do|was)n['’]t (?:it|they)|right|agreed|no) ?\?$",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"^(?:do|would|is|are|does|should)n['’]t (?:you (?:think|agree|say) (?:that )?)?(?P<rest>.+?)\?*$", re.IGNORECASE
)
_AGREE = re.compile(r"^(?:do|would) you (?:agree|think|say) that (?P<rest>.+?)\?*$", re.IGNORECASE)
_MUCH_MORE = re.compile(
    r"^how much (?:(?P<grade>more|less) (?P<word>[\w-]+)|(?P<comparative>\w+er|better|worse)) (?:is|are|does|do) "
    r"(?P<a>.+?)(?: read| sound)?(?: than (?P<b>.+?))?\?*$",
    re.IGNORECASE,
)
# Comparatives without "than", where many other words end in -er: weather, answer, computer.
_COMPARATIVES = (
    "better|worse|clearer|easier|harder|simpler|longer|shorter|nicer|friendlier|kinder|politer|safer|smoother|richer|"
    "closer|higher|lower|stronger|weaker|truer|funnier|livelier|plainer|warmer|smarter|fairer|ruder|vaguer"
)
_IS_BETTER = re.compile(
    r"^(?:is|are|does|do) (?P<a>.+?) (?:(?:read|sound) )?"
    rf"(?:(?P<grade>more|less) (?P<word>[\w-]+)|(?P<comparative>{_COMPARATIVES}|\w+er(?= than )))"
    r"(?: than (?P<b>.+?))?\?*$",
    re.IGNORECASE,
)
_HOW = re.compile(
    r"^how (?P<word>[\w-]+) (?P<verb>is|are|was|were|does|do|did|would|can) (?P<rest>.+?)\?*$", re.IGNORECASE
)
_FAULT = re.compile(
    r"^(?:how (?:bad|serious|severe|annoying|disturbing) (?:is|are) (?:the|its|these|those) "
    r"(?P<fault>errors?|mistakes?|problems?|faults?|flaws?)|what is wrong with)\b(?P<rest>.*?)\?*$",
    re.IGNORECASE,
)
_OURS = re.compile(r"\b(?:our|improved|new|proposed|better) (?P<what>system|text|version|model|output|summary)\b", re.I)
_BOTH_WAYS = re.compile(r"\b(?:or|if at all|whether|neither|equally)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Framing:
    """The reason why a question may move the answers, and a neutral wording; "" where none can be made by rule."""

    reason: Promise
    neutral: str


def framing_of(question: str, language: str = "en") -> Framing | None:
    """Return the way in which a question leads raters, or names one direction only; None where no rule applies.

    A question of more than 1,000 characters is not looked at: the patterns take the square of its length.
    """
    text = " ".join(question.split())
    if not 0 < len(text) <= LONGEST or language.partition("-")[0] not in {"", "en"}:
        return None
    return next((framing for rule in _RULES if (framing := next(rule(text), None)) is not None), None)


def _hints(text: str) -> Iterator[Framing]:
    if match := _OURS.search(text):
        yield Framing(
            _("It tells raters which text is yours or is expected to win."),
            text.replace(match.group(), match.group("what")),
        )


def _asks_to_agree(text: str) -> Iterator[Framing]:
    if match := _TAG.search(text):
        statement = text[: match.start()].rstrip(" ,!.")
        yield Framing(_("It asks raters to agree with you."), _extent(statement))
    elif (match := _NEGATED.match(text)) and not _BOTH_WAYS.search(text):
        yield Framing(_("Asked in the negative, it expects a yes."), _extent(match.group("rest")))
    elif (match := _AGREE.match(text)) and not _BOTH_WAYS.search(text):
        yield Framing(
            _("Raters tend to agree with a statement that is put to them."),
            _extent(match.group("rest")),
        )


def _presumes_a_difference(text: str) -> Iterator[Framing]:
    if match := _MUCH_MORE.match(text):
        yield Framing(
            _("It takes for granted that one text is ahead, and which, so that raters look for a difference."),
            _which(match),
        )
    elif (match := _IS_BETTER.match(text)) and not _BOTH_WAYS.search(text):
        yield Framing(
            _("It asks about one direction only: raters who see the opposite, or no difference, can only say no."),
            _which(match),
        )


def _presumes_a_fault(text: str) -> Iterator[Framing]:
    if match := _FAULT.match(text):
        fault = match.group("rest").strip()
        thing = re.sub(r"^(?:in|of|with) ", "", fault) or "the text"
        yield Framing(
            _("It takes for granted that something is wrong."),
            f"Is anything wrong with {thing} or not, and if so, how serious is it?",
        )


def _names_one_end(text: str) -> Iterator[Framing]:
    match = _HOW.match(text)
    if match is None or _BOTH_WAYS.search(text) or match.group("word").lower() in _COUNTS:
        return
    word, verb, remainder = match.group("word").lower(), match.group("verb").lower(), match.group("rest")
    reason = _("It names one end of the scale only, which draws answers towards it.")
    if word in OPPOSITES:
        yield Framing(reason, f"How {word} or {OPPOSITES[word]} {verb} {remainder}?")
    elif verb in {"is", "are", "was", "were"}:
        # Behind a comma the word would belong to something else.
        yield Framing(reason, "" if "," in remainder else f"To what extent, if at all, {verb} {remainder} {word}?")
    else:
        yield Framing(reason, "")


_RULES: tuple[Callable[[str], Iterator[Framing]], ...] = (
    _hints,
    _asks_to_agree,
    _presumes_a_difference,
    _presumes_a_fault,
    _names_one_end,
)


def _which(match: re.Match[str]) -> str:
    """Return a question for which of two texts is more, or whether they are alike."""
    grade, word = match.group("grade"), match.group("word")
    measure = f"{grade.lower()} {word}" if word else match.group("comparative").lower()
    a, b = match.group("a"), match.group("b")
    if b:
        return f"Which is {measure}, {a} or {b}, or are they alike?"
    return f"Which text is {measure}, or are they alike?"


_COMPARATIVE = re.compile(r"\b(?:more|less|better|worse)\b", re.IGNORECASE)
_STATEMENT = re.compile(r"^(?P<subject>.+?) (?P<verb>is|are) (?P<rest>.+)$", re.IGNORECASE)


def _extent(statement: str) -> str:
    """Turn a statement with "is" or "are" into a question with both ends; "" where it has none."""
    match = _STATEMENT.match(statement)
    if match is None:
        return ""
    if _COMPARATIVE.search(match.group("rest")):
        return ""
    subject = match.group("subject")
    subject = subject if subject.split()[0].isupper() and len(subject) == 1 else subject[0].lower() + subject[1:]
    return f"To what extent, if at all, {match.group('verb').lower()} {subject} {match.group('rest')}?"
