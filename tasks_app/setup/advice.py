"""Advice on values of a set-up: nothing is wrong with them, but a careful reviewer would ask about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json, Path
from tasks_app.readiness import limits
from tasks_app.setup.controls import Advice
from tasks_app.setup.criteria.framing import framing_of
from tasks_app.texts import languages

if TYPE_CHECKING:
    from tasks_app.setup.page import SetupPage


def advice_on(page: SetupPage, path: Path) -> Advice | None:
    """Return advice on a better value: nothing wrong, but a question that a careful reviewer would ask."""
    nearest = page.reading.nearest if page.is_checked and page.has_numbers else {}
    if path in nearest:
        words = {"value": nearest[path]}
        return Advice(
            _("No plan can be drawn with this value; %(value)s would work.") % words,
            nearest[path],
            _("Use %(value)s") % words,
        )
    if path == limits.PATH and page.is_checked and page.has_numbers and not page.problems:
        return _on_limit(limits.split(page.facts))
    if len(path) == 3 and path[0] == "criteria" and path[2] == "question":
        return _on_question(page, path)
    return _on_language(page.value(path)) if path == ("study", "language") else None


def _on_limit(sizes: Mapping[Path, int]) -> Advice | None:
    """Return the sizes of sets that keep to the limit of texts per rater."""
    if not sizes:
        return None
    words = {"sizes": _(" and ").join(map(str, sizes.values()))}
    return Advice(_("The limit can be split over the tasks."), button=_("Use sets of %(sizes)s") % words, values=sizes)


def _on_question(page: SetupPage, path: Path) -> Advice | None:
    """Return the reason why a question may lead raters, with a neutral wording (Schoch et al. 2020)."""
    question = page.value(path)
    language = page.value((*path[:2], "language")) or page.value(("study", "language")) or "en"
    framing = framing_of(question, str(language)) if isinstance(question, str) else None
    if framing is None:
        return None
    if not framing.neutral:
        return Advice(str(framing.reason))
    sentence = _("%(reason)s Neutral: “%(question)s”") % {"reason": framing.reason, "question": framing.neutral}
    return Advice(sentence, framing.neutral, _("Ask it this way"))


def _on_language(language: Json) -> Advice | None:
    """Return a note on the language of evalweb's own text for raters, unless somebody has checked it."""
    if not isinstance(language, str) or not language or languages.is_reviewed(code := languages.match(language)):
        return None
    if not code:
        return Advice(_("evalweb has no translation into this language, so raters see its own text in English."))
    sentence = _(
        "evalweb's own text in %(language)s is a machine translation that no speaker has checked yet. That includes "
        "questions and scale steps that evalweb provides. Read the preview before you open the study."
    )
    return Advice(sentence % {"language": languages.english_name(code)})
