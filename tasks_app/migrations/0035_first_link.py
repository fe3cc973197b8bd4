from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_app', '0034_consent_answers'),
    ]

    operations = [
        migrations.AddField(
            model_name='rater',
            name='first_link',
            field=models.CharField(blank=True, max_length=64, null=True, unique=True),
        ),
    ]
