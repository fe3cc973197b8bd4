"""API views of studies and their judgments."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from tasks_app import access
from tasks_app.api import described, examples
from tasks_app.api.base import ApiView, marks_of, token_of
from tasks_app.api.errors import BadRequest
from tasks_app.api.pages import listing
from tasks_app.models import Judgment, Membership, Study
from tasks_app.selectors import judgments, progress
from tasks_app.selectors import studies as reads
from tasks_app.services.study import tokens


class Studies(ApiView):
    """The studies somebody may see."""

    scope = tokens.READ_STUDIES
    Params = described.StudyParams

    @extend_schema(
        operation_id="studies",
        summary="List studies",
        description="The studies that you may see and the token is for, the newest first.",
        tags=["Studies"],
        parameters=[described.StudyParams],
        responses={
            200: OpenApiResponse(
                described.StudyPage, "A page of studies.", [examples.page(examples.STUDY, "studies/")]
            ),
            **described.refusals(),
        },
    )
    def get(self, request: Request) -> Response:
        """Answer with a page of studies."""
        rows = access.studies_for_researcher(request.user)
        token = token_of(request)
        if token.study_id is not None:
            rows = rows.filter(pk=token.study_id)
        if "state" in self.given:
            rows = rows.filter(state=self.given["state"])
        roles = dict(Membership.objects.filter(user_id=token.user_id).values_list("study_id", "role"))
        return listing(
            request, rows, self.given, lambda one: study_entry(request, one, roles.get(one.pk)), newest_by="id"
        )


class OneStudy(ApiView):
    """A study with what it is made of."""

    scope = tokens.READ_STUDIES

    @extend_schema(
        operation_id="study",
        summary="See a study",
        description="A study with its tasks, criteria, systems, and how much there is of everything.",
        tags=["Studies"],
        parameters=[described.SLUG],
        responses={
            200: OpenApiResponse(described.StudyDetail, "The study.", [examples.answer(examples.STUDY_DETAIL)]),
            **described.refusals(),
        },
    )
    def get(self, request: Request, slug: str) -> Response:
        """Answer with a study."""
        study, role = self.study(request, slug, "study")
        tasks = study.tasks.filter(until=None).order_by("order").prefetch_related("task_criteria__criterion")
        return Response(
            {
                **study_entry(request, study, role),
                "tasks": [
                    {
                        **{name: getattr(one, name) for name in TASK},
                        "criteria": [asked.criterion.key for asked in one.task_criteria.all()],
                    }
                    for one in tasks
                ],
                "criteria": list(study.criteria.filter(until=None).order_by("id").values(*CRITERION)),
                "systems": list(study.systems.order_by("id").values(*SYSTEM)),
                "counts": counts(study),
            }
        )


TASK = ("key", "title", "type", "params", "design", "k", "set_size")
CRITERION = ("key", "kind", "name", "definition", "question", "ends")
SYSTEM = ("key", "name", "kind")


def study_entry(request: Request, study: Study, role: str | None) -> dict[str, Any]:
    """Return what a listing says about a study."""
    columns = ("slug", "title", "public_title", "state", "language", "timezone", "created_at", "opened_at", "closed_at")
    return {
        **{name: getattr(study, name) for name in columns},
        "version": study.current_version,
        "role": role,
        "url": reverse("api:study", args=[study.slug], request=request),
    }


def counts(study: Study) -> dict[str, int]:
    """Count what a study has."""
    contents = reads.contents(study)
    done: Any = reads.with_progress(Study.objects.filter(pk=study.pk)).get()  # columns that the query adds
    return {
        "items": contents.items,
        "outputs": contents.outputs,
        "units": contents.units,
        "places": done.places,
        "answered": done.answered,
        "raters": done.n_raters,
        "judgments": progress.count_judgments(study),
    }


class Judgments(ApiView):
    """The judgments of a study."""

    scope = tokens.READ_JUDGMENTS
    Params = described.JudgmentParams

    @extend_schema(
        operation_id="judgments",
        summary="List judgments",
        description=(
            "The current answer to each assignment, as given, the oldest first. While the study is open or paused only "
            "its owners may see them, which is logged. For analysis take the ratings: tidy and on canonical scales."
        ),
        tags=["Judgments and ratings"],
        parameters=[described.SLUG, described.JudgmentParams],
        responses={
            200: OpenApiResponse(
                described.JudgmentPage,
                "A page of judgments.",
                [examples.page(examples.JUDGMENT, "studies/summaries-2026/judgments/")],
            ),
            **described.refusals(),
        },
    )
    def get(self, request: Request, slug: str) -> Response:
        """Answer with a page of judgments."""
        study = self.study_to_export(request, slug, "judgments", pages=True)
        rows = judgments.current_judgments(study, marks_of(study).judgment)
        try:
            if wanted := self.given.get("task"):
                rows = rows.filter(assignment__unit__task__in=judgments.task_ids(study, wanted))
            if wanted := self.given.get("rater"):
                rows = rows.filter(assignment__rater__in=judgments.rater_ids(study, wanted))
        except judgments.UnknownName as error:
            raise BadRequest(str(error)) from error
        if "since" in self.given:
            rows = rows.filter(submitted_at__gte=self.given["since"])
        return listing(request, rows, self.given, judgment_entry)


def judgment_entry(row: Judgment) -> dict[str, Any]:
    """Return what a listing says about a judgment."""
    given = row.assignment
    return {
        "judgment": row.pk,
        "task": given.unit.task.key,
        "unit": given.unit.key,
        "rater": given.rater.pseudonym,
        **{name: getattr(given, name) for name in ("purpose", "state", "wave", "arrangement")},
        "position": given.order,
        "skip_reason": row.skip_reason or None,
        **{name: getattr(row, name) for name in JUDGMENT},
    }


JUDGMENT = ("answer", "comment", "seconds_active", "seconds_elapsed", "version", "submitted_at")
