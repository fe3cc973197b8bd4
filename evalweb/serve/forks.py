"""Load the code once and fork the processes of the site, which share its memory.

`python -m evalweb.serve.forks SOCKET PORT` gets the numbers of two open sockets: one to the supervisor
(`evalweb.serve.loader`), and the one on which the site listens. `LOADED` is sent when the code is loaded. Then each
line that is received asks for a process, as the JSON of an `Order`. It is answered with the pid of a process that
waits, and begins when the supervisor sends `BEGIN`. The process is a child of the supervisor, so that it goes on where
this one ends.
"""

import ctypes
import json
import os
import runpy
import signal
import socket
import sys
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import BinaryIO

from evalweb import garbage
from evalweb.local_services import processes

LOADED, BEGIN = b"loaded\n", b"begin\n"
# What web server, worker and scheduler import at their start.
MODULES = (
    "evalweb.asgi",
    "evalweb.beat",
    "evalweb.front.worker",
    "gunicorn.app.wsgiapp",
    "celery.apps.beat",
    "celery.apps.worker",
    "celery.bin.celery",
    "celery.concurrency.prefork",
    "celery.worker.consumer",
    "kombu.transport.redis",
    # Runs need it, and so do pages that plan a study.
    "scipy.special",
)
PR_SET_NAME = 15


@dataclass(frozen=True, slots=True)
class Order:
    """A process to fork: the arguments of `python -m`, variables of its own, and the file of its log.

    `dies_with` is the signal that it gets when the supervisor ends. Only a process that `serves` keeps the socket on
    which the site listens.
    """

    name: str
    arguments: list[str]
    variables: dict[str, str]
    log: str
    dies_with: int
    serves: bool

    def line(self) -> bytes:
        """Return the order as a line of JSON."""
        return f"{json.dumps(asdict(self))}\n".encode()


def main(supervisor_socket: int, port: int) -> None:
    """Load the code and fork a process for each order; become that process in the fork."""
    supervisor = os.getppid()
    set_name("loader")
    channel = socket.socket(fileno=supervisor_socket)
    load()
    channel.sendall(LOADED)
    with channel.makefile("rb") as orders:
        order = fork_all(orders, channel, supervisor)
    channel.close()
    if order is not None:
        if not order.serves:
            os.close(port)
        become(order)


def load() -> None:
    """Import the modules of the processes, and leave all objects out of every later search for garbage."""
    for module in MODULES:
        import_module(module)
    from evalweb.celery import app  # noqa: PLC0415  it needs complete settings

    app.loader.import_default_modules()
    garbage.share_with_forks()


def fork_all(orders: BinaryIO, channel: socket.socket, supervisor: int) -> Order | None:
    """Fork a process for each order. Return the order in the fork, and None here when the supervisor has ended."""
    for line in orders:
        order = Order(**json.loads(line))
        go, start = os.pipe()
        pid = _fork_for_supervisor(order.name)
        if not pid:
            os.close(start)
            may_begin = os.read(go, 1)
            os.close(go)
            processes.tie_to_parent(signal.Signals(order.dies_with))
            # Asked after the tie: a supervisor that ended before it sends no signal any more.
            if not may_begin or os.getppid() != supervisor:
                os._exit(1)
            return order
        os.close(go)
        channel.sendall(b"%d\n" % pid)
        if orders.readline() == BEGIN:
            os.write(start, b"1")
        os.close(start)
    return None


def _fork_for_supervisor(name: str) -> int:
    """Fork a process that the supervisor adopts, since its parent ends at once; return its pid here, and 0 in it.

    It tells its pid when it has its name and its session, by which the supervisor and people know it.
    """
    told, tell = os.pipe()
    between = os.fork()
    if not between:
        os.close(told)
        if os.fork():
            os._exit(0)
        os.setsid()
        set_name(name)
        os.write(tell, b"%d" % os.getpid())
        os.close(tell)
        return 0
    os.close(tell)
    with open(told, "rb") as answer:
        pid = int(answer.read())
    os.waitpid(between, 0)
    return pid


def become(order: Order) -> None:
    """Run a module as `python -m` does, with output to its log."""
    log = os.open(order.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
    os.environ |= order.variables
    limit_statements()
    sys.argv = list(order.arguments)
    runpy.run_module(order.arguments[0], run_name="__main__", alter_sys=True)


def set_name(name: str) -> None:
    """Set the name of this process that `ps -e` and `top` show."""
    ctypes.CDLL(None).prctl(PR_SET_NAME, name.encode())


def limit_statements() -> None:
    """Have connections to the database limit statements as the variables of this process say."""
    from django.conf import settings  # noqa: PLC0415  the supervisor imports this module, and not Django

    from evalweb.settings import options_of_connections  # noqa: PLC0415

    settings.DATABASES["default"]["OPTIONS"]["options"] = options_of_connections()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
