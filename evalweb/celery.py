"""Background work: the Celery application, which every process of the project shares.

Its settings are the CELERY_* ones of evalweb.settings. Jobs are the functions in the `jobs` modules of the apps.
Importing this connects to nothing: pages are served whether or not the broker answers.
"""

import os
import signal

from celery import Celery
from celery.signals import setup_logging, worker_init, worker_process_init

from evalweb import garbage, secret_paths
from evalweb.local_services.processes import tie_to_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalweb.settings")

app = Celery("evalweb")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(related_name="jobs")


@setup_logging.connect
def keep_django_logging(**_kwargs: object) -> None:
    """Leave logging as Django set it up: a receiver of this signal stops Celery from adding its own."""


@worker_init.connect
def know_addresses(**_kwargs: object) -> None:
    """Have the log lines of a worker hide the secrets of addresses, as those of the site do."""
    secret_paths.load()


@worker_init.connect
def share_what_is_loaded(**_kwargs: object) -> None:
    """Have the processes that compute share the code that the worker has loaded before it forks them."""
    garbage.share_with_forks()


@worker_process_init.connect
def end_with_the_worker(**_kwargs: object) -> None:
    """Have a process that computes end when the worker that forked it was killed; its job is given to another one.

    It would wait for a next job for ever: its siblings hold the other ends of its pipes.
    """
    tie_to_parent(signal.SIGKILL)
