"""The open link: everybody who has it may take part."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from tasks_app.channels import registry
from tasks_app.channels.base import Arrival, Channel


@registry.register
class Link(Channel):
    """One address for everybody. Nobody is recognised by it: the personal link brings a rater back, or the browser."""

    label = _("Open link")
    doc = _("Send this address to everybody who may take part.")
    remembers_browser = True

    def arrival(self, query: Mapping[str, str]) -> Arrival:
        """Nothing is read from the address."""
        return Arrival("link")
