"""Counts that pages of large studies read: places of a booklet, and answered places of a set (decision 0045)."""

from typing import ClassVar

from django.db import migrations, models

# Many places come and go in one statement: with a plan, and when k is raised or lowered.
PLACES = """
CREATE FUNCTION evalweb_count_places() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        UPDATE tasks_app_booklet b SET n_places = b.n_places + c.n
          FROM (SELECT booklet_id, count(*) AS n FROM new_rows GROUP BY booklet_id) c WHERE b.id = c.booklet_id;
    ELSIF TG_OP = 'DELETE' THEN
        UPDATE tasks_app_booklet b SET n_places = b.n_places - c.n
          FROM (SELECT booklet_id, count(*) AS n FROM old_rows GROUP BY booklet_id) c WHERE b.id = c.booklet_id;
    ELSE
        UPDATE tasks_app_booklet SET n_places = n_places - 1 WHERE id = OLD.booklet_id;
        UPDATE tasks_app_booklet SET n_places = n_places + 1 WHERE id = NEW.booklet_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER place_added AFTER INSERT ON tasks_app_place REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION evalweb_count_places();
CREATE TRIGGER place_removed AFTER DELETE ON tasks_app_place REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION evalweb_count_places();
CREATE TRIGGER place_moved AFTER UPDATE OF booklet_id ON tasks_app_place
    FOR EACH ROW WHEN (OLD.booklet_id <> NEW.booklet_id) EXECUTE FUNCTION evalweb_count_places();
UPDATE tasks_app_booklet b SET n_places = c.n
  FROM (SELECT booklet_id, count(*) AS n FROM tasks_app_place GROUP BY booklet_id) c WHERE b.id = c.booklet_id;
"""

PLACES_BACK = """
DROP TRIGGER place_added ON tasks_app_place;
DROP TRIGGER place_removed ON tasks_app_place;
DROP TRIGGER place_moved ON tasks_app_place;
DROP FUNCTION evalweb_count_places();
"""

# The conditions are checked without a call of the function: showing a unit and storing an imported one cost nothing.
ANSWERS = """
CREATE FUNCTION evalweb_count_answers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' AND OLD.state = 'submitted' AND OLD.place_id IS NOT NULL THEN
        UPDATE tasks_app_raterset SET n_answered = n_answered - 1 WHERE id = OLD.set_id;
    END IF;
    IF TG_OP <> 'DELETE' AND NEW.state = 'submitted' AND NEW.place_id IS NOT NULL THEN
        UPDATE tasks_app_raterset SET n_answered = n_answered + 1 WHERE id = NEW.set_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER answer_added AFTER INSERT ON tasks_app_assignment
    FOR EACH ROW WHEN (NEW.state = 'submitted' AND NEW.place_id IS NOT NULL)
    EXECUTE FUNCTION evalweb_count_answers();
CREATE TRIGGER answer_removed AFTER DELETE ON tasks_app_assignment
    FOR EACH ROW WHEN (OLD.state = 'submitted' AND OLD.place_id IS NOT NULL)
    EXECUTE FUNCTION evalweb_count_answers();
CREATE TRIGGER answer_changed AFTER UPDATE OF state, place_id, set_id ON tasks_app_assignment
    FOR EACH ROW WHEN (
        (OLD.state = 'submitted' AND OLD.place_id IS NOT NULL)
            IS DISTINCT FROM (NEW.state = 'submitted' AND NEW.place_id IS NOT NULL)
        OR OLD.set_id IS DISTINCT FROM NEW.set_id)
    EXECUTE FUNCTION evalweb_count_answers();
UPDATE tasks_app_raterset s SET n_answered = c.n
  FROM (SELECT set_id, count(*) AS n FROM tasks_app_assignment
        WHERE state = 'submitted' AND place_id IS NOT NULL GROUP BY set_id) c WHERE s.id = c.set_id;
"""

ANSWERS_BACK = """
DROP TRIGGER answer_added ON tasks_app_assignment;
DROP TRIGGER answer_removed ON tasks_app_assignment;
DROP TRIGGER answer_changed ON tasks_app_assignment;
DROP FUNCTION evalweb_count_answers();
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("tasks_app", "0005_no_negative_times")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="booklet",
            name="n_places",
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name="raterset",
            name="n_answered",
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(place__isnull=True) | models.Q(set__isnull=False), name="assignment_place_in_set"
            ),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(
                fields=["set", "unit"],
                condition=models.Q(state="submitted", place__isnull=False),
                name="assignment_answered",
            ),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(
                fields=["unit"],
                condition=models.Q(state__in=["reserved", "live", "surplus", "skipped"]),
                name="assignment_beside",
            ),
        ),
        migrations.RunSQL(PLACES, PLACES_BACK),
        migrations.RunSQL(ANSWERS, ANSWERS_BACK),
    ]
