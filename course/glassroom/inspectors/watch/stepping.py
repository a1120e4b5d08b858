"""Running code statement by statement, without changing it.

The one idea: Python itself reports when a line begins (`sys.settrace`), so the code runs as it was written: same
results, same tracebacks, and functions are no slower once the watch is over. Only the code of one file (in a notebook,
of the cell) and of the files that were asked for is followed; everything else runs untraced.
"""

from __future__ import annotations

import ast
import inspect
import signal
import sys
from _thread import interrupt_main
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any, Protocol, TypeVar

from glassroom.inspectors.watch.moving import moved_by
from glassroom.records.printable import printable
from glassroom.translations.templates import word

T = TypeVar("T")
_Follow = Callable[[FrameType, str, Any], Callable[..., Any] | None]
_PASSING = (StopIteration, StopAsyncIteration, GeneratorExit)  # how loops and generators end, not errors
RAISES = word("raises")  # the word for a step that ended in an error


@dataclass(frozen=True)
class Statement:
    """A statement and its lines; for a compound statement, the lines of its header. `moves` are the variables whose
    elements it only moves, if it is such a statement and one of them is an array. For a statement in another file than
    the one shown, `file` is that file's name and `source` the statement's first line.
    """

    line: int
    end: int
    returns: bool = False
    moves: tuple[str, ...] = ()
    file: str = ""
    source: str = ""

    @property
    def place(self) -> str:
        """`line 3`, `model.py line 3`."""
        return f"{self.file} line {self.line}".lstrip()


class Follower(Protocol):
    """The receiver of every statement. `frames` are the running frames of the followed code, the outermost first."""

    def began(self, frames: list[FrameType]) -> None:
        """The code is about to run."""

    def ended(self, statement: Statement, function: str, frames: list[FrameType], how: str, result: object) -> bool:
        """A statement of a function has ended, or has reached a point of interest; returning False ends the watch.

        `function` is "" outside of functions; `how` is "ran", "calls f()", "after f()", "returns" or "raises …";
        `result` is what a function returned, or the value of a cell's last expression.
        """


_HasLines = ast.stmt | ast.excepthandler | ast.match_case


def statements_of(source: str, first_line: int = 1) -> dict[int, Statement]:
    """The statement that each line belongs to. Statements that begin on one line count as one."""
    statements: dict[int, Statement] = {}
    for node in _in_order(ast.parse(source)):
        if isinstance(node, ast.match_case):
            start = node.pattern.lineno
        else:
            start = min([node.lineno, *[decorator.lineno for decorator in getattr(node, "decorator_list", ())]])
        body = getattr(node, "body", None) or getattr(node, "cases", None)
        if body:
            inner = body[0].pattern if isinstance(body[0], ast.match_case) else body[0]
            decorators = [decorator.lineno for decorator in getattr(inner, "decorator_list", ())]
            end = max(start, min([inner.lineno, *decorators]) - 1)
        else:
            end = getattr(node, "end_lineno", None) or start
        shift = first_line - 1
        statement = Statement(start + shift, end + shift, isinstance(node, ast.Return), moved_by(node))
        if start + shift in statements and statements[start + shift].line == start + shift:
            continue  # a second statement on the same line
        for line in range(start + shift, end + shift + 1):
            statements[line] = statement
    return statements


def _in_order(node: ast.AST) -> list[_HasLines]:
    """Statements, exception handlers and cases, the outer before the inner."""
    nodes: list[_HasLines] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            nodes.append(child)
        nodes += _in_order(child)
    return nodes


@dataclass
class _Running:
    frame: FrameType
    statement: Statement | None = None
    begin: int = -1  # the instruction that it began with: reaching it again means running the statement again
    back_from: str | None = None


class Stepper:
    """Runs code, and reports each statement in the `files` to the follower; of lambdas, only `code` is followed.
    `files` maps file names to statements by line.
    """

    def __init__(
        self, files: Mapping[str, Mapping[int, Statement]], follower: Follower, code: CodeType | None = None
    ) -> None:
        self._code = code
        self._files = files
        self._follower = follower
        self._stack: list[_Running] = []
        self._raised: int | None = None  # the id of the exception on its way up
        self._is_over = self._has_begun = False

    def run(self, call: Callable[[], T]) -> T:
        """Call `call`, and return what it returns."""
        __tracebackhide__ = True
        before = sys.gettrace()
        sys.settrace(self._called)
        try:
            return call()
        finally:
            sys.settrace(before)
            self._stack.clear()

    def _called(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        return self._told(self._calls, frame, event, argument)

    def _traced(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        return self._told(self._goes_on, frame, event, argument)

    def _told(self, follow: _Follow, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        """Follow the code. An interrupt that arrives in here is passed on to the code itself. Otherwise the code would
        be interrupted where Python itself never interrupts it: on its way out of a `with`, whose `__exit__` would not
        be called.
        """
        try:
            return follow(frame, event, argument)
        except KeyboardInterrupt:
            if not callable(signal.getsignal(signal.SIGINT)):
                raise
            self._is_over = True
            self._stack.clear()
            sys.settrace(None)
            interrupt_main()  # takes effect at the code's next instruction
            return None

    def _calls(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        code = frame.f_code
        if self._is_over or code.co_filename not in self._files:
            return None
        is_function = bool(code.co_flags & inspect.CO_OPTIMIZED)
        is_part = code.co_name.startswith("<") or not is_function
        if code.co_name != "<module>" and code is not self._code and is_part:
            return None  # a lambda, comprehension or class body: part of its statement
        caller = self._stack[-1] if self._stack else None
        self._stack.append(_Running(frame))
        if not self._has_begun:
            self._has_begun = True
            self._follower.began([frame])
        if caller is not None and is_function:
            self._tell(caller, f"calls {code.co_name}()")
        return None if self._is_over else self._traced

    def _goes_on(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        if self._is_over or not self._stack or self._stack[-1].frame is not frame:
            return None if self._is_over else self._traced
        if event == "line":
            self._line(self._stack[-1])
        elif event == "exception":
            self._exception(self._stack[-1], argument[1])
        elif event == "return":
            self._return(self._stack[-1], argument)
        return None if self._is_over else self._traced

    def _line(self, running: _Running) -> None:
        line, instruction = running.frame.f_lineno, running.frame.f_lasti
        statement = self._files[running.frame.f_code.co_filename].get(line) or Statement(line, line)
        if statement == running.statement and instruction != running.begin:
            return  # a later line of the same statement
        self._end(running)
        self._raised = None
        running.statement, running.begin, running.back_from = statement, instruction, None

    def _end(self, running: _Running, how: str | None = None, result: object = None) -> None:
        if self._raised is None:
            how = how or ("ran" if running.back_from is None else f"after {running.back_from}()")
            self._tell(running, how, result)

    def _exception(self, running: _Running, error: object) -> None:
        if isinstance(error, _PASSING) or id(error) == self._raised or not isinstance(error, BaseException):
            return
        self._raised = id(error)
        self._tell(running, f"{RAISES} {said(error)}")

    def _return(self, running: _Running, result: object) -> None:
        if self._raised is None:  # otherwise an exception is leaving the frame
            is_lambda = running.frame.f_code.co_name == "<lambda>"
            returns = is_lambda or (running.statement is not None and running.statement.returns)
            self._end(running, word("returns") if returns else None, result)
        if self._stack:
            self._stack.pop()
        if self._stack and self._raised is None:
            self._stack[-1].back_from = running.frame.f_code.co_name

    def _tell(self, running: _Running, how: str, result: object = None) -> None:
        if running.statement is None:
            return
        name = running.frame.f_code.co_name
        function = "" if name == "<module>" else name
        frames = [entry.frame for entry in self._stack]
        if not self._follower.ended(running.statement, function, frames, how, result):
            self._is_over = True
            self._stack.clear()
            sys.settrace(None)


def said(error: BaseException) -> str:
    """An exception in one line."""
    message = printable(next(iter(str(error).splitlines()), ""))
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
