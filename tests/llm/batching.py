"""A server on loopback with the batches of OpenAI and of Anthropic, in the shapes their SDKs' types describe."""

import json
import threading
from contextlib import contextmanager
from datetime import UTC, datetime
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.llm.faulty import says


class Shop:
    """``end(id)`` lets a batch end; ``spoil`` maps custom ids to what comes instead of a reply."""

    def __init__(self):
        self.url = ""
        self.files = {}
        self.batches = {}
        self.asked = []  # every request that was handed in, by custom id
        self.spoil = {}
        self.fail = None  # (status, message) of the next hand-in
        self.text = '{"grade": 2}'  # of every reply
        self.seen = []  # the models that were asked one by one
        self.swallow = False  # the next hand-in is taken, and its answer lost

    def end(self, name=None, status="completed"):
        for key in [name] if name else list(self.batches):
            self.batches[key]["status"] = status

    def take(self, kind, lines, **more):
        name = f"{'batch' if kind == 'openai' else 'msgbatch'}_{len(self.batches) + 1}"
        self.batches[name] = {
            "kind": kind,
            "lines": lines,
            "status": "in_progress",
            "at": datetime.now(UTC),
            **more,
        }
        self.asked += [one["custom_id"] for one in lines]
        return name


class Seen:
    claude = False

    def __init__(self, body):
        self.body = body


class SeenClaude(Seen):
    claude = True


def _openai(shop, name):
    one = shop.batches[name]
    ended, n = one["status"] != "in_progress", len(one["lines"])
    bad = sum(line["custom_id"] in shop.spoil for line in one["lines"])
    output = ended and one["status"] == "completed" and n > bad
    return {
        "id": name, "object": "batch", "endpoint": "/v1/chat/completions", "input_file_id": one["file"],
        "completion_window": "24h", "status": one["status"], "created_at": int(one["at"].timestamp()),
        "output_file_id": f"file-out-{name}" if output else None,
        "error_file_id": f"file-err-{name}" if ended and one["status"] == "completed" and bad else None,
        "errors": {"object": "list", "data": [{"code": "x", "message": "the file is not right", "line": 1, "param": None}]}
        if one["status"] == "failed" else None,
        "request_counts": {"total": n, "completed": n - bad if ended else 0, "failed": bad if ended else 0},
        "metadata": one["metadata"],
    }  # fmt: skip


def _claude(shop, name):
    one = shop.batches[name]
    ended, n = one["status"] != "in_progress", len(one["lines"])
    bad = sum(line["custom_id"] in shop.spoil for line in one["lines"])
    return {
        "id": name, "type": "message_batch", "processing_status": "ended" if ended else "in_progress",
        "request_counts": {"processing": 0 if ended else n, "succeeded": n - bad if ended else 0,
                           "errored": bad if ended else 0, "canceled": 0, "expired": 0},
        "created_at": one["at"].isoformat().replace("+00:00", "Z"), "expires_at": "2099-01-01T00:00:00Z",
        "ended_at": "2026-11-30T12:00:00Z" if ended else None, "archived_at": None, "cancel_initiated_at": None,
        "results_url": f"{shop.url}/v1/messages/batches/{name}/results" if ended else None,
    }  # fmt: skip


def _output(shop, name, *, errors):
    rows = []
    for line in shop.batches[name]["lines"]:
        spoiled = shop.spoil.get(line["custom_id"])
        if bool(spoiled) != errors:
            continue
        body = json.loads(says(shop.text).content(Seen(line["body"])))
        response = {"status_code": 200, "request_id": "r", "body": body}
        if spoiled:
            response = {"status_code": 400, "request_id": "r", "body": {"error": {"message": spoiled}}}
        rows.append({"id": "x", "custom_id": line["custom_id"], "response": response, "error": None})
    return "".join(json.dumps(row) + "\n" for row in reversed(rows))


def _results(shop, name):
    rows = []
    for line in shop.batches[name]["lines"]:
        result = {
            "type": "succeeded",
            "message": json.loads(says(shop.text).content(SeenClaude(line["params"]))),
        }
        spoiled = shop.spoil.get(line["custom_id"])
        if spoiled == "expired":
            result = {"type": "expired"}
        elif spoiled:
            error = {"type": "invalid_request_error", "message": spoiled}
            result = {"type": "errored", "error": {"type": "error", "error": error, "request_id": None}}
        rows.append({"custom_id": line["custom_id"], "result": result})
    return "".join(json.dumps(row) + "\n" for row in reversed(rows))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        shop, raw = self.server.shop, self.rfile.read(int(self.headers["Content-Length"]))
        path = self.path.split("?")[0]
        if path == "/v1/files":
            head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
            parts = message_from_bytes(head + raw).get_payload()
            text = next(part.get_payload(decode=True) for part in parts if part.get_filename())
            name = f"file-{len(shop.files) + 1}"
            shop.files[name] = text.decode()
            return self.say(
                {
                    "id": name,
                    "object": "file",
                    "bytes": len(text),
                    "created_at": 1,
                    "filename": "f",
                    "purpose": "batch",
                    "status": "processed",
                }
            )
        if path.endswith("/chat/completions"):
            body = json.loads(raw)
            shop.seen.append(body["model"])
            return self.say(json.loads(says(shop.text).content(Seen(body))))
        if shop.fail:
            status, message = shop.fail
            return self.say({"error": {"type": "error", "message": message}}, status)
        body = json.loads(raw)
        if path == "/v1/batches":
            lines = [json.loads(line) for line in shop.files[body["input_file_id"]].split("\n") if line]
            name = shop.take("openai", lines, file=body["input_file_id"], metadata=body["metadata"])
            said = _openai(shop, name)
        else:
            assert path == "/v1/messages/batches"
            name = shop.take("claude", body["requests"])
            said = _claude(shop, name)
        if shop.swallow:
            shop.swallow = False
            self.close_connection = True
            return None
        return self.say(said)

    def do_GET(self):
        shop, path = self.server.shop, self.path.split("?")[0]
        part = path.split("/")
        if path == "/v1/batches":
            rows = [_openai(shop, name) for name in reversed(shop.batches)]
            return self.say({"object": "list", "data": rows, "has_more": False})
        if path == "/v1/messages/batches":
            rows = [_claude(shop, name) for name in reversed(shop.batches)]
            return self.say({"data": rows, "has_more": False, "first_id": None, "last_id": None})
        if path.startswith("/v1/batches/"):
            return self.say(_openai(shop, part[-1]))
        if path.startswith("/v1/files/"):
            kind, name = part[3].removeprefix("file-").split("-", 1)
            return self.say(_output(shop, name, errors=kind == "err"))
        if path.endswith("/results"):
            return self.say(_results(shop, part[-2]))
        return self.say(_claude(shop, part[-1]))

    def say(self, content, status=200):
        data = content.encode() if isinstance(content, str) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header(
            "Content-Type", "application/json" if not isinstance(content, str) else "application/binary"
        )
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True


@contextmanager
def batching():
    shop = Shop()
    server = Server(("127.0.0.1", 0), Handler)
    server.shop = shop
    shop.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield shop
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
