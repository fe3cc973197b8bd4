"""manage.py archive SLUG FILE: write the archive of a study, from which its results can be computed again."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from analytics_app.archive import describing, writing
from analytics_app.archive.keys import BadKeys
from analytics_app.management.finished import finished_run
from analytics_app.views import standing
from tasks_app.management.lookups import study_called
from tasks_app.models import Study
from tasks_app.services import events


class Command(BaseCommand):
    """Write an archive."""

    help = (
        "Write ratings, study file, results, datasheet and methods section of a closed study into one zip, with the "
        "rows from which `manage.py verify` computes the run again. Without --run: of the newest planned run that is "
        "done, else of the newest one."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("slug")
        parser.add_argument("file", type=Path, help="name of the zip, which must not be there yet")
        parser.add_argument("--run", metavar="NUMBER", type=int, help="the run, by its number")
        parser.add_argument(
            "--without-texts", action="store_true", help="mask the letters of texts, and leave the study file out"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        study = study_called(options["slug"])
        if study.state != Study.State.CLOSED:
            raise CommandError(f"{study.slug} is {study.state}: close it first, so that nothing changes any more.")
        run = finished_run(study, options["run"])
        path: Path = options["file"]
        texts = not options["without_texts"]
        try:
            with path.open("xb") as target, _removed_if_not_finished(path):
                files = writing.write(study, run, target, standing=standing.standing(run, study), texts=texts)
        except FileExistsError:
            raise CommandError(f"{path} is there already: name another file.") from None
        except BadKeys as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror}.") from None
        about = f"archive of run {run.number} by a command" + ("" if texts else " without texts")
        events.log(study, None, "exported", about=about, after={"state": study.state})
        is_signed = any(file.path == describing.SIGNATURE for file in files)
        signed = (
            "It is signed by this site."
            if is_signed
            else "It is not signed, since this site has no key: `python -m evalweb.signing show` makes one."
        )
        self.stdout.write(
            f"Wrote {len(files)} files to {path}. {signed} `manage.py verify {path}` computes the run again."
        )


@contextmanager
def _removed_if_not_finished(path: Path) -> Iterator[None]:
    """Leave no half of an archive behind."""
    try:
        yield
    except BaseException:
        path.unlink(missing_ok=True)
        raise
