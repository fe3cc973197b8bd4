"""Django as a WSGI application, which evalweb.asgi serves and `manage.py runserver` runs."""

import os

from django.core.wsgi import get_wsgi_application

from evalweb import secret_paths

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalweb.settings")
application = get_wsgi_application()
# Log lines of this process hide the secrets of addresses from its first request on.
secret_paths.load()
