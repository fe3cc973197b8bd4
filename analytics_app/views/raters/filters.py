"""The states of raters in words, and the filters and orders of their list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from analytics_app.models import Exclusion
from analytics_app.selectors.carefulness import Carefulness
from tasks_app.models import Rater
from tasks_app.selectors.fieldwork.raters import Fieldwork, RaterWork, Standing
from tasks_app.services import contact

WORDS: dict[Standing, Promise] = {
    Standing.AT_WORK: _("at work"),
    Standing.WAITING: _("waiting for a later task"),
    Standing.AWAY: _("away"),
    Standing.FINISHED: _("finished"),
    Standing.LEFT: _("left"),
    Standing.SENT_AWAY: _("turned away"),
}


Picks = Callable[["Row"], bool]

LONGEST_NAME = 40

# Somebody who skips most of so many units does so on purpose.
ENOUGH_UNITS = 6


def is_fast(work: RaterWork, careful: Carefulness) -> bool:
    """Return whether the newest run found a person too fast; how long simulated raters take says nothing."""
    return work.rater.kind == Rater.Kind.REAL and work.rater.pseudonym in careful.fast


def is_uniform(work: RaterWork, careful: Carefulness) -> bool:
    """Return whether the newest run found that a rater gives one answer again and again, unlike the others."""
    return work.is_counted and work.rater.pseudonym in careful.uniform


def is_unlike(work: RaterWork, careful: Carefulness) -> bool:
    """Return whether the newest run found that a rater agrees with the others hardly more than chance does."""
    return work.is_counted and work.rater.pseudonym in careful.unlike


def is_turned(work: RaterWork, careful: Carefulness) -> bool:
    """Return whether the newest run found that a rater uses the scale the other way round than the others."""
    return work.is_counted and work.rater.pseudonym in careful.turned


def is_twin(work: RaterWork, careful: Carefulness) -> bool:
    """Return whether the newest run found that a rater gave the same answers as another one."""
    return work.is_counted and work.rater.pseudonym in careful.twins


def is_copier(work: RaterWork, careful: Carefulness) -> bool:
    """Return whether most long comments of a rater had been written before, by others or about other texts."""
    return work.is_counted and work.rater.pseudonym in careful.copied


def skips_most(work: RaterWork) -> bool:
    """Return whether a rater has skipped half or more of enough units."""
    return work.is_counted and work.judged >= ENOUGH_UNITS and work.skipped * 2 >= work.judged


def is_slow(work: RaterWork) -> bool:
    """Return whether a rater took many times as long as the others."""
    return work.is_slow


def failed_few_checks(work: RaterWork) -> bool:
    """Return whether a rater has finished and failed most checks, which were too few for the study's limit."""
    checks = work.controls
    has_failed = bool(checks.answered) and checks.right < checks.answered / 2
    return work.is_counted and has_failed and not work.below and work.standing == Standing.FINISHED


@dataclass(frozen=True, slots=True)
class Row:
    """One rater with the current exclusion by hand and by a rule of the newest run, if there are any.

    `careful` holds the findings of the newest run about all raters.
    """

    work: RaterWork
    exclusion: Exclusion | None
    careful: Carefulness = field(default_factory=Carefulness)
    by_rule: Exclusion | None = None

    @property
    def rater(self) -> Rater:
        """Return the rater."""
        return self.work.rater

    @property
    def standing(self) -> Promise | str:
        """Return the state or outcome of the rater in words."""
        if self.rater.is_metric:
            return _("automatic metric")
        if self.rater.outcome:
            return self.rater.get_outcome_display()
        if self.rater.kind == Rater.Kind.IMPORTED:
            return self.rater.get_kind_display()
        return _("paused") if contact.is_paused(self.rater) else WORDS[self.work.standing]


def _stands(standing: Standing) -> Picks:
    return lambda row: row.work.is_counted and row.work.standing == standing


# By the name in the address: the words of the chip, and the raters it picks. "All" leaves out sandbox raters.
CHIPS: Mapping[str, tuple[str | Promise, Picks]] = {
    "": (_("all"), lambda row: row.rater.kind != Rater.Kind.SANDBOX),
    **{str(standing): (words, _stands(standing)) for standing, words in WORDS.items()},
    "below": (_("below the limit on known answers"), lambda row: row.work.is_counted and row.work.below),
    "few_checks": (_("failed most of few checks"), lambda row: failed_few_checks(row.work)),
    "fast": (_("faster than anybody reads"), lambda row: is_fast(row.work, row.careful)),
    "slow": (_("much slower than the others"), lambda row: is_slow(row.work)),
    "uniform": (_("one answer again and again"), lambda row: is_uniform(row.work, row.careful)),
    "unlike": (_("unlike the others"), lambda row: is_unlike(row.work, row.careful)),
    "turned": (_("scale the other way round"), lambda row: is_turned(row.work, row.careful)),
    "twins": (_("same answers as another rater"), lambda row: is_twin(row.work, row.careful)),
    "copied": (_("copied comments"), lambda row: is_copier(row.work, row.careful)),
    "skips": (_("skipped most texts"), lambda row: skips_most(row.work)),
    "stopped": (
        _("stopped by a limit"),
        lambda row: row.work.is_counted and row.rater.outcome == Rater.Outcome.STOPPED,
    ),
    "paused": (_("paused"), lambda row: contact.is_paused(row.rater)),
    "excluded": (_("excluded"), lambda row: row.exclusion is not None),
    "imported": (_("imported"), lambda row: row.rater.kind == Rater.Kind.IMPORTED),
    "sandbox": (_("trying out"), lambda row: row.rater.kind == Rater.Kind.SANDBOX),
}

NONE_LAST = float("inf")


def _share(row: Row) -> float:
    share = row.work.controls.share
    return NONE_LAST if share is None else share


# By the name in the address: the words, the sort key, and whether the greatest comes first.
ORDERS: Mapping[str, tuple[str | Promise, Callable[[Row], float | str], bool]] = {
    "": (_("newest first"), lambda row: row.rater.pk, True),
    "seen": (_("last seen first"), lambda row: row.work.last_seen.timestamp(), True),
    "known": (_("fewest known answers right first"), _share, False),
    "minutes": (_("most minutes first"), lambda row: row.work.entry.minutes.paid, True),
    "name": (_("by pseudonym"), lambda row: row.rater.pseudonym, False),
}


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter: its words, the number of raters it picks, its address, and whether it is on."""

    words: str | Promise
    n: int
    query: str
    is_on: bool


@dataclass(frozen=True, slots=True)
class Filter:
    """The filter and order of the list; unknown names in the address are ignored."""

    show: str = ""
    words: str = ""
    order: str = ""

    @classmethod
    def of(cls, parameters: QueryDict) -> Filter:
        """Read the filter from an address."""
        show, order = parameters.get("show", ""), parameters.get("order", "")
        words = parameters.get("q", "").strip().replace("\0", "")[:LONGEST_NAME]
        return cls(show if show in CHIPS else "", words, order if order in ORDERS else "")

    def query(self, **other: str) -> str:
        """Return the filter as a query of an address, with some changes."""
        values = {"show": self.show, "q": self.words, "order": self.order, **other}
        return urlencode({name: value for name, value in values.items() if value})

    def pick(self, rows: Sequence[Row]) -> list[Row]:
        """Return the raters that the filter picks, in order."""
        _words, picks = CHIPS[self.show]
        _label, key, reverse = ORDERS[self.order]
        picked = [row for row in rows if picks(row) and self.words.lower() in row.rater.pseudonym.lower()]
        return sorted(picked, key=key, reverse=reverse)

    def chips(self, rows: Sequence[Row]) -> list[Chip]:
        """Return the filters that pick any raters, and the active filter."""
        counted = ((name, words, sum(map(picks, rows))) for name, (words, picks) in CHIPS.items())
        return [
            Chip(words, n, self.query(show=name), is_on=name == self.show)
            for name, words, n in counted
            if n or name in {"", self.show}
        ]


def chips_of(fieldwork: Fieldwork, careful: Carefulness) -> list[Chip]:
    """Return the filters for a page without exclusions; none if the study has no raters."""
    rows = [Row(work, None, careful) for work in fieldwork.raters]
    return Filter().chips(rows) if any(map(CHIPS[""][1], rows)) else []
