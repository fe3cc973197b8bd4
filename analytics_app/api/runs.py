"""Runs for scripts: list, show, start and cancel."""

import json
from collections.abc import Callable
from typing import Any, cast

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import status
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from analytics_app.api.serializers import KEY, NUMBER, RunDetail, RunPage, StartRun
from analytics_app.models import UNFINISHED, Run
from analytics_app.runs import start
from analytics_app.selectors.runs import run_numbered, runs_of
from tasks_app import access
from tasks_app.api.base import ApiView, token_of
from tasks_app.api.described import SLUG, answers, refusals
from tasks_app.api.errors import BadRequest, Busy, RoleMissing, Unprocessable
from tasks_app.api.pages import PageParams, listing
from tasks_app.api.serializers import EXAMPLES
from tasks_app.models import Membership, Study
from tasks_app.services import idempotency
from tasks_app.services.study import tokens

TAG = "Runs"
LONGEST_KEY = 200


def detail(request: Request, study: Study, run: Run) -> dict[str, Any]:
    """Return everything about a run but its results."""
    run.study = study  # known already, so that its addresses need no query
    return RunDetail(run, context={"request": request}).data


class RunsView(ApiView):
    """An address about runs."""

    scope = tokens.READ_RESULTS
    scopes = {"POST": tokens.WRITE_RUNS}

    def study_to_change(self, request: Request, slug: str, about: str) -> Study:
        """Return a study in which the person may start and cancel runs."""
        study, own = self.study(request, slug, about)
        if not access.reaches(own, Membership.Role.EDITOR):
            raise RoleMissing
        return study


class Runs(RunsView):
    """The runs of a study."""

    Params = PageParams

    @extend_schema(
        operation_id="runs",
        summary="List runs",
        description="The runs of the study, the newest first.",
        tags=[TAG],
        parameters=[SLUG, PageParams],
        responses=answers(RunPage, "A page of runs.", next=f"{EXAMPLES}studies/summaries-2026/runs/?cursor=3")
        | refusals(),
    )
    def get(self, request: Request, slug: str) -> Response:
        """Answer with a page of runs."""
        study, _role = self.study(request, slug, "runs")
        return listing(request, runs_of(study), self.given, RunPage, newest_by="number")

    @extend_schema(
        operation_id="start_run",
        summary="Start a run",
        description=(
            "Compute the study's results from the ratings there are now, by its plan or by other settings. Where an "
            "equal run is done or under way (same ratings, settings and code) that one is the answer. Ask the address "
            "in `url` until `state` is done. Editors and owners may do this."
        ),
        tags=[TAG],
        parameters=[SLUG, KEY],
        request=StartRun,
        examples=[OpenApiExample("Without a quality rule", value={"settings": {"rules": []}}, request_only=True)],
        responses=answers(RunDetail, "It is queued or under way.", code=202, state="queued")
        | answers(RunDetail, "It is done already.")
        | refusals(413, 422),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Start a run, once for each Idempotency-Key."""
        study = self.study_to_change(request, slug, "runs")
        body = StartRun(data=request.data)
        if not isinstance(request.data, dict) or set(request.data) - set(body.fields):
            raise BadRequest(_("The body is a JSON object with the entry “settings”, or nothing."))
        body.is_valid(raise_exception=True)
        settings = body.validated_data.get("settings")

        def work() -> tuple[int, Any]:
            run = self._start(request, study, settings)
            code = status.HTTP_202_ACCEPTED if run.state in UNFINISHED else status.HTTP_200_OK
            return code, detail(request, study, run)

        return answered_once(request, {"start": slug, "settings": settings}, work)

    def _start(self, request: Request, study: Study, settings: dict[str, Any] | None) -> Run:
        try:
            return start.start(study=study, by=cast("User", request.user), settings=settings)
        except start.Busy as busy:
            raise Busy(_("Many ratings are being stored just now. Try again in a few seconds.")) from busy
        except ValueError as problems:
            raise Unprocessable(str(problems)) from problems


def answered_once(request: Request, content: dict[str, Any], work: Callable[[], tuple[int, Any]]) -> Response:
    """Do the work of a request, or return the stored answer if its Idempotency-Key was sent before.

    Raises BadRequest for a key that is too long, Unprocessable for one that was used for something else.
    """

    def plainly() -> tuple[int, Any]:
        code, answer = work()
        return code, json.loads(JSONRenderer().render(answer))

    key = request.headers.get("Idempotency-Key")
    if key is None:
        code, answer = work()
        return Response(answer, status=code)
    if not 0 < len(key) <= LONGEST_KEY:
        raise BadRequest(_("An Idempotency-Key has 1 to %(n)d characters.") % {"n": LONGEST_KEY})
    try:
        done = idempotency.once(token=token_of(request), key=key, request=content, work=plainly)
    except idempotency.KeyReused:
        raise Unprocessable(_("This Idempotency-Key was used for another request. Send a new key.")) from None
    return Response(done.response, status=done.status, headers={"Idempotency-Replayed": "true"} if done.again else None)


class OneRun(RunsView):
    """A run."""

    @extend_schema(
        operation_id="run",
        summary="See a run",
        description="How far a run is, and everything that makes it repeatable.",
        tags=[TAG],
        parameters=[SLUG, NUMBER],
        responses=answers(RunDetail, "The run.") | refusals(),
    )
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Answer with a run."""
        study, _role = self.study(request, slug, f"run {number}")
        return Response(detail(request, study, run_numbered(study, number)))


class CancelRun(RunsView):
    """Cancelling a run."""

    @extend_schema(
        operation_id="cancel_run",
        summary="Cancel a run",
        description=(
            "No part of the run is begun any more. A run that has ended stays as it is. Editors and owners may do this."
        ),
        tags=[TAG],
        parameters=[SLUG, NUMBER],
        request=None,
        responses=answers(RunDetail, "The run.", state="cancelled") | refusals(),
    )
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Cancel a run."""
        study = self.study_to_change(request, slug, f"run {number}")
        run = run_numbered(study, number)
        start.cancel(run=run, by=cast("User", request.user))
        return Response(detail(request, study, run))
