"""The least a Django view can do for the same rows: find the next unit, show it, store its answer."""

import uuid

from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.html import escape
from django.views.decorators.csrf import csrf_exempt

from tasks_app.links.credentials import hash_token
from tasks_app.models import Assignment, Criterion, Judgment, Output, Part, Rating


@csrf_exempt
def judge(request: HttpRequest, token: str) -> HttpResponse:
    """Show the next unit, or insert one judgment with its ratings and mark the assignment, in one transaction."""
    if request.method == "POST":
        with transaction.atomic():
            assignment = Assignment.objects.select_related("unit").get(pk=request.POST["assignment"])
            part = Part.objects.filter(unit_id=assignment.unit_id).only("pk").get()
            judgment = Judgment.objects.create(
                assignment=assignment, submission=uuid.UUID(request.POST["submission"]), answer={}, version=1
            )
            criteria = Criterion.objects.filter(task_criteria__task_id=assignment.unit.task_id).values_list("pk", "key")
            Rating.objects.bulk_create(
                Rating(
                    judgment=judgment,
                    task_id=assignment.unit.task_id,
                    rater_id=assignment.rater_id,
                    unit_id=assignment.unit_id,
                    part=part,
                    criterion_id=pk,
                    value=float(request.POST[key]),
                )
                for pk, key in criteria
            )
            Assignment.objects.filter(pk=assignment.pk).update(state="submitted")
        return HttpResponseRedirect(request.path)
    assignment = (
        Assignment.objects.filter(rater__token_hash=hash_token(token), state__in=("reserved", "live"))
        .order_by("order")
        .first()
    )
    text = Output.objects.filter(part_outputs__part__unit_id=assignment.unit_id).values_list("text", flat=True)[0]
    Assignment.objects.filter(pk=assignment.pk).update(state="live")
    fields = "".join(f'<input name="c{number}">' for number in range(10))
    return HttpResponse(
        f'<p>{escape(text)}</p><form method="post"><input type="hidden" name="assignment" value="{assignment.pk}">'
        f"{fields}<button>Send</button></form>"
    )
