"""Keep the language that a rater has chosen for our own words on their pages."""

from tasks_app.models import Rater
from tasks_app.services.database import atomically


@atomically
def choose(*, rater_id: int, language: str) -> None:
    """Keep the language a rater has chosen; every page of theirs follows it from now on."""
    Rater.objects.filter(pk=rater_id).update(language=language)
