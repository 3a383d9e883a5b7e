"""What the cold commands share: common flags, whose token speaks, how an answer is printed."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from loopx_web.client import memory, shapes, words
from loopx_web.client.config import Config, ConfigError, is_loopback, owner_key
from loopx_web.client.errors import Unauthenticated
from loopx_web.client.wire import Query, Wire

SETTINGS = ("server", "goal", "agent", "token_file", "execution_key")
Json = dict[str, Any]


class Session:
    """One command's settings, connection and output."""

    def __init__(self, args: argparse.Namespace, *, person: bool = False) -> None:
        """`person`: administration, where the local owner key goes before an agent's token."""
        given = {name: getattr(args, name, None) or "" for name in SETTINGS}
        self.args = args
        self.json = bool(args.json)
        self.config = Config(given)
        self.by_owner = False
        self.person = person
        self.wire = Wire(self.config.server, self._bearer(person, bool(given["token_file"])))

    def _bearer(self, person: bool, named: bool) -> str:
        token = self.config.token
        if self.args.as_owner:
            key = self._owner_key()
            if not key:
                raise ConfigError(
                    "No owner key here: it lies in the server's data directory (LOOPX_DATA_DIR) "
                    "and is only sent to a server on this machine."
                )
            return key
        explicit = named or self.config.explicit_token
        if token and (explicit or not person):
            return token
        return self._owner_key() or token

    def _owner_key(self) -> str:
        key = owner_key() if is_loopback(self.config.server) else ""
        self.by_owner = bool(key)
        return key

    # Paths and bodies

    def goal_path(self, *parts: str) -> str:
        return path("goals", self.config.need("goal"), *parts)

    def agent_body(self) -> Json:
        """`agent` and `execution_key` as far as known; a person must name the agent."""
        found = {"agent": self.config.agent, "execution_key": self.config.execution_key}
        return {name: value for name, value in found.items() if value}

    def fence(self, todo: str) -> Json:
        """Epoch and execution key for an owner's write; empty for a person."""
        epoch = self.args.epoch or ("" if self.by_owner else memory.epoch(self.config, todo))
        if not epoch:
            return {}
        key = self.config.execution_key
        return {"epoch": int(epoch)} | ({"execution_key": key} if key else {})

    # Calls

    def get(self, where: str, query: Query | None = None) -> Any:
        self._need_token()
        return self.wire.get(where, query)

    def post(self, where: str, body: Any = None, **options: Any) -> Any:
        self._need_token()
        return self.wire.post(where, body, **options)

    def patch(self, where: str, body: Any) -> Any:
        self._need_token()
        return self.wire.patch(where, body, if_match=getattr(self.args, "if_version", None))

    def _need_token(self) -> None:
        if not self.wire.token:
            who = f"agent {self.config.agent!r}" if self.config.agent else "this call"
            hint = "Run `loopx connect --agent NAME` here, or set LOOPX_TOKEN."
            if self.person:
                hint = (
                    "Run this where the server keeps its data (LOOPX_DATA_DIR holds owner.key), "
                    "or set LOOPX_TOKEN."
                )
            raise Unauthenticated(
                {
                    "status": 401,
                    "code": "unauthenticated",
                    "title": "No token",
                    "detail": f"There is no token for {who} at {self.config.server}.",
                    "hint": hint,
                }
            )

    # Output

    def show(self, data: Any, render: Callable[[Any], str] = shapes.anything) -> int:
        print(json.dumps(data, ensure_ascii=False) if self.json else render(data))
        return 0

    def show_list(self, data: Any, line: Callable[[Any], str], empty: str) -> int:
        text = self.show(data, lambda page: words.listing(page["items"], line, empty))
        if data.get("cursor") and not self.json:
            print(f"More: --cursor {data['cursor']}")
        return text


def path(*parts: str) -> str:
    return "/" + "/".join(quote(part, safe="") for part in parts)


def common_flags() -> argparse.ArgumentParser:
    """The flags every command takes."""
    flags = argparse.ArgumentParser(add_help=False)
    group = flags.add_argument_group("settings")
    group.add_argument("--server", metavar="URL", help="else LOOPX_SERVER, .loopx/project.json")
    group.add_argument("--goal", metavar="G", help="the goal's slug (else LOOPX_GOAL)")
    group.add_argument("--agent", metavar="A", help="the agent's name (else LOOPX_AGENT)")
    group.add_argument("--token-file", metavar="FILE", help="a 0600 file (else LOOPX_TOKEN)")
    group.add_argument("--execution-key", metavar="KEY", help="tells two processes apart")
    group.add_argument("--as-owner", action="store_true", help="use the local owner key")
    group.add_argument("--json", action="store_true", help="JSON out, problem JSON on stderr")
    return flags


Handler = Callable[[argparse.Namespace], int]


class Group:
    """A command with verbs: `loopx todo add`, `loopx todo list`, …"""

    def __init__(self, name: str, description: str) -> None:
        self.parser = argparse.ArgumentParser(f"loopx {name}", description=description)
        self._verbs = self.parser.add_subparsers(metavar="VERB", required=True, dest="verb")
        self._common = common_flags()
        self.verbs: dict[str, argparse.ArgumentParser] = {}

    def verb(self, name: str, handler: Handler, summary: str) -> argparse.ArgumentParser:
        sub = self._verbs.add_parser(
            name, help=summary, description=summary, parents=[self._common]
        )
        sub.set_defaults(handler=handler)
        self.verbs[name] = sub
        return sub

    def run(self, argv: list[str]) -> int:
        args = self.parser.parse_args(argv)
        handler: Handler = args.handler
        return handler(args)


def single(name: str, description: str) -> argparse.ArgumentParser:
    """The parser of a command without verbs."""
    return argparse.ArgumentParser(
        f"loopx {name}", description=description, parents=[common_flags()]
    )


def given(args: argparse.Namespace, *names: str) -> Json:
    """These flags as body fields, as far as they were given."""
    values = ((name, getattr(args, name)) for name in names)
    return {name: value for name, value in values if value not in (None, "", [], False)}


def page_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--limit", type=int, help="at most this many (200)")
    parser.add_argument("--cursor", help="go on where the last page ended")


def page_query(args: argparse.Namespace, *names: str) -> Mapping[str, Any]:
    return given(args, "limit", "cursor", *names)


def json_argument(text: str) -> Any:
    """A flag's value as JSON, or from a file with `@FILE`."""
    try:
        if text.startswith("@"):
            with open(text[1:], encoding="utf-8") as file:
                return json.load(file)
        return json.loads(text)
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"not JSON: {error}") from None
