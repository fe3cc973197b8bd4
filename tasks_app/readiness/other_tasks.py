"""Instructions and questions that belong to another task: a template's text left over, or acts that a task has not."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path as FilePath
from typing import Any

import yaml
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import override

from tasks_app import task_types
from tasks_app.readiness.base import Facts, Point, register
from tasks_app.readiness.wording import language_point
from tasks_app.task_types.base import Act, TaskType
from tasks_app.texts.language_guess import differs

KIND = "other_task"

# Characters that are compared as one piece, and how alike two texts are that count as one: the share of pieces that
# they have in common (Dice). The instructions of two types are at most as alike as those of Likert scale and slider.
PIECE, ALIKE = 5, 0.8

# Words that name an act of raters. Only what is certain: no word stands here that instructions for another act may use.
_ACTS: Mapping[Act, str] = {
    Act.COMPARE: (
        r"\bwhich of the (?:two|three|four|five)\b|\bwhich (?:one|\w+) (?:is|reads|sounds) (?:better|best)\b"
        r"|\bwhether text A or (?:text )?B\b|\bob (?:Text )?A oder (?:Text )?B\b"
        r"|\bwhich (?:\w+ )?(?:do|would) you prefer\b|\b(?:text|translation|answer|summary) A (?:is |reads )?"
        r"(?:better|worse|more \w+) than (?:\w+ )?B\b|\bwelche[nrs]? \w+ (?:bevorzugen sie|gefällt ihnen besser)\b"
        r"|\bwhich is better\b|\bthe better (?:one )?of the two\b|\b(?:choose|pick|select) the better\b"
        r"|\bwelche[rs]?(?: \w+)? (?:der|von(?: den)?) beiden\b|\bwelche[rs]?(?: \w+)? ist (?:besser|am besten)\b"
        r"|\bwelche[rs]? der (?:zwei|drei|vier|fünf)\b|\blequel des deux\b|\blaquelle des deux\b"
        r"|\bcuál de l[oa]s dos\b|\bqual d(?:os dois|as duas)\b|哪(?:一)?[个篇段]?(?:文本)?更好|どちらのテキスト"
        r"|둘 중 어느|أيّ? ?النصّ?ين"
    ),
    Act.FIND_ODD: (
        r"\bodd one(?: out)?\b|\bthe odd (?:text|picture|sentence)\b|\bde[nr] abweichenden\b|\bl['’]intrus\b"
        r"|\b(?:el|o) intruso\b"
    ),
    Act.CHOOSE_ENDS: (
        r"\b(?:choose|pick|select)\b[^.!?\n]{0,20}\bbest\b[^.!?\n]{0,30}\bworst\b"
        r"|\bwähl\w*\b[^.!?\n]{0,20}\bbesten?\b[^.!?\n]{0,30}\bschlechtesten?\b"
    ),
    Act.ORDER: (
        r"\b(?:put|bring) (?:them|(?:the|these|all)(?: \w+){1,2}) in(?:to)? (?:an )?order\b"
        r"|\brank (?:them|(?:the|these|all)(?: the)? (?:texts|headlines|translations|answers|summaries))\b"
        r"|\bin eine (?:reihenfolge|rangfolge)\b"
    ),
    Act.MARK: (
        r"\b(?:mark|highlight|underline) (?:every|all|each|any)(?: the)? (?:errors?|mistakes?)\b"
        r"|\bmarkieren sie (?:jeden|alle) fehler\b"
        r"|\bmarquez (?:chaque erreur|toutes les erreurs)\b|\bmarque todos los errores\b|\bmarque todos os erros\b"
    ),
    Act.EDIT: (
        r"\bedit (?:it|the (?:text|translation|suggestion)) until\b|\bbearbeiten sie (?:ihn|den (?:text|vorschlag))\b"
    ),
    Act.SLIDE: (
        r"\bsliders?\b|\bschieberegler\w*\b|\bden regler\b|\ble curseur\b|\b(?:control )?deslizante\b|滑块"
        r"|スライダー|슬라이더|المؤشر المنزلق"
    ),
}  # fmt: skip
_NAMES: Mapping[Act, re.Pattern[str]] = {act: re.compile(words, re.IGNORECASE) for act, words in _ACTS.items()}

# The acts of tasks whose answer to every question is one of the texts shown.
_CHOICES_OF_A_TEXT = tuple(frozenset({Act.COMPARE, *further}) for further in ((), (Act.CHOOSE_ENDS,), (Act.FIND_ODD,)))
# A question about one text.
_JUDGED = (
    r"(?:text|translation|answer|response|summary|headline|sentence|story|notice|message|description|output|caption"
    r"|dialogue|paragraph|document)"
)
_JUDGED_GERMAN = (
    r"(?:Text|Übersetzung|Antwort|Zusammenfassung|Überschrift|Satz|Geschichte|Aushang|Nachricht|Beschreibung)"
)
_ABOUT_ONE = re.compile(
    rf"\bhow [\w-]+(?: [\w-]+){{0,3}} (?:is|are|was|does|do) (?:the|this) (?:\w+ )?{_JUDGED}\b[^.?!\n]{{0,60}}"
    rf"|(?:^|[.?!:\n] ?)(?:is|does) (?:the|this) (?:\w+ )?{_JUDGED}\b[^.?!\n]{{0,60}}"
    rf"|\bwie [\w-]+ (?:ist|liest sich|klingt) (?:der|die|das|diese[rs]?) {_JUDGED_GERMAN}\b[^.?!\n]{{0,60}}"
    r"|\b(?:dans quelle mesure|à quel point) (?:le|ce|la|cette) (?:texte|traduction|réponse|résumé)\b[^.?!\n]{0,60}"
    r"|\b(?:qué tan|cuán) \w+ (?:es|está) (?:el|la|este|esta) (?:texto|traducción|respuesta|resumen)\b"
    r"|\b(?:quão \w+ (?:é|está)|o quanto (?:é|está) \w+) (?:o|a|este|esta) (?:texto|tradução|resposta|resumo)\b"
    r"|(?:这|该)(?:个|篇|段)?(?:文本|译文|回答|摘要)[^。？?\n]{0,12}(?:如何|怎么样|吗|多)|この(?:テキスト|訳文|回答|要約)は"
    r"|이 (?:텍스트|번역|답변|요약)[은는이가]|(?:ما مدى|كم) \w+ (?:هذا |هذه )?(?:النص|الترجمة|الإجابة|الملخص)",
    re.IGNORECASE,
)
# Words that compare, with which a question is about several texts.
_COMPARES = re.compile(
    r"\b(?:which|better|best|worst|more|less|most|than|compare\w*|two|both|either|neither|other|each|every|prefer\w*"
    r"|A or B|welche[rsnm]?|besser|beste[nrs]?|mehr|weniger|als|vergleich\w*|beiden?|zwei|jede[rsn]?|bevorzug\w*"
    r"|lequel|laquelle|meilleure?|mieux|plus|moins|deux|chaque|cuál|mejor|más|menos|dos|cada|qual|melhor|mais|dois|duas)\b"
    r"|哪|更|比|两|どちら|より|比べ|둘|더|보다|أي|أفضل|أكثر|من الآخر",
    re.IGNORECASE,
)

# Words of instructions that also speak of another task of the study.
_OF_OTHERS = re.compile(
    r"\b(?:next|other|another|second|first|last|later|following) (?:task|part)\b|\b(?:task|part) \d\b|\blater\b"
    r"|\bafterwards\b|\b(?:nächste|andere|zweite|erste|letzte)[nrs]? (?:aufgabe|teil)\b|\bspäter\b|\bdanach\b"
    r"|\b(?:aufgabe|teil) \d\b",
    re.IGNORECASE,
)
# A key with a letter or a digit that raters are told to press.
_PRESS = re.compile(
    r"\b(?:press|drücken sie)(?: (?:the|die))?(?: (?:keys?|letters?|digits?|numbers?|tasten?|ziffern?|buchstaben?))?"
    r" ?[“”„\"'‘’«]?(?P<key>[A-Z]|\d)\b(?![-.]\d)",
    re.IGNORECASE,
)
# A scale that texts are rated on, from 0 or 1.
_RATES = re.compile(
    r"\b(?:rate|score|grade|bewerten sie|benoten sie)\b[^.!?\n]{0,60}?\b(?:from|on a scale (?:of|from)|von)"
    r" [01](?: ?\([^()\n]{1,60}\))? ?(?:to|bis|through|–|-) ?(?:[5-9]|10|100)\b(?! ?%)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Shipped:
    """Instructions that evalweb ships: the task type that they are for, their pieces, and their language or example."""

    type: str
    pieces: frozenset[str]
    language: str = ""
    example: str = ""


@register
def of_another_type(facts: Facts) -> Iterator[Point]:
    """Yield the instructions that evalweb ships for another task type, left from a template or the type before."""
    spoken = str(facts.section("study").get("language") or "en").lower()
    for place, task in facts.tasks:
        text, path = str(task["instructions"] or ""), ("tasks", place, "instructions")
        nearest = _nearest(text, str(task["type"])) if text.strip() else None
        if nearest is None:
            continue
        if nearest.type == task["type"]:
            # What is clear from the words alone is said by the check of languages.
            if _base(nearest.language) != _base(spoken) and not differs(text, spoken):
                yield language_point(nearest.language, spoken, path)
            continue
        words = {"own": _label(str(task["type"])), "other": _label(nearest.type), "example": nearest.example}
        sentence = (
            _("These are the instructions of the example “%(example)s” for another task type, “%(other)s”.")
            if nearest.example
            else _("These are the instructions of another task type, “%(other)s”.")
        )
        advice = _("This task is of the type “%(own)s”. Describe what raters do here, or leave the field empty.")
        yield Point(KIND, f"{sentence} {advice}" % words, path)


def _label(task_type: str) -> str:
    return str(task_types.registry[task_type].label)


def _base(language: str) -> str:
    return language.partition("-")[0]


def _nearest(text: str, own: str) -> Shipped | None:
    """Return the shipped instructions that a text is, nearly to the letter; None where there are none.

    Of instructions that are as near, those of its `own` type count; an example of its own type is no other text.
    """
    pieces = _pieces(text)
    alike = [(_alike(pieces, shipped.pieces), shipped) for shipped in _shipped()]
    best = max(share for share, _text in alike)
    nearest = [shipped for share, shipped in alike if share == best]
    chosen = next((shipped for shipped in nearest if shipped.type == own), nearest[0])
    return None if best < ALIKE or (chosen.type == own and chosen.example) else chosen


def _pieces(text: str) -> frozenset[str]:
    plain = " ".join(re.sub(r"[\W_]+", " ", text.casefold()).split())
    return frozenset(plain[n : n + PIECE] for n in range(max(1, len(plain) - PIECE + 1)))


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other))


@cache
def _shipped() -> tuple[Shipped, ...]:
    """Return the instructions of every task type in every language, and those of the examples."""
    texts: dict[tuple[str, str], Shipped] = {}
    for language, _name in settings.LANGUAGES:
        with override(language):
            for name, member in task_types.registry.items():
                if text := str(member.default_instructions):
                    texts.setdefault((name, text), Shipped(name, _pieces(text), language))
    for path in sorted((FilePath(settings.BASE_DIR) / "examples").rglob("study.yaml")):
        given: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
        for task in given["tasks"]:
            if text := str(task.get("instructions") or ""):
                name, title = str(task["type"]), str(given["study"]["title"])
                texts.setdefault((name, text), Shipped(name, _pieces(text), example=title))
    return tuple(texts.values())


@register
def acts_of_another_type(facts: Facts) -> Iterator[Point]:
    """Yield the words that ask raters for an act of another task type, such as to move a slider."""
    yielded: set[Point] = set()
    for place, task in facts.main_tasks:
        kind = task_types.kind_of(task["type"], task["params"])
        own = _acts(facts, task, kind)
        if own is None:
            continue
        instructions = str(task["instructions"] or "")
        nearest = _nearest(instructions, str(task["type"])) if instructions.strip() else None
        # What was shipped for another type is pointed out as a whole.
        whole = nearest is not None and nearest.type != task["type"]
        for text, path in facts.words_of(place, task)[1 if whole else 0 :]:
            words = _named(text, own) or _key(text, kind, own) or _rated(text, task, kind)
            if words and not (_OF_OTHERS.search(text) and len(facts.main_tasks) > 1):
                sentence = _("The text says “%(words)s”, but raters cannot do that in this task (%(type)s).")
                point = Point(KIND, sentence % {"words": words, "type": kind.label}, path)
                if point not in yielded:
                    yielded.add(point)
                    yield point


@register
def one_text_asked_of_two(facts: Facts) -> Iterator[Point]:
    """Yield the questions about one text where raters choose one text of several, such as "How fluent is it?"."""
    for place, task in facts.main_tasks:
        kind = task_types.kind_of(task["type"], task["params"])
        if kind.acts not in _CHOICES_OF_A_TEXT:
            continue
        for text, path in facts.words_of(place, task):
            match = None if _COMPARES.search(text) else _ABOUT_ONE.search(text)
            if match and path[-1] != "definition":
                sentence = _(
                    "“%(words)s” is about one text, but raters choose between texts in this task (%(type)s). Ask which "
                    "text is better."
                )
                yield Point(KIND, sentence % {"words": match[0].strip(), "type": kind.label}, path)


def _acts(facts: Facts, task: Mapping[str, Any], kind: TaskType) -> frozenset[Act] | None:
    """Return the acts of raters in a task; None where they follow from questions of the study alone."""
    if kind.acts is None:
        return None
    load = facts.workload.tasks.get(str(task["key"])) if facts.workload else None
    several = load is None or load.most_texts > 1
    return kind.acts | {Act.COMPARE} if several else kind.acts


def _named(text: str, own: frozenset[Act]) -> str:
    """Return the first words of a text that name an act which is none of the task's own."""
    found = (pattern.search(text) for act, pattern in _NAMES.items() if act not in own)
    return next((match[0] for match in found if match), "")


def _key(text: str, kind: TaskType, own: frozenset[Act]) -> str:
    """Return the words that name a key which the page does not have: a letter, or a digit beyond the scale."""
    scale = kind.scale_of()
    for match in _PRESS.finditer(text):
        key = match["key"]
        if key.isdecimal():
            if scale and scale[2] and Act.STEP in own and not scale[0] <= int(key) <= min(scale[1], 9):
                return match[0]
        elif key.isupper() and own <= {Act.STEP, Act.SLIDE}:
            return match[0]
    return ""


def _rated(text: str, task: Mapping[str, Any], kind: TaskType) -> str:
    """Return the words that name a scale where a task has none: texts are chosen there, or put in order."""
    if kind.scale_of() is not None or not kind.side_by_side or any(map(task["params"].get, ("sureness", "strength"))):
        return ""
    match = _RATES.search(text)
    return match[0] if match else ""
