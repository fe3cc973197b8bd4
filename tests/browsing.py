"""A real Chromium for browser tests, driven by Playwright."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, expect, sync_playwright

from evalweb import environment
from tests.servers import LiveSite

# The headless shell is the same engine without the windows of a desktop, which take a quarter of a test's time.
HEADLESS = "chromium-headless-shell"
NAMES = (HEADLESS, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Each window has two pages of Chromium's own behind its address field, each in a process: half of the time of a test.
ADDRESS_FIELD = ("WebUIOmniboxAimPopup", "WebUIOmniboxPopup")
# Of several lists Chromium reads the last, which therefore repeats what Playwright leaves out.
PLAYWRIGHTS = (
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
)
FLAGS = (
    "--disable-background-networking",
    "--disable-component-update",
    f"--disable-features={','.join(ADDRESS_FIELD + PLAYWRIGHTS)}",
    "--disable-sync",
    # Pages of one site share a process, which has compiled their scripts once: a quarter of a test's time.
    "--process-per-site",
)
# How long a test waits for what a page should do: a machine may be busy, and a test that passes waits no longer than it
# must.
PATIENCE_MILLISECONDS = 60_000
expect.set_options(timeout=PATIENCE_MILLISECONDS)


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """Return the path of a Chromium."""
    return path_of_chromium()


def path_of_chromium() -> str:
    """Return a Chromium: EVALWEB_CHROMIUM, on PATH, Playwright's own, or Debian's, installed where root runs this."""
    if configured := environment.text("EVALWEB_CHROMIUM"):
        assert Path(configured).exists(), f"EVALWEB_CHROMIUM names {configured}, which does not exist."
        return configured
    if path := _on_path() or _playwrights_own():
        return path
    return _installed()


class SharedBrowser:
    """A browser that modules of tests use one after another.

    While Playwright runs, Django takes the process for an asynchronous one and refuses every query: the browser is
    closed before a module that begins without it.
    """

    def __init__(self) -> None:
        self.open = ExitStack()
        self.running: Browser | None = None
        self.goes_on = False

    def started(self, path: str) -> Browser:
        """Return the browser that runs, or start it."""
        if self.running is None:
            playwright = self.open.enter_context(sync_playwright())
            self.running = launched(playwright, path)
            self.open.callback(self.running.close)
        return self.running

    def close(self) -> None:
        """Close the browser, if it runs."""
        self.running = None
        self.open.close()


# By the address of a site and the options of a context; those of one site at a time.
_SHARED_CONTEXTS: WeakKeyDictionary[Browser, dict[tuple[str, str], tuple[BrowserContext, Page]]] = WeakKeyDictionary()
SHARED = pytest.StashKey[SharedBrowser]()


def pytest_configure(config: pytest.Config) -> None:
    """Keep the browser of this process, and close it at the end whatever happens."""
    config.stash[SHARED] = SharedBrowser()
    config.add_cleanup(config.stash[SHARED].close)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Note whether the next test drives the browser."""
    item.config.stash[SHARED].goes_on = "browser" in getattr(nextitem, "fixturenames", ())


@pytest.fixture(scope="module")
def browser(request: pytest.FixtureRequest, chromium_path: str) -> Iterator[Browser]:
    """Return a running browser, that of the module before where it still runs."""
    shared = request.config.stash[SHARED]
    yield shared.started(chromium_path)
    if not shared.goes_on:
        shared.close()


@pytest.fixture
def page_problems() -> list[str]:
    """Collect errors in the console of a test's pages; a test that provokes an error removes it."""
    return []


@pytest.fixture
def page(
    request: pytest.FixtureRequest, browser: Browser, live_site: LiveSite, page_problems: list[str]
) -> Iterator[Page]:
    """Open a page on the live site; the test fails where a script broke or the security policy refused something."""
    with page_at(request, browser, live_site.url, locale="en-GB") as page:
        page.on("pageerror", lambda error: page_problems.append(str(error)))
        page.on("console", lambda message: _note(message, page_problems))
        yield page
    assert page_problems == []


@contextmanager
def page_at(request: pytest.FixtureRequest, browser: Browser, url: str, **options: Any) -> Iterator[Page]:
    """Open a page on a site, in the context that tests share, unless the test is marked `own_context`."""
    if request.node.get_closest_marker("own_context"):
        with closing(new_context(browser, url, **options)) as context:
            yield context.new_page()
        return
    with shared_page(browser, url, **options) as page:
        yield page


@contextmanager
def shared_page(browser: Browser, url: str, **options: Any) -> Iterator[Page]:
    """Open a page in the context of these options that tests on a site share, so that each file is fetched once."""
    context, keeper = _shared_context(browser, url, options)
    page = context.new_page()
    # Cached files stay, and nothing else of an earlier page, which may have stored a draft as it was closed.
    kinds = "local_storage,indexeddb,cache_storage,service_workers"
    devtools = context.new_cdp_session(page)
    devtools.send("Storage.clearDataForOrigin", {"origin": url, "storageTypes": kinds})
    devtools.detach()
    yield page
    context.unroute_all()
    context.set_offline(False)
    for other in context.pages:
        if other != keeper:
            other.close()
    context.clear_cookies()


def _shared_context(browser: Browser, url: str, options: dict[str, Any]) -> tuple[BrowserContext, Page]:
    """Return a shared context, and the blank page of the site that keeps its process between tests."""
    contexts = _SHARED_CONTEXTS.setdefault(browser, {})
    for other in [key for key in contexts if key[0] != url]:
        contexts.pop(other)[0].close()
    key = (url, json.dumps(options, sort_keys=True))
    if key not in contexts:
        context = new_context(browser, url, **options)
        keeper = context.new_page()
        keeper.route("**", lambda route: route.fulfill(body=""))
        keeper.goto(url)
        contexts[key] = context, keeper
    return contexts[key]


def new_context(browser: Browser, url: str, **options: Any) -> BrowserContext:
    """Make a context for pages of a site."""
    context = browser.new_context(base_url=url, **options)
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    return context


def _note(message: ConsoleMessage, problems: list[str]) -> None:
    if message.type == "error" and "Content Security Policy" in message.text:
        problems.append(message.text)


def launched(playwright: Playwright, path: str) -> Browser:
    """Start Chromium without what it would load by itself; root has no sandbox."""
    flags = [*FLAGS, "--no-sandbox"] if os.geteuid() == 0 else list(FLAGS)
    return playwright.chromium.launch(executable_path=path, args=flags)


def _on_path() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


def _playwrights_own() -> str | None:
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def _installed() -> str:
    """Install Debian's Chromium where that is allowed; else fail with the command that does."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        pytest.fail(f"There is no Chromium. Install one (`sudo apt-get install {HEADLESS}`) or set EVALWEB_CHROMIUM.")
    for command in (["update"], ["install", "--yes", "--no-install-recommends", HEADLESS]):
        answer = subprocess.run(["apt-get", *command], capture_output=True, text=True, check=False)
        assert answer.returncode == 0, f"apt-get {' '.join(command)} failed:\n{answer.stderr}"
    path = _on_path()
    assert path, f"apt-get installed {HEADLESS}, and it is still not on PATH."
    return path
