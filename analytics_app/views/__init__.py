"""Pages for researchers about judgments and results: Monitor, Results, Datasheet, Data."""

from django.utils.translation import gettext_lazy as _

from tasks_app import tabs


def register_tabs() -> None:
    """Add this app's tabs of a study, in the order of work, and those of a project."""
    for order, (slug, label) in enumerate(
        (("monitor", _("Monitor")), ("results", _("Results")), ("data", _("Data"))), 5
    ):
        tabs.register(tabs.Tab(slug, label, order * 10, "viewer", f"analytics:{slug}"))
    tabs.register(tabs.Tab("datasheet", _("Datasheet"), 65, "viewer", "analytics:datasheet"))
    tabs.register_page(tabs.Page("items", _("Features of outputs"), "analytics:coverage"))
    for order, (slug, label) in enumerate((("raters", _("Raters")), ("results", _("Results")), ("data", _("Data"))), 2):
        tabs.register_for_projects(tabs.Tab(slug, label, order * 10, "viewer", f"analytics_projects:{slug}"))
