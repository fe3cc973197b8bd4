"""The content of the results page of a run that is done, for members and for people with a link."""

from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from analytics_app.models import Run
from analytics_app.selectors.failing import failing_in
from analytics_app.selectors.sections import ResultNames
from analytics_app.views import run_sections, run_words, standing, words
from analytics_app.views.paper_sentence import paper_sentence
from analytics_app.views.summary import Summary, at_a_glance, index_of, summary_of, with_leading_figure, without_repeats
from tasks_app.models import Study
from tasks_app.selectors import demonstration
from tasks_app.selectors.progress import collected


def contents(
    study: Study, run: Run, names: ResultNames, section_key: str, *, systems: bool, raters: bool = True
) -> dict[str, Any]:
    """Return the context of `researcher/_run_found.html`, `_summary.html`, `_results_index.html` and `_run_head.html`.

    `section_key` names the section to show if a run has too many rows for all. Without `raters`, nothing is about a
    single rater.
    """
    simulated, n_raters = run_words.simulated(run)
    failing = failing_in(study, run.settings.get("rules", ()))
    page = _found(run, names, section_key, systems=systems, raters=raters)
    counts = collected(study)
    return page | {
        "saying": paper_sentence(study, run, page["summary"], counts),
        "plan_next": _plan_next(study, page["summary"]),
        "planted": demonstration.planted_in(study) if simulated else "",
        "standing": standing.standing(run, study, names.tasks),
        "uncorrected": standing.uncorrected(run, study, names.tasks),
        "provenance": standing.provenance(run, study, names.tasks),
        "settings": list(words.settings_in_words(run.settings, systems=systems or raters)),
        "sources": list(words.sources(run.settings)),
        "taken_over": run_words.taken_over(run),
        "simulated": run_words.simulated_in_words(simulated, n_raters),
        "raters": n_raters,
        "incomplete": run_words.incomplete(study, counts),
        "failing": failing.words if failing is not None else "",
        "shared_texts": run_words.shared_texts(run),
    }


def _plan_next(study: Study, summary: Summary) -> str:
    """Return the address of the planning page for a study like this one; "" if the run has nothing to plan from.

    It starts from the standard deviations of the newest run, for the criterion that the headline is about.
    """
    place = summary.leading
    if place is None or place.compared is None:
        return ""
    if place.has_components and place.compared.comparison.unit != "share":
        task, _apart, criterion = place.key.partition("--")
        values = {"study": study.slug, "pilot": f"{study.slug}/{task}/{criterion}/"}
        return f"{reverse('planning:plan_ahead', args=['means'])}?{urlencode(values)}"
    if place.compared.comparison.analysis == "pairwise":
        return f"{reverse('planning:plan_ahead', args=['preferences'])}?{urlencode({'study': study.slug})}"
    return ""


def _found(run: Run, names: ResultNames, section_key: str, *, systems: bool, raters: bool) -> dict[str, Any]:
    """Return the findings of a run by criterion; only one section (by default the first) if the run is large."""
    read = run_sections.read(run, names, systems=systems, section_key=section_key, raters=raters)
    funnels = run_words.funnels(read.rows, names.tasks, read.of_rules)
    summary = summary_of(run, names, read.places, funnels, systems=systems)
    leading, by_task = with_leading_figure(summary, read.tasks)
    return {
        "funnels": funnels,
        "summary": summary,
        "leading": leading,
        "index": list(index_of(by_task, names.tasks)),
        "tasks": [
            (
                names.tasks.get(task, task),
                [(without_repeats(summary, section), at_a_glance(summary, section)) for section in sections],
            )
            for task, sections in by_task.items()
        ],
        "one_only": read.one_only,
    }
