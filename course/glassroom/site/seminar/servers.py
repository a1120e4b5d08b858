"""The two servers of `glassroom present`: the slides, for this machine alone, and the page in which a class votes."""

from __future__ import annotations

import ipaddress
import json
import socket
import threading
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import ThreadingHTTPServer
from typing import Any

from glassroom.site.seminar.deck import Deck
from glassroom.site.seminar.pages import ballot_page, deck_page
from glassroom.site.seminar.votes import Refused, Votes
from glassroom.translations.templates import as_is
from glassroom.workspace.page_server import HERE, PageReplies, PageServer, Replies

COOKIE = "ballot"
MOST_BYTES = 10_000  # of a request
MOST_CONNECTIONS = 400
SECONDS = 20  # of waiting for a browser


class VoteServer(ThreadingHTTPServer):
    """Serves the page with the question that is shown, to everybody who reaches this address. It reveals no one's
    answers.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, votes: Votes, host: str = HERE, port: int = 0) -> None:
        self.votes = votes
        self.host = host
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._places = threading.BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__((host, port), _VoteHandler)

    def server_bind(self) -> None:
        """Bind, without the search for this machine's name, which can take seconds."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = self.host, self.server_address[1]

    @property
    def address(self) -> str:
        """The link for the class: where the host is all of this machine's addresses, one that others reach."""
        host = _own_address() if self.host in ("0.0.0.0", "::") else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.server_port}/"

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the page."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Take a connection, unless there are too many."""
        if not self._places.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer a connection, and make room for another."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: a browser that goes away in the middle is no fault, and its address is not written."""


class DeckServer(PageServer):
    """The slides, for this machine and whoever knows the token in their address; they say here what they show."""

    def __init__(self, votes: VoteServer | None = None, port: int = 0) -> None:
        super().__init__(_DeckHandler, port)
        self.votes = votes

    def take(self, deck: Deck) -> None:
        """Have these slides to show."""
        self.deck = deck
        self.page = deck_page(deck, self.votes.address if self.votes else "").encode("utf-8", "replace")
        if self.votes:
            self.votes.votes.questions = deck.questions

    def show(self, slide: object, step: object) -> None:
        """Open the questions of a step for votes, and no others."""
        asked: list[int] = []
        if type(slide) is int and type(step) is int and 0 <= slide < len(self.deck.slides):
            steps = self.deck.slides[slide].steps
            asked = steps[step].asks if 0 <= step < len(steps) else []
        if self.votes:
            self.votes.votes.show(asked)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: a window that is closed in the middle is no fault."""


def _read(handler: Replies) -> dict[str, Any] | None:
    """What was sent as JSON; None, with a reply, where it cannot be read."""
    content = handler.sent(MOST_BYTES)
    if content is None:
        return None
    try:
        said = json.loads(content)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict) or handler.headers.get("Content-Type") != "application/json":
        handler.say(HTTPStatus.BAD_REQUEST, {"problem": "This cannot be read."})
        return None
    return said


class _VoteHandler(Replies):
    server: VoteServer
    timeout = SECONDS

    def do_GET(self) -> None:
        """The page, with a cookie for a browser that has none; or the question that is shown."""
        votes = self.server.votes
        if self.path == "/question":
            self.say(HTTPStatus.OK, votes.asked())
            return
        if self.path != "/":
            self.say_nothing_here()
            return
        cookie = {}
        if not votes.knows(self._browser()):
            try:
                kept = as_is(f"{COOKIE}={votes.new_browser()}; HttpOnly; SameSite=Strict; Path=/")
            except Refused as refused:
                self.say(HTTPStatus.TOO_MANY_REQUESTS, {"problem": str(refused)})
                return
            cookie = {"Set_Cookie": kept}
        self.reply(HTTPStatus.OK, "text/html; charset=utf-8", ballot_page().encode(), **cookie)

    def do_POST(self) -> None:
        """Count a vote."""
        said = _read(self)
        if said is None:
            return
        if self.path != "/vote":
            self.say_nothing_here()
            return
        try:
            self.server.votes.vote(self._browser(), said.get("turn"), said.get("answers"))
        except Refused as refused:
            self.say(HTTPStatus.CONFLICT, {"problem": str(refused)})
            return
        self.say(HTTPStatus.OK, {})

    def _browser(self) -> str:
        try:
            cookie = SimpleCookie(self.headers.get("Cookie", "")).get(COOKIE)
        except CookieError:
            cookie = None
        return cookie.value if cookie else ""


class _DeckHandler(PageReplies):
    server: DeckServer
    timeout = SECONDS

    def do_GET(self) -> None:
        """The slides, or the votes of a question."""
        place, _, number = self.asked_for().partition("-")
        votes, questions = self.server.votes, self.server.deck.questions
        if place == "":
            self.reply(HTTPStatus.OK, "text/html; charset=utf-8", self.server.page)
        elif place == "votes" and votes and number.isascii() and number.isdigit() and int(number[:6]) < len(questions):
            self.say(HTTPStatus.OK, votes.votes.bars(int(number[:6])))
        else:
            self.say_nothing_here()

    def do_POST(self) -> None:
        """Take what is shown now."""
        said = _read(self)
        if said is None:
            return
        if self.asked_for() != "shown":
            self.say_nothing_here()
            return
        self.server.show(said.get("slide"), said.get("step"))
        self.say(HTTPStatus.OK, {})


def _own_address() -> str:
    """The address of this machine on its network. Nothing is sent: the system only looks up the way."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return socket.gethostname()
        return str(probe.getsockname()[0])
