"""A Ray cluster by the address of its client server, or a small one of our own."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from evenhand.engine.ordered_map import ordered
from evenhand.engine.port_probe import reach
from evenhand.engine.task_payload import Shared, TaskPayload, bundled, carried, packed
from evenhand.errors import InputError, MissingExtra
from evenhand.plugins import need

__all__ = ["Ray"]

A = TypeVar("A")
B = TypeVar("B")

AHEAD = 2  # items handed in for each core of the cluster
TRIES = 3  # times that Ray gives work to another worker when one is lost
WAITING = 0.25  # of a core: what work takes that waits for others
STORE = 200 * 2**20  # bytes of shared memory of a cluster of ours
MEND = "start one there (ray start --head; its client port is 10001), or give the address of one"


class Ray:
    """The workers of the Ray cluster at *address* (``host:port`` of its client server, 10001 by default).

    Without an address: a cluster on this machine, one worker a core, which ends with `close`; it has no
    dashboard, reports nothing to anybody and writes no token. Started or connected at the first map; where
    the process is connected to a cluster already, that one is used and left as it is. Work whose worker is
    lost is done again by another, three times. *paths*: see `evenhand.engine.task_payload.TaskPayload`.
    """

    def __init__(
        self, address: str = "", *, paths: Sequence[str | Path] = (), workers: int | None = None
    ) -> None:
        self.address = address
        self.paths = tuple(paths)
        self.workers = workers or os.cpu_count() or 1
        self._turn = threading.Lock()
        self._run: Any = None  # our function, as Ray wants it
        self._end: Callable[[], None] | None = None

    def map(
        self,
        work: Callable[..., B],
        items: Iterable[A],
        *,
        shared: Sequence[Any] = (),
        waits: bool = False,
    ) -> Iterator[B]:
        """See `evenhand.protocols.Engine`."""
        ray = self.open()
        sent = bundled(shared)
        # nested, so that it is fetched by workers that have it not yet
        held = [] if sent.small else [ray.put(sent)]
        run = self._run.options(num_cpus=WAITING) if waits else self._run
        cores = 1 if waits else max(1, int(ray.cluster_resources().get("CPU", 1)))

        def start(item: A) -> tuple[TaskPayload, Any]:
            parcel = packed(work, item, sent, paths=self.paths)
            return parcel, run.remote(parcel, held)

        def cancel(flight: tuple[TaskPayload, Any]) -> None:
            ray.cancel(flight[1])

        yield from ordered(items, start, self._result, cancel, ahead=AHEAD * cores)

    def open(self) -> Any:
        """The module ``ray``, connected now if it was not yet."""
        with self._turn:
            if self._run is None:
                self._connect()
            return need("ray", extra="ray")

    def close(self) -> None:
        """Let the cluster go; end it when it is ours."""
        with self._turn:
            end, self._end, self._run = self._end, None, None
        if end is not None:
            end()

    def _connect(self) -> None:
        if not self.address:
            os.environ.setdefault("RAY_AUTH_MODE", "disabled")
        ray = need("ray", extra="ray")
        if ray.is_initialized():
            if self.address:
                raise InputError(
                    f"this process is connected to another Ray cluster than {self.address}",
                    mend="ray.shutdown() first, or write ray:// to use the one that is there",
                )
        elif self.address:
            self._reached(ray)
            self._end = ray.shutdown
        else:
            self._started(ray)
        self._run = ray.remote(max_retries=TRIES, num_cpus=1)(_on_worker)

    def _reached(self, ray: Any) -> None:
        reach(self.address, kind="Ray", mend=MEND)
        if find_spec("grpc") is None:
            raise MissingExtra(
                "a Ray cluster by its address needs Ray's client, whose package grpcio is not installed",
                mend="pip install 'ray[client]'",
            )
        try:
            ray.init(f"ray://{self.address}", log_to_driver=False, logging_level="ERROR")
        except (OSError, RuntimeError, TimeoutError) as error:  # also other versions, which it names itself
            said = " ".join(str(error).split())[:300]
            raise InputError(
                f"the Ray cluster at {self.address} cannot be used: {said}", mend=MEND
            ) from error

    def _started(self, ray: Any) -> None:
        folder = tempfile.mkdtemp(prefix="eh-ray-")  # short: the names of its sockets have 107 letters
        atexit.register(
            shutil.rmtree, folder, ignore_errors=True
        )  # after Ray's own end, where it did not start
        try:
            ray.init(
                num_cpus=self.workers,
                include_dashboard=False,
                log_to_driver=False,
                logging_level="ERROR",
                object_store_memory=STORE,
                _temp_dir=folder,
                _node_ip_address="127.0.0.1",
            )
        except Exception as error:  # Ray raises no kind of its own; it waits for 30 s
            raise InputError(
                f"Ray did not start on this machine: {' '.join(str(error).split())[:200]}",
                mend="run again when the machine has less to do, or give the address of a cluster",
            ) from error

        def end() -> None:
            ray.shutdown()
            shutil.rmtree(folder, ignore_errors=True)

        self._end = end

    def _result(self, flight: tuple[TaskPayload, Any]) -> Any:
        ray = need("ray", extra="ray")
        fault = ray.exceptions
        parcel, reference = flight
        try:
            return ray.get(reference)
        except fault.RayTaskError as error:
            cause = error.cause
            raise (cause if isinstance(cause, Exception) else error) from None
        except fault.WorkerCrashedError as error:
            raise InputError(
                f"{parcel.name} has ended {TRIES + 1} workers, and is given up",
                mend="most often their memory was not enough: look into their logs",
            ) from error
        except fault.RayError as error:
            said = " ".join(str(error).split())[:200]
            raise InputError(
                f"{parcel.name} was lost on the Ray cluster: {said}",
                mend="look into its logs and run again: what is done is kept",
            ) from error


def _on_worker(parcel: TaskPayload, held: Sequence[Any]) -> Any:
    def fetch() -> Shared:
        shared: Shared = need("ray", extra="ray").get(held[0])
        return shared

    return carried(parcel, fetch if held else None)
