"""What of a text from outside may be shown: no key of the environment, nothing that looks like a key."""

from __future__ import annotations

import os
import re

__all__ = ["in_line", "keys", "may_be_key", "secret", "without_keys"]

SECRETS = ("KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD")  # in names of variables that hold one
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# keys as the services write them; a variable's name begins otherwise
_KEYS = re.compile(
    r"\b(?:sk|pk|rk|gsk|hf|xai|pplx|nvapi|r8|ghp)[-_][A-Za-z0-9_*-]{6,}|\bAIza[A-Za-z0-9_-]{16,}"
)
LEAST = 6  # letters of a secret: a shorter word occurs everywhere
LONG = 20  # characters from which on capitals, small letters and digits, all mixed, are no name


def secret(name: str) -> bool:
    """Whether something of this name is likely to hold a secret; ``key_env`` only names where one is."""
    return name != "key_env" and any(word in name.upper() for word in SECRETS)


def keys() -> dict[str, str]:
    """What of the environment is likely to be a secret, by name; the longest first: one may begin another."""
    held = {name: value.strip() for name, value in os.environ.items() if secret(name)}
    long = {name: value for name, value in held.items() if len(value.removeprefix("Bearer ")) >= LEAST}
    return dict(sorted(long.items(), key=lambda pair: -len(pair[1])))


def without_keys(text: str) -> str:
    """*text* without the values of the environment's keys and without what looks like a key of a service."""
    for value in keys().values():
        text = text.replace(value.removeprefix("Bearer "), "…")
    return _KEYS.sub(lambda found: found[0][:3] + "…", text)


def in_line(text: str, most: int) -> str:
    """The beginning of what came from outside: one line, no key, nothing for a terminal to obey."""
    words = without_keys(text)
    return " ".join("".join(sign if sign.isprintable() else " " for sign in words).split())[:most]


def may_be_key(text: str) -> bool:
    """Whether *text*, which should name a variable of the environment, is rather a key itself."""
    if not _NAME.fullmatch(text) or _KEYS.fullmatch(text):
        return True
    mixed = any(c.isupper() for c in text) and any(c.islower() for c in text) and any(map(str.isdigit, text))
    return mixed and len(text) >= LONG
