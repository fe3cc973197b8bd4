"""The line on every page of a rater on trial: nothing counts, and, in a rehearsal, the way back to Review."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse

from tasks_app.models import Study


@dataclass(frozen=True, slots=True)
class Trial:
    """A trial; `review_url` leads to the draft that is rehearsed, and is empty where an open study is tried out."""

    review_url: str


def announce_trial(request: HttpRequest, study: Study) -> None:
    """Say on every page that answers this request that it is a trial."""
    url = reverse("researcher:review", args=[study.rehearses.slug]) if study.rehearses else ""
    setattr(request, "trial", Trial(url))  # noqa: B010  a request has no such field
