"""Results of two runs for each criterion: findings, systems, groups, pairs and agreement."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.models import ResultRow
from analytics_app.show import cells
from analytics_app.show.cells import Cell
from analytics_app.show.comparisons import Compared, Verb
from analytics_app.show.table import Column, Table
from analytics_app.views.comparing.halves import Half
from analytics_app.views.summary import Place

# The most pairs of one criterion that the page names; further ones are counted.
PAIRS_NAMED = 20


@dataclass(frozen=True, slots=True)
class PairTest:
    """The adjusted test of a pair in one run, and the significantly better system; "" for none."""

    half: Half
    row: ResultRow
    better: str


@dataclass(frozen=True, slots=True)
class ChangedPair:
    """A pair of systems with a test that is significant in one of two runs only, or in opposite directions."""

    a: str
    b: str
    verb: Verb
    tests: Sequence[PairTest]

    @property
    def sentence(self) -> str:
        """Return the result of each run in words."""
        names = _("%(a)s and %(b)s") % {"a": self.a, "b": self.b}
        return f"{names}: {'; '.join(map(self._found, self.tests))}."

    def _found(self, test: PairTest) -> str:
        p = cells.p_value(test.row.p_adjusted).text
        words = {"run": test.half.name, "p": p if p.startswith("<") else f"= {p}"}
        if not test.better:
            return _("no clear difference in %(run)s (adjusted p %(p)s)") % words
        other = self.b if test.better == self.a else self.a
        pair = {"better": test.better, "verb": self.verb.of([test.better]), "other": other}
        return _("in %(run)s %(better)s %(verb)s %(other)s (adjusted p %(p)s)") % {**words, **pair}


@dataclass(frozen=True, slots=True)
class Criterion:
    """The comparison for one criterion. `facts` are labels with sentences; `n_pairs` counts the pairs of both runs."""

    key: str
    title: str
    facts: Sequence[tuple[str, Sequence[str]]]
    systems: Table | None
    changed: Sequence[ChangedPair]
    n_pairs: int

    @property
    def named(self) -> Sequence[ChangedPair]:
        """Return the changed pairs that the page names."""
        return self.changed[:PAIRS_NAMED]

    @property
    def more(self) -> int:
        """Return the number of changed pairs that the page does not name."""
        return len(self.changed) - len(self.named)


def criteria_of(a: Half, b: Half) -> list[Criterion]:
    """Return every criterion of two runs, in the order of the first."""
    keys = dict.fromkeys([*a.summary.places, *b.summary.places])
    listed = [_criterion(key, a, b) for key in keys]
    return [criterion for criterion in listed if criterion.facts or criterion.systems is not None]


def _criterion(key: str, a: Half, b: Half) -> Criterion:
    places = a.place(key), b.place(key)
    place = places[0] or places[1]
    task = a.tasks.get(key.partition("--")[0], "") if len(a.tasks) > 1 else ""
    title = place.title if place is not None else key
    compared = tuple(side.compared if side is not None else None for side in places)
    changed = list(changed_pairs(key, a, b))
    facts = [
        (_("Finding"), _both(a, b, *(_finding(side) for side in places))),
        (_("Groups"), _both(a, b, *(_groups(side) for side in compared))),
        (_("Agreement"), _both(a, b, *(_agreement(side) for side in places))),
    ]
    return Criterion(
        key=key,
        title=": ".join(filter(None, (task, title))) if task != title else title,
        facts=[(label, sentences) for label, sentences in facts if sentences],
        systems=_systems(a, b, compared[0], compared[1]),
        changed=changed,
        n_pairs=len(_by_pair(compared[0]).keys() & _by_pair(compared[1]).keys()),
    )


def _both(a: Half, b: Half, of_a: str, of_b: str) -> list[str]:
    """Return one sentence if both runs have the same text, else one sentence per run; nothing if both are empty."""
    if of_a == of_b:
        return [_("Both runs: %(text)s") % {"text": of_a}] if of_a else []
    none = _("none.")
    return [f"{capfirst(half.name)}: {text or none}" for half, text in ((a, of_a), (b, of_b))]


def _finding(place: Place | None) -> str:
    return place.finding.text if place is not None and place.finding is not None else ""


def _groups(compared: Compared | None) -> str:
    """Return the groups that tests separate in words, the best first."""
    if compared is None or len(compared.levels) < 2 or not compared.tested:
        return ""
    groups = compared.clusters
    if len(groups) == 1:
        return _("the tests do not separate the systems into groups.")
    return _("%(groups)s.") % {"groups": _(" above ").join(", ".join(group) for group in groups)}


def _agreement(place: Place | None) -> str:
    agreement = place.agreement if place is not None else None
    return f"{agreement.measure} {agreement.value}." if agreement is not None else ""


# Systems --------------------------------------------------------------------------------------------------


def _systems(a: Half, b: Half, of_a: Compared | None, of_b: Compared | None) -> Table | None:
    """Return the systems with their values in both runs, in the order of the first, and the differences."""
    compared = [side for side in (of_a, of_b) if side is not None]
    if not compared:
        return None
    alike = len({(side.comparison.analysis, side.comparison.level) for side in compared}) == 1
    levels = [{str(row.system): row for row in side.levels} if side is not None else {} for side in (of_a, of_b)]
    digits = cells.digits_for(row.value for rows in levels for row in rows.values())
    heads = [Column(_("System"), number=False)]
    for half, comparison in ((a, of_a), (b, of_b)):
        measure = comparison.comparison.measure if comparison is not None else compared[0].comparison.measure
        heads.append(Column(_("%(measure)s, %(run)s") % {"measure": measure, "run": half.name}))
        heads.append(Column(_("Interval, %(run)s") % {"run": half.name}))
    heads.append(Column(_("Difference (second − first run)")))
    rows = []
    for name in dict.fromkeys([*levels[0], *levels[1]]):
        pair = [rows_of_run.get(name) for rows_of_run in levels]
        shown = [cell for row in pair for cell in _level(row, digits)]
        rows.append([cells.name(name), *shown, _apart(pair[0], pair[1], digits) if alike else Cell(cells.DASH)])
    notes = []
    if not alike:
        notes.append(_("The two runs compare systems by different measures, so no difference was computed."))
    return Table(_("Systems"), heads, rows, notes)


def _level(row: ResultRow | None, digits: int) -> list[Cell]:
    if row is None:
        return [Cell(cells.DASH), Cell(cells.DASH)]
    return [cells.number(row.value, digits), cells.interval(row.low, row.high, digits)]


def _apart(a: ResultRow | None, b: ResultRow | None, digits: int) -> Cell:
    return cells.number(difference(a, b), digits)


def difference(a: ResultRow | None, b: ResultRow | None) -> float | None:
    """Return the value of the second run minus that of the first; None if one has no value."""
    if a is None or b is None or a.value is None or b.value is None:
        return None
    return b.value - a.value


# Pairs ----------------------------------------------------------------------------------------------------


def _by_pair(compared: Compared | None) -> dict[frozenset[str], ResultRow]:
    tested = compared.tested if compared is not None else []
    return {frozenset((str(row.system), str(row.system_b))): row for row in tested}


def changed_pairs(key: str, a: Half, b: Half) -> Iterator[ChangedPair]:
    """Yield the pairs of a criterion that both runs tested with different conclusions."""
    of_a, of_b = (place.compared if place is not None else None for place in (a.place(key), b.place(key)))
    if of_a is None or of_b is None:
        return
    task_type = a.names.types.get(key.partition("--")[0], "")
    rows_of_b = _by_pair(of_b)
    for pair, row in _by_pair(of_a).items():
        other = rows_of_b.get(pair)
        if other is None:
            continue
        tests = PairTest(a, row, of_a.better(row)), PairTest(b, other, of_b.better(other))
        if tests[0].better != tests[1].better:
            yield ChangedPair(str(row.system), str(row.system_b), of_a.comparison.verb(task_type), tests)


def changed_in_words(criteria: Sequence[Criterion]) -> str:
    """Return a sentence about the pairs on which two runs disagree; "" if they have no tested pair in common."""
    n_pairs = sum(criterion.n_pairs for criterion in criteria)
    changed = [criterion for criterion in criteria if criterion.changed]
    if not n_pairs:
        return ""
    if not changed:
        sentence = ngettext(
            "The one test of a pair of systems that both runs computed reaches the same conclusion.",
            "All %(n)s tests of pairs of systems that both runs computed reach the same conclusion.",
            n_pairs,
        )
        return sentence % {"n": f"{n_pairs:,}"}
    if n_pairs == 1:
        return _("The one test of a pair of systems that both runs computed reaches different conclusions in them.")
    n = sum(len(criterion.changed) for criterion in changed)
    sentence = ngettext(
        "%(n)s of %(all)s tests of pairs of systems reaches different conclusions in the two runs, for: %(criteria)s.",
        "%(n)s of %(all)s tests of pairs of systems reach different conclusions in the two runs, for: %(criteria)s.",
        n,
    )
    return sentence % {
        "n": f"{n:,}",
        "all": f"{n_pairs:,}",
        "criteria": ", ".join(criterion.title for criterion in changed),
    }
