"""EVENHAND_OFFLINE: nothing that this process opens leads off this machine."""

from __future__ import annotations

import ipaddress
import os
import sys
from typing import Any

__all__ = ["keep"]

NAME = "EVENHAND_OFFLINE"
# what Python tells of before it looks up a name or opens a way out: where in its arguments the address stands
_EVENTS = {
    "socket.connect": 1,
    "socket.sendto": 1,
    "socket.sendmsg": 1,
    "socket.getaddrinfo": 0,
    "socket.gethostbyname": 0,
    "evenhand.connect": 0,  # ours: a driver that is about to connect below Python's own sockets
}
_kept: list[bool] = []


def keep() -> None:
    """From here on, while the variable is set, refuse what leads off this machine; loopback stays open.

    A hook, not a setting of each client: a library that would report home is refused as well. Unix sockets
    and loopback addresses are this machine.
    """
    if not _kept and asked():
        _kept.append(True)
        sys.addaudithook(_watch)


def asked() -> bool:
    """Whether the variable is set to anything but 0, no or false."""
    return os.environ.get(NAME, "").strip().lower() not in ("", "0", "no", "false")


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    place = _EVENTS.get(event)
    if place is None or not asked():
        return
    host = arguments[place]
    if isinstance(host, tuple):
        host = host[0] if host else None
    elif event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        return  # the path of a Unix socket, or no address at all
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if not here(host):
        from evenhand.errors import Unreachable
        from evenhand.report.output.terminal import clean

        raise Unreachable(
            f"{NAME} is set, and this would reach {clean(str(host))}",
            mend=f"unset {NAME}, or use what runs on this machine",
            why="offline",
            there=False,
            again=False,
        )


def here(host: str | None) -> bool:
    """Whether *host* is this machine by its own name for it: nothing is looked up."""
    if host is None or host in ("", "localhost") or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return host.startswith("/")  # the folder of a Unix socket
