"""manage.py clean_media: make the cleaned copies of files that were stored before files were cleaned."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tasks_app.models import Media
from tasks_app.services.study import cleaned
from tasks_app.studyfile.files.media import why_not_clean
from tasks_app.studyfile.files.removed import sentences


class Command(BaseCommand):
    """Clean media files now, and list those that cannot be cleaned."""

    help = "Clean the pictures, sounds and films that were stored before files were cleaned; raters get the copies."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("--again", action="store_true", help="also look again at files that could not be cleaned")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command; exit with 1 where a file cannot be cleaned."""
        if options["again"]:
            cleaned.look_again()
        n = cleaned.clean_earlier(seconds=float("inf"))
        self.stdout.write(f"Files looked at: {n}")
        for sentence in sentences(Media.objects.exclude(removed=[]).values_list("kind", "removed")):
            self.stdout.write(sentence)
        refused = Media.objects.exclude(refusal="").select_related("study").order_by("study__slug", "pk")
        for media in refused:
            self.stderr.write(f"{media.study.slug}: {media.file.name} {why_not_clean(media.refusal)}")
        if refused:
            raise CommandError(f"Raters do not get {len(refused)} of the files: see above.")
