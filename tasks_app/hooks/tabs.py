"""The tabs of a study and of a project in the admin's frame, and the pages that these link to.

Other apps add theirs in AppConfig.ready().
"""

from dataclasses import dataclass

from django.utils.functional import Promise


@dataclass(frozen=True, slots=True)
class Tab:
    """A part of a study: its place, and the least role that sees it (viewer, editor, owner).

    Parts with the same `group`, the slug of one of them, share a tab of the row, which has the `group_label` of that
    one; the others are reached from a second row. A part that `waits` stands in the row once the study was opened.
    """

    slug: str
    label: str | Promise
    order: int
    role: str
    url_name: str
    group: str = ""
    group_label: str | Promise = ""
    waits: bool = False

    @property
    def leading(self) -> str:
        """The slug of the part with the tab that this part stands under; its own slug if it has a tab of its own."""
        return self.group or self.slug


@dataclass(frozen=True, slots=True)
class Page:
    """A page that a tab of a study links to: the slug of the tab, and the address, which takes the slug of the study.

    Whoever sees the tab sees the link.
    """

    tab: str
    label: str | Promise
    url_name: str


_tabs: dict[str, Tab] = {}
_pages: list[Page] = []
_project_tabs: dict[str, Tab] = {}


def register(tab: Tab) -> None:
    """Add a tab of studies; the same one twice is one."""
    _add(_tabs, tab)


def register_for_projects(tab: Tab) -> None:
    """Add a tab of projects with an address that takes the slug of the project; a repeated call adds it once.

    Whoever sees a project sees its tabs; what stands there depends on the role in each study.
    """
    _add(_project_tabs, tab)


def _add(tabs: dict[str, Tab], tab: Tab) -> None:
    if tabs.get(tab.slug, tab) != tab:
        raise ValueError(f"There is another tab {tab.slug!r} already.")
    tabs[tab.slug] = tab


def register_page(page: Page) -> None:
    """Add a page that a tab links to; the same one twice is one."""
    if page not in _pages:
        _pages.append(page)


def pages_of(tab: str) -> list[Page]:
    """Return the pages that a tab links to."""
    return [page for page in _pages if page.tab == tab]


def all_tabs() -> list[Tab]:
    """Return the tabs of studies in their order."""
    return sorted(_tabs.values(), key=lambda tab: tab.order)


def project_tabs() -> list[Tab]:
    """Return the tabs of projects in their order."""
    return sorted(_project_tabs.values(), key=lambda tab: tab.order)
