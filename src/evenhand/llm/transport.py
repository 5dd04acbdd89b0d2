"""The line under the SDKs: no headers that describe this machine, no redirects, an end in time and size."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

__all__ = ["MOST", "client"]

MOST = 32_000_000  # bytes of a reply: more is no reply of a model
_TELLING = ("x-stainless-",)  # the SDKs' notes on operating system, machine and Python
_AMBIENT = (
    "openai-organization",
    "openai-project",
)  # an account's names are for that account's provider alone


def client(*, keyless: bool, ambient: bool) -> Any:
    """An ``httpx2.Client`` for an SDK, safe for many threads.

    ``keyless``: no key is sent at all. ``ambient``: the names of organisation and project that the
    environment holds may be sent.
    """
    import httpx2

    class Bounded(httpx2.SyncByteStream):
        """A body that ends with an error when it is late or too long."""

        def __init__(self, request: Any, inner: Any) -> None:
            self.request, self.inner = request, inner

        def __iter__(self) -> Iterator[bytes]:
            size, end = 0, self.request.extensions["evenhand.end"]
            for part in self.inner:
                size += len(part)
                if time.monotonic() > end:
                    raise httpx2.ReadTimeout("the reply trickled in too slowly", request=self.request)
                if size > MOST:
                    raise httpx2.ReadError(f"a reply of more than {MOST} bytes", request=self.request)
                yield part

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
        seconds = (request.extensions.get("timeout") or {}).get("read")
        request.extensions["evenhand.end"] = time.monotonic() + (seconds or 3600.0)

    def arriving(response: Any) -> None:
        response.stream = Bounded(response.request, response.stream)

    return httpx2.Client(
        follow_redirects=False,
        limits=httpx2.Limits(max_connections=1000, max_keepalive_connections=1000),
        event_hooks={"request": [leaving], "response": [arriving]},
    )
