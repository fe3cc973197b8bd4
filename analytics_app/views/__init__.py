"""Pages for researchers about judgments and results: Monitor, Results, Datasheet, Data."""

from django.utils.translation import gettext_lazy as _

from tasks_app.hooks import tabs


def register_tabs() -> None:
    """Add this app's tabs of a study, in the order of work, and those of a project."""
    for tab in (
        tabs.Tab("monitor", _("Monitor"), 50, "viewer", "analytics:monitor", waits=True),
        tabs.Tab("results", _("Results"), 60, "viewer", "analytics:results", waits=True),
        tabs.Tab("data", _("Data"), 70, "viewer", "analytics:data", waits=True),
        tabs.Tab("datasheet", _("Datasheet"), 75, "viewer", "analytics:datasheet", group="data"),
    ):
        tabs.register(tab)
    tabs.register_page(tabs.Page("items", _("Features of outputs"), "analytics:coverage"))
    for order, (slug, label) in enumerate((("raters", _("Raters")), ("results", _("Results")), ("data", _("Data"))), 2):
        tabs.register_for_projects(tabs.Tab(slug, label, order * 10, "viewer", f"analytics_projects:{slug}"))
