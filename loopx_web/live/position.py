"""The opaque id of the stream: which version of each goal the client has been told of.

A vector of versions resumes exactly on every engine and after a restart; a sequence number would
not, since PostgreSQL may show a smaller one later.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping

MARK = "a"  # the encoding; an id of another one is ignored
LONGEST = 8000  # what fits into one header line of any proxy

Position = Mapping[int, int]  # number of the goal: version


def encode(position: Position) -> str:
    """Empty when it would be too long: the client then compares all versions after a reconnect."""
    numbers = bytearray()
    before = 0
    for number in sorted(position):
        numbers += varint(number - before) + varint(position[number])
        before = number
    text = MARK + base64.urlsafe_b64encode(numbers).rstrip(b"=").decode()
    return text if len(text) <= LONGEST else ""


def decode(text: str) -> dict[int, int] | None:
    """None for anything that `encode` did not make."""
    if not text.startswith(MARK) or len(text) > LONGEST:
        return None
    try:
        packed = base64.b64decode(text[1:] + "=" * (-len(text[1:]) % 4), b"-_", validate=True)
        numbers = list(varints(packed))
    except (binascii.Error, ValueError):
        return None
    if len(numbers) % 2:
        return None
    position: dict[int, int] = {}
    number = 0
    for step, version in zip(numbers[::2], numbers[1::2], strict=True):
        number += step
        position[number] = version
    return position


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def varints(packed: bytes) -> Iterator[int]:
    value = shift = 0
    for byte in packed:
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            yield value
            value = shift = 0
        elif shift > 63:
            raise ValueError("number too long")
    if shift:
        raise ValueError("cut short")
