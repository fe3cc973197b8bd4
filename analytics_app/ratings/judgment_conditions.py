"""SQL conditions on judgments that several statements share: which judgments are current, and which count in a run.

Each is over the aliases of a judgment and of its assignment, and has the run's marks and settings as parameters.
"""

from tasks_app.models import is_current

# The mark up to which judgments are there for a run.
_MARK = "%(judgment_high)s"

# Whose answers: those of people, or those of automatic metrics, whose ids are `metrics`.
PEOPLE, METRICS = "<> ALL", "= ANY"

# An answer up to the run's marks, neither skipped nor given up nor about a text that was withdrawn, of whoever did not
# only try the study out. `added` are the ids of answers at places added while the study was open that the run leaves
# out.
_GIVEN = """({judgment}.id <= %(judgment_high)s AND {judgment}.skip_reason = ''
       AND {judgment}.id <> ALL(%(added)s::bigint[])
       AND {judgment}.version = ANY(%(versions)s) AND {assignment}.rater_kind <> 'sandbox'
       AND {assignment}.rater_id {whose}(%(metrics)s::bigint[]) AND {assignment}.unit_id <> ALL(%(withdrawn)s)
       AND {assignment}.state NOT IN ('withdrawn', 'returned') AND (%(surplus)s OR {assignment}.state <> 'surplus'))"""


def was_current(judgment: str = "j") -> str:
    """Return the condition that a judgment was the current answer at the run's marks."""
    return is_current(judgment, until=_MARK)


def is_given(judgment: str = "j", assignment: str = "a", *, whose: str = PEOPLE) -> str:
    """Return the condition that a judgment is an answer that counts, be it replaced since or not."""
    return _GIVEN.format(judgment=judgment, assignment=assignment, whose=whose)


def counts(judgment: str = "j", assignment: str = "a", *, whose: str = PEOPLE) -> str:
    """Return the condition that a judgment is an answer that counts, as it stood at the run's marks."""
    return f"({is_given(judgment, assignment, whose=whose)} AND {was_current(judgment)})"
