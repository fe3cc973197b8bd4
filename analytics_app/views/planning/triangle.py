"""Judges that a triangle test needs, power with a given number of judges, and the three tables of the norm."""

from collections.abc import Sequence
from math import ceil, floor

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analytics_app.show.cells import Cell, whole
from analytics_app.show.table import Column, Table
from analytics_app.stats.discrimination.triangle_test import least_correct, most_correct
from analytics_app.stats.planning.discrimination_power import (
    Judges,
    judges_each,
    judges_needed,
    power_of_difference,
    power_of_similarity,
)
from analytics_app.views.planning.answer import Answer
from analytics_app.views.planning.base import PlanningForm, exactly, plain, power_words, share
from analytics_app.views.planning.curve import Curve
from tasks_app.settings.fields import choice_field, number_field, whole_field
from tasks_app.task_types.triangle.params import ALPHA, BETA

# Rows and columns of the printed tables; the reader's own case is added.
RISKS = (0.2, 0.1, 0.05, 0.01, 0.001)
SHARES = (0.5, 0.4, 0.3, 0.2, 0.1)
FEW, SOME = tuple(range(6, 25)), (18, 24, 30, 36)
ADVISED = {"difference": 18, "similarity": 30}
# Most points of a curve; more could not be seen on a page.
MOST_POINTS = 400


class TrianglePlan(PlanningForm):
    title = gettext_lazy("Judges of a triangle test")
    summary = gettext_lazy("How many judges show a difference, or similarity; power with those you have. Exact.")
    folded = ("alpha", "beta")

    goal = choice_field(
        gettext_lazy("Goal"),
        (("difference", gettext_lazy("show a difference")), ("similarity", gettext_lazy("show similarity"))),
        initial="difference",
    )
    judges = whole_field(
        gettext_lazy("Judges available"), gettext_lazy("Leave empty for as many as needed."), within=(1, 20_000)
    )
    pd = number_field(
        gettext_lazy("Share of people who can tell"),
        gettext_lazy(
            "The share that matters to you: a difference should be found from it on, similarity should "
            "exclude it. 0.05 to 0.95."
        ),
        within=(0.05, 0.95),
        initial=0.3,
    )
    alpha, beta = ALPHA, BETA

    def answer(self) -> Answer:
        """Answer with the number of judges, the number of right choices, and the power."""
        values = self.cleaned_data
        alpha, beta, pd = values["alpha"], values["beta"], values["pd"]
        needed = judges_needed(alpha=alpha, beta=beta, pd=pd)
        n = values["judges"] or needed.smallest
        similarity = values["goal"] == "similarity"
        power = _power([n], alpha, beta, pd, similarity=similarity)[0]
        lead, sentences = self._similarity(needed, n, power) if similarity else self._difference(needed, n, power)
        warnings = []
        if n < ADVISED[values["goal"]]:
            message = _("ISO 4120 advises at least %(n)s judges for this goal.")
            warnings.append(message % {"n": ADVISED[values["goal"]]})
        if n < needed.smallest:
            warnings.append(_("%(n)s judges are fewer than are needed.") % {"n": whole(n).text})
        tables, folded = printed_tables(alpha, beta, pd, n)
        return Answer(
            lead,
            [*sentences, _orders(n)],
            warnings,
            [self._curve(needed, n, power, similarity=similarity)],
            tables,
            folded,
            self.assumptions(),
            _(
                "Exact binomial tests; people who cannot tell are right one time in three. ISO 4120:2021; "
                "González Corbelle et al. 2020."
            ),
        )

    def _difference(self, needed: Judges, n: int, power: float) -> tuple[str, list[str]]:
        values = self.cleaned_data
        words = {"n": whole(needed.smallest).text, "pd": share(values["pd"]), "power": exactly(1 - values["beta"])}
        lead = _(
            "%(n)s judges show a difference with a probability of at least %(power)s if %(pd)s of people can tell."
        )
        least = int(least_correct(n, values["alpha"]))
        figures = {
            "n": whole(n).text,
            "least": whole(least).text,
            "alpha": plain(values["alpha"]),
            "power": power_words(power, 1 - values["beta"]),
        }
        sentence = (
            _("With %(n)s judges at least %(least)s must be right (alpha %(alpha)s); the power is %(power)s.")
            if least <= n
            else _("%(n)s judges can show nothing: even if all are right, guessing would explain it.")
        )
        return lead % words, [sentence % figures, _stable(needed)]

    def _similarity(self, needed: Judges, n: int, power: float) -> tuple[str, list[str]]:
        values = self.cleaned_data
        words = {"n": whole(needed.smallest).text, "pd": share(values["pd"]), "power": exactly(1 - values["alpha"])}
        lead = _(
            "%(n)s judges show that fewer than %(pd)s of people can tell, with a probability of at least %(power)s if "
            "nobody can."
        )
        most = int(most_correct(n, values["beta"], values["pd"]))
        figures = {
            "n": whole(n).text,
            "most": whole(most).text,
            "beta": plain(values["beta"]),
            "power": power_words(power, 1 - values["alpha"]),
        }
        sentence = (
            _(
                "With %(n)s judges at most %(most)s may be right (beta %(beta)s); if nobody can tell, that comes out "
                "with a probability of %(power)s."
            )
            if most >= 0
            else _("%(n)s judges cannot show similarity, however few are right.")
        )
        return lead % words, [sentence % figures, _stable(needed)]

    def _curve(self, needed: Judges, n: int, power: float, *, similarity: bool) -> Curve:
        values = self.cleaned_data
        alpha, beta, pd = values["alpha"], values["beta"], values["pd"]
        first = max(1, min(needed.smallest // 2, n - 5))
        last = max(needed.stable, n) + max(10, needed.stable // 4)
        judges = np.arange(first, last + 1, ceil((last - first) / MOST_POINTS) or 1)
        powers = _power(judges.tolist(), alpha, beta, pd, similarity=similarity)
        target = 1 - (alpha if similarity else beta)
        return Curve(
            title=_("Power by number of judges: it rises and falls, since right choices are whole numbers"),
            across=_("Judges"),
            points=list(zip(judges.tolist(), powers, strict=True)),
            bottom=floor(min(0.9, *powers) * 10) / 10,
            limit=(target, _("planned")),
            mark=(n, power, _("%(n)s judges: %(power)s") % {"n": whole(n).text, "power": power_words(power, target)}),
        )


def _power(judges: Sequence[int], alpha: float, beta: float, pd: float, *, similarity: bool) -> list[float]:
    n = np.array(judges)
    powers = power_of_similarity(n, beta=beta, pd=pd) if similarity else power_of_difference(n, alpha=alpha, pd=pd)
    return [float(power) for power in powers]


def _stable(needed: Judges) -> str:
    if needed.stable == needed.smallest:
        return _("More judges are always enough as well.")
    return _(
        "With a few more the power can be below the plan again; from %(n)s judges on it never is. Count the power for "
        "the judges that you really get."
    ) % {"n": whole(needed.stable).text}


def _orders(n: int) -> str:
    """Return a sentence on how often each of the six orders is shown."""
    counts = judges_each(n).tolist()
    most, least = max(counts), min(counts)
    if most == least:
        times = ngettext("Each of the six orders is shown once.", "Each of the six orders is shown %(n)s times.", most)
        return times % {"n": whole(most).text}
    return _("Of the six orders, %(many)s are shown %(most)s times each, the others %(least)s times each.") % {
        "many": counts.count(most), "most": whole(most).text, "least": whole(least).text,
    }  # fmt: skip


# The three tables, computed, with the reader's own case ---------------------------------------------------


def printed_tables(alpha: float, beta: float, pd: float, n: int) -> tuple[list[Table], list[Table]]:
    """Return the table of judges for the reader's share, and the others."""
    shares = sorted({*SHARES, pd}, reverse=True)
    alphas, betas = sorted({*RISKS, alpha}, reverse=True), sorted({*RISKS, beta}, reverse=True)
    own = _judges(pd, alphas, betas, (alpha, beta))
    other_judges = [_judges(pd_listed, alphas, betas, None) for pd_listed in shares if pd_listed != pd]
    return [own], [*other_judges, _least(n, alphas, alpha), *_most(n, betas, shares, beta, pd)]


def _judges(pd: float, alphas: Sequence[float], betas: Sequence[float], own: tuple[float, float] | None) -> Table:
    rows = [
        [
            Cell(plain(alpha), alpha),
            *(
                _marked(judges_needed(alpha=alpha, beta=beta, pd=pd).smallest, marked=own == (alpha, beta))
                for beta in betas
            ),
        ]
        for alpha in alphas
    ]
    heads = [Column(_("Alpha"), number=False), *(Column(_("beta %(beta)s") % {"beta": plain(beta)}) for beta in betas)]
    return Table(_("Judges needed if %(pd)s can tell (table 1)") % {"pd": share(pd)}, heads, rows, _yours(own))


def _least(n: int, alphas: Sequence[float], alpha: float) -> Table:
    judges = np.array(sorted({*FEW, n}))
    columns = [least_correct(judges, level) for level in alphas]
    rows = [
        [
            _marked(int(size), marked=size == n),
            *(
                _marked(int(column[i]) if column[i] <= size else None, marked=(size, level) == (n, alpha))
                for column, level in zip(columns, alphas, strict=True)
            ),
        ]
        for i, size in enumerate(judges.tolist())
    ]
    heads = [
        Column(_("Judges"), number=False),
        *(Column(_("alpha %(alpha)s") % {"alpha": plain(level)}) for level in alphas),
    ]
    return Table(_("Fewest right choices that show a difference (table 2)"), heads, rows, _yours((n, alpha)))


def _most(n: int, betas: Sequence[float], shares: Sequence[float], beta: float, pd: float) -> list[Table]:
    """Return a table for each number of judges."""
    return [
        Table(
            _("Most right choices of %(n)s that show similarity (table 3)") % {"n": whole(size).text},
            [Column(_("Beta"), number=False), *(Column(share(allowed)) for allowed in reversed(shares))],
            [
                [
                    Cell(plain(risk), risk),
                    *(
                        _marked(
                            correct if (correct := int(most_correct(size, risk, allowed))) >= 0 else None,
                            marked=(size, risk, allowed) == (n, beta, pd),
                        )
                        for allowed in reversed(shares)
                    ),
                ]
                for risk in betas
            ],
            _yours((beta, pd) if size == n else None),
        )
        for size in sorted({*SOME, n})
    ]


def _marked(value: int | None, *, marked: bool) -> Cell:
    cell = whole(value)
    return Cell(cell.text, cell.sort, strong=marked)


def _yours(own: object) -> list[str]:
    return [_("Your case is bold.")] if own else []
