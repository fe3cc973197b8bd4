"""API views of studies and their judgments."""

from django.db.models import Prefetch, prefetch_related_objects
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tasks_app import access
from tasks_app.api.base import ApiView, marks_of, token_of
from tasks_app.api.described import SLUG, answers, refusals
from tasks_app.api.errors import BadRequest
from tasks_app.api.pages import listing
from tasks_app.api.serializers import EXAMPLES, JudgmentPage, JudgmentParams, StudyDetail, StudyPage, StudyParams
from tasks_app.models import Criterion, Extension, Membership, Task
from tasks_app.selectors import evaluated, judgments
from tasks_app.services.study import tokens


class Studies(ApiView):
    """The studies somebody may see."""

    scope = tokens.READ_STUDIES
    Params = StudyParams

    @extend_schema(
        operation_id="studies",
        summary="List studies",
        description="The studies that you may see and the token is for, the newest first.",
        tags=["Studies"],
        parameters=[StudyParams],
        responses=answers(StudyPage, "A page of studies.", next=f"{EXAMPLES}studies/?cursor=1204") | refusals(),
    )
    def get(self, request: Request) -> Response:
        """Answer with a page of studies."""
        rows = access.studies_for_researcher(request.user)
        token = token_of(request)
        if token.study_id is not None:
            rows = rows.filter(pk=token.study_id)
        if "state" in self.given:
            rows = rows.filter(state=self.given["state"])
        if "project" in self.given:
            rows = rows.filter(project__slug=self.given["project"])
        roles = dict(Membership.objects.filter(user_id=token.user_id).values_list("study_id", "role"))
        return listing(request, rows.select_related("project"), self.given, StudyPage, newest_by="id", roles=roles)


class OneStudy(ApiView):
    """A study with its tasks, criteria, systems and corrections."""

    scope = tokens.READ_STUDIES

    @extend_schema(
        operation_id="study",
        summary="See a study",
        description="A study with its tasks, criteria, systems, and how much there is of everything.",
        tags=["Studies"],
        parameters=[SLUG],
        responses=answers(StudyDetail, "The study.") | refusals(),
    )
    def get(self, request: Request, slug: str) -> Response:
        """Answer with a study."""
        study, role = self.study(request, slug, "study")
        prefetch_related_objects(
            [study],
            Prefetch("tasks", Task.objects.filter(until=None).order_by("order")),
            "tasks__task_criteria__criterion",
            Prefetch("criteria", Criterion.objects.filter(until=None).order_by("id")),
            Prefetch("systems", evaluated.systems(study).order_by("id")),
            Prefetch("extensions", Extension.objects.select_related("task").order_by("number", "task__order")),
        )
        return Response(StudyDetail(study, context={"request": request, "roles": {study.pk: role}}).data)


class Judgments(ApiView):
    """The judgments of a study."""

    scope = tokens.READ_JUDGMENTS
    Params = JudgmentParams

    @extend_schema(
        operation_id="judgments",
        summary="List judgments",
        description=(
            "The current answer to each assignment, as given, the oldest first. While the study is open or paused only "
            "its owners may see them, which is logged. Answers to checks are among them, since this is all "
            "that raters sent. For analysis take the ratings: tidy, on canonical scales, and without checks."
        ),
        tags=["Judgments and ratings"],
        parameters=[SLUG, JudgmentParams],
        responses=answers(
            JudgmentPage, "A page of judgments.", next=f"{EXAMPLES}studies/summaries-2026/judgments/?cursor=1204"
        )
        | refusals(),
    )
    def get(self, request: Request, slug: str) -> Response:
        """Answer with a page of judgments."""
        study = self.study_to_export(request, slug, "judgments", pages=True)
        rows = judgments.current_judgments(study, marks_of(study).judgment)
        try:
            if name := self.given.get("task"):
                rows = rows.filter(assignment__unit__task__in=judgments.task_ids(study, name))
            if name := self.given.get("rater"):
                rows = rows.filter(assignment__rater__in=judgments.rater_ids(study, name))
        except judgments.UnknownName as error:
            raise BadRequest(str(error)) from error
        if "since" in self.given:
            rows = rows.filter(submitted_at__gte=self.given["since"])
        return listing(request, rows, self.given, JudgmentPage)
