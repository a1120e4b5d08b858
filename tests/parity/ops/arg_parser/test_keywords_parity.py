"""Arguments by name: the names, their order and what they are when left out are PyTorch's."""

from __future__ import annotations

import pytest
import torch
from parity.expressions import outcome

import tensorglass

E, V = "(torch.eye(2) + 0.5)", "torch.ones(2)"
CALLS = [
    f"torch.result_type(tensor={V}, other=1)", f"torch.result_type(tensor={V}, other={V})",
    f"torch.result_type(scalar=1, tensor={V})", "torch.result_type(scalar1=1, scalar2=2.0)",
    f"torch.linalg.solve_triangular(input={E}, B={E}, upper=True)",
    f"torch.linalg.matrix_power(input={E}, n=2)",
    f"torch.linalg.vector_norm(input={V})", f"torch.linalg.vector_norm(x={V})",
    f"torch.linalg.matrix_norm(input={E})",
    f"torch.special.spherical_bessel_j0(x={V})", f"torch.special.scaled_modified_bessel_k0(x={V})",
    f"torch.tensordot(a={E}, b={E}, dims=1)", f"torch.linalg.pinv({E}, 1e-3, True)",
    f"torch.linalg.pinv({E}, rcond=1e-3)", f"torch.linalg.pinv({E}, atol={V}[0], rtol={V}[0])",
    f"torch.linalg.pinv({E}, {V}[0])", f"torch.linalg.matrix_rank({E}, tol=1e-3)", f"torch.linalg.matrix_rank(A={E})",
    f"torch.linalg.matrix_rank(input={E})", f"torch.linalg.matrix_rank({E}, 1e-3, True)",
    f"torch.linalg.matrix_rank({E}, {V}[0])", f"torch.sort({V}, True, 0, False)", f"torch.sort({V}, stable=True)",
    f"torch.argsort({V}, stable=True, dim=0)", f"torch.histogram({V}, bins=3)", f"torch.histogram({V})",
    f"torch.histogram({V}, {V}.cumsum(0))", f"torch.as_tensor({V}, dtype=torch.int32, device='cpu')",
    f"torch.scatter({V}, 0, torch.tensor([0]), value=2.)", f"torch.scatter({V}, 0, torch.tensor([0]), 2.)",
    f"torch.scatter({V}, dim=0, index=torch.tensor([0]), src={V})",
    "torch.repeat_interleave(repeats=torch.tensor([1,2]))", "torch.repeat_interleave(torch.tensor([1,2]))",
    f"torch.tensor_split({V}, sections=2)", f"torch.tensor_split({V}, indices=(1,))",
    f"torch.tensor_split({V}, tensor_indices_or_sections=torch.tensor(2))", f"torch.hsplit({E}, sections=2)",
    f"torch.hsplit({E}, indices=(1,))", f"torch.split(tensor={V}, split_size_or_sections=1)",
    f"{V}.split(split_size=1)", f"{V}.split(split_size=[1,1])", f"torch.split({V}, split_size=1)",
    f"torch.trapezoid({V}, dx=2.0)", f"torch.trapezoid({V}, x={V})", f"torch.nonzero({V}, as_tuple=True)",
    f"torch.any({V}, dim=0, keepdim=True)", f"torch.any({V}, dtype=torch.bool)",
    f"torch.amax({V}, dim=0, dtype=torch.float64)", f"torch.max({V}, dim=0)", f"torch.max({V}, other={V})",
    f"torch.max(input={V}, axis=0)", f"torch.tensor({V}.tolist(), layout=torch.strided)",
    f"torch.where(condition={V}>0)", f"torch.normal(mean={V}, std=0.0)", f"torch.normal(mean=2.0, std={V}*0)",
    f"torch.bernoulli({V}, p=1.0)", f"torch.bernoulli({V}, 1.0)",

    "torch.empty_strided(size=(2,3), stride=(1,2)).shape", "torch.scalar_tensor(s=2.)",
    f"torch.cov({E}, correction=0, fweights=torch.tensor([1,2]))", f"torch.roll({V}, shifts=1, dims=0)",
    f"torch.rot90({E}, k=1, dims=(0,1))", f"torch.searchsorted(sorted_sequence={V}, input={V})",
    f"torch.searchsorted({V}, self=1.0)", f"torch.searchsorted({V}, 1.0, side='left', out_int32=True)",
    f"torch.bucketize(input={V}, boundaries={V})", f"torch.bucketize(1.0, {V})",
    f"torch.isin(elements={V}, test_elements={V})", f"torch.isin(element=1, test_elements={V})",
    f"torch.isin({V}, test_element=1)", f"torch.unique({V}, True, True)",
    f"torch.unique(input={V}, return_counts=True)", f"torch.unique_consecutive({V}, return_inverse=True)",
    f"torch.meshgrid({V}, {V}, indexing='xy')", f"torch.einsum('i,i', {V}, {V})", f"torch.einsum('i,i', [{V}, {V}])",
    f"torch.cat(tensors=[{V}], dim=0)", f"torch.cat([{V}], axis=0)", f"torch.concat([{V}], dim=0)",
    f"torch.stack(tensors=[{V}])", f"torch.vstack(tensors=[{V}])",
    f"torch.index_select({V}, dim=0, index=torch.tensor([1]))",
    f"torch.gather(input={V}, dim=0, index=torch.tensor([1]), sparse_grad=False)",
    f"torch.take_along_dim({V}, indices=torch.tensor([1]), dim=0)", f"torch.kthvalue({V}, k=1)",
    f"torch.topk({V}, k=1, largest=False, sorted=False)", f"torch.quantile({V}, q=0.5, interpolation='nearest')",
    f"torch.clamp({V}, min=0, max=None)", f"torch.lerp(input={V}, end={V}, weight=0.5)",
    f"torch.diff({V}, n=1, prepend={V}, append=None)", "torch.cross(input=torch.ones(3), other=torch.ones(3), dim=0)",
    f"torch.addmm(input={E}, mat1={E}, mat2={E}, beta=1, alpha=1)",
    f"torch.baddbmm({E}[None], batch1={E}[None], batch2={E}[None])", f"torch.std({V}, correction=0)",
    f"torch.std({V}, dim=0, unbiased=False)", f"torch.std({V}, False)", f"torch.var_mean({V}, dim=0, correction=1)",
    f"torch.cumsum({V}, dim=0, dtype=torch.float64)", f"torch.logsumexp({V}, dim=(0,), keepdim=True)",
    "torch.full(size=(2,), fill_value=1)", f"torch.full_like({V}, fill_value=2)",
    "torch.arange(start=0, end=3, step=1)", "torch.arange(end=3)", "torch.linspace(start=0, end=1, steps=3)",
    "torch.eye(n=2, m=3)", "torch.tril_indices(row=2, col=2)", f"torch.vander(x={V}, N=2, increasing=True)",
    f"torch.linalg.vander(x={V}, N=3)", f"torch.cartesian_prod({V}, {V})",
    f"torch.combinations({V}, r=2, with_replacement=True)", f"torch.block_diag({V}, {E})",
    f"torch.histc({V}, bins=2, min=0, max=1)", "torch.bincount(torch.tensor([1,1]), weights=None, minlength=3)",
    f"torch.nan_to_num({V}, nan=0.0, posinf=1.0)", f"torch.logit({V}*0.5, eps=None)",
    f"torch.polygamma(n=1, input={V})", f"torch.special.polygamma(n=1, input={V})",
    f"torch.renorm({E}, p=2, dim=0, maxnorm=1.0)", f"torch.allclose({V}, {V}, rtol=1e-5, atol=1e-8, equal_nan=False)",
    f"torch.masked_select({V}, mask={V}>0)", f"torch.unflatten({V}, dim=0, sizes=(1,2))",
    f"torch.swapaxes({E}, axis0=0, axis1=1)", f"torch.swapdims({E}, dim0=0, dim1=1)",
    f"torch.movedim({E}, source=0, destination=1)", f"torch.narrow({V}, dim=0, start=0, length=1)",
    f"torch.broadcast_to({V}, size=(2,2))", f"torch.tile({V}, dims=(2,))", f"torch.flip({V}, dims=(0,))",
    f"torch.squeeze({V}, dim=0)", f"torch.take({V}, index=torch.tensor([0]))",
    f"torch.index_fill({V}, 0, torch.tensor([0]), value=2.0)", f"torch.diagonal_scatter({E}, src={V}, offset=0)",
    f"torch.slice_scatter({V}, src={V}, dim=0)", "torch.unravel_index(torch.tensor(1), shape=(2,2))",
    f"torch.frexp(input={V})", f"torch.aminmax({V}, dim=0)", f"torch.dist({V}, other={V}, p=2)",
    f"torch.norm({V}, p=2, dim=0)", f"torch.norm({V}, 'fro', dtype=torch.float64)",
    "torch.ones(2,3,out=None)",
    f"torch.lu_unpack(LU_data={E}, LU_pivots=torch.tensor([1,2],dtype=torch.int32))",
    f"torch.cholesky_solve(input={E}, input2={E})", f"torch.cholesky_solve(B={E}, L={E})", f"torch.pdist(input={E})",
    "torch.logspace(start=0,end=1,steps=2,base=2)", f"torch.poisson({V}*0)",
    f"torch.multinomial({V}, num_samples=1, replacement=True).shape", f"torch.special.log_softmax({V}, dim=0)",
    f"torch.softmax({V}, dim=0, dtype=torch.float64)", f"torch.count_nonzero({V}, dim=0)",
    f"torch.median({V}, dim=0)", f"torch.cummax({V}, dim=0)", f"torch.conj({V})", f"torch.real({V}.cfloat())",
    f"torch.complex(real={V}, imag={V})", f"torch.polar(abs={V}, angle={V})", f"torch.heaviside({V}, values={V})",
    f"torch.float_power({V}, exponent=2)", f"torch.pow({V}, exponent=2)", f"torch.fmod({V}, other=2)",
    f"torch.div({V}, 2, rounding_mode='floor')", f"torch.true_divide({V}, 2)", f"torch.sub({V}, other=1, alpha=2)",
    f"torch.rsub({V}, other=1, alpha=2)", "torch.bitwise_left_shift(torch.tensor(1), other=2)",
    f"torch.equal(input={V}, other={V})", f"torch.numel({V})", f"torch.is_nonzero({V}[0])",
    "torch.promote_types(torch.int8, torch.float16)", "torch.can_cast(from_=torch.int8, to=torch.float16)",
    "torch.finfo(torch.float32).tiny",
]  # fmt: skip


@pytest.mark.parametrize("expression", CALLS)
def test_arguments_have_pytorchs_names_and_order(expression: str) -> None:
    assert outcome(tensorglass, expression)[0] == outcome(torch, expression)[0]


def test_a_block_that_forks_the_generator_leaves_no_trace() -> None:
    seen = []
    for library in (tensorglass, torch):
        library.random.manual_seed(3)
        with library.random.fork_rng():
            inner = library.rand(3)
            library.manual_seed(7)
        after = library.rand(3)
        with library.random.fork_rng(enabled=False):
            library.manual_seed(7)
        seen.append([inner.tolist(), after.tolist(), library.rand(3).tolist(), library.random.initial_seed()])
        assert inner.tolist() == after.tolist()
    assert seen[0] == seen[1]


def test_named_tuples_of_results_have_types_that_can_be_asked_for() -> None:
    for library in (tensorglass, torch):
        assert type(library.ones(2).max(0)) is library.return_types.max
        assert library.return_types.max_out
        assert type(library.ones(2).max(0)) is library.return_types.max
        assert type(library.linalg.qr(library.ones(2, 2))) is library.return_types.linalg_qr
