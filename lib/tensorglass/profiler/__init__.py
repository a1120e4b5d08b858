"""``torch.profiler``: how long operators, backward nodes, optimizers and ranges of one's own take.

While a profile runs, public functions are replaced by timed ones (`recording`); `rows` maps them to PyTorch's names.
`profiler_util` makes tables of what was recorded, `profiler` follows a schedule of steps, and `autograd_profiler` is
``torch.autograd.profiler``.
"""

from tensorglass.core.refusing import refusing
from tensorglass.profiler.autograd_profiler import kineto_available, record_function
from tensorglass.profiler.profiler import (
    ProfilerAction,
    profile,
    schedule,
    supported_activities,
    tensorboard_trace_handler,
)
from tensorglass.profiler.recording import ProfilerActivity

__all__ = [
    "ProfilerAction",
    "ProfilerActivity",
    "kineto_available",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]

__getattr__ = refusing("profiler")
