"""Background work: the Celery application, which every process of the project shares.

Its settings are the CELERY_* ones of evalweb.settings. Jobs are the functions in the `jobs` modules of the apps.
Importing this connects to nothing: pages are served whether or not the broker answers.
"""

import os

from celery import Celery
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalweb.settings")

app = Celery("evalweb")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(related_name="jobs")


@setup_logging.connect
def keep_django_logging(**_kwargs: object) -> None:
    """Leave logging as Django set it up: a receiver of this signal is what stops Celery from adding its own."""
