"""The gaps in the analysis plan of a draft: checks that no quality rule uses, rules with nothing to test."""

from collections.abc import Collection, Iterator, Mapping

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app import quality
from analytics_app.analyses import registry as registered
from analytics_app.plan import ALL, DEFAULT_RULES
from analytics_app.quality.base import Rule
from analytics_app.quality.control_accuracy import ControlAccuracy
from tasks_app import readiness
from tasks_app.hooks.sections import Json, Path
from tasks_app.readiness import Facts, Level, Point
from tasks_app.settings.checks import checks_of, failing_in_words
from tasks_app.setup import following, summary
from tasks_app.setup.summary import Line
from tasks_app.task_types import registry

KIND = "rules"
_RULES = ("analysis", "rules")

# The checks that sets can have. A rule that looks at units with known answers looks at the first three.
_WORDS = {
    "control": gettext_lazy("units with known answers"),
    "attention": gettext_lazy("attention checks"),
    "degraded": gettext_lazy("degraded copies"),
    "repeat": gettext_lazy("units that are shown twice"),
}


def register() -> None:
    """Have these checks made before a study opens, and rules added with the first checks of raters."""
    following.register(rules_for_checks)
    summary.register(consequence_of_failing)
    for check in (
        checks_without_a_rule,
        rules_without_a_check,
        rules_that_leave_out_nobody,
        limits_that_nobody_reaches,
        without_rules,
        agreement_of_one,
    ):
        readiness.register(check)


def rules_for_checks(given: Mapping[str, Json], kinds: Collection[str]) -> Mapping[Path, Json]:
    """Return the rules of a plan with one for each kind of check that none of them looks at yet.

    The rule counts from the first check on: sets often have few of them.
    """
    analysis = given.get("analysis")
    planned = analysis.get("rules", DEFAULT_RULES) if isinstance(analysis, Mapping) else DEFAULT_RULES
    if not isinstance(planned, list):
        return {}
    rules = list(planned)
    for kind in [name for name in _WORDS if name in kinds]:
        named = [quality.registry.get(str(rule.get("rule"))) for rule in rules if isinstance(rule, Mapping)]
        if not any(kind in member().checks for member in named if member is not None):
            fitting = next(member for member in quality.registry.values() if kind in member().checks)
            least = {"least": 1} if "least" in fitting.Settings.base_fields else {}
            rules.append({"rule": fitting.name, **least})
    return {_RULES: rules} if len(rules) > len(planned) else {}


def checks_in_sets(facts: Facts) -> list[str]:
    """Return the checks of raters that sets have: control, attention, degraded, repeat."""
    there = set()
    for _place, task in facts.main_tasks:
        settings = checks_of(task["checks"])
        known = (("control", settings.controls), ("attention", settings.attention))
        there |= {name for name, n in known if facts.counts(task, name) and n != 0}
        there |= {name for name, n in (("degraded", settings.degraded), ("repeat", settings.repeats)) if n}
    return [name for name in _WORDS if name in there]


def checks_of_a_rater(facts: Facts) -> dict[str, int]:
    """Return how many checks of each kind a rater meets in the sets of all tasks; a repeat counts once a criterion."""
    met = dict.fromkeys(_WORDS, 0)
    sets = int(facts.section("flow").get("sets_per_rater") or 1)
    for _place, task in facts.main_tasks:
        settings = checks_of(task["checks"])
        met["control"] += sets * settings.controls_among(task["set_size"], facts.counts(task, "control"))
        met["attention"] += sets * settings.attention_among(facts.counts(task, "attention"))
        met["degraded"] += sets * settings.degraded
        met["repeat"] += sets * settings.repeats * max(1, len(task["criteria"]))
    return met


def _rules(facts: Facts) -> list[Rule]:
    planned = facts.section("analysis").get("rules") or ()
    return [
        quality.registry[rule["rule"]]({name: value for name, value in rule.items() if name != "rule"})
        for rule in planned
    ]


def checks_without_a_rule(facts: Facts) -> Iterator[Point]:
    """Yield the checks of raters that no rule of the plan uses: raters who fail them would count like all others."""
    looked_at = {name for rule in _rules(facts) for name in rule.checks}
    for name in checks_in_sets(facts):
        if name not in looked_at:
            fitting = next(member for member in quality.registry.values() if name in member().checks)
            words = {"checks": _WORDS[name], "rule": fitting.label}
            sentence = _(
                "Sets have %(checks)s, but no quality rule uses them: raters who fail them count like all others. Add "
                "the rule “%(rule)s”."
            )
            yield Point(KIND, sentence % words, _RULES)


def rules_without_a_check(facts: Facts) -> Iterator[Point]:
    """Yield the rules of the plan that will have nothing to test."""
    there = set(checks_in_sets(facts))
    for place, rule in enumerate(_rules(facts)):
        if rule.checks and not rule.checks & there:
            sentence = _("The rule “%(rule)s” has nothing to test, since sets have no such checks.")
            yield Point(KIND, sentence % {"rule": rule.label}, (*_RULES, place))


def rules_that_leave_out_nobody(facts: Facts) -> Iterator[Point]:
    """Yield the rules that need more checks of a rater than a rater meets."""
    met = checks_of_a_rater(facts)
    for place, rule in enumerate(_rules(facts)):
        n = sum(met[name] for name in rule.checks)
        if 0 < n < rule.least_checks:
            sentence = _(
                "The rule “%(rule)s” looks at raters with at least %(least)d checks, but each rater is shown %(n)d, "
                "so it leaves out nobody. Lower its minimum, or add checks."
            )
            yield Point(KIND, sentence % {"rule": rule.label, "least": rule.least_checks, "n": n}, (*_RULES, place))


def limits_that_nobody_reaches(facts: Facts) -> Iterator[Point]:
    """Yield a note where a limit on failed checks counts from more checks on than a rater meets in a task."""
    sets = int(facts.section("flow").get("sets_per_rater") or 1)
    for place, task in facts.main_tasks:
        settings = checks_of(task["checks"])
        known = {purpose: facts.counts(task, purpose) for purpose in ("control", "attention")}
        n = sets * settings.watched_among(task["set_size"], known)
        if 0 < n < settings.limit_after:
            sentence = _(
                "The limit on failed checks applies after %(least)d answered checks, but each rater is shown %(n)d. "
                "Nobody is marked or stopped while the study is open. Lower the minimum, or add checks."
            )
            words = {"least": settings.limit_after, "n": n}
            yield Point(KIND, sentence % words, ("tasks", place, "checks", "fail_after"), Level.NOTE)


def consequence_of_failing(facts: Facts) -> Iterator[Line]:
    """Yield whether raters who fail checks with a known answer count in the results, as the rules of the plan say."""
    met = checks_of_a_rater(facts)
    answered = sum(met[name] for name in ControlAccuracy().checks)
    if not answered:
        return
    left_out, one_is_enough = False, False
    for rule in _rules(facts):
        n = sum(met[name] for name in rule.checks)
        if isinstance(rule, ControlAccuracy) and n >= rule.least_checks:
            left_out, one_is_enough = True, one_is_enough or (n - 1) / n < rule.share
    words = failing_in_words(
        left_out=left_out, one_attention_check=answered == met["attention"] == 1, one_is_enough=one_is_enough
    )
    yield Line(words, _RULES)


def without_rules(facts: Facts) -> Iterator[Point]:
    """Yield a note where the plan leaves nobody out by a rule."""
    if all(rule.name == "manual" for rule in _rules(facts)):
        sentence = _("No quality rule is planned: raters are left out only where you exclude them by hand.")
        yield Point(KIND, sentence, _RULES, Level.NOTE)


def agreement_of_one(facts: Facts) -> Iterator[Point]:
    """Yield the tasks with one judgment per unit, of which no agreement can be computed.

    It is a problem only where agreement is planned by name: a plan of all analyses leaves out what it cannot compute.
    """
    analyses = facts.section("analysis").get("analyses")
    named = {row["analysis"] for row in analyses} if isinstance(analyses, list) else set()
    for place, task in facts.main_tasks:
        several = task["k"] != 1 or (task["k_more"] or 0) > 1
        if several or not registry[task["type"]].needs_items:
            continue
        if any(name in registered and registered[name].agreement for name in named):
            sentence = _("The analysis plan has agreement, but each text is judged once, so there is none to compute.")
            yield Point("agreement", sentence, ("tasks", place, "k"))
        elif analyses == ALL:
            sentence = _("Each text is judged once, so nothing can be said about agreement between raters.")
            yield Point("agreement", sentence, ("tasks", place, "k"), Level.NOTE)
