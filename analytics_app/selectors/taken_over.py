"""The report on judgments that a study took over from an earlier version of its corpus."""

from collections.abc import Iterator

from tasks_app.models import Event, Study

# The verb in the log of the new study, whose entry has the report, and that in the log of the earlier one.
TOOK_OVER, TAKEN = "took over judgments", "judgments taken over"


def report_of(study: Study) -> Event | None:
    """Return the entry in the log of a study about judgments that it took over; its `after` has the report."""
    return Event.objects.filter(study=study, verb=TOOK_OVER).order_by("-id").first()


def in_words(study: Study) -> Iterator[str]:
    """Yield a sentence about the judgments that a study took over, if it did."""
    report = report_of(study)
    if report is None or report.after is None:
        return
    tasks = report.after["tasks"]
    judgments, kept, new = (sum(task[name] for task in tasks) for name in ("judgments", "kept", "new"))
    yield (
        f"{judgments:,} judgments of {kept:,} texts were taken over from the earlier study “{report.after['title']}”, "
        f"since source and text are the same; {new:,} texts were new."
    )
