"""`loopx help`, `loopx version`, the help of the hot commands, and starting a cold one."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

from loopx_web.client.errors import LoopXError

OVERVIEW = """\
loopx: the control plane between the turns of any AI agent

An agent's loop
  should-run     may I go on, and how?
  wait           block until there is something to do
  turn           one bounded slice of work: begin, renew, finish, run -- CMD
  run -- CMD     the whole loop around a command: wait, begin, run, finish
  packet         what to know when coming back to a goal

Work
  todo           add, list, show, claim, claim-next, release, reassign, update, move, block,
                 unblock, defer, resume, submit, accept, return, complete, supersede, drop, reopen
  gate           concrete questions to a person: ask, list, show, revise, withdraw
  evidence       what was found, for and against: add, list, invalidate

People
  serve          start everything (worker, web: its parts)
  sign-in        a new one-time sign-in link
  start-goal     make a goal; --guided asks for what is missing
  connect        bind this directory to server, goal and agent
  status         where it stands; history: what happened; quota status: what is left
  goal           list, show, pause, resume, stop, close
  agent          list, add, token, pause, resume
  lark-kanban    the board in Feishu/Lark: doctor, setup, preview, sync, status
  doctor         check this machine; verify: check the ledger
  demo           a living example on a scratch database
  help, version

`loopx COMMAND --help` explains one; --json gives any answer as JSON. Settings come from flags,
LOOPX_SERVER LOOPX_TOKEN LOOPX_GOAL LOOPX_AGENT, .loopx/project.json, your configuration.
Exit codes: 0 done, 1 refused (the code is printed), 2 usage, 3 no server, 4 not authorised."""

COMMON_FLAGS = """\
  --goal G --agent A     which goal, as whom (else LOOPX_GOAL, LOOPX_AGENT, .loopx/project.json)
  --server URL           else LOOPX_SERVER
  --token-file FILE      else LOOPX_TOKEN, or the token `loopx connect` keeps
  --execution-key KEY    tells two processes of one agent apart (else the host's session id)
  --json                 the answer as JSON, errors as problem JSON on stderr"""

DECIDE_FLAGS = """\
  --capability C         something this runtime can do (repeatable)
  --slots N              how many quota slots the turn would take
  --todo T4              ask about this todo
  --shown G3@2.1         a question already put to the person (repeatable; remembered in .loopx/)"""

HELP = {
    "should-run": f"""\
loopx should-run [--explain] [--exit-code]      (also: loopx quota should-run)

May the loop continue, and how? Reads only. Obey the first word: deliver, ask, wait, self_repair,
quiet, or stop.

{DECIDE_FLAGS}
  --explain              every rule with what it looked at
  --exit-code            0 deliver or self_repair, 10 ask, 11 wait, 12 quiet, 13 stop
{COMMON_FLAGS}""",
    "wait": f"""\
loopx wait [--timeout SECONDS]

Blocks until there is something to do (deliver, self_repair, ask, stop) and prints the decision.

  --timeout SECONDS      give up waiting and print the decision as it is (default: never)
  --after DIGEST         the decision already known
  --exit-code            as should-run
{DECIDE_FLAGS}
{COMMON_FLAGS}""",
    "turn begin": f"""\
loopx turn begin [--todo T4]

Claims the work with a lease and reserves quota, in one step. Prints the packet. Refused with
not_now when the decision is no longer yes.

{DECIDE_FLAGS}
  --lease SECONDS        30 to 86400, default 900
{COMMON_FLAGS}""",
    "turn renew": f"""\
loopx turn renew [TURN --epoch N] [--lease SECONDS]

Extends the lease of the turn begun here last.

{COMMON_FLAGS}""",
    "turn finish": f"""\
loopx turn finish [TURN --epoch N] --result RESULT …

Writes back what the slice did; prints the next decision. RESULT and what it needs:
  completed   --evidence, and one of --successor, --nothing-more, --continuation
  progress    --evidence --summary
  no_change   --summary              failed   --summary
  blocked     --blocked-until TIME | --blocked-by-gate G3 | --blocked-by-person NAME
  asked       --gate JSON

  --evidence E           E3, or 'test supports: 41 tests pass', or a JSON object (repeatable)
  --successor S          T5, or the title of a new todo, or a JSON object (repeatable)
  --nothing-more WHY     nothing follows, and why
  --continuation JSON    any continuation as JSON (gate, monitor, handoff)
  --summary TEXT --outcome surface_only|outcome_gap|outcome_progress|primary_outcome
  --limited-until TIME|unknown        the provider's limit was met
  --slots N --tokens-in N --tokens-out N --cost-usd X
  --body FILE            the whole body as JSON (- reads standard input)
{COMMON_FLAGS}""",
    "todo claim": f"""\
loopx todo claim T4 [--lease SECONDS] [--write-scope GLOB] [--capability C]

Takes a todo for this agent. Without --lease a soft claim, with it a lease.

{COMMON_FLAGS}""",
}


def main(argv: list[str]) -> int:
    if argv[0] == "version":
        print(f"loopx-web {installed()}")
        return 0
    if argv[1:]:
        return _help_of(argv[1:])
    print(OVERVIEW)
    return 0


def _help_of(words: list[str]) -> int:
    from loopx_web.client.main import COMMANDS, HOT

    if tuple(words) in HOT:
        return explain(words)
    if words[0] not in COMMANDS:
        return unknown(words[0])
    return start(COMMANDS[words[0]], [*words, "--help"], [])


def explain(words: list[str]) -> int:
    """The help of a hot command."""
    name = " ".join(words[:2]) if " ".join(words[:2]) in HELP else words[0]
    print(HELP["should-run" if name == "quota" else name])
    return 0


def unknown(word: str) -> int:
    from difflib import get_close_matches

    from loopx_web.client.main import COMMANDS

    near = get_close_matches(word, [*COMMANDS, "should-run", "wait"], n=1)
    meant = f" Did you mean `loopx {near[0]}`?" if near else ""
    print(f"loopx: there is no command {word!r}.{meant} `loopx help` lists them.", file=sys.stderr)
    return 2


def start(module: str, words: list[str], leading: list[str]) -> int:
    """Runs a cold command: `words` from its own name on, `leading` flags that stood before it."""
    from loopx_web.client import show
    from loopx_web.client.config import ConfigError

    as_json = "--json" in [*leading, *words]
    try:
        code = import_module(f"loopx_web.client.commands.{module}").main(_joined(words, leading))
        return int(code)
    except LoopXError as error:
        return show.report(error, as_json=as_json)
    except ConfigError as error:
        print(error, file=sys.stderr)
        return 2


def _joined(words: list[str], leading: list[str]) -> list[str]:
    """Leading flags go to the end of the command's own, before a `--`."""
    if "--" not in words:
        return [*words, *leading]
    at = words.index("--")
    return [*words[:at], *leading, *words[at:]]


def installed() -> str:
    try:
        return version("loopx-web")
    except PackageNotFoundError:
        return "0 (not installed)"
