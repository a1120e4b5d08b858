"""torch.linalg beside PyTorch's: what matrices are refused and in which words, and factors whose signs may differ."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy
import pytest
from parity.agreement import blueprint, disagreement, torch
from parity.expressions import outcome
from parity.steps import disagreement as of_steps
from parity.steps import lines

import tensorglass

REGULAR = ((2.0, 1.0), (1.0, 3.0))
SINGULAR = ((1.0, 2.0), (2.0, 4.0))
INDEFINITE = ((1.0, 2.0), (2.0, 1.0))
ZERO = ((0.0, 0.0), (0.0, 0.0))


def matrix(rows: Any, dtype: str = "float32") -> Any:
    array = numpy.array(rows)
    return blueprint(
        [complex(number) if "complex" in dtype else number for number in array.ravel()], dtype, array.shape
    )


def check(name: str, *arguments: Any, **keywords: Any) -> None:
    assert disagreement(name, arguments, keywords) is None


def ones(*size: int, dtype: str = "float32") -> Any:
    return blueprint([1] * int(numpy.prod(size)), dtype, size)


ONE_MATRIX = (
    "linalg.inv", "linalg.inv_ex", "linalg.det", "linalg.slogdet", "linalg.cholesky", "linalg.cholesky_ex",
    "linalg.eigh", "linalg.eigvalsh", "linalg.eig", "linalg.eigvals", "det", "logdet", "slogdet", "inverse", "cholesky",
)  # fmt: skip


@pytest.mark.parametrize("name", ONE_MATRIX)
def test_what_is_no_regular_matrix_is_refused_in_pytorchs_words(name: str) -> None:
    for wrong in (ones(2, 3), ones(3), ones(), ones(2, 2, dtype="int32"), ones(2, 3, dtype="bool"), 3, None):
        check(name, wrong)
    check(name)
    if name.endswith("_ex") or "eig" in name:
        return
    for rows in (
        SINGULAR,
        INDEFINITE,
        ZERO,
        (REGULAR, SINGULAR),
        (SINGULAR, REGULAR),
        ((REGULAR, ZERO), (REGULAR, REGULAR)),
    ):
        for dtype in ("float32", "float64", "complex64"):
            if "det" not in name or rows == INDEFINITE:  # for singular matrices, the sign of zero may be either
                check(name, matrix(rows, dtype))


def test_solve_refuses_as_pytorch_does() -> None:
    regular = matrix(REGULAR)
    for other in (ones(3), ones(3, 2), ones(2, dtype="float64"), ones(2, dtype="int32"), ones(), ones(2, 2), 3):
        check("linalg.solve", regular, other)
        check("linalg.solve", regular, other, left=False)
    for wrong in (ones(2, 3), ones(2), 3, matrix(SINGULAR), matrix((REGULAR, SINGULAR)), ones(2, 2, dtype="int32")):
        check("linalg.solve", wrong, ones(2))
    check("linalg.solve_ex", matrix(SINGULAR), ones(2), check_errors=True)
    check("linalg.inv_ex", matrix(SINGULAR), check_errors=True)
    check("linalg.cholesky_ex", matrix(INDEFINITE), check_errors=True)
    check("linalg.cholesky_ex", matrix((REGULAR, INDEFINITE, ZERO)))


def test_a_singular_matrix_raises_linalg_error() -> None:
    with pytest.raises(tensorglass.linalg.LinAlgError, match="The diagonal element 2 is zero"):
        tensorglass.linalg.inv(tensorglass.tensor(SINGULAR))
    assert issubclass(tensorglass.linalg.LinAlgError, RuntimeError)
    assert tensorglass.linalg.LinAlgError.__name__ == torch.linalg.LinAlgError.__name__
    inverse, info = tensorglass.linalg.inv_ex(tensorglass.tensor((REGULAR, SINGULAR)))
    assert info.tolist() == [0, 2]
    assert inverse[0].isfinite().all()
    assert inverse[1].isnan().all()
    assert type(pickle.loads(pickle.dumps(inverse))) is tensorglass.Tensor


def both(rows: Any) -> tuple[Any, Any]:
    return tensorglass.tensor(rows), torch.tensor(rows)


def close(ours: Any, theirs: Any) -> bool:
    return numpy.allclose(ours.numpy(), theirs.numpy(), atol=1e-5)


def test_eigenvalues_are_pytorchs_and_vectors_belong_to_them() -> None:
    for rows in (REGULAR, INDEFINITE, (REGULAR, SINGULAR)):
        ours, theirs = both(rows)
        values, vectors = tensorglass.linalg.eigh(ours)
        expected = torch.linalg.eigh(theirs)
        assert close(values, expected.eigenvalues)
        assert close(vectors.abs(), expected.eigenvectors.abs())
        assert close(vectors * values.unsqueeze(-2), (ours @ vectors).contiguous())
        values, vectors = tensorglass.linalg.eig(ours)
        assert close(vectors * values.unsqueeze(-2), (ours.to(tensorglass.complex64) @ vectors).contiguous())
        found = tensorglass.linalg.eigvals(ours).real.sort().values
        assert close(found, torch.linalg.eigvals(theirs).real.sort().values)


def test_gradient_of_the_determinant_of_a_singular_matrix_is_its_cofactors() -> None:
    ours = tensorglass.tensor(SINGULAR, requires_grad=True)
    tensorglass.linalg.det(ours).backward()
    assert numpy.allclose(ours.grad.numpy(), [[4, -2], [-2, 1]], atol=1e-5)


def test_factors_multiply_to_the_matrix_and_are_pytorchs_but_for_signs() -> None:
    for size in ((3, 3), (4, 2), (2, 2, 4)):
        theirs = torch.linspace(-1, 2, int(numpy.prod(size))).reshape(size).sin()
        ours = tensorglass.tensor(theirs.tolist())
        left, sizes, right = tensorglass.linalg.svd(ours, full_matrices=False)
        assert close((left * sizes.unsqueeze(-2) @ right).contiguous(), theirs)
        assert close(sizes, torch.linalg.svdvals(theirs))
        q, r = tensorglass.linalg.qr(ours)
        assert close((q @ r).contiguous(), theirs)
        assert close(r.abs(), torch.linalg.qr(theirs).R.abs())
        assert close(tensorglass.linalg.pinv(ours), torch.linalg.pinv(theirs))


def test_the_exponential_of_a_matrix_is_pytorchs() -> None:
    for scale in (0.01, 1.0, 20.0):
        theirs = scale * torch.tensor([[0.5, -1.0, 0.2], [0.3, 0.1, 0.9], [-0.4, 0.8, -0.6]], dtype=torch.float64)
        ours = tensorglass.tensor(theirs.tolist(), dtype=tensorglass.float64)
        exponential, expected = tensorglass.linalg.matrix_exp(ours), torch.linalg.matrix_exp(theirs)
        assert numpy.allclose(exponential.numpy(), expected.numpy(), rtol=1e-9)


CORNERS = r"""
x=torch.ones(2,2,2) ;; torch.linalg.norm(x,2) ;; torch.linalg.norm(x,'fro') ;; torch.linalg.norm(x,'nuc')
x=torch.ones(2,2) ;; torch.linalg.norm(x,dim=(0,1,1)) ;; torch.linalg.norm(x,dim=()) ;; torch.linalg.norm(x,2,dim=())
x=torch.ones(2,2) ;; torch.linalg.norm(x,1j) ;; torch.linalg.vector_norm(x,1j) ;; torch.linalg.matrix_norm(x,1j)
x=torch.ones(2,2) ;; x.norm(1j)
x=torch.tensor([[4.,1],[1,3]]) ;; torch.norm(x,'nuc') ;; x.norm('nuc',(0,1)) ;; x.norm('nuc',1) ;; x[0].norm('nuc')
x=torch.tensor([[4.,1],[1,3]]) ;; torch.norm(x,'nuc',(1,0),True) ;; torch.norm(x.expand(2,2,2),'nuc')
x=torch.ones(2,2) ;; torch.norm(x,'no')
x=torch.tensor([[4.,1],[1,3]]).requires_grad_() ;; torch.norm(x,'nuc').backward() ;; (x.grad*9).round().abs()
x=torch.ones(2,2) ;; torch.linalg.cond(x,3) ;; torch.linalg.cond(x,0) ;; torch.linalg.cond(x,.5)
x=torch.ones(2,2) ;; torch.linalg.cond(x,'no')
x=torch.ones(0,0) ;; [torch.linalg.cond(x,p) for p in (None,'nuc','fro',1,2,-2,math.inf)]
x=torch.ones(2,0,0) ;; [torch.linalg.cond(x,p) for p in (None,'nuc','fro',1,2,-2,math.inf)]
x=torch.ones(2,0) ;; [torch.linalg.cond(x,p) for p in (None,1,2,-2,math.inf)] ;; torch.linalg.cond(x,'nuc')
x=torch.ones(2,3) ;; torch.linalg.cond(x,'fro') ;; torch.linalg.cond(x,'nuc') ;; torch.linalg.cond(x,1)
x=torch.eye(2) ;; torch.linalg.lstsq(x,torch.ones(3)) ;; torch.linalg.lstsq(x,torch.ones(1,2,2))
x=torch.ones(2,2,2) ;; torch.linalg.lstsq(x,torch.ones(2)) ;; torch.linalg.lstsq(x,torch.ones(3,2))
x=torch.ones(2,3) ;; torch.linalg.pinv(x,hermitian=True) ;; torch.linalg.matrix_rank(x,hermitian=True)
x=torch.eye(2) ;; y=torch.tensor(1j) ;; torch.linalg.pinv(x,atol=y) ;; torch.linalg.matrix_rank(x,rtol=y)
x=torch.eye(2) ;; torch.linalg.multi_dot(x)
x=torch.tensor([1.,1,2],requires_grad=True) ;; torch.unique_consecutive(x,dim=0).sum().backward()
"""


@pytest.mark.parametrize("program", lines(CORNERS))
def test_norms_conditions_and_equations_in_the_corners_are_pytorchs(program: str) -> None:
    assert of_steps(program) is None


@pytest.mark.parametrize("call", ["cholesky(x)", "qr(x)"])
def test_older_forms_advise_what_to_call_instead(call: str) -> None:
    said = []
    for library in (torch, tensorglass):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            eval(f"torch.{call}", {"torch": library, "x": library.eye(2)})
        said.append([str(warning.message).split(" (Triggered")[0].strip() for warning in caught])
    assert said[1][0].startswith(f"torch.{call.split('(')[0]} is deprecated")
    assert not said[0] or said == [said[0]] * 2  # PyTorch says it once in a process


def test_cross_without_a_dimension_gives_pytorchs_advice() -> None:
    torch.set_warn_always(True)  # otherwise PyTorch warns only once in a process
    try:
        (_, ours), (_, theirs) = [
            outcome(library, "torch.cross(torch.ones(2, 3), torch.ones(2, 3))") for library in (tensorglass, torch)
        ]
    finally:
        torch.set_warn_always(False)
    assert ours == theirs != []
