"""The form of a study that was opened: the same steps, filled from the frozen study file, read-only."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.http import urlencode

from tasks_app.models import Setup, Study
from tasks_app.selectors.opening import opening_facts
from tasks_app.setup.media import earlier_files
from tasks_app.setup.page import SetupPage
from tasks_app.setup.texts import reads, samples
from tasks_app.studyfile.files.yaml_text import dump_stored
from tasks_app.views.researcher.setup import moving, preflight
from tasks_app.views.researcher.setup.comments import comments_of, links_of
from tasks_app.views.researcher.setup.family import family
from tasks_app.views.researcher.setup.form_frame import frozen_page


def step(request: HttpRequest, study: Study, slug: str) -> HttpResponse:
    """Show the fields of a step with their frozen values."""
    return frozen_page(request, study, slug, lambda _page: {}, template="step")


def texts_step(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the texts, to search and to page through."""
    return frozen_page(request, study, "texts", lambda page: texts_context(request, page.setup), template="texts")


def texts_context(request: HttpRequest, setup: Setup) -> dict[str, Any]:
    """Return a page of the texts that were searched for, and how many there are of which systems."""
    counts = reads.counts(setup)
    words, system = request.GET.get("q", "").replace("\0", "").strip(), request.GET.get("system", "").replace("\0", "")
    paginator = Paginator(reads.search(setup, words, system), reads.ROWS_ON_A_PAGE)
    if not words and not system:
        paginator.count = counts.outputs  # these rows were counted above
    sample = samples.last_sample(setup)
    return {
        "counts": counts,
        "page": paginator.get_page(request.GET.get("page")),
        "query": urlencode({name: value for name, value in (("q", words), ("system", system)) if value}),
        "words": words,
        "system": system,
        "sample": sample,
        "sample_by": samples.stratum_label(str(sample["by"])) if sample and sample["by"] else "",
    }


def review(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the frozen design, the actions that are left, and the studies that follow this one or come before it."""

    def context(page: SetupPage) -> dict[str, Any]:
        study = page.study
        facts = opening_facts(study)
        return {
            "frozen": preflight.frozen(study, facts),
            "plans": moving.plan_sentences(study, facts),
            "plan_has_changed": bool(facts.withdrawn or facts.extensions),
            "earlier_files": earlier_files(study),
            "n_withdrawn": facts.withdrawn,
            **family(request.user, study),
            **comments_of(study),
            **links_of(study),
        }

    return frozen_page(request, study, "review", context, template="review")


def study_file(request: HttpRequest, study: Study) -> HttpResponse:
    """Show study.yaml as it was frozen."""
    return frozen_page(
        request,
        study,
        "file",
        lambda page: {"text": dump_stored(page.given)},
        template="file",
    )
