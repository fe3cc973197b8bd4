"""The configuration of gunicorn: `gunicorn -c python:evalweb.gunicorn_conf evalweb.asgi`."""

from pathlib import Path

from evalweb import environment, garbage, logs
from evalweb.front.held_socket import HELD

_host = environment.text("HOST")
bind = f"fd://{HELD}" if HELD else f"{f'[{_host}]' if ':' in _host else _host}:{environment.number('PORT', least=1)}"
# Under `make run` the code is loaded once, before processes are forked: a killed process is replaced in a moment, and
# there are processes only when they can serve. Elsewhere each loads it, and SIGHUP loads new code.
preload_app = HELD is not None
# An event loop waits for clients; EVALWEB_WEB_THREADS threads compute, see evalweb.asgi.
worker_class = "evalweb.front.worker.Worker"
workers = environment.number("EVALWEB_WEB_PROCESSES", least=1)
asgi_lifespan = "off"
# Connections of one process, most of them idle. Beyond, the one that is idle for longest is cut.
worker_connections = 4_000
timeout = 60


def pre_fork(_arbiter: object, _worker: object) -> None:
    """Have web processes share the code that was loaded before they are forked."""
    garbage.share_with_forks()


graceful_timeout = 10
# Longer than proxies and programs keep an idle connection (nginx 60 s): they close it, and never send on one that is
# being closed here.
keepalive = 75
# Headers of a proxy are read by Django, and only where EVALWEB_HTTPS and EVALWEB_PROXIES say that there is one.
forwarded_allow_ips = ""
secure_scheme_headers: dict[str, str] = {}
# A heartbeat file on a slow disk makes gunicorn take a busy worker for a dead one.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108  a system's own folder
# Its default place is one file in the home folder, over which two runs of one user would fight.
control_socket_disable = True
# Paths hold raters' tokens: evalweb.middleware logs each request by its route instead.
accesslog = None
errorlog = "-"
logconfig_dict = logs.config(environment.text("EVALWEB_LOG_LEVEL").upper())
