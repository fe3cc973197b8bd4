"""The ASGI application that gunicorn serves: Django behind a front that waits for slow clients."""

from evalweb.wsgi import application as wsgi_application

# isort: split
# The import above has set Django up; what follows imports models.
from evalweb import environment, memory, preloading, urls
from evalweb.bodies import limit_of_large
from evalweb.front.application import Front
from evalweb.front.held_socket import HELD

# Views are imported now, where one process loads the code for all, instead of by each process's first request.
assert urls.urlpatterns
if HELD is not None:  # `make run` loads the code once
    preloading.compile_templates()
    preloading.compile_addresses()
memory.keep_few_heaps()
application = Front(wsgi_application, limit_of_large, threads=environment.number("EVALWEB_WEB_THREADS", least=1))
