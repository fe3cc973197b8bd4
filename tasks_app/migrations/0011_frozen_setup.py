from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_app', '0010_project_work'),
    ]

    operations = [
        migrations.AddField(
            model_name='setup',
            name='version',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
    ]
