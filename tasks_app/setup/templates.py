"""Templates: drafts that new studies begin from, and that are not listed among the studies.

Whether a draft is a template stands in its settings, in a block that no study file holds: a copy of it is none.
"""

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import QuerySet

from tasks_app.models import Study
from tasks_app.services import events
from tasks_app.services.study.drafts import refuse_frozen
from tasks_app.settings.study import TEMPLATE
from tasks_app.setup.starting import Names, copy_of


def is_template(study: Study) -> bool:
    """Return whether a study is a template."""
    return TEMPLATE in study.settings and not study.is_frozen


def templates(studies: QuerySet[Study]) -> QuerySet[Study]:
    """Return the templates among studies; one that was opened is a study like any other."""
    return studies.filter(settings__has_key=TEMPLATE, current_version=0)


def ordinary(studies: QuerySet[Study]) -> QuerySet[Study]:
    """Return the studies without the templates among them."""
    return studies.exclude(settings__has_key=TEMPLATE, current_version=0)


def save_as_template(*, study: Study, by: AbstractBaseUser) -> Study:
    """Copy a study into a template of the same title: later changes of the study do not change the template."""
    with transaction.atomic():
        template = copy_of(origin=study, by=by, names=Names(study.title, study.public_title))
        template.settings = {**template.settings, TEMPLATE: True}
        template.save(update_fields=["settings"])
        events.log(template, by, "made a template", about=study.slug)
    return template


@transaction.atomic
def make_ordinary(*, study: Study, by: AbstractBaseUser) -> None:
    """Turn a template into an ordinary draft, which is listed among the studies. Raises NotADraft."""
    refuse_frozen(study)
    study.settings = {name: block for name, block in study.settings.items() if name != TEMPLATE}
    study.save(update_fields=["settings"])
    events.log(study, by, "made ordinary", about=study.slug)
