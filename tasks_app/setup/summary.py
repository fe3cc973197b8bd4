"""The working of a study with its present settings, in plain words: each line with the setting that decides it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app import designs, task_types
from tasks_app.hooks.sections import Json, Path
from tasks_app.models import Setup, Task
from tasks_app.readiness import Facts, limits
from tasks_app.selectors.routing import ON_REQUEST
from tasks_app.settings.checks import OnFailing, checks_of
from tasks_app.setup.changes import KNOWN_ANSWERS
from tasks_app.setup.entries import task_called
from tasks_app.setup.facts import facts_of
from tasks_app.setup.numbers import Numbers, checked_reading, numbers_of
from tasks_app.studyfile.identical import keeps_identical
from tasks_app.studyfile.reading import StudyReading
from tasks_app.studyfile.screens import draft_tasks
from tasks_app.studyfile.workload import workload_of


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence about the working of the study, and the path of the setting that decides it."""

    sentence: str
    path: Path


# Returns what other apps add: what follows from their own sections.
Adds = Callable[[Facts], Iterator[Line]]

_added: list[Adds] = []


def register(adds: Adds) -> None:
    """Have lines added behind those of the tasks; the same function twice is one."""
    if adds not in _added:
        _added.append(adds)


def summary_of(setup: Setup) -> list[Line]:
    """Return the course of the study in sentences, in the order in which raters meet it."""
    reading, scale = checked_reading(setup)
    numbers = numbers_of(reading, scale)
    main = [
        (number, task)
        for number, task in enumerate(reading.document["tasks"])
        if task["stage"] == Task.Stage.MAIN and task["design"] not in ON_REQUEST
    ]
    has_known = setup.rows.filter(table=KNOWN_ANSWERS).exists()
    facts = None if reading.problems.count else facts_of(setup, reading)
    lines: list[Line] = []
    for number, task in main:
        name = "" if len(main) == 1 else f"{task_called(task, number + 1)}: "
        if not _shows_texts(task):
            lines.append(Line(name + _answered_by(task["k"]), ("tasks", number, "k")))
            continue
        lines += [
            Line(name + line.sentence, line.path)
            for line in (
                *_of_task(reading, number, task),
                *_wordings(reading, task),
                *_checks_met(task, ("tasks", number, "checks"), facts),
                _checks(task, ("tasks", number, "checks"), facts, has_known=has_known),
            )
        ]
    added = [line for adds in _added for line in adds(facts)] if facts is not None else []
    return [
        *_of_numbers(reading, numbers),
        *lines,
        *added,
        *_of_flow(reading.document["flow"], [task for _number, task in main]),
    ]


def _shows_texts(task: Mapping[str, Json]) -> bool:
    """Return whether raters judge texts in a task, as they do not in a questionnaire."""
    return task["type"] not in task_types.registry or task_types.registry[task["type"]].needs_items


def _answered_by(n: int) -> str:
    return ngettext("%(n)s rater answers it.", "%(n)s raters answer it.", n) % {"n": formats.number_format(n)}


def _of_numbers(reading: StudyReading, numbers: Numbers | None) -> Iterator[Line]:
    """Yield raters, time and pay, and how much one rater does."""
    if numbers is None:
        return
    minutes = formats.number_format(round(numbers.minutes)) if numbers.minutes else ""
    words: dict[str, object] = {
        "raters": ngettext("%(n)s rater", "%(n)s raters", numbers.raters)
        % {"n": formats.number_format(numbers.raters, force_grouping=True)},
        "minutes": ngettext("%(n)s minute", "%(n)s minutes", round(numbers.minutes or 0)) % {"n": minutes},
        "currency": numbers.currency,
    }
    sets = reading.document["flow"]["sets_per_rater"] or 1
    if numbers.cost is not None and minutes:
        words |= {"pay": _money(reading.document["pay"]["amount"]), "cost": _money(numbers.cost), "sets": sets}
        sentence = (
            _("%(raters)s, %(minutes)s and %(pay)s %(currency)s each: %(cost)s %(currency)s in all.")
            if sets == 1
            else _(
                "%(raters)s if each does %(sets)s sets, %(minutes)s and %(pay)s %(currency)s per set: %(cost)s "
                "%(currency)s in all."
            )
        )
        yield Line(sentence % words, ("pay", "amount"))
    elif minutes:
        without_pay = (
            _("%(raters)s, %(minutes)s each, without pay.")
            if sets == 1
            else _("%(raters)s if each does %(sets)s sets, %(minutes)s per set, without pay.")
        )
        yield Line(without_pay % {**words, "sets": sets}, ("pay", "amount"))
    else:
        yield Line(_("%(raters)s.") % words, ("tasks", 0, "set_size"))
    load = workload_of(reading, draft_tasks(reading))
    if load is not None:
        sentence = (
            ngettext("About %(n)s screen per rater.", "About %(n)s screens per rater.", load.screens)
            if sets == 1
            else ngettext("About %(n)s screen per set.", "About %(n)s screens per set.", load.screens)
        )
        yield Line(sentence % {"n": formats.number_format(load.screens)}, ("tasks", 0, "set_size"))


def _money(amount: object) -> str:
    return formats.number_format(str(amount), 2, force_grouping=True)


def _wordings(reading: StudyReading, task: Mapping[str, Json]) -> Iterator[Line]:
    """Yield the questions of a task that raters read in different wordings."""
    for place, row in enumerate(reading.document["criteria"]):
        if row["key"] in task["criteria"] and row.get("wordings"):
            sentence = _("Each rater reads “%(name)s” in one of %(n)d wordings, drawn at random.")
            words = {"name": row["name"], "n": len(row["wordings"]) + 1}
            yield Line(sentence % words, ("criteria", place, "wordings"))


def _of_task(reading: StudyReading, number: int, task: Mapping[str, Json]) -> Iterator[Line]:
    """Yield the number of judgments of each text, and the order of the texts."""
    path: Path = ("tasks", number)
    sentence = ngettext("%(n)s rater per text", "%(n)s raters per text", task["k"]) % {"n": task["k"]}
    if task["k_more"] and task["k_more_share"]:
        more = _("%(n)s for %(share)s %% of them") % {
            "n": task["k_more"],
            "share": formats.number_format(round(100 * float(task["k_more_share"]), 1)),
        }
        sentence = f"{sentence}, {more}"
    yield Line(f"{sentence}.", (*path, "k"))
    design = designs.registry.get(str(task["design"]))
    if design is not None:
        yield Line(
            _("Texts are given to raters by the design “%(design)s”.") % {"design": design.label}, (*path, "design")
        )
    if identical := reading.counts.get("identical"):
        compares = task_types.registry[str(task["type"])].side_by_side
        words = _identical(identical, keeps=keeps_identical(task), compares=compares)
        yield Line(words, (*path, "keep_identical"))
    if len(task["criteria"]) > 1:
        modes = {
            "together": _("All questions about a text are asked on one screen."),
            "page": _("Questions about a text are asked one after the other."),
            "block": _("Raters judge all texts on one question before they go on to the next."),
            "rater": _("Each rater is asked one of the questions."),
        }
        if (mode := str(task["criteria_mode"])) in modes:
            yield Line(modes[mode], (*path, "criteria_mode"))


def _identical(n: int, *, keeps: bool, compares: bool) -> str:
    if compares and not keeps:
        sentence = ngettext(
            "%(n)s text is identical to another of its item: these two are not compared with each other.",
            "%(n)s texts are identical to another of their item: these are not compared with each other.",
            n,
        )
    elif keeps:
        sentence = ngettext(
            "%(n)s text is identical to another and rated by itself.",
            "%(n)s texts are identical to another and rated by themselves.",
            n,
        )
    else:
        sentence = ngettext(
            "%(n)s text is identical to another: they are shown once and share the rating.",
            "%(n)s texts are identical to another: they are shown once and share the rating.",
            n,
        )
    return sentence % {"n": formats.number_format(n)}


def _checks_met(task: Mapping[str, Json], path: Path, facts: Facts | None) -> Iterator[Line]:
    """Yield the number of checks of each kind that a rater meets in a task; nothing where there are none."""
    if facts is None:
        return
    settings, sets = checks_of(task["checks"]), int(facts.section("flow").get("sets_per_rater") or 1)
    kinds = [
        ("attention", settings.attention_among(facts.counts(task, "attention")),
         _("%(n)s attention check"), _("%(n)s attention checks")),
        ("controls", settings.controls_among(task["set_size"], facts.counts(task, "control")),
         _("%(n)s screen with a known answer"), _("%(n)s screens with a known answer")),
        ("degraded", settings.degraded, _("%(n)s degraded copy"), _("%(n)s degraded copies")),
        ("repeats", settings.repeats, _("%(n)s screen that is shown twice"), _("%(n)s screens that are shown twice")),
    ]  # fmt: skip
    for name, n, single, several in kinds:
        if n:
            kind = (single if sets * n == 1 else several) % {"n": sets * n}
            yield Line(_("Each rater is shown %(checks)s.") % {"checks": kind}, (*path, name))


def _checks(task: Mapping[str, Json], path: Path, facts: Facts | None, *, has_known: bool) -> Line:
    """Return the consequences for raters who fail checks while the study is open, or that there are no checks.

    `has_known` says that the study has known answers; with `facts` those of the task alone count. Without `facts`
    nothing is said about a limit out of reach.
    """
    checks = task["checks"] or {}
    # Of a study that can be checked the known answers of each task are counted.
    own = has_known if facts is None else any(facts.known.get(str(task["key"]), {}).values())
    if not (own or checks.get("repeats") or checks.get("degraded")):
        return Line(_("Nothing checks whether raters read the texts."), (*path, "repeats"))
    settings = checks_of(checks)
    known = {purpose: facts.counts(task, purpose) for purpose in ("control", "attention")} if facts else {}
    sets = int(facts.section("flow").get("sets_per_rater") or 1) if facts else 1
    if 0 < (n := sets * settings.watched_among(task["set_size"], known)) < settings.limit_after:
        sentence = ngettext(
            "Raters who fail checks go on: each is shown %(n)s check, and the limit applies only from %(least)s on.",
            "Raters who fail checks go on: each is shown %(n)s checks, and the limit applies only from %(least)s on.",
            n,
        )
        return Line(sentence % {"n": n, "least": settings.limit_after}, (*path, "fail_after"))
    sentences: dict[str, str] = {
        OnFailing.WARN: _("Raters who fail too many checks are warned."),
        OnFailing.END: _("The study ends for raters who fail too many checks."),
        OnFailing.STOP: _("Raters who fail too many checks get no further sets."),
    }
    default = _("Raters who fail too many checks go on, and are marked for you.")
    return Line(sentences.get(str(checks.get("on_failing")), default), (*path, "on_failing"))


def _of_flow(flow: Mapping[str, Json], main: Sequence[Mapping[str, Json]]) -> Iterator[Line]:
    """Yield the choices that raters have; without a text to skip, nothing is said about skipping."""
    if not main or any(map(_shows_texts, main)):
        skip = _("Raters may skip a text.") if flow["allow_skip"] else _("Raters cannot skip a text.")
        yield Line(skip, ("flow", "allow_skip"))
    back = _("Raters may go back and change an answer.") if flow["allow_back"] else _("Raters cannot go back.")
    yield Line(back, ("flow", "allow_back"))
    if flow["show_comparison"]:
        sentence = _("Once the study is closed, raters see how their answers compare with those of others.")
        yield Line(sentence, ("flow", "show_comparison"))
    sets = flow["sets_per_rater"] or 1
    sentence = ngettext("A rater does %(n)s set at most.", "A rater does %(n)s sets at most.", sets) % {"n": sets}
    yield Line(sentence, ("flow", "sets_per_rater"))
    if limit := flow["texts_per_rater"]:
        sentence = ngettext("A rater judges %(n)s text at most.", "A rater judges %(n)s texts at most.", limit)
        yield Line(sentence % {"n": formats.number_format(limit)}, limits.PATH)
