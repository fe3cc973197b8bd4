"""The methods section of a run, as a page and as files."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from analytics_app.methods_text import MethodsText, formats, write
from analytics_app.models import Run, RunState
from analytics_app.selectors.results import systems_shown
from analytics_app.selectors.runs import run_numbered
from analytics_app.views import standing
from analytics_app.views.files import done_run
from analytics_app.views.superuser_looks import note_look
from tasks_app.models import Study
from tasks_app.views.downloads import attachment
from tasks_app.views.researcher.frame import researcher_page, study_page


def text_of(study: Study, run: Run) -> MethodsText:
    """Return the methods section of a run; while results by system are hidden, it does not name systems."""
    return write(study, run, standing=standing.standing(run, study), systems=systems_shown(study))


@researcher_page("GET")
def methods(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the section with its references."""

    def context(study: Study) -> dict[str, Any]:
        run = run_numbered(study, number)
        if run.state != RunState.DONE:
            raise Http404
        text = text_of(study, run)
        paragraphs = [
            (paragraph.heading, [(sentence.text, text.cited(sentence)) for sentence in paragraph.sentences])
            for paragraph in text.paragraphs
        ]
        return {"run": run, "paragraphs": paragraphs, "bibtex": formats.in_format(text, "bib")}

    title = _("Methods of run %(number)s") % {"number": number}
    return study_page(request, slug, "results", context, template="run_methods", title=title)


@researcher_page("GET")
def file(request: HttpRequest, slug: str, number: int, format: formats.Format) -> HttpResponse:
    """Return the section as Markdown or LaTeX, or its references as BibTeX."""
    study, role, run = done_run(request, slug, number)
    note_look(request, study, role, f"methods of run {number} as {format}")
    return attachment(
        f"{study.slug}-run-{number}-methods.{format}",
        formats.in_format(text_of(study, run), format),
        formats.CONTENT_TYPES[format],
    )
