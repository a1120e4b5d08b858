"""Parametrized weights, norms of weights, and pruned weights."""

import warnings

import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize, prune

torch.manual_seed(3)


class Skewed(nn.Module):
    """The part above the diagonal, and its negative below."""

    def forward(self, x):
        above = x.triu(1)
        return above - above.mT

    def right_inverse(self, a):
        return a.triu(1)


class Rotated(nn.Module):
    def forward(self, skewed):
        return torch.matrix_exp(skewed)


turn = nn.Linear(3, 3)
parametrize.register_parametrization(turn, "weight", Skewed())
turn.weight = torch.arange(9.0).view(3, 3) / 9
print(turn, turn.weight, turn.parametrizations.weight.original)
with parametrize.cached():
    print(turn.weight is turn.weight)
parametrize.register_parametrization(turn, "weight", Rotated(), unsafe=True)
print(torch.dist(turn.weight @ turn.weight.T, torch.eye(3)).item() < 1e-5, parametrize.is_parametrized(turn, "bias"))
net = nn.Sequential(
    turn, nn.ReLU(), parametrizations.weight_norm(nn.Linear(3, 2)), parametrizations.spectral_norm(nn.Linear(2, 2))
)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    loss = net(torch.randn(6, 3)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
print(net, list(net.state_dict()))
parametrize.remove_parametrizations(turn, "weight")
print(turn, turn.weight)
print(parametrizations.orthogonal(nn.Linear(4, 2)).weight.abs())
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    older = nn.utils.weight_norm(nn.Conv1d(2, 3, 2), dim=1)
print(older, older.weight_g, nn.utils.remove_weight_norm(older).weight.shape)
older = nn.utils.spectral_norm(nn.Linear(3, 2))
older(torch.ones(1, 3)).sum().backward()
print(older.weight_orig.grad, list(older.state_dict()))

net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(36, 5))
prune.random_unstructured(net[0], "weight", amount=0.3)
prune.l1_unstructured(net[0], "bias", amount=2)
prune.ln_structured(net[0], "weight", amount=0.5, n=2, dim=0)
print(net[0].weight.sum((1, 2, 3)), net[0].bias, list(net.state_dict()), prune.is_pruned(net))
prune.global_unstructured([(net[0], "weight"), (net[3], "weight")], pruning_method=prune.L1Unstructured, amount=0.4)
print([(layer.weight == 0).float().mean().item() for layer in (net[0], net[3])])


class EveryOther(prune.BasePruningMethod):
    """Takes out every second weight."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        kept = default_mask.clone()
        kept.reshape(-1)[1::2] = 0
        return kept


EveryOther.apply(net[3], "bias")
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for step in range(3):
    loss = nn.functional.cross_entropy(net(torch.randn(4, 1, 5, 5)), torch.tensor([0, 1, 2, 3]))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item(), net[3].bias)
prune.remove(net[0], "weight")
print([name for name, _ in net.named_parameters()], [name for name, _ in net.named_buffers()])
lazy = nn.Sequential(nn.LazyConv2d(2, 3), nn.LazyBatchNorm2d(), nn.Flatten(), nn.LazyLinear(2))
print(lazy)
print(lazy(torch.ones(2, 1, 4, 4)), lazy)
