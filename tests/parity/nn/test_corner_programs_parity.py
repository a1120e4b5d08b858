"""Corner cases of networks from textbooks' programs and PyTorch's own tests: both libraries give the same."""

from __future__ import annotations

import pytest
from parity.same_source import disagreement

PRELUDE = """
import importlib, io, tempfile
nn, F, D = torch.nn, torch.nn.functional, torch.utils.data
torch.manual_seed(0)
"""

PROGRAMS = {
    "what is found of a lazy weight is a plain tensor": """
net = nn.LazyLinear(2)
net.weight.data.normal_(0, 0.01); net.bias.data.fill_(0); see(net.weight.data)
see(type(net.weight.data) is torch.Tensor)
see(repr(net.weight)); see(repr(net.double().weight)); see(net(torch.ones(1, 3, dtype=torch.float64)))
""",
    "lazy convolutions take the arguments of the others": """
see(repr(nn.LazyConv2d(4, 3, 1, 1, 2, 1, False)))
see(repr(nn.LazyConv2d(out_channels=4, kernel_size=(3, 1), bias=False)))
see(repr(nn.LazyConvTranspose1d(4, 3, 2, 1, 1, 1, True, 2))); m = nn.LazyConv1d(2, 2, bias=False)
see(m(torch.ones(1, 3, 4)).shape); see(repr(m)); see(list(m.state_dict()))
""",
    "a backward hook that changes a size": """
m = nn.Linear(2, 2); m.register_full_backward_hook(lambda mod, grad_input, grad_output: (torch.ones(1, 1),))
attempt(lambda: m(torch.ones(1, 2, requires_grad=True)).sum().backward())
""",
    "normalized weights are one node": """
m = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2)); w = m.weight; see(w); see(w.grad_fn.next_functions)
v, g = m.parametrizations.weight.original1, m.parametrizations.weight.original0
see([each for each in torch.autograd.grad((w ** 3).sum(), (g, v))])
for dim in (1, None):
    see(nn.utils.weight_norm(nn.Linear(3, 2), dim=dim).weight)
""",
    "a linear map of no features gives its bias": """
for shape in [(2, 3, 0), (0,), (4, 0), (2, 3, 4, 0), (0, 3, 4), (2, 0, 4)]:
    x = torch.ones(shape, requires_grad=True); m = nn.Linear(shape[-1], 5); y = m(x); y.sum().backward()
    see(y.shape); see(y.flatten()[:5].tolist() == m.bias.tolist()); see(x.grad); see(m.weight.grad); see(m.bias.grad)
""",
    "refusals of linear maps, padding and pooling": """
one = torch.ones
attempt(lambda: F.linear(torch.tensor(1.0), one(2, 1), one(2))); attempt(lambda: F.linear(one(2), torch.tensor(1.0)))
attempt(lambda: F.bilinear(one(2, 2), one(3, 2), one(1, 2, 2)))
attempt(lambda: F.bilinear(one(2, 2), one(2), one(1, 2, 2)))
attempt(lambda: F.pad(one(3), (1, 1), "reflect")); attempt(lambda: F.pad(one(1, 2, 2, 2, 2, 2), (1, 1), "circular"))
attempt(lambda: nn.AvgPool1d([2, 3])(one(1, 1, 4)))
attempt(lambda: nn.MaxUnpool2d(2)(one(1, 1, 2, 2), one(1, 1, 2, 2).long(), output_size=(9, 9)))
""",
    "losses with the deprecated arguments": """
x, y = torch.arange(3.0), torch.zeros(3)
told(lambda: nn.L1Loss("sum")(x, y)); told(lambda: nn.MSELoss(size_average=0)(x, y))
told(lambda: nn.L1Loss(reduce=())(x, y))
""",
    "attention with a mask that is causal too": """
q, k, v = torch.randn(3, 1, 2, 4, 6); mask = torch.randn(4, 4)
see(F.scaled_dot_product_attention(q, k, v, mask, is_causal=True))
attempt(lambda: F.scaled_dot_product_attention(q[0], k[0], v[0], mask, is_causal=True))
attempt(lambda: F.scaled_dot_product_attention(q, k, v, mask, 0.5, is_causal=True))
attempt(lambda: F.scaled_dot_product_attention(q, k, v, mask.clone().requires_grad_(), is_causal=True))
attempt(lambda: F.scaled_dot_product_attention(q, k, v, dropout_p=1.5))
""",
    "causal masks from either corner": """
bias = importlib.import_module(torch.__name__ + ".nn.attention.bias")
CausalBias, causal_lower_right, causal_upper_left = bias.CausalBias, bias.causal_lower_right, bias.causal_upper_left
q, k, v = torch.randn(3, 1, 2, 4, 6); lower = causal_lower_right(2, 4)
see(repr(lower)); see(repr(causal_upper_left(2, 4))); see(lower.variant.name)
see(isinstance(lower, CausalBias))
see((lower.seq_len_q, lower.seq_len_kv)); see(F.scaled_dot_product_attention(q[:, :, :2], k, v, lower))
see(F.scaled_dot_product_attention(q, k, v, causal_upper_left(4, 4)))
told(lambda: repr(causal_lower_right(4, 2))); attempt(lambda: causal_upper_left(3))
attempt(lambda: CausalBias(1, 2, 3))
""",
    "batch norms that keep no statistics": """
net = nn.Sequential(nn.BatchNorm1d(2), nn.InstanceNorm1d(2, track_running_stats=True))
see(torch.func.replace_all_batch_norm_modules_(net) is net); see(repr(net)); see(list(net.state_dict()))
""",
    "the versions of modules are in files": """
class Versioned(nn.Linear):
    _version = 5
    def _load_from_state_dict(self, state, prefix, metadata, *rest):
        see(dict(metadata)); super()._load_from_state_dict(state, prefix, metadata, *rest)
net = nn.Sequential(Versioned(1, 1), nn.BatchNorm1d(1)); file = io.BytesIO(); torch.save(net.state_dict(), file)
file.seek(0); found = torch.load(file); see(type(found)); see(found._metadata); net.load_state_dict(found)
with tempfile.TemporaryDirectory() as folder:
    torch.save(net.state_dict(), folder + "/of.pt"); net.load_state_dict(torch.load(folder + "/of.pt"))
""",
    "batches and who fetches them": """
class Stream(D.IterableDataset):
    def __iter__(self): return iter(range(4))
    def __len__(self): return 2
loader = D.DataLoader(Stream(), 1); told(lambda: list(loader))
def after_len():
    len(loader); return [x for x in loader]
told(after_len); plain = D.DataLoader(range(3)); see(type(iter(plain)).__name__); see(type(loader.sampler).__name__)
""",
    "strict calls name what is missing in order": """
m = nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 1))
given = {"z": torch.ones(1), "1.weight": torch.ones(1, 1)}
attempt(lambda: torch.func.functional_call(m, given, torch.ones(1), strict=True))
""",
    "refusals of transformed functions": """
func, x = torch.func, torch.ones(2)
attempt(lambda: func.grad(lambda a: a.sum(), argnums="a")(x))
attempt(lambda: func.grad(lambda a: a.sum(), argnums=(0, "a"))(x))
attempt(lambda: func.grad(lambda a: a.sum(), argnums=())(x)); attempt(lambda: func.vjp(lambda a: 3, x))
attempt(lambda: func.jvp(lambda a: a, (x,), (torch.ones(3),))); attempt(lambda: func.jvp(lambda a: a, (x,), (3,)))
attempt(lambda: func.jvp(lambda a: a, (), ())); attempt(lambda: func.vmap(lambda a: a, in_dims=None)(x))
""",
    "what LBFGS remembers, in order": """
w = nn.Parameter(torch.tensor([1.0, 2.0], dtype=torch.float64)); o = torch.optim.LBFGS([w], max_iter=4)
def closure():
    o.zero_grad(); loss = (w ** 4).sum() + w[0]; loss.backward(); return loss
o.step(closure); see(list(o.state[w])); o.step(closure); see(list(o.state[w])); see(w); attempt(lambda: o.step())
""",
    "scores of what is pruned, by position": """
prune = importlib.import_module(torch.__name__ + ".nn.utils.prune")
m = nn.Linear(3, 1)
prune.L1Unstructured.apply(m, "weight", 1, torch.tensor([[3.0, 1.0, 2.0]])); see(m.weight_mask)
""",
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_see_what_they_see_of_pytorch(program: str) -> None:
    assert disagreement(PROGRAMS[program], PRELUDE) is None
