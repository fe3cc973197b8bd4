import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_app', '0011_frozen_setup'),
    ]

    operations = [
        migrations.AddField(
            model_name='study',
            name='follows',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='successors', to='tasks_app.version'),
        ),
    ]
