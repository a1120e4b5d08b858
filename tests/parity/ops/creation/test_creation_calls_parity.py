"""How functions that make tensors read their arguments, and what nested sequences, arrays and odd numbers become."""

from __future__ import annotations

from random import Random

import pytest
from parity.steps import disagreement, lines

CALLS = r"""
torch.eye(True)
torch.eye(2, 'a')
torch.eye(2, 3, 4)
torch.eye()
torch.eye(-1)
torch.eye(2, -1)
torch.linspace(1, 2)
torch.linspace(1, 2, True)
torch.linspace(1, 2, 3.0)
torch.linspace('a', 2, 3)
torch.linspace(torch.tensor([1]), 2, 3)
torch.linspace(1, torch.tensor([[2]]), 3)
torch.linspace(torch.tensor(1), torch.tensor([2]), 3)
torch.linspace(1.5, 3.0, 7, dtype=torch.uint8)
torch.logspace(1.5, 5, 3, dtype=torch.int32)
torch.logspace(0, 2, 4, base=-2)
torch.logspace(1j, 2, 3)
torch.logspace(float('inf'), 3, 5, dtype=torch.int64)
torch.tensor([np.float32(1.5)], dtype=torch.int64)
torch.tensor([np.float64(1.5)], dtype=torch.int64)
torch.tensor([np.bool_(True), 1])
torch.tensor([np.bool_(True)]), torch.tensor([np.int8(3), 1.5]), torch.tensor([np.complex64(1)], dtype=torch.float32)
torch.tensor([np.complex64(1)], dtype=torch.int64)
torch.tensor([np.float32(1.5)], dtype=torch.bool)
torch.tensor([torch.tensor(1j)], dtype=torch.float32)
torch.tensor([torch.tensor([1, 2])])
torch.tensor([float('nan'), None], dtype=torch.int64)
torch.arange()
torch.arange('a')
torch.arange(1, 'a')
torch.arange(1, 2, 3, 4)
torch.arange(3, foo=1)
torch.arange(0, 5, float('nan'))
torch.arange(0, float('inf'))
torch.range(3)
torch.range(0.5, 7, dtype=torch.int64)
torch.range(0.5, 7, 2, dtype=torch.int32)
torch.range(1, 4, dtype=torch.bool)
torch.range(1j, 3)
torch.zeros([[2]])
torch.zeros(torch.tensor([2, 3]))
torch.zeros(np.array([2, 3]))
torch.zeros([1.5])
torch.zeros(2, None)
torch.zeros({2})
torch.zeros((True, 2))
torch.zeros(2, True), torch.zeros(2, torch.tensor([3])).shape, torch.zeros(np.int64(2), np.array(1)).shape
torch.zeros(2**63)
torch.zeros(2, 2**63)
torch.tensor([1], layout=torch.strided)
torch.tensor([[True, ()], [True, ()]])
torch.tensor([(), 1j])
torch.tensor([1, []])
torch.tensor(2**63)
torch.tensor([2**63, -1])
torch.tensor(np.zeros((0, 3))) ;; torch.tensor(np.zeros((2, 0, 3))).stride(), torch.tensor(np.ones((2, 3)).T).stride()
torch.tensor(np.zeros(3, dtype=[("a", "i4"), ("b", "i2")])["a"])
torch.full((2,), 1+2j, dtype=torch.half)
torch.full((2,), 2**70)
torch.ones(2) + 2**70
torch.ones(2) * -2**70
torch.ones(2, dtype=torch.int64) + 2**63
torch.ones(2).fill_(2**64)
torch.ones(2).fill_(2**64 - 1)
"""


@pytest.mark.parametrize("program", lines(CALLS))
def test_a_call_is_read_as_in_pytorch(program: str) -> None:
    assert disagreement(program) is None


LEAVES = (
    "1", "-3", "1.5", "True", "1j", "float('nan')", "2.0", "np.float64(2)", "np.int8(3)", "np.bool_(True)",
    "torch.tensor(2.)", "None", "'ab'", "2**31", "object()",
)  # fmt: skip


def nested(random: Random, depth: int = 0) -> str:
    """A nested sequence, mostly regular and of numbers."""
    if depth == 3 or random.random() < 0.3:
        return random.choice(LEAVES[:7] if random.random() < 0.85 else LEAVES)
    length = random.choice((0, 1, 2, 2, 3))
    first = nested(random, depth + 1)
    is_regular = random.random() < 0.85
    items = [first if is_regular else nested(random, depth + 1) for _ in range(length)]
    return f"[{', '.join(items)}]" if random.random() < 0.7 else f"({''.join(f'{item}, ' for item in items)})"


@pytest.mark.parametrize("seed", range(10))
def test_nested_sequences_become_the_same_tensors(seed: int) -> None:
    random = Random(seed)
    for _ in range(30):
        data = nested(random)
        dtype = random.choice(("", "", ", dtype=torch.float32", ", dtype=torch.int64", ", dtype=torch.bool"))
        assert disagreement(f"torch.tensor({data}{dtype})") is None
