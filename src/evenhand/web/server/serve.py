"""Run the application: where it listens, and what must be in place before it leaves this machine."""

from __future__ import annotations

import ipaddress
import re
import socket
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.plugins import need
from evenhand.web.server.limits import Limits, Listener, seldom, timed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from evenhand.web.server.middleware import Guard

__all__ = ["checked", "is_loopback", "listening", "serve", "server_of"]


_PEM = re.compile(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL)
# the validity of a certificate in DER: a sequence of two times, of thirteen or fifteen letters each
_TIMES = re.compile(
    rb"\x30[\x1e-\x22](?:\x17\x0d|\x18\x0f)(?P<begins>\d{12,14})Z(?:\x17\x0d|\x18\x0f)(?P<ends>\d{12,14})Z"
)


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
    limits: Limits | None = None,
) -> None:
    """Serve until interrupted. Requests are not logged: an address may hold a token."""
    limits = limits or Limits()
    server = server_of(app, tls=tls, limits=limits)
    listener = Listener(bound, limits)
    listener.listen(2048)
    with listener, seldom(limits.every):
        ready()
        server.run(sockets=[listener])


def server_of(app: Any, *, tls: tuple[Path, Path] | None = None, limits: Limits, grace: int = 5) -> Any:
    """A server of uvicorn that has not begun; the certificate is read when it does."""
    uvicorn = need("uvicorn", extra="web")
    files = {"ssl_certfile": str(tls[0]), "ssl_keyfile": str(tls[1])} if tls else {}
    config = uvicorn.Config(
        app,
        http=timed(limits),
        loop="asyncio",  # which takes connections by the listener's own accept
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        timeout_graceful_shutdown=grace,
        **files,
    )
    return uvicorn.Server(config)


def checked(tls: tuple[Path, Path]) -> None:
    """Raise `InputError` for a certificate or key that cannot be used, before anybody is told an address."""
    import ssl

    cert, key = tls
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key, password=_no_password)
    except _Locked as error:
        raise InputError(f"{key} is locked by a password", mend="give a key without one") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or str(error)
        if reason == "KEY_VALUES_MISMATCH":
            raise InputError(
                f"{key} is not the key of {cert}", mend="give the certificate and the key of one server"
            ) from error
        raise InputError(
            f"{cert} and {key} cannot be used: {reason}", mend="give a certificate and its key, both as PEM"
        ) from error
    _in_time(cert)


class _Locked(Exception):
    """A key asks for a password, and nobody is there to type it."""


def _no_password() -> str:
    raise _Locked


def _in_time(cert: Path) -> None:
    """Raise `InputError` for a certificate that is over, or not yet begun."""
    begins, ends = _validity(cert.read_text("ascii", "replace"))
    if ends is not None and ends < datetime.now(UTC):
        raise InputError(f"{cert} has expired: it ended {ends:%Y-%m-%d %H:%M} UTC", mend="renew it")
    if begins is not None and begins > datetime.now(UTC):
        raise InputError(
            f"{cert} begins only {begins:%Y-%m-%d %H:%M} UTC",
            mend="set the clock, or give another certificate",
        )


def _validity(text: str) -> tuple[datetime | None, datetime | None]:
    """From when and until when the first certificate of a PEM file holds; None where that cannot be read."""
    import ssl

    block = _PEM.search(text)
    found = _TIMES.search(ssl.PEM_cert_to_DER_cert(block[0])) if block else None
    if found is None:
        return None, None
    begins, ends = (_moment(found[key].decode()) for key in ("begins", "ends"))
    return begins, ends


def _moment(told: str) -> datetime:
    """A time of X.509: years of two digits are those from 1950 to 2049."""
    full = told if len(told) == 14 else f"{'19' if told >= '5' else '20'}{told}"
    return datetime.strptime(full, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
