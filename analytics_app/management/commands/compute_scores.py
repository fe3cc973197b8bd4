"""manage.py compute_scores STUDY --metrics BLEU,chrF: compute metrics for the texts of a study, and store them."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from analytics_app.services.computing.request import AGAINST, OF_ITEMS, Request
from analytics_app.services.computing.scores import CannotCompute, compute_scores, known_metrics
from analytics_app.stats.metrics.reference_scores import tokenizers
from tasks_app.management.lookups import editor_called, study_called
from tasks_app.services.study.lifecycle import NotPossible


class Command(BaseCommand):
    """Compute and store scores of metrics."""

    help = "Compute BLEU, chrF, TER and ROUGE of a study's texts against the references of its items, and store them."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("study", help="slug of the study")
        parser.add_argument(
            "--metrics",
            required=True,
            metavar="NAMES",
            help=f"separated by commas: {', '.join(known_metrics())}",
        )
        parser.add_argument(
            "--tokenize",
            default="13a",
            metavar="NAMES",
            help=f"how BLEU splits texts into words, separated by commas: {', '.join(tokenizers())}",
        )
        parser.add_argument(
            "--against",
            default="references",
            metavar="NAMES",
            help=f"what texts are compared with, separated by commas: {', '.join(AGAINST)}",
        )
        parser.add_argument(
            "--references",
            default="",
            metavar="SYSTEMS",
            help="compare with the texts of these systems, separated by commas, instead of the reference of each item",
        )
        parser.add_argument(
            "--item-references",
            action="store_true",
            help="with --references: the reference of each item is one more reference",
        )
        parser.add_argument(
            "--by-number", action="store_true",
            help="also with one reference at a time, two, and so on: the mean over all choices of references",
        )  # fmt: skip
        parser.add_argument("--replace", action="store_true", help="store in place of all scores of these metrics")
        parser.add_argument("--owner", metavar="USER", help="who computes, for the log; must be allowed to edit it")
        parser.add_argument("--json", action="store_true", help="print the result as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command; a refusal goes to standard error, with exit code 1."""
        study = study_called(options["study"])
        systems = _listed(options["references"])
        of_items = (OF_ITEMS,) if options["item_references"] or not systems else ()
        request = Request(
            metrics=_listed(options["metrics"]), tokenizers=_listed(options["tokenize"]),
            against=_listed(options["against"]), references=(*of_items, *systems), by_number=options["by_number"],
            replace=options["replace"],
        )  # fmt: skip
        try:
            stored = compute_scores(study=study, request=request, by=editor_called(options["owner"], study))
        except (CannotCompute, NotPossible) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            outcome = {"study": study.slug, **stored.counts, "names": list(request.names), "notes": list(stored.notes)}
            self.stdout.write(json.dumps(outcome, ensure_ascii=False, indent=2))
            return
        for note in stored.notes:
            self.stdout.write(note)
        self.stdout.write(f"{study.slug}: {stored.summary}")


def _listed(names: str) -> tuple[str, ...]:
    """Return names that commas separate, each once."""
    return tuple(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))
