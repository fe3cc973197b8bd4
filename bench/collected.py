"""Studies full of ratings from elsewhere, made by a few statements."""

from pathlib import Path
from tempfile import TemporaryDirectory

from django.db import connection

from tasks_app import studyfile
from tasks_app.models import Study

CRITERIA, SYSTEMS, RATERS_A_UNIT = 10, 5, 10

STUDY = """
evalweb: 1
study: {{slug: {slug}, title: Bench, public_title: Reading}}
criteria:
{criteria}
tasks:
  - {{key: main, type: likert, criteria: [{keys}], k: 1, params: {{points: 5}}}}
"""

# Each unit is judged by ten raters next to each other in a ring, so that every rater meets every system.
ASSIGN = """
WITH u AS (
    SELECT u.id, row_number() OVER (ORDER BY u.id) - 1 AS n
    FROM tasks_app_unit u JOIN tasks_app_task t ON t.id = u.task_id WHERE t.study_id = %(study)s),
r AS (
    INSERT INTO tasks_app_rater (study_id, pseudonym, kind, seed, token_hash, version, language, state, completion_code,
        prefs, channel, link_number)
    SELECT %(study)s, 'r' || lpad(n::text, 6, '0'), 'imported', n, 'bench-' || %(study)s || '-' || n, 1, 'en',
        'enrolled', '', '{}', 'link', 0 FROM generate_series(0, %(raters)s - 1) n RETURNING id, seed)
INSERT INTO tasks_app_assignment (rater_id, rater_kind, unit_id, purpose, "order", arrangement, wave, version, state)
SELECT r.id, 'imported', u.id, 'main', u.n + 1, '{}', 1, 1, 'submitted'
FROM u CROSS JOIN generate_series(0, %(times)s - 1) k JOIN r ON r.seed = (u.n / 7 + k) %% %(raters)s
"""

JUDGE = """
INSERT INTO tasks_app_judgment (assignment_id, submission, answer, skip_reason, comment, log, version, seconds_active)
SELECT a.id, gen_random_uuid(), '{}', '', '', '[]', 1, 10
FROM tasks_app_assignment a JOIN tasks_app_rater r ON r.id = a.rater_id WHERE r.study_id = %(study)s
"""

# Quality of the system and of the text, severity of the rater, and chance, cut to five steps.
RATE = """
INSERT INTO tasks_app_rating (judgment_id, task_id, rater_id, unit_id, part_id, criterion_id, number, value)
SELECT j.id, u.task_id, a.rater_id, a.unit_id, p.id, c.id, 1,
    greatest(1, least(5, round(3 + (o.system_id %% %(systems)s - 2) * 0.3 + ((u.id * 7919) %% 13 - 6) * 0.15
        + ((r.seed * 31) %% 7 - 3) * 0.2 + (((j.id * 2654435761) # (c.id * 40503)) %% 1000 - 500) * 0.003)))
FROM tasks_app_judgment j
JOIN tasks_app_assignment a ON a.id = j.assignment_id
JOIN tasks_app_rater r ON r.id = a.rater_id
JOIN tasks_app_unit u ON u.id = a.unit_id
JOIN tasks_app_part p ON p.unit_id = u.id
JOIN tasks_app_partoutput po ON po.part_id = p.id
JOIN tasks_app_output o ON o.id = po.output_id
JOIN tasks_app_criterion c ON c.study_id = %(study)s
WHERE r.study_id = %(study)s
"""


def study_with(ratings: int, criteria: int = CRITERIA) -> Study:
    """Make a closed study with so many ratings: 5 systems, 10 raters a text."""
    units = ratings // criteria // RATERS_A_UNIT
    slug = f"bench-{ratings}"
    keys = [f"c{number}" for number in range(criteria)]
    rows = [
        f"i{item},s{system},Output of system {system} for item {item}"
        for item in range(units // SYSTEMS)
        for system in range(SYSTEMS)
    ]
    with TemporaryDirectory() as name:
        folder = Path(name)
        criteria_lines = "\n".join(f"  - {{key: {key}, name: {key}, question: How good}}" for key in keys)
        (folder / "study.yaml").write_text(STUDY.format(slug=slug, criteria=criteria_lines, keys=", ".join(keys)))
        (folder / "items.csv").write_text("\n".join(["item,system,output", *rows]))
        study = studyfile.load(folder, owner=None)
    params = {"study": study.pk, "raters": max(12, units // 50), "times": RATERS_A_UNIT, "systems": SYSTEMS}
    with connection.cursor() as cursor:
        for statement in (ASSIGN, JUDGE, RATE):
            cursor.execute(statement, params)
        cursor.execute("UPDATE tasks_app_study SET state = 'closed', current_version = 1 WHERE id = %(study)s", params)
        cursor.execute("VACUUM ANALYZE tasks_app_rating, tasks_app_judgment, tasks_app_assignment")
    study.refresh_from_db()
    return study
