"""Runs a learner's cells, in a sandbox, and sends their results to the referee. Started as a program of its own. The
learner's code runs here and can break anything in this process, so nothing that it sends is trusted: it is only an
answer to be judged.
"""

from __future__ import annotations

import ast
import base64
import builtins
import os
import signal
import socket
import sys
import traceback
from types import ModuleType
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Type
from traitlets.config import Config

from glassroom.classroom import credit
from glassroom.classroom.inside.crossing import CannotCross, Side, as_it_is, exception_called
from glassroom.classroom.inside.messages import PATIENCE, Ended, receive, send
from glassroom.classroom.inside.own_files import place, remove
from glassroom.exercises import engine, expect, facts
from glassroom.exercises._answer_key import lent
from glassroom.exercises.account import account, open_accounts

MOST_OUTPUTS, MOST_OUTPUT = 12, 150_000
SHOWN = ("image/svg+xml", "image/png", "text/plain")
_WATCHED: tuple[ModuleType, ...] = (builtins, engine, expect, facts, credit)


class CellTooLong(BaseException):
    """Raised inside a cell that has used up its time, CPU time or wall-clock time."""


class Bounded:
    """A stream for what a cell prints: the beginning is kept, the rest is only counted."""

    encoding, errors, closed = "utf-8", "replace", False

    def __init__(self, most: int) -> None:
        self.most, self.written, self.parts = most, 0, list[str]()

    def write(self, text: str) -> int:
        if self.written < self.most:
            self.parts.append(str(text)[: self.most - self.written])
        self.written += len(text)
        return len(text)

    def flush(self) -> None:
        """Do nothing: nothing is buffered elsewhere."""

    def isatty(self) -> bool:
        return False

    @property
    def text(self) -> str:
        return "".join(self.parts) + ("\n…" if self.written > self.most else "")


class _Hook(DisplayHook):
    """A display hook that sends the value of a cell's last line to where displays go."""

    def write_output_prompt(self) -> None:
        """Do nothing: there is no prompt."""

    def write_format_data(self, format_dict: dict[str, Any], md_dict: Any = None) -> None:
        shell: Any = self.shell
        shell.display_pub.publish(format_dict, md_dict)

    def finish_displayhook(self) -> None:
        """Do nothing: there is nothing to flush."""


class _Shell(InteractiveShell):
    displayhook_class = Type(_Hook)
    display_pub_class = Type(CapturingDisplayPublisher)

    def _showtraceback(self, *_arguments: Any) -> None:
        """Do nothing: the error is reported to the referee."""


class Runner:
    """A shell for the cells, and the functions that have crossed."""

    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel
        config = Config()
        config.HistoryManager.enabled = False
        config.InteractiveShell.colors = "nocolor"
        self.shell = _Shell.instance(config=config)
        self.side = Side("r", self.back)
        self.before = _fingerprint()
        self.given: dict[str, Any] = {}  # the values that the course's own cells have bound, by name
        _no_time()

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """Carry out a request of the referee's."""
        match message.get("do"):
            case "run":
                return self.run_step(message)
            case "files":
                return self.timed(lambda: self.place(message["files"]), float(message["seconds"]))
            case "answers":
                return self.timed(lambda: self.answers(message), float(message["seconds"]))
            case "call":
                return self.timed(lambda: self.call(message), float(message["seconds"]))
            case "beside":
                return self.timed(lambda: self.beside(message), float(message["seconds"]))
        return {"failed": "it was asked for what it does not know"}

    def place(self, files: dict[str, str]) -> dict[str, Any]:
        """Put the class's own files into the working folder before any cell runs."""
        place(files)
        self.before = _fingerprint()
        return {"placed": True}

    def run_step(self, message: dict[str, Any]) -> dict[str, Any]:
        """Run a cell. For checks, names bound by the course's own cells keep their values, even if later cells rebind
        them."""
        with lent(message.get("lent", {})):
            told = self.run(str(message["source"]), float(message["seconds"]))
        names = self.shell.user_ns
        bound = {name: names[name] for name in message.get("gives", ()) if name in names}
        self.given |= bound
        for name in message.get("takes", ()):
            self.given.pop(name, None)
        return {**told, "gave": {name: as_it_is(value) for name, value in bound.items()}}

    def run(self, source: str, seconds: float) -> dict[str, Any]:
        """Run a cell; its error, if it raised one, and what it showed."""
        printed, shell = Bounded(20_000), self.shell
        publisher: Any = shell.display_pub
        publisher.outputs.clear()
        before = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = printed
        error = None
        try:
            _give_time(seconds)
            result = shell.run_cell(source, store_history=False)
            error = result.error_before_exec or result.error_in_exec
        except BaseException as caught:
            error = caught
        finally:
            _no_time()
            sys.stdout, sys.stderr = before
        outputs = [{"text/plain": printed.text}] if printed.written else []
        outputs += [_shown(output) for output in publisher.outputs[:MOST_OUTPUTS]]
        return {"error": _told(error), "outputs": outputs}

    def timed(self, work: Any, seconds: float) -> dict[str, Any]:
        """Call a function within a time limit, and discard what it prints."""
        out, err = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = Bounded(0)
        try:
            _give_time(seconds)
            done: dict[str, Any] = work()
            return done
        except CannotCross as reason:
            return {"cannot": str(reason)[:200], "foreign": reason.foreign}
        except BaseException as error:
            return {"raised": _told(error)}
        finally:
            _no_time()
            sys.stdout, sys.stderr = out, err

    def answers(self, message: dict[str, Any]) -> dict[str, Any]:
        """The values of expressions, for the referee to judge."""
        names = self.shell.user_ns
        if message.get("before"):
            exec(compile(str(message["before"]), "<test>", "exec"), names)
        self.given |= {name: names[name] for name in message.get("gives", ()) if name in names}
        values = [_value_of(str(expression), names) for expression in message["expressions"]]
        there = {**names, **self.given}
        return self.side.encode_all(
            [*values, *(_value_of(str(expression), there) for expression in message["given"].values())]
        )

    def call(self, message: dict[str, Any]) -> dict[str, Any]:
        """Call a learner's function with the referee's arguments; returns its result and what it wrote."""
        with account() as kept:
            self.side.account = kept
            function, args, kwargs = self.side.asked(message)
            kept.cut((0, 0, 0, 0))
            result = function(*args, **kwargs)
        told = self.side.gave(result, args, kwargs, message)
        told["account"] = self.side.tell_account(kept)
        return told

    def back(self, number: int, args: list[Any], kwargs: dict[str, Any], side: Side) -> Any:
        """Have the referee call a function that it has passed to a learner's function."""
        sizes = [kept.size for kept in open_accounts()]
        told = self.ask({"do": "back", **side.asking(number, args, kwargs)})
        if "cannot" in told:
            raise CannotCross(str(told["cannot"]))
        if "raised" in told:
            raise exception_called(told["raised"]["name"])(told["raised"]["message"])
        result = side.take(told, [*args, *kwargs.values()])
        for kept, before in zip(open_accounts(), sizes, strict=True):
            kept.cut(before)  # calls that crossing itself makes do not count as the learner's
        return result

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """Ask the referee, and carry out its requests until it answers."""
        send(self.channel, message)
        while "do" in (told := receive(self.channel)):
            send(self.channel, self.answer(told))
        return told

    def beside(self, message: dict[str, Any]) -> dict[str, Any]:
        """The verdict of this process's own checks, for answers that cannot cross, and whether the checks are
        unchanged."""
        names = self.shell.user_ns
        answers = [_value_of(str(expression), names) for expression in message["expressions"]]
        there = {**names, **self.given}
        given = {name: _value_of(str(expression), there) for name, expression in message["given"].items()}
        changed = [name for name, was in self.before.items() if _fingerprint().get(name) != was]
        if message.get("code"):
            scope = {**dict(zip(message["names"], answers, strict=False)), **given, "torch": names.get("torch")}
            exec(compile(str(message["code"]), "<hidden test>", "exec"), scope)
            return {"part": 1.0, "message": "", "changed": changed[:5]}
        part, sentence = credit.verdict_of(str(message["id"]), answers, given)
        return {"part": part, "message": sentence, "changed": changed[:5]}


def _value_of(expression: str, names: dict[str, Any]) -> Any:
    """The value of an expression; `...` for a name that the learner's code never bound."""
    try:
        return eval(compile(ast.parse(expression, mode="eval"), "<test>", "eval"), names)
    except NameError:
        return ...


def _fingerprint() -> dict[str, int]:
    """A fingerprint of builtins and checks: the objects behind their names, and the code of their functions."""
    fingerprints = {}
    for module in _WATCHED:
        for name, value in vars(module).items():
            if name not in ("_", "__builtins__") and not name.startswith("_rungs"):
                fingerprints[f"{module.__name__}.{name}"] = hash((id(value), id(getattr(value, "__code__", None))))
    return fingerprints


def _shown(output: Any) -> dict[str, str]:
    """A display as text: SVG and PNG pictures as they are, and plain text; forms that are too long are left out."""
    data = output.get("data", {}) if isinstance(output, dict) else getattr(output, "data", {})
    kept = {}
    for kind in SHOWN:
        content = data.get(kind)
        if isinstance(content, bytes):
            content = base64.b64encode(content).decode()
        if isinstance(content, str) and len(content) <= MOST_OUTPUT:
            kept[kind] = content
    return kept


def _told(error: BaseException | None) -> dict[str, str] | None:
    if error is None:
        return None
    if isinstance(error, CellTooLong):
        return {"name": "TimeoutError", "message": str(error)}
    try:
        message = str(error)[:1000]
    except BaseException:
        message = "an error that cannot be printed"
    frames = traceback.extract_tb(error.__traceback__)[-1:]
    at = f" (line {frames[0].lineno})" if frames and frames[0].filename.startswith("<ipython") else ""
    return {"name": str(type(error).__name__)[:80], "message": message + at}


def _give_time(seconds: float) -> None:
    """Limit what follows to the given CPU seconds. The supervisor sends SIGALRM if it has taken too long by the
    clock."""

    def ran(_signal: int, _frame: object) -> None:
        raise CellTooLong(f"it ran for more than {seconds:g} seconds")

    def waited(_signal: int, _frame: object) -> None:
        raise CellTooLong(f"it was not done after {PATIENCE * seconds:g} seconds")

    signal.signal(signal.SIGPROF, ran)
    signal.signal(signal.SIGALRM, waited)
    signal.setitimer(signal.ITIMER_PROF, seconds)


def _no_time() -> None:
    """Remove the limit; a signal that is already on its way still finds a handler."""
    signal.setitimer(signal.ITIMER_PROF, 0)
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, lambda _signal, _frame: None)


def main() -> None:
    """Serve the referee on the socket whose number is the first argument, until it hangs up."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    runner = Runner(channel)
    send(channel, {"ready": True})
    while True:
        try:
            message = receive(channel)
            reply = runner.answer(message)
        except Ended:
            remove()
            os._exit(0)
        except CellTooLong:
            reply = {"raised": {"name": "TimeoutError", "message": "it ran for too long"}}
        try:
            send(channel, reply)
        except ValueError as error:
            send(channel, {"failed": str(error)})


if __name__ == "__main__":
    main()
