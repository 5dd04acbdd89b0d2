"""Tables of LanceDB in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, nearest
from evenhand.retrieve.indexes.fields import Fields, names_in
from evenhand.retrieve.indexes.index import Asked, Index, Look
from evenhand.retrieve.indexes.metric import check_metric, score
from evenhand.retrieve.indexes.retries import Fault
from evenhand.retrieve.indexes.sample import SAMPLED

if TYPE_CHECKING:
    from evenhand.protocols import Progress
    from evenhand.retrieve.indexes.upload import Filling

__all__ = ["LanceDB"]

MOST = 10_000  # names of tables that are looked at
DISTANCE = "_distance"


@dataclass(eq=False, kw_only=True)
class LanceDB(Index):
    """A table of LanceDB in the folder ``path``.

    ``vector`` is the column, where there are several. ``metric`` (cosine, dot, l2) is that of the column's
    index; without an index the embedder's. With ``exact`` the index is passed by.
    """

    path: str = ""
    table: str = ""
    vector: str = ""
    metric: str = ""
    exact: bool = False
    name: str = "lancedb"

    retriever = "lancedb"
    label = "LanceDB"
    extra = "lancedb"
    package = "lancedb"
    keeps = "table"
    mend = "this error is LanceDB's own: check the folder, and that it may be read"

    def __post_init__(self) -> None:
        if not self.path or "://" in self.path:
            raise InputError(
                f"path is {self.path.partition('://')[0]!r}" + "://…" * ("://" in self.path),
                mend='write path = "a folder", relative to the study file',
            )
        if self.metric:
            check_metric(self.metric)
        super().__post_init__()
        self._column, self._metric = self.vector, self.metric

    @property
    def address(self) -> str:
        """The folder, as written."""
        return self.path

    def more(self) -> dict[str, Any]:
        """Column, measure, and how exactly."""
        made: dict[str, Any] = {"exact": self.exact}
        return {**made, **{key: getattr(self, key) for key in ("vector", "metric") if getattr(self, key)}}

    def connect(self, key: str) -> Any:
        """A connection; the folder must be there, unless it is to be filled."""
        import lancedb

        del key
        folder = self.base / self.path
        if not self.fill and not folder.is_dir():
            raise InputError(
                f"there is no folder {self.path} of LanceDB", mend="paths are relative to the study file"
            )
        return lancedb.connect(str(folder))

    def look(self, client: Any, place: str) -> Look:
        """Columns, size, and the index of the column."""
        known = self._tables(client)
        if place not in known:
            raise InputError(
                f"{self.label} at {self.address} has no table {place!r}",
                mend=nearest(place, known) if known else "it has none at all: check the path",
            )
        table = client.open_table(place)
        width = {one.name: getattr(one.type, "list_size", None) for one in table.schema}
        vectors = [column for column, size in width.items() if size]
        self._column = self._chosen(vectors, list(width), place)
        rows = table.head(20).to_pylist()
        if not rows:
            raise InputError(f"{self._named(place)} is empty", mend="fill it first, or check the name")
        served = [
            (str(stats.distance_type).lower(), str(stats.index_type))
            for one in table.list_indices()
            if list(one.columns) == [self._column] and (stats := table.index_stats(one.name)) is not None
        ]
        self._metric = self.metric or (served[0][0] if served else "cosine")
        serving = [kind for metric, kind in served if metric == self._metric]
        if not serving:
            how = f"exact: no index serves {self._metric}"
        else:
            how = (
                f"exact: the index ({serving[0]}) is passed by"
                if self.exact
                else f"approximate: {serving[0]}"
            )
        return Look(
            fields=set(width) | {name for row in rows for name in names_in(row)} - {self._column},
            pieces=int(table.count_rows()),
            search=how,
            metric=self._metric,
            dimensions=int(width[self._column] or 0),
        )

    def _tables(self, client: Any) -> list[str]:
        if callable(listed := getattr(client, "list_tables", None)):
            return [str(name) for name in listed(limit=MOST).tables]
        return [str(name) for name in client.table_names(limit=MOST)]

    def _chosen(self, vectors: list[str], columns: list[str], place: str) -> str:
        if self.vector and self.vector not in vectors:
            what = "is no vector" if self.vector in columns else "is not there"
            raise InputError(
                f"column {self.vector!r} of {self._named(place)} {what}",
                mend=nearest(self.vector, vectors) if vectors else "name a table with a column of vectors",
            )
        if not self.vector and len(vectors) != 1:
            raise InputError(
                f"{self._named(place)} has {len(vectors)} columns of vectors",
                mend=f"vector = one of: {', '.join(sorted(vectors))}"
                if vectors
                else "name a table with a column of vectors",
            )
        return self.vector or vectors[0]

    def put(self, client: Any, filling: Filling, progress: Progress) -> None:
        """Make the table in one piece, or finish one that was begun."""
        import pyarrow as pa

        schema = pa.schema(
            [
                *(pa.field(name, pa.string()) for name in ("unit", "doc")),
                *(pa.field(name, pa.int64()) for name in ("start", "end")),
                pa.field("text", pa.string()),
                pa.field("vector", pa.list_(pa.float32(), filling.dimensions)),
            ]
        )
        if filling.name in self._tables(client):
            table = client.open_table(filling.name)
        else:
            table = client.create_table(filling.name, schema=schema, exist_ok=True)
        if table.count_rows() == len(filling):
            return
        for batch in filling.batches(progress):
            rows = [{**piece.fields, "vector": piece.vector} for piece in batch]
            content = pa.Table.from_pylist(rows, schema=schema)
            table.merge_insert("unit").when_not_matched_insert_all().execute(content)

    def nearest(self, client: Any, place: str, asked: Asked, fields: Fields) -> list[Any]:
        """Search the table."""
        import numpy as np

        vector = np.asarray(asked.vector, dtype=np.float32)
        query = client.open_table(place).search(vector, vector_column_name=self._column, query_type="vector")
        query = query.distance_type(self._metric).limit(asked.k).select([*fields.tops, DISTANCE])
        if self.exact:
            query = query.bypass_vector_index()
        # distances of cosine and dot are 1 less the product
        less = 0.0 if self._metric == "l2" else 1.0
        found = [(row, score(less - row[DISTANCE])) for row in query.to_list()]
        # the cosine of a row of zeros is no number: it has no direction, and is in no ranking
        return [fields.hit(row, value) for row, value in found if value is not None]

    def sample(self, client: Any, place: str, fields: Fields) -> list[tuple[str, Sequence[float]]]:
        """The first rows."""
        if "text" not in fields.of:
            return []
        held = []
        for row in client.open_table(place).head(SAMPLED).to_pylist():
            text = fields.hit(row, None).get("text")
            if isinstance(text, str) and text and row[self._column]:
                held.append((text, row[self._column]))
        return held

    def fault(self, error: Exception) -> Fault:
        """Files on this machine: no try helps that did not help before."""
        return Fault(type(error).__name__)

    def shut(self, client: Any) -> None:
        """Nothing is open between searches."""
