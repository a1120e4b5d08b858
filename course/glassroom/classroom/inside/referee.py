"""Judges learners' answers, in a sandbox of its own: a plan arrives on one pipe, marks leave on another.

The plan is a list of steps: cells to run, and tests. For each test the referee asks the runner for the answers,
rebuilds them here (see `crossing`), and runs this process's own checks, which no learner's code has ever touched. If an
exercise's answers cannot cross (a class, a tensor with its graph), the runner's checks are used, and the mark says so.
"""

from __future__ import annotations

import ast
import builtins
import gc
import json
import os
import socket
import sys
import traceback
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from typing import Any

from glassroom.classroom import credit
from glassroom.classroom.handout import check_call
from glassroom.classroom.inside.crossing import MOST_CALLS, CannotCross, Side, as_it_is, exception_called
from glassroom.classroom.inside.messages import Ended, receive, send
from glassroom.classroom.inside.own_files import place, remove
from glassroom.exercises import exercises
from glassroom.exercises.account import open_accounts

MOST_DRAWN, MOST_CELLS = 5, 120  # limits for tensors in the picture of a wrong answer, and for their elements


class Referee:
    """Carries out a plan step by step, reporting each mark as soon as it is known."""

    def __init__(self, channel: socket.socket, plan: dict[str, Any]) -> None:
        self.channel = channel
        self.plan = plan
        self.seconds = float(plan["cell"])
        self.side = Side("j", self.call, judges=True)
        self.raised: Exception | None = None  # raised by a check's function in a call from a learner's function
        self.shown: dict[str, list[Any]] = {}
        self.sources: dict[str, str] = {}
        self.errors: dict[str, dict[str, str]] = {}
        self.altered: dict[str, list[str]] = {}  # by exercise, which of the names given to it no longer hold that
        self.open: list[str] = []  # exercises that have been judged without an answer
        self.gave: dict[str, str] = {}  # what the names that the course's own cells have bound held then
        self.waiting: list[tuple[int, Callable[[], None]]] = []  # hidden tests that wait until all cells have run

    def go(self) -> None:
        """Carry out all steps. If the runner ends, they stop, and the step is named; a runner that hangs is ended from
        outside."""
        at = -1
        try:
            receive(self.channel)
            if files := self.plan.get("files"):
                self.ask({"do": "files", "files": files})
            for at, step in enumerate(self.plan["steps"]):
                tell({"at": at})
                if step["do"] == "run":
                    self.run(step)
                else:
                    self.test(step, at)
            for at, judge in self.waiting:
                tell({"at": at})
                judge()
        except Ended as reason:
            tell({"stopped": at, "why": "it ended the process" if str(reason) == "it is gone" else str(reason)})
        else:
            tell({"done": True})

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """Ask the runner, and wait for its answer. In the meantime it may ask for calls of functions that a check has
        passed to it."""
        send(self.channel, {**message, "seconds": self.seconds})
        for _ in range(MOST_CALLS):
            told = receive(self.channel)
            if told.get("do") != "back":
                return told
            send(self.channel, self.back(told))
        raise Ended("it asks without end")

    def back(self, message: dict[str, Any]) -> dict[str, Any]:
        """Call a check's function, in this process, for a learner's function that it was passed to."""
        try:
            function, args, kwargs = self.side.asked(message)
            return self.side.gave(function(*args, **kwargs), args, kwargs, message)
        except CannotCross as reason:
            return {"cannot": str(reason)}
        except Exception as error:
            self.raised = error
            return {"raised": _described(error)}

    def run(self, step: dict[str, Any]) -> None:
        given = {"gives": step.get("gives", []), "takes": step.get("takes", [])}
        # What the course's own cells need instead of an answer that has been judged, and is missing.
        lent = {id: self.plan["answers"][id] for id in self.open} if step.get("given") else {}
        told = self.ask({"do": "run", "source": step["source"], "lent": lent, **given})
        gave = told.get("gave")
        self.gave |= {str(name): str(held) for name, held in gave.items()} if isinstance(gave, dict) else {}
        for name in step.get("takes", ()):
            self.gave.pop(name, None)
        error = told.get("error")
        if isinstance(error, dict):
            tell({"error": {"cell": step["cell"], **_error(error)}})
            self.errors[step["cell"]] = _error(error)
        if step.get("shows"):
            self.shown[step["shows"]] = _outputs(told.get("outputs"))
            self.sources[step["shows"]] = step["source"]

    def test(self, step: dict[str, Any], at: int) -> None:
        """Judge an exercise. A hidden test that passes values to a learner's function runs after all cells, so a
        function that stores them cannot show them in a later cell."""
        call_found = check_call(step["source"])
        assert call_found is not None  # every such cell of a plan ends in a check call
        id, call = call_found
        given = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords if keyword.arg}
        first = 2 if isinstance(call.func, ast.Name) and call.func.id == "graded_check" else 1
        answers = [ast.unparse(argument) for argument in call.args[first:]]
        before = ast.parse(step["source"]).body[:-1]
        code = "\n".join(ast.unparse(node) for node in before if not isinstance(node, ast.ImportFrom))
        asked = {"expressions": answers, "given": given, "id": id, "names": credit.names_of(id)[0]}
        wanted = {
            "do": "answers",
            "before": code,
            "expressions": answers,
            "given": given,
            "gives": step.get("gives", []),
        }
        told = self.ask(wanted)
        if {"is": "..."} in told.get("values", ()) and id in self.plan["answers"]:
            self.open.append(id)
        judge = partial(self.judge, step, asked, told, list(given))
        if step.get("code") and id in (self.plan["apart"] or ()) and '"function": ' in json.dumps(told.get("values")):
            self.waiting.append((at, judge))
        else:
            judge()

    def judge(self, step: dict[str, Any], asked: dict[str, Any], told: dict[str, Any], given: list[str]) -> None:
        """Report the mark of an exercise whose answers have arrived."""
        id = asked["id"]
        mark = self.judged(step, asked, told, given)
        mark["id"], mark["exercise"] = step["id"], id
        mark["altered"] = self.altered.get(id, [])
        altered = [
            name for name in mark["altered"] if name not in self.plan.get("altered", {}).get(id, mark["altered"])
        ]
        changed = step.get("changed", [])
        if mark["part"] and (changed or altered):
            is_or_are = "is" if len(changed or altered) == 1 else "are"
            what = ", ".join(f"`{name}`" for name in changed or altered)
            doubt = f"{what} {is_or_are} not what the notebook gives: the learner has changed the cell"
            if not changed:
                doubt = f"{what} {is_or_are} not what the notebook gives: the learner's code has written into it"
            elif self.plan.get("earlier"):
                doubt = f"{what} {is_or_are} not what the notebook gives now: an earlier version of it was answered"
            mark.setdefault("doubt", doubt)
        drawn = mark.pop("drawn", {})
        mark["outputs"] = [*self.shown.get(id, []), *([drawn] if drawn else [])]
        if step.get("code") and self.plan["apart"] is not None:  # words of the learner's program may tell what it saw
            mark["outputs"] = []
            if not mark.pop("ours", False):
                mark["message"] = "The hidden tests hold." if mark["part"] == 1 else "a hidden test does not hold."
        elif (error := self.errors.get(f"{id}-answer")) and not mark["part"]:
            mark["message"] = f"The cell raised {error['name']}: {error['message']}. {mark['message']}"
        tell({"mark": mark})

    def judged(
        self, step: dict[str, Any], asked: dict[str, Any], told: dict[str, Any], given: list[str]
    ) -> dict[str, Any]:
        """The verdict, and how it was reached: apart from the learner's process, or inside it, beside the learner's
        code."""
        apart = self.plan["apart"]
        hidden = step.get("code")
        if "raised" in told or "failed" in told:
            why = _error(told.get("raised") or {"name": "Error", "message": told.get("failed", "")})
            return {
                "part": 0.0,
                "message": f"asking for the answers raised {why['name']}: {why['message']}",
                "how": "apart",
            }
        trial = apart is None
        if "cannot" not in told and (trial or asked["id"] in apart):
            try:
                self.side.source = self.sources.get(asked["id"], "")
                values = self.side.decode_all(told)
                positional = len(asked["expressions"])
                names = dict(zip(given, values[positional:], strict=True))
                self.altered[asked["id"]] = self.altered_in(asked["given"], names)
                if hidden:
                    part, message = self.hidden(hidden, {**dict(zip(asked["names"], values, strict=False)), **names})
                else:
                    part, message = credit.verdict_of(asked["id"], values[:positional], names)
                if not trial or part == 1.0:
                    own = dict(zip(asked["names"], values, strict=False))
                    drawn = {} if part == 1.0 or hidden else _drawn({**own, **names})
                    ours = {"ours": True} if hidden else {}
                    return {"part": part, "message": message, "how": "apart", "drawn": drawn, **ours}
            except CannotCross as reason:
                told = {"cannot": str(reason), "foreign": reason.foreign}
            except (LookupError, TypeError, ValueError, RuntimeError, AttributeError, ArithmeticError) as error:
                if not trial:
                    return {"part": 0.0, "message": f"the answers cannot be read: {error}", "how": "apart"}
        expected_here = not trial and asked["id"] in apart
        if expected_here and told.get("foreign"):
            what = str(told.get("cannot", "an object"))[:100]
            return {
                "part": 0.0,
                "message": f"the answer holds {what}, which is not what was asked for.",
                "how": "apart",
            }
        if expected_here and hidden:  # only the referee may see a hidden test: it would tell a program the answer
            return {
                "part": 0.0,
                "message": "the hidden tests could not be asked.",
                "how": "apart",
                "ours": True,
                "doubt": f"hidden tests could not be asked: the answer holds {str(told.get('cannot'))[:100]}",
            }
        beside = self.ask({"do": "beside", **asked, **({"code": hidden} if hidden else {})})
        if "raised" in beside or "part" not in beside:
            why = _error(beside.get("raised") or {"name": "Error", "message": str(beside.get("cannot", ""))})
            return {"part": 0.0, "message": f"checking it raised {why['name']}: {why['message']}", "how": "beside"}
        part = beside["part"] if type(beside["part"]) in (int, float) else 0.0
        mark = {"part": min(1.0, max(0.0, part)), "message": str(beside.get("message", "")), "how": "beside"}
        changed = [str(name)[:80] for name in beside.get("changed", [])][:5]
        if changed:
            mark["part"] = 0.0
            mark["message"] = "the checks were changed while the notebook ran, so they were not asked."
            mark["doubt"] = f"changed {', '.join(changed)}"
        elif expected_here and mark["part"]:
            mark["doubt"] = "answers of this exercise are usually judged apart, and these could not be"
        elif trial:
            mark["doubt"] = f"the answer holds {str(told.get('cannot', 'what the check does not take so'))[:100]}"
        return mark

    def altered_in(self, given: dict[str, str], values: dict[str, Any]) -> list[str]:
        """Which names are given to a check with other content than the course's own cells have given them."""
        before = {name: self.gave.get(name, "") for name in given.values()}
        return [name for keyword, name in given.items() if before[name] and as_it_is(values[keyword]) != before[name]]

    def hidden(self, code: str, names: dict[str, Any]) -> tuple[float, str]:
        """Run a hidden test in this process, with the answers by their names."""
        import tensorglass as torch

        try:
            with redirect_stdout(StringIO()):
                exec(compile(code, "<hidden test>", "exec"), {"torch": torch, **names})
        except Exception as error:
            name = type(error).__name__
            known = getattr(builtins, name, None) is type(error)  # the answer may have chosen any other name
            return 0.0, f"a hidden test does not hold ({name if known else 'an error'})."
        return 1.0, "The hidden tests hold."

    def call(self, number: int, args: list[Any], kwargs: dict[str, Any], side: Side) -> Any:
        """Have the runner call a learner's function."""
        sizes = [kept.size for kept in open_accounts()]
        told = self.ask({"do": "call", **side.asking(number, args, kwargs)})
        raised, self.raised = self.raised, None
        if "cannot" in told:
            raise CannotCross(str(told["cannot"]), bool(told.get("foreign")))
        if "raised" in told or "failed" in told:
            why = _error(told.get("raised") or {"name": "RuntimeError", "message": str(told["failed"])})
            if raised is not None and _described(raised) == why:
                raise raised  # raised by a check's function, passed on by the learner's
            raise exception_called(why["name"])(why["message"])
        result = side.take(told, [*args, *kwargs.values()])
        side.enter_account(told["account"], sizes)
        return result


def _drawn(values: dict[str, Any]) -> dict[str, str]:
    """The memory map of a wrong answer's tensors, drawn in this process, to illustrate the message. Large tensors are
    left out."""
    import tensorglass as torch
    from glassroom import show

    tensors = {name: value for name, value in values.items() if type(value) is torch.Tensor}
    if not 0 < len(tensors) <= MOST_DRAWN or sum(tensor.numel() for tensor in tensors.values()) > MOST_CELLS:
        return {}
    try:
        return {"image/svg+xml": show(**tensors).svg[:150_000]}
    except Exception:  # a picture is an extra: a failure to draw it must not cost a mark
        return {}


def _described(error: Exception) -> dict[str, str]:
    return {"name": type(error).__name__[:80], "message": str(error)[:1000]}


def _error(told: Any) -> dict[str, str]:
    if not isinstance(told, dict):
        return {"name": "Error", "message": ""}
    return {"name": str(told.get("name"))[:80], "message": str(told.get("message"))[:1000]}


def _outputs(told: Any) -> list[dict[str, str]]:
    if not isinstance(told, list):
        return []
    kinds = ("image/svg+xml", "image/png", "text/plain")
    outputs = []
    for table in told[:12]:
        if isinstance(table, dict):
            kept = {kind: table[kind][:150_000] for kind in kinds if isinstance(table.get(kind), str)}
            if kept:
                outputs.append(kept)
    return outputs


def tell(event: dict[str, Any]) -> None:
    """One line to whoever started this process."""
    line = json.dumps(event).encode() + b"\n"
    while line:
        line = line[os.write(_RESULTS, line) :]


_RESULTS = 1


def main() -> None:
    """Judge each plan that arrives on the socket whose number is the first argument, in a fork, until it closes."""
    exercises()
    from glassroom import show  # noqa: F401  # so that forks have it loaded

    gc.freeze()  # so that no fork's garbage collection touches, and so copies, what is loaded already
    control = socket.socket(fileno=int(sys.argv[1]))
    while True:
        word, numbers, _, _ = socket.recv_fds(control, 1, 4)
        if not word:
            return
        if os.fork() == 0:
            control.close()
            try:
                _judge(*numbers)
            except BaseException:
                traceback.print_exc()
            finally:
                remove()
                os._exit(0)
        for number in numbers:
            os.close(number)
        os.wait()


def _judge(channel: int, plan: int, told: int, said: int) -> None:
    """Judge one plan, read from a file descriptor; `told` receives the marks, `said` what the checks print."""
    global _RESULTS
    _RESULTS = told
    os.dup2(said, 1)
    os.dup2(said, 2)
    with os.fdopen(plan) as file:
        steps = json.load(file)
    if steps.get("files"):
        place(steps["files"])
    Referee(socket.socket(fileno=channel), steps).go()


if __name__ == "__main__":
    main()
