"""Studies whose raters do tasks on another site, which no test asks for anything."""

from django.contrib.auth.models import User

from tasks_app.models import Output, Study
from tasks_app.services.study import lifecycle
from tests.builders import build_study

SITE = "https://search.example.org"
HOSTS = {"elsewhere_hosts": "search.example.org, try.example.net:8443"}


def study_elsewhere(
    owner: User | None, *, slug: str = "elsewhere", opened: bool = True, k: int = 2, site: str = SITE, **params: object
) -> Study:
    """Make a study of four tasks on another site, two for each of two search tools."""
    study = build_study(owner, slug=slug, params={**HOSTS, **params}, items=2, k=k, allow_back=True, opened=False)
    for output in Output.objects.filter(item__study=study).select_related("item", "system"):
        address = f"{site}/{output.system.key}?q={output.item.key}#top"
        Output.objects.filter(pk=output.pk).update(text=address)
    return lifecycle.move(study_id=study.pk, action="open", by=owner) if opened else study
