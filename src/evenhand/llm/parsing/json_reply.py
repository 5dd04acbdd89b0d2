"""The JSON object in a model's reply: plain, in a fence, or with prose before it or after it.

Nothing is ever guessed out of prose: a reply without an object has none, one that breaks off in the middle
of its object has none, and so has one with two different objects that both would do. Neither does one that
may only be quoted count: an object with prose on both sides (outside a fence of its own), or one that stands
in the very text that the model was shown.

Reading is over before long, whatever the text is: it comes from outside, and no time a call may take holds
here. What would take more than so many looks at so many characters is no reply, and neither is an object of
more levels than any sheet asks for, which could not be written down.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from evenhand.llm.parsing.reasoning import without_reasoning
from evenhand.model.json_text import loads

if TYPE_CHECKING:
    from evenhand.model.call import Request

__all__ = ["MOST", "found", "lacking", "needed", "shown_in"]

MOST = 1_000_000  # characters; a longer reply is not read
LOOKS = 16 * MOST  # characters looked at by tries that failed: telling where one failed counts all before it
MENDED = 20_000  # characters that YAML reads: it takes a second for fifty thousand
DEEP = 100  # levels; json itself gives up near a thousand, and not at the same one for reading and writing
_FENCE = re.compile(r"```[^\n`]*\n(.*?)(?:```|\Z)", re.DOTALL)
_TAG = re.compile(r"```[^\n`]*|</?[A-Za-z_][\w:-]{0,40}>")  # around an object: no words
_SPACE = re.compile(r"\s+")
NONE = "the reply holds no JSON object"
_START = re.compile(r'\{[ \t\n\r]*(?:["}]|\Z)')  # how each object of JSON begins, and one that breaks off


class _Broken(Exception):
    """The text ends within an object, or is none that can be read."""


class _Twice(ValueError):
    """An object has a key twice, with different values."""


class _Piece(NamedTuple):
    """An object, and where it stands in the text (nowhere known, for one that was mended)."""

    thing: dict[str, Any]
    source: str
    start: int = -1
    end: int = -1


def found(text: str, schema: Mapping[str, Any] | None = None, *, shown: str = "") -> dict[str, Any] | None:
    """The one object in *text*, or None.

    With a *schema*, its ``required`` keys tell the object that was asked for from others (an echo of the
    schema, an example), and an object that is nearly JSON (single quotes, a comma too many, no quotes around
    keys) is mended; values are left as they came. What a reasoning model thinks aloud is not its reply, and
    neither is an object that stands in what the model was *shown*.
    """
    return _read(text, schema, shown)[0]


def lacking(text: str, schema: Mapping[str, Any] | None = None, *, shown: str = "") -> str:
    """Why `found` finds no object in *text*, in words."""
    thing, why = _read(text, schema, shown)
    if thing is not None:
        return "the chat gave no data, though its text holds an object"
    if why == NONE and _twice(without_reasoning(text)):
        return "the reply's JSON object has a key twice, with different values"
    return why


def shown_in(request: Request) -> str:
    """The texts that a request shows: what may be quoted from them is no reply."""
    return "\n".join(one.content for one in request.messages if one.role == "user")


def _read(text: str, schema: Mapping[str, Any] | None, shown: str) -> tuple[dict[str, Any] | None, str]:
    """The object, or None and why there is none."""
    if not text.strip():
        return None, "the reply is empty"
    if len(text) > MOST:
        return None, f"the reply is longer than {MOST:,} characters"
    said = without_reasoning(text).rstrip()
    if said != text.rstrip():
        said = _whole(text) or said
    if not said.strip():
        return None, "the reply is thinking aloud, and nothing after it"
    try:
        chosen = _chosen(said, needed(schema))
    except _Broken:
        return None, "the reply breaks off within its JSON object"
    if not chosen:
        return None, NONE
    if any(one.thing != chosen[0].thing for one in chosen):
        return None, "the reply holds two JSON objects that differ"
    if any(_planted(one, shown) for one in chosen):
        return None, "the reply's JSON object stands in the text that was to be judged"
    if _between_words(said, chosen):
        return None, "the reply's JSON object stands between other words, and may be a quotation"
    return chosen[0].thing, ""


def _whole(text: str) -> str:
    """*text* when it is one object and nothing else: then marks within its strings are its own words."""
    said = text.strip()
    try:
        end = _DECODER.raw_decode(said, 0)[1] if said.startswith("{") else 0
    except (ValueError, RecursionError):
        return ""
    return said if end == len(said) else ""


def _planted(one: _Piece, shown: str) -> bool:
    """Whether an object, or the beginning or a part of one, stands in *shown*, however it is laid out."""
    bare = _squeezed(one.source).rstrip("}")
    if "{" not in shown:
        return False
    return (len(bare) > 1 and bare in _squeezed(shown)) or any(
        all(key in other and other[key] == value for key, value in one.thing.items())
        for other in _within(shown)
        if one.thing
    )


def _within(shown: str) -> Iterator[dict[str, Any]]:
    """The objects of a text that was shown, also those within others; what is broken is passed over."""
    looked = 0
    for start in _START.finditer(shown):
        try:
            thing, end = _DECODER.raw_decode(shown, start.start())
        except json.JSONDecodeError as error:
            looked += error.pos
        except (ValueError, RecursionError):
            looked += len(shown)
        else:
            looked += end
            yield thing
        if looked > LOOKS:
            return


def _squeezed(text: str) -> str:
    return _SPACE.sub("", text).replace("'", '"')


def _between_words(text: str, chosen: list[_Piece]) -> bool:
    """Whether words stand before and after what was chosen; an object in the only fence is marked enough."""
    first, last = chosen[0], chosen[-1]
    if first.start < 0:
        place = text.find(first.source)
        first = last = first._replace(start=place, end=place + len(first.source))
    sides = (text[: first.start], text[last.end :])
    if all("```" in side for side in sides) and text.count("```") == 2:
        return False
    return all(re.search(r"\w", _TAG.sub("", side)) for side in sides)


def _chosen(text: str, keys: frozenset[str]) -> list[_Piece]:
    """The objects of *text* that may be the reply."""
    objects = list(_objects(text))
    chosen = [one for one in objects if keys <= one.thing.keys()] if keys else objects
    if not chosen and keys:
        chosen = list(_mended(_nearly(text), keys))
    return chosen or objects


def _twice(text: str) -> bool:
    """Whether what stands from the first brace on is an object with a key twice."""
    at = text.find("{")
    if at < 0:
        return False
    try:
        _DECODER.raw_decode(text, at)
    except json.JSONDecodeError:
        return False
    except _Twice:
        return True
    except (ValueError, RecursionError):
        return False
    return False


def needed(schema: Mapping[str, Any] | None) -> frozenset[str]:
    """The keys that an object of this schema must have."""
    named = (schema or {}).get("required", [])
    return frozenset(key for key in named if isinstance(key, str)) if isinstance(named, list) else frozenset()


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made and made[key] != value:
            raise _Twice(f"key {key!r} twice, with different values")
        made[key] = value
    return made


def _constant(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, strict=False)


def _objects(text: str) -> Iterator[_Piece]:
    """Every outermost object, from the left."""
    looked, start = 0, _START.search(text)
    while start is not None:
        at = start.start()
        end = at + 1
        try:
            made, end = _DECODER.raw_decode(text, at)
        except json.JSONDecodeError as error:
            # an object that began as JSON does and never ends: what stands inside it is not the reply
            if error.pos >= len(text) or error.msg.startswith("Unterminated string"):
                raise _Broken from error
            looked += error.pos
        except (ValueError, RecursionError):
            looked += len(text)
        else:
            if not _shallow(made):
                raise _Broken
            yield _Piece(made, text[at:end], at, end)
        if looked > LOOKS:
            raise _Broken
        start = _START.search(text, end)


def _shallow(thing: Any) -> bool:
    """Whether an object has no more levels than can be compared and written down; without recursion."""
    level = [thing]
    for _ in range(DEEP):
        level = [
            inner
            for one in level
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return True
    return False


def _nearly(text: str) -> list[str]:
    """What is worth mending: from the first brace to the last, in each fence and in the whole text.

    Nothing where the fences are too much: one that was left out might say something else. The whole text is
    left out alone.
    """
    fences = [_braced(place) for place in _FENCE.findall(text)]
    if sum(map(len, fences)) > MENDED:
        return []
    whole = _braced(text)
    return [place for place in (*fences, whole if len(whole) <= MENDED else "") if place]


def _braced(place: str) -> str:
    first, last = place.find("{"), place.rfind("}")
    return place[first : last + 1] if first >= 0 else ""


def _mended(places: list[str], keys: frozenset[str]) -> Iterator[_Piece]:
    """The objects that YAML's reading of braces finds; it takes what models commonly get wrong."""
    import yaml

    loader = _loader()
    for place in places:
        try:
            made = yaml.load(place, loader)  # noqa: S506 - a SafeLoader with less in it
            plain = loads(json.dumps(made, allow_nan=False)) == made
        except (yaml.YAMLError, ValueError, TypeError, RecursionError):
            continue
        if plain and isinstance(made, dict) and keys <= made.keys() and _shallow(made):
            yield _Piece(made, place)


@cache
def _loader() -> Any:
    """YAML with JSON's values (and Python's True, False, None), each key once, and no aliases."""
    import yaml

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise yaml.YAMLError("an alias")
            return super().compose_node(parent, index)

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:  # noqa: ARG002 - PyYAML's own
            pairs = [
                (self.construct_object(key, deep=True), self.construct_object(value, deep=True))
                for key, value in node.value
            ]
            return _pairs(pairs)

    for tag, form, firsts in (
        ("bool", r"^(?:true|True|false|False)$", "tTfF"),
        ("null", r"^(?:null|None)$", "nN"),
        ("int", r"^-?(?:0|[1-9][0-9]*)$", "-0123456789"),
        ("float", r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$", "-0123456789"),
    ):
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(form), list(firsts))
    return Loader
