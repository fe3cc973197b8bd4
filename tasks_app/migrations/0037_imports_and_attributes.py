import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_app', '0036_mark_origin'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='system',
            name='attributes',
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
        migrations.CreateModel(
            name='ImportWork',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('table', 'texts and ratings in one table'), ('format', 'files of a known format'), ('ratings', 'ratings for texts of the study')], max_length=10)),
                ('given', models.JSONField(default=dict)),
                ('only_checked', models.BooleanField(default=False)),
                ('state', models.CharField(choices=[('queued', 'queued'), ('working', 'under way'), ('done', 'done'), ('refused', 'refused')], default='queued', max_length=10)),
                ('asked_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('progress', models.CharField(blank=True, max_length=200)),
                ('problems', models.JSONField(default=list)),
                ('n_more', models.PositiveIntegerField(default=0)),
                ('summary', models.CharField(blank=True, max_length=200)),
                ('notes', models.JSONField(default=list)),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='import_work', to='tasks_app.study')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'working', 'done', 'refused'])), name='import_work_state'), models.CheckConstraint(condition=models.Q(('kind__in', ['table', 'format', 'ratings'])), name='import_work_kind')],
            },
        ),
    ]
