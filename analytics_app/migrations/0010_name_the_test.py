from django.db import migrations

# Plans that were stored before there was a choice keep the tests over texts and the intervals that they had then. The
# right-hand document has precedence, so that a plan that names one already keeps it.
NAME = """
UPDATE analytics_app_plan
   SET document = '{"generalise_to": "texts", "over_raters": "percentile"}'::jsonb || document
"""


class Migration(migrations.Migration):

    dependencies = [('analytics_app', '0009_mark_runs_before_pairs_had_one_order')]

    operations = [migrations.RunSQL(NAME, migrations.RunSQL.noop)]
