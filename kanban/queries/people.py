"""A signed-in person as the kernel's actor, with the rights that their group gives."""

from __future__ import annotations

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User

from kanban.kernel.actor import Actor

OPERATOR, VIEWER = "operator", "viewer"


def person_actor(user: AbstractBaseUser | AnonymousUser) -> Actor:
    """A superuser is an owner; the group `operator` works with everything; all others look on."""
    assert isinstance(user, User)
    if user.is_superuser:
        return Actor("person", user.get_username(), "owner")
    operates = user.groups.filter(name=OPERATOR).exists()
    return Actor("person", user.get_username(), OPERATOR if operates else VIEWER)
