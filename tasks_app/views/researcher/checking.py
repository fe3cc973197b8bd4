"""The Checks page: training, exam and checks of a study, and how raters do. No system is shown."""

from collections.abc import Iterator
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app import access
from tasks_app.models import Gold, Study, Task
from tasks_app.selectors.check_results import CheckScore, TaskChecks, checks_of_study, consequences_of, repeats_of
from tasks_app.services import events
from tasks_app.settings.checks import CheckSettings, OnFailing, StopWhen
from tasks_app.views.downloads import csv_file
from tasks_app.views.researcher.frame import researcher_page, study_page
from tasks_app.views.researcher.parts import wants_changes

# Rows of a table on the page; its file has all of them.
ROWS_SHOWN = 100


@researcher_page("GET")
def checks(request: HttpRequest, slug: str) -> HttpResponse:
    """Settings in words, units with known answers, and how raters answered them.

    A script fetches the comparison of many repeats apart; without scripts, a link asks for the page with it.
    """
    key = request.GET.get("repeats")
    if key is not None and wants_changes(request):
        return _repeats(request, slug, key)
    return study_page(
        request, slug, "checks", lambda study: _context(study, compares=key is not None), role=access.GOLD_READER
    )


def _repeats(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Return the part of the page that compares the repeats of a task with their first answers."""
    study = access.study_for_researcher(request.user, slug, access.GOLD_READER)
    task = next((task for task in Task.objects.filter(study=study, until=None) if task.key == key), None)
    if task is None:
        raise Http404
    return render(
        request, "researcher/_checks_repeats.html", {"study": study, "task": task, "repeats": repeats_of(task)}
    )


def _context(study: Study, *, compares: bool) -> dict[str, Any]:
    """Return the checks of each task; `repeats` is None where they are to be compared after the page."""
    tasks = checks_of_study(study)
    return {
        "blocks": [
            {
                "about": task_checks,
                "rules": list(rules(task_checks)),
                "known": task_checks.known[:ROWS_SHOWN],
                "raters": task_checks.raters[:ROWS_SHOWN],
                "repeats": task_checks.repeats if compares or not task_checks.has_many_repeats else None,
            }
            for task_checks in tasks
        ],
        "rows_shown": ROWS_SHOWN,
        "consequences": consequences_of(study),
    }


def rules(about: TaskChecks) -> Iterator[str]:
    """Describe in sentences the checks that raters of a task go through."""
    if about.task.stage == Task.Stage.SCREENING:
        yield _(
            "Before anything else. Raters who give another answer than the known one are screened out, with part pay."
        )
        return
    yield from _before(about)
    yield from _among(about)
    if about.counts.get(Gold.Purpose.CONTROL) or about.counts.get(Gold.Purpose.ATTENTION) or about.copies:
        yield _failing(about.settings) if about.is_limited else _without_limit(about)
    yield from _limits(about.settings)


def _before(about: TaskChecks) -> Iterator[str]:
    """Return the checks before the units to judge."""
    counts, settings = about.counts, about.settings
    if n := min(counts.get(Gold.Purpose.TRAINING, 0), _or_all(settings.training)):
        yield ngettext("%(n)d training unit with feedback.", "%(n)d training units with feedback.", n) % {"n": n}
    if n := min(counts.get(Gold.Purpose.EXAM, 0), _or_all(settings.exam)):
        sentence = ngettext(
            "An exam of %(n)d unit without feedback: %(share)s must be right, in at most %(attempts)d attempts.",
            "An exam of %(n)d units without feedback: %(share)s must be right, in at most %(attempts)d attempts.",
            n,
        )
        yield sentence % {"n": n, "share": percent(settings.exam_pass), "attempts": settings.exam_attempts}
    if n := settings.warm_up:
        sentence = ngettext("%(n)d warm-up unit that is in no result.", "%(n)d warm-up units that are in no result.", n)
        yield sentence % {"n": n}


def _or_all(number: int | None) -> float:
    return float("inf") if number is None else number


def _among(about: TaskChecks) -> Iterator[str]:
    """Return the checks among the units to judge, as far as there are units with known answers."""
    settings, counts = about.settings, about.counts
    controls = settings.controls_among(about.task.set_size, counts.get(Gold.Purpose.CONTROL, 0))
    attention = settings.attention_among(counts.get(Gold.Purpose.ATTENTION, 0))
    for n, sentence, many in (
        (controls, _("%(n)d control unit in a set."), _("%(n)d control units in a set.")),
        (attention, _("%(n)d attention check in a set."), _("%(n)d attention checks in a set.")),
        (settings.repeats, _("%(n)d unit of a set is shown twice."), _("%(n)d units of a set are shown twice.")),
        (settings.degraded, _("%(n)d degraded copy in a set."), _("%(n)d degraded copies in a set.")),
    ):
        if n:
            yield (sentence if n == 1 else many) % {"n": n}


def _failing(settings: CheckSettings) -> str:
    """Return the consequences of too few right answers."""
    n = settings.limit_after
    sentence = {
        OnFailing.MARK: ngettext(
            "From the first check on, raters below %(share)s right are marked here.",
            "Raters who have answered %(n)d checks, fewer than %(share)s of them right, are marked here.",
            n,
        ),
        OnFailing.WARN: ngettext(
            "From the first check on, raters below %(share)s right are told at the next break.",
            "Raters who have answered %(n)d checks, fewer than %(share)s of them right, are told at the next break.",
            n,
        ),
        OnFailing.STOP: ngettext(
            "From the first check on, raters below %(share)s right get no further sets.",
            "Raters with %(n)d checks answered and fewer than %(share)s of them right get no further sets.",
            n,
        ),
        OnFailing.END: ngettext(
            "From the first check on, the study ends with part pay for raters below %(share)s right.",
            "The study ends with part pay for raters with %(n)d checks answered, fewer than %(share)s of them right.",
            n,
        ),
    }[OnFailing(settings.on_failing)]
    return sentence % {"n": n, "share": percent(settings.fail_below)}


def _without_limit(about: TaskChecks) -> str:
    sentence = ngettext(
        "Each rater is shown %(n)d check. The limit on failed checks applies after %(least)d, so nobody is marked or "
        "stopped.",
        "Each rater is shown %(n)d checks. The limit on failed checks applies after %(least)d, so nobody is marked or "
        "stopped.",
        about.n_met,
    )
    return sentence % {"n": about.n_met, "least": about.settings.limit_after}


def _limits(settings: CheckSettings) -> Iterator[str]:
    """Return the consequences of answers that are too fast, and of too many skips."""
    now = settings.stop_when == StopWhen.NOW
    n = settings.stop_after
    if settings.fast_seconds is not None:
        sentence = (
            _("After %(n)d screens, raters with %(share)s of them under %(seconds)s seconds are stopped at once.")
            if now
            else _("After %(n)d screens, raters with %(share)s of them under %(seconds)s seconds get no further sets.")
        )
        seconds = formats.number_format(settings.fast_seconds)
        yield sentence % {"n": n, "share": percent(settings.fast_share), "seconds": seconds}
    if settings.skip_share is not None:
        sentence = (
            _("After %(n)d screens, raters who skipped %(share)s of them are stopped at once.")
            if now
            else _("After %(n)d screens, raters who skipped %(share)s of them get no further sets.")
        )
        yield sentence % {"n": n, "share": percent(settings.skip_share)}


def percent(share: float) -> str:
    """Write a share in the language of the page."""
    return f"{formats.number_format(round(100 * share, 1), 0 if round(1000 * share) % 10 == 0 else 1)}\u00a0%"


@researcher_page("GET")
def table(request: HttpRequest, slug: str, table: str) -> HttpResponse:
    """Send a table of the page as a file: units, or raters. It names no system."""
    study = access.study_for_researcher(request.user, slug, access.GOLD_READER)
    if table not in _TABLES:
        raise Http404
    events.log(study, request.user, "exported", about=f"checks by {table}")
    head, lines = _TABLES[table]
    rows = [line for about in checks_of_study(study) for line in lines(about)]
    return csv_file(f"{study.slug}-checks-{table}.csv", [head, *rows])


def _units(about: TaskChecks) -> Iterator[list[object]]:
    for known in about.known:
        kinds, criteria = " ".join(known.kinds), " | ".join(filter(None, known.criteria))
        doubtful = "yes" if known.is_doubtful else ""
        yield [about.task.key, known.name, known.purpose, kinds, criteria, *_score(known.score), doubtful]


def _raters(about: TaskChecks) -> Iterator[list[object]]:
    for rater in about.raters:
        marked = "yes" if rater.is_marked else ""
        yield [
            about.task.key,
            rater.pseudonym,
            *_score(rater.controls),
            *_score(rater.attention),
            marked,
            rater.outcome,
        ]


def _score(score: CheckScore) -> list[object]:
    return [score.answered, score.right, "" if score.share is None else f"{score.share:.4f}"]


_TABLES = {
    "units": (["task", "unit", "purpose", "kind", "criterion", "answered", "right", "share", "doubtful"], _units),
    "raters": (
        ["task", "rater", "checks", "right", "share", "loud_checks", "loud_right", "loud_share", "marked", "outcome"],
        _raters,
    ),
}
