"""The parameters of error spans: the scheme, the places where errors can be marked, and their number."""

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import Typed, YesNoField, choice_field, whole_field
from tasks_app.task_types.error_spans.scheme import (
    problem_in_categories,
    problem_in_severities,
    problem_in_weights,
    scheme_of,
)
from tasks_app.task_types.texts import LAYOUT, ScoredDocuments, SingleOrTogether

# MQM as published asks for the five most serious errors of a segment; other schemes only need a bound.
MOST = {"mqm": 5}
MOST_ELSEWHERE = 20

# Scores that contradict the errors, unless the study says otherwise: of 91 and more beside a most serious error, and
# below 80 without any.
HIGH_SCORE, LOW_SCORE = 91, 80

_AS_PUBLISHED = ("scheme", _("as published for the scheme"))
_YES, _NO = ("yes", _("yes")), ("no", _("no"))


def _checked(problem: Callable[[object], str | None]) -> Callable[[Any], None]:
    def check(value: Any) -> None:
        if sentence := problem(value):
            raise ValidationError(sentence)

    return check


class OwnField(Typed[list[dict[str, Any]]], forms.JSONField):
    """A study's own list, from a file or as JSON in a text field; without one the scheme's list counts."""

    def __init__(self, problem: Callable[[object], str | None], entry: Mapping[str, object], **options: Any) -> None:
        super().__init__(required=False, initial=(), validators=[_checked(problem)], **options)
        # The schema of an entry, for editors of study files.
        self.json_schema = {"type": "array", "items": {"type": "object", "additionalProperties": False, **entry}}

    def to_python(self, value: Any) -> Any:
        """Return the list; an empty one where there is nothing."""
        try:
            return [] if value in (None, (), []) else super().to_python(value) or []
        except RecursionError:
            raise ValidationError(gettext("This is nested too deeply.")) from None


_WORDS = {"key": {"type": "string"}, "name": {"type": "string"}, "definition": {"type": "string"}}
_KIND = {
    **_WORDS,
    "sides": {"type": "array", "items": {"enum": ["output", "source"]}},
    "whole": {"type": "boolean"},
    "severity": {"type": "string"},
}
_BELOW = {"type": "array", "items": {"type": "object", "additionalProperties": False, "properties": _KIND}}
_WEIGHT = {"weight": {"type": "number"}, "severity": {"type": "string"}, "category": {"type": "string"}}


class SpanParameters(ScoredDocuments, SingleOrTogether):
    """A type with the parameters of error spans."""

    scheme = choice_field(
        _("Scheme"),
        (
            ("esa", _("ESA: minor and major, then a score")),
            ("mqm", _("MQM: kinds and severities with weights")),
            ("plain", _("plain: where the errors are; grouped as described below")),
        ),
        initial="esa",
    )
    layout = LAYOUT
    categories = OwnField(
        problem_in_categories,
        {"properties": {**_KIND, "children": _BELOW}, "required": ["key", "name"]},
        label=_("Kinds of error"),
        help_text=_("Own ones instead of the scheme's: key, name, definition, and children for a second level."),
    )
    severities = OwnField(
        problem_in_severities,
        {"properties": _WORDS, "required": ["key", "name"]},
        label=_("Severities"),
        help_text=_("Your own instead of the scheme's, from least to most serious: key, name, definition."),
    )
    weights = OwnField(
        problem_in_weights,
        {"properties": _WEIGHT, "required": ["weight"]},
        label=_("Weights"),
        help_text=_(
            "Your own instead of the scheme's: a weight for a severity, a category or both; the first that fits "
            "counts. MQM has major 5, minor 1, minor fluency/punctuation 0.1, non-translation 25, neutral 0."
        ),
    )
    score = choice_field(
        _("Ask for a score from 0 to 100"),
        (_AS_PUBLISHED, _YES, _NO),
        _("ESA asks for one. It answers the criterion “score”, beside the study's own criteria."),
        initial="scheme",
    )
    score_check = choice_field(
        _("Where score and errors contradict each other"),
        (
            ("ask", _("raters are asked once whether both are meant")),
            ("refuse", _("raters have to change one of them")),
            ("nothing", _("nothing is said")),
        ),
        _("By the two limits below; only where the score is asked."),
        initial="ask",
    )
    high_score = whole_field(
        _("Score that is too high beside a most serious error"),
        _("From this score on. In WMT 2026 it is 85."),
        within=(1, 100),
        initial=HIGH_SCORE,
    )
    low_score = whole_field(
        _("Score that is too low without an error"),
        _("Below this score. In WMT 2026 it is 85."),
        within=(0, 100),
        initial=LOW_SCORE,
    )
    order = choice_field(
        _("Order of errors and score"),
        (("spans", _("errors first, then the score")), ("score", _("score first, then the errors"))),
        initial="spans",
    )
    mark_source = choice_field(
        _("Errors can be marked in the source"),
        (_AS_PUBLISHED, _YES, _NO),
        _("MQM marks omissions and source errors there. Only with one text on a page."),
        initial="scheme",
    )
    missing = choice_field(
        _("The word [missing] stands after the text"),
        (_AS_PUBLISHED, _YES, _NO, ("source", _("once after the source, with a button for each text"))),
        _("What was left out is marked on it, as in ESA. Wherever it stands, such a mark belongs to one text."),
        initial="scheme",
    )
    snap = choice_field(
        _("Marks consist of whole"), (("word", _("words")), ("character", _("characters"))), initial="word"
    )
    overlaps = YesNoField(label=_("Marks may overlap"))
    given_marks = choice_field(
        _("Marks that a text comes with"),
        (
            ("confirm", _("raters say of each whether it is right")),
            ("edit", _("raters edit them like their own; what they leave alone is kept")),
        ),
        _(
            "Given in prefill.csv. Raters edit what a system marked in ESA with AI (Zouhar et al. 2025), and what an "
            "earlier rater marked in MQM re-annotation (Riley et al. 2026)."
        ),
        initial="confirm",
    )
    mark_reason = choice_field(
        _("Reason of each mark"),
        (
            ("no", _("not asked")),
            ("optional", _("raters may say why it is an error")),
            ("required", _("raters have to say why it is an error")),
        ),
        _("A line of text below each mark. Marks that a text came with need none where they are kept as they are."),
        initial="no",
    )
    max_spans = whole_field(
        _("Most errors in a text"),
        _("Leave empty for 5 in MQM (the five most serious, as published) and 20 in other schemes."),
        within=(1, 100),
    )
    guide = YesNoField(
        initial=True,
        label=_("Show the place in the other texts"),
        help_text=_("Pointing at a word lights the proportional place in the source and the other texts."),
    )
    show_numbers = YesNoField(initial=True, label=_("Show numbers of the score"))

    class Settings(ScoredDocuments.Settings):
        """The parameters of error spans."""

        def clean(self) -> dict[str, object]:
            """Refuse parameters that contradict each other."""
            cleaned = super().clean() or self.cleaned_data
            if cleaned.get("mark_source") == "yes":
                if cleaned.get("layout") == "together" or cleaned.get("page") == "document":
                    sentence = _("With several texts on a page it is not clear which one an error in the source is of.")
                    self.add_error("mark_source", sentence)
                elif not cleaned.get("show_source"):
                    self.add_error("mark_source", _("Errors can be marked in the source only where it is shown."))
            if cleaned.get("missing") == "source" and not cleaned.get("show_source"):
                self.add_error("missing", _("The word [missing] can stand after the source only where it is shown."))
            if not self.errors:
                self._refuse_unknown_keys(cleaned)
            return cleaned

        def _refuse_unknown_keys(self, cleaned: Mapping[str, Any]) -> None:
            """Refuse categories and weights that name a severity or category that does not exist."""
            scheme = scheme_of(
                cleaned["scheme"], cleaned["severities"], cleaned["categories"], cleaned["weights"], source=True
            )
            fixed = {category.severity for category in scheme.categories.values() if category.severity}
            if unknown := fixed - set(scheme.severity_keys):
                sentence = _("There is no severity “%(key)s”. Name one of: %(known)s.")
                about = {"key": min(unknown), "known": ", ".join(scheme.severity_keys) or "-"}
                self.add_error("categories", sentence % about)
            known = {*scheme.categories, *(group.key for group in scheme.groups), None}
            for rule in scheme.rules if cleaned.get("weights") else ():
                if rule.category not in known or rule.severity not in {*scheme.severity_keys, None}:
                    self.add_error("weights", _("A weight names a category or severity that is not there."))
                    return
