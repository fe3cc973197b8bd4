"""How gunicorn serves the pages: `gunicorn -c python:evalweb.gunicorn_conf evalweb.wsgi`."""

from pathlib import Path

from evalweb import environment, logs

_host = environment.text("HOST")
bind = f"{f'[{_host}]' if ':' in _host else _host}:{environment.number('PORT', least=1)}"
worker_class = "gthread"
workers = environment.number("EVALWEB_WEB_PROCESSES", least=1)
threads = environment.number("EVALWEB_WEB_THREADS", least=1)
timeout = 60
graceful_timeout = 10
keepalive = 5
# A heartbeat file on a slow disk makes gunicorn take a busy worker for a dead one.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108  a system's own folder
# Its default place is one file in the home folder, over which two runs of one user would fight.
control_socket_disable = True
# Paths hold raters' tokens: evalweb.middleware logs each request by its route instead.
accesslog = None
errorlog = "-"
logconfig_dict = logs.config(environment.text("EVALWEB_LOG_LEVEL").upper())
