"""manage.py compute_scores STUDY --metrics BLEU,chrF: compute metrics for the texts of a study, and store them."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from analytics_app.services.computing.scores import CannotCompute, Request, compute_scores, known_metrics
from analytics_app.stats.metrics.reference_scores import TOKENIZERS
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
        parser.add_argument("--tokenize", default="13a", choices=TOKENIZERS, help="how BLEU splits texts into words")
        parser.add_argument(
            "--references", default="", metavar="SYSTEM",
            help="compare with the texts of this system, instead of the reference of each item",
        )  # fmt: skip
        parser.add_argument("--replace", action="store_true", help="store in place of all scores of these metrics")
        parser.add_argument("--owner", metavar="USER", help="who computes, for the log; must be allowed to edit it")
        parser.add_argument("--json", action="store_true", help="print the result as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command; a refusal goes to standard error, with exit code 1."""
        study = study_called(options["study"])
        metrics = list(dict.fromkeys(name.strip() for name in options["metrics"].split(",") if name.strip()))
        try:
            request = Request(tuple(metrics), options["tokenize"], options["references"], options["replace"])
            stored = compute_scores(study=study, request=request, by=editor_called(options["owner"], study))
        except (CannotCompute, NotPossible) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            outcome = {"study": study.slug, **stored.counts, "names": metrics, "notes": list(stored.notes)}
            self.stdout.write(json.dumps(outcome, ensure_ascii=False, indent=2))
            return
        for note in stored.notes:
            self.stdout.write(note)
        self.stdout.write(f"{study.slug}: {stored.summary}")
