"""Let raters be stopped by a limit."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_app', '0017_coding'),
    ]

    operations = [
        migrations.AlterField(
            model_name='rater',
            name='outcome',
            field=models.CharField(blank=True, choices=[('completed', 'completed'), ('screened_out', 'screened out'), ('failed', 'failed the exam'), ('full', 'study full'), ('withdrawn', 'stopped'), ('returned', 'returned on the platform'), ('timed_out', 'timed out on the platform'), ('stopped', 'stopped by a limit')], max_length=20, null=True),
        ),
    ]
