"""The ASGI application that gunicorn serves: Django behind a front that waits for slow clients."""

from typing import Any

from evalweb.wsgi import application as wsgi_application

# isort: split
# The import above has set Django up; what follows imports models.
from evalweb import environment, memory, urls
from evalweb.bodies import limit_of_large
from evalweb.front.application import Front

# Views are imported now, where one process loads the code for all, instead of by each process's first request.
assert urls.urlpatterns
memory.keep_few_heaps()


def is_arrival(environ: dict[str, Any]) -> bool:
    """Return whether somebody comes to a study: they give way to raters who are at work (docs/decisions/0142)."""
    return str(environ["PATH_INFO"]).startswith("/join/")


application = Front(
    wsgi_application,
    limit_of_large,
    threads=environment.number("EVALWEB_WEB_THREADS", least=1),
    gives_way=is_arrival,
)
