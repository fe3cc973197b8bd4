import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_app', '0038_mark_reason'),
    ]

    operations = [
        migrations.AddField(
            model_name='prefill',
            name='given_by',
            field=models.CharField(blank=True, db_default='', default='', max_length=100),
        ),
        migrations.CreateModel(
            name='MarkAuthor',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('origin_slug', models.CharField(max_length=80)),
                ('author_name', models.CharField(blank=True, max_length=40)),
                ('persons', models.JSONField(blank=True, default=list)),
                ('author', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='marks_given', to='tasks_app.rater')),
                ('origin', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='marks_given', to='tasks_app.study')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mark_authors', to='tasks_app.study')),
            ],
            options={
                'ordering': ('id',),
                'constraints': [models.UniqueConstraint(fields=('study', 'name'), name='mark_author_once')],
            },
        ),
    ]
