"""Pages for raters, researchers and everybody."""

from django.utils.translation import gettext_lazy as _

from tasks_app import access
from tasks_app.hooks import tabs


def register_tabs() -> None:
    """Add this app's tabs of a study, in the order of work, and that of a project."""
    for tab in (
        tabs.Tab("setup", _("Set up"), 10, "viewer", "researcher:setup"),
        tabs.Tab("design", _("Who judges what"), 20, "viewer", "researcher:design", group_label=_("Plan")),
        tabs.Tab("items", _("Texts"), 30, "viewer", "researcher:items", group="design"),
        tabs.Tab("recruit", _("Recruit"), 40, "viewer", "researcher:recruit"),
        tabs.Tab("checks", _("Answers to checks"), 52, access.GOLD_READER, "researcher:checks", group="monitor"),
        tabs.Tab("pay", _("Pay"), 55, "viewer", "researcher:pay", waits=True),
        tabs.Tab("api", _("API"), 80, "viewer", "researcher:api", group="data"),
    ):
        tabs.register(tab)
    tabs.register_page(tabs.Page("data", _("Log"), "researcher:log"))
    tabs.register_for_projects(tabs.Tab("studies", _("Studies"), 10, "viewer", "projects:project"))
