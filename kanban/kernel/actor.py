"""Who acts: a person, an agent, or the system itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kanban.kernel.errors import NotAllowed


@dataclass(frozen=True, slots=True)
class Actor:
    """`rights` of a person: "owner", "operator" or "viewer"; "local" for the owner's key file."""

    kind: str  # "person", "agent", "system"
    name: str
    rights: str = ""

    def __str__(self) -> str:
        return self.kind if self.kind == "system" else f"{self.kind}:{self.name}"

    @property
    def is_person(self) -> bool:
        return self.kind == "person"

    @property
    def judges(self) -> bool:
        """A person who is signed in; the owner's key file does not suffice for judgment."""
        return self.is_person and self.rights not in ("local", "viewer")

    @property
    def is_agent(self) -> bool:
        return self.kind == "agent"


SYSTEM: Final = Actor("system", "system")


def agent(name: str) -> Actor:
    return Actor("agent", name)


def person(name: str, rights: str = "owner") -> Actor:
    return Actor("person", name, rights)


def require_person(actor: Actor, what: str) -> None:
    """Judgment is human: refuses everything but a person signed in through the browser."""
    if not actor.judges:
        raise NotAllowed(
            "human_required",
            f"{what} needs a person who is signed in on the board; this came from {actor}.",
            "Put it to a person; go on with work that does not depend on it.",
        )


def require_administrator(actor: Actor, what: str) -> None:
    """People, and the local owner key, administer; agents do not."""
    if not actor.is_person:
        raise NotAllowed(
            "human_required", f"{what} is for people; this came from {actor}.", "Ask a person."
        )
    require_operator(actor, what)


def require_operator(actor: Actor, what: str) -> None:
    if actor.rights == "viewer":
        raise NotAllowed(
            "human_required", f"{what} needs more rights than a viewer has.", "Ask the owner."
        )
