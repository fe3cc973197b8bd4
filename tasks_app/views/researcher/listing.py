"""The list of studies: found by words and filters, with the rater link and the results of each at hand."""

from collections.abc import Iterator, Sequence
from typing import Any

from django import forms
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app import access, task_types
from tasks_app.hooks import tabs
from tasks_app.models import Membership, Project, Study
from tasks_app.selectors import studies as reads
from tasks_app.setup import templates
from tasks_app.views.researcher.frame import remember_projects, researcher_page, show
from tasks_app.views.researcher.starting import ways

ON_A_PAGE = 50

# Tabs that the list leads to at once, where an app has registered them.
AT_HAND = ("monitor", "results")
# The most studies that are listed as waiting for the researcher.
MOST_WAITING = 6


class FilterForm(forms.Form):
    """The filters of the list. A value that nobody can choose counts as not chosen."""

    words = forms.CharField(required=False, label=gettext_lazy("Title or short name"))
    state = forms.ChoiceField(
        required=False, label=gettext_lazy("State"), choices=[("", gettext_lazy("any state")), *Study.State.choices]
    )
    task_type = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Task type"),
        choices=lambda: [("", _("any task type")), *((name, m.label) for name, m in task_types.registry.items())],
    )
    whose = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Whose"),
        choices=[
            ("", gettext_lazy("all studies")),
            ("mine", gettext_lazy("my own")),
            ("shared", gettext_lazy("shared with me")),
        ],
    )
    project = forms.ChoiceField(required=False, label=gettext_lazy("Project"))

    def __init__(self, *args: Any, projects: Sequence[Project], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if projects:
            choices = [(project.slug, project.name) for project in projects]
            self.fields["project"] = forms.ChoiceField(
                required=False, label=_("Project"), choices=[("", _("any project")), *choices]
            )
        else:
            del self.fields["project"]


@researcher_page("GET")
def studies(request: HttpRequest) -> HttpResponse:
    """List the studies somebody may see, with their progress; without one, show the ways to begin."""
    readable = access.studies_for_researcher(request.user)
    projects = list(access.projects_for_researcher(request.user).order_by("name"))
    remember_projects(request, bool(projects))
    form = FilterForm(request.GET, projects=projects)
    form.is_valid()
    matches = reads.matching(
        templates.ordinary(readable), request.user.pk or 0, reads.StudyFilters(**form.cleaned_data)
    )
    listed = reads.with_gaps(reads.with_types(reads.with_progress(matches))).select_related("project")
    page = Paginator(listed, ON_A_PAGE).get_page(request.GET.get("page"))
    is_filtered = any(form.cleaned_data.values())
    if not page.object_list and not is_filtered and not readable.exists():
        return show(request, "new", _("New study"), ways(request))
    query = request.GET.copy()
    query.pop("page", None)
    context = {
        "page": page,
        "rows": list(_rows(request, page)),
        "form": form,
        "waiting": [] if is_filtered else list(_waiting(readable)),
        "is_filtered": is_filtered,
        "query": query.urlencode(),
        "has_deleted": access.deleted_studies_for_researcher(request.user).exists(),
    }
    return show(request, "studies", _("Studies"), context)


def _rows(request: HttpRequest, page: Page[Study]) -> Iterator[dict[str, Any]]:
    at_hand = [tab for tab in tabs.all_tabs() if tab.slug in AT_HAND]
    for study in page.object_list:
        role = getattr(study, "own_role", None)
        path = reverse("rater:join", args=[study.link_code])
        is_open = study.state in Study.State.UNDER_WAY
        yield {
            "study": study,
            "types": ", ".join(_types(study)),
            "link": request.build_absolute_uri(path) if is_open and "link" in study.options.channels else "",
            "next": _next(study, at_hand, may_edit=access.reaches(role, Membership.Role.EDITOR)),
            "missing": "" if study.is_frozen else _missing(study),
            "tabs": [(tab.label, reverse(tab.url_name, args=[study.slug])) for tab in at_hand if study.is_frozen],
            "may_copy": access.reaches(role, access.GOLD_READER),
            "is_owner": access.reaches(role, Membership.Role.OWNER),
        }


def _next(study: Study, at_hand: Sequence[tabs.Tab], *, may_edit: bool) -> tuple[Any, str] | None:
    """Return the next step of a study, with its address: go on setting up, watch raters, or read results."""
    if not study.is_frozen:
        return (_("Continue"), reverse("researcher:setup", args=[study.slug])) if may_edit else None
    slug = "results" if study.state == Study.State.CLOSED else "monitor"
    tab = next((open_tab for open_tab in at_hand if open_tab.slug == slug), None)
    return (tab.label, reverse(tab.url_name, args=[study.slug])) if tab is not None else None


def _types(study: Study) -> list[str]:
    """Return the labels of the types of a study's tasks, each once."""
    return [str(task_types.registry[name].label) for name in _type_names(study)]


def _type_names(study: Study) -> list[str]:
    names = [task.type for task in getattr(study, "live_tasks", ())]
    given = getattr(study, "given_tasks", None)
    if not study.is_frozen and isinstance(given, list):
        names = [str(task.get("type", "")) for task in given if isinstance(task, dict)]
    return [name for name in dict.fromkeys(names) if name in task_types.registry]


def _missing(study: Study) -> str:
    """Return the missing parts of a draft that is set up in the browser; "" where Review has to look further."""
    if getattr(study, "given_tasks", None) is None:
        return ""
    names = _type_names(study)
    reads_texts = not names or any(task_types.registry[name].needs_items for name in names)
    gaps = {
        _("a task"): not names,
        _("texts"): reads_texts and not getattr(study, "given_texts", False),
        _("consent"): not getattr(study, "given_consent", None),
        _("pay"): getattr(study, "given_pay", None) is None,
    }
    return ", ".join(name for name, is_missing in gaps.items() if is_missing)


def _waiting(readable: QuerySet[Study]) -> Iterator[dict[str, Any]]:
    """Yield the studies that wait for the researcher, each with a sentence and the page where to go on."""
    pages = {tab.slug: tab for tab in tabs.all_tabs()}
    for study in reads.waiting(templates.ordinary(readable))[:MOST_WAITING]:
        paused = study.state == Study.State.PAUSED
        tab = pages.get("recruit" if paused else "monitor") or pages["setup"]
        sentence = (
            _("Paused: raters cannot go on.")
            if paused
            else _("Every place is answered: close it, and read the results.")
        )
        yield {
            "study": study,
            "sentence": sentence,
            "label": tab.label,
            "url": reverse(tab.url_name, args=[study.slug]),
        }
