"""Django as a WSGI application, which evalweb.asgi serves and `manage.py runserver` runs."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalweb.settings")
application = get_wsgi_application()
