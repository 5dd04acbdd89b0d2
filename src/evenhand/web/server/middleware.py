"""Around every request: who may be addressed, from where, how much; and the headers of every answer."""

from __future__ import annotations

import ipaddress
import logging
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException

from evenhand.web.desk.contexts import Message
from evenhand.web.server.headers import HEADERS
from evenhand.web.server.strict_json import json_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from starlette.types import ASGIApp, Receive, Scope, Send
    from starlette.types import Message as Sent

__all__ = ["MOST", "Guard"]

log = logging.getLogger("evenhand.web")
MOST = 2_000_000  # bytes of a request: some hundred answers with their evidence
SAFE = ("GET", "HEAD")


class Guard:
    """Refuses a Host not ours (DNS rebinding), an Origin other than the page's own, a body too large.

    ``hosts``: names by which the server may be called beside ``localhost`` and plain addresses, which no
    foreign name can pretend to be. Whatever goes wrong inside is answered with 500 and logged by its type
    alone: what an exception says could be what a judge may not see.
    ``warm``: what may be done before the first request.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: Iterable[str] = (),
        secure: bool = False,
        warm: Callable[[], None] = lambda: None,
    ) -> None:
        self.app = app
        self.hosts = {host.lower() for host in hosts} | {"localhost"}
        self.secure = secure
        self.warm = warm

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        begun = False
        head = scope["method"] == "HEAD"

        async def answer(sent: Sent) -> None:
            nonlocal begun
            if head and sent["type"] == "http.response.body":
                sent = {**sent, "body": b""}
            if sent["type"] == "http.response.start":
                begun = True
                sent["headers"] = self._headers(sent["headers"])
            await send(sent)

        problem = self._problem(scope)
        if problem is not None:
            await _refuse(answer, problem)
            return
        if head:  # answered as GET is, without the body
            scope = {**scope, "method": "GET", "evenhand.head": True}
        try:
            await self.app(scope, _limited(receive), answer)
        except Exception as error:  # noqa: BLE001 - nothing may come out
            log.error("%s %s", "fault while answering:", type(error).__name__)  # noqa: TRY400
            if not begun:
                await _refuse(answer, FAULT)

    def _headers(self, given: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        kept = [(name.lower(), value) for name, value in given]
        have = {name for name, _ in kept}
        ours = dict(HEADERS)
        ours.setdefault("cache-control", "no-store")
        if self.secure:
            ours["strict-transport-security"] = "max-age=31536000"
        return kept + [(n.encode(), v.encode()) for n, v in ours.items() if n.encode() not in have]

    def _problem(self, scope: Scope) -> Message | None:
        heads: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            heads.setdefault(name.lower(), []).append(value)
        named = heads.get(b"host", [])
        if len(named) != 1 or not self._ours(named[0].decode("latin-1")):
            return Message(
                status=421,
                what="this server is not called by that name",
                mend="open the link as it was given; the owner names hosts with --allow-host",
            )
        if scope["method"] in SAFE:
            return FOREIGN if _drawn_in(heads) else None
        scheme = "https" if self.secure else scope["scheme"]
        own = f"{scheme}://{named[0].decode('latin-1')}".lower()
        origin = [one.decode("latin-1").lower() for one in heads.get(b"origin", [])]
        if origin != [own] or heads.get(b"sec-fetch-site", [b"same-origin"]) != [b"same-origin"]:
            return Message(
                status=403, what="this did not come from a page of this server", mend="reload the page"
            )
        length = heads.get(b"content-length", [b"0"])[0]
        if not length.isdigit() or int(length) > MOST:
            return Message(status=413, what="the request is too large", mend="send less at a time")
        return None

    def _ours(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name.lower() in self.hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


def _drawn_in(heads: Mapping[bytes, list[bytes]]) -> bool:
    """Does a page of somewhere else load this as its picture, its frame, its script? A link is followed."""
    from_elsewhere = {*heads.get(b"sec-fetch-site", [])} & {b"cross-site", b"same-site"}
    followed = heads.get(b"sec-fetch-mode") == [b"navigate"] and heads.get(b"sec-fetch-dest") == [b"document"]
    return bool(from_elsewhere) and not followed


def _limited(receive: Receive) -> Receive:
    seen = 0

    async def taking() -> Sent:
        nonlocal seen
        got = await receive()
        seen += len(got.get("body", b""))
        if seen > MOST:
            raise HTTPException(413)
        return got

    return taking


async def _refuse(send: Send, message: Message) -> None:
    body = json_bytes(message)
    heads = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": message.status, "headers": heads})
    await send({"type": "http.response.body", "body": body})


FOREIGN = Message(
    status=403, what="a page of another place asked for this", mend="open the link itself, as it was given"
)
FAULT = Message(
    status=500,
    what="this is a fault of evenhand, not of yours",
    mend="reload the page; answers that were not saved are kept in this browser",
)
