"""Whether anything listens at the address of a cluster."""

from __future__ import annotations

import socket

from evenhand.errors import InputError

__all__ = ["reach"]

SECONDS = 5.0


def reach(place: str, *, kind: str, mend: str) -> None:
    """Raise InputError when nothing takes a connection at *place*, ``host:port``."""
    host, _, port = place.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=SECONDS):
            return
    except (OSError, OverflowError, UnicodeError) as error:
        said = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise InputError(f"no {kind} cluster answers at {place}: {said}", mend=mend) from error
