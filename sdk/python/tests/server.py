"""A server for tests: each request is handed to a function."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ox_sdk import Ox


class Server:
    """Answers requests by ``answer(handler, body)`` until it is closed; ``asked`` holds what was asked."""

    def __init__(self, answer):
        self.asked = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one(self):
                size = int(self.headers.get("Content-Length", 0))
                body = json.loads(self.rfile.read(size)) if size else None
                server.asked.append((self.command, self.path, body, dict(self.headers)))
                answer(self, body)

            do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = handle_one

            def log_message(self, *_):
                pass

            def open(self):
                """Begins a stream of events."""
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()

            def chunk(self, data):
                data = data.encode() if isinstance(data, str) else data
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                self.wfile.flush()

            def finish_stream(self):
                self.wfile.write(b"0\r\n\r\n")

            def drop(self):
                """Breaks the connection."""
                self.close_connection = True
                self.connection.close()

            def json(self, value, status=200):
                data = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                """Clients of these tests go away in the middle."""

        self.http = Quiet(("127.0.0.1", 0), Handler)
        self.ox = Ox(f"http://127.0.0.1:{self.http.server_address[1]}/", "secret")
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()
