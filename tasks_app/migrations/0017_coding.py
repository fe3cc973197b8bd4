"""Code free-text answers: codebooks, their two coders, and what each said of every answer."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_app', '0016_setup_works'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Codebook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('criterion', models.CharField(max_length=100)),
                ('begun_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='codebooks', to='tasks_app.study')),
            ],
            options={
                'ordering': ('id',),
            },
        ),
        migrations.CreateModel(
            name='Code',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('definition', models.TextField(blank=True)),
                ('order', models.PositiveIntegerField()),
                ('codebook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='codes', to='tasks_app.codebook')),
            ],
            options={
                'ordering': ('codebook', 'order'),
            },
        ),
        migrations.CreateModel(
            name='Coder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('codebook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='coders', to='tasks_app.codebook')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('codebook', 'number'),
            },
        ),
        migrations.CreateModel(
            name='CodedAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('codes', models.JSONField(blank=True, default=list)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('codebook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='coded', to='tasks_app.codebook')),
                ('rating', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='coded', to='tasks_app.rating')),
                ('coder', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='coded', to='tasks_app.coder')),
            ],
            options={
                'ordering': ('id',),
            },
        ),
        migrations.AddConstraint(
            model_name='codebook',
            constraint=models.UniqueConstraint(fields=('study', 'criterion'), name='codebook_once'),
        ),
        migrations.AddConstraint(
            model_name='code',
            constraint=models.UniqueConstraint(fields=('codebook', 'name'), name='code_once'),
        ),
        migrations.AddConstraint(
            model_name='coder',
            constraint=models.UniqueConstraint(fields=('codebook', 'number'), name='coder_number_once'),
        ),
        migrations.AddConstraint(
            model_name='coder',
            constraint=models.UniqueConstraint(fields=('codebook', 'user'), name='coder_once'),
        ),
        migrations.AddConstraint(
            model_name='coder',
            constraint=models.CheckConstraint(condition=models.Q(('number__in', [1, 2])), name='two_coders'),
        ),
        migrations.AddConstraint(
            model_name='codedanswer',
            constraint=models.UniqueConstraint(fields=('rating', 'coder'), name='coded_once', nulls_distinct=False),
        ),
    ]
