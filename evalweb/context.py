"""The facts about the site that every template gets."""

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, str]:
    """Give templates the name of the site as `this_site`; Django's sign-in view has a `site_name` of its own."""
    return {"this_site": settings.EVALWEB_SITE_NAME}
