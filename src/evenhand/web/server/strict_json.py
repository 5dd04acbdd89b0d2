"""JSON that every parser takes: no NaN, no infinity, and nothing beyond ASCII."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, is_dataclass
from typing import Any

__all__ = ["json_bytes"]


def json_bytes(thing: Any) -> bytes:
    """Strict JSON in ASCII. A number that is not finite becomes null and is named under ``undefined``."""
    undefined: dict[str, str] = {}
    content = _finite(asdict(thing) if is_dataclass(thing) and not isinstance(thing, type) else thing, "",
                      undefined)  # fmt: skip
    if undefined:
        content = {**content, "undefined": undefined} if isinstance(content, dict) else content
    # ASCII, because half a surrogate pair has no UTF-8 and must still reach the browser as it is
    return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


def _finite(thing: Any, path: str, undefined: dict[str, str]) -> Any:
    if isinstance(thing, float) and not math.isfinite(thing):
        undefined[path] = "not defined"
        return None
    if isinstance(thing, dict):
        return {str(k): _finite(v, f"{path}.{k}" if path else str(k), undefined) for k, v in thing.items()}
    if isinstance(thing, (list, tuple)):
        return [_finite(v, f"{path}.{i}" if path else str(i), undefined) for i, v in enumerate(thing)]
    return thing
