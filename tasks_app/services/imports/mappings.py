"""Column mappings of imports, saved with a study under a name."""

from collections.abc import Mapping
from typing import Any

from django.db.models.functions import Now
from django.utils.translation import gettext as _

from tasks_app.models import ImportMapping, Study
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.texts.plaintext import problem_in

# Same as the length of the column in the database.
LONGEST_NAME = 100


def check_name(name: str) -> None:
    """Raise ValueError, with a sentence, for a name that no mapping can have."""
    if not name.strip() or len(name) > LONGEST_NAME or problem_in(name) or not name.isprintable():
        raise ValueError(_("A name is needed: one line of at most %(n)d characters.") % {"n": LONGEST_NAME})


@atomically
def save(*, study: Study, name: str, document: Mapping[str, Any], by: events.Actor) -> ImportMapping:
    """Save a mapping under a name, in the place of one that has it."""
    mapping, _new = ImportMapping.objects.update_or_create(
        study=study, name=name, defaults={"document": document, "saved_at": Now()}
    )
    events.log(study, by, "saved mapping", about=name)
    return mapping


def find(study: Study, name: str) -> ImportMapping | None:
    """Return a saved mapping, or None where there is none of that name."""
    return None if problem_in(name) else ImportMapping.objects.filter(study=study, name=name).first()


@atomically
def delete(*, study: Study, name: str, by: events.Actor) -> bool:
    """Delete a saved mapping; False where there is none of that name."""
    saved = find(study, name)
    if saved is None:
        return False
    saved.delete()
    events.log(study, by, "deleted mapping", about=name)
    return True
