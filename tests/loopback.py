"""A server on loopback that answers as it is told, for endpoints of retrievers and of embeddings."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A client that gave up, or was killed, is what some tests are about."""


class Loopback:
    """``reply`` is called with what was asked and returns (status, content, headers); ``seen`` keeps it all."""

    def __init__(self):
        self.seen = []
        self.reply = lambda _asked: (200, {"hits": []}, {})
        self.url = ""

    @property
    def questions(self):
        return [asked.get("question") for _, asked, _ in self.seen]


@contextmanager
def serving():
    """Run a `Loopback` in a thread."""
    made = Loopback()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            made.seen.append((self.path, asked, self.headers.get("Authorization")))
            status, content, headers = made.reply(asked)
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

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
