"""`torch.profiler` on both libraries: names and numbers of rows, columns of tables, actions of schedules, refusals."""

from __future__ import annotations

import gzip
import json
import re
import warnings
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

import tensorglass
from tensorglass import profiler
from tensorglass.core.left_out import is_left_out

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")
pytest.importorskip("expecttest", reason="PyTorch's table of operators needs it: pip install expecttest")
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402  # after the check above

LIBRARIES = (tensorglass, torch)
#: Functions that call several operators in PyTorch and one here, or the other way round.
OTHERWISE = frozenset((
    "Tensor.__getitem__", "Tensor.__rdiv__", "Tensor.stft", "nn.functional.dropout3d",
    "nn.functional.fractional_max_pool2d", "nn.functional.fractional_max_pool3d", "nn.functional.huber_loss",
    "nn.functional.l1_loss", "nn.functional.linear_cross_entropy", "nn.functional.max_unpool1d",
    "nn.functional.mse_loss", "nn.functional.multi_head_attention_forward",
    "nn.functional.multilabel_soft_margin_loss", "nn.functional.smooth_l1_loss", "nn.functional.upsample_bilinear",
    "nn.functional.upsample_nearest", "stft", "unravel_index",
))  # fmt: skip


def _forms() -> list[tuple[str, tuple[Any, ...], dict[str, Any]]]:
    """A call of each form of each operator that both libraries have."""
    calls = []
    for info in op_db:
        dtypes = [dtype for dtype in (torch.float32, torch.int64, torch.bool) if dtype in info.dtypes]
        if not dtypes or info.name.startswith(("_refs", "masked.", "ops.")):
            continue
        names = [
            re.sub(r"^(linalg|fft|special)_", r"\1.", item) for item in (info.name, *[a.name for a in info.aliases])
        ]
        methods = (info.method_variant, info.inplace_variant)
        names += [f"Tensor.{method.__name__}" for method in methods if hasattr(method, "__name__")]
        operators = (info.operator_variant, info.inplace_operator_variant)
        names += [f"Tensor.__{method.__name__}__" for method in operators if hasattr(method, "__name__")]
        for sample in islice(info.sample_inputs_func(info, "cpu", dtypes[0], False), 1):
            arguments = (sample.input, *sample.args)
            if info.name.startswith("nn.functional.embedding"):
                arguments = (arguments[1], arguments[0], *arguments[2:])
            calls += [(name, arguments, sample.kwargs) for name in dict.fromkeys(names) if _is_in_both(name)]
    return calls


def _is_in_both(name: str) -> bool:
    try:
        return all(callable(attrgetter(name)(library)) for library in LIBRARIES) and not is_left_out(
            attrgetter(name)(tensorglass)
        )
    except AttributeError:
        return False


def _given(library: Any, argument: Any) -> Any:
    if isinstance(argument, torch.Tensor):
        return library.tensor(argument.tolist(), dtype=getattr(library, str(argument.dtype)[6:])).reshape(
            argument.shape
        )
    if type(argument) in (list, tuple):
        return type(argument)(_given(library, item) for item in argument)
    return getattr(library, str(argument)[6:]) if isinstance(argument, torch.dtype) else argument


def _children(profile: Any) -> dict[str, list[str]]:
    """The calls directly within each outermost range, by its name; without PyTorch's rows of freed memory."""
    return {
        event.name: [child.name for child in event.cpu_children if child.name != "[memory]"]
        for event in profile.events()
        if event.cpu_parent is None
    }


def _rows(library: Any, calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]]) -> list[list[str] | None]:
    """The rows of each call; None if it is refused."""
    refused = set()
    with library.profiler.profile() as profile:
        for number, (name, arguments, keywords) in enumerate(calls):
            given = [_given(library, argument) for argument in arguments]
            options = {key: _given(library, keyword) for key, keyword in keywords.items()}
            with library.profiler.record_function(str(number)):
                try:
                    attrgetter(name)(library)(*given, **options)
                except (TypeError, RuntimeError):
                    refused.add(number)
    measured = _children(profile)
    return [None if number in refused else measured[str(number)] for number in range(len(calls))]


def test_each_operator_has_the_row_that_it_has_in_pytorch() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        calls = _forms()
        ours, theirs = (_rows(library, calls) for library in LIBRARIES)
    pairs = list(zip(calls, ours, theirs, strict=True))
    differ = [(name, one, other) for (name, _, _), one, other in pairs if None not in (one, other) and one != other]
    assert [row for row in differ if row[0] not in OTHERWISE] == []
    assert sum(one is not None and one == other for _, one, other in pairs) > 800


def _training(library: Any, profile: Any) -> Any:
    library.manual_seed(0)
    nn, F = library.nn, library.nn.functional

    class Doubled(library.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient * 2

    net = nn.Sequential(
        nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 3)
    )
    recurrent = nn.GRU(3, 4, batch_first=True)
    optimizer = library.optim.SGD(net.parameters(), lr=0.1)
    data = library.utils.data.TensorDataset(library.ones(4, 1, 6, 6), library.tensor([0, 1, 2, 0]))
    x = library.ones(3, 4)
    with profile:
        for images, labels in library.utils.data.DataLoader(data, batch_size=2):
            with library.profiler.record_function("forward"), library.profiler.record_function("loss"):
                loss = F.cross_entropy(net(images), labels)
            optimizer.zero_grad()
            Doubled.apply(loss).backward()
            optimizer.step()
        _ = recurrent(library.ones(1, 2, 3))
        (x[1:] + 1).clamp_(max=3).sum()
    return profile


def _tops(profile: Any) -> list[tuple[str, list[str]]]:
    """The outermost rows, and within ranges the calls in them."""
    ranges = ("forward", "loss", "enumerate")
    return [
        (event.name, [child.name for child in event.cpu_children if child.name.startswith(("aten", "loss"))]
         if event.name in ranges else [])
        for event in profile.events()
        if (event.cpu_parent is None or event.cpu_parent.name in ranges) and event.name != "[memory]"
    ]  # fmt: skip


def test_training_has_the_rows_that_it_has_in_pytorch() -> None:
    ours, theirs = (_training(library, library.profiler.profile()) for library in LIBRARIES)
    seeding = ("aten::empty", "aten::item", "aten::random_")  # of the loader's workers
    ours_of_it, theirs_of_it = ([top for top in _tops(run) if top[0] not in seeding] for run in (ours, theirs))
    assert ours_of_it == theirs_of_it
    nodes = [
        {row.key: row.count for row in profile.key_averages() if "Backward" in row.key or "Accumulate" in row.key}
        for profile in (ours, theirs)
    ]
    assert nodes[0] == nodes[1]


TABLES: tuple[dict[str, Any], ...] = (
    {},
    {"sort_by": "cpu_time_total", "row_limit": 1, "header": "A header"},
    {"top_level_events_only": True},
    {"time_unit": "s"},
    {"max_name_column_width": 9},
)


def _layout(table: str) -> list[str]:
    """A table without its numbers and shapes: every word, and where the columns are."""
    return [re.sub(r"\d+\.\d+(us|ms|s|%)", "", line).rstrip() for line in table.splitlines()]


@pytest.mark.parametrize("options", [{}, {"record_shapes": True}, {"profile_memory": True}], ids=str)
@pytest.mark.parametrize("table", TABLES, ids=str)
def test_tables_are_laid_out_as_in_pytorch(options: dict[str, Any], table: dict[str, Any]) -> None:
    drawn = []
    for library in LIBRARIES:
        x = library.ones(20, 30)
        with (
            library.profiler.profile(**options) as profile,
            library.profiler.record_function("a range whose name is longer than the column of the names may be"),
        ):
            library.neg(x)
        events = profile.key_averages(group_by_input_shape="record_shapes" in options).table(**table)
        drawn.append([re.sub(" +", " ", line) for line in _layout(events)])
    ours, theirs = ([line for line in lines if "[memory]" not in line] for lines in drawn)
    assert ours == theirs


def test_memory_is_what_an_operator_leaves_behind() -> None:
    results = []
    for library in LIBRARIES:
        x = library.ones(16, 16)
        with library.profiler.profile(profile_memory=True) as profile:
            kept = [library.relu(x), x @ x, x.t()]
        results.append({row.key: row.cpu_memory_usage for row in profile.key_averages() if row.key in
                      ("aten::relu", "aten::matmul", "aten::t")})  # fmt: skip
        del kept
    assert results[0] == results[1] == {"aten::relu": 1024, "aten::matmul": 1024, "aten::t": 0}


def test_times_lie_within_each_other() -> None:
    with profiler.profile() as profile, profiler.record_function("outer"):
        x = tensorglass.ones(50, 50)
        for _ in range(3):
            _ = x @ x
    (outer,) = [event for event in profile.events() if event.name == "outer"]
    products = next(row for row in profile.key_averages() if row.key == "aten::matmul")
    assert products.count == 3
    assert 0 < products.cpu_time_total <= outer.cpu_time_total
    assert outer.self_cpu_time_total == pytest.approx(
        outer.cpu_time_total - sum(c.cpu_time_total for c in outer.cpu_children)
    )
    assert profile.key_averages().total_average().count == len(profile.events())
    assert profile.key_averages().self_cpu_time_total == pytest.approx(outer.cpu_time_total)


@pytest.mark.parametrize("settings", [
    {"wait": 1, "warmup": 1, "active": 2}, {"wait": 0, "warmup": 1, "active": 1, "repeat": 2},
    {"wait": 2, "warmup": 1, "active": 3, "skip_first": 2}, {"wait": 2, "warmup": 1, "active": 1, "skip_first_wait": 1},
    {"wait": 1, "warmup": 0, "active": 1, "repeat": 3, "skip_first": 1},
], ids=str)  # fmt: skip
@pytest.mark.filterwarnings("ignore:Profiler won't be using warmup")
def test_schedules_say_and_do_what_they_do_in_pytorch(settings: dict[str, int]) -> None:
    results = []
    for library in LIBRARIES:
        actions = library.profiler.schedule(**settings)
        ready: list[list[str]] = []
        with library.profiler.profile(
            schedule=actions,
            on_trace_ready=lambda p, ready=ready: ready.append([e.name for e in p.events() if "Step" in e.name]),
        ) as profile:
            for _ in range(9):
                library.ones(2)
                profile.step()
        results.append(([actions(step).name for step in range(20)], ready, profile.step_num))
    assert results[0] == results[1]


def _outcome(library: Any, call: str) -> tuple[str, list[str]]:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            outcome = repr(eval(call, {"t": library.profiler, "a": library.autograd.profiler}))
        except Exception as error:
            outcome = f"{type(error).__name__}: {error}".splitlines()[0]
    return re.sub(r"(torch|tensorglass)\.|(autograd_)?profiler\.|autograd\.|0x\w+", "", outcome), [
        str(warning.message) for warning in warned
    ]


@pytest.mark.parametrize("call", [
    "t.schedule(wait=-1, warmup=0, active=1)", "t.schedule(wait=0, warmup=0, active=1)(3)",
    "t.schedule(wait=1, warmup=1, active=1)(-1)", "t.schedule(1, 1, 1)", "t.profile(activities=[])",
    "t.profile(activities=['CPU'])", "t.profile().key_averages()", "t.profile().events()", "t.profile().stop()",
    "t.profile().export_chrome_trace('never.json')", "t.profile().export_stacks('never.txt')",
    "str(a.profile(use_cuda=True))[:3]", "str(a.profile(use_device='abacus'))[:3]", "a.profile().table()",
    "a.profile(enabled=False).__enter__()", "a.profile(use_cpu=False)", "a.emit_nvtx().__enter__()",
    "a.emit_itt().__enter__()", "t.record_function(3).__enter__()", "t.supported_activities()",
    "t.ProfilerActivity.CPU", "list(t.ProfilerAction)",
    "t.kineto_available(), t.profiler.kineto_available()",
])  # fmt: skip
def test_answers_and_refusals_are_those_of_pytorch(call: str) -> None:
    assert _outcome(tensorglass, call) == _outcome(torch, call)


def test_traces_are_files_that_viewers_read(tmp_path: Path) -> None:
    handler = profiler.tensorboard_trace_handler(str(tmp_path / "logs"), "me", use_gzip=True)
    with profiler.profile(on_trace_ready=handler, record_shapes=True):
        tensorglass.ones(2, 3).relu()
    (path,) = (tmp_path / "logs").iterdir()
    assert re.fullmatch(r"me\.\d+\.pt\.trace\.json\.gz", path.name)
    events = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
    assert [(event["name"], event["ph"]) for event in events] == [("aten::ones", "X"), ("aten::relu", "X")]
    assert events[1]["args"] == {"Input Dims": [[2, 3]]}


def test_nothing_stays_behind() -> None:
    before = dict(vars(tensorglass.Tensor)), tensorglass.relu
    with profiler.profile():
        tensorglass.ones(2).relu()
        with pytest.raises(RuntimeError, match="already enabled"), profiler.autograd_profiler.profile():
            pass
    with (
        profiler.profile() as profile,
        pytest.raises(ZeroDivisionError),
        profiler.record_function("open"),
    ):
        raise ZeroDivisionError
    assert [event.name for event in profile.events()] == ["open"]
    assert {name for name, value in vars(tensorglass.Tensor).items() if value is not before[0][name]} <= {"__doc__"}
    assert tensorglass.relu is before[1]
