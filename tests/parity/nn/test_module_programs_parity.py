"""What programs see of modules: hooks and their order, state dictionaries and their messages, errors, containers."""

from __future__ import annotations

import pytest
from parity.same_source import disagreement

PRELUDE = """
import copy, pickle
from collections import OrderedDict
nn, F = torch.nn, torch.nn.functional
torch.manual_seed(0)
def net():
    return nn.Sequential(OrderedDict(a=nn.Linear(3, 4), b=nn.ReLU(), c=nn.Sequential(nn.Linear(4, 2), nn.Dropout())))
"""

PROGRAMS = {
    "forward hooks": """
m = nn.Linear(2, 2)
x = torch.ones(1, 2)
order = []
m.register_forward_pre_hook(lambda mod, args: order.append("pre"))
m.register_forward_pre_hook(lambda mod, args: (args[0] * 2,), prepend=True)
m.register_forward_hook(lambda mod, args, out: order.append("post"))
h = m.register_forward_hook(lambda mod, args, kwargs, out: out + 1, with_kwargs=True)
g = nn.modules.module.register_module_forward_hook(lambda mod, args, out: order.append("all"))
p = nn.modules.module.register_module_forward_pre_hook(lambda mod, args: order.append("all pre"))
see(m(x)); see(order); h.remove(); g.remove(); p.remove(); order.clear(); see(m(x)); see(order)
m.register_forward_pre_hook(lambda mod, args, kwargs: 3, with_kwargs=True)
attempt(lambda: m(x))
""",
    "always called": """
class Fails(nn.Module):
    def forward(self, x):
        raise ValueError("no")
m = Fails()
order = []
m.register_forward_hook(lambda mod, args, out: order.append("never"))
m.register_forward_hook(lambda mod, args, out: order.append("always"), always_call=True)
attempt(lambda: m(torch.ones(1))); see(order)
""",
    "backward hooks": """
m = nn.Sequential(nn.Linear(2, 3), nn.Tanh())
x = torch.ones(1, 2, requires_grad=True)
order = []
def note(mod, gi, go):
    order.append(("full", [g.tolist() for g in gi], [g.tolist() for g in go]))
m[0].register_full_backward_hook(note)
m[0].register_full_backward_pre_hook(lambda mod, go: (go[0] * 2,))
m.register_full_backward_hook(lambda mod, gi, go: (gi[0] * 3,))
y = m(x); see(y.grad_fn.name()); y.sum().backward(); see(x.grad); see(len(order)); see(order)
attempt(lambda: m[0].register_backward_hook(lambda *a: None))
n = nn.Linear(2, 2)
n.register_full_backward_hook(lambda mod, gi, go: order.append((gi, len(go))))
n(torch.ones(1, 2)).sum().backward(); see(order[-1])
n.register_full_backward_pre_hook(lambda mod, go: (1, 2))
attempt(lambda: n(torch.ones(1, 2)).sum().backward())
""",
    "state dictionaries": """
m = net(); see(list(m.state_dict())); see(m.state_dict()._metadata)
see(repr(m.load_state_dict(m.state_dict())))
s = m.state_dict(); s.pop("a.bias"); s["x.y"] = torch.ones(1); s["c.0.weight"] = torch.ones(2, 2)
attempt(lambda: m.load_state_dict(s)); s = m.state_dict(); s.pop("a.bias"); s["z"] = 1
see(repr(m.load_state_dict(s, strict=False)))
attempt(lambda: m.load_state_dict([1]))
n = net(); t = {k: v + 1 for k, v in m.state_dict().items()}
n.load_state_dict(t, assign=True); see(n.a.weight.requires_grad)
see(n.a.weight.data_ptr() == t["a.weight"].data_ptr())
m.register_state_dict_pre_hook(lambda mod, prefix, keep: see(("pre", prefix, keep)))
m.register_state_dict_post_hook(lambda mod, sd, prefix, meta: see(("post", prefix, len(sd))))
m.register_load_state_dict_pre_hook(lambda mod, sd, prefix, *rest: see(("load", prefix, len(sd))))
m.register_load_state_dict_post_hook(lambda mod, keys: see(("loaded", keys.missing_keys)))
m.load_state_dict(m.state_dict())
told(lambda: m.state_dict(OrderedDict(), "p."))
""",
    "extra state and buffers": """
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("kept", torch.ones(2)); self.register_buffer("gone", torch.zeros(2), persistent=False)
        self.b = nn.Buffer(torch.ones(1)); self.p = nn.Parameter(torch.ones(3)); self.none = None
        self.register_parameter("q", None); self.count = 3
    def get_extra_state(self): return {"count": self.count}
    def set_extra_state(self, s): self.count = s["count"]
m = M(); see(list(m.state_dict())); see([n for n, _ in m.named_buffers()]); see([n for n, _ in m.named_parameters()])
s = m.state_dict(); m.count = 5; m.load_state_dict(s); see(m.count)
s.pop("_extra_state"); attempt(lambda: m.load_state_dict(s)); see(isinstance(m.b, nn.Buffer)); see(m.q)
m.kept = torch.zeros(2); see(list(m._buffers)); del m.kept; attempt(lambda: m.kept); m.p = None; see(m.p)
attempt(lambda: setattr(m, "p", torch.ones(1))); attempt(lambda: setattr(m, "b", 3))
attempt(lambda: m.register_buffer("x.y", None)); attempt(lambda: m.register_buffer("count", None))
attempt(lambda: m.register_parameter("w", torch.ones(1))); attempt(lambda: m.register_parameter("", None))
attempt(lambda: m.register_parameter(1, None)); attempt(lambda: m.add_module("k", 3))
attempt(lambda: m.add_module("a.b", None))
attempt(lambda: m.register_parameter("w", (nn.Parameter(torch.ones(1)) * 2)))
attempt(lambda: m.get_parameter("kept")); attempt(lambda: m.get_buffer("p")); attempt(lambda: m.get_submodule("p"))
""",
    "walking": """
m = net(); m.d = m.a; see([n for n, _ in m.named_modules()]); see([n for n, _ in m.named_parameters()])
see([n for n, _ in m.named_modules(remove_duplicate=False)])
see([n for n, _ in m.named_parameters(remove_duplicate=False)])
see([n for n, _ in m.named_children()]); see(m.get_submodule("c.0") is m.c[0]); see(repr(m)); see(m.c.training)
m.eval(); see([x.training for x in m.modules()]); attempt(lambda: m.train(3)); seen = []
m.apply(lambda x: seen.append(type(x).__name__)); see(seen); m.set_submodule("c.0", nn.Identity()); see(repr(m))
attempt(lambda: m.set_submodule("", nn.Identity())); attempt(lambda: m.get_submodule("x")); m.requires_grad_(False)
see([p.requires_grad for p in m.parameters()]); see(sorted(set(dir(m)) & {"a", "b", "weight"}))
""",
    "conversions": """
m = net(); p = m.a.weight; m(torch.ones(1, 3)).sum().backward(); m.double(); see(p.dtype); see(p.grad.dtype)
see(m.a.weight is p)
m.to(torch.float16); see(p.dtype); attempt(lambda: m.to(torch.int32)); told(lambda: m.to(torch.complex64) and None)
m = net(); m.to("cpu", torch.float64); see(m.a.bias.dtype); attempt(lambda: m.to(3.5))
m.zero_grad(); see(m.a.weight.grad); m.float().half().bfloat16(); see(m.a.bias.dtype)
""",
    "parameters": """
p = nn.Parameter(torch.ones(2)); see(repr(p)); see(p.requires_grad); see(isinstance(p, nn.Parameter))
see(isinstance(torch.ones(1), nn.Parameter))
see(type(p * 2) is torch.Tensor); see(type(p.data) is torch.Tensor); see(type(p.detach()) is torch.Tensor)
see(type(p).__name__)
q = copy.deepcopy(p); see(type(q).__name__); see(q is p); r = pickle.loads(pickle.dumps(p)); see(repr(r))
see(p.is_leaf)
see(isinstance(nn.Buffer(torch.ones(1)), nn.Buffer)); see(isinstance(torch.ones(1), nn.Buffer))
see(repr(nn.Parameter()))
with torch.no_grad():
    p += 1
    p.mul_(2)
see(p); see((p + p).grad_fn.name()); see((p[0] * torch.ones(2)).grad_fn.name()); (p * p).sum().backward(); see(p.grad)
see(type(p.grad) is torch.Tensor); see(torch.cat([p, p]).grad_fn.name()); see(torch.stack([p, p]).requires_grad)
see((2 - p).grad_fn.name()); see(p.view(1, 2).grad_fn.name()); see((p @ p).grad_fn.name())
see(torch.where(p > 0, p, 0 * p).requires_grad)
""",
    "containers": """
s = nn.Sequential(nn.Linear(1, 2), nn.ReLU()); s.append(nn.Linear(2, 1)); s.insert(1, nn.Tanh()); see(repr(s))
see(len(s)); see(repr(s[1:3]))
see(repr(s[-1])); del s[0]; see(list(s._modules)); see(repr(s + nn.Sequential(nn.ReLU())))
see(repr(nn.Sequential(nn.ReLU()) * 2))
attempt(lambda: s[9]); see(repr(s.pop(0))); s[0] = nn.ELU(); see(repr(s))
l = nn.ModuleList([nn.Linear(1, 1) for _ in range(3)] + [nn.ReLU()]); see(repr(l)); see(repr(l[:2]))
l.extend([nn.ReLU()]); see(repr(l)); l += [nn.Tanh()]; see(len(l))
attempt(lambda: l(1)); attempt(lambda: l.extend(3)); del l[0]; see(list(l._modules)); l.insert(0, nn.Tanh())
see(repr(l)); see(repr(nn.ModuleList()))
d = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Tanh()}); d["c"] = nn.ELU(); see(repr(d)); see(list(d)); see("a" in d)
see(repr(d.pop("a"))); d.update([("z", nn.ReLU())]); see(list(d.keys()))
attempt(lambda: d.update([1])); attempt(lambda: d.update(3)); attempt(lambda: d["q"]); d.clear(); see(len(d))
p = nn.ParameterList([torch.ones(2), nn.Parameter(torch.ones(1, 2)), 3]); see(repr(p)); see(len(p))
see(list(p.state_dict())); p.append(torch.ones(1)); see(repr(p[1:])); attempt(lambda: p(1)); attempt(lambda: p[9])
attempt(lambda: p.extend(torch.ones(1)))
q = nn.ParameterDict({"b": torch.ones(2), "a": nn.Parameter(torch.ones(1))})
see(repr(q).replace("tensorglass", "torch")); see(list(q)); see(list(q.state_dict())); see(q.popitem()[0])
see(list((q | nn.ParameterDict({"z": 1})).keys())); attempt(lambda: q[1]); see(q.get("nope", 5))
see(list(q.fromkeys(["x"], 2).items()))
""",
    "before init": """
class M(nn.Module):
    def __init__(self):
        self.p = nn.Parameter(torch.ones(1))
attempt(lambda: M())
class N(nn.Module):
    def __init__(self):
        self.p = nn.ReLU()
attempt(lambda: N()); attempt(lambda: nn.Module()(1)); attempt(lambda: nn.Module(3))
attempt(lambda: nn.Module(a=1)); attempt(lambda: nn.Linear(1, 1).foo)
""",
    "lazy": """
m = nn.Sequential(nn.LazyLinear(3), nn.ReLU(), nn.LazyLinear(2)); see(repr(m)); see(repr(m[0].weight))
attempt(lambda: m[0].weight.shape)
torch.manual_seed(0); see(m(torch.ones(2, 4)).shape); see(repr(m)); see(type(m[0]).__name__); see(m[0].weight)
see(type(m[0].weight).__name__)
n = nn.LazyLinear(3); n.load_state_dict(m[0].state_dict()); see(n.weight.shape)
see(list(nn.LazyLinear(2).state_dict()))
""",
    "targets of other types": """
logits = torch.zeros(3)
for dtype in (torch.bool, torch.int64, torch.uint8, torch.float64):
    attempt(lambda: F.binary_cross_entropy_with_logits(logits, torch.ones(3, dtype=dtype)))
for target in (None, 1, [0, 1]):
    attempt(lambda: F.cross_entropy(torch.zeros(2, 3), target)); attempt(lambda: F.mse_loss(logits, target))
attempt(lambda: F.nll_loss(logits, torch.tensor([0, 1, 2])))
attempt(lambda: F.cross_entropy(torch.zeros(1, 3), torch.tensor([0]), weight=torch.ones(3).double()))
attempt(lambda: F.multilabel_margin_loss(torch.ones(2), torch.ones(2)))
attempt(lambda: F.ctc_loss(torch.zeros(4, 1, 3), torch.tensor([[1, 2]]), torch.tensor([9]), torch.tensor([2])))
attempt(lambda: nn.Parameter(torch.arange(3)))
attempt(lambda: nn.Bilinear(2, 3, 4)(torch.ones(1, 2), torch.ones(1, 2)))
attempt(lambda: torch.func.grad(torch.sum, argnums=1)(logits)); attempt(lambda: F.max_pool2d(torch.ones(3, 4), 2))
""",
    "prefixes of wrapped modules": """
state = nn.Sequential(OrderedDict(module=net())).state_dict()
nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module."); see(list(state)); see(list(state._metadata))
see(repr(net().load_state_dict(state)))
""",
    "layouts of one cell and of volumes": """
image = torch.arange(50.0).view(2, 1, 5, 5)
see(F.pixel_unshuffle(image, 5).stride()); see(F.pixel_unshuffle(image, 1).data_ptr() == image.data_ptr())
volume = torch.ones(2, 3, 4, 5, 6).to(memory_format=torch.channels_last_3d)
see(F.adaptive_avg_pool3d(volume, 1).stride()); see(F.adaptive_max_pool3d(volume, 2).stride())
see(F.pad(volume, (1, 1, 1, 1)).stride()); see(F.pad(volume, (1,) * 6, "replicate").stride())
see(F.rms_norm(volume, (6,)).stride()); see(F.rms_norm(torch.ones(3, 4).t(), (3,)).stride())
""",
    "an instance of a function": """
class Double(torch.autograd.Function):
    pass
told(lambda: Double()(torch.ones(1)))
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_see_the_same(name: str) -> None:
    assert disagreement(PROGRAMS[name], PRELUDE) is None
