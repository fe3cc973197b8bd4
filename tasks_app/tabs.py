"""The tabs of a study in the admin's frame; other apps add theirs in AppConfig.ready()."""

from dataclasses import dataclass

from django.utils.functional import Promise


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab: its place in the row, and the least role that sees it (viewer, editor, owner)."""

    slug: str
    label: str | Promise
    order: int
    role: str
    url_name: str


_tabs: dict[str, Tab] = {}


def register(tab: Tab) -> None:
    """Add a tab; the same one twice is one."""
    if _tabs.get(tab.slug, tab) != tab:
        raise ValueError(f"There is another tab {tab.slug!r} already.")
    _tabs[tab.slug] = tab


def all_tabs() -> list[Tab]:
    """Return the tabs in their order."""
    return sorted(_tabs.values(), key=lambda tab: tab.order)
