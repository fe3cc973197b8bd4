# One image for web, worker, scheduler and the step that prepares the database: only their command differs.
FROM python:3.11-slim

ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    EVALWEB_VAR=/data \
    EVALWEB_STATIC=/app/collected \
    HOST=0.0.0.0 \
    PORT=8000

RUN useradd --system --uid 10001 --home-dir /app --shell /usr/sbin/nologin evalweb \
    && install --directory --owner evalweb --group evalweb --mode 0700 /data /data/backups
WORKDIR /app

COPY requirements.lock .
RUN pip install --no-cache-dir --requirement requirements.lock

COPY . .
# Else every start of a container would compile them, which takes about as long as everything else that it loads.
RUN python -m compileall -q analytics_app evalweb tasks_app
# Collecting reads no database and signs nothing: these values serve this one step and stay out of the image.
RUN SECRET_KEY=unused-while-building ALLOWED_HOSTS=localhost DATABASE_URL=postgresql://localhost/unused \
    python manage.py collectstatic --no-input --verbosity 0

USER evalweb
VOLUME /data
EXPOSE 8000

HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen(f\"http://127.0.0.1:{os.environ['PORT']}/healthz\", timeout=4)"]

CMD ["python", "-m", "gunicorn", "-c", "python:evalweb.gunicorn_conf", "evalweb.asgi"]
