"""Studies with many raters and many places, filled by a few statements: for the bench, and small ones for tests."""

from pathlib import Path
from tempfile import TemporaryDirectory

from django.contrib.auth.models import User
from django.db import connection

from tasks_app import studyfile
from tasks_app.models import DeletedStudy, Study
from tasks_app.services.study import deleting, lifecycle

SET_SIZE, CONTROLS, REPEATS = 20, 2, 1
# Texts beside those of the systems whose answer is known.
KNOWN = 10

STUDY = """
evalweb: 1
study: {{slug: {slug}, title: Study {slug}, public_title: Reading}}
pay: {{minutes: 20, amount: 4.00, currency: EUR, part_amount: 0.50}}
flow: {{enrolments_per_address: 1000000, sets_per_rater: 1000}}
channels: {{link: {{}}, prolific: {{}}, invited: {{lease_days: 3}}}}
codes: {{completed: CDONE, screened_out: CSCREEN, failed: CTEST, full: CFULL, withdrawn: CSTOP}}
criteria:
{criteria}
tasks:
  - key: main
    type: likert
    criteria: [{keys}]
    k: {k}
    set_size: {set_size}
    spacing: 5
    checks: {{controls: {controls}, repeats: {repeats}}}
"""

# The rater of a booklet has its neighbours too, and so no unit twice. The last raters of 14 are still at work.
TAKE = """
WITH r AS (
    INSERT INTO tasks_app_rater (study_id, pseudonym, kind, seed, token_hash, version, language, state, outcome,
        completion_code, prefs, channel, link_number, enrolled_at, instructed_at, ended_at)
    SELECT %(study)s, 'rater-' || lpad(n::text, 6, '0'), 'real', n, 'crowd-' || %(study)s || '-' || n, 1, 'en',
        CASE WHEN n %% 14 = 13 THEN 'judging' ELSE 'ended' END, CASE WHEN n %% 14 = 13 THEN NULL ELSE 'completed' END,
        'C' || n, '{}', CASE WHEN n %% 3 = 0 THEN 'invited' ELSE 'prolific' END, 0,
        now() - interval '3 days', now() - interval '3 days', CASE WHEN n %% 14 < 13 THEN now() - interval '1 day' END
    FROM generate_series(0, %(raters)s - 1) n RETURNING id, seed, state),
b AS (
    UPDATE tasks_app_booklet b SET state = 'taken'
    WHERE task_id IN (SELECT id FROM tasks_app_task WHERE study_id = %(study)s) AND number <= %(booklets)s
    RETURNING id, task_id, number, ((number - 1)::bigint * %(raters)s / %(booklets)s) AS rater)
INSERT INTO tasks_app_raterset (rater_id, task_id, booklet_id, number, version, state, wave, lease_until)
SELECT r.id, b.task_id, b.id, row_number() OVER own, 1,
    CASE WHEN r.state = 'judging' AND row_number() OVER (PARTITION BY r.id ORDER BY b.number DESC) = 1
         THEN 'open' ELSE 'finished' END, 1, now() + interval '30 minutes'
FROM b JOIN r ON r.seed = b.rater WINDOW own AS (PARTITION BY r.id ORDER BY b.number)
"""

# The second half of an open set is still to be answered.
MAIN = """
INSERT INTO tasks_app_assignment (rater_id, rater_kind, set_id, unit_id, purpose, place_id, "order", arrangement, wave,
    version, state, first_shown)
SELECT s.rater_id, 'real', s.id, p.unit_id, 'main', p.id, 100 * s.number + p."order", p.arrangement, 1, 1,
    CASE WHEN s.state = 'open' AND p."order" * 2 > %(set_size)s THEN 'reserved' ELSE 'submitted' END,
    now() - interval '2 days' + (100 * s.number + p."order") * interval '10 seconds'
FROM tasks_app_raterset s JOIN tasks_app_rater r ON r.id = s.rater_id
JOIN tasks_app_place p ON p.booklet_id = s.booklet_id WHERE r.study_id = %(study)s
"""

CONTROL = """
WITH known AS (
    SELECT u.id, row_number() OVER (ORDER BY u.id) - 1 AS n, count(*) OVER () AS of
    FROM tasks_app_unit u JOIN tasks_app_task t ON t.id = u.task_id
    WHERE t.study_id = %(study)s AND EXISTS (SELECT 1 FROM tasks_app_gold g WHERE g.unit_id = u.id))
INSERT INTO tasks_app_assignment (rater_id, rater_kind, set_id, unit_id, purpose, "order", arrangement, wave, version,
    state, first_shown)
SELECT s.rater_id, 'real', s.id, known.id, 'control', 100 * s.number + 50 + c, '{}', 1, 1, 'submitted',
    now() - interval '2 days' + (100 * s.number + 50 + c) * interval '10 seconds'
FROM tasks_app_raterset s JOIN tasks_app_rater r ON r.id = s.rater_id CROSS JOIN generate_series(1, %(controls)s) c
JOIN known ON known.n = (s.id + c) %% known.of
WHERE r.study_id = %(study)s
"""

REPEAT = """
INSERT INTO tasks_app_assignment (rater_id, rater_kind, set_id, unit_id, purpose, repeat_of_id, "order", arrangement,
    wave, version, state, first_shown)
SELECT DISTINCT ON (a.set_id) a.rater_id, 'real', a.set_id, a.unit_id, 'repeat', a.id, a."order" + 70, a.arrangement, 1,
    1, 'submitted', a.first_shown + interval '10 minutes'
FROM tasks_app_assignment a JOIN tasks_app_rater r ON r.id = a.rater_id
WHERE r.study_id = %(study)s AND a.purpose = 'main' ORDER BY a.set_id, a."order"
"""

JUDGE = """
WITH j AS (
    INSERT INTO tasks_app_judgment (assignment_id, submission, answer, skip_reason, comment, log, version,
        seconds_active, submitted_at)
    SELECT a.id, gen_random_uuid(), '{}', '', '', '[]', 1, 8, a.first_shown + interval '9 seconds'
    FROM tasks_app_assignment a JOIN tasks_app_rater r ON r.id = a.rater_id
    WHERE r.study_id = %(study)s AND a.state = 'submitted' RETURNING id, assignment_id)
INSERT INTO tasks_app_rating (judgment_id, task_id, rater_id, unit_id, part_id, criterion_id, number, value)
SELECT j.id, u.task_id, a.rater_id, a.unit_id, p.id, c.id, 1,
    1 + ((u.id * 7919 + c.id) %% 13 + (a.rater_id * 31) %% 7 + (j.id * 2654435761 # c.id * 40503) %% 11) %% 5
FROM j JOIN tasks_app_assignment a ON a.id = j.assignment_id JOIN tasks_app_unit u ON u.id = a.unit_id
JOIN tasks_app_part p ON p.unit_id = u.id JOIN tasks_app_criterion c ON c.study_id = %(study)s
"""

GRADE = """
INSERT INTO tasks_app_controlresult (judgment_id, gold_id, passed, detail)
SELECT j.id, g.id, (j.id + g.id) %% 5 > 0, '{}'
FROM tasks_app_judgment j JOIN tasks_app_assignment a ON a.id = j.assignment_id
JOIN tasks_app_rater r ON r.id = a.rater_id JOIN tasks_app_gold g ON g.unit_id = a.unit_id
WHERE r.study_id = %(study)s AND a.purpose = 'control'
"""

# Rows that belong to a rater: id on a platform, invitation, pay, exclusion by hand, lines of the log.
BESIDE = (
    """INSERT INTO tasks_app_identity (rater_id, study_id, channel, external_id, session_id, email, details, status)
       SELECT id, study_id, channel, 'external-' || id, 'session-' || id, '', '{}', '' FROM tasks_app_rater
       WHERE study_id = %(study)s AND channel = 'prolific'""",
    """INSERT INTO tasks_app_invitation (study_id, name, email, token_hash, rater_id, language)
       SELECT study_id, 'Person ' || id, '', 'invited-' || id, id, ''
       FROM tasks_app_rater
       WHERE study_id = %(study)s AND channel = 'invited'""",
    """INSERT INTO tasks_app_payment (rater_id, kind, amount, reason)
       SELECT r.id, 'full', 4 * count(*), '' FROM tasks_app_rater r JOIN tasks_app_raterset s ON s.rater_id = r.id
       WHERE r.study_id = %(study)s AND r.state = 'ended' GROUP BY r.id""",
    """INSERT INTO tasks_app_payment (rater_id, kind, amount, reason)
       SELECT id, 'bonus', 1, 'care' FROM tasks_app_rater WHERE study_id = %(study)s AND seed %% 5 = 0""",
    """INSERT INTO analytics_app_exclusion (study_id, rule, rater_id, reason)
       SELECT study_id, 'manual', id, 'asked to be left out' FROM tasks_app_rater
       WHERE study_id = %(study)s AND seed %% 20 = 0""",
    """INSERT INTO tasks_app_event (study_id, verb, object, at)
       SELECT study_id, 'made a personal link', '', now() FROM tasks_app_rater WHERE study_id = %(study)s""",
)


def load(slug: str, *, items: int, systems: int, k: int, criteria: int, owner: User | None) -> Study:
    """Load and open a study of `items` x `systems` units and 10 control units by its study file."""
    study = load_draft(slug, items=items, systems=systems, k=k, criteria=criteria, owner=owner)
    return lifecycle.move(study_id=study.pk, action="open", by=None)


def load_draft(slug: str, *, items: int, systems: int, k: int, criteria: int, owner: User | None) -> Study:
    """Load such a study without opening it."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, slug, items=items, systems=systems, k=k, criteria=criteria)
        return studyfile.load(folder, owner=owner)


def write_files(folder: Path, slug: str, *, items: int, systems: int, k: int, criteria: int) -> None:
    """Write the study file of such a study into a folder."""
    keys = [f"c{number}" for number in range(criteria)]
    criteria_yaml = "\n".join(f"  - {{key: {key}, name: {key}, question: How good}}" for key in keys)
    rows = [
        f"i{item},s{system},Output of system {system} for item {item} with some more words in it"
        for item in range(items)
        for system in range(systems)
    ]
    rows += [f"known{number},s0,A text whose answer number {number} is known" for number in range(KNOWN)]
    controls = [f"main,known{number}/s0,control,c0,range,[1 4]," for number in range(KNOWN)]
    (folder / "study.yaml").write_text(
        STUDY.format(
            slug=slug,
            criteria=criteria_yaml,
            keys=", ".join(keys),
            k=k,
            set_size=min(SET_SIZE, items * systems),
            controls=CONTROLS,
            repeats=REPEATS,
        )
    )
    (folder / "items.csv").write_text("\n".join(["item,system,output", *rows]))
    (folder / "controls.csv").write_text(
        "\n".join(["task,unit,purpose,criterion,kind,answer,explanation", *controls]).replace("[1 4]", '"[1, 4]"')
    )


def delete_another(owner: User | None) -> DeletedStudy:
    """Make a small draft and delete it, so that there is a deleted study."""
    draft = load_draft("deleted", items=20, systems=2, k=1, criteria=1, owner=owner)
    return deleting.delete(study_id=draft.pk, by=owner)


def fill(study: Study, *, raters: int, booklets: int) -> None:
    """Have raters take and answer the first booklets of a study, and store the rows beside raters."""
    params = {
        "study": study.pk,
        "raters": raters,
        "booklets": booklets,
        "controls": CONTROLS,
        "set_size": study.tasks.get().set_size,
    }
    with connection.cursor() as cursor:
        for statement in (TAKE, MAIN, CONTROL, REPEAT, JUDGE, GRADE, *BESIDE):
            cursor.execute(statement, params)
