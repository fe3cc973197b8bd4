"""Statuses of raters as a platform exports them, or as a pasted list."""

from collections.abc import Collection

from django.utils.translation import gettext as _

from tasks_app.importing.sheets import Sheet, place, value
from tasks_app.services.arrival.platform_statuses import Report
from tasks_app.studyfile.problems import Problems, nearest

# Column names of Prolific's demographic export; further columns are ignored.
COLUMNS = {
    "submission id": "submission",
    "participant id": "participant",
    "status": "status",
    "submission_id": "submission",
    "participant_id": "participant",
}


def read(name: str, text: str, statuses: Collection[str]) -> list[Report]:
    """Return the report of each submission in a file.

    Raises
    ------
    tasks_app.studyfile.StudyFileError
        With every problem; nothing is entered then.
    """
    problems = Problems()
    rows = Sheet(name, text, COLUMNS, ("submission", "participant", "status")).rows(problems)
    line_of: dict[str, int] = {}
    reports = []
    for row in rows:
        report = Report(
            place(row, "status")[0], value(row, "participant"), value(row, "submission"), spelled(value(row, "status"))
        )
        if report.status not in statuses:
            sentence = _("“%(status)s” is not a known status.") % {"status": value(row, "status")}
            problems.add(name, *place(row, "status"), f"{sentence} {nearest(report.status, statuses)}".rstrip())
        for column in ("participant", "submission"):
            if not value(row, column):
                problems.add(name, *place(row, column), _("An id is missing."))
        before = line_of.setdefault(report.submission, report.line)
        if report.submission and before != report.line:
            sentence = _("This submission stands in line %(line)d already.")
            problems.add(name, *place(row, "submission"), sentence % {"line": before})
        reports.append(report)
    problems.raise_if_any()
    return reports


def spelled(status: str) -> str:
    """Write a status as Prolific's documentation does, however a file has it."""
    plain = " ".join(status.upper().replace("_", " ").replace("-", " ").split())
    return "TIMED-OUT" if plain == "TIMED OUT" else plain
