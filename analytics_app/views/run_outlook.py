"""Describe a run before it is started: its standing, its settings, and the exclusions of its rules."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app import quality
from analytics_app.plan import ALL, PlanBlock
from analytics_app.runs import preview
from analytics_app.selectors.runs import planned_number
from analytics_app.show.labels import CORRECTIONS
from analytics_app.views import run_words, standing, words
from tasks_app.models import Study, Task

# Settings that have their own sentences; others are mentioned only if they are not the default.
WITH_OWN_SENTENCES = {"correction", "confidence", "n_resamples"}


@dataclass(frozen=True, slots=True)
class RuleInWords:
    """A rule that is switched on: its key, its label, its settings other than defaults, and its current exclusions.

    `effects` are sentences; there are none without a preview.
    """

    key: str
    label: str
    settings: str
    effects: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Outlook:
    """The description of a run with some settings. `kept` are sentences about the ratings that would be kept."""

    standing: str
    rules: Sequence[RuleInWords]
    facts: Sequence[tuple[str, str]]
    kept: Sequence[str] = ()


def outlook(
    study: Study,
    document: Mapping[str, Any],
    frozen: Mapping[str, Any] | None,
    n_analyses: int,
    *,
    previewed: bool = False,
) -> Outlook:
    """Return the description of a run with these settings; `previewed` computes the exclusions of its rules.

    `frozen` is the plan that was frozen at opening, and `n_analyses` the number of analyses that fit the study.
    """
    funnels: list[run_words.Funnel] = []
    kept_sentences: list[str] = []
    if previewed:
        kept_sentences = [reason] if (reason := _no_preview(study)) else []
        if not kept_sentences:
            names = {task.key: str(task) for task in Task.objects.filter(study=study, until=None)}
            funnels = run_words.funnels(preview.preview(study, document), names)
            kept_sentences = list(_kept(funnels))
    return Outlook(
        standing=_standing(study, document, frozen),
        rules=[_rule(entry, funnels) for entry in document["rules"]],
        facts=list(_facts(document, n_analyses)),
        kept=kept_sentences,
    )


def _no_preview(study: Study) -> str:
    if not study.is_frozen:
        return _("The study has not been opened yet, so there are no ratings.")
    if preview.is_too_large(study):
        return _(
            "There is no preview for studies with more than %(ratings)s ratings or %(units)s units. The page of the "
            "run will show what each rule excluded."
        ) % {"ratings": f"{preview.MOST_RATINGS:,}", "units": f"{preview.MOST_UNITS:,}"}
    return ""


def _rule(entry: Mapping[str, Any], funnels: Sequence[run_words.Funnel]) -> RuleInWords:
    if entry["rule"] not in quality.registry:  # of an earlier version
        return RuleInWords(entry["rule"], quality.rule_name(entry["rule"]), "", [])
    rule = quality.registry[entry["rule"]]
    changed = [
        f"{field.label}: {words.plain(entry[name])}"
        for name, field in rule.Settings.base_fields.items()
        if entry.get(name, field.initial) != field.initial
    ]
    return RuleInWords(rule.name, str(rule.label), ", ".join(changed), list(_effects(rule.name, funnels)))


def _effects(rule: str, funnels: Sequence[run_words.Funnel]) -> Iterator[str]:
    """Yield sentences about the exclusions of a rule in each task."""
    for funnel in funnels:
        for step in funnel.steps:
            if step.rule == rule:
                sentence = _("would currently exclude nothing.")
                if step.ratings or step.raters:
                    counts = {"ratings": _ratings(step.ratings), "raters": _raters(step.raters or 0)}
                    sentence = _("would exclude %(ratings)s from %(raters)s.") % counts
                about = [f"{funnel.task}:"] if len(funnels) > 1 else []
                yield " ".join([*about, sentence, *([step.note] if step.note else [])])


def _kept(funnels: Iterable[run_words.Funnel]) -> Iterator[str]:
    listed = [funnel for funnel in funnels if funnel.counted]
    if not listed:
        yield _("There are no ratings yet.")
    for funnel in listed:
        counts = {"kept": f"{funnel.steps[-1].ratings:,}", "ratings": _ratings(funnel.counted)}
        sentence = _("With these settings, %(kept)s of %(ratings)s would be kept.") % counts
        yield f"{funnel.task}: {sentence}" if len(listed) > 1 else sentence


def _ratings(n: int) -> str:
    return ngettext("%(n)s rating", "%(n)s ratings", n) % {"n": f"{n:,}"}


def _raters(n: int) -> str:
    return ngettext("%(n)s rater", "%(n)s raters", n) % {"n": f"{n:,}"}


def _facts(document: Mapping[str, Any], n_analyses: int) -> Iterator[tuple[str, str]]:
    """Yield pairs of a label and a text for comparisons, intervals, analyses, and settings other than defaults."""
    pairs = document["comparisons"]
    compared = (
        _("every pair of systems")
        if pairs == ALL
        else ngettext("%(n)s pair of systems", "%(n)s pairs of systems", len(pairs)) % {"n": len(pairs)}
    )
    correction = str(CORRECTIONS[document["correction"]])
    yield _("Comparisons"), _("%(pairs)s; correction: %(correction)s") % {"pairs": compared, "correction": correction}
    intervals = {"confidence": f"{document['confidence'] * 100:.6g}\u00a0%", "n": f"{document['n_resamples']:,}"}
    yield _("Intervals"), _("%(confidence)s; bootstrap intervals from %(n)s samples") % intervals
    chosen = document["analyses"]
    if chosen == ALL:
        yield _("Analyses"), _("all %(all)s that fit this study's questions") % {"all": n_analyses}
    else:
        yield (
            _("Analyses"),
            _("%(n)s of the %(all)s that fit this study's questions") % {"n": len(chosen), "all": n_analyses},
        )
    for name, field in PlanBlock.base_fields.items():
        value = document.get(name, field.initial)
        if name not in WITH_OWN_SENTENCES and value not in (field.initial, None, "", []):
            yield str(field.label), words.value(name, field, value)


# Planned or exploratory -------------------------------------------------------------------------------


def _standing(study: Study, document: Mapping[str, Any], frozen: Mapping[str, Any] | None) -> str:
    """Return a sentence whether the run will be planned, and if not, the reason."""
    if standing.never_opened(study):
        return _("This run will be exploratory: the ratings existed before the plan.")
    if frozen is None:
        return _("This run will be exploratory: no plan was frozen when this study was opened.")
    changed = {"what": ", ".join(run_words.differences(document, frozen))}
    if study.state != Study.State.CLOSED:
        sentence = _("This run will be exploratory: until the study is closed, every run is an interim look.")
        return (
            f"{sentence} {_('It also differs from the plan in: %(what)s.') % changed}" if changed["what"] else sentence
        )
    if changed["what"]:
        return _("This run differs from the plan in: %(what)s. It will be labelled exploratory.") % changed
    if (earlier := planned_number(study)) is not None:
        sentence = _(
            "Run %(n)s was the planned run. If ratings or exclusions have changed since then, this run will be "
            "exploratory."
        )
        return sentence % {"n": earlier}
    return _("With these settings this run will be planned. If you change anything, it will be exploratory.")
