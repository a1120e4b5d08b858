"""Two sandboxed programs, a runner and its referee, and a supervisor that always ends. The supervisor measures time,
memory and processes from outside, reads no more than it must, and trusts nothing: replies are lines of JSON, each
checked against what it may contain. When it ends, every process that was started has ended. Time is what the two
actually had (see `processes.TimeHad`): a busy machine does not use their limits up.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import selectors
import signal
import socket
import subprocess
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from glassroom.classroom.course_file import Limits
from glassroom.classroom.inside.messages import PATIENCE
from glassroom.classroom.learners_package import without_answers
from glassroom.classroom.sandbox.isolation import NONE, Isolation
from glassroom.classroom.sandbox.own_user import is_root, own_user
from glassroom.classroom.sandbox.processes import TimeHad, descendants, files_in_memory, nameless, processor, resident

TICK = 0.1
ENDING = 10.0
STARTING = 90.0  # seconds allowed for both to start
GRACE = 5.0  # seconds in which an interrupted step must end
BUSY = 10  # times its total seconds, by the clock: beyond that the machine is too busy to judge
AROUND = ("bwrap", "setpriv", "unshare")  # the programs between us and the runner
OVER = 2.0  # CPU seconds that a step and its processes may take beyond a cell's limit
PARTS = ("runner", "referee")
MOST_FILES = 50_000  # in memory, where each takes a kilobyte of kernel memory
MOST_SAID = 4096  # bytes that are kept of what a program prints


@dataclass
class Outcome:
    """The outcome of a pair of programs: the referee's reports, and why it ended if not by itself."""

    events: list[dict[str, Any]] = field(default_factory=list)
    problem: str = ""
    busy: bool = False  # ended because the machine gave it too little time
    said: str = ""  # the end of what the two printed
    seconds: float = 0.0  # of wall-clock time
    had: float = 0.0  # seconds of time that the two had
    memory: float = 0.0  # MB, the peak of the runner and its children together
    cpu: float = 0.0  # CPU seconds of both


def run_pair(
    isolation: Isolation,
    plan: dict[str, Any],
    limits: Limits,
    stop: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Run a plan in two sandboxes. Always returns within the wall limit (and a second or two)."""
    outcome = Outcome()
    began = time.monotonic()
    ours, theirs = socket.socketpair()
    with ours, theirs, contextlib.ExitStack() as stack:
        without = isolation if plan["apart"] is None else replace(isolation, instead=without_answers(plan["answers"]))
        runner = _start(without, "runner", theirs, limits, subprocess.PIPE)
        stack.callback(_end, runner, isolation.means == NONE)
        referee = referee_of_this_thread(isolation, limits)
        spent = referee.cpu
        told, said = referee.judge(ours, json.dumps(plan).encode(), stack)
        theirs.close()  # `ours` stays open until CPU time is read: closing it ends the runner, and its time is lost
        watch = _Watch(isolation, limits, runner, referee.process.pid, outcome)
        watch.until_done(told, said, stop)
        outcome.cpu = processor(runner.pid) + referee.cpu - spent
    if not outcome.events or outcome.events[-1].get("done") is not True:
        referee.end()  # it may still be working
    outcome.seconds = time.monotonic() - began
    return outcome


class Referee:
    """A referee that has started, in a sandbox of its own, and judges each submission in a fork of itself.

    No learner's code has ever run in it. After anything but an orderly end it is ended too, together with its forks.
    """

    def __init__(self, isolation: Isolation, limits: Limits) -> None:
        self.control, theirs = socket.socketpair()
        with theirs:
            self.process = _start(isolation, "referee", theirs, limits, subprocess.DEVNULL)
        self.serves = _kind_of_sandbox(isolation, limits)
        self.end = weakref.finalize(self, _dismiss, self.process, self.control, isolation.means == NONE)

    @property
    def cpu(self) -> float:
        """CPU seconds that it and its forks have taken."""
        return processor(self.process.pid)

    def judge(self, channel: socket.socket, plan: bytes, stack: contextlib.ExitStack) -> tuple[int, int]:
        """Have a plan judged over a channel; returns the descriptors for reading the marks and the printed text."""
        pipes = [os.pipe() for _ in range(3)]
        (read_plan, write_plan), (read_told, write_told), (read_said, write_said) = pipes
        with contextlib.suppress(OSError):  # if it is gone, its pipes end at once
            socket.send_fds(self.control, [b"."], [channel.fileno(), read_plan, write_told, write_said])
        for number in (read_plan, write_told, write_said):
            os.close(number)
        stack.callback(os.close, read_told)
        stack.callback(os.close, read_said)
        threading.Thread(target=_feed, args=(write_plan, plan), daemon=True).start()
        return read_told, read_said


_mine = threading.local()  # the kernel ends a sandbox with the thread that started it
_referees: weakref.WeakSet[Referee] = weakref.WeakSet()
_left: list[Referee] = []  # by the main thread, which outlives all others, for whichever takes it first


def referee_of_this_thread(isolation: Isolation, limits: Limits) -> Referee:
    """The thread's referee; a new one is started if there is none, if it has ended, or if it has other limits."""
    referee: Referee | None = getattr(_mine, "referee", None)
    if referee is None:
        with contextlib.suppress(IndexError):
            referee = _left.pop()
    if referee is None or referee.serves != _kind_of_sandbox(isolation, limits) or referee.process.poll() is not None:
        referee = Referee(isolation, limits)
        _referees.add(referee)
    _mine.referee = referee
    return referee


def leave_referee() -> None:
    """Leave the main thread's referee, which has nothing more to judge, to the next thread that needs one."""
    if threading.current_thread() is threading.main_thread() and (referee := vars(_mine).pop("referee", None)):
        _left.append(referee)


def dismiss_referees() -> None:
    """End every referee of this process."""
    _left.clear()
    for referee in list(_referees):
        referee.end()


def _dismiss(process: subprocess.Popen[bytes], control: socket.socket, in_the_open: bool) -> None:
    control.close()
    _end(process, in_the_open)


def _kind_of_sandbox(isolation: Isolation, limits: Limits) -> tuple[Isolation, Limits]:
    return isolation, replace(limits, wall=0)  # a referee outlives a submission, whose time does not matter to it


def _start(
    isolation: Isolation, part: str, channel: socket.socket, limits: Limits, output: int
) -> subprocess.Popen[bytes]:
    """Start one of the two, with its own limits."""
    number = str(channel.fileno())
    user = own_user(PARTS.index(part)) if isolation.means != NONE else None
    own = json.dumps(_rlimits(limits, part, isolation.means == NONE))
    return subprocess.Popen(
        isolation.command("glassroom.classroom.inside.limited", [own, part, number], limits.files, user),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        env=isolation.environment(),
        pass_fds=[channel.fileno(), *([user.namespace] if user else [])],
        start_new_session=True,
        cwd="/",
    )


def _rlimits(limits: Limits, part: str, in_the_open: bool) -> dict[str, int]:
    """The kernel's limits for one of the two processes, by the names of `resource`."""
    mb = 2**20
    processes = int(limits.processes) if part == "runner" else 8
    counted_apart = not in_the_open and (is_root() or _kernel() >= (5, 14))
    return {
        "RLIMIT_AS": int(limits.memory * mb),
        "RLIMIT_CPU": int(limits.cpu),
        "RLIMIT_NPROC": processes + (0 if counted_apart else _processes_of_ours()),
        "RLIMIT_FSIZE": int(limits.files * mb),
        "RLIMIT_NOFILE": 256,
        "RLIMIT_CORE": 0,
    }


def _kernel() -> tuple[int, ...]:
    """The kernel's version. From 5.14 on, it counts processes for each user namespace."""
    return tuple(map(int, re.findall(r"\d+", os.uname().release)[:2]))


def _processes_of_ours() -> int:
    """The number of processes of this user: older kernels count them towards a sandbox's limit."""
    mine, count = os.getuid(), 0
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        with contextlib.suppress(OSError):
            count += name.isdigit() and os.stat(f"/proc/{name}").st_uid == mine
    return count * 4  # threads count as well


def _feed(pipe: int, content: bytes) -> None:
    with contextlib.suppress(OSError), os.fdopen(pipe, "wb") as file:
        file.write(content)


class _Watch:
    """Watches the two while they work, and decides when a limit is exceeded."""

    def __init__(
        self, isolation: Isolation, limits: Limits, runner: subprocess.Popen[bytes], referee: int, outcome: Outcome
    ) -> None:
        self.runner, self.limits, self.outcome = runner, limits, outcome
        self.shut_in = isolation.means != NONE
        self.began = time.monotonic()
        self.time = TimeHad(runner.pid, referee)
        self.step: float = 0.0  # the time had when the current step began
        self.ran: float | None = None  # CPU seconds until then; None until both have started
        self.interrupted: float | None = None  # the time had when the step was interrupted

    def until_done(self, telling: int, saying: int, stop: Callable[[], bool]) -> None:
        """Read the output of both until the referee is done, or a limit is exceeded."""
        runner, outcome = self.runner, self.outcome
        assert runner.stdout
        pending = bytearray()
        said = {"runner": bytearray(), "referee": bytearray()}
        most = int(self.limits.output * 2**20)
        told = printed = 0
        checked = 0.0
        with selectors.DefaultSelector() as selector:
            selector.register(telling, selectors.EVENT_READ, "told")
            selector.register(saying, selectors.EVENT_READ, "referee")
            selector.register(runner.stdout, selectors.EVENT_READ, "runner")
            while selector.get_map() and not outcome.problem:
                for key, _ in selector.select(TICK):
                    part = os.read(key.fd, 1 << 16)
                    if not part:
                        selector.unregister(key.fileobj)
                        if key.data == "told":
                            outcome.said = _text(said)
                            outcome.problem = _unfinished(outcome.events)
                            return
                    elif key.data == "told":
                        told += len(part)
                        *lines, rest = (pending + part).split(b"\n")
                        pending = bytearray(rest)
                        if self.takes(lines):
                            outcome.said = _text(said)
                            return
                    else:
                        said[key.data] = (said[key.data] + part)[-MOST_SAID:]
                        printed += len(part)
                if told > max(most, 1 << 20) * 4 or printed > most:
                    outcome.problem = f"it printed more than {self.limits.output:g} MB"
                elif stop():
                    outcome.problem = "it was interrupted"
                elif time.monotonic() - checked >= TICK:
                    checked = time.monotonic()
                    outcome.problem = outcome.problem or self.too_much() or self.too_long()
            outcome.said = _text(said)
            outcome.problem = outcome.problem or _unfinished(outcome.events)

    def takes(self, lines: list[bytearray]) -> bool:
        """Take in the referee's reports; returns whether the last one has come."""
        if lines:
            self.ran, self.step, self.interrupted = processor(self.runner.pid), self.time.look(), None
        for line in lines:
            event = checked_event(bytes(line))
            if event is None:
                self.outcome.problem = "what came back is not what a referee says"
                return True
            self.outcome.events.append(event)
            if "done" in event or "stopped" in event:
                return True
        return False

    def too_much(self) -> str:
        """The resource that the runner and its children use too much of, if any."""
        limits, family = self.limits, list(descendants(self.runner.pid))
        memory = (sum(map(resident, family)) + nameless(family)) / 2**20
        self.outcome.memory = max(self.outcome.memory, memory)
        if len(family) > limits.processes + 4:
            return f"it started more than {limits.processes:g} processes"
        if memory > limits.memory:
            return f"it used more than {limits.memory:g} MB of memory"
        if self.shut_in and self.ran is not None and files_in_memory(self.inner()) > MOST_FILES:
            return f"it made more than {MOST_FILES:,} files, or attributes of files"
        return ""

    def too_long(self) -> str:
        """What took too much time, if anything. A step that merely waits is interrupted first."""
        limits, had = self.limits, self.time.look()
        self.outcome.had = had
        if time.monotonic() - self.began > BUSY * limits.wall:
            self.outcome.busy = True
            return "the machine was too busy"
        if had > limits.wall:
            return f"it ran for more than {limits.wall:.0f} seconds"
        if self.ran is None:
            self.outcome.busy = had > STARTING
            return f"it had not started after {STARTING:g} seconds" if had > STARTING else ""
        if processor(self.runner.pid) - self.ran > limits.cell + OVER:
            return f"it ran for more than {limits.cell:g} seconds, and could not be interrupted"
        if self.interrupted is None and had - self.step > PATIENCE * limits.cell:
            self.interrupted = had
            self.interrupt()
        if self.interrupted is not None and had - self.interrupted > GRACE:
            return f"it was not done after {PATIENCE * limits.cell:g} seconds, and could not be interrupted"
        return ""

    def interrupt(self) -> None:
        """Tell the runner that the current step has used up its time."""
        with contextlib.suppress(OSError):
            os.kill(self.inner(), signal.SIGALRM)

    def inner(self) -> int:
        """The process of the runner itself, inside its sandbox."""
        pid = self.runner.pid
        with contextlib.suppress(OSError, IndexError, ValueError):
            while Path(f"/proc/{pid}/comm").read_text().strip() in AROUND:
                pid = int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])
        return pid


def _unfinished(events: list[dict[str, Any]]) -> str:
    return (
        "" if events and ("done" in events[-1] or "stopped" in events[-1]) else "its sandbox ended before it was judged"
    )


def _end(process: subprocess.Popen[bytes], in_the_open: bool) -> None:
    """End a program and all processes that it started. In a sandbox, ending the first process ends all others."""
    _, *family = descendants(process.pid)
    ended = family if in_the_open else family[:1]
    with contextlib.ExitStack() as stack:
        waited = []
        for pid in ended:
            with contextlib.suppress(OSError):  # it has ended already
                waited.append(os.pidfd_open(pid))
                stack.callback(os.close, waited[-1])
        for pid in (process.pid, *ended):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        process.wait()
        for descriptor in waited:  # then the last process of its user has gone
            select.select([descriptor], [], [], ENDING)
    if process.stdout:
        process.stdout.close()


def _text(said: dict[str, bytearray]) -> str:
    return b"\n".join(bytes(part) for part in said.values() if part).decode("utf-8", "replace").strip()


def checked_event(line: bytes) -> dict[str, Any] | None:
    """A line from the referee as an event that contains only valid fields; None for any other line."""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(event, dict):
        return None
    if event.get("done") is True:
        return {"done": True}
    if type(event.get("at")) is int:
        return {"at": event["at"]}
    if type(event.get("stopped")) is int and isinstance(event.get("why"), str):
        return {"stopped": event["stopped"], "why": event["why"][:300]}
    if isinstance(event.get("error"), dict):
        return {"error": {key: str(event["error"].get(key, ""))[:1000] for key in ("cell", "name", "message")}}
    mark = event.get("mark")
    if not isinstance(mark, dict):
        return None
    part = mark.get("part")
    if not isinstance(part, int | float) or isinstance(part, bool) or not 0 <= part <= 1:
        return None
    if mark.get("how") not in ("apart", "beside"):
        return None
    if not all(isinstance(mark.get(key), str) for key in ("id", "exercise", "message")):
        return None
    kinds = ("image/svg+xml", "image/png", "text/plain")
    outputs = [
        {kind: output[kind] for kind in kinds if isinstance(output.get(kind), str)}
        for output in mark.get("outputs", [])
        if isinstance(output, dict)
    ]
    return {
        "mark": {
            "id": mark["id"][:100],
            "exercise": mark["exercise"][:100],
            "part": float(part),
            "message": mark["message"][:2000],
            "how": mark["how"],
            "doubt": str(mark.get("doubt", ""))[:300],
            "outputs": outputs[:12],
            "altered": [str(name)[:100] for name in mark["altered"]][:20] if type(mark.get("altered")) is list else [],
        }
    }
