import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('analytics_app', '0007_results_links'),
        ('tasks_app', '0017_coding'),
    ]

    operations = [
        migrations.CreateModel(
            name='MeasuredOutcome',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('wave', models.PositiveIntegerField()),
                ('outcome', models.CharField(max_length=100)),
                ('value', models.FloatField()),
                ('rater', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='measured_outcomes', to='tasks_app.rater')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='measured_outcomes', to='tasks_app.study')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('rater', 'wave', 'outcome'), name='measured_outcome_once'), models.CheckConstraint(condition=models.Q(('value__lt', float("inf")), ('value__gt', float("-inf"))), name='measured_outcome_finite')],
            },
        ),
    ]
