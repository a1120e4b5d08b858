"""Drawing random numbers: each expression prints, warns and refuses as in PyTorch, and the numbers are PyTorch's."""

# ruff: noqa: E501 (one expression a line, however long)

from __future__ import annotations

import numpy as np
import pytest
from parity.expressions import difference, outcome

import tensorglass

torch = pytest.importorskip("torch", reason="PyTorch, the oracle, is not installed: pip install '.[parity]'")

RANDOM = r"""
[torch.manual_seed(0), torch.rand(2,3)][1]
[torch.manual_seed(0), torch.randn(2,3)][1]
[torch.manual_seed(0), torch.randn(4,5)][1]
[torch.manual_seed(0), torch.randn(3), torch.randn(2), torch.rand(2), torch.randn(4)][1:]
[torch.manual_seed(0), torch.randn(3,dtype=torch.float64), torch.randn(20,dtype=torch.float64)][1:]
[torch.manual_seed(0), torch.randn(3,dtype=torch.float16), torch.randn(20,dtype=torch.float16), torch.rand(4,dtype=torch.bfloat16)][1:]
[torch.manual_seed(0), torch.randn(3,dtype=torch.complex64), torch.randn(20,dtype=torch.complex128), torch.rand(4,dtype=torch.complex64)][1:]
[torch.manual_seed(1), torch.randint(0,10,(3,4)), torch.randint(5,(2,)), torch.randint(-5,2**40,(3,)), torch.randint(0,2**31,(3,)), torch.randint(0,9,(4,),dtype=torch.float32)][1:]
[torch.manual_seed(1), torch.randperm(10), torch.randperm(3,dtype=torch.float32), torch.randperm(0), torch.randperm(1), torch.rand(2)][1:]
[torch.manual_seed(1), torch.normal(1.,2.,(3,)), torch.normal(torch.arange(3.), 0.5), torch.normal(0., torch.arange(1.,4.)), torch.normal(torch.zeros(2,1), torch.ones(3))][1:]
[torch.manual_seed(1), torch.bernoulli(torch.full((10,),0.3)), torch.empty(10).bernoulli_(0.4), torch.bernoulli(torch.rand(3,3,dtype=torch.float64)), torch.empty(5,dtype=torch.bool).bernoulli_(0.4)][1:]
[torch.manual_seed(1), torch.multinomial(torch.tensor([.1,.2,.7]),2), torch.multinomial(torch.ones(2,4),3), torch.multinomial(torch.ones(5),7,replacement=True), torch.multinomial(torch.rand(2,5),7,replacement=True), torch.multinomial(torch.ones(4),1,True)][1:]
[torch.manual_seed(1), torch.empty(5).exponential_(2), torch.empty(5).cauchy_(), torch.empty(5).geometric_(.2), torch.empty(5).log_normal_(), torch.empty(5).uniform_(-1,1), torch.empty(20).normal_(3,2)][1:]
[torch.manual_seed(1), torch.empty(3,4).t().uniform_(), torch.empty(3,4).t().normal_(), torch.empty(6,4)[::2].uniform_(), torch.empty(5,5)[:, ::2].normal_(), torch.randn_like(torch.zeros(4,6).t()), torch.rand_like(torch.zeros(2,3,4).permute(2,0,1))][1:]
[torch.manual_seed(1), torch.empty(3,dtype=torch.int64).random_(), torch.empty(3).random_(), torch.empty(3,dtype=torch.bool).random_(), torch.empty(3,dtype=torch.int8).random_(), torch.empty(3,dtype=torch.float64).random_(), torch.empty(3,dtype=torch.int64).random_(3), torch.empty(3).random_(-5,9), torch.randint_like(torch.zeros(2,2),3,9)][1:]
[torch.manual_seed(-3), torch.initial_seed(), torch.rand(1)][1:]
[torch.manual_seed(3), torch.randn(3), torch.get_rng_state()][1:]
[torch.manual_seed(3), torch.get_rng_state(), torch.rand(700).sum(), torch.get_rng_state()][1:]
[torch.manual_seed(3), torch.rand(50_000, dtype=torch.bfloat16).max(), torch.rand(50_000, dtype=torch.float16).sort().values[-5:], torch.empty(50_000, dtype=torch.bfloat16).uniform_(0.5, 0.75).max()][1:]
torch.rand(2,3,generator=torch.Generator().manual_seed(0))
torch.rand()
torch.rand(2, dtype=torch.int64)
torch.randn(2, dtype=torch.int64)
torch.rand(2, out=torch.zeros(3)).shape
torch.rand(-2)
torch.randint(0, 3, 2)
torch.randint(3, 0, (2,))
torch.randint(0, 0, (2,))
torch.randint(0, 300, (2,), dtype=torch.uint8)
torch.randint(-1, 3, (2,), dtype=torch.uint8)
torch.randint(0, 3, (2,), dtype=torch.bool)
torch.randint(3)
torch.randint(2**63, (2,))
torch.randperm(-1)
torch.randperm(3.)
torch.randperm(300, dtype=torch.uint8)
torch.randperm(3, dtype=torch.bool)
torch.normal(0., 1.)
torch.normal(torch.zeros(2), -1.)
torch.normal(torch.zeros(2), torch.full((2,),-1.))
torch.normal(torch.zeros(2), torch.ones(3))
torch.normal(torch.zeros(2, dtype=torch.int64), torch.ones(2))
torch.normal(0., -1., (2,))
torch.bernoulli(torch.tensor([0.5, 2.]))
torch.bernoulli(torch.tensor([1, 0]))
torch.bernoulli(0.5)
torch.empty(2).bernoulli_(2)
torch.multinomial(torch.ones(3), 5)
torch.multinomial(torch.ones(3), 0)
torch.multinomial(torch.ones(2,3), 2).shape
torch.multinomial(torch.ones(2,3,4), 2)
torch.multinomial(torch.tensor([0.,0.]), 1)
torch.multinomial(torch.tensor([-1.,2.]), 1)
torch.multinomial(torch.tensor([float('inf'),2.]), 1)
torch.multinomial(torch.tensor([1,2]), 1)
torch.poisson(torch.tensor([-1.]))
torch.poisson(torch.tensor([1]))
torch.empty(2).uniform_(1,0)
torch.empty(2).uniform_(0,float('inf'))
torch.empty(2,dtype=torch.int64).uniform_()
torch.empty(2).normal_(0,-1)
torch.empty(2,dtype=torch.int64).normal_()
torch.empty(2).exponential_(-1)
torch.empty(2,dtype=torch.int64).exponential_()
torch.empty(2).random_(5, 2)
torch.empty(2).random_(0)
torch.empty(2, dtype=torch.uint8).random_(300)
torch.empty(2).cauchy_(0,-1)
torch.empty(2).geometric_(2)
torch.empty(2).log_normal_(1,-2)
torch.manual_seed("a")
torch.manual_seed(2**64)
torch.manual_seed(-2**63-1)
torch.Generator(device="cpu").device
torch.Generator().get_state()
torch.Generator().set_state(torch.zeros(3))
torch.Generator().set_state(torch.zeros(3, dtype=torch.uint8))
torch.Generator().manual_seed(3).initial_seed()
torch.Generator().initial_seed()
torch.set_rng_state(torch.zeros(3))
torch.rand_like(torch.zeros(2, dtype=torch.int64))
torch.zeros(1).expand(3).uniform_()
torch.rand([]).shape
torch.rand(2,requires_grad=True).requires_grad
""".strip().split("\n")


@pytest.mark.parametrize("expression", RANDOM)
def test_random_numbers_of_a_seed_are_pytorchs(expression: str) -> None:
    assert outcome(tensorglass, expression) == outcome(torch, expression)


@pytest.mark.parametrize("count", [1, 15, 16, 17, 100, 1001])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_normal_numbers_of_any_count_are_pytorchs(count: int, dtype: str) -> None:
    tensorglass.manual_seed(count)
    torch.manual_seed(count)
    ours = tensorglass.randn(count, dtype=getattr(tensorglass, dtype)).tolist()
    theirs = torch.randn(count, dtype=getattr(torch, dtype)).tolist()
    assert np.allclose(
        ours, theirs, rtol=2e-3 if dtype == "float16" else 2e-6, atol=2e-3 if dtype == "float16" else 2e-6
    )


def test_a_state_saved_by_pytorch_goes_on_here() -> None:
    torch.manual_seed(7)
    torch.randn(3)
    tensorglass.set_rng_state(tensorglass.from_numpy(torch.get_rng_state().numpy()))
    assert tensorglass.randn(4).tolist() == torch.randn(4).tolist()


COUNT, CHANCE = "torch.full((3,), 10.0)", "torch.tensor([0.0, 1.0, 1.0])"


@pytest.mark.parametrize(
    "expression",
    [
        f"torch.binomial({COUNT}, {CHANCE})", f"torch.binomial({COUNT}.double(), {CHANCE}.double())",
        f"torch.binomial({COUNT}[:, None], {CHANCE})", f"torch.binomial(-{COUNT}, {CHANCE})",
        f"torch.binomial({COUNT}, {CHANCE} * 2)", f"torch.binomial({COUNT}, {CHANCE} - 2)",
        f"torch.binomial({COUNT} * 0, {CHANCE} * 0.5)",
        f"torch.binomial({COUNT}, {CHANCE} * float('nan'))", f"torch.binomial({COUNT}, {CHANCE}[:2])",
        f"torch.binomial({COUNT}.long(), {CHANCE})", f"torch.binomial({COUNT}.double(), {CHANCE})",
        f"torch.binomial({COUNT}.half(), {CHANCE}.half())", f"torch.binomial({COUNT}, 3)", f"torch.binomial({COUNT})",
    ],
)  # fmt: skip
def test_certain_tries_and_refusals_of_binomial_are_pytorchs(expression: str) -> None:
    assert difference(expression, tensorglass, torch) is None


def test_as_many_tries_succeed_as_are_likely() -> None:
    drawn = tensorglass.binomial(tensorglass.full((20000,), 40.0), tensorglass.full((20000,), 0.25))
    assert abs(float(drawn.mean()) - 10) < 0.1
    assert abs(float(drawn.var()) - 7.5) < 0.5
    x = tensorglass.full((3,), 0.5, requires_grad=True)
    with pytest.raises(RuntimeError, match="derivative for aten::binomial is not implemented"):
        tensorglass.binomial(tensorglass.full((3,), 4.0), x).sum().backward()
