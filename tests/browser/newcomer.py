"""A newcomer in the browser: what they press, fill in and see is counted, and a refused post is a wrong turn."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import Locator, Page, Response, expect

from tests.servers import LiveSite


@dataclass
class Newcomer:
    """Somebody with a task and a mouse.

    `clicks` counts presses of buttons and links, `fields` what is typed, chosen, ticked or uploaded, and `screens` the
    pages under another address than the page before. `refused` lists the posts that the site did not accept.
    """

    page: Page
    clicks: int = 0
    fields: int = 0
    screens: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("domcontentloaded", lambda page: self._see(page.url))
        self.page.on("response", self._answered)

    def _see(self, url: str) -> None:
        path = urlsplit(url).path
        if not self.screens or self.screens[-1] != path:
            self.screens.append(path)

    def _answered(self, response: Response) -> None:
        if response.request.method == "POST" and response.status >= 400:
            self.refused.append(f"{response.status} {response.url}")

    def sign_in(self, site: LiveSite, name: str) -> None:
        """Sign in by the form, which everybody meets first."""
        self.page.goto("/admin/")
        for label, text in (("Username", name), ("Password", site.login[1])):
            self.fields += 1
            self.page.get_by_label(label).fill(text)
        self._click(self.page.get_by_role("button", name="Log in"))

    def press(self, name: str, within: Locator | None = None) -> None:
        """Press a button."""
        self._click((within or self.page).get_by_role("button", name=name, exact=True))

    def follow(self, name: str) -> None:
        """Follow a link."""
        self._click(self.page.get_by_role("link", name=name, exact=True))

    def _click(self, target: Locator) -> None:
        self.clicks += 1
        target.first.click()

    def fill(self, label: str, text: str, nth: int = 0) -> None:
        """Type into a field."""
        self.fields += 1
        self.page.get_by_label(label, exact=True).nth(nth).fill(text)

    def choose(self, label: str, option: str) -> None:
        """Choose from a list."""
        self.fields += 1
        self.page.get_by_label(label, exact=True).first.select_option(label=option)

    def upload(self, path: str) -> None:
        """Choose a file."""
        self.fields += 1
        self.page.set_input_files("input[type=file]", path)

    def is_within(self, *, clicks: int, fields: int, screens: int) -> None:
        """Assert that all was done within a budget, and that nothing was refused."""
        counted = {"clicks": self.clicks, "fields": self.fields, "screens": len(self.screens)}
        budget = {"clicks": clicks, "fields": fields, "screens": screens}
        assert self.refused == []
        assert all(counted[name] <= budget[name] for name in budget), f"{counted} > {budget}: {self.screens}"

    def sees(self, text: str) -> None:
        """Wait until a text stands on the page."""
        expect(self.page.get_by_text(text).first).to_be_visible()
