"""The line to a server without TLS: a local one answers in milliseconds, and an SDK costs two each call.

``pycurl``, which talks outside the interpreter's lock: the threads of a lane hinder each other only in what
is ours. Errors are named as ``httpx2`` names them. Servers behind a proxy of the environment are not asked
by it.
"""

from __future__ import annotations

import io
import json
import select
import sys
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from evenhand.llm.clients.transport import MOST, PACKINGS, unpacked
from evenhand.model.json_text import loads
from evenhand.plugins import need

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
        return loads(self.content)


class Plain:
    """Posts JSON to *base_url*; used from many threads, each call with a connection for itself."""

    def __init__(self, base_url: str, headers: Mapping[str, str]) -> None:
        self._curl = need("pycurl", extra="llm")
        parts = urlsplit(base_url)
        self._host = parts.hostname
        self._base = f"http://{parts.netloc}{parts.path.rstrip('/')}"
        # an empty Expect: the body goes out at once, and not after the server has asked for it
        told = {"Accept": "application/json", "Content-Type": "application/json", "User-Agent": "evenhand"}
        self._headers = ["Expect:", *(f"{name}: {value}" for name, value in {**told, **headers}.items())]
        self._idle: list[_Connection] = []
        self._closed = False

    def post(self, path: str, body: Mapping[str, Any], seconds: float) -> Answer:
        """The answer to a POST within *seconds*; raises an ``httpx2.TransportError``."""
        sys.audit("evenhand.connect", self._host)  # libcurl does not tell Python of what it opens
        data = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = _Connection(self._curl, self._headers)
        try:
            return connection.post(self._base + path, data, seconds)
        except self._curl.error as error:
            wrong = connection.named(error)
        finally:
            self._idle.append(connection)  # after an error libcurl itself has ended what stood
            if self._closed:
                self.close()
        raise wrong  # out here, so that it has no other error behind it

    def close(self) -> None:
        """Let go of the idle connections, and of the others as they become idle."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()


class _Connection:
    """A handle of libcurl, which keeps its connection; one thread at a time uses it."""

    def __init__(self, curl: Any, headers: list[str]) -> None:
        self._curl, self._handle = curl, curl.Curl()
        self._lines: list[bytes] = []
        self._parts: list[bytes] = []
        self._size = 0
        for option, value in (
            (curl.HTTPHEADER, headers),
            (curl.POST, 1),
            (curl.NOSIGNAL, 1),
            (curl.PROXY, ""),
            (curl.HEADERFUNCTION, self._lines.append),
            (curl.WRITEFUNCTION, self._more),
        ):
            self._handle.setopt(option, value)

    def post(self, url: str, data: bytes, seconds: float) -> Answer:
        """The answer; raises a ``pycurl.error``."""
        curl, handle = self._curl, self._handle
        self._lines.clear()
        self._size = 0
        handle.setopt(curl.FRESH_CONNECT, int(_ended(handle.getinfo(curl.ACTIVESOCKET))))
        handle.setopt(curl.URL, url.encode())
        # from a stream that cannot be rewound: libcurl must not send a second time what may have been heard
        handle.setopt(curl.READFUNCTION, io.BytesIO(data).read)
        handle.setopt(curl.POSTFIELDSIZE_LARGE, len(data))
        handle.setopt(curl.TIMEOUT_MS, max(1, round(1000 * seconds)))
        handle.setopt(curl.CONNECTTIMEOUT_MS, max(1, round(1000 * min(seconds, CONNECT))))
        try:
            handle.perform()
            headers = self._headers()
            return Answer(handle.getinfo(curl.RESPONSE_CODE), headers, _whole(headers, self._parts))
        finally:
            self._parts.clear()

    def named(self, error: Exception) -> Exception:
        """The ``httpx2.TransportError`` that an error of `post` is."""
        import httpx2

        curl, (code, said) = self._curl, error.args
        if code == curl.E_OPERATION_TIMEDOUT:
            if self._handle.getinfo(curl.PRETRANSFER_TIME) > 0:
                return httpx2.ReadTimeout("no answer in time")
            return httpx2.ConnectTimeout("no connection in time")
        if code in (curl.E_COULDNT_CONNECT, curl.E_COULDNT_RESOLVE_HOST):
            return httpx2.ConnectError(said)
        if code == curl.E_WRITE_ERROR:
            return httpx2.ReadError(f"a reply of more than {MOST} bytes")
        if code == curl.E_SEND_FAIL_REWIND:
            return httpx2.ReadError("the connection ended before an answer came")
        ended = (curl.E_GOT_NOTHING, curl.E_PARTIAL_FILE, curl.E_RECV_ERROR, curl.E_SEND_ERROR)
        return (httpx2.ReadError if code in ended else httpx2.RemoteProtocolError)(said)

    def close(self) -> None:
        """End the connection."""
        self._handle.close()

    def _more(self, part: bytes) -> int:
        """Take a part of the body; a number that is not its length ends the call."""
        self._size += len(part)
        if self._size > MOST:
            return 0
        self._parts.append(part)
        return len(part)

    def _headers(self) -> dict[str, str]:
        """The headers of the last answer: there may be interim ones before it."""
        found: dict[str, str] = {}
        for line in self._lines:
            name, colon, value = line.decode("latin-1").partition(":")
            if name.startswith("HTTP/"):
                found.clear()
            elif colon:
                found[name] = value.strip()
        return found


def _whole(headers: Mapping[str, str], parts: list[bytes]) -> bytes:
    """The body, unpacked where a header says that it is packed: some servers pack without being asked."""
    import httpx2

    packing = next((text for name, text in headers.items() if name.lower() == "content-encoding"), "").lower()
    if packing in ("", "identity"):
        return b"".join(parts)
    if packing not in PACKINGS:
        raise httpx2.ReadError(f"packed as {packing[:40]!r}, unasked")
    held, size = [], 0
    try:
        for piece in unpacked(parts, packing):
            size += len(piece)
            if size > MOST:
                raise httpx2.ReadError(f"a reply of more than {MOST} bytes")
            held.append(piece)
    except zlib.error as error:
        raise httpx2.ReadError(f"not the {packing} it says: {error}") from None
    return b"".join(held)


def _ended(socket: int) -> bool:
    """Whether the other side has ended an idle connection, on which there is nothing to be read otherwise."""
    if socket < 0:  # there is none
        return False
    if not hasattr(select, "poll"):  # pragma: no cover - Windows
        return bool(select.select([socket], [], [], 0)[0])
    look = select.poll()
    look.register(socket, select.POLLIN)
    return bool(look.poll(0))
