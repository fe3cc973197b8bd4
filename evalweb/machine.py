"""List the properties that all machines of one site must share: `python -m evalweb.machine`.

Run it on every machine: the lines must be the same on all of them. A line that differs names what is not shared. No
secret is printed, only digests. Exits with 1 where this machine's clock differs from the database's.
"""

import os
import secrets
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import django
import redis
from django.conf import settings
from django.db import connection
from django.utils.crypto import salted_hmac

from analytics_app.archive.keys import site_ring
from evalweb import environment, static_files

# A file in the data folder with a random number, made by the first machine that looks.
MARK = "machines"
# Messages from beat expire after 15 seconds, and signed pages have times.
MOST_SECONDS = 5.0
# Variables that decide what pages say and accept, whichever machine answers.
ALIKE = (
    "ALLOWED_HOSTS", "EVALWEB_EMAIL_FROM", "EVALWEB_EMAIL_URL", "EVALWEB_HSTS_SECONDS", "EVALWEB_HTTPS",
    "EVALWEB_MTURK_ORIGINS", "EVALWEB_PROXIES", "EVALWEB_SITE_NAME", "EVALWEB_TRUSTED_ORIGINS", "EVALWEB_URL",
)  # fmt: skip
DIGITS = 16


def main() -> int:
    """Print the lines, and return the exit code."""
    lines = {
        "version": settings.EVALWEB_CODE_VERSION,
        "SECRET_KEY": _digest("SECRET_KEY"),
        "database": _database(),
        "broker": _broker(),
        "data folder": _folder(),
        "signing key": _signing_key(),
        "static files": static_files.digest_of_sources()[:DIGITS],
        "other variables": _digest("\n".join(f"{name}={environment.text(name)}" for name in ALIKE)),
    }
    for name, value in lines.items():
        sys.stdout.write(f"{name:16}{value}\n")
    if abs(seconds := clock_difference()) > MOST_SECONDS:
        sys.stderr.write(
            f"This machine's clock is {seconds:+.0f} seconds from the database's. Synchronise the clocks.\n"
        )
        return 1
    return 0


def _digest(text: str) -> str:
    """Return a digest that nobody without the SECRET_KEY can use to try passwords."""
    return salted_hmac("evalweb.machine", text).hexdigest()[:DIGITS]


def _database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT system_identifier, current_database() FROM pg_control_system()")
        identifier, name = cursor.fetchone()
    return f"{identifier} {name}"


def _broker() -> str:
    client = redis.Redis.from_url(settings.CELERY_BROKER_URL, socket_connect_timeout=5, socket_timeout=5)
    try:
        number = client.connection_pool.connection_kwargs.get("db", 0)
        return f"{str(client.info('server')['run_id'])[:DIGITS]} {number}"
    except (redis.RedisError, OSError):
        return "unreachable"
    finally:
        client.close()


def _folder() -> str:
    """Return the number of the data folder, which is made where there is none."""
    path = Path(settings.EVALWEB_SECRETS).with_name(MARK)
    number = secrets.token_hex(DIGITS // 2)
    unfinished = path.with_name(f"{MARK}.{number}")
    unfinished.write_text(number)
    # The first machine wins, and nobody reads an empty file.
    with suppress(FileExistsError):
        os.link(unfinished, path)
    unfinished.unlink()
    return path.read_text()


def _signing_key() -> str:
    ring = site_ring()
    return "none" if ring is None else ring.current.fingerprint[:DIGITS]


def clock_difference() -> float:
    """Return the seconds by which this machine's clock is ahead of the database's."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (time,) = cursor.fetchone()
    return float((datetime.now(UTC) - time).total_seconds())


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalweb.settings")
    os.environ.setdefault("EVALWEB_LOG_LEVEL", "WARNING")  # its output is read by people
    django.setup()
    sys.exit(main())
