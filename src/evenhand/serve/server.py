"""HTTP over a published site: GET and HEAD, strict headers, and caching by what can change.

Belongs here: requests and responses. Does not: which file a path names (tree), or what the API answers (api). A server
for reading and for tests on one machine: it has no TLS and no limit on clients, which a proxy in front of it has.

Source: interface contract, "Served paths".
"""

import os
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl

from evenhand.errors import EvenhandError
from evenhand.serve.api import Answer, Api, error
from evenhand.serve.tree import LATEST, LONGEST_PATH, Opened, Tree, decoded

_JSON = "application/json; charset=utf-8"
_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": _JSON,
    "sig": _JSON,
    "svg": "image/svg+xml",
    "csv": "text/csv; charset=utf-8",
    "xml": "application/atom+xml; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "cff": "text/plain; charset=utf-8",
    "SHA256SUMS": "text/plain; charset=utf-8",
}
_SECURITY = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_IMMUTABLE = "public, max-age=31536000, immutable"
_REVALIDATED = "no-cache"
_BLOCK = 1 << 16
_MOST_FIELDS = 32


class Handler(BaseHTTPRequestHandler):
    """One connection. `tree` and `api` are those of its server."""

    protocol_version = "HTTP/1.1"
    timeout = 30
    server: "Server"

    def do_GET(self) -> None:
        """A file, or the API's answer."""
        self._answer()

    def do_HEAD(self) -> None:
        """The same without its body."""
        self._answer()

    def _answer(self) -> None:
        if self.headers.get("Content-Length") or self.headers.get("Transfer-Encoding"):
            # What follows would be read as the next request.
            self.close_connection = True
        path, _, query = self.path.partition("?")
        parts = decoded(path)
        if len(path) > LONGEST_PATH:
            self._refuse(HTTPStatus.REQUEST_URI_TOO_LONG, "too_long")
        elif parts is None:
            self._refuse(HTTPStatus.NOT_FOUND, "not_found")
        elif parts[0] == "v1":
            self._api(parts[1:], query)
        elif parts == [""]:
            self._redirect(f"{LATEST}/")
        elif self.server.tree.needs_slash(parts):
            self._redirect(f"{parts[-1]}/")
        elif parts == ["restatements.html"]:
            # Its links are relative to the build.
            self._redirect(f"{LATEST}/restatements.html")
        else:
            self._file(parts)

    def _api(self, parts: list[str], query: str) -> None:
        try:
            pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict")
        except ValueError:
            self._json(error("invalid_query", HTTPStatus.BAD_REQUEST))
            return
        # Of a name that comes twice the first counts; one without a value is as if it were not there.
        self._json(self.server.api.answer(parts, {name: value for name, value in reversed(pairs) if value}))

    def _json(self, answer: Answer) -> None:
        headers = {"Content-Type": _JSON, "Cache-Control": _REVALIDATED, "Access-Control-Allow-Origin": "*"}
        if answer.build:
            headers["ETag"] = f'"{answer.build}"'
            if answer.status is HTTPStatus.OK and self._knows(answer.build):
                self._send(HTTPStatus.NOT_MODIFIED, headers)
                return
        self._send(answer.status, headers, answer.body)

    def _file(self, parts: list[str]) -> None:
        place = self.server.tree.place(parts)
        opened = self.server.tree.open(place.build, place.path) if place else None
        if place is None or opened is None:
            self._refuse(HTTPStatus.NOT_FOUND, "not_found")
            return
        headers = {
            "Content-Type": _TYPES.get(place.path.rsplit("/", 1)[-1].rsplit(".", 1)[-1], "application/octet-stream"),
            "Cache-Control": _IMMUTABLE if place.permanent else _REVALIDATED,
            # A build is never rewritten, so that its name is the version of each of its files.
            "ETag": f'"{place.build}"',
            "Access-Control-Allow-Origin": "*",
        }
        try:
            if self._knows(place.build):
                self._send(HTTPStatus.NOT_MODIFIED, headers)
            else:
                self._send_file(opened, headers)
        finally:
            os.close(opened.descriptor)

    def _knows(self, build: str) -> bool:
        return f'"{build}"' in self.headers.get("If-None-Match", "")

    def _send_file(self, opened: Opened, headers: Mapping[str, str]) -> None:
        self._head(HTTPStatus.OK, headers, opened.size)
        left = 0 if self.command == "HEAD" else opened.size
        while left:
            block = os.read(opened.descriptor, min(_BLOCK, left))
            if not block:
                # Shorter than was promised: only a closed connection tells the client.
                self.close_connection = True
                return
            self.wfile.write(block)
            left -= len(block)

    def _redirect(self, relative: str) -> None:
        self._send(HTTPStatus.FOUND, {"Location": relative, "Cache-Control": _REVALIDATED})

    def _refuse(self, status: HTTPStatus, word: str) -> None:
        self._json(error(word, status))

    def _send(self, status: HTTPStatus, headers: Mapping[str, str], body: bytes = b"") -> None:
        self._head(status, headers, len(body))
        if self.command != "HEAD" and body:
            self.wfile.write(body)

    def _head(self, status: HTTPStatus, headers: Mapping[str, str], size: int) -> None:
        self.send_response(status)
        for name, value in {**_SECURITY, **headers}.items():
            self.send_header(name, value)
        if status is not HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Length", str(size))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the standard library refuses, methods above all, in the form of every other error; no echo of input."""
        status = HTTPStatus(code)
        self.close_connection = True
        # A method that this server does not have exists; it is not for this resource.
        word = status.name.lower()
        if status is HTTPStatus.NOT_IMPLEMENTED:
            status, word = HTTPStatus.METHOD_NOT_ALLOWED, "method_not_allowed"
        body = error(word, status).body
        headers = {"Content-Type": _JSON, "Cache-Control": "no-store"}
        if status is HTTPStatus.METHOD_NOT_ALLOWED:
            headers["Allow"] = "GET, HEAD"
        self.command = self.command or "GET"
        self._send(status, headers, body)

    def version_string(self) -> str:
        """No version of anything."""
        return "evenhand"

    def log_message(self, *_: object) -> None:
        """No log: who reads the report is nobody's business."""


class Server(ThreadingHTTPServer):
    """The server of one tree."""

    daemon_threads = True

    def __init__(self, tree: Tree, host: str, port: int) -> None:
        """EvenhandError when the address cannot be had."""
        self.tree, self.api = tree, Api(tree)
        if ":" in host:
            import socket

            self.address_family = socket.AF_INET6
        try:
            super().__init__((host, port), Handler)
        except (OSError, OverflowError) as refused:
            reason = getattr(refused, "strerror", None) or str(refused)
            raise EvenhandError(
                f"{host} port {port} cannot be listened on: {reason}; choose another --host or --port"
            ) from refused

    def server_bind(self) -> None:
        """Without asking who this machine is by name, which can take seconds."""
        import socketserver

        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def handle_error(self, *_: object) -> None:
        """A client that went away in the middle is no error of ours."""

    @property
    def address(self) -> str:
        """Where it listens, to be opened."""
        name = f"[{self.server_name}]" if ":" in self.server_name else self.server_name
        return f"http://{name}:{self.server_port}/"
