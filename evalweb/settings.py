"""Django's settings, all read from the environment; evalweb/environment.py declares the variables."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import dj_database_url
from django.templatetags.static import static
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy as _

from evalweb import __version__, environment, logs, security

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = (BASE_DIR / environment.text("EVALWEB_VAR")).resolve()

environment.keep_one_thread()

DEBUG = environment.flag("DEBUG")
if DEBUG:
    environment.require("DATABASE_URL")
else:
    environment.require("SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL")

SECRET_KEY = environment.text("SECRET_KEY") or "only for a machine of your own, with DEBUG on"
ALLOWED_HOSTS = environment.words("ALLOWED_HOSTS") or ["localhost", "127.0.0.1", "[::1]"]

# Applications and the way of a request ------------------------------------------------------------

INSTALLED_APPS = [
    "unfold.apps.BasicAppConfig",
    "evalweb.admin_site.Config",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "csp",
    "tasks_app",
    "analytics_app",
]

MIDDLEWARE = [
    "evalweb.health.HealthMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "evalweb.middleware.RequestLogMiddleware",
    "evalweb.compression.CompressionMiddleware",
    "evalweb.middleware.NoStoreMiddleware",
    "csp.middleware.CSPMiddleware",
    "evalweb.security.AdminFrameMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "evalweb.middleware.LanguageMiddleware",
    "django.middleware.common.CommonMiddleware",
    "evalweb.bodies.BodyMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "evalweb.middleware.PersonMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "evalweb.middleware.DatabaseLostMiddleware",
]

ROOT_URLCONF = "evalweb.urls"
WSGI_APPLICATION = "evalweb.wsgi.application"
CSRF_FAILURE_VIEW = "evalweb.views.csrf_failure"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "evalweb.context.site",
            ],
            "builtins": ["tasks_app.templatetags.fragments"],
        },
    },
]

# Database -------------------------------------------------------------------------------------------


def options_of_connections() -> str:
    """Return the options with which a connection to the database limits statements, from the environment.

    Commands and migrations are watched by who started them; pages and jobs must not wait for ever.
    """
    limits = {
        "lock_timeout": environment.number("EVALWEB_LOCK_SECONDS") * 1000,
        "statement_timeout": environment.number("EVALWEB_STATEMENT_SECONDS") * 1000,
    }
    return " ".join(f"-c {name}={value}" for name, value in limits.items())


DATABASES: dict[str, dict[str, Any]] = {
    "default": {
        **dj_database_url.parse(
            environment.text("DATABASE_URL"),
            conn_max_age=environment.number("EVALWEB_CONNECTION_SECONDS"),
            conn_health_checks=True,
        ),
        "ATOMIC_REQUESTS": False,
    },
}
if DATABASES["default"]["ENGINE"] != "django.db.backends.postgresql":
    environment.refuse("DATABASE_URL", "Only PostgreSQL keeps what evalweb promises; set a postgresql:// address.")
DATABASES["default"]["OPTIONS"] = {
    "connect_timeout": 5,
    # A database, or a firewall on the way to it, that vanished without a word is noticed within a minute instead of the
    # system's two hours, and a connection that is idle behind such a firewall is kept.
    "keepalives": 1,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
    **DATABASES["default"].get("OPTIONS", {}),
    "options": options_of_connections(),
}

_web_connections = (
    environment.number("EVALWEB_WEB_REPLICAS", least=1)
    * environment.number("EVALWEB_WEB_PROCESSES", least=1)
    * environment.number("EVALWEB_WEB_THREADS", least=1)
)
# A worker process has one more while it computes, for its heartbeat.
_worker_connections = environment.number("EVALWEB_WORKER_REPLICAS") * (
    2 * environment.number("EVALWEB_WORKER_PROCESSES", least=1) + 1
)
# Counted by evalweb.checks against what PostgreSQL grants.
EVALWEB_CONNECTIONS_NEEDED = _web_connections + _worker_connections

# The page of a document has some fields for each of up to 100 texts.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5_000

# Background work --------------------------------------------------------------------------------------

CELERY_BROKER_URL = environment.text("REDIS_URL")
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "quick"
CELERY_TASK_QUEUES: dict[str, dict[str, object]] = {"quick": {}, "analysis": {}}
CELERY_TASK_CREATE_MISSING_QUEUES = False
# A job whose process died is given to another one; jobs are written so that this changes nothing.
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CONCURRENCY = environment.number("EVALWEB_WORKER_PROCESSES", least=1)
CELERY_WORKER_MAX_MEMORY_PER_CHILD = environment.number("EVALWEB_WORKER_MEMORY", least=128) * 1024
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_TASK_TIME_LIMIT = environment.number("EVALWEB_TASK_SECONDS", least=120)
CELERY_TASK_SOFT_TIME_LIMIT = CELERY_TASK_TIME_LIMIT - 60
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
# Ringing the bell fails fast: the row is written, and beat rings again for rows nobody heard of.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_CONNECTION_TIMEOUT = 2
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # Above the hard limit, else a job that still runs would be handed out a second time.
    "visibility_timeout": CELERY_TASK_TIME_LIMIT + 600,
    "socket_connect_timeout": 2,
    "socket_timeout": 10,
}
# A job that beat sent expires when beat sends it again.
_every = {"schedule": 15.0}
BEAT_SCHEDULE: dict[str, dict[str, object]] = {
    "ring_again": {**_every, "task": "analytics_app.jobs.ring_again", "options": {"queue": "quick", "expires": 15}},
    "upkeep": {
        "schedule": 60.0,
        "task": "tasks_app.jobs.upkeep",
        "options": {"queue": "quick", "expires": 60},
    },
    **{
        f"beat_of_{queue}": {
            **_every,
            "task": "analytics_app.jobs.beat_of_queue",
            "args": (queue,),
            "options": {"queue": queue, "expires": 15},
        }
        for queue in CELERY_TASK_QUEUES
    },
}
CELERY_BEAT_SCHEDULE = BEAT_SCHEDULE
CELERY_BEAT_SCHEDULER = "evalweb.beat.Scheduler"

# Stored with every run: what computed it.
EVALWEB_CODE_VERSION = "+".join(filter(None, [__version__, environment.text("EVALWEB_REVISION")]))[:40]

# Small things that a process keeps for itself: the HTML of unanswered questions, and how often a wrong password was
# tried. Nothing is shared: a rater's page must not wait for another server.
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "OPTIONS": {"MAX_ENTRIES": 10_000}},
}

# Texts and times --------------------------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [
    ("en", _("English")), ("de", _("German")), ("es", _("Spanish")), ("fr", _("French")), ("pt", _("Portuguese")),
    ("ar", _("Arabic")), ("zh-hans", _("Simplified Chinese")), ("ja", _("Japanese")), ("ko", _("Korean")),
]  # fmt: skip
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = ["evalweb.formats"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# Files ------------------------------------------------------------------------------------------------

STATIC_URL = "/static/"
STATIC_ROOT = Path(environment.text("EVALWEB_STATIC") or VAR_DIR / "static").resolve()
STATICFILES_DIRS = [BASE_DIR / "static"]
# Media is private: no address serves this folder, a view that checks who asks does.
MEDIA_ROOT = VAR_DIR / "media"

# Erasures and deletions outside the database, to be repeated after an older backup was restored.
ERASURES = VAR_DIR / "erasures.jsonl"
# The usual folder of backups, which the page to delete a study counts.
BACKUPS = VAR_DIR / "backups"
MEDIA_URL = ""
# Has the keys that sign archives (evalweb.signing), which processes read whenever they need them.
EVALWEB_SECRETS = VAR_DIR / "secrets"
STORAGES = {
    "default": {"BACKEND": "evalweb.media_storage.MediaStorage"},
    "staticfiles": {"BACKEND": "evalweb.static_storage.StaticStorage"},
}
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700

# Mail -------------------------------------------------------------------------------------------------

EVALWEB_URL = environment.text("EVALWEB_URL")
EVALWEB_SITE_NAME = environment.text("EVALWEB_SITE_NAME")
DEFAULT_FROM_EMAIL = SERVER_EMAIL = environment.text("EVALWEB_EMAIL_FROM")
_mail = urlsplit(environment.text("EVALWEB_EMAIL_URL"))
if _mail.scheme:
    EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    EMAIL_HOST = _mail.hostname or "localhost"
    EMAIL_PORT = _mail.port or (465 if _mail.scheme == "smtps" else 25)
    EMAIL_HOST_USER = unquote(_mail.username or "")
    EMAIL_HOST_PASSWORD = unquote(_mail.password or "")
    EMAIL_USE_SSL = _mail.scheme == "smtps"
    EMAIL_USE_TLS = parse_qs(_mail.query).get("tls") == ["1"]
    EMAIL_TIMEOUT = 10
else:
    EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    EMAIL_FILE_PATH = VAR_DIR / "mail"

# Sign-in and browsers -----------------------------------------------------------------------------------

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "researcher:studies"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

CONTENT_SECURITY_POLICY = {"DIRECTIVES": security.PUBLIC_POLICY}
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "no-referrer"
X_FRAME_OPTIONS = "DENY"
# Beside Mechanical Turk's own servers, which tasks_app.channels.mturk knows.
EVALWEB_MTURK_ORIGINS = environment.words("EVALWEB_MTURK_ORIGINS")

EVALWEB_METRIC_PROGRAMS = environment.commands("EVALWEB_METRIC_PROGRAMS")
EVALWEB_METRIC_PROGRAM_SECONDS = environment.number("EVALWEB_METRIC_PROGRAM_SECONDS", least=1)

EVALWEB_HTTPS = environment.flag("EVALWEB_HTTPS")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = EVALWEB_HTTPS and not DEBUG
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = LANGUAGE_COOKIE_SAMESITE = "Lax"
CSRF_TRUSTED_ORIGINS = environment.words("EVALWEB_TRUSTED_ORIGINS")
if EVALWEB_HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = not DEBUG
    SECURE_HSTS_SECONDS = environment.number("EVALWEB_HSTS_SECONDS")

# How many trailing entries of X-Forwarded-For our own proxies wrote; what comes before is the caller's claim.
EVALWEB_PROXIES = environment.number("EVALWEB_PROXIES")
REST_FRAMEWORK = {
    "NUM_PROXIES": EVALWEB_PROXIES,
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": ["tasks_app.api.authentication.BearerToken"],
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "DEFAULT_SCHEMA_CLASS": "tasks_app.api.schema.AutoSchema",
    "EXCEPTION_HANDLER": "tasks_app.api.errors.handle",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "evalweb",
    "DESCRIPTION": "Studies, judgments, ratings, runs and results, for scripts. docs/api.md shows how to begin.",
    "VERSION": "1",
    "LICENSE": {"name": "GPL-3.0-or-later"},
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SORT_OPERATIONS": False,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_NAME_OVERRIDES": {
        "StudyState": "tasks_app.models.study.StudyState",
        "AssignmentState": "tasks_app.models.judgments.AssignmentState",
        "RunState": "analytics_app.models.RunState",
    },
    "TAGS": [{"name": name} for name in ("Studies", "Judgments and ratings", "Runs", "Results")],
    # The schema tells nothing about studies, so that programs may read it without a token.
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_AUTHENTICATION": [],
}

NEW_STUDY = "/admin/studies/new/"

# The researchers' frame, without the inline styles that unfold and htmx would write: the policy refuses them.
UNFOLD = {
    "SITE_TITLE": EVALWEB_SITE_NAME,
    "SITE_HEADER": EVALWEB_SITE_NAME,
    "SITE_SYMBOL": "rate_review",
    "SITE_FAVICONS": [
        {"rel": "icon", "type": "image/svg+xml", "href": lambda request: static("img/icon.svg")},
    ],
    "SHOW_LANGUAGES": False,
    "LOGIN": {"form": "tasks_app.views.signing_in.ResearcherSignIn"},
    "COLORS": lambda request: {},
    "STYLES": [lambda request: static("css/admin_tokens.css")],
    "SCRIPTS": [
        lambda request: static("js/admin_frame.js"),
        lambda request: static("js/admin_expressions.js"),
    ],
    "SIDEBAR": {
        "show_all_applications": lambda request: request.user.is_superuser,
        "navigation": [
            {
                "title": _("Research"),
                "items": [
                    {
                        "title": _("Studies"),
                        "icon": "science",
                        "link": reverse_lazy("researcher:studies"),
                        "active": lambda request: (
                            request.path.startswith("/admin/studies/") and request.path != NEW_STUDY
                        ),
                    },
                    {
                        "title": _("Projects"),
                        "icon": "folder_open",
                        "link": reverse_lazy("projects:projects"),
                        "active": lambda request: request.path.startswith("/admin/projects/"),
                        "permission": "tasks_app.views.researcher.frame.sees_projects",
                    },
                    {
                        "title": _("New study"),
                        "icon": "add_circle",
                        "link": reverse_lazy("researcher:new"),
                        "active": lambda request: request.path == NEW_STUDY,
                    },
                    {
                        "title": _("Planning"),
                        "icon": "calculate",
                        "link": reverse_lazy("planning:planning"),
                        "active": lambda request: request.path.startswith("/admin/planning/"),
                    },
                    {"title": _("Task types"), "icon": "category", "link": reverse_lazy("public:catalogue")},
                    {"title": _("API"), "icon": "terminal", "link": reverse_lazy("api:try")},
                    {"title": _("Log"), "icon": "history", "link": reverse_lazy("log:log")},
                    {
                        "title": _("Help"),
                        "icon": "help",
                        "link": reverse_lazy("help:index"),
                        "active": lambda request: request.path.startswith("/admin/help/"),
                    },
                ],
            },
        ],
    },
}

LOGGING_CONFIG = "logging.config.dictConfig"
LOGGING = logs.config(environment.text("EVALWEB_LOG_LEVEL").upper())
