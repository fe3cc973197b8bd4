"""The guarantees of a study, counted from the database. Each check is written apart from the code it checks."""

from collections import Counter
from functools import lru_cache

from django.db import connection
from django.db.models import QuerySet

from tasks_app.models import Assignment, Booklet, Judgment, Place, RaterSet, Rating, Study, Unit, WithdrawnUnit
from tasks_app.selectors import screens, studies

HOLDING = {"reserved", "live", "submitted"}
COUNTED = {"real", "simulated"}


# How many values an answer has, by the row and by what it says: a row that was counted is not read by its type again.
_VALUES: dict[tuple[int, str], int] = {}


def check(study: Study) -> None:
    """Assert every guarantee about places, booklets, assignments and judgments of one study."""
    places = list(Place.objects.filter(booklet__task__study=study).values("id", "unit_id", "booklet_id", "order"))
    assignments = list(
        Assignment.objects.filter(rater__study=study).values(
            "id", "rater_id", "rater_kind", "unit_id", "purpose", "place_id", "state", "set_id", "set__state", "order"
        )
    )
    booklets = list(Booklet.objects.filter(task__study=study).values("id", "state", "n_places"))
    wanted = _wanted(study, places, assignments)
    units = list(Unit.objects.filter(task__study=study).values("id", "task_id", "k"))
    _places_are_held_once(places, assignments, units)
    _raters_meet_units_once(assignments)
    _booklets_say_what_is(booklets, wanted, assignments)
    _kept_counts_are_right(study, booklets, wanted, assignments)
    _counts_are_even(booklets, units, places, assignments)
    _judgments_are_whole(study, assignments)


def _wanted(study: Study, places: list[dict], assignments: list[dict]) -> list[dict]:
    """Return the places that are held or still to be given: those of withdrawn texts are given to nobody any more."""
    withdrawn = set(WithdrawnUnit.objects.filter(unit__task__study=study).values_list("unit", flat=True))
    held = {assignment["place_id"] for assignment in assignments if assignment["state"] in HOLDING}
    return [place for place in places if place["unit_id"] not in withdrawn or place["id"] in held]


def _places_are_held_once(places: list[dict], assignments: list[dict], units: list[dict]) -> None:
    unit_of = {place["id"]: place["unit_id"] for place in places}
    holders = Counter(
        assignment["place_id"]
        for assignment in assignments
        if assignment["state"] in HOLDING and assignment["place_id"] is not None
    )
    assert not [place for place, n in holders.items() if n > 1], "a place is held twice"
    for assignment in assignments:
        if assignment["place_id"] is not None:
            assert unit_of[assignment["place_id"]] == assignment["unit_id"], "a place is held for another unit"
            assert assignment["purpose"] == "main", "a check holds a place"
        elif assignment["purpose"] == "main" and assignment["rater_kind"] in COUNTED:
            assert assignment["state"] not in HOLDING, "a counted assignment holds no place"
    k = {unit["id"]: unit["k"] for unit in units}
    main = [
        assignment
        for assignment in assignments
        if assignment["purpose"] == "main" and assignment["rater_kind"] in COUNTED
    ]
    counted = Counter(assignment["unit_id"] for assignment in main if assignment["state"] in HOLDING)
    assert all(n <= k[unit] for unit, n in counted.items()), "a unit has more than k"


def _raters_meet_units_once(assignments: list[dict]) -> None:
    met = Counter(
        (assignment["rater_id"], assignment["unit_id"])
        for assignment in assignments
        if assignment["purpose"] in {"main", "warm_up"}
    )
    assert not [pair for pair, n in met.items() if n > 1], "a rater meets a unit twice"
    numbers = Counter((assignment["rater_id"], assignment["order"]) for assignment in assignments)
    assert not [pair for pair, n in numbers.items() if n > 1], "two units of a rater have one number"


def _booklets_say_what_is(booklets: list[dict], places: list[dict], assignments: list[dict]) -> None:
    held = {assignment["place_id"] for assignment in assignments if assignment["state"] in HOLDING}
    touched = {assignment["place_id"] for assignment in assignments}
    by_booklet: dict[int, list[int]] = {}
    for place in places:
        by_booklet.setdefault(place["booklet_id"], []).append(place["id"])
    for booklet in booklets:
        own, state = by_booklet.get(booklet["id"], []), booklet["state"]
        if state == "free":
            assert not touched & set(own), "a free booklet was given out"
        elif state == "taken":
            assert all(place in held for place in own), "a taken booklet has an open place"
        else:
            assert any(place not in held for place in own), "a booklet is called left but is whole"


def _kept_counts_are_right(study: Study, booklets: list[dict], places: list[dict], assignments: list[dict]) -> None:
    """What triggers count for pages of large studies is what a full count gives."""
    of_booklet = Counter(place["booklet_id"] for place in places)
    for booklet in booklets:
        assert booklet["n_places"] == of_booklet[booklet["id"]], "a booklet miscounts its places"
    answered = [
        assignment
        for assignment in assignments
        if assignment["state"] == "submitted" and assignment["place_id"] is not None
    ]
    of_set = Counter(assignment["set_id"] for assignment in answered)
    for set_id, n in RaterSet.objects.filter(rater__study=study).values_list("id", "n_answered"):
        assert n == of_set[set_id], "a set miscounts its answered places"
    listed = _listed(study.pk).get()
    assert (listed.places, listed.answered) == (len(places), len(answered)), "the list of studies miscounts"


@lru_cache(maxsize=1)
def _listed(study_id: int) -> QuerySet[Study]:
    return studies.with_progress(Study.objects.filter(pk=study_id))


def _counts_are_even(booklets: list[dict], units: list[dict], places: list[dict], assignments: list[dict]) -> None:
    """The difference within a task never exceeds one plus the places not yet answered or refilled."""
    claimed = {booklet["id"] for booklet in booklets if booklet["state"] != "free"}
    answered = {assignment["place_id"] for assignment in assignments if assignment["state"] == "submitted"}
    task_of = {unit["id"]: unit["task_id"] for unit in units}
    for task in set(task_of.values()):
        own = [place for place in places if task_of[place["unit_id"]] == task]
        counts = Counter({place["unit_id"]: 0 for place in own})
        for place in own:
            counts[place["unit_id"]] += place["id"] in answered
        waiting = sum(place["booklet_id"] in claimed and place["id"] not in answered for place in own)
        if counts:
            assert max(counts.values()) - min(counts.values()) <= 1 + waiting


def _judgments_are_whole(study: Study, assignments: list[dict]) -> None:
    state_of = {assignment["id"]: assignment["state"] for assignment in assignments}
    rows = list(
        Judgment.objects.filter(assignment__rater__study=study).values(
            "id", "assignment_id", "replaces_id", "skip_reason", "answer"
        )
    )
    firsts = Counter(row["assignment_id"] for row in rows if row["replaces_id"] is None)
    assert all(n == 1 for n in firsts.values()), "an assignment was answered twice"
    for row in rows:
        assert state_of[row["assignment_id"]] in {"submitted", "surplus", "skipped", "replaced"}, (
            "an answer is not counted"
        )
    for assignment, state in state_of.items():
        if state in {"submitted", "surplus", "skipped", "replaced"}:
            assert firsts[assignment] == 1, "a unit counts as answered but has no judgment"
    ratings = Counter(Rating.objects.filter(rater__study=study).values_list("judgment_id", flat=True))
    n_values = _count_values(study, rows)
    for row in rows:
        assert ratings[row["id"]] == n_values[row["id"]], "a judgment has lost or gained ratings"


def _count_values(study: Study, rows: list[dict]) -> dict[int, int]:
    """Count the values of each stored answer."""
    keys = {row["id"]: (row["id"], repr(row["answer"])) for row in rows}
    unread = [row for row in rows if not row["skip_reason"] and keys[row["id"]] not in _VALUES]
    of_row = {row["assignment_id"] for row in unread}
    found = Assignment.objects.filter(pk__in=of_row).select_related("unit").in_bulk() if unread else {}
    for row in unread:
        _VALUES[keys[row["id"]]] = _values_in(study, found[row["assignment_id"]], row["answer"])
    return {row["id"]: 0 if row["skip_reason"] else _VALUES[keys[row["id"]]] for row in rows}


def _values_in(study: Study, assignment: Assignment, answer: dict) -> int:
    """Count the values of a stored answer, as its task type reads it again."""
    kind = screens.frame_of(assignment.unit.task_id, study).kind
    return len(list(kind.ratings(screens.screen_of(assignment, study), answer)))


def ratings_stored() -> int:
    """Count the rows of the ratings table without the ORM."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM tasks_app_rating")
        return int(cursor.fetchone()[0])
