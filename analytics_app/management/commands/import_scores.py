"""manage.py import_scores STUDY FILE: store scores of automatic metrics, or list every problem."""

from analytics_app.management.uploading import UploadCommand
from analytics_app.services.uploads.scores import Scores


class Command(UploadCommand):
    """Check and store a file of metric scores."""

    help = "Store scores of automatic metrics with a study: a CSV, TSV or JSON Lines file, all of it or nothing."
    file_help = "columns item, system and one per metric; or item, system, metric, value"
    kind = Scores
    names_example = "COMET,chrF"
