"""Tables of PostgreSQL with the extension pgvector."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.errors import InputError, nearest
from evenhand.retrieve.indexes.fields import Fields, names_in
from evenhand.retrieve.indexes.index import Asked, Index, Look, address_of
from evenhand.retrieve.indexes.metric import check_metric, score
from evenhand.retrieve.indexes.retries import Fault
from evenhand.retrieve.indexes.sample import SAMPLED

if TYPE_CHECKING:
    from evenhand.protocols import Progress
    from evenhand.retrieve.indexes.upload import Filling

__all__ = ["PgVector"]

OPERATOR = {"cosine": "<=>", "dot": "<#>", "l2": "<->"}
PLANNED = 100  # hits that the planner is asked about
CLASS = {"cosine": "cosine", "ip": "dot", "l2": "l2"}  # of an index: vector_cosine_ops
TYPE = re.compile(r"(?P<kind>(?:\w+\.)?(?:vector|halfvec))(?:\((?P<size>\d+)\))?")


class _Served(NamedTuple):
    metric: str
    method: str  # hnsw or ivfflat


@dataclass(eq=False, kw_only=True)
class PgVector(Index):
    """A table with a column of vectors. ``key_env`` holds the password.

    ``vector`` is the column, where there are several. ``metric`` (cosine, dot, l2) is that of the column's
    index; without an index the embedder's. With ``exact`` no index is used; ``candidates`` is the beam of
    an HNSW index (``hnsw.ef_search``; 0: as the database has it, usually 40, and no more hits come back).
    """

    url: str = ""
    table: str = ""
    vector: str = ""
    metric: str = ""
    exact: bool = False
    candidates: int = 0
    name: str = "pgvector"

    retriever = "pgvector"
    label = "PostgreSQL"
    extra = "pgvector"
    package = "psycopg"
    keeps = "table"

    def __post_init__(self) -> None:
        self.where = address_of(self.url, ("postgresql", "postgres"))
        if self.metric:
            check_metric(self.metric)
        if self.candidates < 0 or (self.exact and self.candidates):
            raise InputError(
                f"candidates = {self.candidates}, exact = {str(self.exact).lower()} cannot be used",
                mend="give candidates from 1 for an approximate search, or exact = true",
            )
        super().__post_init__()
        self._column, self._type, self._metric, self._wide = self.vector, "vector", self.metric, 0

    @property
    def address(self) -> str:
        """Where it is, without user and password."""
        return self.where

    def more(self) -> dict[str, Any]:
        """Column, measure, and how exactly."""
        made: dict[str, Any] = {"exact": self.exact}
        made |= {key: getattr(self, key) for key in ("vector", "metric", "candidates") if getattr(self, key)}
        return made

    def connect(self, key: str) -> Any:
        """A connection in which each statement stands alone, and none takes longer than the timeout."""
        import psycopg
        from psycopg.conninfo import conninfo_to_dict

        given = conninfo_to_dict(self.url)
        # its driver opens sockets below Python's: whoever watches those hears of it here
        for host in str(given.get("host") or os.environ.get("PGHOST") or "").split(","):
            sys.audit("evenhand.connect", host)
        more: dict[str, Any] = {"password": key} if key else {}
        limit = f"-c statement_timeout={max(1, int(self.timeout * 1000))}"
        return psycopg.connect(
            self.url,
            autocommit=True,
            connect_timeout=max(2, round(self.timeout)),
            options=f"{given.get('options') or ''} {limit}".strip(),
            **more,
        )

    def look(self, client: Any, place: str) -> Look:
        """Columns, size, and the indexes of the column."""
        from psycopg import sql

        name = _identifier(place).as_string(client)
        found = client.execute(
            "SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnum FROM pg_attribute a "
            "WHERE a.attrelid = to_regclass(%s) AND a.attnum > 0 AND NOT a.attisdropped",
            [name],
        ).fetchall()
        if not found:
            raise self._missing(client, place)
        columns = {column: (kind, number) for column, kind, number in found}
        vectors = [column for column, (kind, _) in columns.items() if TYPE.fullmatch(kind)]
        self._column = self._chosen(vectors, columns, place)
        kind, number = columns[self._column]
        told = TYPE.fullmatch(kind)
        self._type = told["kind"] if told else "vector"
        served = self._served(client, name, number)
        self._metric = self.metric or (served[0].metric if served else "cosine")
        if len({one.metric for one in served}) > 1 and not self.metric:
            raise InputError(
                f"{self._named(place)} has indexes for {' and '.join(sorted({s.metric for s in served}))}",
                mend='say which is meant: metric = "cosine"',
            )
        column = sql.Identifier(self._column)
        of = sql.SQL("SELECT * FROM {} WHERE {} IS NOT NULL LIMIT 20").format(_identifier(place), column)
        rows = client.execute(of)
        names = [one.name for one in rows.description]
        known = set(columns)
        row = [dict(zip(names, values, strict=True)) for values in rows.fetchall()]
        if not row:
            raise InputError(f"{self._named(place)} is empty", mend="fill it first, or check the name")
        for one in row:
            known.update(names_in(one))
        count = sql.SQL("SELECT count({}), max(vector_dims({})) FROM {}").format(
            column, column, _identifier(place)
        )
        pieces, wide = client.execute(count).fetchone()
        self._wide = int(wide or 0)
        serving = [one for one in served if one.metric == self._metric]
        return Look(
            fields=known - {self._column},
            pieces=int(pieces),
            search=self._how(client, place, serving),
            metric=self._metric,
            dimensions=self._wide,
        )

    def _how(self, client: Any, place: str, serving: list[_Served]) -> str:
        """How the planner goes about it: it passes by an index where the table is small."""
        name = {"hnsw": "HNSW", "ivfflat": "IVFFlat"}.get(serving[0].method, "") if serving else ""
        if self.exact:
            return f"exact: the index ({name}) is not used" if name else "exact: no index is used"
        from psycopg import sql

        probe = "[" + ",".join(["1"] * self._wide) + "]"
        with client.transaction():
            self._set(client)
            rows = client.execute(
                sql.SQL("EXPLAIN ") + self._query(place, [self._column]), [probe, probe, PLANNED]
            ).fetchall()
        if not any("Index Scan" in line for (line,) in rows):
            return "exact: the planner uses no index" if name else f"exact: no index serves {self._metric}"
        return f"approximate: {name or 'an index'}"

    def _chosen(self, vectors: list[str], columns: Any, place: str) -> str:
        if self.vector:
            if self.vector not in vectors:
                what = "is no vector" if self.vector in columns else "is not there"
                raise InputError(
                    f"column {self.vector!r} of {self._named(place)} {what}",
                    mend=nearest(self.vector, vectors)
                    if vectors
                    else "name a table with a column of vectors",
                )
            return self.vector
        if len(vectors) != 1:
            raise InputError(
                f"{self._named(place)} has {len(vectors)} columns of vectors",
                mend=f"vector = one of: {', '.join(sorted(vectors))}"
                if vectors
                else "name a table with a column of vectors",
            )
        return vectors[0]

    def _missing(self, client: Any, place: str) -> InputError:
        rows = client.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
            "WHERE c.relkind IN ('r', 'p', 'v', 'm') AND format_type(a.atttypid, NULL) ~ '(vector|halfvec)$'"
        ).fetchall()
        known = sorted({name for (name,) in rows})
        return InputError(
            f"{self.label} at {self.address} has no table {place!r}",
            mend=nearest(place, known)
            if known
            else "no table there has a column of vectors: check the address",
        )

    def _served(self, client: Any, name: str, number: int) -> list[_Served]:
        """The measures that an index on the column serves."""
        rows = client.execute(
            "SELECT o.opcname, m.amname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
            "JOIN pg_am m ON m.oid = c.relam JOIN pg_opclass o ON o.oid = i.indclass[0] "
            "WHERE i.indrelid = to_regclass(%s) AND i.indkey[0] = %s AND i.indisvalid AND i.indpred IS NULL "
            "ORDER BY c.relname",
            [name, number],
        ).fetchall()
        found = [(re.fullmatch(r"(?:vector|halfvec)_(\w+)_ops", opclass), method) for opclass, method in rows]
        return [_Served(CLASS[m[1]], method) for m, method in found if m is not None and m[1] in CLASS]

    def put(self, client: Any, filling: Filling, progress: Progress) -> None:
        """Make the table and insert what is not there yet."""
        from psycopg import sql

        if client.execute("SELECT to_regtype('vector')").fetchone()[0] is None:
            raise InputError(
                f"{self.label} at {self.address} has no type vector in this database",
                mend="whoever owns it runs: CREATE EXTENSION vector",
            )
        table = sql.Identifier(filling.name)
        client.execute(
            sql.SQL(
                "CREATE TABLE IF NOT EXISTS {} (unit text PRIMARY KEY, doc text NOT NULL, "
                '"start" bigint NOT NULL, "end" bigint NOT NULL, "text" text NOT NULL, embedding vector({}))'
            ).format(table, sql.Literal(filling.dimensions))
        )
        if client.execute(sql.SQL("SELECT count(*) FROM {}").format(table)).fetchone()[0] == len(filling):
            return
        insert = sql.SQL("INSERT INTO {} VALUES (%s, %s, %s, %s, %s, %s::vector) ON CONFLICT DO NOTHING")
        for batch in filling.batches(progress):
            rows = [(*piece.fields.values(), _literal(piece.vector)) for piece in batch]
            with client.cursor() as cursor:
                cursor.executemany(insert.format(table), rows)

    def nearest(self, client: Any, place: str, asked: Asked, fields: Fields) -> list[Any]:
        """Order by the distance."""
        literal = _literal(asked.vector)
        with client.transaction():
            self._set(client)
            rows = client.execute(self._query(place, fields.tops), [literal, literal, asked.k]).fetchall()
        hits = []
        for *values, far in rows:
            value = score(1.0 - far if self._metric == "cosine" else -far)
            if value is None:
                continue  # the cosine of a row of zeros: it has no direction, and is in no ranking
            hits.append(fields.hit(dict(zip(fields.tops, values, strict=True)), value))
        return hits

    def _query(self, place: str, columns: Sequence[str]) -> Any:
        """*columns* and the distance, nearest first; takes the vector twice, and how many."""
        from psycopg import sql

        operator = sql.SQL(OPERATOR[self._metric])
        far = sql.SQL("{} {} %s::{}").format(sql.Identifier(self._column), operator, sql.SQL(self._type))
        return sql.SQL("SELECT {}, {} FROM {} ORDER BY {} LIMIT %s").format(
            sql.SQL(", ").join(map(sql.Identifier, columns)), far, _identifier(place), far
        )

    def _set(self, client: Any) -> None:
        """Settings of one transaction."""
        from psycopg import sql

        if self.exact:
            client.execute("SET LOCAL enable_indexscan = off")
            client.execute("SET LOCAL enable_bitmapscan = off")
        if self.candidates:
            client.execute(sql.SQL("SET LOCAL hnsw.ef_search = {}").format(sql.Literal(self.candidates)))

    def sample(self, client: Any, place: str, fields: Fields) -> list[tuple[str, Sequence[float]]]:
        """The first rows."""
        from psycopg import sql

        if "text" not in fields.of:
            return []
        query = sql.SQL("SELECT {}, {}::text FROM {} WHERE {} IS NOT NULL LIMIT {}").format(
            sql.SQL(", ").join(map(sql.Identifier, fields.tops)),
            sql.Identifier(self._column),
            _identifier(place),
            sql.Identifier(self._column),
            sql.Literal(SAMPLED),
        )
        held: list[tuple[str, Sequence[float]]] = []
        for *values, vector in client.execute(query).fetchall():
            text = fields.hit(dict(zip(fields.tops, values, strict=True)), None).get("text")
            if isinstance(text, str) and text:
                held.append((text, [float(part) for part in vector.strip("[]").split(",")]))
        return held

    def fault(self, error: Exception) -> Fault:
        """Connections and time-outs may be tried again; what the database refuses may not."""
        import psycopg

        state = str(getattr(error, "sqlstate", "") or "")
        if isinstance(error, psycopg.errors.QueryCanceled):
            return Fault("no answer in time", again=True)
        if isinstance(error, psycopg.OperationalError):
            if state.startswith("28") or "password authentication failed" in str(error):
                return Fault("it lets nobody in by this name and password", refused=True)
            if state.startswith("3D") or ('database "' in str(error) and "does not exist" in str(error)):
                return Fault("there is no such database", refused=True)
            if self._client is not None and self._client.closed:
                self._client = None  # the next try makes another
            return Fault("no connection", there=bool(state), again=True)
        if isinstance(error, psycopg.errors.InsufficientPrivilege):
            return Fault("no permission", refused=True)
        return Fault(type(error).__name__, refused=isinstance(error, psycopg.ProgrammingError))


def _identifier(place: str) -> Any:
    from psycopg import sql

    return sql.Identifier(*place.split("."))


def _literal(vector: Sequence[float]) -> str:
    return "[" + ",".join(repr(part) for part in vector) + "]"
