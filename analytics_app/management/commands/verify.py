"""manage.py verify ARCHIVE: compute the run of an archive again, in an empty database, and compare every number."""

import json
from html import escape
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from analytics_app.archive import comparing, recomputing
from analytics_app.archive.reading import Archive, BadArchive

# The most differences that are listed; further ones are only counted.
MOST_LISTED = 50

# Sizes of the badge in pixels; letters of the font are this wide on average.
HEIGHT, PADDING, LETTER = 20, 8, 6.6
GREY, GREEN, RED = "#4a4f57", "#1a6b3a", "#a12622"


class Command(BaseCommand):
    """Verify an archive."""

    help = (
        "Check every file of an archive, load its rows into an empty database that is made for the moment, compute its "
        "run again, and compare every number to the last digit. Ends with an error where anything differs."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("archive", type=Path, help="a zip that `manage.py archive` wrote")
        parser.add_argument("--badge", type=Path, metavar="FILE.svg", help="write a badge that says what was found")
        parser.add_argument("--report", type=Path, metavar="FILE.json", help="write what was found for programs")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        try:
            archive = Archive.open(options["archive"])
            faults = archive.faults()
            if archive.misses_files:
                self._end(options, faults, [], n=0)
            versions = list(archive.versions_now())
            recomputing.prepare()
            run = recomputing.compute(recomputing.load(archive))
            comparison = comparing.compare(archive, run)
        except BadArchive as error:
            raise CommandError(str(error)) from None
        if comparison.left_out:
            self.stdout.write(f"Texts were left out, so these were not compared: {', '.join(comparison.left_out)}.")
        self._end(options, [*faults, *comparison.differences], versions, n=comparison.n)

    def _end(self, options: dict[str, Any], differences: list[str], versions: list[str], *, n: int) -> None:
        """Print the result, and write the badge and the report. Raises CommandError if anything differs."""
        name = options["archive"].name
        for line in (*(f"Different version: {line}" for line in versions), *differences[:MOST_LISTED]):
            self.stdout.write(line)
        if len(differences) > MOST_LISTED:
            self.stdout.write(f"And {len(differences) - MOST_LISTED:,} more.")
        if options["badge"] is not None:
            options["badge"].write_text(badge(n, len(differences)), encoding="utf-8")
        if options["report"] is not None:
            report = {"archive": name, "numbers": n, "differences": differences, "other_versions": versions}
            options["report"].write_text(json.dumps(report, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        if differences:
            raise CommandError(f"{name} is not verified: {len(differences):,} differences.")
        self.stdout.write(f"{name} is verified: {n:,} numbers were recomputed and are identical to the last digit.")


def badge(n: int, differences: int) -> str:
    """Return a badge for a page or a repository, as SVG: how many numbers are equal, or how many differ."""
    label = "evalweb"
    verdict = f"verified: {n:,} numbers" if not differences else f"not verified: {differences:,} differences"
    title = escape(f"{label}: {verdict}")
    left, right = (round(len(text) * LETTER + 2 * PADDING) for text in (label, verdict))
    color = RED if differences else GREEN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{HEIGHT}" role="img" '
        f'aria-label="{title}"><title>{title}</title><rect width="{left}" height="{HEIGHT}" fill="{GREY}"/>'
        f'<rect x="{left}" width="{right}" height="{HEIGHT}" fill="{color}"/>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="{PADDING}" y="14">{label}</text>'
        f'<text x="{left + PADDING}" y="14">{escape(verdict)}</text></g></svg>\n'
    )
