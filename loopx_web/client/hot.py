"""The commands an agent calls around every slice; loads `sys os _socket` and little else."""

from __future__ import annotations

import sys
import time

from loopx_web.client import memory
from loopx_web.client.config import Config, ConfigError, is_loopback, owner_key
from loopx_web.client.encode import Raw, dumps
from loopx_web.client.flags import UsageError, parse
from loopx_web.client.raw import NoAnswer, Reply, exchange, query, quote

EXIT_CODES = {"deliver": 0, "self_repair": 0, "ask": 10, "wait": 11, "quiet": 12, "stop": 13}
TIMEOUT = 30.0
POLL = 60
ACTIONABLE = ("deliver", "self_repair", "ask", "stop")


class Call:
    """One command line with its settings."""

    __slots__ = ("config", "flags", "json")

    def __init__(self, verb: str, argv: list[str]) -> None:
        self.flags = parse(verb, argv)
        self.json = "json" in self.flags.on
        self.config = Config(self.flags.one)

    def send(
        self,
        method: str,
        path: str,
        body: dict[str, object] | str | None = None,
        timeout: float = TIMEOUT,
    ) -> Reply:
        accept = "application/json" if self.json else "text/plain, application/json;q=0.9"
        text = dumps(body) if isinstance(body, dict) else body
        return exchange(self.config, method, path, accept=accept, body=text, timeout=timeout)

    def body(self, *names: str) -> dict[str, object]:
        """The flags of these names as a request body, with agent and execution key."""
        found: dict[str, object] = {}
        for name in names:
            if name in self.flags.many:
                found[name] = self.flags.many[name]
            elif name in self.flags.one:
                value = self.flags.one[name]
                found[name] = value if name in {"todo", "agent"} else Raw(value)
        if self.config.execution_key:
            found["execution_key"] = self.config.execution_key
        return found


def run(verb: str, words: list[str], argv: list[str]) -> int:
    name = " ".join(["loopx", *words])
    try:
        return VERBS[verb](Call(verb, argv))
    except (UsageError, ValueError) as error:
        reason = "the arguments are not UTF-8." if isinstance(error, UnicodeError) else error
        sys.stderr.write(f"{name}: {reason}\nSee `{name} --help`.\n")
        return 2
    except ConfigError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except NoAnswer as error:
        return _unreachable(str(error), "--json" in argv)


def should_run(call: Call) -> int:
    config = call.config
    goal = config.need("goal")
    if not config.token and is_loopback(config.server):
        # A person at their own terminal may look; acting still needs the agent's own token.
        config.token = owner_key()
    pairs = _decision_query(call)
    if "explain" in call.flags.on:
        pairs.append(("explain", "1"))
    reply = call.send("GET", f"/goals/{quote(goal)}/should-run?{query(pairs)}")
    return _decided(call, reply)


def wait(call: Call) -> int:
    """Returns when there is something to do, the loop is over, or --timeout has passed."""
    goal = quote(call.config.need("goal"))
    after = call.flags.one.get("after", "")
    left = float(call.flags.one.get("timeout", "inf"))
    while True:
        began = time.monotonic()
        step = int(min(left, POLL))
        pairs = [*_decision_query(call), ("after", after), ("timeout", str(step))]
        reply = call.send("GET", f"/goals/{goal}/wait?{query(pairs)}", timeout=step + TIMEOUT)
        outcome = reply.headers.get("x-loopx-outcome", "")
        digest = reply.headers.get("x-loopx-digest", "")
        spent = time.monotonic() - began
        left -= spent
        if reply.status != 200 or outcome in ACTIONABLE or left < 1 or not digest:
            return _decided(call, reply)
        if digest == after and spent < 1:
            time.sleep(1)  # a server that does not hold the call must not be hammered
            left -= 1
        after = digest


def begin(call: Call) -> int:
    goal = call.config.need("goal")
    body = call.body("todo", "slots", "lease_seconds")
    body["agent"] = call.config.need("agent")
    body["shown"] = _shown(call)
    if "capability" in call.flags.many:
        body["capabilities"] = call.flags.many["capability"]
    reply = call.send("POST", f"/goals/{quote(goal)}/turns", body)
    if reply.status < 300:
        turn, epoch, todo = _facts(reply)
        memory.hold_turn(call.config, turn, epoch, todo)
    return _answer(call, reply)


def renew(call: Call) -> int:
    turn, body = _turn(call, "lease_seconds")
    return _answer(call, call.send("POST", f"/turns/{quote(turn)}/renew", body))


def finish(call: Call) -> int:
    from loopx_web.client.finishing import finish_body

    turn, body = _turn(call)
    reply = call.send("POST", f"/turns/{quote(turn)}/finish", finish_body(call.flags, body))
    if reply.status < 300 and memory.turn(call.config)[0] == turn:
        memory.forget(call.config, "turn")
    return _answer(call, reply)


def claim(call: Call) -> int:
    if len(call.flags.words) != 1:
        raise UsageError("name one todo, as in `loopx todo claim T4`.")
    goal, todo = call.config.need("goal"), call.flags.words[0]
    body = call.body("lease_seconds", "write_scopes", "capabilities")
    body["agent"] = call.config.need("agent")
    reply = call.send("POST", f"/goals/{quote(goal)}/todos/{quote(todo)}/claim", body)
    if reply.status < 300:
        memory.hold_todo(call.config, todo, _facts(reply)[1])
    return _answer(call, reply)


VERBS = {
    "should_run": should_run,
    "wait": wait,
    "begin": begin,
    "renew": renew,
    "finish": finish,
    "claim": claim,
}


def _decision_query(call: Call) -> list[tuple[str, str]]:
    config, flags = call.config, call.flags
    pairs = [("agent", config.agent), ("execution_key", config.execution_key)]
    pairs += [(name, flags.one.get(name, "")) for name in ("slots", "todo")]
    pairs += [("capability", value) for value in flags.many.get("capability", [])]
    return pairs + [("shown", tag) for tag in _shown(call)]


def _shown(call: Call) -> list[str]:
    return [*memory.shown(call.config), *call.flags.many.get("shown", [])]


def _turn(call: Call, *names: str) -> tuple[str, dict[str, object]]:
    """The turn named on the command line, or the one begun here last, with its fence."""
    held, held_epoch, _ = memory.turn(call.config)
    turn = call.flags.words[0] if call.flags.words else held
    if not turn:
        raise UsageError("no turn was begun from this directory: name it, with its --epoch.")
    epoch = call.flags.one.get("epoch") or (held_epoch if turn == held else "")
    if not epoch:
        raise UsageError("give the turn's --epoch (`turn begin` printed it).")
    return turn, {**call.body(*names), "epoch": Raw(epoch)}


def _facts(reply: Reply) -> tuple[str, str, str]:
    """Turn, epoch and todo of an answer: from its headers, else from its JSON."""
    found = [reply.headers.get(f"x-loopx-{name}", "") for name in ("turn", "epoch", "todo")]
    if not found[1] and reply.is_json:
        from loopx_web.client.show import facts

        return facts(reply.body)
    return found[0], found[1], found[2]


def _decided(call: Call, reply: Reply) -> int:
    outcome = reply.headers.get("x-loopx-outcome", "")
    if reply.status == 200 and outcome == "ask":
        memory.remember_shown(call.config, reply.headers.get("x-loopx-tags", "").split(","))
    code = _answer(call, reply)
    if code or "exit-code" not in call.flags.on:
        return code
    return EXIT_CODES.get(outcome, 1)


def _answer(call: Call, reply: Reply) -> int:
    if reply.status >= 400:
        from loopx_web.client.show import refusal

        return refusal(reply.status, reply.body, as_json=call.json)
    body = reply.body
    if reply.is_json and not call.json:
        from loopx_web.client.show import human

        body = human(body).encode()
    sys.stdout.flush()
    sys.stdout.buffer.write(body if body.endswith(b"\n") else body + b"\n")
    return 0


def _unreachable(detail: str, as_json: bool) -> int:
    from loopx_web.client.show import unreachable

    return unreachable(detail, as_json=as_json)
