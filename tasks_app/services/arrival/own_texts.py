"""Keep raters from the texts that they wrote themselves in another study, on each way that they come back.

A person is known across studies by their id on a platform, their account, their e-mail address, or the name that they
were invited under. Who comes by the open link is nobody that can be known.
"""

from tasks_app import channels
from tasks_app.links.credentials import mark_of_person
from tasks_app.models import CollectedText, Identity, Invitation, Rater
from tasks_app.models.statements import rows

# Units that show a text of an author, as its item or among the texts of several.
_OWN_UNITS = """
INSERT INTO tasks_app_ownunit (rater_id, unit_id)
SELECT %(rater)s, u.id FROM tasks_app_unit u JOIN tasks_app_task t ON t.id = u.task_id
WHERE t.study_id = %(study)s AND EXISTS (
    SELECT 1 FROM tasks_app_collectedtext c JOIN tasks_app_item i ON i.study_id = c.study_id AND i.key = c.item
    WHERE c.study_id = %(study)s AND c.persons ?| %(marks)s
    AND (i.id = u.item_id OR i.id IN (
        SELECT o.item_id FROM tasks_app_part p JOIN tasks_app_partoutput s ON s.part_id = p.id
        JOIN tasks_app_output o ON o.id = s.output_id WHERE p.unit_id = u.id)))
ON CONFLICT DO NOTHING RETURNING id
"""

# A condition on a unit `u`: a text of the rater %(rater)s.
IS_OWN = "EXISTS (SELECT 1 FROM tasks_app_ownunit own WHERE own.rater_id = %(rater)s AND own.unit_id = u.id)"


def persons_of(rater: Rater) -> list[str]:
    """Return the marks of the ids under which a rater is known, the same in every study; none for the open link."""
    known: set[tuple[str, str]] = set()
    identity = Identity.objects.filter(rater=rater).first()
    if identity is not None:
        # To an invited person, the id is the number of an invitation, which no other study has.
        if identity.external_id and not channels.registry[identity.channel].invited_only:
            known.add((identity.channel, channels.canonical_id(identity.channel, identity.external_id)))
        known.add(("email", identity.email))
    invitation = Invitation.objects.select_related("user").filter(rater=rater).first()
    if invitation is not None:
        known |= {("email", invitation.email), ("name", invitation.name)}
        if invitation.user is not None:
            known |= {("account", str(invitation.user_id)), ("email", invitation.user.email)}
    return sorted(mark_of_person(kind, name.strip().casefold()) for kind, name in known if name.strip())


def hold_back(rater: Rater) -> int:
    """Store which units of a study a new rater wrote a text of; return how many. Expects the study's claims lock."""
    if not CollectedText.objects.filter(study=rater.study_id).exists():
        return 0
    marks = persons_of(rater)
    return len(rows(_OWN_UNITS, {"rater": rater.pk, "study": rater.study_id, "marks": marks})) if marks else 0
