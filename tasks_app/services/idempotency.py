"""Answer a repeated request of a script with the first answer."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models.functions import Now

from tasks_app.models import ApiToken, Idempotency
from tasks_app.services.database import atomically

# Long enough for every script that tries again, short enough that the table stays small.
KEPT = timedelta(days=2)

# Status of a row while its request is being handled; no other transaction sees it then.
UNANSWERED = 0


class KeyReused(Exception):
    """The key was used for another request."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The status and the JSON of an answer, and whether it was given before."""

    status: int
    response: Any
    again: bool = False


@atomically
def once(*, token: ApiToken, key: str, request: Any, work: Callable[[], tuple[int, Any]]) -> Answer:
    """Process a request and store its response (status and JSON), or return the response stored before.

    `request` is everything that makes two requests the same, as JSON. Of two at the same time the second waits for
    the first. Where the work fails nothing is kept, so it can be tried again.

    Raises
    ------
    KeyReused
        Where the key was used with another request.
    """
    Idempotency.objects.filter(token=token, at__lt=Now() - KEPT).delete()
    digest = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()
    row = Idempotency(token=token, key=key, digest=digest, status=UNANSWERED, response={})
    Idempotency.objects.bulk_create([row], ignore_conflicts=True)
    record = Idempotency.objects.select_for_update().get(token=token, key=key)
    if record.digest != digest:
        raise KeyReused
    if record.status != UNANSWERED:
        return Answer(record.status, record.response, again=True)
    record.status, record.response = work()
    record.save(update_fields=["status", "response"])
    return Answer(record.status, record.response)
