"""Pages for raters, researchers and everybody."""

from django.utils.translation import gettext_lazy as _

from tasks_app import access, tabs


def register_tabs() -> None:
    """Add this app's tabs of a study, in the order of work, and that of a project."""
    for order, (slug, label) in enumerate(
        (
            ("setup", _("Set up")),
            ("items", _("Items")),
            ("design", _("Design")),
            ("recruit", _("Recruit")),
        ),
        start=1,
    ):
        tabs.register(tabs.Tab(slug, label, order * 10, "viewer", f"researcher:{slug}"))
    tabs.register(tabs.Tab("checks", _("Checks"), 35, access.GOLD_READER, "researcher:checks"))
    tabs.register(tabs.Tab("pay", _("Pay"), 55, "viewer", "researcher:pay"))  # after Monitor
    tabs.register(tabs.Tab("api", _("API"), 80, "viewer", "researcher:api"))
    tabs.register_for_projects(tabs.Tab("studies", _("Studies"), 10, "viewer", "projects:project"))
