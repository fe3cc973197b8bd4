"""Find rows that are named on the command line."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.core.management.base import CommandError

from tasks_app.hooks.registry import UnknownMember
from tasks_app.importing.named import readers  # noqa: F401  fills the registry
from tasks_app.importing.named.registry import format_called
from tasks_app.models import Study
from tasks_app.services.study import drafts
from tasks_app.studyfile.problems import closest


def study_called(slug: str) -> Study:
    """Return a study by its slug. Raises CommandError, with the nearest slug there is."""
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        similar = closest(slug, Study.objects.values_list("slug", flat=True))
        hint = f" Did you mean {similar!r}?" if similar else ""
        raise CommandError(f"There is no study {slug!r}.{hint}")
    return study


def user_called(name: str | None) -> AbstractBaseUser | None:
    """Return a user by name, None where nobody is named. Raises CommandError."""
    if name is None:
        return None
    users = get_user_model()
    try:
        return users._default_manager.get_by_natural_key(name)
    except users.DoesNotExist:
        raise CommandError(f"There is no user {name!r}. Make one: manage.py createsuperuser") from None


def editor_called(name: str | None, study: Study) -> AbstractBaseUser | None:
    """Return a user who may edit a study, None where nobody is named. Raises CommandError."""
    user = user_called(name)
    if user is not None and not drafts.may_edit(study=study, user=user):
        raise CommandError(f"{name!r} may not edit the study {study.slug!r}. Ask its owner.")
    return user


def format_of(options: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """Return the named format that a command was given, and its options. Raises CommandError for unknown ones."""
    try:
        reader = format_called(options["format"])
    except UnknownMember as error:
        raise CommandError(str(error).replace("_", "-")) from None
    chosen = dict(pair.partition("=")[::2] for pair in options["option"])
    for name, value in chosen.items():
        if name not in reader.options:
            raise CommandError(f"{reader.name} has no option {name!r}; it has: {', '.join(reader.options) or 'none'}.")
        if value not in reader.options[name].choices:
            raise CommandError(f"{name} is one of: {', '.join(reader.options[name].choices)}.")
    return reader.name, chosen
