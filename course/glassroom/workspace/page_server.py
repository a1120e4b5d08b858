"""Small servers for pages that a browser opens: `glassroom mark` and `glassroom present`. A page for this machine alone
is served to whoever knows the token in its address. No address is written anywhere.
"""

from __future__ import annotations

import json
import secrets
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HERE = "127.0.0.1"
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Replies(BaseHTTPRequestHandler):
    """Reads what a browser sends and replies with pages and JSON."""

    protocol_version = "HTTP/1.1"
    timeout = 60

    def sent(self, most: int) -> bytes | None:
        """The bytes that were sent; None, with a reply, if there are more than `most`."""
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit() and len(length) < 10 and int(length) <= most):
            self.close_connection = True
            self.say(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, {"problem": "This is too long."})
            return None
        return self.rfile.read(int(length))

    def say(self, status: HTTPStatus, table: object) -> None:
        """Reply with JSON."""
        self.reply(status, "application/json", json.dumps(table).encode())

    def say_nothing_here(self) -> None:
        """Reply that nothing is served at this place."""
        self.say(HTTPStatus.NOT_FOUND, {"problem": "There is nothing here."})

    def reply(self, status: HTTPStatus, kind: str, content: bytes, **more: str) -> None:
        """Reply with some bytes. `more` are further headers, with `_` for `-`."""
        self.send_response(status)
        told = {name.replace("_", "-"): value for name, value in more.items()}
        for name, value in {**HEADERS, "Content-Type": kind, "Content-Length": str(len(content)), **told}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def version_string(self) -> str:
        """What this server says of itself."""
        return "glassroom"

    def log_message(self, format: str, *args: Any) -> None:
        """Do nothing: the terminal is the teacher's, and addresses contain the token."""


class PageServer(ThreadingHTTPServer):
    """Serves a page on a port of this machine, under a token of its own; port 0 picks a free one."""

    daemon_threads = True

    def __init__(self, handler: type[PageReplies], port: int = 0) -> None:
        super().__init__((HERE, port), handler)
        self.token = secrets.token_urlsafe(18)

    @property
    def address(self) -> str:
        """The page's address, with its token."""
        return f"http://{HERE}:{self.server_port}/{self.token}/"


class PageReplies(Replies):
    """Replies to whoever knows the token."""

    server: PageServer

    def asked_for(self) -> str:
        """The path after the token in the address; one that is not served if the token or the host is wrong. The host
        is checked because a foreign page can make a browser send requests here under its own host name (DNS rebinding).
        """
        port = self.server.server_port
        hosts = {f"{HERE}:{port}", f"localhost:{port}"}
        origin = self.headers.get("Origin")
        _, token, *rest = [*self.path.split("/"), ""][:4]
        known = secrets.compare_digest(token.encode("utf-8", "replace"), self.server.token.encode())
        own = self.headers.get("Host") in hosts and (origin is None or origin in {f"http://{host}" for host in hosts})
        return rest[0] if known and own and self.path.count("/") == 2 else "nothing"
