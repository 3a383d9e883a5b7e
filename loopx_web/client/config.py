"""Where settings come from: flags, LOOPX_* variables, the project's .loopx/, the user's directory.

On the hot path of `loopx`: imports `os` and `sys` only.
"""

from __future__ import annotations

import os
import sys

DEFAULT_PORT = "8765"
# The host's own session id tells two sessions of one agent apart without any set-up.
SESSION_VARIABLES = ("LOOPX_EXECUTION_KEY", "CLAUDE_CODE_SESSION_ID")


class ConfigError(Exception):
    """A setting that cannot be used; the message says which one and what to do."""


class Config:
    """The settings of one call; an empty string means not set."""

    __slots__ = (
        "agent",
        "execution_key",
        "explicit_token",
        "goal",
        "project",
        "server",
        "token",
        "trusted_server",
    )

    def __init__(self, flags: dict[str, str], *, start: str | None = None) -> None:
        self.project = find_project(start or os.getcwd())
        bound = read_flat(project_file(self.project)) if self.project else {}
        personal = read_flat(os.path.join(config_dir(), "config.json"))

        def setting(name: str) -> str:
            own = flags.get(name) or os.environ.get(f"LOOPX_{name.upper()}")
            return own or bound.get(name) or personal.get(name, "")

        explicit = flags.get("server") or os.environ.get("LOOPX_SERVER") or personal.get("server")
        self.server = normal_server(setting("server") or default_server())
        # A checked-in .loopx/ must not be able to send a token from the environment elsewhere.
        self.trusted_server = bool(explicit) or is_loopback(self.server)
        self.goal = setting("goal")
        self.agent = setting("agent")
        self.execution_key = flags.get("execution_key") or first_variable(SESSION_VARIABLES)
        self.token = self._token(flags.get("token_file", ""))

    def _token(self, path: str) -> str:
        path = path or os.environ.get("LOOPX_TOKEN_FILE", "")
        direct = "" if path else os.environ.get("LOOPX_TOKEN", "")
        if path:
            direct = read_secret(path)
            if not direct:
                raise ConfigError(f"The token file {path} does not exist or is empty.")
        self.explicit_token = bool(direct)
        if not direct:
            return read_secret(token_file(self.server, self.agent)) if self.agent else ""
        if not self.trusted_server:
            raise ConfigError(
                f"The token was not sent: {self.server} comes from {project_file(self.project)}. "
                "Name the server with --server or LOOPX_SERVER if you trust it."
            )
        return direct

    def need(self, name: str) -> str:
        """A setting this call cannot do without."""
        value: str = getattr(self, name)
        if not value:
            raise ConfigError(
                f"No {name} is set: give --{name}, set LOOPX_{name.upper()}, "
                "or bind this directory with `loopx connect`."
            )
        return value

    @property
    def state_dir(self) -> str:
        return os.path.join(self.project, ".loopx") if self.project else ""


def project_file(project: str) -> str:
    return os.path.join(project, ".loopx", "project.json")


def find_project(start: str) -> str:
    """The nearest directory, from `start` upwards, that `loopx connect` has bound; or ""."""
    here = os.path.abspath(start)
    while True:
        if os.path.isfile(project_file(here)):
            return here
        parent = os.path.dirname(here)
        if parent == here:
            return ""
        here = parent


def read_flat(path: str) -> dict[str, str]:
    """A flat JSON object of strings, read without the json module when it has no escapes."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(65536)
    except OSError:
        return {}
    parts = text.split('"')
    keys, colons, values = parts[1::4], parts[2::4], parts[3::4]
    plain = (
        "\\" not in text
        and len(parts) % 4 == 1
        and all(colon.strip() == ":" for colon in colons)
        and [part.strip() for part in parts[::4]] == ["{", *[","] * (len(keys) - 1), "}"]
    )
    return dict(zip(keys, values, strict=True)) if plain else _read_any(path, text)


def _read_any(path: str, text: str) -> dict[str, str]:
    import json

    try:
        data = json.loads(text)
    except ValueError as error:
        raise ConfigError(f"{path} is not valid JSON: {error}.") from None
    if not isinstance(data, dict):
        raise ConfigError(f"{path} does not hold a JSON object.")
    return {str(key): str(value) for key, value in data.items() if value is not None}


def read_secret(path: str) -> str:
    """The content of a 0600 file, "" if there is none; refuses one that others may read."""
    try:
        with open(path, encoding="ascii") as file:
            if os.name == "posix" and os.fstat(file.fileno()).st_mode & 0o077:
                raise ConfigError(f"{path} can be read by others: run `chmod 600 {path}`.")
            return file.read(4096).strip()
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as error:
        raise ConfigError(f"Cannot read {path}: {error}.") from None


def config_dir() -> str:
    return os.path.join(_user_dir("XDG_CONFIG_HOME", ".config", "APPDATA"), "loopx-web")


def data_dir() -> str:
    """Where a server of this user keeps its state (the same place the server itself computes)."""
    chosen = os.environ.get("LOOPX_DATA_DIR")
    if chosen:
        return os.path.abspath(os.path.expanduser(chosen))
    base = _user_dir("XDG_DATA_HOME", ".local/share", "LOCALAPPDATA")
    inner = os.path.join(base, "loopx-web")
    return os.path.join(inner, "loopx-web") if sys.platform == "win32" else inner


def _user_dir(xdg: str, below_home: str, windows: str) -> str:
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        return os.environ.get(windows) or home
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support")
    return os.environ.get(xdg) or os.path.join(home, below_home)


def token_file(server: str, agent: str) -> str:
    """Kept per server, so that no other server is ever offered this token."""
    place = server.split("://", 1)[-1]
    return os.path.join(config_dir(), "tokens", safe_name(place), safe_name(agent))


def safe_name(text: str) -> str:
    name = "".join(c if c.isalnum() or c in "-._" else "_" for c in text)
    return name if name.strip(".") else "_"


def owner_key() -> str:
    return read_secret(os.path.join(data_dir(), "owner.key"))


def default_server() -> str:
    return f"http://127.0.0.1:{os.environ.get('LOOPX_PORT') or DEFAULT_PORT}"


def normal_server(text: str) -> str:
    url = text.strip().rstrip("/")
    if "://" not in url:
        url = f"http://{url}"
    scheme = url.split("://", 1)[0].lower()
    if scheme not in {"http", "https"}:
        raise ConfigError(f"The server {text!r} is neither http:// nor https://.")
    return url


def is_loopback(server: str) -> bool:
    host, _ = host_and_port(server)
    return host in {"localhost", "::1"} or (
        host.startswith("127.") and all(part.isdigit() for part in host.split("."))
    )


def host_and_port(server: str) -> tuple[str, int]:
    scheme, rest = server.split("://", 1)
    place = rest.split("/", 1)[0].rsplit("@", 1)[-1]
    if place.startswith("["):
        host, _, tail = place[1:].partition("]")
        port = tail.lstrip(":")
    else:
        host, _, port = place.partition(":")
    if port and not port.isdigit():
        raise ConfigError(f"The server {server!r} has no usable port.")
    return host, int(port) if port else (443 if scheme == "https" else 80)


def first_variable(names: tuple[str, ...]) -> str:
    return next((os.environ[name] for name in names if os.environ.get(name)), "")
