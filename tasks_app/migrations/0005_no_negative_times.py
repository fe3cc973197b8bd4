"""No answer took less than no time. Answers stored before stay as they are: they are never changed."""

from typing import ClassVar

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("tasks_app", "0004_recruitment")]

    operations: ClassVar = [
        AddConstraintNotValid(
            model_name="judgment",
            constraint=models.CheckConstraint(
                condition=models.Q(seconds_active__gte=0) & models.Q(seconds_elapsed__gte=0), name="judgment_seconds"
            ),
        ),
    ]
