"""Rehearse a draft: its researchers rate in a copy of it that is open, on the real pages, and nothing counts.

The copy is a study of its own, so that no row of the draft is touched. `Study.objects` leaves it out; see
docs/decisions/0099.
"""

from django.contrib.auth.models import AbstractBaseUser
from django.utils import formats
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _

from tasks_app.hooks import sections
from tasks_app.models import Event, Media, Membership, Output, Study
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.services.study import lifecycle, removing
from tasks_app.services.study.items import keep_media
from tasks_app.settings.study import TEMPLATE

# The outputs that are copied, and planned, while somebody waits for a page.
MOST_OUTPUTS = 10_000


@atomically
def rehearse(*, study_id: int, by: AbstractBaseUser) -> Study:
    """Copy a checked draft into a rehearsal and open that; the person's earlier rehearsals of the draft go.

    Points that are left to settle do not matter. Each person has a rehearsal of their own, so that nobody ends that of
    somebody else. The log of the draft names each person once.

    Raises
    ------
    tasks_app.services.study.lifecycle.NotPossible
        Where the study was opened, its set-up was changed since it was checked, or it has too many texts or none.
    tasks_app.designs.base.PlanImpossible
        Where no plan keeps the design's promises. An earlier rehearsal stays then, as it does with any refusal.
    """
    study = Study.objects.select_for_update().get(pk=study_id)
    if study.is_frozen:
        raise lifecycle.NotPossible(_("This study was opened already. Use “Try it out” under Recruit instead."))
    lifecycle.refuse_unchecked(study)
    _refuse_many_texts(study)
    removing.delete_rehearsals(of=study, by=by)
    rehearsal = lifecycle.move(study_id=_copy(study, by).pk, action="open", by=by)
    if not Event.objects.filter(study=study, verb=Event.TRIED, object=Event.REHEARSAL, actor_id=by.pk).exists():
        events.log(study, by, Event.TRIED, about=Event.REHEARSAL)
    return rehearsal


def _refuse_many_texts(study: Study) -> None:
    n = Output.objects.filter(item__study=study, item__until=None).count()
    if n > MOST_OUTPUTS:
        sentence = _(
            "The study has %(n)s texts; with more than %(most)s, nobody can rate it on trial. Copy the study, keep a "
            "random sample of its texts under Texts, and rate that copy on trial."
        )
        raise lifecycle.NotPossible(
            sentence % {"n": formats.number_format(n), "most": formats.number_format(MOST_OUTPUTS)}
        )


def _copy(study: Study, by: AbstractBaseUser) -> Study:
    """Copy the rows of a draft into a rehearsal of it, owned by the person who began it.

    The files are those of the draft: a rehearsal has no copy of them, and deletes none.
    """
    names = ("title", "public_title", "seed", "timezone", "language")
    rehearsal = Study.with_rehearsals.create(
        slug=f"{Event.REHEARSAL}-{get_random_string(20).lower()}",
        rehearses=study,
        settings={name: block for name, block in study.settings.items() if name != TEMPLATE},
        **{name: getattr(study, name) for name in names},
    )
    rehearsal.refresh_from_db()
    Membership.objects.create(study=rehearsal, user_id=by.pk, role=Membership.Role.OWNER)
    keep_media(study=rehearsal, media=Media.objects.filter(study=study))
    sections.store(rehearsal, sections.snapshot(study))
    return rehearsal
