"""The tensors that nodes keep, `_saved_self` and the like, are those that PyTorch's keep: names, values, memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle is missing: pip install torch==2.13.0")

EXPRESSIONS = """
x.sum(-1); x.sum((-1, 0), True); x.sum(); x.mean(); x.mean((0, -1)); x.nansum(-1); x.prod(); x.prod(-1); x.norm(3)
x.norm(1, (0, -1)); x.amax((0, -1)); x.amin(); x.max(); x.max(-1); x.min(0, True); x.sort(-1)
x.var(); x.var(-1, False); x.var(dim=-1, correction=2); x.std((0, -1), keepdim=True); torch.var_mean(x, -1)
x.logsumexp((0, -1)); x.softmax(-1); x.log_softmax(0); x.cumsum(-1); x.cumprod(-1); x.logaddexp(x)
x.flip(0, -1); x.permute(-1, 0, 1); x.transpose(-1, 0); x[-1]; x[:, 1:]; x[..., ::2]; x[None]; x[:, -1]; x.mT; x.T
x.unsqueeze(-1); x.diagonal(-1, 0, -1); x.unfold(-1, 2, 1); x.select(-1, -2); x.narrow(-1, -2, 2); x.view(-1)
x.expand(5, 2, 3, 4); x.as_strided((2, 2), (1, 2), 1); x.unbind(-1); x.roll((1, -1), (0, -1)); x.roll(1); x.tril(-1)
x.repeat(1, 2, 1, 1); x.tile(2); x.clone(); x.float(); (x * 1j).real; (x * 1j).imag
x + 1; x + x; x.add(x, alpha=3); x - 1; 1 - x; torch.rsub(x, 2, alpha=3); x * 2; 2 * x; x * 2.5; x * True; x * x
x / 2; x / x; 2 / x; x % 2; x % x; 2 % x; x ** 2; x ** -1; x ** x; 2 ** x; x.exp(); x.log(); x.tanh(); x.abs(); x * 2j
x.clamp(0, 1); x.clamp(min=x, max=x); x.maximum(x); x.lerp(x, 0.5); x.lerp(x, x); x.addcmul(x, x, value=2); x.round()
x.round(decimals=1); x.copysign(2); torch.xlogy(x, 2); x.nan_to_num(); x.dist(x * 2); x.relu()
torch.where(x > 1, x, 2); x.masked_fill(x > 1, 2); x.masked_fill(x > 1, torch.tensor(2.0)); x.masked_select(x > 2)
x.index_select(-1, torch.tensor([0, 1])); x.gather(-1, places); x.take(torch.tensor([1, 2])); x.scatter(-1, places, x)
x.scatter(-1, places, 2.0); x.scatter_add(-1, places, x); x.scatter_reduce(-1, places, x, "prod", include_self=False)
x.put(torch.tensor([0]), x[0, 0, :1]); x[torch.tensor([0])]; x[x > 2]; x[:, [0, 1]]; x[0, [0], -1:]; x[[0], :, [1]]
torch.cat([x, x], -1); torch.stack([x, x.detach()], -1); x @ x.mT; x[0, 0] @ x[0, 1]; x[0] @ x[0, 0]
x.select_scatter(x[0], 0, -1); x.diagonal_scatter(x.diagonal()); x.softmax(0, dtype=torch.float32)
(x * 1).mul_(2); (x * 1).exp_(); (x * 1).clamp_(0, 1); (x * 1).fill_(2); (x * 1).copy_(x); (x * 1).remainder_(2)
"""
ONE_BY_ONE = [expression.strip() for line in EXPRESSIONS.strip().splitlines() for expression in line.split(";")]


def nodes(start: Any) -> Iterator[Any]:
    """The nodes behind `start`, but those of leaves."""
    seen, waiting = [], [start]
    while waiting:
        node = waiting.pop(0)
        if node is not None and node not in seen and "AccumulateGrad" not in node.name():
            seen.append(node)
            waiting += [next_node for next_node, _ in node.next_functions]
    yield from seen


def plain(value: Any, leaf: Any) -> Any:
    """A saved value in a form that the two libraries have in common."""
    if isinstance(value, (list, tuple)):
        return tuple([plain(item, leaf) for item in value])
    if isinstance(value, (torch.Tensor, tensorglass.Tensor)):
        elements = [complex(element) for element in value.detach().resolve_conj().reshape(-1).tolist()]
        rounded = [f"{element.real:.4g} {element.imag:.4g}" for element in elements]
        shares = value.untyped_storage().data_ptr() == leaf.untyped_storage().data_ptr()
        node = type(value.grad_fn).__name__
        return repr(value.dtype), tuple(value.shape), value.stride(), rounded, value.requires_grad, node, shares
    return repr(value)


def shown(library: Any, expression: str) -> list[Any]:
    """What the nodes of an expression's graph keep, and whether that can be read after backward."""
    x = library.arange(1.0, 25.0, dtype=library.float64).reshape(2, 3, 4).requires_grad_()
    places = library.zeros(2, 3, 4, dtype=library.int64)
    result = eval(expression, {"torch": library, "x": x, "places": places})
    result = result if isinstance(result, library.Tensor) else result[0]
    told = []
    every = list(nodes(result.grad_fn))
    kept = [tensors_of(node) for node in every]
    for node, names in zip(every, kept, strict=True):
        told.append((node.name(), {name: plain(getattr(node, name), x) for name in names}))
    if "NotImplemented" not in result.grad_fn.name():
        result.backward(library.ones_like(result))
        told += [
            (node.name(), [(name, can_be_read(node, name)) for name in names])
            for node, names in zip(every, kept, strict=True)
        ]
    return told


def tensors_of(node: Any) -> list[str]:
    """The names under which a node keeps tensors."""
    names = sorted(name for name in dir(node) if name.startswith("_saved"))
    return [name for name in names if "Tensor" in repr(type(getattr(node, name))) and hasattr(node, f"_raw{name}")]


def can_be_read(node: Any, name: str) -> str:
    try:
        getattr(node, name)
    except RuntimeError as error:
        return str(error)
    return "yes"


@pytest.mark.filterwarnings("ignore:The use of `x.T`")
@pytest.mark.parametrize("expression", ONE_BY_ONE)
def test_nodes_show_what_pytorchs_show(expression: str) -> None:
    assert shown(tensorglass, expression) == shown(torch, expression)


def test_a_number_shows_as_one_and_the_same_tensor() -> None:
    node = (tensorglass.ones(2, requires_grad=True) * 2).grad_fn
    assert node._saved_other.data_ptr() == node._saved_other.data_ptr()
    assert node(tensorglass.ones(2))[0].tolist() == [2, 2]


CUTS = ["x.split(2, 1)", "x.split(5)", "x.split((1, 2), 1)", "x.chunk(2, 2)", "x[:, :0].chunk(2, 1)"]


@pytest.mark.parametrize("cut", CUTS)
def test_nodes_of_parts_show_how_the_tensor_was_cut(cut: str) -> None:
    ours, theirs = (
        eval(cut, {"x": library.ones(2, 3, 4, requires_grad=True)})[0].grad_fn for library in (tensorglass, torch)
    )
    names = [name for name in dir(theirs) if name.startswith("_saved")]
    assert names == [name for name in dir(ours) if name.startswith("_saved")]
    assert [getattr(ours, name) for name in names] == [getattr(theirs, name) for name in names]
