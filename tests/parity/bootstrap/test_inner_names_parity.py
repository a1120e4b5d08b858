"""Names that PyTorch does not document, and that libraries use nevertheless: they do what PyTorch's do."""

from __future__ import annotations

import pytest
from parity.steps import disagreement, lines

import tensorglass
import tensorglass.cpu.amp
import tensorglass.onnx.operators
import tensorglass.testing._comparison
import tensorglass.utils._python_dispatch

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")
pytest.importorskip("torch.onnx.operators", reason="as above")

STEPS = r"""
torch._convert_indices_from_coo_to_csr(torch.tensor([0, 0, 2]), 4)
torch._convert_indices_from_coo_to_csr(torch.tensor([1, 1, 1, 2]), size=3, out_int32=True)
torch._convert_indices_from_coo_to_csr(torch.tensor([], dtype=torch.int64), 2)
torch._convert_indices_from_csr_to_coo(torch.tensor([0, 2, 2, 3]), torch.tensor([1, 2, 0]))
torch._convert_indices_from_csr_to_coo(torch.tensor([0, 2, 2, 3]), torch.tensor([1, 2, 0]), transpose=True)
torch._convert_indices_from_csr_to_coo(torch.tensor([0, 1]), torch.tensor([5]), out_int32=True)
torch.testing._comparison.default_tolerances(torch.float16, torch.ones(2, dtype=torch.float64))
torch.testing._comparison.default_tolerances(torch.ones(2, dtype=torch.int64))
torch.testing._comparison.default_tolerances(torch.float32, dtype_precisions={torch.float32: (0.5, 0.25)})
torch.testing._comparison.default_tolerances(2.0)
torch.manual_seed(0).initial_seed() ;; torch.nn.init._no_grad_uniform_(torch.ones(3, requires_grad=True), -1, 1)
torch.manual_seed(0).initial_seed() ;; torch.nn.init._no_grad_normal_(torch.ones(3, requires_grad=True), 2, 3)
torch.manual_seed(0).initial_seed() ;; torch.nn.init._no_grad_trunc_normal_(torch.ones(3), 0.0, 1.0, -1.0, 0.5)
torch.nn.init._no_grad_fill_(torch.ones(3, requires_grad=True), 7), torch.nn.init._no_grad_zero_(torch.ones(2))
torch._tensor_str._tensor_str(torch.ones(20, 20) / 3, 4)
torch._tensor_str._str(torch.ones(2)), torch._tensor_str._str(torch.ones(2), tensor_contents="two")
torch._tensor_str.PRINT_OPTS.linewidth, torch._tensor_str.PRINT_OPTS.sci_mode
torch.cpu.is_available(), torch.cpu.device_count(), torch.cpu.current_device(), torch.cpu.is_initialized()
torch.cpu.synchronize(), torch.cpu.set_device("cpu")
torch.onnx.is_in_onnx_export()
torch.onnx.operators.shape_as_tensor(torch.ones(2, 3)), torch.onnx.operators.shape_as_tensor(torch.tensor(1))
torch.onnx.operators.reshape_from_tensor_shape(torch.ones(2, 3), torch.tensor([3, -1]))
torch.nn.functional._Reduction.get_enum("sum"), torch.nn.functional._Reduction.legacy_get_enum(None, False, False)
torch.ones(2).name, (torch.ones(2, requires_grad=True) * 2).name
hasattr(torch.ones(2), "_indices"), hasattr(torch.Tensor, "_values")
torch.legacy_contiguous_format, torch.legacy_contiguous_format is torch.contiguous_format
torch.nn.Linear(2, 3).xpu
torch.autograd.Variable._execution_engine.queue_callback(print)
seen=[] ;; x=torch.ones(2, requires_grad=True) ;; queue=torch.autograd.Variable._execution_engine.queue_callback ;; \
    _=x.register_hook(lambda g: queue(lambda: seen.append(x.grad.tolist()))) ;; (x * 3).sum().backward() ;; seen
c=torch.nn.ConvTranspose2d(1,1,3,2,1) ;; c._output_padding(torch.ones(1,1,4,4),[8,7],[2,2],[1,1],[3,3],2,[1,1])
c=torch.nn.ConvTranspose1d(1,1,3,stride=2) ;; c._output_padding(torch.ones(1,1,4),None,[2],[0],[3],1)
c=torch.nn.ConvTranspose1d(1,1,3,stride=2) ;; c._output_padding(torch.ones(1,4),[1,10],[2],[0],[3],1)
c=torch.nn.ConvTranspose1d(1,1,3,stride=2) ;; c._output_padding(torch.ones(1,4),[20],[2],[0],[3],1)
e=torch.nn.Embedding(3,2,padding_idx=1) ;; _=e.weight.data.fill_(2) ;; e._fill_padding_idx_with_zero() ;; e.weight
s=torch.nn.AdaptiveLogSoftmaxWithLoss(4,6,[2]) ;; s._get_full_log_prob(torch.ones(1,4),torch.ones(1,3)).shape
w=torch.ones(2,requires_grad=True) ;; o=torch.optim.LBFGS([w]) ;; o._gather_flat_grad()
w=torch.ones(2,requires_grad=True) ;; o=torch.optim.LBFGS([w]) ;; w.sum().backward() ;; o._gather_flat_grad()
w=torch.ones(2) ;; o=torch.optim.LBFGS([w]) ;; o._add_grad(0.5,torch.tensor([1.0,2.0])) ;; w
repr(torch.ops.aten.add), repr(torch.ops.aten.add.Tensor), str(torch.ops.aten.add.Tensor)
torch.ops.aten.add.Tensor is torch.ops.aten.add.Tensor, torch.ops.aten.add.Tensor == torch.ops.aten.add.Scalar
torch.ops.aten.relu(torch.tensor([-1.0, 2.0])), torch.ops.aten.sum.dim_IntList(torch.ones(2, 3), [0])
torch.ops.aten.linalg_det.default(torch.eye(2) * 3), torch.ops.aten.view.default(torch.arange(4), [2, 2])
isinstance(torch.ops.aten.mm.default, torch._ops.OpOverload), isinstance(torch.ops.aten.mm, torch._ops.OpOverloadPacket)
torch.ops.aten.mm.default.overloadpacket is torch.ops.aten.mm, hasattr(torch.ops.aten.mm, "__wrapped__")
torch._C._get_default_device(), torch._C.Generator is torch.Generator, isinstance(torch.ones(1), torch._C.TensorBase)
torch.ops.load_library("/there/is/no/such.so")
torch.ops.loaded_libraries, hasattr(torch.ops, "load_library")
torch._ops.ops is torch.ops, isinstance(torch.ops.aten.mm.default, torch._ops.OperatorBase)
issubclass(torch._ops.HigherOrderOperator, torch._ops.OperatorBase), isinstance(torch._ops.ops, torch._ops.OperatorBase)
[isinstance(thing, (torch.Type, torch.SymInt, torch.ScriptObject)) for thing in (torch.ones(1), 3, torch.float32)]
torch.Type is torch._C.Type, issubclass(torch._C.ListType, torch.Type), issubclass(torch.SymInt, int)
torch._C._jit_set_profiling_mode(False), torch._C._jit_set_profiling_mode(True)
torch._C._jit_set_profiling_executor(True)
torch._C._jit_override_can_fuse_on_cpu(False), torch._C._jit_override_can_fuse_on_gpu(False)
torch._C._jit_set_texpr_fuser_enabled(False), torch._C._debug_set_autodiff_subgraph_inlining(False)
torch._C._jit_set_autocast_mode(True), torch._C._jit_set_autocast_mode(False), torch._C._jit_set_autocast_mode(True)
torch._C._GLIBCXX_USE_CXX11_ABI, torch._C._get_accelerator()
torch._C._nn._parse_to("cpu", torch.float16, True), torch._C._nn._parse_to(torch.ones(2)), torch._C._nn._parse_to()
torch._C._nn._parse_to("cpu", memory_format=torch.channels_last), torch._C._nn._parse_to(dtype=torch.float16)
torch.autograd._is_checkpoint_valid(), torch._utils._element_size(torch.float16)
torch._utils._element_size(3)
torch.get_device_module("cpu") is torch.cpu, torch.get_device_module("cuda") is torch.cuda
torch.get_device_module() is torch.cpu
torch.get_device_module("vulkan")
torch.get_autocast_cpu_dtype(), torch.get_autocast_gpu_dtype(), torch.is_autocast_cpu_enabled()
s=torch.set_autocast_cpu_dtype ;; s(torch.half) ;; torch.get_autocast_cpu_dtype() ;; s(torch.bfloat16)
torch.set_autocast_cpu_enabled(True) ;; torch.is_autocast_cpu_enabled() ;; torch.set_autocast_cpu_enabled(False)
s=torch.set_autocast_gpu_dtype ;; s(torch.bfloat16) ;; torch.get_autocast_gpu_dtype() ;; s(torch.half)
torch.hub._get_torch_home()
torch._check(True), torch._check(True, lambda: "not reached"), torch._check_is_size(3), torch._check_is_size(3, max=3)
torch._check(1 > 2)
torch._check(1 > 2, lambda: "one is less")
torch._check(1)
torch._check(False, "a word")
torch._check(torch.tensor(True))
torch._check_is_size(-1)
torch._check_is_size(3, max=2)
torch._check_index(False, lambda: 3)
torch._check_value(False, lambda: "a value")
torch._check_type(False)
torch._check_not_implemented(False)
torch._check_with(KeyError, False, lambda: "x")
torch._check_tensor_all(torch.tensor([True, True])), torch._assert_async(torch.tensor(2))
torch._check_tensor_all(torch.tensor([True, False]))
torch._check_tensor_all(torch.tensor([1, 2]))
torch._check_tensor_all(True)
torch._assert_async(torch.tensor(0))
torch._assert_async(torch.tensor(0.0), "a word")
torch._assert_async(torch.ones(2))
torch.ByteStorage.from_buffer(b"abc").tolist(), torch.ByteStorage.from_buffer(bytearray(b"q")).tolist()
torch.ByteTensor(torch.ByteStorage.from_buffer(b"abcd", "native", 2, 1))
torch.ByteStorage.from_buffer(b"").tolist(), torch.ByteStorage.from_buffer(b"abc", count=0).tolist()
torch.IntStorage.from_buffer(b"\1\0\0\0\2\0\0\0", "little").tolist()
torch.IntStorage.from_buffer(b"\1\0\0\0\2\0\0\0", "big").tolist()
torch.FloatStorage.from_buffer(b"\0\0\x80\x3f" * 3, "native", count=2, offset=4).dtype
torch.IntStorage.from_buffer(b"\1\0\0\0")
torch.IntStorage.from_buffer(b"\1\0\0", "native")
torch.IntStorage.from_buffer(b"\1\0\0\0", "x")
torch.ByteStorage.from_buffer(b"abc", offset=5)
torch.ByteStorage.from_buffer(b"abc", offset=-1)
torch.ByteStorage.from_buffer(b"abc", count=9)
torch.ByteStorage.from_buffer(3)
s=torch.ones(2).untyped_storage() ;; torch.serialization.default_restore_location(s, "cpu") is s
torch.serialization.default_restore_location(torch.ones(2).untyped_storage(), "nowhere")
[member.name for member in (torch.Tag.core, torch.Tag.pointwise)], torch.Tag.core == torch.Tag.pointwise
torch._C.DispatchKey.CPU.name, hasattr(torch._C.DispatchKey, "NoSuchKey")
torch.utils._python_dispatch.is_traceable_wrapper_subclass(torch.ones(1))
torch.ao.quantization.QuantStub(), torch.ao.quantization.DeQuantStub()(torch.arange(3))
torch.ao.quantization.QuantWrapper(torch.nn.ReLU().eval())
torch.ao.quantization.QuantWrapper(torch.nn.ReLU())(torch.ones(2))
torch.ao.quantization.QuantStub(qconfig=(1, 2)).qconfig, hasattr(torch.ao.quantization.QuantStub(), "qconfig")
torch.ao.quantization.QConfig(torch.nn.ReLU(), None)
torch.ao.quantization.QConfig(activation=torch.nn.ReLU, weight=None)._fields
torch.nn.Linear(2, 2).apply(torch.ao.quantization.disable_observer).apply(torch.ao.quantization.enable_fake_quant)
issubclass(torch.ao.quantization.MinMaxObserver, torch.nn.Module)
issubclass(torch.ao.quantization.FakeQuantize, torch.nn.Module)
issubclass(torch.quantization.MovingAverageMinMaxObserver, torch.quantization.MinMaxObserver)
torch.utils.data.DataLoader([1])._dataset_kind == torch.utils.data.dataloader._DatasetKind.Map
torch.utils.data.DataLoader(torch.utils.data.IterableDataset())._dataset_kind
"""


@pytest.mark.parametrize("line", lines(STEPS))
def test_an_inner_name_does_what_pytorchs_does(line: str) -> None:
    assert not disagreement(line)


def test_the_older_name_of_autocast_for_the_cpu_warns_and_computes_in_bfloat16() -> None:
    seen = []
    for library in (tensorglass, torch):
        with pytest.warns(FutureWarning) as caught, library.cpu.amp.autocast():
            low = library.ones(2, 2) @ library.ones(2, 2)
        with pytest.warns(FutureWarning), library.cpu.amp.autocast(False):
            full = library.ones(2, 2) @ library.ones(2, 2)
        with pytest.warns(FutureWarning), library.cpu.amp.autocast(dtype=library.float16):
            half = library.ones(2, 2) @ library.ones(2, 2)
        seen.append(([str(each.message) for each in caught], str(low), str(full), str(half)))
    assert seen[0] == seen[1]


def test_an_option_of_printing_that_is_set_by_name_holds_from_then_on() -> None:
    seen = []
    for library in (tensorglass, torch):
        with library._tensor_str.printoptions(precision=2):
            library._tensor_str.PRINT_OPTS.edgeitems = 1
            library._tensor_str.PRINT_OPTS.threshold = 3
            seen.append((repr(library.arange(5) / 3), library._tensor_str.get_printoptions()))
            with pytest.raises(AttributeError, match="width"):
                _ = library._tensor_str.PRINT_OPTS.width
    assert seen[0] == seen[1]
    assert repr(tensorglass.arange(5) / 3).count(",") == 4
