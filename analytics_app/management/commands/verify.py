"""manage.py verify ARCHIVE: compute the run of an archive again, in an empty database, and compare every number."""

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from analytics_app.archive import keys, verifying
from analytics_app.archive.keys import FINGERPRINT, BadKeys, Trusted
from analytics_app.archive.reading import BadArchive
from analytics_app.archive.verdicts import Verdict, badge
from analytics_app.archive.verifying import Finding

# The most lines of details that are printed; further ones are only counted.
MOST_LISTED = 50


class Command(BaseCommand):
    """Verify an archive."""

    help = (
        "Check every file and the signature of an archive, load its rows into an empty database that is made for the "
        "moment, compute its run again, and compare every number to the last digit. The exit code is 0 only for an "
        "archive that is as the holder of a known key published it: "
        + "; ".join(f"{verdict.exit_code} {verdict.words}" for verdict in Verdict)
        + "; 1 the archive or a file of keys could not be read."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("archive", type=Path, help="a zip that `manage.py archive` wrote")
        parser.add_argument(
            "--key",
            action="append",
            default=[],
            metavar="FILE|FINGERPRINT",
            help="a key that you trust: keys.json from the page of the site, or the 64 digits of a fingerprint; may be "
            "repeated. Keys of this installation are known.",
        )
        parser.add_argument("--badge", type=Path, metavar="FILE.svg", help="write a badge that says what was found")
        parser.add_argument("--report", type=Path, metavar="FILE.json", help="write what was found for programs")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command. Ends with the exit code of the verdict."""
        try:
            finding = verifying.verify(options["archive"], trusted(options["key"]))
        except (BadArchive, BadKeys) as error:
            raise CommandError(verifying.printable(str(error))) from None
        self._print(finding)
        if options["badge"] is not None:
            options["badge"].write_text(badge(finding.verdict, finding.summary), encoding="utf-8")
        if options["report"] is not None:
            report = json.dumps(finding.report(), ensure_ascii=False, indent=2)
            options["report"].write_text(report + "\n", encoding="utf-8")
        if finding.verdict.exit_code:
            sys.exit(finding.verdict.exit_code)

    def _print(self, finding: Finding) -> None:
        """Print the summary, which the badge has too, and the details."""
        self.stdout.write(f"{verifying.printable(finding.name)}: {finding.summary}")
        details = list(finding.details())
        for line in details[:MOST_LISTED]:
            self.stdout.write(line)
        if len(details) > MOST_LISTED:
            self.stdout.write(f"And {len(details) - MOST_LISTED:,} more.")


def trusted(words: list[str]) -> Trusted:
    """Return the keys that files and fingerprints name, with those of this installation.

    Raises
    ------
    BadKeys
        Where a word is neither, or a file has no keys.
    """
    ring = keys.site_ring()
    known, fingerprints = list(ring.keys if ring is not None else ()), set()
    for word in words:
        digits = word.replace(" ", "").replace(":", "").lower()
        if FINGERPRINT.fullmatch(digits):
            fingerprints.add(digits)
            continue
        try:
            known += keys.read_published(Path(word).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            raise BadKeys(f"{word} is neither a file of keys nor a fingerprint (64 hexadecimal digits).") from None
        except BadKeys as error:
            raise BadKeys(f"{word}: {error}") from None
    return Trusted.of(known, fingerprints)
