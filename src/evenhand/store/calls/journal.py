"""The journal of calls to models: what was paid for once is never asked again.

One line a call: checksum, kind, key, outcome, and the rest as canonical JSON (the exact request, the reply
as it came, seals, tokens, price, times). The key is the seal over the model's seal and the request's, which
holds content, prompt, parameters and repeat index. Only keys and places are held in memory.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from evenhand.errors import InputError
from evenhand.model.seal import seal
from evenhand.store.append_log import Appended, checked
from evenhand.store.calls import lines
from evenhand.store.calls.in_flight import Claims
from evenhand.store.calls.record import Recorded, plain

__all__ = ["FOLDER", "Calls", "call_key"]

FOLDER, FILE = "calls", "calls.jsonl"
UNDER_WAY = "under-way"  # beside it: which calls are being made, see `Claims`
CALL, NOTE = b"call", b"note"


def call_key(model: str, request: str) -> str:
    """What names a call: the seal over the seals of model and request."""
    return seal(["call/1", model, request])


class Calls:
    """The journal in the cache folder *root* (``.evenhand/``); it is made with the first call.

    Of a key, the first outcome that is the model's own (a reply, cut off, refused) holds for good; a fault
    holds until another line of its key. Threads and processes may share it: what another process writes is
    seen by the next look for a key that is not there. ``torn`` counts lines that could not be believed.
    """

    def __init__(self, root: str | Path) -> None:
        self.root = Path(root)
        if self.root.exists() and not self.root.is_dir():
            raise InputError(
                f"the cache {self.root} is not a folder", mend="name a folder, or one to be made"
            )
        self.file = Appended(self.root / FOLDER / FILE)
        self._claims = Claims(self.root / FOLDER / UNDER_WAY)
        self.torn = 0
        self._places: dict[bytes, int] = {}  # half a key → twice the place, and one if it is a fault
        self._notes: dict[str, dict[str, dict[str, Any]]] = {}
        self._lock = threading.Lock()
        self._seen = 0  # bytes of the file that the index knows
        self._gap = False  # another process has written between lines of ours
        self._catch_up()

    def __len__(self) -> int:
        return len(self._places)

    def get(self, key: str) -> Recorded | None:
        """The call under *key* as it stands; None when it was never made."""
        place = self._place(lines.half(key))
        if place is None:
            return None
        found = lines.read(self.file.at(place // 2))
        if found is None or found[1] != key:
            raise InputError(
                f"{self.file.path} was changed under a run that uses it",
                mend="run again; what stands in it is kept",
            )
        return Recorded.of_json(key, found[2], found[3])

    def state(self, key: str) -> str:
        """``"stands"``, ``"fault"`` or ``""`` (never made), without reading the call."""
        place = self._place(lines.half(key))
        return "" if place is None else ("fault" if place % 2 else "stands")

    def claim(self, key: str) -> str:
        """Before a call is made: ``"ours"`` until `release`; or why it is not to be made now.

        ``"theirs"``: another process is at it; ``"stands"``: it was made meanwhile.
        """
        if not self._claims.take(key):
            return "theirs"
        if self.state(key) != "stands":  # looked at last: whoever made it has let go of it by now
            return "ours"
        self._claims.release(key)
        return "stands"

    def release(self, key: str) -> None:
        """A call that was ours has ended, and is in the journal if a reply came."""
        self._claims.release(key)

    def add(self, made: Recorded) -> None:
        """Hand a call to the system: it outlives this process from now on, and the machine after `sync`."""
        try:
            line = lines.line(CALL, made.call.key, made.call.outcome, made.to_json())
        except ValueError:
            line = lines.line(CALL, made.call.key, made.call.outcome, plain(made.to_json()))
        half, fault = lines.half(made.call.key), made.call.outcome == "fault"

        def told(start: int, end: int) -> None:
            with self._lock:
                self._index(half, start, fault=fault)
                self._passed(start, end)

        self.file.add(line, told)

    def sync(self) -> None:
        """Return when all that was added is on the disk; one flush serves all threads that wait."""
        self.file.sync()

    def note(self, shelf: str, key: str, content: dict[str, Any]) -> None:
        """Keep plain JSON under a key of a shelf, durably; the last one holds (batches, for one)."""
        line = lines.line(NOTE, seal([shelf, key]), "note", {"shelf": shelf, "key": key, **content})

        def told(start: int, end: int) -> None:
            with self._lock:
                self._notes.setdefault(shelf, {})[key] = content
                self._passed(start, end)

        self.file.add(line, told)
        self.sync()

    def notes(self, shelf: str) -> dict[str, dict[str, Any]]:
        """All notes of a shelf by key, in the order in which their keys came."""
        self._look()
        with self._lock:
            return dict(self._notes.get(shelf, {}))

    def lines(self) -> Iterator[tuple[Recorded, int]]:
        """Every call that was written, whether it still holds or not, with its bytes in the file."""
        for _, line in self.file.lines():
            found = lines.read(line)
            if found is not None and found[0] == CALL:
                yield Recorded.of_json(found[1], found[2], found[3]), len(line)

    def standing(self) -> Iterator[Recorded]:
        """The call that holds under each key, in the order in which they were written."""
        for half in sorted(self._places, key=lambda half: self._places[half]):
            found = lines.read(self.file.at(self._places[half] // 2))
            if found is not None:
                yield Recorded.of_json(found[1], found[2], found[3])

    def recent(self, size: int = 4 << 20) -> Iterator[Recorded]:
        """The calls in the last *size* bytes: what models were like of late."""
        for _, line in self.file.lines(max(0, self.file.size - size)):
            found = lines.read(line)  # the first line is most likely cut, and passed over
            if found is not None and found[0] == CALL:
                yield Recorded.of_json(found[1], found[2], found[3])

    def keep(self, wanted: Any) -> int:
        """Rewrite the file with the calls of which ``wanted(recorded)`` is true; how many went.

        Notes stay. Refused while another process has the journal open.
        """
        gone = 0

        def kept() -> Iterator[bytes]:
            nonlocal gone
            for _, line in self.file.lines():
                found = lines.read(line)
                if found is None:
                    continue
                if found[0] == CALL and not wanted(Recorded.of_json(found[1], found[2], found[3])):
                    gone += 1
                else:
                    yield line

        if not self.file.path.exists():
            return 0
        with self.file.writing, self._lock:
            self.file.rewrite(kept())
            self._places, self._notes, self._seen, self.torn = {}, {}, 0, 0
            self._catch_up()
        return gone

    def close(self) -> None:
        """Let go of the file."""
        self.sync()
        self.file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def _place(self, half: bytes) -> int | None:
        """Twice the place of what holds, and one if it is a fault; None when there is nothing."""
        with self._lock:
            place = self._places.get(half)
        # what our own threads are about to tell is no news, and not waited for
        if place is None and (self._gap or self.file.size > max(self._seen, self.file.ahead)):
            self._look()
            with self._lock:
                place = self._places.get(half)
        return place

    def _look(self) -> None:
        """Take in what other processes wrote."""
        with self.file.writing, self._lock:
            if self.file.size > self._seen:
                self._catch_up()

    def _passed(self, start: int, end: int) -> None:
        """A line of ours stands there; when nobody else wrote meanwhile, all up to it is known."""
        if start - self._seen in (0, 1):  # 1: the blank line before a group
            self._seen = end
        elif start > self._seen:
            self._gap = True

    def _catch_up(self) -> None:
        """Take into the index what was written since: by us before, or by another process."""
        self._gap = False
        for place, line in self.file.lines(self._seen):
            if line == b"\n":
                self._seen = place + 1
                continue
            body = checked(line)
            if body is None:
                if not line.endswith(b"\n"):
                    return  # perhaps another process is at it: looked at again
                self.torn += 1
            elif body.startswith(NOTE):
                _, _, _, content = lines.parts(body)
                shelf, key = content.pop("shelf"), content.pop("key")
                self._notes.setdefault(shelf, {})[key] = content
            else:
                _, key, outcome, _ = body.split(b" ", 3)
                self._index(bytes.fromhex(key[:32].decode()), place, fault=outcome == b"fault")
            self._seen = place + len(line)

    def _index(self, half: bytes, place: int, *, fault: bool) -> None:
        held = self._places.get(half)
        if held is None or held % 2:
            self._places[half] = 2 * place + fault
