"""Advice on single values of a set-up: nothing that is wrong, but what a careful reviewer would ask about."""

from collections.abc import Mapping

from django.utils.translation import gettext as _

from tasks_app import languages
from tasks_app.sections import Json, Path
from tasks_app.setup.controls import Advice
from tasks_app.setup.criteria.framing import framing_of
from tasks_app.setup.paths import value_at


def advice_on(path: Path, given: Mapping[str, Json], nearest: Mapping[Path, Json] | None = None) -> Advice | None:
    """Return advice on how a value could be better, or None.

    `nearest` holds values with which a plan that cannot be drawn could be.
    """
    if nearest and path in nearest:
        words = {"value": nearest[path]}
        return Advice(
            _("No plan can be drawn with this value; %(value)s would work.") % words,
            nearest[path],
            _("Use %(value)s") % words,
        )
    if len(path) == 3 and path[0] == "criteria" and path[2] == "question":
        return _on_question(path, given)
    return _on_language(value_at(given, path)) if path == ("study", "language") else None


def _on_language(language: Json) -> Advice | None:
    """Return which language raters read evalweb's own text in, unless somebody has checked it."""
    if not isinstance(language, str) or not language or languages.is_reviewed(code := languages.match(language)):
        return None
    if not code:
        return Advice(_("evalweb has no translation into this language, so raters see its own text in English."))
    sentence = _(
        "evalweb's own text in %(language)s is a machine translation that no speaker has checked yet. That includes "
        "questions and scale steps that evalweb provides. Read the preview before you open the study."
    )
    return Advice(sentence % {"language": languages.english_name(code)})


def _on_question(path: Path, given: Mapping[str, Json]) -> Advice | None:
    """Return why a question may lead raters, with a neutral wording (Schoch et al. 2020)."""
    question = value_at(given, path)
    language = value_at(given, (*path[:2], "language")) or value_at(given, ("study", "language")) or "en"
    framing = framing_of(question, str(language)) if isinstance(question, str) else None
    if framing is None:
        return None
    if not framing.neutral:
        return Advice(str(framing.reason))
    sentence = _("%(reason)s Neutral: “%(question)s”") % {"reason": framing.reason, "question": framing.neutral}
    return Advice(sentence, framing.neutral, _("Ask it this way"))
