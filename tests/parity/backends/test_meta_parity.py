"""The meta device: every operator answers with PyTorch's sizes, strides and dtypes, or PyTorch's error, without memory.

Each sample of the table runs on PyTorch's meta device, on its CPU, and here. PyTorch's two devices differ where its
meta device has no kernel, refuses nothing of what a CPU kernel refuses, or lays a result out in another way: there the
CPU's answer counts as right, too.
"""

from __future__ import annotations

import resource
import warnings
from collections.abc import Iterator
from operator import attrgetter
from typing import Any

import pytest
from parity.agreement import Blueprint, built, torch
from parity.ops.operator_cases import Case, in_place, sampled
from parity.steps import disagreement, lines

import tensorglass
from tensorglass.ops import OPERATORS
from tensorglass.ops.declare.registry import Operator
from tensorglass.ops.declare.samples import samples_of

#: Operators whose answer differs, and why.
DIFFERS = {
    "combinations": "PyTorch selects by a mask, which its meta device refuses; here the positions are counted",
    "cov": "PyTorch compares weights by `equal`, which its meta device refuses",
    "corrcoef": "the same",
    "histc": "complex numbers are refused here as on the CPU, which tells the least element first",
    "linalg.eig": "PyTorch's meta kernel lays the vectors out row by row, its CPU column by column",
    "linalg.lstsq": "PyTorch has no meta kernel for some of its outputs",
    "masked_scatter_": "PyTorch's meta kernel lets a mask be larger than what it is written to",
    "stft": "the error describes the tensor in other words",
    "qr": "the error ends in a full stop on PyTorch's meta device alone",
    "linalg.qr": "the same, and one names the function differently",
}


def _moved(value: Any, library: Any, device: str) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(_moved(item, library, device) for item in value)
    return value.to(device) if isinstance(value, library.Tensor) else value


def _facts(value: Any, library: Any, *, of_gradient: bool = False) -> Any:
    if isinstance(value, library.Tensor):
        facts = (tuple(value.shape), str(value.dtype))
        return facts if of_gradient else (*facts, value.stride(), value.storage_offset(), value._is_view())
    if isinstance(value, list | tuple):
        return [_facts(item, library, of_gradient=of_gradient) for item in value]
    return type(value).__name__


def _tensors(values: Any, library: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, library.Tensor):
            yield value
        elif isinstance(value, list | tuple):
            yield from _tensors(value, library)


def _told(library: Any, case: Case, device: str, *, backward: bool) -> Any:
    """What a call says of its results, and of the gradients if it is run `backward`; or its error."""
    arguments = _moved([built(argument, library) for argument in case.arguments], library, device)
    keywords = {key: _moved(built(keyword, library), library, device) for key, keyword in case.keywords.items()}
    function = attrgetter(case.name)(library) if case.form == "function" else None
    try:
        leaves = [tensor for tensor in _tensors(arguments, library) if backward and tensor.is_floating_point()]
        for leaf in leaves:
            leaf.requires_grad_()
        if function is None:
            result = getattr(arguments[0], case.name)(*arguments[1:], **keywords)
        else:
            result = function(*arguments, **keywords)
        told = _facts(result, library)
        outputs = [tensor for tensor in _tensors([result], library) if tensor.requires_grad]
        if not outputs:
            return told
        ones = [library.ones_like(output) for output in outputs]
        gradients = library.autograd.grad(outputs, leaves, ones, allow_unused=True)
        return told, [_facts(gradient, library, of_gradient=True) for gradient in gradients]
    except Exception as error:  # whatever it is, the other library must raise the same
        return type(error).__name__, str(error).splitlines()[0]


def _cases(row: Operator) -> Iterator[tuple[Case, bool]]:
    for dtype in ("float32", "int64", "complex64"):
        for layout in ("contiguous", "permuted"):
            for case in sampled(row, dtype, layout):
                yield case, False
                if dtype == "float32" and layout == "contiguous":
                    yield case, True
                if row.inplace is not None and isinstance(case.arguments[0], Blueprint):
                    yield in_place(row, case), False


@pytest.mark.sweep(3)
@pytest.mark.parametrize("kind", sorted({row.kind for row in OPERATORS.values() if samples_of(row)}))
def test_operators_answer_as_pytorchs_meta_device_or_its_cpu(kind: str) -> None:
    differing = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for row in OPERATORS.values():
            if row.kind != kind or not samples_of(row):
                continue
            for case, backward in _cases(row):
                ours = _told(tensorglass, case, "meta", backward=backward)
                theirs = _told(torch, case, "meta", backward=backward)
                if ours == theirs or case.name in DIFFERS:
                    continue
                if ours != _told(torch, case, "cpu", backward=backward):
                    differing.append(f"{case.name} {backward=}: {ours} instead of {theirs}")
    assert not differing, "\n".join(differing[:20])


#: M(2, 3) stands for an empty tensor on the meta device.
PROGRAMS = r"""
m = M(2, 3) ;; m ;; m[0] ;; m.double() ;; m.t() ;; m.bool() ;; m.sum() ;; m[:, :0] ;; m.is_meta
torch.nn.Linear(2, 3, device='meta').weight ;; torch.ones(2).is_meta ;; torch.zeros(2, device='meta', dtype=torch.int32)
m = M(2, 3) ;; m.item() ;; m[0, 0].item() ;; m.tolist() ;; bool(m[0, 0]) ;; float(m[0, 0])
m = M(2, 3) ;; m.cpu() ;; m.to('cpu') ;; m.numpy() ;; m.nonzero() ;; m[m > 0] ;; m > 0
m = M(2, 3) ;; torch.masked_select(m, m > 0) ;; torch.unique(m) ;; torch.equal(m, m)
m = M(2, 3) ;; torch.allclose(m, m) ;; m.data_ptr() ;; m.untyped_storage().nbytes()
m = M(2, 3) ;; m.untyped_storage() ;; m.storage() ;; m.untyped_storage().data_ptr() ;; m.nbytes
m = M(2, 3) ;; m.untyped_storage()[0] ;; m.untyped_storage().tolist() ;; m.storage()[0]
m = M(2, 3) ;; m + torch.ones(2, 3) ;; m + torch.ones(()) ;; m + 1 ;; m @ m.t() ;; m + m[0]
m = M(2, 3) ;; torch.ones(2, 3).copy_(m) ;; m.copy_(torch.ones(2, 3)) ;; m.mul_(2).add_(m)
torch.empty(2, device='meta:0').device ;; torch.empty(2, device='meta:0') + torch.empty(2, device='meta')
m = M(2, 3) ;; m.device, m.get_device(), m.is_pinned(), m.is_shared(), m.type(), m.is_cpu
m = M(2, 3) ;; m.share_memory_() ;; torch.from_dlpack(m) ;; m.untyped_storage().cpu()
torch.nn.Linear(2, 3, device='meta').to('cpu')
torch.nn.Linear(2, 3, device='meta').cpu() ;; torch.nn.Linear(2, 3).to('meta').weight.is_meta
l = torch.nn.Linear(2, 3, device='meta').to_empty(device='cpu') ;; l.weight.shape, l.weight.device, l.weight.is_leaf
l = torch.nn.Linear(2, 3, device='meta') ;; l.load_state_dict(torch.nn.Linear(2, 3).state_dict()) ;; l.weight
l = torch.nn.Linear(2, 1, False, device='meta') ;; l.load_state_dict({'weight': torch.ones(1, 2)}, assign=True) ;; l
torch.tensor([1., 2], device='meta') ;; torch.as_tensor([1, 2], device='meta')
torch.from_numpy(np.ones(2)).to('meta')
m = M(2, 3) ;; list(m) ;; f'{m[0, 0]}' ;; m.__index__() ;; torch.tensor(m) ;; copy.deepcopy(m).shape
i = torch.ones(3, dtype=torch.int64, device='meta') ;; torch.bincount(i) ;; torch.repeat_interleave(i)
i = torch.ones(3, dtype=torch.int64, device='meta') ;; torch.repeat_interleave(i, 2)
torch.rand(3, device='meta'), torch.randn(2, 3, device='meta'), torch.randperm(3, device='meta')
torch.arange(2, 9, 3, device='meta'), torch.eye(2, 3, device='meta'), torch.linspace(0, 1, 5, device='meta')
m = M(2, 3) ;; m.multinomial(2), torch.bernoulli(m), torch.normal(m, 1.), m.exponential_()
m = torch.empty(4, 4, device='meta') ;; torch.nn.init.trunc_normal_(m), torch.nn.init.xavier_uniform_(m)
m = torch.empty(2, 3, device='meta', requires_grad=True) ;; m * 2 ;; (m * 2).sum().backward() ;; m.grad
m = torch.empty(2, 3, device='meta', requires_grad=True) ;; m.sum().backward()
torch.set_default_device('meta') ;; torch.ones(2), torch.get_default_device(), torch.nn.Linear(2, 2).bias
with torch.device('meta'): x = torch.ones(2)
torch.nn.utils.skip_init(torch.nn.Linear, 2, 3).weight.device
torch.testing.assert_close(torch.ones(2, device='meta'), torch.zeros(2, device='meta'))
M(2, 3).resize_(5, 5) ;; torch.UntypedStorage(8, device='meta')
torch.empty(4, device='meta').untyped_storage().resize_(4)
e = torch.nn.Embedding(3, 4, device='meta') ;; e(torch.ones(2, dtype=torch.int64, device='meta')).shape
e = torch.nn.Embedding(3, 4, device='meta') ;; e(torch.ones(2, dtype=torch.int64)).device
m = M(2, 3) ;; m[torch.tensor([0, 1])] ;; m[m[0].long()] ;; m[5] ;; m.view(7) ;; m.view(6)[5:9] ;; m[0] == 1
m = M(2, 3) ;; torch.cat([m, m]), torch.stack([m, m]) ;; torch.cat([m, torch.ones(2, 3)])
m = M(2, 3) ;; torch.stack([m, torch.ones(2, 3)])
m = M(2, 3) ;; torch.ones(2, 3) + m ;; torch.cat([torch.ones(2, 3), m]) ;; torch.ones(2, 3) == m
m = M(2, 3) ;; torch.full((2,), m[0, 0]) ;; torch.nn.functional.one_hot(m.long(), 5).stride()
m = M(2, 3) ;; torch.nn.functional.one_hot(m.long())
m = torch.empty(2, 3, device="meta") ;; b = torch.empty(0, device="meta") ;; torch.matmul(m, m.t(), out=b) ;; b.shape
m = torch.empty(2, 3, device="meta") ;; torch.add(m, 1, out=torch.empty(3, 2, device="meta").t()).stride()
m = torch.empty(2, 3, device="meta") ;; torch.mul(m, m, out=m) ;; m._version
m = torch.empty(2, 3, device="meta") ;; b = torch.empty(0, device="meta") ;; torch.stack([m, m], 2, out=b) ;; b.stride()
m = torch.empty(2, 3, device="meta") ;; torch.eq(m, m, out=torch.empty(2, 3, dtype=torch.bool, device="meta"))
m = torch.empty(2, 3, device="meta") ;; b = torch.empty(0, device="meta") ;; torch.sort(m, out=(b, b.long())) ;; b.shape
b = torch.empty(7, device="meta") ;; torch.zeros(2, 2, out=b) ;; b.shape ;; torch.arange(5, out=b) ;; b.shape
"""


@pytest.mark.parametrize("program", lines(PROGRAMS))
def test_a_meta_tensor_is_what_it_is_in_pytorch(program: str) -> None:
    assert disagreement(program.replace("M(2, 3)", "torch.empty(2, 3, device='meta')")) is None


MODELS = {
    "convolutions": (
        "nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), "
        "nn.ConvTranspose2d(8, 4, 2, 2), nn.GroupNorm(2, 4), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Dropout(), "
        "nn.Linear(16, 2))",
        (2, 3, 8, 8),
    ),
    "LSTM": ("nn.LSTM(3, 4, 2, bidirectional=True, dropout=0.5)", (5, 2, 3)),
    "GRU": ("nn.GRU(3, 4)", (5, 2, 3)),
    "transformer": ("nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)", (2, 5, 8)),
    "upsampling": ("nn.Sequential(nn.Upsample(scale_factor=2, mode='bilinear'), nn.PixelShuffle(2))", (1, 4, 3, 3)),
}


def _trained(library: Any, source: str, size: tuple[int, ...]) -> Any:
    """Sizes, strides and dtypes of a model's output, gradients, and the optimizer's state after a step on meta."""
    with library.device("meta"):
        model = eval(source, {"nn": library.nn})
        x = library.empty(size, requires_grad=True)
    output = model(x)
    loss = (output[0] if isinstance(output, tuple) else output).square().mean()
    optimizer = library.optim.Adam([*model.parameters(), x])
    loss.backward()
    optimizer.step()
    state = [_facts(list(values.values()), library) for values in optimizer.state.values()]
    return _facts(output, library), _facts([tensor.grad for tensor in [*model.parameters(), x]], library), state


@pytest.mark.parametrize("name", MODELS)
def test_models_train_without_memory(name: str) -> None:
    assert _trained(tensorglass, *MODELS[name]) == _trained(torch, *MODELS[name])


ACROSS = r"""
torch.add(torch.ones(2),1,out=M(2, 3)) ;; torch.add(M(2, 3),1,out=torch.ones(2,3))
torch.clamp(M(2, 3),0,out=torch.ones(2,3))
torch.mm(M(2, 3),M(2, 3).t(),out=torch.ones(2,2)) ;; torch.mm(torch.ones(2,2),torch.ones(2,2),out=M(2, 3))
torch.sum(M(2, 3),0,out=torch.ones(3)) ;; torch.prod(M(2, 3),0,out=torch.ones(3))
torch.any(M(2, 3),0,out=torch.ones(3)>0)
torch.sum(torch.ones(2),0,out=torch.empty((),device='meta')) ;; torch.sum(torch.ones(2,3),0,out=M(2, 3))
torch.softmax(M(2, 3),0,out=torch.ones(2,3)) ;; torch.cumsum(M(2, 3),0,out=torch.ones(2,3))
torch.logsumexp(M(2, 3),0,out=torch.ones(3))
torch.norm(M(2, 3),out=torch.ones(())) ;; torch.mv(M(2, 3),M(2, 3)[0],out=torch.ones(2))
torch.outer(M(2, 3)[0],M(2, 3)[0],out=torch.ones(3,3))
"""


@pytest.mark.parametrize("program", lines(ACROSS))
def test_a_result_without_elements_is_written_to_no_memory_and_none_to_it(program: str) -> None:
    assert disagreement(program.replace("M(2, 3)", "torch.empty(2, 3, device='meta')")) is None


def _warning_of_loading(library: Any) -> str:
    layer = library.nn.Linear(2, 3, bias=False, device="meta")
    with pytest.warns(UserWarning, match="no-op") as told:
        layer.load_state_dict({"weight": library.ones(3, 2)})
    return str(told[0].message)


def test_loading_into_meta_without_assign_warns() -> None:
    assert _warning_of_loading(tensorglass) == _warning_of_loading(torch)


def test_nothing_of_a_tensors_size_is_allocated() -> None:
    before, peak = tensorglass.memory.allocated(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tensorglass.device("meta"):
        layer = tensorglass.nn.Linear(2**17, 2**17)  # 64 GiB
        x = tensorglass.randn(2**16, 2**17)
    layer(x).log_softmax(-1).sort().values.cumsum(0)[:, ::2].sum().backward()
    optimizer = tensorglass.optim.SGD(layer.parameters(), 0.1, momentum=0.9)
    optimizer.step()
    assert layer.weight.grad is not None
    assert layer.weight.grad.nbytes == layer.weight.untyped_storage().nbytes() == 2**36
    assert tensorglass.memory.allocated() == before
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 2**18  # KiB
