"""Help: the pages of the manual for researchers, with a search over all of them.

Raters do not see them: they tell how answers are checked.
"""

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from tasks_app.manual import searching
from tasks_app.manual.pages import FOLDERS, pages
from tasks_app.manual.pages import picture as picture_file
from tasks_app.manual.rendering import to_html
from tasks_app.views.researcher.frame import researcher_page, show


def page_url(name: str) -> str:
    """Return the address of a page of the manual."""
    return reverse("help:page", args=[name])


def example_url(name: str) -> str:
    """Return the address where a study begins from an example, or from a published study: published/rankme."""
    way, _slash, published = name.partition("/")
    chosen = f"published={published}" if published else f"example={way}"
    return f"{reverse('researcher:new')}?{chosen}"


def picture_url(name: str) -> str:
    """Return the address of a screenshot of the manual."""
    return reverse("help:picture", args=[name])


@researcher_page("GET")
def index(request: HttpRequest) -> HttpResponse:
    """List the pages, or the sections that hold the words that were looked for."""
    words = request.GET.get("q", "")[:200]
    groups = [
        (label, [page for page in pages().values() if page.folder == folder]) for folder, label in FOLDERS.items()
    ]
    return show(request, "help", _("Help"), {"words": words, "groups": groups, "hits": searching.search(words)})


@researcher_page("GET")
def page(request: HttpRequest, name: str) -> HttpResponse:
    """Show a page."""
    manual_page = pages().get(name)
    if manual_page is None:
        raise Http404
    headings = [section for section in manual_page.sections if section.level == 2]
    context = {
        "page": manual_page,
        "html": to_html(manual_page, page_url, example_url, picture_url),
        "headings": headings,
    }
    return show(request, "help_page", manual_page.title, context)


@researcher_page("GET")
def picture(request: HttpRequest, name: str) -> FileResponse:
    """Send a screenshot or a drawing."""
    path = picture_file(name)
    if path is None:
        raise Http404
    kind = "image/svg+xml" if path.suffix == ".svg" else "image/png"
    return FileResponse(path.open("rb"), content_type=kind)
