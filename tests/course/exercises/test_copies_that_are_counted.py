"""Every function that makes tensors copies arrays, tensors, lists and buffers exactly when PyTorch does."""

import warnings
from array import array

import numpy
import pytest

import tensorglass
from glassroom.exercises.account import account

SOURCES = {
    "an array": "numpy.arange(6.0)",
    "an array of one cell": "numpy.array([3.0])",
    "a view of an array": "numpy.arange(12.0).reshape(3, 4)[:, ::2]",
    "a tensor": "torch.arange(6.0)",
    "a transposed tensor": "torch.arange(6.0).view(2, 3).t()",
    "a list": "[1.0, 2.0, 3.0]",
    "a list of arrays": "[numpy.arange(3.0), numpy.arange(3.0)]",
    "a number": "3.0",
    "a buffer": "array('d', [1.0, 2.0])",
}
MAKERS = (
    "torch.tensor(x)",
    "torch.tensor(x, dtype=torch.int32)",
    "torch.as_tensor(x)",
    "torch.as_tensor(x, dtype=torch.int32)",
    "torch.asarray(x)",
    "torch.asarray(x, copy=True)",
    "torch.asarray(x, dtype=torch.float16)",
    "torch.ones(1).new_tensor(x)",
    "torch.from_numpy(x)",
    "torch.from_numpy(x).clone()",
    "torch.frombuffer(x, dtype=torch.float64)",
    "torch.FloatTensor(x)",
    "torch.nn.Parameter(torch.as_tensor(x))",
)


def copies(library, maker, source):
    """The bytes of each copy, or the class of the error."""
    names = {"torch": library, "numpy": numpy, "array": array}
    names["x"] = eval(source, names)
    with warnings.catch_warnings(), account() as kept:
        warnings.simplefilter("ignore")
        try:
            eval(maker, names)
        except (TypeError, ValueError, RuntimeError) as error:
            return type(error).__name__
    return kept.copies


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
@pytest.mark.parametrize("maker", MAKERS)
def test_a_tensor_is_made_by_the_copies_that_pytorch_makes(maker, source):
    torch = pytest.importorskip("torch", reason="torch is not installed (extra: parity)")
    assert copies(tensorglass, maker, source) == copies(torch, maker, source)


def test_the_copy_of_an_array_or_a_tensor_is_counted_once():
    for maker in ("torch.tensor(x)", "torch.ones(1).new_tensor(x)"):
        assert copies(tensorglass, maker, "torch.ones(100)") == [400]
    assert copies(tensorglass, "torch.tensor(x)", "numpy.ones(100)") == [800]
    assert copies(tensorglass, "torch.tensor(x, device='sim')", "numpy.ones(100)") == [800]
