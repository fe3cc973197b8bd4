"""Write the parts of the docs that the program knows: pages of task types, tables of settings, columns and formats.

    make docs

No database and no server are needed. Tests compare these parts with the program.
"""

import os
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import django
from django.core.management import call_command

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"

BEGINS, ENDS = "<!-- reference begins -->\n", "<!-- reference ends -->"

# The command that prints the reference of each page.
REFERENCES = {
    "study-file.md": ("load_study", "--reference"),
    "columns.md": ("export", "--columns"),
    "formats.md": ("import_study", "--formats"),
}


def main() -> None:
    """Write the pages that differ, and print their names."""
    sys.path.insert(0, str(ROOT))
    # The settings of tests have what a site without a database needs to start.
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    for path, text in pages():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{path.relative_to(ROOT)}\n")


def pages() -> Iterator[tuple[Path, str]]:
    """Yield the pages with their texts as they should be. Django must be set up."""
    # Only there once Django is set up.
    from tasks_app.manual import catalogue  # noqa: PLC0415
    from tasks_app.setup import published  # noqa: PLC0415
    from tasks_app.task_types import registry  # noqa: PLC0415

    for member in registry.values():
        yield DOCS / "task-types" / f"{member.name}.md", catalogue.page(member)
    yield DOCS / "task-types" / "README.md", catalogue.index()
    yield DOCS / "published-studies.md", published.docs_page()
    for name, command in REFERENCES.items():
        page = DOCS / name
        yield page, with_reference(page.read_text(encoding="utf-8"), printed(*command))


def printed(*command: str) -> str:
    """Return the output of a command."""
    output = StringIO()
    call_command(*command, stdout=output)
    return output.getvalue()


def with_reference(page: str, reference: str) -> str:
    """Return a page with another text between the comments that say where the reference begins and ends."""
    before, found, rest = page.partition(BEGINS)
    _old, found_end, after = rest.partition(ENDS)
    if not (found and found_end):
        raise ValueError(f"The page lacks the comment {BEGINS.strip() if not found else ENDS}.")
    return f"{before}{BEGINS}{reference.strip()}\n\n{ENDS}{after}"


if __name__ == "__main__":
    main()
