"""A gunicorn worker with an event loop, and limits on first requests and on idle or slow connections."""

import os
import resource
from typing import Any

from gunicorn.asgi.protocol import ASGIProtocol
from gunicorn.workers import gasgi

from evalweb.front.held_socket import HELD

# From the opening of a connection to the end of its first request's head; later heads have gunicorn's keep-alive time.
HEAD_SECONDS = 20
# Longest wait for the last bytes to arrive before the connection is cut.
FLUSH_SECONDS = 30
MOST_OPEN_FILES = 65_536


class Connection(ASGIProtocol):  # type: ignore[misc]  # gunicorn ships no types
    """One connection, known to its worker, and never waited for without end."""

    def connection_made(self, transport: Any) -> None:
        """Limit the time of the first head, and make room where there are too many connections."""
        super().connection_made(transport)
        self._keepalive_handle = self.worker.loop.call_later(HEAD_SECONDS, self._keepalive_timeout)
        self.worker.admit(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self.worker.connections.pop(self, None)
        super().connection_lost(exc)

    def is_idle(self) -> bool:
        """Return whether no request is being answered."""
        return bool(self._awaiting_request)

    def close_idle(self) -> None:
        """Close the connection as after its keep-alive time."""
        self._keepalive_timeout()

    def _close_transport(self) -> None:
        super()._close_transport()
        # A client that reads nothing would keep the end of its response, and its connection, for ever.
        self.worker.loop.call_later(FLUSH_SECONDS, self.transport.abort)


class Worker(gasgi.ASGIWorker):  # type: ignore[misc]
    """A worker that knows its connections: `worker_class` in evalweb.gunicorn_conf."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # Called in gunicorn's main process, before the fork.
        self.supervisor = os.getppid() if HELD else None
        super().__init__(*args, **kwargs)
        self.connections: dict[Connection, None] = {}

    @property
    def ppid(self) -> int:
        """The parent with which gunicorn compares the current one, and ends where they differ.

        If the main process is killed, the supervisor of `make run` adopts this one and ends it when others serve.
        """
        return self.supervisor if self.supervisor and os.getppid() == self.supervisor else self._main_process

    @ppid.setter
    def ppid(self, main_process: int) -> None:
        self._main_process = main_process

    def init_process(self) -> None:
        """Allow as many files as there may be connections, then serve."""
        # gunicorn has no setting for the class of its connections.
        gasgi.ASGIProtocol = Connection
        _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = MOST_OPEN_FILES if hard == resource.RLIM_INFINITY else min(MOST_OPEN_FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        super().init_process()

    def admit(self, connection: Connection) -> None:
        """Take a connection in. Above the limit, cut the one that has been open longest without a request."""
        self.connections[connection] = None
        if len(self.connections) > self.worker_connections:
            oldest = next((candidate for candidate in self.connections if candidate.is_idle()), connection)
            oldest.transport.abort()

    async def _shutdown(self) -> None:
        """Close connections on which nobody asks anything, which gunicorn would wait for; then finish the others."""
        for server in self.servers:
            server.close()
        for connection in list(self.connections):
            if connection.is_idle():
                connection.close_idle()
        await super()._shutdown()
