"""Weights that are functions of others: symmetric, orthogonal, of one norm; pieces put together and taken away."""

import torch
import torch.nn as nn
import torch.nn.utils.parametrize as parametrize

torch.manual_seed(6)


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)

    def right_inverse(self, A):
        return A.triu()


class MatrixExponential(nn.Module):
    def forward(self, X):
        return torch.matrix_exp(X)


class Skew(nn.Module):
    def forward(self, X):
        A = X.triu(1)
        return A - A.transpose(-1, -2)


class CayleyMap(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("Id", torch.eye(n))

    def forward(self, X):
        return torch.linalg.solve(self.Id - X, self.Id + X)


layer = nn.Linear(3, 3)
print(f"Unparametrized:\n{layer}")
parametrize.register_parametrization(layer, "weight", Symmetric())
print(f"\nParametrized:\n{layer}")
print(layer.parametrizations.weight.original)
A = layer.weight
print(torch.allclose(A, A.T), A)
layer.weight = torch.rand(3, 3)
print(layer.weight)
with parametrize.cached():
    print(layer.weight is layer.weight)
print(layer.weight is layer.weight)
layer_orthogonal = nn.Linear(3, 3)
parametrize.register_parametrization(layer_orthogonal, "weight", Skew())
parametrize.register_parametrization(layer_orthogonal, "weight", CayleyMap(3))
X = layer_orthogonal.weight
print(torch.dist(X.T @ X, torch.eye(3)) < 1e-5, X)
model = nn.Sequential(layer_orthogonal, nn.ReLU(), layer)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    loss = model(torch.randn(5, 3)).pow(2).mean()
    loss.backward()
    optimizer.step()
    print(loss.item())
print(parametrize.is_parametrized(layer), parametrize.is_parametrized(layer, "bias"), list(model.state_dict()))
parametrize.remove_parametrizations(layer, "weight", leave_parametrized=False)
print(layer, layer.weight)
print(nn.utils.parametrizations.orthogonal(nn.Linear(4, 2)).weight)
weighted = nn.utils.parametrizations.weight_norm(nn.Linear(4, 2), name="weight")
print(weighted, dict(weighted.named_parameters()))
spectral = nn.utils.parametrizations.spectral_norm(nn.Linear(4, 2))
print(torch.linalg.matrix_norm(spectral(torch.randn(1, 4)), 2), spectral.parametrizations.weight[0]._u)
old = nn.utils.spectral_norm(nn.Conv2d(2, 3, 3))
print(old, list(old.state_dict()))
old(torch.randn(1, 2, 4, 4)).sum().backward()
print(old.weight_orig.grad.sum(), old.weight_u)
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    older = nn.utils.weight_norm(nn.Linear(3, 2))
print(older.weight_g, older.weight_v.shape, list(older.state_dict()))
print(nn.utils.remove_weight_norm(older))
