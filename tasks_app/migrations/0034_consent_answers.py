from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_app', '0033_rehearsals'),
    ]

    operations = [
        migrations.AddField(
            model_name='setup',
            name='consent_answers',
            field=models.JSONField(db_default={}, default=dict),
        ),
    ]
