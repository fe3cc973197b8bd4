"""manage.py upload_outcomes STUDY FILE: store outcomes measured elsewhere, or list every problem."""

from analytics_app.management.uploading import UploadCommand
from analytics_app.services.uploads.outcomes import Outcomes


class Command(UploadCommand):
    """Check and store a file of outcomes."""

    help = "Store outcomes of raters measured elsewhere: a CSV, TSV or JSON Lines file, all of it or nothing."
    file_help = "columns rater, wave and one per outcome; or rater, wave, outcome, value"
    kind = Outcomes
    names_example = "calories,steps"
