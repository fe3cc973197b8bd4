"""Settings of the test run: the project's own, with a test's secrets and speed.

The addresses of the run's servers come from tests/servers.py, which hands them to every process by environment;
the one process that reads these settings before the servers run is told afterwards.
"""

import os

os.environ.setdefault("SECRET_KEY", "a secret that only tests know, long enough for every signature")
os.environ.setdefault("ALLOWED_HOSTS", "testserver,localhost,127.0.0.1")
os.environ.setdefault("DATABASE_URL", "postgresql://evalweb@127.0.0.1:1/evalweb")
os.environ.setdefault("REDIS_URL", "redis://127.0.0.1:1/0")
# A slow machine is no failure; a test about waiting sets its own limit.
os.environ.setdefault("EVALWEB_LOCK_SECONDS", "120")
os.environ.setdefault("EVALWEB_STATEMENT_SECONDS", "300")

from evalweb.settings import *

STORAGES = {
    "default": {"BACKEND": "evalweb.media_storage.MediaStorage"},
    # No manifest: a test may ask for a page without collecting static files first.
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
