"""The log: actions in one's studies by person, with filters."""

from collections.abc import Iterator, Mapping
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.conf import settings
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app import access
from tasks_app.models import Event, Study
from tasks_app.views.researcher import log_words
from tasks_app.views.researcher.frame import researcher_page, show

ON_A_PAGE = 60


class FilterForm(forms.Form):
    """The filters of the log. A value that nobody can choose counts as not chosen."""

    words = forms.CharField(required=False, label=gettext_lazy("Words"))
    study = forms.ChoiceField(required=False, label=gettext_lazy("Study"))
    person = forms.ChoiceField(required=False, label=gettext_lazy("Person"))
    what = forms.ChoiceField(required=False, label=gettext_lazy("What was done"))
    since = forms.DateField(
        required=False, label=gettext_lazy("From"), widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    until = forms.DateField(
        required=False, label=gettext_lazy("To"), widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )

    def __init__(self, *args: Any, events: QuerySet[Event], studies: QuerySet[Study], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        people = events.exclude(actor=None).order_by("actor__username").values_list("actor__username", flat=True)
        verbs = events.order_by("verb").values_list("verb", flat=True).distinct()
        titles = studies.order_by("title").values_list("slug", "title")
        self._choose("study", _("all studies"), titles)
        self._choose("person", _("everybody"), ((name, name) for name in people.distinct()))
        self._choose("what", _("anything"), ((verb, log_words.verb(verb)) for verb in verbs))

    def _choose(self, name: str, everything: str, choices: Any) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", everything), *choices]


@researcher_page("GET")
def log(request: HttpRequest) -> HttpResponse:
    """List the events of the studies that somebody may see, and of their deleted ones, the newest first."""
    studies = access.studies_for_researcher(request.user)
    events = Event.objects.filter(
        Q(study__in=studies) | Q(deleted_study__in=access.deleted_studies_for_researcher(request.user))
    )
    form = FilterForm(request.GET, events=events, studies=studies)
    form.is_valid()
    matches = _matching(events, form.cleaned_data).select_related("study", "deleted_study", "actor").order_by("-id")
    page = Paginator(matches, ON_A_PAGE).get_page(request.GET.get("page"))
    query = request.GET.copy()
    query.pop("page", None)
    context = {
        "form": form,
        "page": page,
        "days": list(_by_day(page.object_list)),
        "zone": next(iter(zones)) if len(zones := {_zone(event) for event in page.object_list}) == 1 else "",
        "is_filtered": any(form.cleaned_data.values()),
        "query": query.urlencode(),
    }
    return show(request, "log", _("Log"), context)


@researcher_page("GET")
def of_study(request: HttpRequest, slug: str) -> HttpResponse:
    """Lead to the log of one study."""
    study = access.study_for_researcher(request.user, slug)
    return redirect(f"{reverse('log:log')}?{urlencode({'study': study.slug})}")


def _matching(events: QuerySet[Event], filters: Mapping[str, Any]) -> QuerySet[Event]:
    for word in str(filters.get("words", "")).replace("\0", "").split():
        events = events.filter(
            Q(object__icontains=word)
            | Q(verb__icontains=word)
            | Q(study__title__icontains=word)
            | Q(deleted_study__title__icontains=word)
        )
    if filters.get("study"):
        events = events.filter(study__slug=filters["study"])
    if filters.get("person"):
        events = events.filter(actor__username=filters["person"])
    if filters.get("what"):
        events = events.filter(verb=filters["what"])
    if filters.get("since"):
        events = events.filter(at__date__gte=filters["since"])
    if filters.get("until"):
        events = events.filter(at__date__lte=filters["until"])
    return events


def _zone(event: Event) -> str:
    """Return the time zone of an event's study, or of the server where the study is deleted."""
    return event.study.timezone if event.study is not None else settings.TIME_ZONE


def _by_day(events: Any) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield each day with its events, in the time zone of the study, or of the server where the study is deleted."""
    day, rows = "", list[dict[str, Any]]()
    for event in events:
        zone = _zone(event)
        at = timezone.localtime(event.at, ZoneInfo(zone))
        its_day = date_format(at, "j M Y")
        if rows and its_day != day:
            yield day, rows
            rows = []
        day = its_day
        done, about = log_words.sentence(event)
        words = {"done": done, "about": about, "details": list(log_words.details(event))}
        rows.append({"event": event, "time": date_format(at, "H:i"), "zone": zone, **words})
    if rows:
        yield day, rows
