from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_app', '0037_imports_and_attributes'),
    ]

    operations = [
        migrations.AddField(
            model_name='rating',
            name='mark_reason',
            field=models.TextField(null=True),
        ),
    ]
