"""Marking on many machines: the same work, handed to dask.distributed.

A worker is sent a submission with everything needed to mark it, and runs it in a sandbox of its own. If a worker dies,
nothing is lost: dask gives its submissions to another, and finished rows are saved already. dask does not stop
processes that a task has started, so each sandbox watches a variable that every worker can see, and ends when it is set
or when its worker ends.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterable, Iterator
from tempfile import TemporaryDirectory
from typing import Any

from glassroom.classroom.batch import Runner, Work
from glassroom.classroom.grading import Row, Task, mark
from glassroom.classroom.sandbox import Isolation, best_isolation, dismiss_referees
from glassroom.workspace.problems import Problem

AHEAD = 4  # submissions queued at the scheduler for each worker thread
RETRIES = 3


def on_cluster(address: str, jobs: int) -> Runner:
    """Mark on a cluster whose scheduler is at `address`; "local" starts one on this machine, with `jobs` processes."""

    def run(work: Iterable[Work], isolation: Isolation, stopped: threading.Event) -> Iterator[Row]:
        from distributed import Client, LocalCluster, as_completed

        cluster = scratch = None
        if address == "local":
            scratch = TemporaryDirectory(prefix="glassroom-dask-")
            cluster = LocalCluster(
                n_workers=jobs,
                threads_per_worker=1,
                processes=True,
                dashboard_address=None,
                local_directory=scratch.name,
            )
        try:
            client = Client(cluster, timeout=300) if cluster is not None else Client(address, timeout=30)
        except (OSError, ValueError, TimeoutError) as error:
            raise Problem(f"No dask scheduler answers at {address} ({error}).") from error
        name = f"glassroom-stop-{uuid.uuid4().hex}"
        try:
            slots = max(1, sum(client.nthreads().values()))
            tasks: dict[str, Any] = {}
            given: dict[str, tuple[Task, str, str]] = {}
            waiting = iter(work)
            done = as_completed(loop=client.loop)  # a program may have other clients, with loops of their own

            def submit() -> bool:
                for task, learner, files, when in waiting:
                    if task.version not in tasks:
                        tasks[task.version] = client.scatter(task, broadcast=True)
                    future = client.submit(
                        mark_there,
                        tasks[task.version],
                        learner,
                        files,
                        isolation.means,
                        when,
                        name,
                        key=f"mark-{uuid.uuid4().hex}",
                        retries=RETRIES,
                        pure=False,
                    )
                    given[str(future.key)] = (task, learner, when)
                    done.add(future)
                    return True
                return False

            for _ in range(slots * AHEAD):
                if not submit():
                    break
            for future in done:
                if stopped.is_set():
                    break
                yield _row_of_task(future, *given.pop(str(future.key)))
                submit()
        finally:
            _stop(client, name)
            client.close()
            if cluster is not None and scratch is not None:
                cluster.close()
                scratch.cleanup()

    return run


def mark_there(task: Task, learner: str, files: dict[str, bytes], means: str, when: str, name: str) -> Row:
    """Mark one submission, on a worker. The isolation is the best that works there, and no weaker than the
    teacher's."""
    isolation = best_isolation(trust=means == "none")
    return mark(task, learner, files, isolation, lambda: _is_stopped(name), when)


def _row_of_task(future: Any, task: Task, learner: str, when: str) -> Row:
    """The row that a task returned; if none did after all retries, a row that says why. A row that was lost with its
    worker is waited for: another worker marks the submission again."""
    try:
        row: Row = future.result()
    except Exception as error:
        problem = f"no worker could mark it ({type(error).__name__}: {error})"[:300]
        row = Row(learner, task.assignment, submitted=when, problem=problem)
        row.marks = task.questions()
    return row


_stops: dict[str, float] = {}


def _is_stopped(name: str) -> bool:
    """Whether the teacher has stopped the run of this name; `_stop` tells the workers."""
    return name in _stops


def _tell(name: str) -> None:
    _stops[name] = 1.0
    dismiss_referees()


def _stop(client: Any, name: str) -> None:
    """Have every worker end the sandboxes of a run."""
    try:
        client.run(_tell, name, on_error="ignore")
    except (OSError, TimeoutError, ValueError):
        return  # the scheduler is gone, and its workers with it; sandboxes end with their workers
