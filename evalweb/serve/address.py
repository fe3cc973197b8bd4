"""The address of `make run`: a free port held as long as it runs, and the host names it answers to."""

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

from evalweb.local_services import ServiceError

TRIES = 100
# Connections that wait to be accepted, as many as gunicorn asks for on a socket of its own.
WAITING = 2048
EVERYWHERE = frozenset({"0.0.0.0", "::"})  # noqa: S104  asked for by whoever sets HOST


@contextmanager
def held_port(host: str, first: int) -> Iterator[socket.socket]:
    """Yield a socket that listens on `first` or the next free port, for the web server to accept from.

    Connections wait while no web server runs, and nobody else gets the port.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for port in range(first, min(first + TRIES, 65_536)):
        candidate = socket.socket(family)
        try:
            candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            candidate.bind((host, port))
            candidate.listen(WAITING)
        except OSError as problem:
            candidate.close()
            if problem.errno not in {errno.EADDRINUSE, errno.EACCES}:
                raise ServiceError(f"HOST={host} cannot be listened on: {problem.strerror}.") from problem
        else:
            with candidate:
                yield candidate
            return
    raise ServiceError(f"No port from {first} on is free. Set PORT to another one.")


def base_url(host: str, port: int) -> str:
    """Return the address a browser on this machine opens."""
    name = "127.0.0.1" if host in EVERYWHERE else host
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def host_names(host: str) -> str:
    """Return ALLOWED_HOSTS for `host`: this machine's own names, and its addresses where it listens on all."""
    names = {"localhost", "127.0.0.1", "[::1]"}
    if host in EVERYWHERE:
        names |= {socket.gethostname(), socket.getfqdn()}
        for addresses in psutil.net_if_addrs().values():
            names |= {address.address for address in addresses if address.family is socket.AF_INET}
    else:
        names.add(f"[{host}]" if ":" in host else host)
    return ",".join(sorted(names))
