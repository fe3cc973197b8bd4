"""Start everything, say where it is, and stop everything again: `python -m evalweb.serve [stop]`."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from queue import SimpleQueue
from socket import socket
from threading import Event, Thread
from time import monotonic

from evalweb import environment, local_services
from evalweb.elapsed import elapsed_shown
from evalweb.local_services import InUse, ServiceError, VarFolder, processes
from evalweb.local_services.folder import BASE_DIR, SITE
from evalweb.serve import address, children, demonstration
from evalweb.serve.announcement import announce, readiness
from evalweb.serve.demonstration import Demonstration
from evalweb.serve.loader import Loader
from evalweb.serve.log_files import rotate
from evalweb.serve.messages import Messages
from evalweb.serve.supervisor import Service, Supervisor

# Longest time for which the starting web server has the processors for itself.
FIRST_SECONDS = 15
# Longest wait for the code to be loaded. Whatever is started before is started by its command, without sharing memory.
LOADING_SECONDS = 60
# A closed terminal sends SIGHUP; nohup has it ignored, and that is left so.
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main(arguments: list[str]) -> int:
    """Start or stop evalweb and return the exit code: 0 after Ctrl-C, SIGTERM or a closed terminal, else 1.

    Arguments that it does not know start nothing; the exit code is 2, or 0 where they ask for help.
    """
    if arguments not in ([], ["stop"]):
        asks = arguments in (["-h"], ["--help"])
        (sys.stdout if asks else sys.stderr).write(f"{__doc__}\n")
        return 0 if asks else 2
    var, messages = VarFolder(), Messages()
    try:
        if arguments == ["stop"]:
            return stop(var, messages)
        serve(var, messages)
    except InUse as other:
        messages.say(f"{other} Stop it there with Ctrl-C, or here with `make stop`.")
    except ServiceError as problem:
        messages.say(str(problem))
    except OSError as problem:
        messages.say(f"evalweb did not start. {processes.sentence(problem)}")
    except KeyboardInterrupt:
        if arguments != ["stop"]:
            messages.say("Stopped.")
            return 0
        messages.say("evalweb goes on stopping by itself; this command waits no longer.")
    else:
        messages.say("Stopped.")
        return 0
    return 1


def serve(var: VarFolder, messages: Messages) -> None:
    """Run everything until a signal comes."""
    say = messages.say
    _on_stop_signals(signal.default_int_handler)  # until the processes run, each is like Ctrl-C
    ended = Event()
    with ExitStack() as stack:
        ended_first = stack.enter_context(var.held(SITE))
        messages.log = var.logs / "supervisor.log"
        if ended_first:
            say(f"Ended {ended_first} processes that the last run left behind")
        var.make_secrets()
        settings = _settings(var)
        servers = stack.enter_context(local_services.servers(var, say))
        settings |= servers.urls
        stack.callback(_on_stop_signals, signal.SIG_IGN)  # a second Ctrl-C does not interrupt the servers' shutdown
        port = stack.enter_context(_port(settings, say))
        settings |= {"PORT": str(port.getsockname()[1])}
        _prepare(var, settings, say)
        signals: SimpleQueue[int] = SimpleQueue()
        _on_stop_signals(lambda number, _frame: signals.put(number))
        signal.signal(signal.SIGCHLD, lambda number, _frame: signals.put(number))
        processes.adopt_orphans()
        loader = children.loader(var, settings, port=port) if processes.can_adopt() else None
        processes_of_ours = children.children(var, settings, port=port, loader=loader)
        loaders = [loader] if loader else []
        stack.callback(children.stop, [*loaders, *processes_of_ours])
        stack.callback(ended.set)
        if loader:
            _load(loader, signals, say)
        _launch(processes_of_ours, str(var.state()["url"]), signals, say)
        _announce(var, settings, messages, ended)
        services: list[Service] = [*servers.private, *loaders, *processes_of_ours]
        watched: list[Service | Demonstration] = [*services]
        if environment.flag("EVALWEB_DEMO"):
            watched.append(_demonstrate(var, settings, messages, stack))
        supervisor = Supervisor(services, say=say, upkeep=Upkeep(var, watched))
        supervisor.run(signals)
        say("Stopping")
        processes.send(supervisor.stand_ins(), signal.SIGTERM)


def stop(var: VarFolder, messages: Messages) -> int:
    """Ask a running evalweb to stop, and wait until it has."""
    state = var.state()
    mark = processes.mark_of(state.get("pid", 0)) if state.get("what") == SITE else None
    process = mark and processes.still_alive(mark)
    if not process:
        messages.say("evalweb is not running here.")
        return 1
    process.terminate()
    with var.held("make stop", wait=True):  # it holds the folder until everything has ended
        messages.say("evalweb has stopped.")
    return 0


class Upkeep:
    """Upkeep every few seconds: keeps logs small, and stores which processes run for the next start."""

    def __init__(self, var: VarFolder, services: Sequence[Service | Demonstration]) -> None:
        self.var, self.services = var, services
        self._written: list[processes.Mark] = []

    def __call__(self) -> None:
        """Forget orphans, rotate logs and store the processes; OSError if the disk is full."""
        processes.forget_orphans([service.process.pid for service in self.services if service.process])
        # PostgreSQL tells the next start by a lock file of its own, and wants another signal.
        running = [service.process for service in self.services if service.process and service.name != "postgres"]
        marks = [mark for process in running if (mark := processes.mark_of(process.pid)) is not None]
        if marks != self._written:
            self.var.write_state({"children": marks})
            self._written = marks
        for log in [self.var.logs / "supervisor.log", *(service.log for service in self.services)]:
            rotate(log)


def _settings(var: VarFolder) -> dict[str, str]:
    """Return the variables of the processes; variables set by the caller stay as they are."""
    host = environment.text("HOST")
    chosen = {**var.variables(), "ALLOWED_HOSTS": address.host_names(host), "HOST": host}
    return {**chosen, **{name: os.environ[name] for name in chosen if os.environ.get(name)}}


@contextmanager
def _port(settings: dict[str, str], say: local_services.Say) -> Iterator[socket]:
    """Hold the port that browsers connect to, as long as the context lasts."""
    first = environment.number("PORT", least=1)
    with address.held_port(settings["HOST"], first) as held:
        if (number := held.getsockname()[1]) != first:
            say(f"Port {first} is taken; using {number}")
        yield held


def _prepare(var: VarFolder, settings: dict[str, str], say: local_services.Say) -> None:
    """Get database, static files and login ready."""
    url = address.base_url(settings["HOST"], int(settings["PORT"]))
    var.write_state({"url": url, **{name: settings[name] for name in ("DATABASE_URL", "REDIS_URL")}})
    report = ["--report", str(var.root / "prepared.json")]
    with _preparing(["--static", "--backup", *report], settings) as step:
        failed = step.wait() != 0
    if failed:
        raise ServiceError(
            "The database or the static files could not be prepared; the reason stands above. Nothing was started."
        )
    say("Starting web server, worker and scheduler")


def _announce(var: VarFolder, settings: dict[str, str], messages: Messages, ended: Event) -> None:
    report = json.loads((var.root / "prepared.json").read_text())
    password = settings["EVALWEB_RESEARCHER_PASSWORD"]
    target = partial(announce, str(var.state()["url"]), var, report, password=password, ended=ended, show=messages.show)
    Thread(target=target, daemon=True).start()


@contextmanager
def _preparing(options: list[str], settings: dict[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a step of the preparations for serving, at most as long as the context lasts.

    It has a session of its own: Ctrl-C reaches this process alone, which then ends the step.
    """
    with subprocess.Popen(
        [sys.executable, "-m", "evalweb.prepare", *options],
        env=os.environ | settings,
        cwd=BASE_DIR,
        start_new_session=True,
        preexec_fn=processes.tied_to_parent(signal.SIGTERM),  # noqa: PLW1509  no thread runs yet that holds a lock
    ) as step:
        try:
            yield step
        finally:
            step.terminate()


def _load(loader: Loader, signals: "SimpleQueue[int]", say: local_services.Say) -> None:
    """Start the loader and wait until it has loaded the code, at most `LOADING_SECONDS` and until a signal comes."""
    loader.launch()
    _wait_until(loader.is_ready, LOADING_SECONDS, signals, say)


def _launch(
    processes_of_ours: Sequence[children.Child], url: str, signals: "SimpleQueue[int]", say: local_services.Say
) -> None:
    """Start the web server, and the others once it answers: they would take the processors from it.

    They wait at most `FIRST_SECONDS`, and no longer where a signal comes, which the supervisor takes up.
    """
    first, *rest = processes_of_ours
    first.launch()
    _wait_until(lambda: readiness(url) is None, FIRST_SECONDS, signals, say)
    for child in rest:
        child.launch()


def _wait_until(
    ready: Callable[[], bool], seconds: float, signals: "SimpleQueue[int]", say: local_services.Say
) -> None:
    """Wait until `ready()`, at most so many seconds and until a signal comes."""
    deadline = monotonic() + seconds
    with elapsed_shown(say):
        while signals.empty() and monotonic() < deadline and not ready():
            Event().wait(0.1)


def _demonstrate(var: VarFolder, settings: dict[str, str], messages: Messages, stack: ExitStack) -> Demonstration:
    """Load the demonstration studies behind the site, until it is stopped."""
    command, log = demonstration.command(str(var.state()["url"])), var.logs / "demonstration.log"
    loading = Demonstration(command, log=log, environment=os.environ | settings, show=messages.show)
    stack.callback(loading.stop)
    loading.launch()
    return loading


def _on_stop_signals(handler: "signal._HANDLER") -> None:
    for number in STOP_SIGNALS:
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
