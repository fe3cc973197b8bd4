"""Words of a scale that instructions and questions name, such as “Excellent”, beside the labels that it has."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from tasks_app import task_types
from tasks_app.readiness.base import Facts, Point, register
from tasks_app.task_types.base import Criterion
from tasks_app.task_types.grid import GridType

KIND = "scale"

# Words for a degree of quality or agreement: where raters are told to choose them, they are steps of a scale.
_DEGREES = (
    r"(?:(?:very|extremely|fairly|quite|rather) )?(?:good|bad|poor|fair|fluent|natural|clear|unclear)|excellent|perfect"
    r"|flawless|outstanding|mediocre|average|acceptable|terrible|awful|horrible"
    r"|(?:(?:completely|strongly|somewhat|fully) )?(?:agree|disagree)"
    r"|(?:sehr )?(?:gut|schlecht)|ausgezeichnet|perfekt|hervorragend|mangelhaft|befriedigend|mittelmäßig"
    r"|(?:très )?(?:bon|bonne|mauvais|mauvaise)|excellente|parfaite?|médiocre"
    r"|excelente|(?:muy )?(?:bueno|buena|malo|mala)|perfect[oa]|(?:muito )?(?:bom|boa|ruim)|perfeit[oa]|péssim[oa]"
)
_CHOOSE = (
    r"(?:\b(?:choose|select|pick|tick|wählen sie|choisissez|sélectionnez|cochez|elija|seleccione|marque|escolha"
    r"|selecione)\b|اختر|اختاروا|选择|选)"
)
# Quotation marks of the nine languages, and what stands between them. An apostrophe within a word is none.
_QUOTED = r"(?:[“„\"«‘‚「『]|(?<!\w)') ?(?P<quoted>[^“”„\"«»‘‚「」『』\n.!?]{2,40}?) ?(?:[”“\"»’‘」』]|'(?!\w))"
_BEFORE_QUOTE = r"[^.!?。？！“”„\"«»‘’'「」\n]{0,30}?"
_CHOSEN = (
    re.compile(rf"{_CHOOSE}{_BEFORE_QUOTE}{_QUOTED}", re.IGNORECASE),
    # Japanese and Korean name the label before the verb.
    re.compile(rf"{_QUOTED}[をを을를]? ?(?:選択|選んで|선택|고르)"),
)
_OPEN, _CLOSE = r"[“„\"‘'*]{0,3}", r"[”“\"’'*]{0,3}"
# A degree of quality as a step that raters are told to choose, or as an end of a scale.
_STEPS = (
    re.compile(
        rf"{_CHOOSE} (?:the (?:step|option|label|answer) )?{_OPEN}(?P<quoted>{_DEGREES}){_CLOSE}"
        r"(?= (?:if|when|where|for|only|unless|wenn|nur|für|si|quand|pour|solo|cuando|se|quando|para)\b|[.,;:])",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?:from|von) {_OPEN}(?P<quoted>{_DEGREES}){_CLOSE} (?:to|bis) ", re.IGNORECASE),
    re.compile(
        rf"\b(?:from|von) {_OPEN}(?:{_DEGREES}){_CLOSE} (?:to|bis) {_OPEN}(?P<quoted>{_DEGREES})\b", re.IGNORECASE
    ),
)
# A step with a word of its own: "5 = excellent".
_NUMBERED = re.compile(
    rf"(?<![\d.,])(?P<n>-?\d{{1,3}}) ?(?:=|means|heißt|bedeutet) ?{_OPEN}(?P<quoted>{_DEGREES})\b", re.IGNORECASE
)
# Words of the page that are quoted as its labels are: those of buttons and single letters or numbers.
_OF_THE_PAGE = re.compile(
    r"(?:skip|send|save|next|continue|go on|back|start|submit|help|überspringen|weiter|senden|zurück|passer|suivant"
    r"|envoyer|omitir|siguiente|enviar|pular|seguinte)\b.*|(?:跳过|スキップ|건너뛰기|تخط).*|[^\W_]?\W{0,3}|\W{0,3}\d{1,3}\W{0,3}",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"[\W_]+")


@register
def labels_of_another_scale(facts: Facts) -> Iterator[Point]:
    """Yield instructions and questions that name a label which the scale of their task does not have."""
    for place, task in facts.main_tasks:
        kind = task_types.kind_of(task["type"], task["params"])
        if not isinstance(kind, GridType):
            continue
        language = str(facts.section("study").get("language") or "en")
        scales = {number: _labels(kind, row, language) for number, row in facts.criteria_of(task)}
        known = {label for labels in scales.values() for label in labels.values()}
        for text, path in facts.words_of(place, task) if known else ():
            # The words of one question may be about the scale of another: all scales of the task count.
            own = scales[int(path[1])] if path[0] == "criteria" else {}
            if words := _not_on(text, known) or _at_another_step(text, own or _common(scales)):
                sentence = _("The text says “%(words)s”, but the labels of the scale are: %(labels)s.")
                values = {
                    "words": words,
                    "labels": ", ".join(dict.fromkeys((own or next(iter(scales.values()))).values())),
                }
                yield Point(KIND, sentence % values, path)


def _labels(kind: GridType, row: Mapping[str, Any], language: str) -> dict[float, str]:
    """Return the labels of the scale of a question by the numbers of their steps."""
    labels = tuple(str(label) for label in row["labels"])
    ends = (str(row["low"] or ""), str(row["high"] or ""))
    anchors = {str(point): str(label) for point, label in row["anchors"].items()}
    spoken = str(row.get("language") or language)
    worded = kind.worded(Criterion(str(row["key"]), str(row["name"]), "", "", *ends, labels, anchors, language=spoken))
    low, high, step = kind.scale_of()
    by_step = {low: worded.low, high: worded.high} | {float(point): label for point, label in worded.anchors.items()}
    by_step |= {low + number * step: label for number, label in enumerate(worded.labels)}
    return {number: label for number, label in sorted(by_step.items()) if label}


def _common(scales: Mapping[int, Mapping[float, str]]) -> Mapping[float, str]:
    """Return the labels that all questions of a task share; empty where their scales differ."""
    first, *others = scales.values()
    return first if all(other == first for other in others) else {}


def _not_on(text: str, labels: set[str]) -> str:
    """Return the first words that raters are told to choose and that are none of the labels, nor a part of one."""
    plain = [_plain(label) for label in labels]
    for pattern in (*_CHOSEN, *_STEPS):
        for match in pattern.finditer(text):
            words = match["quoted"].strip()
            if not _OF_THE_PAGE.fullmatch(words) and not any(f" {_plain(words)} " in f" {label} " for label in plain):
                return words
    return ""


def _at_another_step(text: str, labels: Mapping[float, str]) -> str:
    """Return the first words that give a step the label of another step, or a label to a step beyond the scale."""
    for match in _NUMBERED.finditer(text) if len(labels) > 1 else ():
        step = float(match["n"])
        label = labels.get(step, "")
        is_beyond = not min(labels) <= step <= max(labels)
        if is_beyond or (label and f" {_plain(match['quoted'])} " not in f" {_plain(label)} "):
            return match[0]
    return ""


def _plain(label: str) -> str:
    return _SIGNS.sub(" ", label.casefold()).strip()
