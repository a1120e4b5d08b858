"""The graphs that programs leave behind, written out as text, are PyTorch's: node names, edges, versions, strides."""

from __future__ import annotations

from typing import Any

import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle is missing: pip install torch==2.13.0")


def chain(node: Any) -> str:
    """A node and those behind it: ``Mul(AccumulateGrad(), None)``."""
    if node is None:
        return "None"
    return f"{node.name()}({', '.join(chain(following) for following, _ in node.next_functions)})"


def outcome(library: Any, program: str) -> str:
    """The graph, version and layout of `x` after `program` has run, or its error."""
    leaf = library.ones(2, 1, 3, dtype=library.float64, requires_grad=True)
    names = {
        "torch": library,
        "x": leaf * 1,
        "scalar": library.tensor(1.0, dtype=library.float64, requires_grad=True),
        "row": library.ones(3, dtype=library.float64, requires_grad=True),
        "long_row": library.ones(1, 3, dtype=library.float64, requires_grad=True),
        "whole": library.ones(2, 1, 3, dtype=library.float64, requires_grad=True),
        "complex": library.ones(2, 3, dtype=library.complex128, requires_grad=True),
        "places": library.zeros(2, 3, dtype=library.int64),
    }
    try:
        exec(program, names)
    except Exception as error:  # whatever it is, it must be the same on both
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    x = names["x"]
    return f"{chain(x.grad_fn)} version {x._version} {tuple(x.shape)} {x.stride()} {x.storage_offset()} {x._is_view()}"


ASSIGNMENTS = [
    f"x[{index}] = {value}"
    for index in ("...", ":", "0", ":, 0", ":, :1", "0, 0", "0, 0, 1:", "None", "True", "[0]", "[0], 0", "x > 0")
    for value in ("scalar", "row", "long_row", "whole", "2.0", "row[:1]")
]


@pytest.mark.parametrize("program", ASSIGNMENTS)
def test_assignment_to_an_index_is_recorded_as_by_pytorch(program: str) -> None:
    assert outcome(tensorglass, program) == outcome(torch, program)


@pytest.mark.parametrize(
    "expression",
    [
        "complex.select_scatter(complex[0].detach(), 0, 0)",
        "complex.slice_scatter(complex[:1].detach())",
        "complex.scatter_reduce(0, places, complex.detach(), 'sum')",
        "(complex * 1).scatter_reduce_(0, places, complex.detach(), 'sum')",
        "complex.nan_to_num()",
        "complex[:0].amax(1)",
        "complex[:0].amin(1)",
        "complex[:0].softmax(0)",
        "complex[:0].log_softmax(0)",
    ],
)
def test_operators_without_a_complex_derivative_refuse_as_on_pytorch(expression: str) -> None:
    assert outcome(tensorglass, f"x = {expression}") == outcome(torch, f"x = {expression}")


@pytest.mark.parametrize(
    "expression",
    [
        form.format(tensor)
        for tensor in (
            "long_row.permute(1, 0)", "whole.permute(2, 1, 0)", "whole.mT", "whole[:, :, :1].mT", "complex.t()",
            "whole[:0].mT",
        )
        for form in (
            "{0} ** 2", "2 ** {0}", "{0}.float_power(2)", "torch.float_power(2, {0})", "{0} * 2", "{0}.lerp({0}, 0.5)",
            "torch.stack([{0}, {0}])", "torch.stack([{0}, {0}], -1)", "torch.cat([{0}, {0}])", "{0}.roll(1)",
            "{0}.roll(1, 0)",
        )
    ],
)  # fmt: skip
def test_results_lie_in_memory_as_on_pytorch(expression: str) -> None:
    assert outcome(tensorglass, f"x = {expression}") == outcome(torch, f"x = {expression}")


@pytest.mark.parametrize(
    "expression",
    [
        "torch.stack([last, last])",
        "torch.stack([last, last], 1)",
        "torch.stack([last, last], 4)",
        "torch.cat([last, last], 3)",
        "last[:, :, :, ::2].select_scatter(last[0, :, :, ::2], 0, 0)",
        "last[:, :, :, ::2].slice_scatter(last[:1, :, :, ::2], 0, 0)",
        "last[0, 0, :, ::2].diagonal_scatter(last[0, 0, 0, :3])",
        "last[:1].expand(3, 3, 4, 5).select_scatter(last[0], 0, 0)",
    ],
)
def test_joined_and_scattered_copies_lie_as_their_parts_do_on_pytorch(expression: str) -> None:
    program = (
        "last = torch.arange(120.0).reshape(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)\n"
        f"x = {expression}"
    )
    assert outcome(tensorglass, program) == outcome(torch, program)


@pytest.mark.parametrize("expression", ["row @ complex.real.T", "row.detach() @ torch.ones(3, 2).double()"])
def test_a_vector_times_a_matrix_has_a_written_version_as_on_pytorch(expression: str) -> None:
    assert outcome(tensorglass, f"x = {expression}") == outcome(torch, f"x = {expression}")
