#!/usr/bin/env python
"""Run a command: `manage.py help` lists them.

Where DATABASE_URL is unset and `make run` has been used here, the command works on that database, started for the
moment if `make run` is not running.
"""

import os
import sys
from contextlib import AbstractContextManager

from django.core.management import execute_from_command_line

from evalweb import local_services

# Whoever types a command watches it and can end it: a limit meant for pages would only cut it short, and what is
# logged about each request of a simulated rater would bury its output.
OF_COMMANDS = {"EVALWEB_STATEMENT_SECONDS": "0", "EVALWEB_LOCK_SECONDS": "0", "EVALWEB_LOG_LEVEL": "WARNING"}


# Loads what others made, which is no business of the database with one's own studies.
ON_AN_EMPTY_DATABASE = {"verify"}


def database() -> AbstractContextManager[None]:
    """Return the database that the command on the command line works on."""
    if ON_AN_EMPTY_DATABASE & set(sys.argv[1:2]) and not {"-h", "--help"} & set(sys.argv):
        return local_services.throwaway_database()
    return local_services.database(f"manage.py {' '.join(sys.argv[1:2])}")


def main() -> None:
    """Hand the command line to Django."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalweb.settings")
    for name, value in OF_COMMANDS.items():
        os.environ.setdefault(name, value)
    try:
        with database():
            execute_from_command_line(sys.argv)
    except local_services.ServiceError as problem:
        sys.exit(f"{problem}")


if __name__ == "__main__":
    main()
