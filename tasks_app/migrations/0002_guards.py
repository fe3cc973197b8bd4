"""Guarantees that hold against plain SQL as well: append-only judgments, frozen designs, composite foreign keys."""

from typing import ClassVar

from django.db import migrations

APPEND_ONLY = """
CREATE FUNCTION evalweb_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('evalweb.erasing', true) = 'on' THEN
        RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
    END IF;
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'restrict_violation',
              HINT = 'A changed answer is a new judgment; erasure goes through the erasure service.';
END $$;
CREATE TRIGGER judgment_append_only BEFORE UPDATE OR DELETE ON tasks_app_judgment
    FOR EACH ROW EXECUTE FUNCTION evalweb_append_only();
CREATE TRIGGER rating_append_only BEFORE UPDATE OR DELETE ON tasks_app_rating
    FOR EACH ROW EXECUTE FUNCTION evalweb_append_only();
CREATE TRIGGER version_append_only BEFORE UPDATE OR DELETE ON tasks_app_version
    FOR EACH ROW EXECUTE FUNCTION evalweb_append_only();
"""

APPEND_ONLY_BACK = """
DROP TRIGGER judgment_append_only ON tasks_app_judgment;
DROP TRIGGER rating_append_only ON tasks_app_rating;
DROP TRIGGER version_append_only ON tasks_app_version;
DROP FUNCTION evalweb_append_only();
"""

# A row belongs to a frozen version when its study's current version has reached its `since`. What hangs on a
# unit (parts, gold) shares the unit's. `until` closes a row; `k` is the number of its places, which may grow.
FROZEN = """
CREATE FUNCTION evalweb_is_frozen(tab text, entry jsonb) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE current integer; first integer;
BEGIN
    IF tab IN ('tasks_app_task', 'tasks_app_criterion', 'tasks_app_item') THEN
        SELECT s.current_version, (entry->>'since')::int INTO current, first
          FROM tasks_app_study s WHERE s.id = (entry->>'study_id')::bigint;
    ELSIF tab = 'tasks_app_consenttext' THEN
        SELECT s.current_version, (entry->>'version')::int INTO current, first
          FROM tasks_app_study s WHERE s.id = (entry->>'study_id')::bigint;
    ELSIF tab = 'tasks_app_output' THEN
        SELECT s.current_version, (entry->>'since')::int INTO current, first
          FROM tasks_app_item i JOIN tasks_app_study s ON s.id = i.study_id
         WHERE i.id = (entry->>'item_id')::bigint;
    ELSIF tab = 'tasks_app_unit' THEN
        SELECT s.current_version, (entry->>'since')::int INTO current, first
          FROM tasks_app_task t JOIN tasks_app_study s ON s.id = t.study_id
         WHERE t.id = (entry->>'task_id')::bigint;
    ELSIF tab = 'tasks_app_taskcriterion' THEN
        SELECT s.current_version, t.since INTO current, first
          FROM tasks_app_task t JOIN tasks_app_study s ON s.id = t.study_id
         WHERE t.id = (entry->>'task_id')::bigint;
    ELSIF tab IN ('tasks_app_part', 'tasks_app_gold') THEN
        SELECT s.current_version, u.since INTO current, first
          FROM tasks_app_unit u JOIN tasks_app_task t ON t.id = u.task_id
          JOIN tasks_app_study s ON s.id = t.study_id
         WHERE u.id = (entry->>'unit_id')::bigint;
    ELSE
        SELECT s.current_version, u.since INTO current, first
          FROM tasks_app_part p JOIN tasks_app_unit u ON u.id = p.unit_id
          JOIN tasks_app_task t ON t.id = u.task_id JOIN tasks_app_study s ON s.id = t.study_id
         WHERE p.id = (entry->>'part_id')::bigint;
    END IF;
    RETURN COALESCE(current >= first, false);
END $$;

CREATE FUNCTION evalweb_frozen_design() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND to_jsonb(NEW) - ARRAY['until', 'k'] = to_jsonb(OLD) - ARRAY['until', 'k'] THEN
        RETURN NEW;
    END IF;
    IF TG_OP <> 'INSERT' AND evalweb_is_frozen(TG_TABLE_NAME, to_jsonb(OLD))
       OR TG_OP <> 'DELETE' AND evalweb_is_frozen(TG_TABLE_NAME, to_jsonb(NEW)) THEN
        RAISE EXCEPTION '% is part of a frozen version: % refused', TG_TABLE_NAME, TG_OP
            USING ERRCODE = 'restrict_violation',
                  HINT = 'An edit closes the row and adds one with the same key in the next version.';
    END IF;
    RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;
"""

FROZEN_BACK = """
DROP FUNCTION evalweb_frozen_design();
DROP FUNCTION evalweb_is_frozen(text, jsonb);
"""

FROZEN_TABLES = (
    "task",
    "criterion",
    "item",
    "output",
    "unit",
    "taskcriterion",
    "part",
    "partoutput",
    "gold",
    "prefill",
    "consenttext",
)

FOREIGN_KEYS = """
ALTER TABLE tasks_app_assignment ADD CONSTRAINT assignment_place_is_of_unit
    FOREIGN KEY (place_id, unit_id) REFERENCES tasks_app_place (id, unit_id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE tasks_app_assignment ADD CONSTRAINT assignment_kind_is_of_rater
    FOREIGN KEY (rater_id, rater_kind) REFERENCES tasks_app_rater (id, kind) DEFERRABLE INITIALLY DEFERRED;
"""

FOREIGN_KEYS_BACK = """
ALTER TABLE tasks_app_assignment DROP CONSTRAINT assignment_place_is_of_unit;
ALTER TABLE tasks_app_assignment DROP CONSTRAINT assignment_kind_is_of_rater;
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("tasks_app", "0001_initial")]

    operations: ClassVar = [
        migrations.RunSQL(APPEND_ONLY, APPEND_ONLY_BACK),
        migrations.RunSQL(FROZEN, FROZEN_BACK),
        *(
            migrations.RunSQL(
                f"CREATE TRIGGER {table}_frozen BEFORE INSERT OR UPDATE OR DELETE ON tasks_app_{table} "
                "FOR EACH ROW EXECUTE FUNCTION evalweb_frozen_design();",
                f"DROP TRIGGER {table}_frozen ON tasks_app_{table};",
            )
            for table in FROZEN_TABLES
        ),
        migrations.RunSQL(FOREIGN_KEYS, FOREIGN_KEYS_BACK),
    ]
