"""Servers on loopback that speak the wire format of Elasticsearch, OpenSearch and Qdrant, as documented.

They hold what a test gives them and compute their answers by brute force. They are no live servers: what is
tested is what our side sends, and that it reads what the documentation says comes back.
"""

import json
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit

import numpy as np
from tests.loopback import Quiet


class Wire:
    """``answer(method, path, body)`` gives (status, content); ``seen`` keeps (method, path, body, headers)."""

    mime = "application/json"
    product = ""  # as the header X-Elastic-Product tells

    def __init__(self):
        self.seen = []
        self.url = ""
        self.before = lambda _method, _path, _body: None  # (status, content) to answer otherwise

    def answer(self, method, path, body):
        raise NotImplementedError


@contextmanager
def serving(made):
    """Run a `Wire` in a thread."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def go(self):
            content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            path = urlsplit(self.path).path
            lines = [json.loads(line) for line in content.splitlines()] if path.endswith("_bulk") else None
            body = lines if lines is not None else json.loads(content) if content else None
            headers = {name.lower(): value for name, value in self.headers.items()}
            made.seen.append((self.command, path, body, headers))
            found = made.before(self.command, path, body) or made.answer(self.command, path, body)
            status, reply = found
            data = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Type", made.mime)
            if made.product:
                self.send_header("X-Elastic-Product", made.product)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        do_GET = do_POST = do_PUT = do_HEAD = go  # noqa: N815

        def log_message(self, *_):
            pass

    server = Quiet(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    made.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def inside(row, name):
    for part in name.split("."):
        row = row[part]
    return row


def ranked(rows, scores, k):
    """The *k* best of *rows*, each with its score."""
    order = np.argsort(-np.asarray(scores), kind="stable")[:k]
    return [(rows[i], float(scores[i])) for i in order]


class Elastic(Wire):
    """Indexes by name: ``mappings`` (their properties) and ``rows``."""

    def __init__(self):
        super().__init__()
        self.mappings, self.rows, self.partial = {}, {}, {}

    def answer(self, method, path, body):
        parts = path.strip("/").split("/")
        name = parts[0]
        if parts[-1] == "_bulk":
            return self.bulk(body)
        if parts == ["*", "_alias"]:
            return 200, {one: {"aliases": {}} for one in self.rows}
        if method == "PUT":
            self.mappings[name], self.rows[name] = body["mappings"]["properties"], {}
            return 200, {"acknowledged": True, "shards_acknowledged": True, "index": name}
        if name not in self.rows:
            reason = {"type": "index_not_found_exception", "reason": f"no such index [{name}]", "index": name}
            return 404, {"error": {"root_cause": [reason], **reason}, "status": 404}
        shards = {"total": 2, "successful": 2, "skipped": 0, "failed": 0, **self.partial}
        match parts[-1]:
            case "_mapping":
                return 200, {name: {"mappings": {"properties": self.mappings[name]}}}
            case "_count":
                return 200, {"count": len(self.rows[name]), "_shards": shards}
            case "_refresh":
                return 200, {"_shards": shards}
            case "_search":
                found = self.search(name, body)
                hits = [
                    {"_index": name, "_id": key, "_score": value, "_source": only(row, body["_source"])}
                    for (key, row), value in found
                ]
                total = {"value": len(hits), "relation": "eq"}
                most = hits[0]["_score"] if hits else None
                told = {"total": total, "max_score": most, "hits": hits}
                return 200, {"took": 3, "timed_out": False, "_shards": shards, "hits": told}
        return 200, {}

    def bulk(self, lines):
        items = []
        for head, row in zip(lines[::2], lines[1::2], strict=True):
            about = head["index"]
            self.rows[about["_index"]][about["_id"]] = row
            items.append({"index": {"_index": about["_index"], "_id": about["_id"], "status": 201}})
        return 200, {"took": 5, "errors": False, "items": items}

    def search(self, name, body):
        rows = list(self.rows[name].items())
        query, k = body.get("query", {}), body["size"]
        if "exists" in query:
            return [(one, 1.0) for one in rows[:k]]
        if "match" in query:
            ((field, asked),) = query["match"].items()
            text = asked["query"] if isinstance(asked, dict) else asked
            words = set(re.findall(r"\w+", text.lower()))
            bags = [re.findall(r"\w+", inside(row, field).lower()) for _, row in rows]
            scores = [float(sum(word in words for word in bag)) for bag in bags]
            return [one for one in ranked(rows, scores, k) if one[1] > 0]
        field, vector = self.asked(body)
        held = np.array([inside(row, field) for _, row in rows])
        cosine = held @ vector / np.linalg.norm(held, axis=1) / np.linalg.norm(vector)
        return ranked(rows, (1 + cosine) / 2, k)

    def asked(self, body):
        raise NotImplementedError


def only(row, names):
    """The parts of a document that ``_source`` names."""
    made = {}
    for name in names:
        first, _, rest = name.partition(".")
        if first in row:
            made[first] = {**made.get(first, {}), **only(row[first], [rest])} if rest else row[first]
    return made


class Elasticsearch(Elastic):
    mime = "application/vnd.elasticsearch+json;compatible-with=9"
    product = "Elasticsearch"

    def asked(self, body):
        if "knn" in body:
            return body["knn"]["field"], np.array(body["knn"]["query_vector"])
        script = body["query"]["script_score"]["script"]
        assert script["source"].startswith("cosineSimilarity(params.asked, '")
        return script["source"].split("'")[1], np.array(script["params"]["asked"])


class OpenSearch(Elastic):
    mime = "application/json; charset=UTF-8"

    def asked(self, body):
        query = body["query"]
        if "knn" in query:
            ((field, near),) = query["knn"].items()
            return field, np.array(near["vector"])
        script = query["script_score"]["script"]
        assert (script["source"], script["lang"]) == ("knn_score", "knn")
        assert script["params"]["space_type"] == "cosinesimil"
        return script["params"]["field"], np.array(script["params"]["query_value"])


class Qdrant(Wire):
    """One collection, ``texts``: ``rows`` of (payload, vector), compared by cosine."""

    def __init__(self, rows):
        super().__init__()
        self.rows = rows

    def answer(self, method, path, body):
        kept = [
            {"id": i + 1, "payload": payload, "vector": vector}
            for i, (payload, vector) in enumerate(self.rows)
        ]
        match path.removeprefix("/collections").removeprefix("/texts"):
            case "":
                return 200, self.told(
                    self.about() if path.endswith("texts") else {"collections": [{"name": "texts"}]}
                )
            case "/exists":
                return 200, self.told({"exists": True})
            case "/points/count":
                return 200, self.told({"count": len(kept)})
            case "/points/scroll":
                return 200, self.told({"points": kept[: body["limit"]], "next_page_offset": None})
            case "/points/query":
                query = body["query"]
                asked = np.array(query["nearest"] if isinstance(query, dict) else query)
                held = np.array([row["vector"] for row in kept])
                found = ranked(kept, held @ asked / np.linalg.norm(asked), body["limit"])
                points = [{**row, "version": 0, "score": value, "vector": None} for row, value in found]
                return 200, self.told({"points": points})
        return 404, {"status": {"error": f"Not found: {method} {path}"}, "time": 0.0}

    def about(self):
        size = len(self.rows[0][1])
        return {
            "status": "green",
            "optimizer_status": "ok",
            "indexed_vectors_count": 0,
            "points_count": len(self.rows),
            "segments_count": 1,
            "config": {
                "params": {"vectors": {"size": size, "distance": "Cosine"}, "shard_number": 1},
                "hnsw_config": {"m": 16, "ef_construct": 100, "full_scan_threshold": 10000},
                "optimizer_config": {
                    "deleted_threshold": 0.2,
                    "vacuum_min_vector_number": 1000,
                    "default_segment_number": 0,
                    "flush_interval_sec": 5,
                },
                "wal_config": {"wal_capacity_mb": 32, "wal_segments_ahead": 0},
            },
            "payload_schema": {},
        }

    def told(self, result):
        return {"result": result, "status": "ok", "time": 0.0001}
