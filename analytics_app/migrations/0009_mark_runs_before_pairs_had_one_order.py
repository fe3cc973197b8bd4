from django.db import migrations

# Tasks whose pairs could count as two texts: ratings that name the two texts in the other order or not both of them,
# ratings of how much better a text is, counted as a text of their own, and ratings of triangles that name a text.
CONCERNED = """
SELECT t.study_id, t.key, min(r.id)
  FROM tasks_app_task t JOIN tasks_app_rating r ON r.task_id = t.id
 WHERE t.type = 'pairwise'
   AND (r.part_b_id < r.part_id OR r.value IS NOT NULL OR (r.label IS NOT NULL AND r.part_b_id IS NULL))
    OR t.type = 'triangle' AND r.part_id IS NOT NULL
 GROUP BY t.study_id, t.key
"""

# The number of a run stays as it was computed; pages and files say so (analytics_app.results.UNCORRECTED).
MARK = """
UPDATE analytics_app_run
   SET facts = jsonb_set(facts, ARRAY['tasks', %(task)s, 'uncorrected'], '["pair_order"]')
 WHERE study_id = %(study)s AND state = 'done' AND high_water >= %(rating)s
   AND jsonb_typeof(facts->'tasks'->%(task)s) = 'object'
"""


def mark_old_runs(apps, schema_editor):
    mark(apps, schema_editor.connection)


def mark(apps, connection):
    with connection.cursor() as cursor:
        cursor.execute(CONCERNED)
        for study, task, rating in cursor.fetchall():
            cursor.execute(MARK, {"study": study, "task": task, "rating": rating})


class Migration(migrations.Migration):

    dependencies = [
        ('analytics_app', '0008_measured_outcomes'),
        ('tasks_app', '0017_coding'),
    ]

    operations = [migrations.RunPython(mark_old_runs, migrations.RunPython.noop)]
