"""Django as a WSGI application, which evalweb.asgi serves and `manage.py runserver` runs."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalweb.settings")
application = get_wsgi_application()

# isort: split
# Django is set up; log lines of this process hide the secrets of addresses from the first request on.
from evalweb import secret_paths

secret_paths.load()
