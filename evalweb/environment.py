"""The environment variables evalweb reads: declared once, documented in docs/operations.md, read from here only."""

import json
import os
from typing import NamedTuple, NoReturn

from django.core.exceptions import ImproperlyConfigured

TRUE_WORDS = frozenset({"1", "true", "yes", "on"})
FALSE_WORDS = frozenset({"0", "false", "no", "off", ""})


class Variable(NamedTuple):
    """One variable: its default, and its purpose."""

    default: str
    doc: str


VARIABLES: dict[str, Variable] = {
    "SECRET_KEY": Variable("", "Signs sessions and forms. Required while DEBUG is off; `make run` makes one."),
    "ALLOWED_HOSTS": Variable(
        "", "Host names of the site, separated by commas. Required while DEBUG is off; `make run` sets it."
    ),
    "DATABASE_URL": Variable(
        "", "`postgresql://user:password@host:port/name`. Without it `make run` starts a PostgreSQL of its own."
    ),
    "REDIS_URL": Variable(
        "redis://127.0.0.1:6379/0",
        "Broker: `redis://:password@host:port/0`. Without it `make run` starts a Valkey of its own.",
    ),
    "DEBUG": Variable("0", "1 shows tracebacks in the browser. Never on a machine that others can reach."),
    "HOST": Variable("127.0.0.1", "Address `make run` listens on; 0.0.0.0 for every network."),
    "PORT": Variable("8000", "Port `make run` tries first; it takes the next free one."),
    "EVALWEB_VAR": Variable("var", "Folder for all data: database, media, secrets, backups, logs."),
    "EVALWEB_STATIC": Variable("", "Folder that `collectstatic` fills; by default `static` in EVALWEB_VAR."),
    "EVALWEB_HTTPS": Variable(
        "0", "1 behind a proxy that ends TLS and sets X-Forwarded-Proto: secure cookies, redirects to https."
    ),
    "EVALWEB_HSTS_SECONDS": Variable("0", "Seconds for which browsers must use https (HSTS); only with EVALWEB_HTTPS."),
    "EVALWEB_TRUSTED_ORIGINS": Variable(
        "", "Origins (`https://eval.example.org`) whose forms are accepted besides the site's own, separated by commas."
    ),
    "EVALWEB_PROXIES": Variable("0", "Proxies in front that append to X-Forwarded-For; 0 ignores that header."),
    "EVALWEB_MTURK_ORIGINS": Variable(
        "", "Origins, besides MTurk's own, that may frame workers' pages and receive their work; separated by commas."
    ),
    "EVALWEB_METRIC_PROGRAMS": Variable(
        "",
        "Programs that compute metrics, as JSON: the command of each by its name, such as "
        '`{"GRUEN": ["python3", "/srv/metrics/gruen.py"]}`; see docs/metrics-file.md.',
    ),
    "EVALWEB_METRIC_PROGRAM_SECONDS": Variable("3600", "Maximum seconds that such a program may take for a study."),
    "EVALWEB_LOG_LEVEL": Variable("INFO", "DEBUG, INFO, WARNING or ERROR."),
    "EVALWEB_WEB_PROCESSES": Variable("2", "Web server processes per container or machine."),
    "EVALWEB_WEB_THREADS": Variable("8", "Threads per web server process; each keeps one database connection."),
    "EVALWEB_WEB_REPLICAS": Variable("1", "Number of web containers or machines, for counting connections."),
    "EVALWEB_WORKER_PROCESSES": Variable("2", "Processes per Celery worker."),
    "EVALWEB_WORKER_REPLICAS": Variable("1", "Number of worker containers or machines, for counting connections."),
    "EVALWEB_WORKER_MEMORY": Variable(
        "1024", "Memory in MiB above which a worker process is replaced, between two jobs."
    ),
    "EVALWEB_TASK_SECONDS": Variable("1800", "Maximum seconds of a background job."),
    "EVALWEB_REVISION": Variable("", "Identifier of the deployed code, such as a commit; stored with every run."),
    "EVALWEB_CONNECTION_SECONDS": Variable(
        "60", "Seconds for which a database connection is kept for the next request."
    ),
    "EVALWEB_LOCK_SECONDS": Variable("5", "Seconds for which a statement waits for a lock; 0 for no limit."),
    "EVALWEB_STATEMENT_SECONDS": Variable(
        "30", "Seconds a statement may take; 0 for no limit, which commands and migrations use."
    ),
    "EVALWEB_EMAIL_URL": Variable(
        "", "`smtp://user:password@host:587?tls=1` (or `smtps://…`). Without it mail is written to EVALWEB_VAR/mail."
    ),
    "EVALWEB_URL": Variable(
        "", "Address of this site for links in mail, such as `https://eval.example.org`. Without it no mail is sent."
    ),
    "EVALWEB_SITE_NAME": Variable(
        "evalweb",
        "Name of this site, such as `Rating lab of Example University`: on sign-in pages and in browser tabs.",
    ),
    "EVALWEB_EMAIL_FROM": Variable("evalweb@localhost", "Sender address of mail."),
    "EVALWEB_RESEARCHER_PASSWORD": Variable(
        "", "Password of the login `researcher`, made by `python -m evalweb.prepare` if that login does not exist."
    ),
    "EVALWEB_DATABASE_SECONDS": Variable(
        "60", "Seconds for which a start waits for a database that does not respond yet."
    ),
    "EVALWEB_DEMO": Variable(
        "1", "0 keeps `make run` from loading the demonstration studies, as `make run DEMO=no` does."
    ),
    "EVALWEB_SERVICE_USER": Variable(
        "nobody", "Account that runs the private PostgreSQL if root starts it, since PostgreSQL refuses to run as root."
    ),
    "EVALWEB_CHROMIUM": Variable("", "Chromium for the browser tests; by default the first one found."),
}


def text(name: str) -> str:
    """Return the value of a declared variable, or its default where it is unset or empty."""
    return os.environ.get(name, "").strip() or VARIABLES[name].default


def words(name: str) -> list[str]:
    """Return the comma-separated words of a variable."""
    return [word.strip() for word in text(name).split(",") if word.strip()]


def flag(name: str) -> bool:
    """Return whether a variable is switched on; ImproperlyConfigured for a word that is neither yes nor no."""
    value = text(name).lower()
    if value in TRUE_WORDS:
        return True
    if value in FALSE_WORDS:
        return False
    raise ImproperlyConfigured(f"{name} is {value!r}. Set it to 1 or 0.")


def number(name: str, *, least: int = 0) -> int:
    """Return a whole number of at least `least`; ImproperlyConfigured where the variable is something else."""
    value = text(name)
    if not value.isdecimal() or int(value) < least:
        raise ImproperlyConfigured(f"{name} is {value!r}. Set it to a whole number of at least {least}.")
    return int(value)


def commands(name: str) -> dict[str, list[str]]:
    """Return commands by name from JSON, each a list of words; ImproperlyConfigured for anything else."""
    try:
        value = json.loads(text(name) or "{}")
    except ValueError:
        value = None
    words_of = list(value.values()) if isinstance(value, dict) else [None]
    if not all(
        isinstance(words, list) and words and all(isinstance(word, str) for word in words) for words in words_of
    ):
        refuse(name, 'Set it to JSON such as {"GRUEN": ["python3", "/srv/metrics/gruen.py"]}.')
    return dict(value)


def keep_one_thread() -> None:
    """Have numpy's libraries, which read this when they are loaded, multiply matrices in one thread.

    The last digit of a product depends on how many threads share it, and the same run has to give the same digits on
    machines with more cores; a worker has a process a core.
    """
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def require(*names: str) -> None:
    """Raise ImproperlyConfigured naming every one of these variables that has no value."""
    missing = [name for name in names if not text(name)]
    if missing:
        raise ImproperlyConfigured(
            f"Set {' and '.join(missing)}: evalweb does not start without. "
            "`make run` sets them for you; docs/operations.md describes each of them."
        )


def refuse(name: str, sentence: str) -> NoReturn:
    """Raise ImproperlyConfigured for a variable with an unusable value, with advice."""
    raise ImproperlyConfigured(f"{name} cannot be used. {sentence}")
