"""Forms of calls that older programs have: numbers before tensors, as in ``p.data.add_(-lr, p.grad)``, and `self=`."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from parity.expressions import difference
from parity.steps import disagreement, lines

import tensorglass

_FILE = Path(tensorglass.__file__).parent / "ops" / "arg_parser" / "signatures.txt"
SIZES = {
    "mat": (2, 3), "vec": (3,), "mat1": (2, 3), "mat2": (3, 4), "vec1": (2,), "vec2": (4,), "batch1": (2, 2, 3),
    "batch2": (2, 3, 4),
}  # fmt: skip
OF_INPUT = {"addmv": (2,), "baddbmm": (2, 2, 4), "add": (3,), "sub": (3,), "addcmul": (3,), "addcdiv": (3,)}


def _older_calls() -> Iterator[str]:
    """A call by each signature that PyTorch takes but no longer shows."""
    name = ""
    for line in _FILE.read_text().splitlines():
        if not line.startswith(" "):
            name = line
        elif line.endswith(" deprecated"):
            plain = name.removeprefix("Tensor.")
            own = OF_INPUT.get(plain, (2, 4))
            values = []
            for part in line[line.index("(") + 1 : line.index(")")].partition(", *")[0].split(", "):
                if "=" in part:  # it may be left out
                    continue
                kind, argument = part.split()
                values.append("2" if kind == "Number" else f"(torch.ones({SIZES.get(argument, own)}) + 1)")
            yield f"{'torch' if plain == name else f'torch.ones({own})'}.{plain}({', '.join(values)})"


@pytest.mark.parametrize("call", _older_calls())
def test_numbers_before_tensors_are_read_as_pytorch_reads_them(call: str) -> None:
    assert difference(call, tensorglass, torch) is None


PROGRAMS = r"""
p=torch.ones(3) ;; g=torch.arange(3.) ;; p.add_(-0.1,g) ;; p.addcmul_(0.5,g,g) ;; p.addcdiv_(-1,g,g+1) ;; p.sub_(2,g)
x=torch.ones(2) ;; x.add(1,2) ;; x.sub(1,2) ;; torch.rsub(x,1,2) ;; torch.subtract(x,1,2) ;; x.subtract(x,2)
x=torch.ones(2) ;; x.add(2,x,3) ;; x.add('a',x) ;; torch.add(2,x,x) ;; torch.add(x,2,x,out=torch.empty(0))
x=torch.ones(2) ;; torch.pow(self=2,exponent=x) ;; torch.float_power(self=3,exponent=x)
x=torch.eye(2) ;; x.addmm(x,x,beta=torch.tensor(2),alpha=torch.tensor(0.5)) ;; x.add(x,alpha=torch.tensor(2))
"""


@pytest.mark.parametrize("program", lines(PROGRAMS))
def test_older_programs_run_as_on_pytorch(program: str) -> None:
    assert disagreement(program) is None


def test_the_advice_names_the_old_form_and_the_new_one() -> None:
    with warnings.catch_warnings(record=True) as caught:  # PyTorch warns once a process, of the first such call
        warnings.simplefilter("always")
        tensorglass.ones(2).add_(2, tensorglass.ones(2))
    assert [str(warning.message) for warning in caught] == [
        "This overload of add_ is deprecated:\n\tadd_(Number alpha, Tensor other)\nConsider using one of the following "
        "signatures instead:\n\tadd_(Tensor other, *, Number alpha = 1)"
    ]


def test_a_call_in_the_new_form_that_is_refused_is_not_advised() -> None:
    leaf = tensorglass.ones(2, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeError, match="a leaf Variable"):
            leaf.copy_(tensorglass.zeros(2))
