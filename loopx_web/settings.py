"""The one settings file; what varies comes from LOOPX_* variables (docs/operations.md)."""

from __future__ import annotations

from pathlib import Path

import django
from platformdirs import user_data_path

from loopx_web import env

PACKAGE = Path(__file__).resolve().parent
# Templates stand beside the packages in a checkout and inside loopx_web in a wheel.
TEMPLATES_DIR = next(
    path for path in (PACKAGE.parent / "templates", PACKAGE / "templates") if path.is_dir()
)

DATA_DIR = env.private_directory(
    Path(env.text("LOOPX_DATA_DIR") or user_data_path("loopx-web")).expanduser().absolute()
)
HOST = env.text("LOOPX_HOST", "127.0.0.1")
PORT = env.integer("LOOPX_PORT", 8765, low=1, high=65535)
# Needed before any other address than loopback is served: one's own certificate, or a proxy's.
TLS_CERT = env.text("LOOPX_TLS_CERT")
TLS_KEY = env.text("LOOPX_TLS_KEY")
TRUSTED_PROXIES = env.words("LOOPX_TRUSTED_PROXIES", [])
SQLITE_SYNC = env.choice("LOOPX_SQLITE_SYNC", "FULL", ("FULL", "NORMAL"))

DEBUG = False
SECRET_KEY = env.text("LOOPX_SECRET_KEY") or env.kept_secret(DATA_DIR / "secret.key")
ALLOWED_HOSTS = env.words("LOOPX_ALLOWED_HOSTS", ["127.0.0.1", "localhost", "[::1]", HOST])

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "ninja",
    "kanban",
    "projections",
]
if django.VERSION < (6, 0):
    INSTALLED_APPS.append("template_partials")

MIDDLEWARE = [
    "loopx_web.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "loopx_web.urls"
WSGI_APPLICATION = "loopx_web.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [TEMPLATES_DIR],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "kanban.views.frame.context",
            ],
            "builtins": ["template_partials.templatetags.partials"]
            if django.VERSION < (6, 0)
            else [],
        },
    }
]

DATABASES = {"default": env.database(env.text("LOOPX_DATABASE"), DATA_DIR, SQLITE_SYNC)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# huey carries hints only (the event log is the outbox), so it has a file of its own.
HUEY = env.queue(env.text("LOOPX_QUEUE"), DATA_DIR / "queue.sqlite3")

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_COOKIE_NAME = "loopx_language"
LANGUAGE_COOKIE_SAMESITE = "Lax"

STATIC_URL = "/static/"
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False
WHITENOISE_ALLOW_ALL_ORIGINS = False

LOGIN_URL = "/sign-in/"
LOGIN_REDIRECT_URL = "/"
SESSION_COOKIE_NAME = "loopx_session"
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_NAME = "loopx_csrf"
CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = bool(TLS_CERT or TRUSTED_PROXIES)
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024

# Called after each commit as wake(goal_slug, version); the hub and the worker listen.
LOOPX_WAKE = "loopx_web.wake.wake"

# Whether a worker runs: a callable that answers "ok" or "absent".
LOOPX_WORKER_STATE = "loopx_web.serve.presence.worker"

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    # A refusal is an answer, not a fault of the server.
    "loggers": {"django.request": {"level": "ERROR"}},
}
