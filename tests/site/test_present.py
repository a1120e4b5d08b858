"""`glassroom present`: a notebook as slides, predictions before their results, and anonymous votes."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from browser import axe

from glassroom.cli.app import run
from glassroom.site.seminar import votes as limits
from glassroom.site.seminar.deck import Deck, Question, Slide, Step, deck_of, sections
from glassroom.site.seminar.servers import HERE, DeckServer, VoteServer
from glassroom.site.seminar.votes import Votes, is_right
from glassroom.workspace.problems import Exit

MEMORY = {"kind": "memory", "choices": ["view", "copy"], "hint": ""}
STRIDE = {"kind": "stride", "choices": [], "hint": "such as (9, 1)"}


def questions() -> list[Question]:
    return [
        Question("a.t(): view or copy, and its stride?", [MEMORY, STRIDE], {"memory": "view", "stride": "(1, 3)"}),
        Question("a + a: view or copy?", [MEMORY], {"memory": "copy"}),
    ]


class Browser:
    """A browser with a cookie of its own, or without one."""

    def __init__(self, server: VoteServer | DeckServer, cookie: str | None = None) -> None:
        self.port = server.server_port
        self.cookie = cookie if cookie is not None else self.get("/")[2].get("Set-Cookie", "").partition(";")[0]

    def get(self, path: str, **headers: str) -> tuple[int, str, Any]:
        return self._ask("GET", path, None, headers)

    def post(self, path: str, content: Any, **headers: str) -> int:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        return self._ask("POST", path, body, {"Content-Type": "application/json", **headers})[0]

    def vote(self, *answers: Any, turn: int = 1) -> int:
        return self.post("/vote", {"turn": turn, "answers": list(answers)})

    def _ask(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[int, str, Any]:
        connection = HTTPConnection(HERE, self.port, timeout=30)
        cookie = {"Cookie": self.cookie} if getattr(self, "cookie", "") else {}
        connection.request(method, path, body, {**cookie, **headers})
        reply = connection.getresponse()
        response = reply.status, reply.read().decode(), reply.headers
        connection.close()
        return response


@pytest.fixture
def server() -> Iterator[VoteServer]:
    with VoteServer(Votes(questions())) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        server.votes.show([0])
        yield server
        server.shutdown()


def bars(server: VoteServer, number: int = 0) -> list[dict[str, int]]:
    return [{row["answer"]: row["votes"] for row in bar["rows"]} for bar in server.votes.bars(number)]


def test_a_browser_has_one_vote_and_answers_of_one_meaning_are_one_bar(server: VoteServer) -> None:
    ada, bob, carl = (Browser(server) for _ in range(3))
    assert [ada.vote("copy", "(1, 3)"), bob.vote("view", "[1,3]"), carl.vote("", "1, 3")] == [200] * 3
    assert ada.vote("view", "3,1") == 200  # she has changed her mind
    assert bars(server) == [{"view": 2, "copy": 0}, {"(1, 3)": 2, "(3, 1)": 1}]
    assert [bar["voters"] for bar in server.votes.bars(0)] == [2, 3]
    right = {row["answer"]: row["right"] for row in server.votes.bars(0)[1]["rows"]}
    assert right == {"(1, 3)": True, "(3, 1)": False}


def test_nothing_is_kept_of_anybody(server: VoteServer) -> None:
    browser = Browser(server)
    assert Browser(server).cookie != browser.cookie  # random, and only in this browser
    headers = Browser(server, "").get("/")[2]
    assert {"HttpOnly", "SameSite=Strict"} <= set(headers["Set-Cookie"].split("; "))
    assert browser.vote("view", "1, 3") == 200
    server.votes.show([])
    held = {name: value for name, value in vars(server.votes).items() if name != "_browsers"}  # who has been here
    assert browser.cookie.partition("=")[2] not in repr(held)
    assert HERE not in repr(vars(server.votes))
    assert bars(server) == [{"view": 1, "copy": 0}, {"(1, 3)": 1}]


def test_only_the_question_that_is_shown_is_told_and_answered(server: VoteServer) -> None:
    browser = Browser(server)
    told = json.loads(browser.get("/question")[1])
    assert told == {"turn": 1, "parts": [{"question": questions()[0].text, "fields": [MEMORY, STRIDE]}]}  # no truth
    assert browser.vote("view", "1, 3", turn=2) == 409
    server.votes.show([1])
    assert browser.vote("view", "1, 3") == 409  # it came too late
    assert browser.vote("copy", turn=2) == 200
    server.votes.show([])
    assert json.loads(browser.get("/question")[1]) == {"turn": 3, "parts": []}
    assert browser.vote("copy", turn=3) == 409
    assert bars(server) == [{"view": 0, "copy": 0}, {"(1, 3)": 0}]
    assert bars(server, 1) == [{"copy": 1, "view": 0}]


@pytest.mark.parametrize(
    "answers",
    [["view"], ["view", "1, 3", "more"], ["neither", "1"], ["", " "], [1, 2], ["view", "9" * 61], [None, {}], []],
)
def test_what_is_no_answer_is_refused(server: VoteServer, answers: list[Any]) -> None:
    assert Browser(server).vote(*answers) == 409
    assert [bar["voters"] for bar in server.votes.bars(0)] == [0, 0]


def test_requests_that_are_none_are_refused(server: VoteServer, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = Browser(server)
    vote = {"turn": 1, "answers": ["view", "1, 3"]}
    assert browser.post("/vote", b"[" * 9_000) == 400
    assert browser.post("/vote", b"x" * 10_001) == 413
    assert browser.post("/vote", vote, **{"Content-Type": "text/plain"}) == 400  # as another site's form would
    assert browser.post("/elsewhere", vote) == browser.get("/votes-0")[0] == browser.get("/../x")[0] == 404
    assert Browser(server, "ballot=guessed").vote("view", "1, 3") == 409
    assert Browser(server, "").vote("view", "1, 3") == 409
    monkeypatch.setattr(limits, "MOST_CHANGES", 3)
    assert [browser.vote("view", "1, 3") for _ in range(5)] == [200, 200, 200, 409, 409]
    monkeypatch.setattr(limits, "MOST_BROWSERS", 2)
    Browser(server)
    assert Browser(server, "").get("/")[0] == 429
    assert [bar["voters"] for bar in server.votes.bars(0)] == [1, 1]


def test_answers_of_many_kinds_are_shown_as_few_bars(server: VoteServer) -> None:
    for number in range(12):
        Browser(server).vote("", f"<b>{number}</b>\x1b")
    [_, stride] = server.votes.bars(0)
    assert len(stride["rows"]) == limits.MOST_BARS
    assert stride["voters"] == sum(row["votes"] for row in stride["rows"]) + stride["more"] == 12


@pytest.mark.parametrize(
    ("kind", "answer", "truth", "right"),
    [
        ("error", "an error", "RuntimeError", True),
        ("error", "none", "RuntimeError", False),
        ("error", "Exception", "IndexError", True),
        ("dtype", "float32", "torch.float32", True),
        ("value", "[1.0, 2]", "[1, 2]", True),
        ("value", "True", "False", False),
        ("stride", "<b>", "(1,)", False),
    ],
)
def test_an_answer_is_right_as_it_is_in_a_notebook(kind: str, answer: str, truth: str, right: bool) -> None:
    assert is_right(kind, answer, truth) is right


def test_the_slides_are_for_whoever_has_their_address() -> None:
    with DeckServer() as server:
        server.take(Deck("t", [Slide("t", "<p>text</p>", [Step("", [0])])], questions()))
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        browser = Browser(server, "")
        assert browser.get(f"/{server.token}/")[0] == 200
        for path in ("/", "/guessed/", f"/{server.token}/votes-0", f"/{server.token}/votes-{'9' * 9000}"):
            assert browser.get(path)[0] in (404, 414)
        assert browser.get(f"/{server.token}/", Host="elsewhere.example")[0] == 404
        assert browser.post(f"/{server.token}/shown", {"slide": -1, "step": "0"}) == 200
        server.shutdown()


def test_headings_part_a_text_but_not_within_code() -> None:
    text = "# One `a`\n\nwords\n\n```python\n# no heading\n```\n## [Two](x.ipynb)\n"
    assert [title for title, _ in sections(text)] == ["One a", "Two"]
    assert list(sections("no heading")) == [("", "no heading")]


def test_a_notebook_of_nothing_is_one_slide() -> None:
    deck = deck_of({"cells": [], "metadata": {}}, "empty", Path())
    assert [(slide.title, slide.text) for slide in deck.slides] == [("empty", "")]


def test_what_the_command_cannot_do_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(["present", "1/99", "--no-browser"]) == Exit.USAGE
    assert "Name one as 1/07" in capsys.readouterr().err
    assert run(["present", "1/07", "--host", "0.0.0.0"]) == Exit.USAGE
    damaged = tmp_path / "damaged.ipynb"
    damaged.write_text("{")
    assert run(["present", str(damaged), "--no-browser"]) == Exit.FAILED
    with socket.create_server((HERE, 0)) as taken:
        port = str(taken.getsockname()[1])
        assert run(["present", "1/07", "--port", port]) == Exit.OUTSIDE
        assert run(["present", "1/07", "--votes", "--votes-port", port]) == Exit.OUTSIDE
    assert run(["present", "1/07", "--votes", "--host", "no host"]) == Exit.OUTSIDE
    told = capsys.readouterr().err.splitlines()
    assert all(line.startswith("glassroom: ") for line in told)
    assert f"Port {port} of 127.0.0.1 cannot be used: Address already in use." in told[-2]


CELLS = [
    ("markdown", "# Views\n\nA view shares *bytes*. [Next](08.ipynb)"),
    ("code", "import tensorglass as torch\nfrom glassroom import show, predict\na = torch.arange(6).view(2, 3)"),
    ("markdown", "## What a transpose is"),
    ("code", 'guess = predict("a.t(): view or copy, and its `stride`?", memory="view", stride=(1, 3))'),
    ("code", "guess.reveal(a.t(), of=a)\nt = a.t()\nshow(a, t)"),
    ("code", "### BEGIN SOLUTION\nflat = t.reshape(-1)\n### END SOLUTION\nprint('flat', flat.tolist())"),
    ("markdown", "It was a view."),
]


@pytest.fixture(scope="module")
def presented(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Run the command with a notebook of one's own: yields the addresses of its slides and of its votes."""
    path = tmp_path_factory.mktemp("seminar") / "views.ipynb"
    cells = [
        {"cell_type": kind, "id": f"c{number}", "metadata": {}, "source": text}
        | ({"outputs": [], "execution_count": None} if kind == "code" else {})
        for number, (kind, text) in enumerate(CELLS)
    ]
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    with presenting(str(path)) as (said, slides, votes):
        assert "3 slides: Views. Ctrl-C ends this." in said
        assert said.endswith("--host ADDRESS opens it to the local network.\n")
        yield slides, votes


@contextmanager
def presenting(notebook: str, *options: str, language: str = "en") -> Iterator[tuple[str, str, str]]:
    """Run the command until the block ends: yields its output, and the addresses of its slides and of its votes."""
    process = subprocess.Popen(
        [sys.executable, "-m", "glassroom", "present", notebook, "--votes", "--no-browser", *options],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "GLASSROOM_LANG": language},
        # Ctrl-C reaches it even if the tests run in the background, where shells make it ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    said = ""
    while said.count("http://") < 2 and process.poll() is None:
        said += process.stdout.readline()
    slides, votes = re.findall(r"http://127\.0\.0\.1:\d+/[\w-]*/?", said)
    yield said, slides, votes
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == Exit.OK


def test_in_chinese_slides_and_ballot_are_chinese(tmp_path: Path) -> None:
    han = re.compile("[\u4e00-\u9fff]")
    with presenting("1/07", "--cache", str(tmp_path), language="zh_CN") as (said, slides, votes):
        assert "按 Ctrl-C 结束" in said
        assert "只有本机能访问" in said
        token = slides.rstrip("/").rpartition("/")[2]
        page = urlopen(slides).read().decode()
        ballot = urlopen(votes).read().decode()
        deck = json.loads(page.partition('id="deck">')[2].partition("</script>")[0])
        assert len(deck["slides"]) > 20
        assert [slide["title"] for slide in deck["slides"] if not han.search(slide["title"])] == []
        paragraphs = [
            words for slide in deck["slides"] for words in re.findall("<p>(.*?)</p>", slide["text"], re.DOTALL)
        ]
        prose = [re.sub("<code>.*?</code>|<[^>]*>", "", words, flags=re.DOTALL) for words in paragraphs]
        assert len(prose) > 30
        assert [words for words in prose if re.search("[A-Za-z]{3}", words) and not han.search(words)] == []
        for text in (page, ballot):
            assert '<html lang="zh-CN">' in text
        assert {"幻灯片", "后退", "前进"} <= set(re.findall(r"[\u4e00-\u9fff]+", page))
        assert '<button type="submit">提交</button>' in ballot
        for english in ("Your answer", "There is no question now", "Send", "Prediction", "is over"):
            assert english not in ballot
        asking = [
            (number, str(place))
            for number, slide in enumerate(deck["slides"])
            for place, step in enumerate(slide["steps"])
            if step["asks"]
        ]
        assert asking
        for slide, step in asking:
            shown = json.dumps({"slide": slide, "step": int(step)}).encode()
            urlopen(Request(f"{slides}shown", shown, {"Content-Type": "application/json"}))
            for part in json.loads(urlopen(f"{votes}question").read())["parts"]:
                assert not re.search("[a-z]{2,} [a-z]{2,}", part["question"]) or han.search(part["question"])
                assert [
                    field["hint"] for field in part["fields"] if field["hint"] and not han.search(field["hint"])
                ] == []
        assert token not in ballot


def test_a_class_predicts_before_it_sees(presented: tuple[str, str], page: Any) -> None:
    slides, votes = presented
    page.goto(slides)
    page.get_by_role("heading", name="Views").wait_for()
    assert page.locator("a[href]").count() == 0  # no slide has the next notebook
    page.keyboard.press("End")
    page.get_by_text("It was a view.").wait_for()
    page.keyboard.press("Home")
    page.get_by_role("heading", name="Views").wait_for()
    page.keyboard.press("2")
    page.locator(".asked").wait_for()
    assert "memory=..., stride=..." in page.locator("pre.code").inner_text()
    assert page.locator(".told").count() == page.locator(".glassroom").count() == 0

    phone = page.context.new_page()
    phone.set_viewport_size({"width": 390, "height": 800})
    phone.goto(votes)
    phone.get_by_role("radio", name="view").check()
    phone.get_by_role("textbox").fill("<i>3,1</i>")
    phone.get_by_role("button", name="Send").click()
    phone.get_by_text("Your answer is counted.").wait_for()
    page.locator(".bar", has_text="<i>3,1</i>").wait_for()
    assert page.get_by_text("✓ right").count() == 0

    page.keyboard.press("ArrowRight")
    page.locator(".told .bar.right", has_text="view").wait_for()
    page.locator(".asked .bar").first.wait_for(state="detached")  # the bars stand once, beside the truth
    phone.get_by_text("There is no question now.").wait_for()
    picture = page.locator(".glassroom [tabindex]").first  # it lives: it takes the keys that are its own
    picture.focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".step").count() == 2
    page.keyboard.press("Escape")
    assert "flat = t.reshape(-1)" not in page.locator("main").inner_text()
    page.keyboard.press("PageDown")
    page.get_by_text("flat = t.reshape(-1)").wait_for()
    phone.close()


IS_MORE = """[...document.querySelectorAll(".text, .work")].some((part) =>
    getComputedStyle(part).overflowY === "auto" && part.scrollTop + part.clientHeight < part.scrollHeight - 4)"""


def is_more(page: Any) -> bool:
    """Whether a part goes on below, once the button says the same: it follows when the page has scrolled."""
    until = time.monotonic() + 30
    while page.locator("#on").inner_text() != ("↓" if page.evaluate(IS_MORE) else "→"):
        assert time.monotonic() < until, page.locator("#on").inner_text()
        page.wait_for_timeout(20)
    return bool(page.evaluate(IS_MORE))


def test_a_picture_is_seen_whole_and_no_key_passes_over_what_is_below(presented: tuple[str, str], page: Any) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{presented[0]}#2")
    page.locator(".asked").wait_for()
    page.keyboard.press("ArrowRight")
    page.locator(".told").wait_for()
    picture, foot = page.locator(".work .glassroom").bounding_box(), page.locator("footer").bounding_box()
    assert picture["y"] + picture["height"] <= foot["y"]
    page.set_viewport_size({"width": 1000, "height": 240})
    page.goto("about:blank")
    page.goto(f"{presented[0]}#2")
    page.locator(".asked").wait_for()
    scrolled = 0
    while page.locator("main").inner_text().count("It was a view.") == 0:
        before, more = page.locator(".step").count(), is_more(page)
        page.keyboard.press("ArrowRight")
        scrolled += more
        assert page.locator(".step").count() == before or not more
    assert scrolled


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_axe_finds_nothing_grave_on_slides_and_ballot(
    presented: tuple[str, str], chromium: Any, scheme: str, width: int
) -> None:
    context = chromium.new_context(
        viewport={"width": width, "height": 720},
        color_scheme=scheme,
        bypass_csp=True,  # axe is a script of the test's
    )
    page, ballot = context.new_page(), context.new_page()
    page.goto(f"{presented[0]}#2")
    page.locator(".asked").wait_for()
    ballot.goto(presented[1])
    ballot.get_by_role("radio", name="copy").check()
    ballot.get_by_role("button", name="Send").click()
    ballot.get_by_text("Your answer is counted.").wait_for()
    assert axe.faults(ballot, "body") == []
    page.keyboard.press("Space")
    page.locator(".told .bar.right").first.wait_for()
    assert axe.faults(page, "body") == []
    for shown in (page, ballot):
        assert shown.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
