"""A worker stores texts, too: the check of a set-up becomes one kind of work."""

import django.db.models.deletion
from django.db import migrations, models

STATES = ["queued", "reading", "planning", "storing", "done", "refused"]


class Migration(migrations.Migration):

    dependencies = [("tasks_app", "0015_comments")]

    operations = [
        migrations.RenameModel("SetupCheck", "SetupWork"),
        migrations.RemoveConstraint("setupwork", "setup_check_state"),
        migrations.AlterField(
            "setupwork",
            "setup",
            models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE, related_name="work", to="tasks_app.setup"
            ),
        ),
        migrations.AlterField(
            "setupwork",
            "state",
            models.CharField(
                choices=[
                    ("queued", "queued"),
                    ("reading", "reading the tables"),
                    ("planning", "drawing the plan"),
                    ("storing", "storing"),
                    ("done", "done"),
                    ("refused", "refused"),
                ],
                default="queued",
                max_length=10,
            ),
        ),
        migrations.AddField(
            "setupwork",
            "kind",
            models.CharField(
                choices=[("check", "check everything"), ("texts", "store texts")], default="check", max_length=10
            ),
        ),
        migrations.AddField("setupwork", "given", models.JSONField(default=dict)),
        migrations.AddConstraint(
            "setupwork",
            models.CheckConstraint(condition=models.Q(("state__in", STATES)), name="setup_work_state"),
        ),
        migrations.AddConstraint(
            "setupwork",
            models.CheckConstraint(condition=models.Q(("kind__in", ["check", "texts"])), name="setup_work_kind"),
        ),
    ]
