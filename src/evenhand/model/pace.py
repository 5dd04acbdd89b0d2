"""How long a stage of work still takes, by how fast it went of late."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

__all__ = ["WINDOW", "Remaining"]

WINDOW = 60.0  # seconds over which the pace is taken: what a cache gave at once says nothing of what follows
SOON = 1.0  # seconds before which nothing is said


@dataclass
class Remaining:
    """One stage. A count that is lower than the one before is a stage of that name that begins anew."""

    begun: float = 0.0
    _seen: deque[tuple[float, int]] = field(default_factory=deque)

    def tell(self, now: float, done: int, total: int) -> float | None:
        """Seconds until *total* are done; None where that is not known. *now* is a monotonic clock's."""
        if not self._seen or done < self._seen[-1][1]:
            self._seen.clear()
            self.begun = now
        if not self._seen or now > self._seen[-1][0]:
            self._seen.append((now, done))
        else:
            self._seen[-1] = (now, done)
        while len(self._seen) > 2 and now - self._seen[1][0] > WINDOW:
            self._seen.popleft()
        since, before = self._seen[0]
        if done <= before or done >= total or now - since < SOON:
            return None
        return (now - since) * (total - done) / (done - before)
