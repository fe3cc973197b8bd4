"""Runs in parts, with the exact set of ratings they saw; plans as one document."""
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('analytics_app', '0001_initial'),
        ('tasks_app', '0002_guards'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='plot',
            options={'ordering': ('run', 'order')},
        ),
        migrations.AlterModelOptions(
            name='runpart',
            options={'ordering': ('run', 'number')},
        ),
        migrations.RemoveConstraint(
            model_name='runpart',
            name='run_part_once',
        ),
        migrations.RemoveConstraint(
            model_name='runpart',
            name='run_part_state',
        ),
        migrations.RemoveIndex(
            model_name='runpart',
            name='run_part_due',
        ),
        migrations.RemoveField(
            model_name='plan',
            name='analyses',
        ),
        migrations.RemoveField(
            model_name='plan',
            name='primary',
        ),
        migrations.RemoveField(
            model_name='plan',
            name='rules',
        ),
        migrations.RemoveField(
            model_name='runpart',
            name='analysis',
        ),
        migrations.AddField(
            model_name='exclusion',
            name='lifted_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='exclusion',
            name='task',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tasks_app.task'),
        ),
        migrations.AddField(
            model_name='plan',
            name='document',
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name='plot',
            name='by_system',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='plot',
            name='criterion',
            field=models.CharField(blank=True, max_length=100),
        ),
        migrations.AddField(
            model_name='plot',
            name='order',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='plot',
            name='task',
            field=models.CharField(blank=True, max_length=100),
        ),
        migrations.AddField(
            model_name='plot',
            name='title',
            field=models.CharField(blank=True, max_length=300),
        ),
        migrations.AddField(
            model_name='resultrow',
            name='by_system',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='run',
            name='by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='run',
            name='error',
            field=models.TextField(blank=True),
        ),
        migrations.AddField(
            model_name='run',
            name='facts',
            field=models.JSONField(blank=True, default=dict),
        ),
        migrations.AddField(
            model_name='run',
            name='judgment_high_water',
            field=models.BigIntegerField(default=0),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='run',
            name='number',
            field=models.PositiveIntegerField(default=0),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='run',
            name='trigger',
            field=models.CharField(choices=[('demand', 'on demand'), ('closing', 'when the study was closed'), ('schedule', 'after new judgments'), ('command', 'by a command')], default='demand', max_length=10),
        ),
        migrations.AddField(
            model_name='runpart',
            name='kind',
            field=models.CharField(choices=[('quality', 'quality rules'), ('criterion', 'one criterion'), ('task', 'all criteria of a task')], default='quality', max_length=10),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='runpart',
            name='number',
            field=models.PositiveIntegerField(default=0),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='runpart',
            name='rung_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='runpart',
            name='seconds',
            field=models.FloatField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name='plan',
            name='frozen_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AlterField(
            model_name='runpart',
            name='state',
            field=models.CharField(choices=[('waiting', 'waiting for another part'), ('queued', 'queued'), ('running', 'running'), ('done', 'done'), ('failed', 'failed')], default='queued', max_length=10),
        ),
        migrations.AddIndex(
            model_name='runpart',
            index=models.Index(condition=models.Q(('state__in', ['queued', 'running'])), fields=['state', 'heartbeat'], name='run_part_due'),
        ),
        migrations.AddConstraint(
            model_name='run',
            constraint=models.UniqueConstraint(fields=('study', 'number'), name='run_number'),
        ),
        migrations.AddConstraint(
            model_name='run',
            constraint=models.CheckConstraint(condition=models.Q(('trigger__in', ['demand', 'closing', 'schedule', 'command'])), name='run_trigger'),
        ),
        migrations.AddConstraint(
            model_name='runpart',
            constraint=models.UniqueConstraint(fields=('run', 'number'), name='run_part_number'),
        ),
        migrations.AddConstraint(
            model_name='runpart',
            constraint=models.UniqueConstraint(fields=('run', 'kind', 'task', 'criterion'), name='run_part_once', nulls_distinct=False),
        ),
        migrations.AddConstraint(
            model_name='runpart',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'queued', 'running', 'done', 'failed'])), name='run_part_state'),
        ),
        migrations.AddConstraint(
            model_name='runpart',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['quality', 'criterion', 'task'])), name='run_part_kind'),
        ),
    ]
