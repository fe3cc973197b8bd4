"""Severities and categories that instructions name, and that raters of a task cannot choose."""

import re
from collections.abc import Iterator, Mapping

from django.utils.translation import gettext as _

from tasks_app.task_types.error_spans.scheme import Scheme

# The severities that published schemes have, as they begin in the languages of pages.
_BEGINS: Mapping[str, tuple[str, ...]] = {
    "critical": ("crit", "krit", "crít", "致命", "치명", "حرج"),
    "major": ("maj", "schwer", "grave", "重大", "严重", "심각", "جسيم"),
    "minor": ("min", "leicht", "leve", "mineur", "轻微", "軽微", "경미", "طفيف"),
    "neutral": ("neutr", "中性", "중립", "محايد"),
}
_NAMES = r"critical|major|minor|neutral|kritisch|critique|crític[oa]|neutre?|majeure?|mineure?|致命|致命的|치명적|حرج"
_QUOTES = r"[“”„\"«»‘’「」『』*]"
_SEVERITIES = (
    # An error that is called critical: in prose, errors may be called minor or major under any scheme.
    re.compile(
        r"\b(?:critical (?:errors?|mistakes?|issues?)|kritische[rn]? fehler\w*|erreurs? critiques?"
        r"|error(?:es)? críticos?|erros? críticos?)\b|致命错误|致命的な(?:誤り|エラー)"
        r"|치명적(?:인)? 오류|أخطاء حرجة|خطأ حرج",
        re.IGNORECASE,
    ),
    # A severity as a term of its own: **Critical**, “critical”.
    re.compile(rf"{_QUOTES}(?:{_NAMES})(?: (?:errors?|fehler))?:?{_QUOTES}", re.IGNORECASE),
    # One of a list: minor, major or critical.
    re.compile(
        r"\b(?:minor|major)(?:, (?:minor|major|neutral))?,? (?:or|and|oder|und) (?:critical|neutral)\b", re.IGNORECASE
    ),
)
# A category that raters are told to choose. The instructions that evalweb ships say "its kind where you are asked".
_CATEGORY = re.compile(
    r"\b(?:choose|select|pick|assign|say|give|name|decide|wählen sie|nennen sie|choisissez|sélectionnez|indiquez|elija"
    r"|seleccione|indique|escolha|selecione)\b[^.!?\n]{0,40}?\b(?P<noun>categor(?:y|ies)|(?:error|mistake) types?"
    r"|types? of (?:error|mistake)s?|kategorien?|fehlertyp(?:en)?|fehlerart(?:en)?|catégories?|types? d['’]erreurs?"
    r"|categorías?|tipos? de error(?:es)?|categorias?|tipos? de erros?)\b"
    r"|(?:选择|标注)[^。！？\n]{0,12}(?:类别|错误类型)|(?:カテゴリー?|誤りの種類)を(?:選|指定)"
    r"|(?:범주|오류 유형)[을를]? (?:선택|고르)|(?:اختر|اختيار|حدد)[^.!؟\n]{0,20}(?:فئة|نوع الخطأ)",
    re.IGNORECASE,
)
_END_OF_SENTENCE = re.compile(r"[.!?。！？؟\n]")
_DENIED = re.compile(
    r"\b(?:no|not|never|without|keine?n?|nicht|ohne|pas|sans|sin|sem|não)\b|不|ない|않|لا", re.IGNORECASE
)


def named_wrongly(instructions: str, scheme: Scheme) -> Iterator[str]:
    """Yield a sentence for severities and categories that instructions name and `scheme` does not have."""
    if words := next((words for words in _severities(instructions) if not _is_in(words, scheme)), ""):
        names = ", ".join(severity.name for severity in scheme.severities)
        if names:
            sentence = _("The text says “%(words)s”, but the severities of this task are: %(names)s.")
        else:
            sentence = _("The text says “%(words)s”, but raters do not say how serious an error is in this task.")
        yield sentence % {"words": words, "names": names}
    match = None if scheme.categories else _CATEGORY.search(instructions)
    if match and not _DENIED.search(_END_OF_SENTENCE.split(instructions[: match.end()])[-1]):
        sentence = _("The text says “%(words)s”, but this task has no kinds of error to choose from.")
        yield sentence % {"words": match[0]}


def _severities(instructions: str) -> Iterator[str]:
    for pattern in _SEVERITIES:
        for match in pattern.finditer(instructions):
            yield match[0].strip('“”„"«»‘’「」『』*:')


def _is_in(words: str, scheme: Scheme) -> bool:
    """Return whether every severity among some words is one of a scheme, by its name in any language or its key."""
    own = [name.casefold() for severity in scheme.severities for name in (severity.key, severity.name)]
    parts = [part for part in re.split(r"[\s,]+", words.casefold()) if part]
    named = [begins for begins in _BEGINS.values() if any(part.startswith(begins) for part in parts)]
    return all(any(name.startswith(begins) for name in own) for begins in named)
