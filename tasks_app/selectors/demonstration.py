"""The studies of the demonstration: their progress, and the findings planted by their simulated raters."""

from django.db.models import QuerySet

from tasks_app.models import Study

# Verbs of the log: what the command began, it finishes after an interruption; studies of others it leaves alone.
BEGUN, FINISHED = "began demonstration", "finished demonstration"


def planted_in(study: Study) -> str:
    """Return the planted finding of a study's simulated raters, as half a sentence; "" for no planted finding."""
    event = study.events.filter(verb=FINISHED).first()
    return str((event.after or {}).get("planted", "")) if event is not None else ""


def finished(readable: QuerySet[Study]) -> QuerySet[Study]:
    """Return the closed studies of the demonstration among those that somebody may read, in the order of loading."""
    return readable.filter(state=Study.State.CLOSED, events__verb=FINISHED).distinct().order_by("id")
