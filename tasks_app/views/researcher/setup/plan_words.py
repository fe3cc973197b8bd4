"""A plan in words: raters, time, pay, and the order and groups of tasks."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tasks_app.designs.filling import Sets
from tasks_app.models import Study, Task
from tasks_app.selectors.durations import measured
from tasks_app.services.plan import capacity
from tasks_app.services.plan.capacity import Takers
from tasks_app.services.plan.reports import Report
from tasks_app.settings.checks import checks_of
from tasks_app.studyfile.workload import crowded_note
from tasks_app.views.rater.pages import minutes_in_words, money

# Stated minutes that are off by this factor are worth a second look.
FAR = 1.5

# What a set holds, in the order in which a rater meets it.
CONTENTS = {
    "training": gettext_lazy("Training, with feedback"),
    "exam": gettext_lazy("Exam"),
    "warm_up": gettext_lazy("Warm-up, left out of results"),
    "units": gettext_lazy("Units that count"),
    "controls": gettext_lazy("Controls with a known answer"),
    "attention": gettext_lazy("Attention checks"),
    "repeats": gettext_lazy("Repeats"),
    "degraded": gettext_lazy("Degraded copies"),
}


def span(least: int, most: int) -> str:
    """Return a range in words: 16-20 with a dash between, or its only number."""
    ends = [formats.number_format(n) for n in dict.fromkeys((least, most))]
    return "–".join(ends)


def rows_of_set(report: Report) -> list[tuple[str, str, str]]:
    """Return the rows of a set: name, number for one rater and number for all together; screens are the last row."""
    contents = [(name, label) for name, label in CONTENTS.items() if report.in_sets.get(name, (0, 0, 0))[1]]
    rows = [(str(label), *_amounts(report, name)) for name, label in contents]
    return [*rows, (_("Screens"), *_amounts(report, "screens"))] if rows else []


def too_few(report: Report) -> list[str]:
    """Describe the gaps of sets compared with the study file: too few known answers, items or places."""
    settings = vars(checks_of(report.task.checks))
    return [
        _("%(what)s: %(found)s of %(asked)s.") % {"what": label, "found": span(least, most), "asked": n_asked}
        for name, label in CONTENTS.items()
        if (n_asked := settings.get(name)) and name in report.in_sets
        for least, most, _total in [report.in_sets[name]]
        if least < n_asked
    ]


def _amounts(report: Report, name: str) -> tuple[str, str]:
    least, most, total = report.in_sets[name]
    return span(least, most), "" if report.is_partial else formats.number_format(total)


def sets_of(report: Report, groups: Mapping[int, tuple[int, ...]], first: int | None = None) -> Sets:
    """Describe the sets of a task; with `first`, on average over so many only."""
    size = report.mean_size(first or report.booklets)
    return Sets(report.task.pk, report.booklets, report.full_size, size, groups.get(report.task.pk, ()))


def sentences(report: Report, study: Study, *, alone: bool) -> list[str]:
    """Describe how many judgments a task needs; where it is the only task, its raters, time and cost come first."""
    if not report.places:
        return []
    judgments = ngettext("%(n)s judgment", "%(n)s judgments", report.places)
    words = {
        "judgments": judgments % {"n": formats.number_format(report.places)},
        "each": _each(report, study),
        "raters": _by_raters(report.booklets),
    }
    if alone:
        return [_raters_and_cost(report, study), _("%(judgments)s: %(each)s.") % words]
    return [_("%(judgments)s %(raters)s: %(each)s.") % words]


def _raters_and_cost(report: Report, study: Study) -> str:
    """Describe the number of raters of the only task, their time and pay, and the total."""
    n = report.booklets
    raters = ngettext("%(n)s rater", "%(n)s raters", n) % {"n": formats.number_format(n)}
    words = {"raters": raters, "minutes": _minutes(study)}
    if not study.options.amount:
        return _("%(raters)s, %(minutes)s each, without pay.") % words
    pay = _pay([report], study)
    words |= {name: money(amount, study.options.currency) for name, amount in pay.items()}
    if pay["in_all"] < n * pay["each"]:
        return _("%(raters)s, %(minutes)s and up to %(each)s each: %(in_all)s.") % words
    return _("%(raters)s, %(minutes)s and %(each)s each: %(in_all)s.") % words


def _by_raters(n: int) -> str:
    return ngettext("by %(n)s rater", "by %(n)s raters", n) % {"n": formats.number_format(n)}


def _each(report: Report, study: Study) -> str:
    """Describe the load of one rater: screens with texts and answers, or units where these were not counted."""
    load = study.options.workload
    counted = load.tasks.get(report.task.key) if load else None
    if counted is None:
        return _units_each(report)
    least, most, _total = report.in_sets.get("screens", (counted.screens, counted.screens, 0))
    texts, answers = counted.times((least + most) / 2)
    words = {"screens": span(least, most), "texts": formats.number_format(texts)}
    words["answers"] = formats.number_format(answers)
    return _("%(screens)s screens each, with about %(texts)s texts and %(answers)s answers in all") % words


def _units_each(report: Report) -> str:
    if report.balance is None or report.least_size == report.most_size:
        n = report.most_size or report.task.set_size
        return ngettext("%(n)s unit each", "%(n)s units each", n) % {"n": n}
    return _("%(least)s to %(most)s units each") % {"least": report.least_size, "most": report.most_size}


def costs(reports: Sequence[Report], study: Study) -> list[str]:
    """Describe time and pay of a rater with one set of each task, and the total pay; short sets are paid less."""
    words = [_minutes(study)]
    if not study.options.amount:
        return [*words, _("without pay")]
    pay = {name: money(amount, study.options.currency) for name, amount in _pay(reports, study).items()}
    return [*words, _("%(pay)s each") % {"pay": pay["each"]}, _("%(pay)s in all") % {"pay": pay["in_all"]}]


def _pay(reports: Sequence[Report], study: Study) -> dict[str, Decimal]:
    """Return the pay of a rater with one set of each task, and that of all raters together."""
    groups = capacity.groups_of_tasks(report.task for report in reports)
    takers = capacity.takers_of(study, [sets_of(report, groups) for report in reports])
    begun = [
        sets_of(report, groups, report.booklets - takers.sets_left_over.get(report.task.pk, 0))
        for report in reports
        if report.booklets
    ]
    amount = study.options.amount
    return {"each": amount, "in_all": capacity.paid_in_all(takers, begun, amount)}


def _minutes(study: Study) -> str:
    """Return the minutes of a set in words, and whether they are measured or estimated where nobody stated them."""
    options = study.options
    time = None if options.minutes is not None or not study.is_frozen else measured(study)
    if time and time.is_enough:
        return _("%(minutes)s (the median so far)") % {"minutes": minutes_in_words(time.minutes)}
    minutes = minutes_in_words(options.expected_minutes)
    if options.minutes is not None or options.workload is None:
        return minutes
    return _("%(minutes)s (estimated)") % {"minutes": minutes}


def time_note(study: Study) -> str:
    """Warn where the stated minutes are far from the estimate; else empty. The tab Pay shows measured times."""
    options, load = study.options, study.options.workload
    if options.minutes is None or load is None or load.minutes / FAR <= options.expected_minutes <= load.minutes * FAR:
        return ""
    words = {"stated": minutes_in_words(options.expected_minutes), "found": minutes_in_words(load.minutes)}
    return _("Raters are told %(stated)s; screens, texts and answers suggest %(found)s.") % words


def crowded(task: Task, study: Study) -> str:
    """Warn of screens that ask for too much at once; empty where none does."""
    load = study.options.workload
    counted = load.tasks.get(task.key) if load else None
    return crowded_note(str(task), counted) if counted and counted.is_crowded else ""


def in_all(reports: Sequence[Report], study: Study) -> list[str]:
    """Describe the total of several tasks, where every rater gets a set of each, and the raters in each group."""
    if any(report.refusal or not report.booklets for report in reports):
        return []
    groups = capacity.groups_of_tasks(report.task for report in reports)
    takers = capacity.takers_of(study, [sets_of(report, groups) for report in reports])
    sentences = [_sum(reports, study, takers)] if len(reports) > 1 else []
    if takers.groups:
        listed = ", ".join(f"{name}: {formats.number_format(n)}" for name, n in takers.groups)
        sentences.append(_("Raters in each group: %(groups)s.") % {"groups": listed})
    return sentences + list(_left_over(reports, takers))


def _sum(reports: Sequence[Report], study: Study, takers: Takers) -> str:
    judgments = sum(
        round(report.mean_size(sets) * sets)
        for report in reports
        if (sets := report.booklets - takers.sets_left_over.get(report.task.pk, 0))
    )
    first = ngettext("%(n)s judgment in all tasks", "%(n)s judgments in all tasks", judgments)
    each = (
        _("each with one set of every task of their group") if takers.groups else _("each with one set of every task")
    )
    return _("%(judgments)s %(raters)s, %(each)s: %(costs)s.") % {
        "judgments": first % {"n": formats.number_format(judgments)},
        "raters": _by_raters(takers.raters),
        "each": each,
        "costs": ", ".join(costs(reports, study)),
    }


def _left_over(reports: Sequence[Report], takers: Takers) -> Iterator[str]:
    """Yield warnings about sets that nobody will get: a study is full once one of a rater's tasks is full."""
    for report in reports:
        n_left = takers.sets_left_over.get(report.task.pk, 0)
        if n_left:
            sentence = ngettext(
                "%(left)s of the %(n)s sets of “%(task)s” is left over once the other tasks are full.",
                "%(left)s of the %(n)s sets of “%(task)s” are left over once the other tasks are full.",
                n_left,
            )
            sentence_of_task = sentence % {
                "left": formats.number_format(n_left),
                "n": formats.number_format(report.booklets),
                "task": report.task,
            }
            advice = _(
                "Change the units in a set, or the judgments of every unit, so that all tasks have sets for as many "
                "raters; Review has a button for it."
            )
            yield f"{sentence_of_task} {advice}"


def when(task: Task, groups: Sequence[str]) -> str:
    """Describe on which day a task opens and which groups get it; empty where all raters get it at once."""
    sentences = []
    opens, closes = task.opens_after_days or 0, task.closes_after_days
    if opens:
        sentences.append(
            ngettext("Opens %(n)s day after enrolment.", "Opens %(n)s days after enrolment.", opens) % {"n": opens}
        )
    if closes is not None:
        sentences.append(_("Closes at the end of day %(n)s after enrolment.") % {"n": closes})
    if groups:
        sentences.append(_("Only for: %(groups)s.") % {"groups": ", ".join(groups)})
    return " ".join(sentences)
