"""The standing of a run in words: planned or exploratory, and the facts to know before relying on it."""

from collections.abc import Callable, Mapping
from functools import cache, partial

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app import plan as plans
from analytics_app.models import Plan, Run
from analytics_app.ratings import WITHDRAWN
from analytics_app.selectors.runs import mark_of
from analytics_app.show import cells
from analytics_app.views.run_words import differences
from tasks_app.models import Study

# Withdrawn texts of a run that are named.
MOST_TEXTS = 10


def standing(run: Run, study: Study, tasks: Mapping[str, str] | None = None) -> str:
    """Return sentences about a run: whether it is planned, why it is exploratory, and earlier looks at results.

    `tasks` are the titles of the study's tasks by key, if a page has read them already.
    """
    frozen = cache(partial(plans.frozen_plan, study))
    sentences = (
        _kind(run, study, frozen),
        _extended(run, frozen),
        _reopened(run),
        _withdrawn(run),
        uncorrected(run, study, tasks),
    )
    return " ".join(filter(None, sentences))


def provenance(run: Run, study: Study, tasks: Mapping[str, str] | None = None) -> str:
    """Return the standing of a run for the caption of a picture, so that it goes with the picture.

    `tasks` are the titles of the study's tasks by key, if a page has read them already.
    """
    if run.planned:
        sentence = _("Planned, run %(n)s.")
    elif never_opened(study):
        sentence = _("Exploratory, run %(n)s: the ratings existed before the plan.")
    elif _planned_before(run):
        sentence = _("Exploratory, run %(n)s: run %(earlier)s was the planned one.")
    else:
        sentence = _("Exploratory, run %(n)s.")
    origin = sentence % {"n": run.number, "earlier": _planned_before(run)}
    return " ".join(filter(None, (origin, _reopened(run), uncorrected(run, study, tasks))))


def _extended(run: Run, frozen: Callable[[], Plan | None]) -> str:
    """Return how a run treats judgments at places added while the study was open; "" if there are none."""
    counts = run.facts.get("extension", {})
    sentences = []
    if counted := counts.get("counted"):
        sentence = (
            ngettext(
                "It counts %(n)s judgment at a place that was added while the study was open, as the plan declared.",
                "It counts %(n)s judgments at places that were added while the study was open, as the plan declared.",
                counted,
            )
            if _is_declared(run, frozen())
            else ngettext(
                "It counts %(n)s judgment at a place that was added while the study was open, which the plan did not "
                "declare.",
                "It counts %(n)s judgments at places that were added while the study was open, which the plan did not "
                "declare.",
                counted,
            )
        )
        sentences.append(sentence % {"n": cells.whole(counted).text})
    if left := counts.get("left"):
        sentence = ngettext(
            "%(n)s judgment at a place that was added while the study was open is left out; an exploratory run can "
            "count it.",
            "%(n)s judgments at places that were added while the study was open are left out; an exploratory run can "
            "count them.",
            left,
        )
        sentences.append(sentence % {"n": cells.whole(left).text})
    return " ".join(sentences)


def _is_declared(run: Run, frozen: Plan | None) -> bool:
    """Return whether the plan that was frozen at opening allows the judgments per unit that a run counts."""
    declared = (frozen.document if frozen is not None else {}).get("most_judgments") or 0
    return (run.settings.get("most_judgments") or 0) <= int(declared)


def _withdrawn(run: Run) -> str:
    """Return which texts a run leaves out, since they were withdrawn while the study was open; "" if there are none."""
    texts = run.facts.get(WITHDRAWN, {}).get("texts", ())
    if not texts:
        return ""
    listed = [_("“%(item)s”") if text["whole"] else _("one output of “%(item)s”") for text in texts]
    named = [words % {"item": text["item"]} for words, text in zip(listed, texts, strict=True)]
    more = ngettext(" and %(n)d more", " and %(n)d more", len(named) - MOST_TEXTS) % {"n": len(named) - MOST_TEXTS}
    shown = ", ".join(named[:MOST_TEXTS]) + (more if len(named) > MOST_TEXTS else "")
    return _("Judgments of texts that were withdrawn while the study was open are left out: %(texts)s.") % {
        "texts": shown
    }


def uncorrected(run: Run, study: Study, tasks: Mapping[str, str] | None = None) -> str:
    """Return a sentence about tasks with numbers from before a correction; "" if there are none."""
    if not run.uncorrected_tasks:
        return ""
    sentence = _(
        "Computed before a correction: in %(tasks)s, a pair of texts could count as two texts in agreement and in "
        "counts. A new run has the corrected figures."
    )
    titles = {task.key: str(task) for task in study.tasks.all()} if tasks is None else tasks
    return sentence % {"tasks": ", ".join(f"“{titles.get(key) or key}”" for key in run.uncorrected_tasks)}


def _kind(run: Run, study: Study, frozen: Callable[[], Plan | None]) -> str:
    if run.planned:
        return _("Planned: rules, primary criterion, comparisons and correction were frozen before the first judgment.")
    if never_opened(study):
        return _("Exploratory: the ratings existed before the plan.")
    if earlier := _planned_before(run):
        mark = mark_of(study, earlier)
        if "planned_by_hand" in run.facts:
            sentence = _(
                "Exploratory. Run %(n)s was the planned one; exclusions by hand or withdrawn texts changed after it."
            )
        elif mark is not None and mark >= run.high_water:
            sentence = _("Exploratory. Run %(n)s was the planned one; this run was started later.")
        else:
            sentence = _("Exploratory. Run %(n)s was the planned one; this run has ratings that came later.")
        return sentence % {"n": earlier}
    return _unlike_the_plan(run, frozen())


def _unlike_the_plan(run: Run, frozen: Plan | None) -> str:
    if frozen is None:
        return _("Exploratory: this study has no plan that was frozen at opening.")
    if run.plan_id is not None:
        return _("Exploratory: an interim look, computed by the plan before the study was closed.")
    changed = differences(run.settings, frozen.document)
    if not changed:
        return _("Exploratory: it does not follow the plan that was frozen at opening.")
    return _("Exploratory: it differs from the plan in %(what)s.") % {"what": ", ".join(changed)}


def never_opened(study: Study) -> bool:
    """Return whether the study was never opened and has imported ratings, so that no plan preceded the ratings."""
    return study.is_frozen and study.opened_at is None


def _planned_before(run: Run) -> int | None:
    """Return the number of the planned run, if its existence alone makes this run exploratory."""
    return run.facts.get("planned_before") if run.plan_id is not None and not run.planned else None


def _reopened(run: Run) -> str:
    times = run.facts.get("reopened") or 0
    if not times:
        return ""
    sentence = ngettext(
        "The study was opened again after results had been seen (%(n)s time).",
        "The study was opened again after results had been seen (%(n)s times).",
        times,
    )
    return sentence % {"n": times}
