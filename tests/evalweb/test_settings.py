"""Settings come from the environment, and a missing one stops the start by its name."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evalweb.environment import VARIABLES
from evalweb.local_services.folder import BASE_DIR

COMPLETE = {
    "SECRET_KEY": "x" * 50,
    "ALLOWED_HOSTS": "eval.example.org",
    "DATABASE_URL": "postgresql://evalweb:p%40ss@db.example.org:5433/evalweb",
}


# Answers each line, an expression and an environment, from a fork that has read no settings yet. What settings are read
# with is loaded once, which takes most of a start.
READER = """
import json, os, sys, traceback
import evalweb

for line in sys.stdin:
    expression, environment = json.loads(line)
    if child := os.fork():
        os.waitpid(child, 0)
        continue
    os.environ.clear()
    os.environ.update(environment)
    try:
        from evalweb import settings
        answer = 0, str(eval(expression))
    except Exception as problem:
        answer = 1, traceback.format_exception_only(problem)[-1]
    print(json.dumps(answer), flush=True)
    os._exit(0)
"""
BARE = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
Read = Callable[[str, dict[str, str]], tuple[int, str]]


@pytest.fixture(scope="module")
def read() -> Iterator[Read]:
    """A function that evaluates an expression over the settings of an environment; 1 and the reason where they fail."""
    command, pipe = [sys.executable, "-c", READER], subprocess.PIPE
    with subprocess.Popen(command, cwd=BASE_DIR, env=BARE, stdin=pipe, stdout=pipe, text=True) as reader:

        def answer(expression: str, environment: dict[str, str]) -> tuple[int, str]:
            reader.stdin.write(json.dumps([expression, BARE | environment]) + "\n")
            reader.stdin.flush()
            code, said = json.loads(reader.stdout.readline())
            return code, said.strip()

        yield answer
        reader.stdin.close()


def test_without_settings_nothing_starts() -> None:
    command = [sys.executable, "-c", "from evalweb import settings"]
    answer = subprocess.run(command, cwd=BASE_DIR, env=BARE, capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    assert "Set SECRET_KEY and ALLOWED_HOSTS and DATABASE_URL" in answer.stderr.splitlines()[-1]


@pytest.mark.parametrize("missing", sorted(COMPLETE))
def test_a_missing_variable_is_named(read: Read, missing: str) -> None:
    assert read("'started'", COMPLETE) == (0, "started")
    code, said = read("'started'", {name: value for name, value in COMPLETE.items() if name != missing})
    assert code == 1
    assert f"Set {missing}: evalweb does not start without." in said


def test_products_of_matrices_have_one_thread_whatever_the_machine(read: Read) -> None:
    # Their last digit depends on the number of threads, and a run is reproducible to the last digit.
    settled = "__import__('numpy').ones((600, 600)) @ __import__('numpy').ones((600, 600))"
    threads = "len(__import__('os').listdir('/proc/self/task'))"
    asked = {**COMPLETE, "OMP_NUM_THREADS": "4", "OPENBLAS_NUM_THREADS": "4"}
    assert read(f"({settled}) is None, {threads}", asked) == (0, "(False, 1)")


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("DATABASE_URL", "sqlite:///x", "Only PostgreSQL"),
        ("DEBUG", "perhaps", "DEBUG is 'perhaps'"),
        ("EVALWEB_WEB_THREADS", "many", "EVALWEB_WEB_THREADS is 'many'"),
        ("EVALWEB_WEB_THREADS", "0", "at least 1"),
    ],
)
def test_a_value_that_cannot_be_used_is_named(read: Read, name: str, value: str, sentence: str) -> None:
    code, said = read("'started'", COMPLETE | {name: value})
    assert code == 1
    assert sentence in said


def test_debug_is_off_unless_asked_for(read: Read) -> None:
    assert read("settings.DEBUG", COMPLETE) == (0, "False")
    assert read("settings.DEBUG, settings.ALLOWED_HOSTS[0]", {**COMPLETE, "DEBUG": "1", "ALLOWED_HOSTS": ""}) == (
        0,
        "(True, 'localhost')",
    )


def test_cookies_are_secure_behind_https_only(read: Read) -> None:
    cookies = "settings.SESSION_COOKIE_SECURE, settings.CSRF_COOKIE_SECURE"
    assert read(cookies, COMPLETE) == (0, "(False, False)")
    assert read(cookies, COMPLETE | {"EVALWEB_HTTPS": "1"}) == (0, "(True, True)")


def test_the_database_is_told_how_long_to_wait(read: Read) -> None:
    options = "settings.DATABASES['default']['OPTIONS']['options'], settings.DATABASES['default']['PASSWORD']"
    assert read(options, COMPLETE) == (0, "('-c lock_timeout=5000 -c statement_timeout=30000', 'p@ss')")


def test_a_database_that_vanished_is_noticed_within_a_minute(read: Read) -> None:
    names = ("keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout")
    options = f"[settings.DATABASES['default']['OPTIONS'].get(name) for name in {names}]"
    assert read(options, COMPLETE) == (0, "[1, 30, 10, 3, 60000]")
    # What DATABASE_URL says goes before.
    own = COMPLETE | {"DATABASE_URL": f"{COMPLETE['DATABASE_URL']}?keepalives_idle=5"}
    code, said = read("settings.DATABASES['default']['OPTIONS']['keepalives_idle']", own)
    assert (code, int(said)) == (0, 5)


def test_mail_goes_to_files_or_to_the_server_named(read: Read) -> None:
    mail = "settings.EMAIL_BACKEND.split('.')[-2], getattr(settings, 'EMAIL_PORT', None)"
    assert read(mail, COMPLETE) == (0, "('filebased', None)")
    named = {"EVALWEB_EMAIL_URL": "smtps://rosa:secret@mail.example.org"}
    assert read(mail, COMPLETE | named) == (0, "('smtp', 465)")


def test_the_documentation_names_every_variable_and_its_default() -> None:
    text = Path(BASE_DIR / "docs" / "operations.md").read_text()
    rows = dict(re.findall(r"^\| `([A-Z_]+)` \| (.*?) \|", text, re.MULTILINE))
    assert rows == {name: f"`{one.default}`" if one.default else "" for name, one in VARIABLES.items()}


def test_nothing_else_reads_the_environment() -> None:
    """A variable read elsewhere would stand in no table. These files pass whole environments on, or fill them."""
    allowed = {"environment.py", "local_services/__init__.py", "serve/__main__.py", "serve/children.py"}
    allowed |= {"serve/forks.py"}
    allowed |= {"backup.py", "beat.py", "prepare.py", "celery.py", "machine.py", "wsgi.py", "front/held_socket.py"}
    found = {
        str(path.relative_to(BASE_DIR / "evalweb"))
        for path in (BASE_DIR / "evalweb").rglob("*.py")
        if "os.environ" in path.read_text() or "getenv" in path.read_text()
    }
    assert found <= allowed
