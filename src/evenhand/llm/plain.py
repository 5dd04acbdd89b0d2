"""The line to a server without TLS: a local one answers in milliseconds, and an SDK costs one each call.

``urllib3`` with a pool of connections, errors as ``httpx2`` names them. Servers behind a proxy of the
environment are not asked by it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPException, IncompleteRead
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from evenhand.llm.transport import MOST
from evenhand.plugins import need

__all__ = ["Answer", "Plain", "plain"]

_ENDED = (OSError, IncompleteRead)  # the connection ended, at the wrong moment
CONNECT = 15.0  # seconds at most for a connection to be taken


def plain(url: str) -> bool:
    """Whether *url* is reached without TLS and without a proxy."""
    parts = urlsplit(url)
    if parts.scheme != "http" or not parts.hostname:
        return False
    proxies = getproxies()
    return not ("http" in proxies or "all" in proxies) or bool(proxy_bypass(parts.hostname))


@dataclass(frozen=True, slots=True)
class Answer:
    """As much of an ``httpx2.Response`` as is needed, for a tenth of its time."""

    status_code: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def text(self) -> str:
        """The body as UTF-8; what is not becomes U+FFFD."""
        return self.content.decode("utf-8", "replace")

    def json(self) -> Any:
        """The body as JSON; ValueError when it is not."""
        return json.loads(self.content)


class Plain:
    """Posts JSON to *base_url*; used from many threads, each call with a connection for itself."""

    def __init__(self, base_url: str, headers: Mapping[str, str]) -> None:
        urllib3 = need("urllib3", extra="llm")
        parts = urlsplit(base_url)
        self.path = parts.path.rstrip("/")
        told = {"Accept": "application/json", "Content-Type": "application/json", "User-Agent": "evenhand"}
        self._pool = urllib3.HTTPConnectionPool(
            parts.hostname, parts.port or 80, maxsize=1000, headers={**told, **headers}, retries=False
        )

    def post(self, path: str, body: Mapping[str, Any], seconds: float) -> Answer:
        """The answer to a POST within *seconds*; raises an ``httpx2.TransportError``."""
        import httpx2
        from urllib3 import Timeout, exceptions

        data = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        patience = Timeout(connect=min(seconds, CONNECT), read=seconds)
        wrong: Exception
        try:
            return self._talk(path, data, patience, time.monotonic() + seconds)
        except exceptions.ConnectTimeoutError as error:
            connecting = not isinstance(error, exceptions.NewConnectionError)
            kind = httpx2.ConnectTimeout if connecting else httpx2.ConnectError
            wrong = kind("no connection in time" if connecting else str(error))
        except (exceptions.ReadTimeoutError, TimeoutError):
            wrong = httpx2.ReadTimeout("no answer in time")
        except exceptions.ProtocolError as error:
            odd = isinstance(error.args[-1], HTTPException) and not isinstance(error.args[-1], _ENDED)
            wrong = (httpx2.RemoteProtocolError if odd else httpx2.ReadError)(str(error))
        except OSError as error:
            wrong = httpx2.ReadError(str(error))
        except exceptions.HTTPError as error:
            wrong = httpx2.RemoteProtocolError(f"{type(error).__name__}: {error}")
        raise wrong  # out here, so that it has no other error behind it

    def _talk(self, path: str, data: bytes, timeout: Any, end: float) -> Answer:
        reply = self._pool.urlopen(
            "POST", self.path + path, body=data, timeout=timeout, redirect=False, preload_content=False
        )
        try:
            body = b"".join(_bounded(reply, end))
        except BaseException:
            reply.close()  # what is left of it must not be taken for the next reply
            raise
        reply.release_conn()
        return Answer(reply.status, dict(reply.headers.items()), body)

    def close(self) -> None:
        """Let go of the idle connections."""
        self._pool.close()


def _bounded(reply: Any, end: float) -> Iterator[bytes]:
    """The parts of a body, which must not be too late or too long."""
    size = 0
    while part := reply.read1(1 << 16):
        size += len(part)
        if size > MOST:
            raise OSError(f"a reply of more than {MOST} bytes")
        if time.monotonic() > end:
            raise TimeoutError
        yield part
