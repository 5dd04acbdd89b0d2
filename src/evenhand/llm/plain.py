"""The line to a server without TLS: a local one answers in milliseconds, and an SDK costs one each call.

The standard library's HTTP with lines that are used again, errors as ``httpx2`` names them. Servers behind a
proxy of the environment are not asked by it.
"""

from __future__ import annotations

import json
import socket
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, IncompleteRead
from typing import Any
from urllib.parse import quote, urlsplit
from urllib.request import getproxies, proxy_bypass

from evenhand.llm.transport import MOST

__all__ = ["Answer", "Plain", "plain"]

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
        parts = urlsplit(base_url)
        self.path = quote(parts.path.rstrip("/"), safe="/%:@!$&'()*+,;=")
        self._where = parts.hostname or "", parts.port or 80
        told = {"Accept": "application/json", "Content-Type": "application/json", "User-Agent": "evenhand"}
        self._headers = {**told, **headers}
        self._idle: deque[_Whole] = deque()
        self._closed = False
        self.opened = 0

    def post(self, path: str, body: Mapping[str, Any], seconds: float) -> Answer:
        """The answer to a POST within *seconds*; raises an ``httpx2.TransportError``."""
        import httpx2

        data = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        end = time.monotonic() + seconds
        wrong: Exception
        try:
            line = self._line(min(seconds, CONNECT))
        except TimeoutError:
            wrong = httpx2.ConnectTimeout("no connection in time")
        except (OSError, UnicodeError, HTTPException) as error:  # also a name that can be no host's
            wrong = httpx2.ConnectError(str(error))
        else:
            try:
                return self._talk(line, path, data, seconds, end)
            except TimeoutError:
                wrong = httpx2.ReadTimeout("no answer in time")
            except (OSError, IncompleteRead) as error:  # the connection ended, at the wrong moment
                wrong = httpx2.ReadError(str(error))
            except HTTPException as error:
                wrong = httpx2.RemoteProtocolError(f"{type(error).__name__}: {error}")
        raise wrong  # out here, so that it has no other error behind it

    def _line(self, seconds: float) -> _Whole:
        """A connection that stands: one that was used before, unless the server has ended it."""
        while self._idle:
            with suppress(IndexError):  # another thread was faster
                line = self._idle.pop()
                if line.stands():
                    return line
                line.close()
        line = _Whole(*self._where, timeout=seconds)
        line.connect()
        self.opened += 1
        return line

    def _talk(self, line: _Whole, path: str, data: bytes, seconds: float, end: float) -> Answer:
        kept = False
        try:
            line.sock.settimeout(seconds)
            line.request("POST", self.path + path, body=data, headers=self._headers)
            with line.getresponse() as reply:
                body = b"".join(_bounded(reply, end))
                kept = not reply.will_close and not self._closed
                return Answer(reply.status, dict(reply.headers.items()), body)
        finally:
            if kept:
                self._idle.append(line)
            else:
                line.close()  # what is left of it must not be taken for the next reply

    def close(self) -> None:
        """Let go of the idle connections, and of the others when they are done."""
        self._closed = True
        while self._idle:
            with suppress(IndexError):
                self._idle.pop().close()


class _Whole(HTTPConnection):
    """A connection that sends head and body in one piece: half the calls to the system, half the packets."""

    _head = b""

    def putrequest(self, *told: Any, **more: Any) -> None:
        self._head = b""  # of a request that was broken off
        super().putrequest(*told, **more)

    def send(self, data: Any) -> None:
        if self._head:  # every request here has a body, as bytes
            head, self._head = self._head, b""
            super().send(head + data)
        else:
            self._head = data

    def stands(self) -> bool:
        """Whether it can be used again: not ended by the server, and nothing in it that nobody asked for."""
        self.sock.settimeout(0)
        try:
            self.sock.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False


def _bounded(reply: HTTPResponse, end: float) -> Iterator[bytes]:
    """The parts of a body, which must not be too late, too long or too short."""
    size = 0
    while reply.length != 0 and (part := reply.read1(1 << 16)):
        size += len(part)
        if size > MOST:
            raise OSError(f"a reply of more than {MOST} bytes")
        if time.monotonic() > end:
            raise TimeoutError
        yield part
    if reply.length:
        raise IncompleteRead(b"", reply.length)
