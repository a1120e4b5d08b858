"""`torch.fft` against PyTorch: frequencies, what is refused, and the graph behind each transform."""

from __future__ import annotations

from typing import Any

import pytest
from parity.agreement import Dtype, blueprint, disagreement, torch

import tensorglass

LINE = blueprint([1.0, 2.0, 4.0], "float32", (3,))
TABLE = blueprint([float(number) for number in range(20)], "float32", (4, 5))
SPECTRUM = blueprint([complex(number, 1) for number in range(20)], "complex64", (4, 5))
NUMBER = blueprint([1.0], "float32", ())

CALLS: list[tuple[Any, ...]] = [
    ("fft.fftfreq", 5),
    ("fft.fftfreq", 4, 0.5),
    ("fft.fftfreq", 0),
    ("fft.fftfreq", -1),
    ("fft.fftfreq", 3, {"dtype": Dtype("int64")}),
    ("fft.fftfreq", "3"),
    ("fft.rfftfreq", 5),
    ("fft.rfftfreq", 4, 2.0),
    ("fft.rfftfreq", 4, {"out": blueprint([], "float64", (0,))}),
    ("fft.fft", LINE, {"norm": "foo"}),
    ("fft.fft", LINE, 0),
    ("fft.fft", LINE, -2),
    ("fft.fft", LINE, {"dim": 7}),
    ("fft.fft", LINE, 1.5),
    ("fft.fft", NUMBER),
    ("fft.fftn", NUMBER),
    ("fft.fft2", LINE),
    ("fft.rfft", SPECTRUM),
    ("fft.ihfft", SPECTRUM),
    ("fft.irfft", NUMBER),
    ("fft.irfft", blueprint([1.0], "float32", (1,))),
    ("fft.fftn", TABLE, (2,), (0, 1)),
    ("fft.fftn", TABLE, (2, 3, 4)),
    ("fft.fftn", TABLE, {"dim": (0, -2)}),
    ("fft.fftn", TABLE, (2, 0)),
    ("fft.fftn", TABLE, {"dim": ()}),
    ("fft.rfftn", TABLE, {"dim": ()}),
    ("fft.irfftn", TABLE, {"dim": ()}),
    ("fft.irfft", TABLE, {"out": blueprint([], "complex64", (0,))}),
    ("fft.fft", TABLE, {"out": blueprint([], "float32", (0,))}),
    ("fft.fftshift", TABLE, 5),
    ("conj_physical", SPECTRUM),
    ("conj_physical", TABLE),
    ("conj_physical", TABLE, {"out": blueprint([], "float64", (0,))}),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call[0])
def test_calls_agree(call: tuple[Any, ...]) -> None:
    name, *arguments = call
    keywords = dict(arguments.pop()) if isinstance(arguments[-1], dict) else {}
    assert disagreement(name, tuple(arguments), keywords) is None


def test_conj_physical_in_place_conjugates_the_memory_itself() -> None:
    x = tensorglass.tensor([1 + 2j, 3 - 1j])
    assert x.conj_physical_() is x  # by the kernel `_conjugated`, while conj would only set a flag
    assert not x.is_conj()
    assert x.tolist() == [1 - 2j, 3 + 1j]


@pytest.mark.parametrize("name", ["fft_fftfreq", "fft_rfftfreq"])
def test_frequencies_say_which_argument_is_wrong(name: str) -> None:
    for library in (tensorglass, torch):
        with pytest.raises(TypeError, match=f"{name}"):
            getattr(library.fft, name[4:])("3")


def graph(node: Any) -> list[Any]:
    return [
        node.name().removeprefix("torch::autograd::"),
        *[graph(behind) for behind, _ in node.next_functions if behind is not None],
    ]


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn", "irfftn", "rfft2"])
@pytest.mark.parametrize("kind", ["float32", "complex64"])
def test_graphs_agree(name: str, kind: str) -> None:
    if kind == "complex64" and name in ("rfft", "ihfft", "rfft2"):
        return
    graphs = []
    for library in (tensorglass, torch):
        x = library.ones(4, 6, dtype=getattr(library, kind), requires_grad=True)
        length = {"n": 3} if not name.endswith(("n", "2")) else {"s": (5, 3)}
        graphs.append(graph(getattr(library.fft, name)(x, **length).grad_fn))
    ours, theirs = graphs
    assert ours == theirs
