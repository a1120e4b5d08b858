"""`nn.init`, `nn.utils` and modules called with other parameters, as programs see them in both libraries."""

from __future__ import annotations

import pytest
from parity.same_source import disagreement

pytest.importorskip("torch.nn.utils.prune", reason="the oracle, PyTorch, is not installed (extra: parity)")

PRELUDE = """
from collections import OrderedDict
nn, F, init = torch.nn, torch.nn.functional, torch.nn.init
torch.manual_seed(3)
def net():
    torch.manual_seed(5)
    return nn.Sequential(OrderedDict(a=nn.Linear(3, 4), b=nn.Tanh(), c=nn.Linear(4, 2)))
def with_gradients(scale=1.0):
    m = net()
    (m(torch.linspace(-1, 1, 6).reshape(2, 3)).pow(2).sum() * scale).backward()
    return m
"""

#: Calls of `init`, on a matrix, a kernel of a convolution, a vector and nothing.
INITIALISERS = (
    "uniform_(t)", "uniform_(t, -2.0, 3.0)", "normal_(t)", "normal_(t, 1.0, 0.25)", "trunc_normal_(t)",
    "trunc_normal_(t, 0.5, 2.0, -1.0, 1.0)", "trunc_normal_(t, 9.0)", "constant_(t, 0.3)", "ones_(t)", "zeros_(t)",
    "eye_(t)", "dirac_(t)", "dirac_(t, 2)", "dirac_(t, 5)", "xavier_uniform_(t)", "xavier_uniform_(t, 2.0)",
    "xavier_normal_(t)", "xavier_normal_(t, gain=0.5)", "kaiming_uniform_(t)", "kaiming_uniform_(t, a=5 ** 0.5)",
    "kaiming_uniform_(t, mode='fan_out', nonlinearity='relu')", "kaiming_uniform_(t, mode='fan')",
    "kaiming_normal_(t)", "kaiming_normal_(t, mode='fan_out', nonlinearity='tanh')",
    "kaiming_normal_(t, nonlinearity='swish')", "sparse_(t, 0.4)", "sparse_(t, 0.1, std=2.0)",
    "uniform_(t, generator=torch.Generator().manual_seed(1))",
)  # fmt: skip
SIZES = {"matrix": (4, 6), "kernel": (4, 2, 3, 3), "vector": (5,), "empty": (0, 3)}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("call", INITIALISERS)
def test_tensors_are_initialised_as_in_pytorch(call: str, size: str) -> None:
    program = f"""
    t = torch.empty({SIZES[size]}).fill_(7)
    told(lambda: init.{call}); see(t)
    p = nn.Parameter(torch.empty({SIZES[size]}, dtype=torch.float64).fill_(7))
    told(lambda: init.{call.replace("(t", "(p")}); see(p)
    see(torch.rand(2))
    """
    assert disagreement(program, PRELUDE) is None


@pytest.mark.parametrize("size", [(3, 5), (5, 3), (4, 2, 2)])
def test_orthogonal_rows_or_columns_are_those_of_pytorch(size: tuple[int, ...]) -> None:
    program = f"""
    t = init.orthogonal_(torch.empty({size}, dtype=torch.float64), gain=2.0)
    see([[round(each, 9) for each in row] for row in t.flatten(1).tolist()])
    """
    assert disagreement(program, PRELUDE) is None


PROGRAMS = {
    "gains": """
for name in ("linear", "conv2d", "sigmoid", "tanh", "relu", "leaky_relu", "selu", "gelu"):
    attempt(lambda: init.calculate_gain(name))
attempt(lambda: init.calculate_gain("leaky_relu", 0.2)); attempt(lambda: init.calculate_gain("leaky_relu", True))
for name in ("uniform", "normal", "constant", "xavier_uniform", "kaiming_normal"):
    told(lambda: getattr(init, name)(torch.empty(2, 2), *([0.5] if name == "constant" else [])))
attempt(lambda: init.orthogonal_(torch.empty(3))); attempt(lambda: init.sparse_(torch.empty(2, 2, 2), 0.1))
""",
    "clipped gradients": """
for norm_type in (2, 1.0, float("inf"), 0.5):
    m = with_gradients(); see(nn.utils.clip_grad_norm_(m.parameters(), 0.1, norm_type))
    see([p.grad for p in m.parameters()])
m = with_gradients(); see(nn.utils.clip_grad_norm_(m.a.weight, 1e9)); see(m.a.weight.grad)
see(nn.utils.get_total_norm([p.grad for p in m.parameters()])); see(nn.utils.get_total_norm([]))
nn.utils.clip_grads_with_norm_(m.parameters(), 0.5, torch.tensor(2.0)); see(m.c.weight.grad)
nn.utils.clip_grad_value_(m.parameters(), 0.05); see([p.grad for p in m.parameters()])
see(nn.utils.clip_grad_norm_([], 1.0)); see(nn.utils.clip_grad_norm_(net().parameters(), 1.0))
m = with_gradients(float("inf"))
attempt(lambda: nn.utils.clip_grad_norm_(m.parameters(), 1.0, error_if_nonfinite=True))
told(lambda: nn.utils.clip_grad_norm(with_gradients().parameters(), 1.0))
""",
    "parameters as a vector": """
m = net(); v = nn.utils.parameters_to_vector(m.parameters()); see(v); see(v.grad_fn.name())
nn.utils.vector_to_parameters(torch.arange(26.0), m.parameters()); see(list(m.parameters()))
attempt(lambda: nn.utils.vector_to_parameters([1.0], m.parameters()))
attempt(lambda: nn.utils.vector_to_parameters(torch.ones(3), m.parameters()))
""",
    "skipped initialisation": """
m = nn.utils.skip_init(nn.Linear, 3, 2); see(m.weight.shape); see(str(m.weight.device)); see(torch.rand(1))
attempt(lambda: nn.utils.skip_init(int)); attempt(lambda: nn.utils.skip_init(nn.ReLU))
attempt(lambda: nn.utils.skip_init(3))
""",
    "weight norm": """
m = nn.Linear(3, 2); told(lambda: type(nn.utils.weight_norm(m)).__name__); see(sorted(m.state_dict()))
m(torch.ones(1, 3)).sum().backward(); see(m.weight_g.grad); see(m.weight_v.grad)
attempt(lambda: nn.utils.weight_norm(m)); nn.utils.remove_weight_norm(m); see(sorted(m.state_dict())); see(m.weight)
attempt(lambda: nn.utils.remove_weight_norm(m))
n = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2), dim=None); see(repr(n)); see(n.weight)
""",
    "spectral norm": """
m = nn.utils.spectral_norm(nn.Linear(3, 2)); see(sorted(m.state_dict())); see(m(torch.ones(1, 3)).shape)
see(m.weight); see(m.weight_u); m.eval(); see(m(torch.ones(1, 3))); nn.utils.remove_spectral_norm(m)
see(sorted(m.state_dict())); n = nn.utils.parametrizations.spectral_norm(nn.Linear(3, 2)); see(repr(n)); see(n.weight)
see(n.weight)
""",
    "parametrizations": """
P = nn.utils.parametrize
class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).T
    def right_inverse(self, x):
        return x.triu()
m = nn.Linear(3, 3); P.register_parametrization(m, "weight", Symmetric()); see(repr(m)); see(m.weight)
see(P.is_parametrized(m)); see(P.is_parametrized(m, "bias")); see(sorted(m.state_dict()))
m.weight = torch.arange(9.0).reshape(3, 3); see(m.weight)
with P.cached():
    see(m.weight is m.weight)
m(torch.ones(1, 3)).sum().backward(); see(m.parametrizations.weight.original.grad)
P.remove_parametrizations(m, "weight"); see(m.weight); see(type(m).__name__)
attempt(lambda: P.register_parametrization(m, "none", Symmetric()))
attempt(lambda: P.remove_parametrizations(m, "weight"))
o = nn.utils.parametrizations.orthogonal(nn.Linear(3, 3).double())
see([[round(each, 8) for each in row] for row in (o.weight @ o.weight.T).tolist()])
""",
    "pruning": """
prune = nn.utils.prune
m = nn.Linear(4, 3); prune.l1_unstructured(m, "weight", 0.5); see(m.weight_mask); see(m.weight)
prune.ln_structured(m, "weight", 1, n=2, dim=0); see(m.weight_mask); prune.random_unstructured(m, "bias", 1)
see(m.bias_mask); see(sorted(m.state_dict())); see(prune.is_pruned(m)); prune.remove(m, "weight"); see(m.weight)
n = net(); prune.global_unstructured([(n.a, "weight"), (n.c, "weight")], prune.L1Unstructured, amount=0.3)
see(n.a.weight_mask); see(n.c.weight_mask); prune.custom_from_mask(n.a, "bias", torch.tensor([1, 0, 1, 0]))
see(n.a.bias); attempt(lambda: prune.l1_unstructured(n.c, "weight", 100)); attempt(lambda: prune.remove(m, "weight"))
attempt(lambda: prune.random_structured(nn.Linear(2, 2), "weight", 1.5, 0))
""",
    "sequences of different lengths": """
R = nn.utils.rnn
a, b, c = torch.arange(3.0), torch.arange(5.0), torch.arange(2.0)
see(R.pad_sequence([a, b, c])); see(R.pad_sequence([a, b, c], True, -1.0))
see(R.pad_sequence([a, b, c], True, padding_side="left"))
see(R.unpad_sequence(R.pad_sequence([a, b]), torch.tensor([3, 5])))
p = R.pack_sequence([a, b, c], enforce_sorted=False); see(p.data); see(p.batch_sizes); see(p.sorted_indices)
see(p.unsorted_indices); see(R.pad_packed_sequence(p)); see(R.unpack_sequence(p))
see(R.pad_packed_sequence(p, True, -2.0, 7)); attempt(lambda: R.pad_packed_sequence(p, total_length=2))
attempt(lambda: R.pack_sequence([a, b])); attempt(lambda: R.pack_padded_sequence(torch.ones(2, 1), [0]))
""",
    "functional_call": """
call = torch.func.functional_call
m = net(); x = torch.ones(1, 3)
other = {"a.weight": torch.zeros(4, 3, requires_grad=True), "c.bias": torch.ones(2)}
y = call(m, other, x); see(y); y.sum().backward(); see(other["a.weight"].grad); see(m.a.weight.grad)
see(call(m, (other, {"a.bias": torch.ones(4)}), (x,))); attempt(lambda: call(m, (other, other), (x,)))
see(m.a.weight); attempt(lambda: call(m, {"nope": x}, x)); attempt(lambda: call(m, {"a.weight": 3}, x))
attempt(lambda: call(m, other, x, strict=True)); attempt(lambda: call(m, {"nope": x}, x, strict=True))
attempt(lambda: call(3, {}, x)); attempt(lambda: call(m, 3, x))
class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2, bias=False)
        self.b = nn.Linear(2, 2, bias=False)
        self.b.weight = self.a.weight
        self.register_buffer("count", torch.zeros(()))
    def forward(self, x, scale=1.0):
        self.count.add_(1)
        return self.b(self.a(x)) * scale
t = Tied(); x = torch.ones(1, 2)
see(call(t, {"a.weight": torch.ones(2, 2)}, x, {"scale": 2.0}))
attempt(lambda: call(t, {"a.weight": torch.ones(2, 2)}, x, tie_weights=False))
see(call(t, {"a.weight": torch.ones(2, 2), "b.weight": torch.zeros(2, 2)}, x, tie_weights=False))
attempt(lambda: call(t, {"a.weight": torch.ones(2, 2), "b.weight": torch.zeros(2, 2)}, x))
count = torch.zeros(()); call(t, {"count": count}, x); see(count); see(t.count)
x = torch.ones(1, 3)
slopes = torch.func.grad(lambda p: call(m, p, x).sum())({name: p.detach() for name, p in m.named_parameters()})
see({name: slope.tolist() for name, slope in slopes.items()})
attempt(lambda: call(m, {"z.weight": x}, x)); attempt(lambda: call(m, {"a.weight": None}, x))
attempt(lambda: call(m, {"a.in_features": x}, x)); attempt(lambda: call(m, {"": x}, x))
attempt(lambda: call(m, {"a.w": 3}, x)); see(m.a.weight); see(hasattr(m.a, "w"))
told(lambda: nn.utils.stateless.functional_call(net(), {}, torch.ones(1, 3)))
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_see_the_same(name: str) -> None:
    assert disagreement(PROGRAMS[name], PRELUDE) is None
