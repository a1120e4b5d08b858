"""What modules do for those who build on them: hooks, walks, buffers, extra state, shared weights."""

import copy
import pickle
from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Scale(nn.Module):
    """A layer of your own, with a buffer and extra state."""

    __constants__ = ["factor"]

    def __init__(self, size, factor=2.0, device=None, dtype=None):
        factory_kwargs = {"device": device, "dtype": dtype}
        super().__init__()
        self.factor = factor
        self.gain = nn.Parameter(torch.empty(size, **factory_kwargs))
        self.register_buffer("calls", torch.zeros(1))
        self.register_buffer("scratch", torch.zeros(2), persistent=False)
        self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.uniform_(self.gain, -1, 1)

    def forward(self, x):
        self.calls += 1
        return x * self.gain * self.factor

    def extra_repr(self):
        return f"size={tuple(self.gain.shape)}, factor={self.factor}"

    def get_extra_state(self):
        return {"factor": self.factor}

    def set_extra_state(self, state):
        self.factor = state["factor"]


net = nn.Sequential(OrderedDict([("fc", nn.Linear(4, 4)), ("scale", Scale(4)), ("act", nn.GELU(approximate="tanh"))]))
print(net, list(net.state_dict()), [n for n, _ in net.named_buffers()])
seen = {}
for name, module in net.named_children():
    module.register_forward_hook(lambda m, args, output, name=name: seen.update({name: output.detach().mean().item()}))
net.fc.register_forward_pre_hook(lambda m, args: (args[0] + 1,))
net.scale.register_full_backward_hook(
    lambda m, gin, gout: print("backward", [g.shape for g in gin], gout[0].sum().item())
)
net.fc.weight.register_hook(lambda grad: grad * 0.5)
net(torch.ones(2, 4)).sum().backward()
print(seen, net.fc.weight.grad.sum(), net.scale.calls)
state = net.state_dict()
state["scale._extra_state"] = {"factor": 5.0}
print(net.load_state_dict(state), net.scale.factor)
clone = copy.deepcopy(net)
clone.fc.weight.data.zero_()
print(net.fc.weight.abs().sum() > 0, pickle.loads(pickle.dumps(nn.Linear(2, 2))))
print([(n, type(m).__name__) for n, m in net.named_modules()])
net.apply(lambda m: nn.init.zeros_(m.bias) if isinstance(m, nn.Linear) else None)
print(net.fc.bias, net.get_submodule("scale").gain.shape, net.get_parameter("fc.bias").shape)
print(net.double().fc.weight.dtype, net.float().scale.calls.dtype, next(net.parameters()).device)
print(net.train(False).training, net.scale.training, net.fc is net[0])


class Tied(nn.Module):
    """Encoder and decoder share a weight."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(6, 3)
        self.head = nn.Linear(3, 6, bias=False)
        self.head.weight = self.embed.weight
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])
        self.choices = nn.ModuleDict({"relu": nn.ReLU(), "prelu": nn.PReLU()})
        self.params = nn.ParameterList([nn.Parameter(torch.randn(2)) for _ in range(2)])
        self.named = nn.ParameterDict({"left": nn.Parameter(torch.ones(1))})

    def forward(self, x, choice):
        x = self.embed(x)
        for i, layer in enumerate(self.layers):
            x = self.choices[choice](layer(x)) + self.params[i % 2].sum() * self.named["left"]
        return self.head(x)


tied = Tied()
print(tied)
print(sum(p.numel() for p in tied.parameters()), len(list(tied.parameters())), list(tied.state_dict()))
F.cross_entropy(tied(torch.tensor([1, 2]), "prelu"), torch.tensor([3, 4])).backward()
print(tied.head.weight.grad is tied.embed.weight.grad, tied.embed.weight.grad.norm())
lazy = nn.Sequential(nn.LazyConv2d(4, 3), nn.Flatten(), nn.LazyLinear(2))
print(lazy)
lazy(torch.randn(1, 2, 5, 5))
print(lazy)
from torch.func import functional_call, grad, vmap

weights = {k: v.detach() for k, v in tied.named_parameters()}
gradients = vmap(grad(lambda w, x: functional_call(tied, w, (x.unsqueeze(0), "relu")).sum()), in_dims=(None, 0))(
    weights, torch.tensor([1, 2, 3])
)
print({k: v.shape for k, v in gradients.items()}, gradients["params.0"])
vector = nn.utils.parameters_to_vector(tied.parameters())
nn.utils.vector_to_parameters(vector * 0, tied.parameters())
print(vector.shape, tied.embed.weight.sum())
for bad in (
    lambda: net.nothing,
    lambda: nn.Linear(2, 3)(torch.ones(2, 4)),
    lambda: setattr(tied, "head", 3),
    lambda: tied.register_buffer("a.b", None),
    lambda: nn.Module()(1),
    lambda: nn.Conv2d(3, 4, 3)(torch.ones(2, 2, 5, 5)),
):
    try:
        bad()
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
