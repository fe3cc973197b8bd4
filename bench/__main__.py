"""Run the benchmarks, or those named, on a PostgreSQL of its own that forgets everything: `python -m bench [NAME]`.

Some are run by name alone, with numbers of their own: `uploads [FILES [SEED]]`, `sizing [RATERS [MINUTES [RATINGS]]]`,
`soak [RATERS [MINUTES [PAUSE]]] [redirects]` and `waterfall`.
"""

import os
import secrets
import sys
import tempfile
from pathlib import Path


def main() -> None:
    """Start the server, make the tables, run the benchmarks and print their ratios."""
    from evalweb.local_services import PostgresServer  # noqa: PLC0415  before Django's settings
    from evalweb.local_services.postgres import Passwords  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="evalweb-bench-") as name:
        folder = Path(name)
        folder.chmod(0o711 if os.geteuid() == 0 else 0o700)
        # The server's own settings, not a test's: a commit waits for the disk, as in real work.
        passwords = Passwords(administrator=secrets.token_hex(16), owner=secrets.token_hex(16))
        server = PostgresServer(folder / "postgres", log=folder / "postgres.log", passwords=passwords)
        server.start()
        try:
            server.make_owner(may_create=True)
            os.environ |= {
                "DATABASE_URL": server.url(),
                "SECRET_KEY": secrets.token_hex(32),
                "ALLOWED_HOSTS": "testserver,localhost",
                "DJANGO_SETTINGS_MODULE": "evalweb.settings",
                "EVALWEB_VAR": name,
                "EVALWEB_LOG_LEVEL": "ERROR",
                "EVALWEB_STATEMENT_SECONDS": "0",
                "EVALWEB_LOCK_SECONDS": "0",
            }
            _run()
        finally:
            server.stop()


def _run() -> None:
    import django  # noqa: PLC0415  the settings are complete now

    django.setup()
    from django.core.management import call_command  # noqa: PLC0415

    from bench import (  # noqa: PLC0415
        analysing,
        exporting,
        importing,
        judging,
        layers,
        opening,
        pages,
        restarting,
        sizing,
        soak,
        starting,
        uploads,
        waterfall,
    )

    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    benchmarks = {
        "judging": judging.main,
        "layers": layers.main,
        "analysing": analysing.main,
        "exporting": exporting.main,
        "importing": importing.main,
        "opening": opening.main,
        "pages": pages.main,
        "restarting": restarting.main,
        "starting": starting.main,
    }
    by_name_alone = {
        "uploads": uploads.main,
        "soak": soak.main,
        "sizing": sizing.main,
        "waterfall": waterfall.main,
    }
    if sys.argv[1:] and sys.argv[1] in by_name_alone:
        by_name_alone[sys.argv[1]]()
        return
    for name in [word for word in sys.argv[1:] if not word.isdigit()] or benchmarks:
        benchmarks[name]()


if __name__ == "__main__":
    main()
