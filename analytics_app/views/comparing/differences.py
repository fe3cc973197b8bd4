"""Describe the differences between two runs: their ratings, rules, analyses and other settings."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app import analyses, quality
from analytics_app.models import Run
from analytics_app.plan import ALL, PlanBlock, as_meant
from analytics_app.views import words
from analytics_app.views.comparing.halves import run_name


def differences(a: Run, b: Run) -> list[str]:
    """Return a sentence for every difference between two runs, apart from their results."""
    return [capfirst(sentence) for sentence in (*_ratings(a, b), *_rules(a, b), *_analyses(a, b), *_settings(a, b))]


def _ratings(a: Run, b: Run) -> Iterator[str]:
    """Yield sentences about different ratings of the runs, and about different versions of the program."""
    if a.version != b.version:
        yield _("%(a)s used version %(version_a)s of the study, %(b)s used version %(version_b)s.") % {
            **_named(a, b), "version_a": a.version, "version_b": b.version,
        }  # fmt: skip
    if a.n_counted != b.n_counted:
        fewer, more = sorted((a, b), key=lambda run: run.n_counted)
        counts = {"more": run_name(more), "fewer": run_name(fewer), "of_more": f"{more.n_counted:,}"}
        sentence = _("Ratings before exclusions: %(of_more)s in %(more)s, %(of_fewer)s in %(fewer)s.")
        yield sentence % {**counts, "of_fewer": f"{fewer.n_counted:,}"}
    elif (a.high_water, a.judgment_high_water) != (b.high_water, b.judgment_high_water):
        sentence = _(
            "%(a)s and %(b)s have the same number of ratings but were started at different times, so the ratings may "
            "differ."
        )
        yield sentence % _named(a, b)
    by_hand = [set(run.facts.get("manual_exclusions", ())) for run in (a, b)]
    if by_hand[0] != by_hand[1] and (a.heeds_exclusions or b.heeds_exclusions):
        sentence = ngettext(
            "The list of exclusions by hand changed: it had %(n_a)s entry at %(a)s and %(n_b)s at %(b)s.",
            "The list of exclusions by hand changed: it had %(n_a)s entries at %(a)s and %(n_b)s at %(b)s.",
            len(by_hand[0]),
        )
        yield sentence % {**_named(a, b), "n_a": len(by_hand[0]), "n_b": len(by_hand[1])}
    if a.facts.get("replaced") != b.facts.get("replaced"):
        yield _("Answers were replaced between the two runs.")
    if a.facts.get("extension") != b.facts.get("extension"):
        yield _("The runs count different numbers of judgments at places that were added while the study was open.")
    if a.facts.get("scores") != b.facts.get("scores"):
        yield _("Metric scores were changed between the two runs.")
    if a.facts.get("outcomes") != b.facts.get("outcomes"):
        yield _("Outcomes measured elsewhere were changed between the two runs.")
    if a.code_version != b.code_version:
        yield _("%(a)s was computed by evalweb %(code_a)s, %(b)s by evalweb %(code_b)s.") % {
            **_named(a, b), "code_a": a.code_version, "code_b": b.code_version,
        }  # fmt: skip


def _rules(a: Run, b: Run) -> Iterator[str]:
    own = [{entry["rule"]: entry for entry in run.settings.get("rules", ())} for run in (a, b)]
    yield from _only(a, own[0], own[1])
    yield from _only(b, own[1], own[0])
    shared = [name for name in own[0] if name in own[1]]
    for name in shared:
        fields = quality.registry[name].Settings.base_fields if name in quality.registry else {}
        for key, field in fields.items():
            given = [rules[name].get(key) for rules in own]
            if given[0] != given[1]:
                rule = {"rule": quality.rule_name(name), "setting": field.label}
                sentence = _("%(rule)s, “%(setting)s”: %(value_a)s in %(a)s, %(value_b)s in %(b)s.")
                values = {"value_a": words.plain(given[0]), "value_b": words.plain(given[1])}
                yield sentence % {**_named(a, b), **rule, **values}
    if shared != [name for name in own[1] if name in own[0]]:
        yield _("%(a)s and %(b)s apply their shared rules in different orders.") % _named(a, b)


def _only(run: Run, own: Mapping[str, Any], others: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence about the rules that only this run applies."""
    alone = [quality.rule_name(name) for name in own if name not in others]
    if alone:
        sentence = ngettext(
            "Only %(run)s applies the rule %(rules)s.", "Only %(run)s applies the rules %(rules)s.", len(alone)
        )
        yield sentence % {"run": run_name(run), "rules": _listed(alone)}


def _analyses(a: Run, b: Run) -> Iterator[str]:
    chosen = [run.settings.get("analyses", ALL) for run in (a, b)]
    if chosen[0] == chosen[1]:
        return
    if ALL in chosen:
        complete, some = (a, b) if chosen[0] == ALL else (b, a)
        named = {"every": run_name(complete), "some": run_name(some), "n": len(some.settings["analyses"])}
        yield _("%(every)s computes all analyses that fit, %(some)s only %(n)s selected ones.") % named
        return
    names = [[_analysis(entry) for entry in entries] for entries in chosen]
    for run, own, others in ((a, names[0], names[1]), (b, names[1], names[0])):
        alone = list(dict.fromkeys(name for name in own if name not in others))
        if alone:
            yield _("Only %(run)s computes %(analyses)s.") % {"run": run_name(run), "analyses": _listed(alone)}
    if set(names[0]) == set(names[1]):
        yield _("%(a)s and %(b)s compute the same analyses with different settings.") % _named(a, b)


def _analysis(entry: Mapping[str, Any]) -> str:
    name = str(entry["analysis"])
    return str(analyses.registry[name].label) if name in analyses.registry else name


def _settings(a: Run, b: Run) -> Iterator[str]:
    """Yield sentences about other settings that differ; runs from before a setting have its former value."""
    own = [as_meant(run.settings) for run in (a, b)]
    pairs = [settings.get("comparisons", ALL) for settings in own]
    if pairs[0] != pairs[1]:
        yield _difference(a, b, _("pairs of systems"), *(_pairs(entry) for entry in pairs))
    for name, field in PlanBlock.base_fields.items():
        given = [settings.get(name, field.initial) for settings in own]
        if given[0] != given[1]:
            yield _difference(a, b, str(field.label), *(words.value(name, field, value) for value in given))


def _pairs(pairs: Any) -> str:
    return _("every pair") if pairs == ALL else "; ".join(" – ".join(pair) for pair in pairs)


def _difference(a: Run, b: Run, setting: str, value_a: str, value_b: str) -> str:
    sentence = _("%(setting)s: %(value_a)s in %(a)s, %(value_b)s in %(b)s.")
    return sentence % {**_named(a, b), "setting": setting, "value_a": value_a, "value_b": value_b}


def _named(a: Run, b: Run) -> dict[str, str]:
    return {"a": run_name(a), "b": run_name(b)}


def _listed(names: Sequence[str]) -> str:
    """Return names joined with commas and “and”."""
    if len(names) < 2:
        return "".join(names)
    return _("%(names)s and %(last)s") % {"names": ", ".join(names[:-1]), "last": names[-1]}
