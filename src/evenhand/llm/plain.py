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
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from evenhand.llm.transport import MOST

__all__ = ["Plain", "plain"]


def plain(url: str) -> bool:
    """Whether *url* is reached without TLS and without a proxy."""
    parts = urlsplit(url)
    if parts.scheme != "http" or not parts.hostname:
        return False
    proxies = getproxies()
    return not ("http" in proxies or "all" in proxies) or bool(proxy_bypass(parts.hostname))


class Plain:
    """Posts JSON to *base_url*; used from many threads, each call with a connection for itself."""

    def __init__(self, base_url: str, headers: Mapping[str, str]) -> None:
        parts = urlsplit(base_url)
        self.host, self.port = parts.hostname or "", parts.port or 80
        self.path = parts.path.rstrip("/")
        self.headers = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
            "User-Agent": "evenhand",
            **headers,
        }
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def post(self, path: str, body: Mapping[str, Any], seconds: float) -> Any:
        """The ``httpx2.Response`` to a POST within *seconds*; raises an ``httpx2.TransportError``."""
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

    def _talk(self, line: http.client.HTTPConnection, path: str, data: bytes, end: float) -> Any:
        import httpx2

        line.sock.settimeout(max(0.001, end - time.monotonic()))
        line.request("POST", self.path + path, data, self.headers)
        reply = line.getresponse()
        parts, size = [], 0
        while part := reply.read1(1 << 16):
            parts.append(part)
            size += len(part)
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError
            if size > MOST:
                raise OSError(f"a reply of more than {MOST} bytes")
            if reply.length == 0:
                break
            line.sock.settimeout(left)
        if reply.length:
            raise OSError("the connection ended in the middle of the reply")
        response = httpx2.Response(reply.status, headers=reply.getheaders(), content=b"".join(parts))
        if reply.will_close:
            line.close()
        else:
            reply.close()
            with self._lock:
                self._idle.append(line)
        return response

    def _line(self, seconds: float) -> http.client.HTTPConnection:
        """A connection that stands: one from before, unless the server has ended it, or a new one."""
        while True:
            with self._lock:
                line = self._idle.pop() if self._idle else None
            if line is None:
                line = http.client.HTTPConnection(self.host, self.port, timeout=seconds)
                line.connect()
                return line
            if _stands(line.sock):
                return line
            line.close()

    def close(self) -> None:
        """Let go of the idle connections."""
        with self._lock:
            lines, self._idle = self._idle, []
        for line in lines:
            line.close()


def _stands(sock: socket.socket | None) -> bool:
    """Whether nothing came on an idle connection: an end, or a reply that nobody waits for any more."""
    if sock is None:
        return False
    sock.settimeout(0)
    try:
        sock.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
