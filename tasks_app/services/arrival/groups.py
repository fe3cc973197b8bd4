"""Allocate raters to groups at random, in blocks with every group in its share, under the claims lock.

A place in a block belongs to who got in. Who ends, or stays away past the lease, before anything was judged gives it
back, and the next rater takes it; who drops out later keeps it, since their answers count. Somebody who comes back to
judge after all takes the next place of their group. So every block that is full holds each group exactly in its share.
"""

from collections.abc import Collection, Sequence

from tasks_app.models import Group, GroupBlock, Rater
from tasks_app.models.statements import rows
from tasks_app.selectors import routing
from tasks_app.services.plan import plans

# Marks raters in Rater.prefs who were put into a group rather than drawn: they never have a place in a block.
NAMED = "named_group"


def allocate(rater: Rater, invited_for: str, with_room: Collection[int]) -> bool:
    """Give a new rater the group they were invited for, or the next one drawn that has room; False where none has.

    A group that has no room is passed over, and its places are kept for when it has. Nobody is drawn into a group of
    experts, to whom texts are sent: its raters are invited. Who only tries the study out is shown what comes next, and
    takes no place.
    """
    groups = {group.key: group for group in Group.objects.filter(study=rater.study_id)}
    if not groups:
        return True
    if (group := groups.get(invited_for)) is not None:
        _put(rater, group.pk, {**rater.prefs, NAMED: True})
        return group.pk in with_room
    drawn = set(with_room) - routing.groups_by_invitation(rater.study_id)
    if not drawn:
        return False
    place = _next_place(rater, drawn)
    _put(rater, place.group_id, rater.prefs)
    if rater.kind in Rater.Kind.COUNTED:
        GroupBlock.objects.filter(pk=place.pk).update(taken_by=rater)
    return True


def _put(rater: Rater, group_id: int, prefs: object) -> None:
    Rater.objects.filter(pk=rater.pk).update(group=group_id, prefs=prefs)
    rater.refresh_from_db(fields=["group", "prefs"])


def _next_place(rater: Rater, groups: Collection[int]) -> GroupBlock:
    """Find the first place of these groups that nobody has; blocks are drawn as they are needed."""
    free = GroupBlock.objects.filter(study=rater.study_id, taken_by=None, group__in=groups).order_by("number")
    while (place := free.first()) is None:
        _draw_block(rater)
    return place


def _draw_block(rater: Rater) -> None:
    """Store the next block: every group as often as its share says, in an order drawn from the study's seed."""
    study = rater.study
    invited = routing.groups_by_invitation(study.pk)
    block = [
        group.pk
        for group in Group.objects.filter(study=study).exclude(pk__in=invited).order_by("id")
        for _time in range(group.share * study.options.block_factor)
    ]
    before = GroupBlock.objects.filter(study=study).count()
    plans.seeded(study, "groups", before).shuffle(block)
    GroupBlock.objects.bulk_create(
        GroupBlock(study=study, number=number, group_id=group) for number, group in enumerate(block, start=before + 1)
    )


# Frees the places of raters who have judged nothing and are not at work any more.
_GIVE_BACK = """
UPDATE tasks_app_groupblock g SET taken_by_id = NULL
WHERE g.taken_by_id = ANY(%(raters)s)
  AND NOT EXISTS (SELECT 1 FROM tasks_app_raterset s WHERE s.rater_id = g.taken_by_id AND s.state = 'open')
  AND NOT EXISTS (SELECT 1 FROM tasks_app_judgment j JOIN tasks_app_assignment a ON a.id = j.assignment_id
                  WHERE a.rater_id = g.taken_by_id AND a.purpose = 'main')
RETURNING g.id
"""

# Query that is true if a drawn rater without a place is at work again, or has judged.
_LACKS = """
SELECT NOT EXISTS (SELECT 1 FROM tasks_app_groupblock g WHERE g.taken_by_id = %(rater)s)
   AND (EXISTS (SELECT 1 FROM tasks_app_raterset s WHERE s.rater_id = %(rater)s AND s.state = 'open')
     OR EXISTS (SELECT 1 FROM tasks_app_judgment j JOIN tasks_app_assignment a ON a.id = j.assignment_id
                WHERE a.rater_id = %(rater)s AND a.purpose = 'main'))
"""


def give_back(raters: Sequence[int]) -> None:
    """Free the places that absent raters hold in blocks, where they have judged nothing."""
    rows(_GIVE_BACK, {"raters": list(raters)})


def settle(rater: Rater) -> None:
    """Give back the place of a rater in a block, or take it again, depending on the rater's answers."""
    if rater.group_id is None or rater.kind not in Rater.Kind.COUNTED or rater.prefs.get(NAMED):
        return
    give_back([rater.pk])
    if rows(_LACKS, {"rater": rater.pk})[0][0]:
        GroupBlock.objects.filter(pk=_next_place(rater, [rater.group_id]).pk).update(taken_by=rater)
