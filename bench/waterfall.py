"""A rater's first pages on a slow connection, request by request: `python -m bench waterfall`.

Chromium loads pages of a started site at 1.6 Mbit/s and 300 ms, with nothing in its cache: the page that a link to the
study leads to, the first text, and, after an answer, the second. Printed is for each request when it began and ended,
in milliseconds after the step began, and its kB on the wire; then the milliseconds until the page could be used.
It fails where a page breaks a promise: files at first, files later, and kB of a following page. Seconds are compared
with the promise only in what is printed, since they depend on the load of the machine.
"""

import sys
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from django.urls import reverse
from playwright.sync_api import Page, expect, sync_playwright

from bench import judging
from bench.running import running_site
from tests.browsing import launched, path_of_chromium

KBIT, LATENCY = 1_600, 300
SLOW = {
    "offline": False,
    "latency": LATENCY,
    "downloadThroughput": KBIT * 1000 / 8,
    "uploadThroughput": KBIT * 1000 / 8,
}
PHONE = {"width": 390, "height": 844}
CRITERIA = 3
# Promised: files beside the first page and none beside a following one, kB of a following page, and milliseconds until
# the first page can be used.
MOST_FILES, MOST_KB, MOST_MS = 6, 5.0, 1_400


@dataclass
class Request:
    """One request: its method, path and kind, when it began and ended (ms after the step began), and its bytes."""

    method: str
    path: str
    kind: str
    began: float
    ended: float = 0.0
    size: float = 0.0
    is_cached: bool = False


@dataclass
class Recorder:
    """Keeps the requests of a page from Chromium's own events, which know the bytes on the wire."""

    page: Page
    requests: dict[str, Request] = field(default_factory=dict)
    began: float = 0.0

    def __post_init__(self) -> None:
        session = self.page.context.new_cdp_session(self.page)
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", SLOW)
        session.on("Network.requestWillBeSent", self._sent)
        session.on("Network.requestServedFromCache", self._cached)
        session.on("Network.loadingFinished", self._finished)

    def begin(self) -> None:
        """Forget the requests before, and count milliseconds from now."""
        self.requests.clear()
        self.began = perf_counter()

    def now(self) -> float:
        """Return milliseconds since the step began."""
        return 1000 * (perf_counter() - self.began)

    def _sent(self, event: dict[str, Any]) -> None:
        asked = event["request"]
        path = "/" + asked["url"].split("/", 3)[-1]
        # A redirect has the number of the request that it answers; both are printed.
        number = f"{event['requestId']}.{len(self.requests)}" if "redirectResponse" in event else event["requestId"]
        if "redirectResponse" in event and event["requestId"] in self.requests:
            first = self.requests.pop(event["requestId"])
            first.ended, first.size = self.now(), event["redirectResponse"]["encodedDataLength"]
            self.requests[number] = first
        self.requests[event["requestId"]] = Request(asked["method"], path, event.get("type", ""), self.now())

    def _cached(self, event: dict[str, Any]) -> None:
        self.requests[event["requestId"]].is_cached = True

    def _finished(self, event: dict[str, Any]) -> None:
        if request := self.requests.get(event["requestId"]):
            request.ended, request.size = self.now(), event["encodedDataLength"]

    def loaded(self) -> list[Request]:
        """Return the requests that went over the wire, in the order in which they began."""
        own = [request for request in self.requests.values() if not request.is_cached and request.size]
        return sorted(own, key=lambda request: request.began)


def main() -> None:
    """Print the waterfalls, and exit with 1 where a promise was broken."""
    study = judging.load("waterfall", items=20, systems=5, k=3, n_criteria=CRITERIA)
    path = path_of_chromium()
    with running_site() as site, sync_playwright() as playwright:
        browser = launched(playwright, path)
        page = browser.new_page(viewport=PHONE)
        faults = walk(page, site.url + reverse("rater:join", args=[study.link_code]))
        browser.close()
    if faults:
        sys.exit("\n".join(["FAILED", *faults]))


def walk(page: Page, link: str) -> list[str]:
    """Load the pages, print their waterfalls, and return the broken promises."""
    recorder = Recorder(page)
    page.set_default_timeout(120_000)

    recorder.begin()
    page.goto(link)
    usable = recorder.now()
    first = _told("the page that the link leads to", recorder, usable)
    print(f"    {usable:.0f} ms of {MOST_MS} that are promised on a machine at rest")
    agree = page.get_by_role("button", name="I agree, begin")

    recorder.begin()
    agree.click()
    page.get_by_role("button", name="Start").wait_for()
    page.wait_for_load_state()
    _told("instructions", recorder, recorder.now())

    recorder.begin()
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".top-progress")).to_contain_text("1 of ", timeout=120_000)
    page.wait_for_load_state()
    text = _told("the first text", recorder, recorder.now())

    for group in page.get_by_role("radiogroup").all():
        group.locator("label").first.click()
    page.wait_for_load_state("networkidle")
    recorder.begin()
    page.get_by_role("button", name="Send and go on").click()
    expect(page.locator(".top-progress")).to_contain_text("2 of ", timeout=120_000)
    following = _told("the second text, after an answer", recorder, recorder.now())
    return [*_broken("the first text", text), *_broken_later(following), *_broken("the page of the link", first)]


def _told(name: str, recorder: Recorder, until_usable: float) -> list[Request]:
    requests = recorder.loaded()
    kilobytes = sum(request.size for request in requests) / 1000
    print(f"{name}: {len(requests)} requests, {kilobytes:.1f} kB, usable after {until_usable:.0f} ms")
    print("   began   ended      kB")
    for one in requests:
        print(f"{one.began:>8.0f}{one.ended:>8.0f}{one.size / 1000:>8.1f}  {one.method} {one.kind} {one.path[:90]}")
    return requests


def _files(requests: list[Request]) -> list[Request]:
    return [request for request in requests if request.path.startswith("/static/")]


def _broken(name: str, requests: list[Request]) -> list[str]:
    n = len(_files(requests))
    return [f"{name} asks for {n} files; promised are at most {MOST_FILES}"] if n > MOST_FILES else []


def _broken_later(requests: list[Request]) -> list[str]:
    faults = []
    if n := len(_files(requests)):
        faults.append(f"the second text asks for {n} more files; promised is none")
    kilobytes = sum(request.size for request in requests) / 1000
    if kilobytes > MOST_KB:
        faults.append(f"the second text takes {kilobytes:.1f} kB; promised are at most {MOST_KB:.0f}")
    return faults
