"""Start everything, say where it is, and stop everything again: `python -m evalweb.serve [stop]`."""

import json
import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from functools import partial
from threading import Event, Thread
from typing import Any

from evalweb import environment, local_services
from evalweb.local_services import InUse, ServiceError, VarFolder, processes
from evalweb.local_services.folder import BASE_DIR
from evalweb.serve import address, children
from evalweb.serve.announcement import announce

WHAT = "evalweb"


def main(arguments: list[str]) -> int:
    """Start or stop evalweb and return the exit code: 0 after Ctrl-C or SIGTERM, else 1."""
    # A message of ours must not wait in a buffer while somebody watches a file or a pipe.
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    var = VarFolder()
    try:
        return stop(var) if arguments == ["stop"] else serve(var)
    except InUse as other:
        say(f"{other} Stop it there with Ctrl-C, or here with `make stop`.")
    except ServiceError as problem:
        say(str(problem))
    except KeyboardInterrupt:
        say("Stopped.")
        return 0
    return 1


def serve(var: VarFolder) -> int:
    """Run everything until a signal comes or a process ends by itself."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # until the processes run, like Ctrl-C
    ended = Event()
    with ExitStack() as stack:
        if ended_first := stack.enter_context(var.held(WHAT)):
            say(f"Ended {ended_first} processes that the last run left behind")
        stack.callback(say, "Stopped.")
        var.make_secrets()
        settings = _settings(var)
        settings |= stack.enter_context(local_services.servers(var, say)).urls
        stack.callback(_ignore_signals)
        settings |= _prepared(var, settings)
        when_started = partial(_start_thread, announce, var, settings, ended)
        obituary = children.run(var, settings, when_started)
        ended.set()
        say("Stopping" if obituary is None else obituary)
    return 0 if obituary is None else 1


def stop(var: VarFolder) -> int:
    """Ask a running evalweb to stop, and wait until it has."""
    state = var.state()
    mark = processes.mark_of(state.get("pid", 0)) if state.get("what") == WHAT else None
    process = mark and processes.still_alive(mark)
    if not process:
        say("evalweb is not running here.")
        return 1
    process.terminate()
    with var.held("make stop", wait=True):  # it holds the folder until everything has ended
        say("evalweb has stopped.")
    return 0


def say(line: str) -> None:
    """Tell who watches what is being done."""
    sys.stdout.write(f"{line}\n")


def _settings(var: VarFolder) -> dict[str, str]:
    """Return the variables of the processes; what the caller has set stays as it is."""
    host = environment.text("HOST")
    chosen = {**var.variables(), "ALLOWED_HOSTS": address.host_names(host), "HOST": host}
    return {**chosen, **{name: os.environ[name] for name in chosen if os.environ.get(name)}}


def _prepared(var: VarFolder, settings: dict[str, str]) -> dict[str, str]:
    """Choose the port and get database, static files, login and demonstration ready; return HOST's PORT."""
    first = environment.number("PORT", least=1)
    with address.held_port(settings["HOST"], first) as held:
        port = int(held.getsockname()[1])
        if port != first:
            say(f"Port {first} is taken; using {port}")
        url = address.base_url(settings["HOST"], port)
        var.write_state({"url": url, **{name: settings[name] for name in ("DATABASE_URL", "REDIS_URL")}})
        command = [sys.executable, "-m", "evalweb.prepare", "--backup", "--static", "--demo", url]
        report = var.root / "prepared.json"
        # A session of its own: Ctrl-C reaches this process alone, which then ends it.
        answer = subprocess.run(
            [*command, "--report", str(report)],
            env=os.environ | settings,
            cwd=BASE_DIR,
            start_new_session=True,
            check=False,
        )
    if answer.returncode != 0:
        raise ServiceError("The database could not be prepared; the reason stands above. Nothing was started.")
    say("Starting web server, worker and scheduler")
    return {"PORT": str(port)}


def _start_thread(target: Any, var: VarFolder, settings: dict[str, str], ended: Event) -> None:
    report = json.loads((var.root / "prepared.json").read_text())
    url = str(var.state()["url"])
    Thread(target=target, args=(url, var, report, settings, ended), daemon=True).start()


def _ignore_signals() -> None:
    """Let a second Ctrl-C not interrupt the shutdown of the database."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
