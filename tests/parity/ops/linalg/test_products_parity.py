"""What products of matrices and vectors refuse, in PyTorch's words: sizes, dtypes, equations."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from parity import steps
from parity.agreement import blueprint, disagreement, torch

import tensorglass

SIZES = {
    "addmm": ((2, 2), (2, 3), (3, 2)),
    "addmv": ((2,), (2, 3), (3,)),
    "addbmm": ((2, 2), (2, 2, 3), (2, 3, 2)),
    "baddbmm": ((2, 2, 2), (2, 2, 3), (2, 3, 2)),
    "addr": ((2, 3), (2,), (3,)),
}


def ones(size: tuple[int, ...], dtype: str = "float32") -> Any:
    count = 1
    for length in size:
        count *= length
    return blueprint([1] * count, dtype, size)


def check(name: str, *arguments: Any, form: str = "function", **keywords: Any) -> None:
    assert disagreement(name, arguments, keywords, form) is None


@pytest.mark.parametrize("name", SIZES)
def test_added_products_refuse_sizes_dtypes_and_factors_as_pytorch_does(name: str) -> None:
    a, b, c = SIZES[name]
    wrong = ((5,), (1, 1, 1, 1, 1), (7,), (3, 3, 2), (4, 4))
    for place in range(3):
        # PyTorch expands the input of batches first, and then its error is about that.
        for size in wrong if place == 0 or "bmm" not in name else ((3, 3, 2), (2, 5, 2))[: place - 1 and 2]:
            operands = [ones(size) for size in (a, b, c)]
            operands[place] = ones(size)
            check(name, *operands)
        operands = [ones(size) for size in (a, b, c)]
        operands[place] = ones((a, b, c)[place], "float64")
        check(name, *operands)
        check(f"{name}_", *operands, form="method")
        operands[place] = 3
        check(name, *operands)
    floats, whole = [[ones(size, dtype) for size in (a, b, c)] for dtype in ("float32", "int32")]
    for factor in (2.5, True, 2j, 3):
        for keyword in ("alpha", "beta"):
            check(name, *floats, **{keyword: factor})
            check(name, *whole, **{keyword: factor})
    if name in ("addmm", "baddbmm"):  # the others' list the old forms too
        check(name, *floats[:2])
    check(name, *floats, gamma=2)
    check(name, *floats, alpha="x")
    check(name, *floats, out=ones(a, "float64"))
    check(name, *floats, out=ones(a, "int32"))
    if name != "addbmm":  # which PyTorch lets grow in place
        check(f"{name}_", ones((1,)), *floats[1:], form="method")
        check(f"{name}_", ones((1,) * len(a)), *floats[1:], form="method")
    nan = blueprint([float("nan")] * 2, "float32", (2,))
    if name == "addmv":
        check(name, nan, *floats[1:], beta=0)


@pytest.mark.parametrize("name", ["vdot", "inner", "ger", "cross", "linalg.vecdot", "linalg.cross", "linalg.matmul"])
def test_products_of_two_refuse_as_pytorch_does(name: str) -> None:
    three = ones((3,))
    for other in (ones((4,)), ones((2, 3)), ones(()), ones((3,), "float64"), ones((3,), "int32"), 2):
        check(name, three, other)
        check(name, other, three)
    check(name, three)
    check(name)
    check(name, ones((2, 3)), ones((2, 4)))
    check(name, ones((2, 2)), ones((2, 2)))
    check(name, three, three, out=ones((), "int32"))
    check(name, three, three, 0)


EQUATIONS = (
    "ij->ij,", "i.j->i", "...i...->i", "i1->i", "ij->iij", "ij->k", "i->i", "ijk->i", "ij,jk->ik",
    "ij ->j i", "...ijk->i", "ii", "ij->", "", "->", "iJ", "...", "ij...->ji...",
)  # fmt: skip


@pytest.mark.parametrize("equation", EQUATIONS)
def test_einsum_reads_and_refuses_equations_as_pytorch_does(equation: str) -> None:
    check("einsum", equation, ones((2, 3)))
    check("einsum", equation, ones((3, 3)))
    check("einsum", equation, [ones((2, 3)), ones((4, 3))])


def test_einsum_refuses_calls_as_pytorch_does() -> None:
    check("einsum", "ij->j")
    check("einsum", ones((2, 3)))
    check("einsum", ones((2, 3)), [0, 52])
    check("einsum", "ij,jk,kl->il", ones((2, 3)), ones((3, 2)))
    for equation in ("i...,i...->...", "...i,...i", "i...j,i...j->ij"):
        check("einsum", equation, ones((2, 3, 4)), ones((2, 4, 5)))


@pytest.mark.parametrize("order", ["".join(order) for order in permutations("bik")])
def test_einsum_lays_its_result_out_as_pytorch_does(order: str) -> None:
    lengths = {"b": 2, "i": 3, "j": 4, "k": 5}
    for letters in ("bij", "jk"), ("ij", "bjk"), ("bij", "bjk"):
        operands = [ones(tuple(lengths[letter] for letter in letters_of_one)) for letters_of_one in letters]
        check("einsum", f"{','.join(letters)}->{order}", *operands)


@pytest.mark.parametrize("dims", [-1, 0, 1, 2, 3, ([0], [0, 1]), ([0], [1]), ([0, 1], [0, 1]), ([5], [0])])
def test_tensordot_reads_and_refuses_dimensions_as_pytorch_does(dims: Any) -> None:
    check("tensordot", ones((2, 3)), ones((2, 3)), dims)
    check("tensordot", ones((2, 3)), ones((3, 2)), dims)
    check("tensordot", ones((2, 3)), ones((3, 2), "float64"), dims)


WRONG_DIMS = r"""
a,b=torch.ones(2,3),torch.ones(3,2) ;; torch.tensordot(a,b,dims=torch.tensor([[1.0],[0.0]]))
a,b=torch.ones(2,3),torch.ones(3,2) ;; torch.tensordot(a,b,([1],[0.0])) ;; torch.tensordot(a,b,([1,2.5],[0,1]))
a,b=torch.ones(2,3),torch.ones(3,2) ;; torch.tensordot(a,b,([1],0)) ;; torch.tensordot(a,b,(np.array([1]),[0]))
a,b=torch.ones(2,3),torch.ones(3,2) ;; torch.tensordot(a,b,([torch.tensor(1.0)],[0]))
a,b=torch.ones(2,3),torch.ones(3,2) ;; torch.tensordot(a,b,([True],[0]))
a,b=torch.ones(2,3),torch.ones(3,2) ;; torch.tensordot(a,b,torch.tensor([-1]))
a,b=torch.ones(2,3),torch.ones(3,2) ;; torch.tensordot(a,b,torch.tensor(-1.5))
a,b=torch.ones(2,3),torch.ones(3,2) ;; torch.tensordot(a,b,([np.int64(1)],[torch.tensor(0)]))
a,b=torch.ones(2,3),torch.ones(3,2) ;; torch.tensordot(a,b,([0],)) ;; torch.tensordot(a,b,([1],[0],[0]))
torch.linalg.householder_product(torch.ones(3,2),torch.tensor(1.0))
torch.linalg.householder_product(torch.ones(2,3,2),torch.tensor(1.0))
x=torch.ones(2,3) ;; torch.norm(x,"nuc",np.int64(0)) ;; torch.norm(x,"nuc",1.5)
x=torch.ones(2,3) ;; x.norm("nuc","a") ;; x.norm("nuc",True)
x=torch.ones(2,3) ;; torch.norm(x,"nuc",torch.tensor([0,1])) ;; torch.norm(x,"nuc",(0,1.5)) ;; torch.norm(x,"nuc",0)
x=torch.ones(2,3) ;; torch.norm(x,"fro",np.int64(0)) ;; torch.norm(x,"fro",1.5) ;; torch.norm(x,"nuc",[1,0],True)
x=torch.ones(2,3,requires_grad=True) ;; torch.norm(x,"nuc") ;; torch.norm(x,"nuc",(0,1),out=torch.ones(3))
"""


@pytest.mark.parametrize("program", steps.lines(WRONG_DIMS))
def test_dimensions_of_other_kinds_are_refused_in_pytorchs_words(program: str) -> None:
    assert not steps.disagreement(program)


def test_the_product_of_matrices_has_two_older_names() -> None:
    for library in (tensorglass, torch):
        a = library.arange(6.0).reshape(2, 3)
        for name in ("spmm", "dsmm"):
            function = getattr(library, name)
            assert library.equal(function(a, a.t()), a.mm(a.t()))
            assert function.__name__ == name
