"""Write the descriptions of task types and of published studies, as the manual shows them."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tasks_app.hooks.registry import UnknownMember
from tasks_app.manual import catalogue
from tasks_app.setup import published as published_studies
from tasks_app.task_types import registry


class Command(BaseCommand):
    """Print the page of a task type in Markdown, or write the pages of all into a folder."""

    help = "Prints or writes the pages of the manual on task types and on published studies, in Markdown."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?", help="a task type; without it the index is printed")
        parser.add_argument("--write", type=Path, metavar="FOLDER", help="write a page for each type, and README.md")

        parser.add_argument("--published", type=Path, metavar="FILE", help="write the page of published studies")

    def handle(self, *args: Any, name: str | None, write: Path | None, published: Path | None, **options: Any) -> None:
        """Print or write."""
        if published is not None:
            published.write_text(published_studies.docs_page(), encoding="utf-8")
            return
        try:
            members = [registry[name]] if name else list(registry.values())
        except UnknownMember as error:
            raise CommandError(str(error)) from error
        if write is None:
            self.stdout.write(catalogue.page(members[0]) if name else catalogue.index(), ending="")
            return
        write.mkdir(parents=True, exist_ok=True)
        for member in members:
            (write / f"{member.name}.md").write_text(catalogue.page(member), encoding="utf-8")
        (write / "README.md").write_text(catalogue.index(), encoding="utf-8")
        self.stdout.write(f"{len(members)} pages in {write}")
