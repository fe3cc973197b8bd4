"""Fetch and post pages, of a server or of this process."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Protocol
from urllib.parse import urlencode, urlsplit

from django.test import Client

BUSY = HTTPStatus.SERVICE_UNAVAILABLE

# The content type of a posted form.
FORM = "application/x-www-form-urlencoded"

# Number of attempts to get a page from a busy server.
PATIENCE = 10


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a page."""

    status: int
    location: str
    body: str


class Transport(Protocol):
    """A way to fetch and post pages."""

    def get(self, path: str) -> Answer:
        """Fetch a page."""

    def post(self, path: str, data: Mapping[str, str]) -> Answer:
        """Post a form."""

    def send(self, path: str, document: object) -> Answer:
        """Post a JSON document."""


class Http:
    """Pages of a server somewhere, over one kept connection. While it is too busy it is asked again, as browsers do."""

    def __init__(self, base_url: str) -> None:
        address = urlsplit(base_url)
        kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
        self.connection = kind(address.netloc, timeout=60)

    def get(self, path: str) -> Answer:
        """Fetch a page."""
        return self._ask("GET", path, None)

    def post(self, path: str, data: Mapping[str, str]) -> Answer:
        """Post a form."""
        return self._ask("POST", path, urlencode(data))

    def send(self, path: str, document: object) -> Answer:
        """Post a JSON document."""
        return self._ask("POST", path, json.dumps(document), "application/json")

    def _ask(self, method: str, path: str, body: str | None, kind: str = FORM) -> Answer:
        for _time in range(PATIENCE):
            answer, wait = self._connected(method, path, body, kind)
            if wait is None:
                return answer
            time.sleep(wait)
        return self._connected(method, path, body, kind)[0]

    def _connected(self, method: str, path: str, body: str | None, kind: str) -> tuple[Answer, float | None]:
        try:
            return self._once(method, path, body, kind)
        except (ConnectionError, HTTPException):
            # The server closed the connection while nothing was asked. What is sent again is stored once.
            self.connection.close()
            return self._once(method, path, body, kind)

    def _once(self, method: str, path: str, body: str | None, kind: str) -> tuple[Answer, float | None]:
        headers = {"Content-Type": kind} if body is not None else {}
        self.connection.request(method, path, body=body, headers=headers)
        response = self.connection.getresponse()
        text = response.read().decode()
        wait = response.headers.get("Retry-After") if response.status == BUSY else None
        return Answer(response.status, response.headers.get("Location", ""), text), float(wait) if wait else None


class InProcess:
    """Pages of this process, without a server, asked for from an address."""

    def __init__(self, address: str = "127.0.0.1") -> None:
        self.client = Client(SERVER_NAME="localhost", REMOTE_ADDR=address, headers={"accept": "text/html"})

    def get(self, path: str) -> Answer:
        """Fetch a page."""
        response = self.client.get(path, secure=True)
        return Answer(response.status_code, response.headers.get("Location", ""), response.content.decode())

    def post(self, path: str, data: Mapping[str, str]) -> Answer:
        """Post a form."""
        response = self.client.post(path, dict(data), secure=True)
        return Answer(response.status_code, response.headers.get("Location", ""), response.content.decode())

    def send(self, path: str, document: object) -> Answer:
        """Post a JSON document."""
        response = self.client.post(path, document, content_type="application/json", secure=True)
        return Answer(response.status_code, response.headers.get("Location", ""), response.content.decode())
