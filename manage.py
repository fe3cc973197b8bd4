#!/usr/bin/env python
"""Run a command: `manage.py help` lists them.

Where DATABASE_URL is unset and `make run` has been used here, the command works on that database, started for the
moment if `make run` is not running.
"""

import os
import sys
from contextlib import AbstractContextManager

from django.core.management import execute_from_command_line
from django.db import DatabaseError

from evalweb import local_services, outages

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
    """Hand the command line to Django; a sentence says where the database was away or went away meanwhile."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalweb.settings")
    for name, value in OF_COMMANDS.items():
        os.environ.setdefault(name, value)
    try:
        with database():
            execute_from_command_line(sys.argv)
    except local_services.ServiceError as problem:
        sys.exit(f"{problem}")
    except (DatabaseError, OSError) as problem:
        if not outages.is_outage(problem) or "--traceback" in sys.argv:
            raise
        sys.exit(
            f"Nothing can be stored at the moment: {str(problem).strip()}\n"
            "The step that the command was at stored nothing. Run it again when the database answers and the disk has "
            "room."
        )


if __name__ == "__main__":
    main()
