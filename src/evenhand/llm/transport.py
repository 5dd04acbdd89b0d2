"""The line under all that asks over HTTP: no headers that describe this machine, an end in time and size."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator
from typing import Any

__all__ = ["BULK", "MOST", "client"]

MOST = 32_000_000  # bytes of a reply, unpacked: more is no reply of a model
BULK = 16 * MOST  # of the results of a batch, which are ten thousand replies
SECONDS = 5.0  # httpx's own, by which an SDK sees that its own holds
PIECE = 1 << 16  # bytes unpacked at a time
_TELLING = ("x-stainless-",)  # the SDKs' notes on operating system, machine and Python
_AMBIENT = (
    "openai-organization",
    "openai-project",
)  # an account's names are for that account's provider alone


def client(*, keyless: bool = False, ambient: bool = True, most: int = MOST, timeout: float = SECONDS) -> Any:
    """An ``httpx2.Client``, safe for many threads; no body it gives has more than *most* bytes.

    ``keyless``: no key is sent at all. ``ambient``: the names of organisation and project that the
    environment holds may be sent. ``timeout``: seconds a request may take that does not say so itself, as
    an SDK's do. Redirects are not followed.
    """
    import httpx2

    class Bounded(httpx2.SyncByteStream):
        """A body as it is once unpacked; ends with an error when it is late, too long, or packed unasked."""

        def __init__(self, response: Any) -> None:
            self.request, self.inner = response.request, response.stream
            self.packing = response.headers.pop("content-encoding", "identity").strip().lower()

        def __iter__(self) -> Iterator[bytes]:
            size, end = 0, self.request.extensions["evenhand.end"]
            for part in self._parts():
                size += len(part)
                if time.monotonic() > end:
                    raise httpx2.ReadTimeout("the reply trickled in too slowly", request=self.request)
                if size > most:
                    raise httpx2.ReadError(f"a reply of more than {most} bytes", request=self.request)
                yield part

        def _parts(self) -> Iterator[bytes]:
            if self.packing in ("identity", ""):
                yield from self.inner
            elif self.packing in ("gzip", "x-gzip"):
                try:
                    yield from _unpacked(self.inner)
                except zlib.error as error:
                    raise httpx2.ReadError(f"not the gzip it says: {error}", request=self.request) from error
            else:
                raise httpx2.ReadError(f"packed as {self.packing[:40]!r}, unasked", request=self.request)

        def close(self) -> None:
            self.inner.close()

    def leaving(request: Any) -> None:
        for name in list(request.headers):
            low = name.lower()
            if low.startswith(_TELLING) or (low in _AMBIENT and not ambient):
                del request.headers[name]
            if keyless and low in ("authorization", "x-api-key"):
                del request.headers[name]
        request.headers["User-Agent"] = "evenhand"
        request.headers["Accept-Encoding"] = "gzip"
        seconds = (request.extensions.get("timeout") or {}).get("read")
        request.extensions["evenhand.end"] = time.monotonic() + (seconds or 3600.0)

    def arriving(response: Any) -> None:
        response.stream = Bounded(response)

    return httpx2.Client(
        follow_redirects=False,
        limits=httpx2.Limits(max_connections=1000, max_keepalive_connections=1000),
        event_hooks={"request": [leaving], "response": [arriving]},
        timeout=timeout,
    )


def _unpacked(parts: Iterator[bytes]) -> Iterator[bytes]:
    """What gzip packed, a piece at a time: a thousand bytes may stand for a million."""
    packed = zlib.decompressobj(zlib.MAX_WBITS | 16)
    for part in parts:
        left = part
        while left and not packed.eof:
            yield packed.decompress(left, PIECE)
            left = packed.unconsumed_tail
    yield packed.flush()
