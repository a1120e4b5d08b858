"""Names that programs import to ask of tensors and networks what they are: nothing is one, and none can be made."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import tensorglass as torch
from tensorglass.distributed.optim import ZeroRedundancyOptimizer
from tensorglass.library import Library
from tensorglass.utils import cpp_extension

SPARSE = [torch.sparse_coo, torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc]


@pytest.mark.parametrize("layout", SPARSE, ids=str)
def test_no_tensor_of_a_sparse_layout_is_made(layout: torch.layout) -> None:
    x = torch.ones(2, 2)
    makers: list[Callable[..., Any]] = [
        lambda: torch.zeros(2, layout=layout), lambda: torch.zeros_like(x, layout=layout),
        lambda: torch.rand(2, layout=layout), lambda: x.new_zeros(2, layout=layout),
        lambda: torch.arange(3, layout=layout), lambda: torch.eye(2, layout=layout),
    ]  # fmt: skip
    for make in makers:
        with pytest.raises(NotImplementedError, match=f"makes no tensor of layout {layout}") as caught:
            make()
        assert "scipy.sparse" in caught.value.__notes__[0]
    assert x.layout is not layout
    assert torch.zeros(2, layout=torch.strided).layout is torch.strided


def test_no_optimizer_shares_its_state_among_processes() -> None:
    weight = torch.ones(1, requires_grad=True)
    assert not isinstance(torch.optim.SGD([weight], 0.1), ZeroRedundancyOptimizer)
    with pytest.raises(NotImplementedError, match="whole in every process"):
        ZeroRedundancyOptimizer([weight], torch.optim.SGD, lr=0.1)


def test_an_operator_of_pytorch_keeps_its_kernels() -> None:
    library = Library("aten", "IMPL")
    assert library.impl("add", lambda x, y: x, "Meta") is None
    with pytest.raises(NotImplementedError, match="aten::add: kernels of PyTorch's own operators cannot be replaced"):
        library.impl("add", lambda x, y: x, "CPU")
    assert (torch.ones(1) + 1).item() == 2


@pytest.mark.parametrize("name", ["load", "load_inline", "CppExtension", "CUDAExtension"])
def test_no_kernel_of_a_programs_own_is_compiled(name: str) -> None:
    assert cpp_extension.CUDA_HOME is None
    with pytest.raises(NotImplementedError, match="mine: sources in C\\+\\+ are not compiled") as caught:
        getattr(cpp_extension, name)(name="mine", sources=["mine.cpp"])
    assert "programs run as they are written" in caught.value.__notes__[0]


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("fx", "Graph GraphModule Interpreter Node Proxy Tracer Transformer"),
        ("distributed.checkpoint", "DefaultLoadPlanner FileSystemReader FileSystemWriter Metadata StorageReader"),
        ("distributed.checkpoint.state_dict", "StateDictOptions"),
        ("_C", "Block Graph Node Value"),
        ("distributed.algorithms._checkpoint.checkpoint_wrapper", "CheckpointWrapper OffloadWrapper"),
        ("distributed.buckets", "GradBucket"),
        ("distributed.device_mesh", "DeviceMesh"),
        ("distributed.stores", "FileStore HashStore PrefixStore Store TCPStore"),
        ("distributed.launcher", "LaunchConfig elastic_launch"),
        ("distributed.rpc", "RRef RpcBackendOptions"),
        ("utils._python_dispatch", "TorchDispatchMode"),
        ("overrides", "TorchFunctionMode"),
        ("distributed.fsdp", "CPUOffload FSDPModule FullStateDictConfig FullyShardedDataParallel MixedPrecision"),
        ("distributed.fsdp.sharded_grad_scaler", "ShardedGradScaler"),
        ("distributed.fsdp.wrap", "CustomPolicy ModuleWrapPolicy"),
        ("distributed.tensor", "DTensor Partial Placement Replicate Shard"),
        ("distributed.tensor.parallel", "ColwiseParallel ParallelStyle RowwiseParallel SequenceParallel"),
        ("utils.cpp_extension", "BuildExtension"),
        ("ao.quantization.observer", "HistogramObserver MinMaxObserver ObserverBase PerChannelMinMaxObserver"),
        ("ao.quantization.fake_quantize", "FakeQuantize FakeQuantizeBase FusedMovingAvgObsFakeQuantize"),
        ("ao.quantization.qconfig_mapping", "QConfigMapping"),
    ],
)
def test_nothing_is_of_a_class_that_is_left_out_and_none_can_be_made(module: str, names: str) -> None:
    for name in names.split():
        kind = getattr(import_module(f"tensorglass.{module}"), name)
        derived = type("Derived", (kind,), {})
        assert not isinstance(torch.nn.Linear(1, 1), kind)
        assert not isinstance(torch.ones(1), kind)
        for each in (kind, derived):
            with pytest.raises(NotImplementedError, match=rf"torch\.{module}\.{name} is a name here") as caught:
                each(1, root=2)
            assert "Instead, " in caught.value.__notes__[0]


@pytest.mark.parametrize(
    "path",
    ["fx.symbolic_trace", "distributed.fsdp.fully_shard", "distributed.tensor.distribute_tensor",
     "distributed.tensor.distribute_module", "distributed.launcher.launch_agent", "distributed.rpc.init_rpc",
     "distributed.tensor.zeros", "jit._get_trace_graph", "utils._python_dispatch.transform_subclass",
     "distributed.checkpoint.save", "distributed.checkpoint.state_dict.get_model_state_dict",
     "distributed.device_mesh.init_device_mesh",
     "distributed.fsdp.wrap.size_based_auto_wrap_policy", "distributed.tensor.parallel.parallelize_module",
     "ao.quantization.convert", "ao.quantization.fuse_modules",
     "ao.quantization.get_default_qconfig", "ao.quantization.prepare_qat", "ao.quantization.quantize_dynamic",
     "ao.quantization.quantize_fx.prepare_fx"],
)  # fmt: skip
def test_a_function_that_is_left_out_refuses_to_be_called(path: str) -> None:
    home, _, name = path.rpartition(".")
    function = getattr(import_module(f"tensorglass.{home}"), name)
    assert function.__name__ == name
    with pytest.raises(NotImplementedError, match=rf"torch\.{path} is a name here") as caught:
        function(torch.nn.Linear(1, 1))
    assert "Instead, " in caught.value.__notes__[0]


def test_no_network_is_recorded_or_exported() -> None:
    @torch.fx.wrap
    def double(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    assert double(torch.ones(1)).item() == 2
    assert torch.fx.wrap("double") == "double"
    assert torch.onnx.is_in_onnx_export() is False


def test_settings_of_quantization_are_kept_and_no_observer_comes_of_them() -> None:
    asked = torch.ao.quantization.MinMaxObserver.with_args(eps=0.5).with_args(ch_axis=1)
    kept = torch.ao.quantization.QConfig(activation=asked, weight=torch.ao.quantization.default_weight_observer)
    assert kept == (asked, kept.weight)
    for later in (*kept, *torch.ao.quantization.default_qconfig):
        with pytest.raises(
            NotImplementedError, match=r"torch\.ao\.quantization\.observer\.MinMaxObserver is a name here"
        ):
            later()


def test_the_older_name_of_quantization_is_the_same_module() -> None:
    program = """
import torch
import torch.quantization.observer
from torch.quantization import FakeQuantizeBase, MinMaxObserver
assert torch.quantization is torch.ao.quantization
assert torch.quantization.observer.MinMaxObserver is MinMaxObserver
print(isinstance(torch.nn.Linear(1, 1), (FakeQuantizeBase, MinMaxObserver)))
"""
    done = subprocess.run(
        [sys.executable, "-m", "tensorglass", "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout == "False\n", done.stderr


def test_names_are_found_in_every_module_that_pytorch_has_them_in() -> None:
    program = """
from torch.distributed._tensor import DTensor, Replicate
from torch.distributed.checkpoint.default_planner import DefaultLoadPlanner
from torch.distributed.checkpoint.metadata import Metadata
from torch.distributed._composable_state import _get_module_state
from torch.distributed.constants import default_pg_timeout
from torch.distributed.distributed_c10d import all_reduce
from torch.distributed.elastic.multiprocessing.errors import record
from torch.distributed.elastic.utils.distributed import get_free_port
from torch.distributed.fsdp.fully_sharded_data_parallel import FullyShardedDataParallel, ShardingStrategy
from torch.distributed.tensor import DTensor as Same
from torch.distributed.tensor.parallel.style import ParallelStyle
from torch.distributed.tensor.placement_types import Placement
from torch.fx.graph_module import GraphModule
from torch.fx.node import Node
from torch.distributed._composable.fsdp import fully_shard
from torch.distributed.checkpoint._fsspec_filesystem import FsspecReader
from torch.distributed.checkpoint.staging import AsyncStager
from torch.distributed.fsdp._fully_shard._fsdp_state import FSDPState
from torch.distributed.tensor.experimental import implicit_replication
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.utils._per_sample_grad import call_for_per_sample_grads
from torch.optim.swa_utils import _group_tensors_by_device_and_dtype
from torch.utils.checkpoint import CheckpointPolicy, create_selective_checkpoint_contexts
from torch.utils.data.dataloader import _collate_fn_t, _worker_init_fn_t
import torch.distributed
assert torch.distributed.distributed_c10d.all_reduce is all_reduce and torch.distributed.GradBucket
assert _get_module_state(torch.nn.ReLU()) is None and not torch.distributed.rpc.is_available()
print(DTensor is Same, issubclass(Replicate, Placement), torch.distributed.device_mesh.__name__)
"""
    done = subprocess.run(
        [sys.executable, "-m", "tensorglass", "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout == "True True tensorglass.distributed.device_mesh\n", done.stderr


def test_the_writer_for_tensorboard_is_found_in_its_inner_module() -> None:
    pytest.importorskip("tensorboard", reason="tensorboard is not installed (extra: test)")
    program = "from torch.utils.tensorboard.writer import SummaryWriter; print(SummaryWriter.__name__)"
    done = subprocess.run(
        [sys.executable, "-m", "tensorglass", "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout == "SummaryWriter\n", done.stderr


def test_a_recorder_can_be_derived_from_a_module_that_is_recorded() -> None:
    class Recorded(torch.fx.GraphModule):
        def __init__(self) -> None:
            super().__init__()

    assert issubclass(Recorded, torch.nn.Module)
    with pytest.raises(NotImplementedError, match=r"torch\.fx\.GraphModule is a name here"):
        Recorded()


def test_an_operator_by_its_inner_name_that_is_not_here_refuses_to_be_called() -> None:
    handlers = {torch.ops.aten._pin_memory.default: "mine"}
    assert handlers[torch.ops.aten._pin_memory.default] == "mine"
    with pytest.raises(NotImplementedError, match=r"torch\.ops\.aten\._pin_memory is a name here"):
        torch.ops.aten._pin_memory.default(torch.ones(1))


def test_a_launchers_names_do_what_programs_that_run_alone_need() -> None:
    elastic = import_module("tensorglass.distributed.elastic")

    @elastic.record
    def main() -> str:
        return "done"

    assert main() == "done"
    with socket.socket() as server:
        server.bind(("localhost", elastic.get_free_port()))


def test_what_has_a_state_and_takes_one_is_stateful() -> None:
    stateful = import_module("tensorglass.distributed.checkpoint.stateful").Stateful
    assert isinstance(torch.nn.Linear(1, 1), stateful)
    assert not isinstance(torch.ones(1), stateful)
    strategies = import_module("tensorglass.distributed.fsdp").ShardingStrategy
    assert [each.name for each in strategies][:3] == ["FULL_SHARD", "SHARD_GRAD_OP", "NO_SHARD"]


def test_every_name_of_a_subject_that_is_left_out_can_be_imported_and_refuses_to_be_used() -> None:
    program = """
import torch
from importlib import import_module
from importlib.util import find_spec
from tensorglass.core.left_out import LeftOutValue, is_left_out
from tensorglass.core.module_names import ours
from tensorglass.core.names_alone import names_of, table
refused = 0
for path in table():
    if path and ours(f"torch.{path}") != f"tensorglass.{path}":
        continue  # the library has such a module elsewhere
    if path.startswith("utils.tensorboard") and find_spec("tensorboard") is None:
        continue  # PyTorch's module needs the package too
    module = import_module(f"torch.{path}" if path else "torch")
    for name in names_of(path):
        thing = getattr(module, name)
        if not is_left_out(thing) or isinstance(thing, LeftOutValue):
            continue  # the library has it, or it is an exception, an enumeration or a value
        try:
            thing()
        except NotImplementedError as error:
            assert "Instead, " in error.__notes__[0], (path, name, error)
            refused += 1
assert refused > 1500, refused
"""
    done = subprocess.run(
        [sys.executable, "-m", "tensorglass", "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_names_of_subjects_that_are_left_out_are_what_programs_ask_of_them() -> None:
    program = """
from typing import Optional
import torch, torch.sparse, torch.utils.benchmark as benchmark
from torch import SymInt, Type
from torch._C import ListType, ScriptObject
from torch._ops import HigherOrderOperator
from torch.distributed import DeviceMesh, Store, TCPStore, init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.distributed.fsdp._common_utils import _FSDPState
from torch.distributed.fsdp.fully_sharded_data_parallel import ShardingStrategy, FullyShardedDataParallel as Same
from torch.distributed.pipelining import PipelineStage, SplitPoint
from torch.export import Dim
from torch.nn.attention.flex_attention import BlockMask
from torch.onnx import symbolic_helper
from torch.utils import flop_counter
from torch.utils.data.datapipes.iter import IterableWrapper
from torch.utils.data import IterDataPipe, MapDataPipe, functional_datapipe
from torch.utils.data.graph import traverse_dps
from torch.cuda.amp.grad_scaler import OptState
from torch._subclasses.fake_tensor import FakeTensorMode, DynamicOutputShapeException
class Pipe(IterableWrapper[int]): pass
def made(mask: Optional[BlockMask], dim: Dim | None) -> PipelineStage | None: ...
assert DeviceMesh is torch.distributed.device_mesh.DeviceMesh and Same is FullyShardedDataParallel
assert IterDataPipe is not MapDataPipe and functional_datapipe and OptState.READY.value == 0
assert SplitPoint.BEGINNING.name == "BEGINNING" and ShardingStrategy.NO_SHARD in ShardingStrategy
try:
    raise DynamicOutputShapeException("x")
except DynamicOutputShapeException:
    pass
for call in (Pipe, lambda: Dim("batch"), lambda: benchmark.Timer("x"), lambda: torch.sparse.mm(1, 2), FakeTensorMode,
             Type, ListType, SymInt, HigherOrderOperator):
    try:
        call()
    except NotImplementedError as error:
        print(error)
"""
    done = subprocess.run(
        [sys.executable, "-m", "tensorglass", "-c", program], capture_output=True, text=True, check=False
    )
    paths = [line.partition(" ")[0] for line in done.stdout.splitlines()]
    assert paths == [
        "torch.utils.data.datapipes.iter.IterableWrapper", "torch.export.Dim", "torch.utils.benchmark.Timer",
        "torch.sparse.mm", "torch._subclasses.FakeTensorMode", "torch._C.Type", "torch._C.ListType", "torch._C.SymInt",
        "torch._ops.HigherOrderOperator",
    ], done.stderr  # fmt: skip


def test_a_folder_that_is_left_of_a_package_does_not_hide_these_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git leaves `__pycache__` behind, and Python imports any folder as a package without a file."""
    (tmp_path / "fsdp" / "__pycache__").mkdir(parents=True)
    monkeypatch.setattr(torch.distributed, "__path__", [*torch.distributed.__path__, str(tmp_path)])
    monkeypatch.delitem(sys.modules, "tensorglass.distributed.fsdp", raising=False)
    assert issubclass(import_module("tensorglass.distributed.fsdp").CPUOffload, object)
