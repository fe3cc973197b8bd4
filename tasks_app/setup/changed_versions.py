"""Studies that follow a frozen one with changes: prepared as drafts, each a study of its own (docs/decisions/0072)."""

import re
from copy import copy

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from tasks_app.models import Setup, Study
from tasks_app.services import events
from tasks_app.services.study import correcting
from tasks_app.setup.differences import Differences, differences
from tasks_app.setup.frozen import current_version, frozen_setup
from tasks_app.setup.starting import Names, copy_of

LONGEST_TITLE = 180


def prepare(*, study: Study, by: AbstractBaseUser) -> Study:
    """Copy an opened study into a draft that knows which version it follows; it keeps the seed.

    Raises
    ------
    tasks_app.models.Version.DoesNotExist
        Where the study was never opened.
    """
    version = current_version(study)
    with transaction.atomic():
        names = Names(next_title(study.title), study.public_title)
        draft = copy_of(origin=study, by=by, names=names, keep_seed=True)
        draft.follows = version
        draft.save(update_fields=["follows"])
        events.log(draft, by, "follows", about=study.slug, after={"version": version.number})
    return draft


def next_title(title: str) -> str:
    """Return the title of the study that follows: “Summaries”, then “Summaries, version 2”, then 3."""
    match = re.fullmatch(r"(.*), version (\d{1,4})", title, re.DOTALL)
    base, number = (match[1], int(match[2])) if match else (title, 1)
    return _("%(title)s, version %(n)d") % {"title": base[:LONGEST_TITLE], "n": number + 1}


def successors_of(study: Study, readable: QuerySet[Study]) -> QuerySet[Study]:
    """Return the studies that follow a study, as far as somebody may see them."""
    return readable.filter(follows__study=study).order_by("created_at", "id")


def differences_of(setup: Setup) -> Differences:
    """Return the changes, in a set-up, of a study that follows another one.

    Texts of the other study that were corrected while it was open count as corrected, as they do when it is copied.
    """
    version = setup.study.follows
    assert version is not None, "only of a study that follows another one"
    earlier = copy(frozen_setup(version))
    earlier.given = correcting.laid_over(earlier.given, version.study)
    return differences(earlier, setup)
