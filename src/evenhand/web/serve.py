"""Run the application: where it listens, and what must be in place before it leaves this machine."""

from __future__ import annotations

import ipaddress
import socket
from typing import TYPE_CHECKING

from evenhand.errors import InputError
from evenhand.plugins import need

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from evenhand.web.guard import Guard

__all__ = ["is_loopback", "listening", "serve"]


def is_loopback(host: str) -> bool:
    """Is it only this machine that can reach *host*?"""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def listening(host: str, port: int, *, tls: bool, insecure: bool = False) -> socket.socket:
    """A socket bound to host and port (0: any free one); beyond loopback only with TLS, or on purpose."""
    if not is_loopback(host) and not tls and not insecure:
        raise InputError(
            f"{host} can be reached from other machines, and without TLS everybody between reads along",
            mend="give --tls-cert and --tls-key, or say --insecure-http-beyond-loopback",
        )
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        made = socket.socket(family, kind, protocol)
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(address)
        except BaseException:
            made.close()
            raise
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"cannot listen on {host}:{port}: {reason}",
            mend="name another --port (0: any free one) or --host",
        ) from error
    return made


def serve(
    app: Guard,
    bound: socket.socket,
    *,
    tls: tuple[Path, Path] | None = None,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Serve until interrupted. Requests are not logged: an address may hold a token."""
    uvicorn = need("uvicorn", extra="web")
    files = {"ssl_certfile": str(tls[0]), "ssl_keyfile": str(tls[1])} if tls else {}
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        timeout_graceful_shutdown=5,
        **files,
    )
    server = uvicorn.Server(config)
    bound.listen(2048)
    ready()
    server.run(sockets=[bound])
