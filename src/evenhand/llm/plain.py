"""The line to a server without TLS: a local one answers in milliseconds, and an SDK costs one each call.

The standard library's HTTP, a pool of connections, errors as ``httpx2`` names them. Servers behind a proxy
of the environment are not asked by it.
"""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from evenhand.llm.transport import MOST

__all__ = ["Answer", "Plain", "plain"]

FRESH = 0.2  # seconds for which an idle connection is taken to stand: no server ends it sooner


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
        self.host, self.port = parts.hostname or "", parts.port or 80
        self.path = parts.path.rstrip("/")
        place = parts.netloc.rpartition("@")[2]
        told = {
            "Host": place,
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
            "User-Agent": "evenhand",
            **headers,
        }
        self._head = "".join(f"{name}: {value}\r\n" for name, value in told.items())
        self._idle: list[tuple[socket.socket, float]] = []
        self._lock = threading.Lock()

    def post(self, path: str, body: Mapping[str, Any], seconds: float) -> Answer:
        """The answer to a POST within *seconds*; raises an ``httpx2.TransportError``."""
        import httpx2

        data = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        end = time.monotonic() + seconds
        wrong: Exception
        line = None
        try:
            line = self._line(min(seconds, 15.0))
        except TimeoutError:
            wrong = httpx2.ConnectTimeout("no connection in time")
        except OSError as error:
            wrong = httpx2.ConnectError(str(error))
        if line is not None:
            try:
                return self._talk(line, path, data, end)
            except TimeoutError:
                wrong = httpx2.ReadTimeout("no answer in time")
            except OSError as error:
                wrong = httpx2.ReadError(str(error))
            except (http.client.HTTPException, ValueError) as error:
                wrong = httpx2.RemoteProtocolError(f"{type(error).__name__}: {error}")
            line.close()
        raise wrong  # out here, so that it has no other error behind it

    def _talk(self, line: socket.socket, path: str, data: bytes, end: float) -> Answer:
        line.settimeout(max(0.001, end - time.monotonic()))
        head = f"POST {self.path}{path} HTTP/1.1\r\n{self._head}Content-Length: {len(data)}\r\n\r\n"
        line.sendall(head.encode("latin-1") + data)
        reply = http.client.HTTPResponse(line, method="POST")
        try:
            reply.begin()
            parts, size = [], 0
            while part := reply.read1(1 << 16):
                parts.append(part)
                size += len(part)
                if size > MOST:
                    raise OSError(f"a reply of more than {MOST} bytes")
                if reply.length == 0:
                    break
                if (left := end - time.monotonic()) <= 0:
                    raise TimeoutError
                line.settimeout(left)
            if reply.length:
                raise OSError("the connection ended in the middle of the reply")
        finally:
            reply.close()
        if reply.will_close:
            line.close()
        else:
            with self._lock:
                self._idle.append((line, time.monotonic()))
        return Answer(reply.status, dict(reply.getheaders()), b"".join(parts))

    def _line(self, seconds: float) -> socket.socket:
        """A connection that stands: one from before, unless the server has ended it, or a new one."""
        while True:
            with self._lock:
                line, since = self._idle.pop() if self._idle else (None, 0.0)
            if line is None:
                line = socket.create_connection((self.host, self.port), timeout=seconds)
                line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return line
            if time.monotonic() - since < FRESH or _stands(line):
                return line
            line.close()

    def close(self) -> None:
        """Let go of the idle connections."""
        with self._lock:
            lines, self._idle = self._idle, []
        for line, _ in lines:
            line.close()


def _stands(sock: socket.socket) -> bool:
    """Whether nothing came on an idle connection: an end, or a reply that nobody waits for any more."""
    sock.settimeout(0)
    try:
        sock.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
