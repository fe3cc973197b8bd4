"""Choose the author of the suggestions that a rater is shown, of several for a text, and never the rater.

The places of a text go through the names in turn, from one that the study's seed draws, so that all names are shown
equally often. Assignments without a place, such as checks, get a name that is drawn for the rater.
"""

from collections.abc import Collection, Iterable, Sequence

from tasks_app.models import MarkAuthor, Part, Place, Prefill, Rater, Task
from tasks_app.models.statements import rows
from tasks_app.services.arrival.own_texts import persons_of
from tasks_app.services.judging.sets import Planned
from tasks_app.services.plan import plans
from tasks_app.task_types.base import GIVEN_BY

# The entry of a rater's preferences with the names, in this study, under which their own earlier marks are given.
OWN_NAMES = "own_marks"

# Units with a text of which only the rater's own suggestions could be shown.
_ONLY_OWN = """
INSERT INTO tasks_app_ownunit (rater_id, unit_id)
SELECT DISTINCT %(rater)s::bigint, p.unit_id FROM tasks_app_prefill f
  JOIN tasks_app_part p ON p.id = f.part_id JOIN tasks_app_unit u ON u.id = p.unit_id
  JOIN tasks_app_task t ON t.id = u.task_id
 WHERE t.study_id = %(study)s AND f.given_by = ANY(%(names)s)
   AND NOT EXISTS (SELECT 1 FROM tasks_app_prefill other
                    WHERE other.part_id = p.id AND NOT other.given_by = ANY(%(names)s))
ON CONFLICT DO NOTHING RETURNING id
"""


def hold_back_own_marks(rater: Rater) -> None:
    """Store which given marks are a new rater's own, and the units that only these could be shown with.

    Expects the study's claims lock. It is stored, since platform ids may be removed before the rater's last set.
    """
    persons = set(persons_of(rater))
    authors = MarkAuthor.objects.filter(study=rater.study_id, persons__has_any_keys=sorted(persons)) if persons else ()
    names = sorted(author.name for author in authors)
    if names:
        rater.prefs = {**rater.prefs, OWN_NAMES: names}
        Rater.objects.filter(pk=rater.pk).update(prefs=rater.prefs)
        rows(_ONLY_OWN, {"rater": rater.pk, "study": rater.study_id, "names": names})


def choose(rater: Rater, task: Task, planned: Sequence[Planned]) -> None:
    """Write the authors of the suggestions of its texts, where they are named, into each assignment's arrangement."""
    if not task.kind.shows_suggestions():
        return
    offered = _offered({assignment.unit for assignment in planned})
    if not offered:
        return
    own = set(rater.prefs.get(OWN_NAMES, ()))
    places = [assignment.place for assignment in planned if assignment.place is not None]
    numbers = dict(Place.objects.filter(pk__in=places).values_list("pk", "number"))
    for assignment in planned:
        if assignment.unit not in offered:
            continue
        if assignment.repeats is not None:
            # Who is asked again sees the text as it was; the original stands before its repeat.
            shown = planned[assignment.repeats].arrangement[GIVEN_BY]
        else:
            key, parts = offered[assignment.unit]
            shown = []
            for number, names in enumerate(parts):
                place = numbers.get(assignment.place or 0)
                words = (task.key, key, number) if place is not None else (task.key, key, number, rater.seed)
                turn = plans.seeded(task.study, "given by", *words).randrange(max(len(names), 1)) + (place or 0)
                shown.append(_in_turn(names, turn, own))
        assignment.arrangement = {**assignment.arrangement, GIVEN_BY: shown}


def _in_turn(names: Sequence[str], turn: int, own: Collection[str]) -> str:
    """Return the name in turn, or the next that is not the rater's own; "" where there is none."""
    in_order = (names[(turn + step) % len(names)] for step in range(len(names)))
    return next((name for name in in_order if name not in own), "")


def _offered(units: Collection[int]) -> dict[int, tuple[str, list[list[str]]]]:
    """Return the key of each unit with suggestions by somebody who is named, and the names of each of its parts."""
    keys = dict(
        Prefill.objects.filter(part__unit__in=units).exclude(given_by="").values_list("part__unit", "part__unit__key")
    )
    parts: dict[int, list[list[str]]] = {unit: [] for unit in keys}
    rows_of = Part.objects.filter(unit__in=keys).order_by("unit", "number", "prefills__id")
    # A part without any suggestion has no name.
    columns: Iterable[tuple[int, int, str | None]] = rows_of.values_list("unit_id", "number", "prefills__given_by")
    for unit, number, name in columns:
        names = parts[unit]
        while len(names) <= number:
            names.append([])
        if name is not None and name not in names[number]:
            names[number].append(name)
    return {unit: (keys[unit], names) for unit, names in parts.items()}
