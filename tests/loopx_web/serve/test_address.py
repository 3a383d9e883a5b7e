from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from loopx_web.serve.address import Address, check_host, free_port, holder_of, is_loopback
from loopx_web.serve.failure import USAGE, StartFailure


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.0.1", "::1", "localhost"])
def test_loopback_needs_no_decision(host: str) -> None:
    assert is_loopback(host)
    check_host(host, allow_remote=False, guarded=False)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "board.example"])
def test_another_address_needs_the_flag_and_tls(host: str) -> None:
    with pytest.raises(StartFailure, match="--allow-remote") as refused:
        check_host(host, allow_remote=False, guarded=True)
    assert refused.value.code == USAGE
    with pytest.raises(StartFailure, match="in the clear"):
        check_host(host, allow_remote=True, guarded=False)
    check_host(host, allow_remote=True, guarded=True)


@pytest.mark.parametrize(
    ("address", "url"),
    [
        (Address("127.0.0.1", 8765), "http://127.0.0.1:8765"),
        (Address("0.0.0.0", 80), "http://127.0.0.1:80"),
        (Address("::", 443, tls=True), "https://[::1]:443"),
    ],
)
def test_a_link_names_a_place_to_go_to(address: Address, url: str) -> None:
    assert address.url == url


def test_port_zero_finds_a_free_one() -> None:
    port = free_port("127.0.0.1", 0)
    assert free_port("127.0.0.1", port) == port


def test_a_taken_port_is_refused_with_a_way_out(taken: int) -> None:
    with pytest.raises(StartFailure) as refused:
        free_port("127.0.0.1", taken)
    assert f"Port {taken} on 127.0.0.1 is taken by another program" in str(refused.value)
    assert f"--port {taken + 1}" in str(refused.value)


@pytest.mark.skipif("sys.platform != 'linux'", reason="names come from /proc")
def test_the_holder_of_a_port_is_named(taken: int) -> None:
    assert "process " in holder_of(Address("127.0.0.1", taken))
    assert "python" in holder_of(Address("127.0.0.1", taken))


def test_a_name_without_an_address_is_refused() -> None:
    with pytest.raises(StartFailure, match=r"Cannot listen on nowhere\.invalid:80"):
        free_port("nowhere.invalid", 80)
