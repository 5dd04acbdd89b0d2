"""Who may come in: tokens are given out once, and only their hashes are kept."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

from sqlalchemy import Connection, select

from evenhand.model.judging import Access
from evenhand.store import schema as s
from evenhand.store.rows import access_of, add, unknown

__all__ = ["accesses", "admit", "grant", "revoke"]


def grant(connection: Connection, name: str, role: str, *, at: str) -> tuple[Access, str]:
    """A new access and its token of 256 random bits."""
    token = secrets.token_urlsafe(32)
    made = Access(id=secrets.token_hex(10), name=name, role=role, at=at)
    row = {"id": made.id, "name": name, "role": role, "at": at, "token_sha256": _hash(token)}
    connection.execute(s.access.insert(), [row])
    return made, token


def admit(connection: Connection, token: str) -> Access | None:
    """Whose token this is; None when nobody's, or revoked."""
    # 256 random bits cannot be searched for, so a plain hash will do, and looking it up leaks nothing
    found = accesses(connection, s.access.c.token_sha256 == _hash(token))
    return found[0] if found and not found[0].revoked else None


def revoke(connection: Connection, access: str, *, at: str) -> None:
    """End an access; a second end changes nothing."""
    if connection.execute(select(s.access.c.id).where(s.access.c.id == access)).first() is None:
        raise unknown("access", access)
    add(connection, s.revocation, [{"access": access, "at": at}])


def accesses(connection: Connection, *only: Any) -> list[Access]:
    """All that were granted, in order."""
    joined = s.access.outerjoin(s.revocation, s.revocation.c.access == s.access.c.id)
    query = select(s.access, s.revocation.c.at.label("revoked")).select_from(joined).where(*only)
    rows = connection.execute(query.order_by(s.access.c.number)).all()
    return [access_of(row, row.revoked) for row in rows]


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
