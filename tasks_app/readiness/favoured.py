"""Evaluated texts that raters have read as an example before they judge them."""

from collections.abc import Iterator, Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.hooks.sections import Path
from tasks_app.readiness.base import Facts, Point, register
from tasks_app.texts.findings import TextFinding

KIND = "favoured"

_SAID: Mapping[str, str | Promise] = {
    "in_instructions": gettext_lazy(
        "The instructions contain %(texts)s, word for word or nearly: “%(words)s” (%(first)s). Raters would judge "
        "what they have read as an example. Use another example."
    ),
    "in_criterion": gettext_lazy(
        "The question or the definition contains %(texts)s, word for word or nearly: “%(words)s” (%(first)s). Raters "
        "would judge what they have read as an example. Use another example."
    ),
    "in_explanation": gettext_lazy(
        "An explanation of a practice text contains %(texts)s, word for word or nearly: “%(words)s” (%(first)s). "
        "Raters would judge what they have read as an example. Use another example."
    ),
    "in_practice": gettext_lazy(
        "Practice or the test shows %(texts)s, word for word or nearly: “%(words)s” (%(first)s). Raters would judge "
        "what they have just been taught about. Use other texts for practice, or do not have these judged."
    ),
}


@register
def examples_that_are_evaluated(facts: Facts) -> Iterator[Point]:
    """Yield the places that show raters an evaluated text, or nearly, before they judge it."""
    for finding in facts.texts:
        if finding.kind in _SAID:
            key, *systems = finding.systems
            first = "; ".join(finding.first) + (" …" if finding.n > len(finding.first) else "")
            words = {"texts": _texts(finding, systems), "words": finding.words, "first": first}
            yield Point(KIND, str(_SAID[finding.kind]) % words, _path(facts, finding.kind, key))


def _texts(finding: TextFinding, systems: list[str]) -> str:
    """Return the number of texts, and the system if all are of one: "3 of the 40 evaluated texts, all by “A”"."""
    words = {"n": finding.n, "of": finding.of, "system": f"“{systems[0]}”"}
    if finding.n == 1:
        return _("an evaluated text by %(system)s") % words
    if len(systems) == 1:
        return _("%(n)s of the %(of)s evaluated texts that were compared, all by %(system)s") % words
    return _("%(n)s of the %(of)s evaluated texts that were compared") % words


def _path(facts: Facts, kind: str, key: str) -> Path:
    """Return the setting that holds the examples."""
    if kind == "in_criterion":
        rows = facts.document.get("criteria") or ()
        return ("criteria", next((place for place, row in enumerate(rows) if row["key"] == key), 0), "question")
    place = next((place for place, task in facts.tasks if task["key"] == key), 0)
    return ("tasks", place, "instructions" if kind == "in_instructions" else "checks")
