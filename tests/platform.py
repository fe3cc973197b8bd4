"""A platform that recruits raters, on an origin of its own: a frame around a task, and a place for its last form."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit


@dataclass
class Platform:
    """Where it is, and what forms were sent to it: (path, fields)."""

    origin: str
    sent: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def framing(self, address: str) -> str:
        """Return the address of a page that shows `address` in a frame."""
        return f"{self.origin}/?{address}"


@contextmanager
def running_platform() -> Iterator[Platform]:
    """Serve a platform. By its name it is another site than a live site, which is called by its number."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            address = escape(urlsplit(self.path).query)
            frame = f'<iframe src="{address}" width="1000" height="900"></iframe>'
            self._answer(f"<!doctype html><title>Platform</title>{frame}")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            fields = {name: values[0] for name, values in parse_qs(body).items()}
            platform.sent.append((self.path, fields))
            self._answer("<!doctype html><title>Submitted</title><p>The HIT was submitted.</p>")

        def _answer(self, page: str) -> None:
            content = page.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    platform = Platform(f"http://localhost:{server.server_port}")
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield platform
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
