"""The line under all that asks over HTTP: no headers that describe this machine, an end in time and size."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

__all__ = ["BULK", "MOST", "PACKINGS", "client", "unpacked"]

MOST = 32_000_000  # bytes of a reply, unpacked: more is no reply of a model
BULK = 16 * MOST  # of the results of a batch, which are ten thousand replies
SECONDS = 5.0  # httpx's own, by which an SDK sees that its own holds
PIECE = 1 << 16  # bytes unpacked at a time
PACKINGS = ("gzip", "x-gzip", "deflate")  # that are unpacked; gzip alone is asked for
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
            elif self.packing in PACKINGS:
                try:
                    yield from unpacked(self.inner, self.packing)
                except zlib.error as error:
                    what = f"not the {self.packing} it says: {error}"
                    raise httpx2.ReadError(what, request=self.request) from error
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


def unpacked(parts: Iterable[bytes], packing: str) -> Iterator[bytes]:
    """What one of `PACKINGS` packed, a piece at a time: a thousand bytes may stand for a million.

    Deflate comes with zlib's two bytes before it, as the standard has it, or bare, as some servers send it.
    """
    packed: Any = None
    held = b""
    for part in parts:
        left = held + part
        if packed is None and packing == "deflate" and len(left) < 2:
            held = left
            continue
        if packed is None:
            bare = packing == "deflate" and (left[0] & 15 != 8 or int.from_bytes(left[:2]) % 31)
            packed = zlib.decompressobj(-zlib.MAX_WBITS if bare else zlib.MAX_WBITS | 32)
        held = b""
        while left and not packed.eof:
            yield packed.decompress(left, PIECE)
            left = packed.unconsumed_tail
    if packed is not None:
        yield packed.flush()
        if not packed.eof:
            raise zlib.error("it ends before its end")
