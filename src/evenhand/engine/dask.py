"""A Dask cluster by the address of its scheduler, or a small one of our own."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from logging import CRITICAL
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar
from uuid import uuid4

from evenhand.engine.ordered_map import ordered
from evenhand.engine.port_probe import reach
from evenhand.engine.task_payload import Shared, TaskPayload, about, bundled, carried, differs, packed
from evenhand.errors import InputError
from evenhand.plugins import need

__all__ = ["Dask"]

A = TypeVar("A")
B = TypeVar("B")

AHEAD = 2  # items handed in for each thread of the cluster
LOOK = 5.0  # seconds between looks at whether there are workers at all
PATIENCE = 60.0  # seconds without any worker until it is given up
AGAIN = 5  # times that an item is handed in when what it needs is lost with a worker
MEND = "start a scheduler and workers there (dask scheduler, dask worker), or give the address of one"


@dataclass(slots=True)
class _Flight:
    parcel: TaskPayload
    future: Any
    round: int  # which copy of the shared things it was given
    tries: int = 1


class Dask:
    """The workers of the Dask scheduler at *address* (``host:port``).

    Without an address: processes of this machine, one a core, which end with `close`; they have no dashboard.
    Connected at the first map. Work whose worker is lost is done again by another; Dask gives work up that
    has ended three workers. *paths*: see `evenhand.engine.task_payload.TaskPayload`. May be used from several
    threads.
    """

    def __init__(
        self, address: str = "", *, paths: Sequence[str | Path] = (), workers: int | None = None
    ) -> None:
        self.address = address
        self.paths = tuple(paths)
        self.workers = workers or os.cpu_count() or 1
        self._turn = threading.Lock()
        self._client: Any = None
        self._cluster: Any = None

    def map(
        self,
        work: Callable[..., B],
        items: Iterable[A],
        *,
        shared: Sequence[Any] = (),
        waits: bool = False,
    ) -> Iterator[B]:
        """See `evenhand.protocols.Engine`."""
        client = self.client()
        sent = _Sent(client, bundled(shared), _waiting if waits else carried)
        threads = 1 if waits else max(1, sum(client.nthreads().values()))

        def start(item: A) -> _Flight:
            return sent.off(packed(work, item, sent.shared, paths=self.paths))

        try:
            yield from ordered(items, start, sent.result, _cancel, ahead=AHEAD * threads)
        finally:
            sent.held = None

    def client(self) -> Any:
        """The client of the cluster, connected now if it was not yet; its workers are checked then."""
        with self._turn:
            if self._client is None:
                self._client = self._connected()
            return self._client

    def close(self) -> None:
        """Let the cluster go; end it when it is ours."""
        with self._turn:
            client, cluster, self._client, self._cluster = self._client, self._cluster, None, None
        if client is not None:
            client.close()
        if cluster is not None:
            cluster.close()

    def _connected(self) -> Any:
        distributed = need("distributed", extra="dask")
        if self.address:
            reach(self.address, kind="Dask", mend=MEND)
            where: Any = f"tcp://{self.address}"
        else:
            where = self._cluster = distributed.LocalCluster(
                n_workers=self.workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                # its HTTP server: no dashboard, any free port of loopback, and not 8787 of all addresses
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                memory_limit=0,
                silence_logs=CRITICAL,  # what is lost is done again, and what fails is told once, by us
            )
        try:
            client = distributed.Client(where, timeout=10, set_as_default=False, name="evenhand")
        except OSError as error:
            raise InputError(
                f"no Dask scheduler answers at {self.address}: {_line(error)}", mend=MEND
            ) from error
        try:
            self._check(client)
        except BaseException:  # an interrupt, too: nothing of ours stays behind
            client.close()
            if self._cluster is not None:
                self._cluster.close()
                self._cluster = None
            raise
        return client

    def _check(self, client: Any) -> None:
        """There are workers, with the versions that are here."""
        try:
            client.wait_for_workers(1, timeout=LOOK * 2)
        except TimeoutError as error:
            raise InputError(
                f"the Dask scheduler at {self.address} has no workers",
                mend=f"start some: dask worker tcp://{self.address or 'host:port'}",
            ) from error
        for name, found in client.get_versions(packages=["evenhand"])["workers"].items():
            packages = found["packages"]
            python = ".".join(str(packages["python"]).split(".")[:2])
            wrong = differs(
                (packages.get("evenhand") or "(not installed)", python), about(), worker=f"worker {name}"
            )
            if wrong is not None:
                raise wrong


class _Sent:
    """The parcels of one map: what they share is put on the workers once, and again when it was lost."""

    def __init__(self, client: Any, shared: Shared, run: Callable[..., Any]) -> None:
        self.client, self.shared, self.run = client, shared, run
        self.held: Any = None  # a future of the shared things, where they are large
        self.round = 0
        self._scatter()

    def _scatter(self) -> None:
        if self.shared.small:
            return
        try:
            self.client.wait_for_workers(1, timeout=PATIENCE)
            self.held = self.client.scatter(self.shared, broadcast=True, hash=False, timeout=PATIENCE)
        except TimeoutError as error:
            raise _alone() from error
        self.round += 1

    def off(self, parcel: TaskPayload) -> _Flight:
        return _Flight(parcel, self._submit(parcel), self.round)

    def _submit(self, parcel: TaskPayload) -> Any:
        import dask

        self._alive(None)
        # an item of a few MB is meant: it is sent once, and kept by the scheduler for a worker that is lost
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"}):
            key = f"evenhand-{parcel.name.rpartition(':')[2]}-{uuid4().hex}"
            return self.client.submit(self.run, parcel, self.held, key=key, pure=False)

    def result(self, flight: _Flight) -> Any:
        """The result of one parcel, however often it has to be handed in."""
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        while True:
            try:
                return self._awaited(flight)
            except KilledWorker as error:
                raise InputError(
                    f"{flight.parcel.name} has ended one worker after the other, and is given up",
                    mend="most often their memory was not enough: look into their logs",
                ) from error
            except CancelledError as error:  # a worker took the shared things with it
                self._alive(error)
                if flight.tries >= AGAIN:
                    raise InputError(
                        f"{flight.parcel.name} was lost {flight.tries} times: {_line(error)}",
                        mend="look into the logs of the scheduler and its workers",
                    ) from error
                if flight.round == self.round:
                    self._scatter()
                flight.tries += 1
                flight.future, flight.round = self._submit(flight.parcel), self.round

    def _awaited(self, flight: _Flight) -> Any:
        alone: float | None = None
        while True:
            try:
                return flight.future.result(timeout=LOOK)
            except TimeoutError as error:
                if flight.future.status != "pending":
                    raise  # the work's own
                self._alive(error)
                if self.client.nthreads():
                    alone = None
                elif alone is None:
                    alone = monotonic()
                elif monotonic() - alone > PATIENCE:
                    raise _alone() from error

    def _alive(self, error: BaseException | None) -> None:
        if self.client.status != "running":
            raise InputError(
                f"the Dask scheduler is gone: {_line(error) if error else self.client.status}",
                mend="start it and run again: what is done is kept",
            ) from error


def _alone() -> InputError:
    return InputError(
        f"the Dask cluster has had no worker for {PATIENCE:.0f} s",
        mend="start workers and run again: what is done is kept",
    )


def _waiting(parcel: TaskPayload, held: Shared | None = None) -> Any:
    """Work that waits for others: it leaves its place to work that needs a core."""
    from distributed import secede

    secede()  # type: ignore[no-untyped-call]
    return carried(parcel, held)


def _cancel(flight: _Flight) -> None:
    if flight.future.client.status == "running":
        flight.future.cancel()


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
