"""The data folder (EVALWEB_VAR): its secrets, its lock, and the processes that use it."""

import fcntl
import json
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from analytics_app.archive import keys
from evalweb import environment
from evalweb.local_services.processes import Mark, ServiceError, end_leftovers, sentence

BASE_DIR = Path(__file__).resolve().parent.parent.parent
# How a running site names itself to others that would use its folder.
SITE = "evalweb"
SECRET_NAMES = (
    "SECRET_KEY",
    "EVALWEB_RESEARCHER_PASSWORD",
    "EVALWEB_BROKER_PASSWORD",
    "EVALWEB_DATABASE_PASSWORD",
    "EVALWEB_DATABASE_ADMINISTRATOR_PASSWORD",
    keys.LINE,
)


class InUse(ServiceError):
    """Another process works on the folder; `state` names it, with its start and its place."""

    def __init__(self, state: dict[str, Any]) -> None:
        self.state = state
        where = f" at {state['url']}" if state.get("url") else ""
        super().__init__(
            f"{state.get('what', 'Another command')} is already running{where}, "
            f"since {state.get('since', 'a moment ago')} (process {state.get('pid', 'unknown')})."
        )


class VarFolder:
    """The paths in EVALWEB_VAR, who holds it, and its secrets."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = root or (BASE_DIR / environment.text("EVALWEB_VAR")).resolve()
        self.logs = self.root / "log"
        self.media = self.root / "media"
        self.backups = self.root / "backups"
        self.mail = self.root / "mail"
        self.postgres = self.root / "postgres"
        self.valkey = self.root / "valkey"
        self.secrets = self.root / "secrets"
        self.erasures = self.root / "erasures.jsonl"
        self._lock = self.root / "lock"
        self._state = self.root / "running.json"

    def make(self) -> None:
        """Make the folder. PostgreSQL's account can enter root's, and the folders inside are closed.

        ServiceError where it belongs to somebody else or cannot be made.
        """
        folder = self.root
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            self.root.chmod(0o711 if os.geteuid() == 0 else 0o700)
            for folder in (self.logs, self.media, self.backups, self.mail):
                folder.mkdir(exist_ok=True)
                folder.chmod(0o700)
        except PermissionError as problem:
            raise ServiceError(
                f"{folder} belongs to somebody else, or lies in a folder that does. Start evalweb as the user who "
                "owns it, or set EVALWEB_VAR to a folder of your own."
            ) from problem
        except OSError as problem:
            raise ServiceError(f"{folder} cannot be made. {sentence(problem)}") from problem

    @contextmanager
    def held(self, what: str, *, wait: bool = False) -> Iterator[int]:
        """Hold the folder alone, and yield how many processes of a killed holder had to be ended first.

        Raises
        ------
        InUse
            While somebody else holds it, unless `wait`.
        """
        self.make()
        with self._lock.open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except BlockingIOError:
                raise InUse(self.state()) from None
            # A fork that outlives this process must not go on holding the lock in its name.
            os.register_at_fork(after_in_child=lock.close)
            ended = end_leftovers(self.state().get("children", []))
            try:
                self._state.unlink(missing_ok=True)
                self.write_state({"what": what, "pid": os.getpid(), "since": _now()})
            except OSError as problem:
                raise ServiceError(f"{self.root} cannot be used. {sentence(problem)}") from problem
            try:
                yield ended
            finally:
                self._state.unlink(missing_ok=True)

    def state(self) -> dict[str, Any]:
        """Return the holder's state: `what`, pid, since, url, DATABASE_URL, REDIS_URL, children."""
        try:
            state: dict[str, Any] = json.loads(self._state.read_text())
        except FileNotFoundError:
            return {}
        return state

    def write_state(self, changes: dict[str, Any]) -> None:
        """Add to the state. It holds the broker's password and is therefore for its owner only."""
        write_private(self._state, json.dumps({**self.state(), **changes}, indent=1))

    def add_child(self, mark: Mark) -> None:
        """Remember a process, so that the next start can end it if this one cannot."""
        self.write_state({"children": [*self.state().get("children", []), mark]})

    def read_secrets(self) -> dict[str, str]:
        """Return the secrets made so far; none where there is no file."""
        try:
            return secrets_in(self.secrets.read_text())
        except FileNotFoundError:
            return {}

    def make_secrets(self, names: Iterable[str] = SECRET_NAMES) -> dict[str, str]:
        """Return the secrets, making at first use those of `names` that are missing."""
        with self.changed_secrets() as values:
            for name in names:
                if name not in values:
                    values[name] = _new_secret(name)
        return values

    @contextmanager
    def changed_secrets(self) -> Iterator[dict[str, str]]:
        """Yield the secrets to be changed, and store them if they were.

        Processes that start at the same time wait for each other, so that all of them get what the first one makes.
        """
        with os.fdopen(os.open(self.root / "secrets.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            stored = self.read_secrets()
            values = dict(stored)
            yield values
            if values != stored:
                self.write_secrets(values)

    def variables(self) -> dict[str, str]:
        """Return those of the secrets made so far that are variables of evalweb's processes."""
        return {name: value for name, value in self.read_secrets().items() if name in environment.VARIABLES}

    def write_secrets(self, values: dict[str, str]) -> None:
        """Replace the file of secrets."""
        head = "# Made by evalweb. Keep it private and in your backups; raters' links and sign-ins depend on it.\n"
        write_private(self.secrets, head + "".join(f"{name}={value}\n" for name, value in values.items()))


def secrets_in(text: str) -> dict[str, str]:
    """Return the secrets in the text of a file of secrets, by name."""
    pairs = (line.partition("=") for line in text.splitlines() if line and not line.startswith("#"))
    return {name: value for name, _equals, value in pairs}


def _new_secret(name: str) -> str:
    if name == keys.LINE:
        return keys.KeyRing.new(keys.now()).write()
    # The researcher's password is typed by people.
    return secrets.token_urlsafe(12 if name == "EVALWEB_RESEARCHER_PASSWORD" else 48)


def write_private(path: Path, text: str) -> None:
    """Replace the file at `path` by `text`, whole or not at all, readable by its owner only."""
    unfinished = path.with_name(f"{path.name}.new")
    unfinished.unlink(missing_ok=True)
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
