"""Pickles go from one process to another: what is sent, what is shared again, and what stays behind."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from operator import attrgetter
from types import FunctionType

import pytest

import tensorglass as torch
from tensorglass.core.left_out import is_left_out

SENDER = """
import pickle, sys
import tensorglass as torch
x = torch.arange(6.0).view(2, 3)
x.label = ["by name", x]
leaf = torch.ones(2, requires_grad=True)
there = torch.arange(3, device="sim")
things = {"x": x, "row": x[1], "storage": x.untyped_storage(), "leaf": leaf, "there": there, "dtype": x.dtype,
          "size": x.shape, "device": there.device, "conj": torch.tensor([1j]).conj(), "half": torch.ones(1).bfloat16()}
sys.stdout.buffer.write(pickle.dumps(things, %d))
"""


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_of_another_process_is_what_was_pickled_there(protocol: int) -> None:
    sent = subprocess.run([sys.executable, "-c", SENDER % protocol], capture_output=True, check=True).stdout
    things = pickle.loads(sent)
    x = things["x"]
    assert things["row"].untyped_storage() is things["storage"] is x.untyped_storage()
    things["row"][0] = -1
    assert x.tolist() == [[0, 1, 2], [-1, 4, 5]]
    assert x.label[0] == "by name"
    assert x.label[1] is x
    assert things["leaf"].requires_grad
    assert things["leaf"].is_leaf
    assert things["there"].device == torch.device("sim", 0) == things["device"]
    assert things["there"].tolist() == [0, 1, 2]
    assert things["dtype"] is torch.float32
    assert type(things["size"]) is torch.Size
    assert things["conj"].tolist() == [-1j]
    assert things["half"].dtype is torch.bfloat16


def test_a_deep_copy_keeps_what_is_shared_and_a_copy_shares() -> None:
    x = torch.arange(6).view(2, 3)
    row, whole = copy.deepcopy([x[1], x])
    row.zero_()
    assert whole.tolist() == [[0, 1, 2], [0, 0, 0]]
    copy.copy(x).fill_(7)
    assert x.tolist() == [[7, 7, 7], [7, 7, 7]]


FUNCTIONS = sorted(
    f"{home}{name}"
    for home, holder in (("", torch), ("linalg.", torch.linalg), ("fft.", torch.fft), ("special.", torch.special),
                         ("Tensor.", torch.Tensor))
    for name in dir(holder)
    if not name.startswith("_")
    and isinstance(function := getattr(holder, name, None), FunctionType)
    and not is_left_out(function)
)  # fmt: skip


def test_functions_and_methods_are_pickled_by_the_names_that_users_know() -> None:
    from_elsewhere = []
    for path in FUNCTIONS:
        function = attrgetter(path)(torch)
        try:
            is_itself = pickle.loads(pickle.dumps(function)) is function
        except pickle.PicklingError:
            is_itself = False
        if not is_itself:
            from_elsewhere.append(path)
    assert len(FUNCTIONS) > 1000
    assert from_elsewhere == []


def test_operators_that_look_for_derived_classes_are_pickled_too() -> None:
    type("Derived", (torch.Tensor,), {})
    for function in (
        torch.Tensor.where,
        torch.Tensor.__getitem__,
        torch.Tensor.__matmul__,
        torch.Tensor.add,
        torch.add,
    ):
        assert pickle.loads(pickle.dumps(function)) is function


def test_a_function_goes_to_a_process_that_has_imported_nothing() -> None:
    sent = pickle.dumps((torch.linalg.qr, torch.topk, torch.Tensor.cumsum, torch.special.erf, torch.add))
    program = f"import pickle; print(*[each.__name__ for each in pickle.loads({sent!r})])"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout
    assert said.split() == ["linalg_qr", "topk", "cumsum", torch.special.erf.__name__, "add"]
