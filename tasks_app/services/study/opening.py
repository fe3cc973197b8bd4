"""Open a draft, unless something is left to settle that a careful colleague would not let pass."""

from collections.abc import Collection, Sequence

from django.db.models import Count
from django.utils.translation import gettext as _

from tasks_app import readiness
from tasks_app.hooks import sections
from tasks_app.models import Gold, Study
from tasks_app.readiness import Facts, Level, Point
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.services.study import lifecycle


class NotSettled(lifecycle.NotPossible):
    """Points are left to settle; `points` lists those that keep the study closed."""

    def __init__(self, points: Sequence[Point]) -> None:
        self.points = tuple(points)
        first = _("The study was not opened, because something is left to settle:")
        super().__init__("\n".join([first, *(f"{_name(point)}: {point.sentence}" for point in points)]))


def _name(point: Point) -> str:
    """Return the setting of a point, as the study file calls it."""
    return ".".join(map(str, point.path))


# Parts of study.yaml that no check looks at.
_UNREAD = frozenset({"acceptance", "groups"})


def facts_of(study: Study, names: Collection[str] = ()) -> Facts:
    """Read the facts of a study: the parts of study.yaml, or those `names`, known answers, and findings in its texts.

    The texts themselves are not read again.
    """
    in_yaml = (section for section in sections.registered() if section.schema() is not None)
    wanted = (section for section in in_yaml if (section.name in names if names else section.name not in _UNREAD))
    document = {section.name: section.export(study) for section in wanted}
    known: dict[str, dict[str, int]] = {}
    counted = Gold.objects.filter(unit__task__study=study, unit__task__until=None, unit__until=None)
    for task, purpose, n in counted.values_list("unit__task__key", "purpose").annotate(n=Count("unit", distinct=True)):
        known.setdefault(task, {})[purpose] = n
    return Facts(document, study.options.workload, known, study.options.text_findings)


def points_of(study: Study) -> list[Point]:
    """Return the points to settle before a draft opens, the gravest first; empty for a study that was opened."""
    return [] if study.is_frozen else readiness.points(facts_of(study))


@atomically
def move(*, study_id: int, action: str, by: events.Actor, reason: str = "") -> Study:
    """Open, pause or close a study, as `lifecycle.move` does; a draft only once its points are settled.

    A draft with points that are not final is opened if a `reason` is given; the log keeps it with the points.

    Raises
    ------
    NotSettled
        Where points are left to settle.
    tasks_app.services.study.lifecycle.NotPossible, tasks_app.designs.base.PlanImpossible
        As `lifecycle.move` does.
    """
    if action == "open":
        study, reason = Study.objects.select_for_update().get(pk=study_id), reason.strip()
        if left := refuse_unsettled(study, reason):
            after = {"points": [point.sentence for point in left], "reason": reason}
            events.log(study, by, "opened in spite of points", about=study.slug, after=after)
    return lifecycle.move(study_id=study_id, action=action, by=by, reason=reason)


def refuse_unsettled(study: Study, reason: str) -> list[Point]:
    """Raise NotPossible where a draft cannot be opened for this reason; return the points that are left to settle."""
    lifecycle.refuse_unchecked(study)
    left = to_settle(points_of(study))
    if left and (left[0].level == Level.FINAL or not reason):
        raise NotSettled(left)
    if left:
        lifecycle.refuse_reason(reason)
    return left


def to_settle(points: Sequence[Point]) -> list[Point]:
    """Return the points that keep a draft closed: all but notes."""
    return [point for point in points if point.level < Level.NOTE]
