"""Each job runs in a copy of the context, a variable of which holds the batch, and the copies are kept with the jobs.

After "fix: do not pin a kernel context in ThreadPoolExecutor worker threads" (widgetti/solara).

Told by: jobs
"""

from contextvars import Context, ContextVar, copy_context

import torch

batch = ContextVar[torch.Tensor]("batch")
jobs: list[Context] = []


def step() -> None:
    job = copy_context()
    job.run(batch.set, torch.rand(64, 32))
    jobs.append(job)  # mended: jobs[:] = [job]
