"""People: one-time sign-in links for the owner of this machine."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta

from django.contrib.auth.models import User

from kanban.kernel.errors import NotAllowed
from kanban.models import SignInLink
from kanban.store.write import write
from kanban.transitions.members import token_hash

LINK_LIFE = timedelta(minutes=10)
OWNER = "owner"


def mint_sign_in_link(now: datetime) -> str:
    """A token for `/sign-in/<token>`: works once, for ten minutes; only its hash is stored."""
    token = secrets.token_urlsafe(32)

    def work() -> None:
        SignInLink.objects.filter(expires_at__lt=now - timedelta(days=1)).delete()
        SignInLink.objects.create(
            hash=token_hash(token), created_at=now, expires_at=now + LINK_LIFE
        )

    write(work)
    return token


def redeem_sign_in(token: str, now: datetime) -> User:
    """Uses a link up and returns the owner, who is created at the first sign-in."""

    def work() -> User:
        used = SignInLink.objects.filter(
            hash=token_hash(token), used_at=None, expires_at__gt=now
        ).update(used_at=now)
        if used != 1:
            raise NotAllowed(
                "not_found",
                "This sign-in link was used already, or is older than ten minutes.",
                "Make a new one: loopx sign-in",
            )
        return ensure_owner()

    return write(work)


def ensure_owner() -> User:
    owner, made = User.objects.get_or_create(
        username=OWNER, defaults={"is_staff": True, "is_superuser": True}
    )
    if made:
        owner.set_unusable_password()
        owner.save(update_fields=["password"])
    return owner
