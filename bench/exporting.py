"""The ratings of a study as CSV, beside `COPY ... TO STDOUT CSV` of the same columns, unsorted, by `psql`.

Printed is the ratio of the least times of several rounds (the promise: at most 2), and the memory that the export
added to its process, for ten times as many ratings as well: it should stay where it is.
"""

import subprocess
import sys
from pathlib import Path

from django.conf import settings

from bench.analysing import copied
from bench.collected import study_with
from tasks_app.models import Study

# A query for the columns of the export by somebody who knows that nothing was revised, skipped or shared.
SAME_COLUMNS = """
SELECT j.id, t.key, u.key, p.pseudonym, i.key, sy.key, o.variant, NULL, c.key, r.value, r.label, r.text, r.shown_value,
       a.arrangement, r.span_side, r.span_start, r.span_end, r.category, r.severity, j.seconds_active, j.submitted_at,
       a."order", a.purpose, a.repeat_of_id, a.wave, g.key, d.key, j.version, a.state, NULL, r.id
  FROM tasks_app_rating r
  JOIN tasks_app_task t ON t.id = r.task_id
  JOIN tasks_app_judgment j ON j.id = r.judgment_id
  JOIN tasks_app_assignment a ON a.id = j.assignment_id
  JOIN tasks_app_rater p ON p.id = a.rater_id
  JOIN tasks_app_unit u ON u.id = r.unit_id
  JOIN tasks_app_partoutput po ON po.part_id = r.part_id
  JOIN tasks_app_output o ON o.id = po.output_id
  JOIN tasks_app_system sy ON sy.id = o.system_id
  JOIN tasks_app_item i ON i.id = o.item_id
  LEFT JOIN tasks_app_document d ON d.id = i.document_id
  LEFT JOIN tasks_app_group g ON g.id = p.group_id
  LEFT JOIN tasks_app_criterion c ON c.id = r.criterion_id
 WHERE t.study_id = {study}
"""

MOST_COPIES = 2
SIZES = (100_000, 1_000_000)
ROUNDS = 3

ONE = """
import resource, sys, time
import django
django.setup()
from analytics_app.exports import ratings
from tasks_app.models import Study
study = Study.objects.get(slug=sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
began = time.perf_counter()
size = sum(len(piece) for piece in ratings.stream(study, format="csv"))
print(time.perf_counter() - began, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024, size / 2**20)
"""


def exported(study: Study) -> tuple[float, float, float]:
    """Export in a process of its own; returns seconds, MiB of memory added and MiB written."""
    command = [sys.executable, "-c", ONE, study.slug]
    answer = subprocess.run(command, cwd=Path(settings.BASE_DIR), check=True, capture_output=True, text=True)
    seconds, memory, written = map(float, answer.stdout.split())
    return seconds, memory, written


def main() -> None:
    """Print the time and memory of each size."""
    for size in SIZES:
        study = Study.objects.filter(slug=f"bench-{size}").first() or study_with(size)
        sql = SAME_COLUMNS.format(study=study.pk)
        rounds = [(copied(sql, keep=True)[0], exported(study)) for _round in range(ROUNDS)]
        copies = min(copy for copy, _ours in rounds)
        ours = min(seconds for _copy, (seconds, _memory, _written) in rounds)
        _seconds, memory, written = rounds[-1][1]
        print(
            f"{size:>9,} ratings exported: {ours:.2f} s = {ours / copies:.1f} copies by psql ({copies:.2f} s, "
            f"promised: at most {MOST_COPIES}); {written:.0f} MiB written, {memory:.0f} MiB of memory added"
        )


if __name__ == "__main__":
    main()
