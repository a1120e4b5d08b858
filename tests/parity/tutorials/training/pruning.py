"""Weights that are pruned: by chance, by size, by whole channels, everywhere at once, and by a method of one's own."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import prune

torch.manual_seed(4)


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 5)
        self.conv2 = nn.Conv2d(4, 6, 5)
        self.fc1 = nn.Linear(6 * 4 * 4, 12)
        self.fc2 = nn.Linear(12, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), (2, 2))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = x.view(-1, int(x.nelement() / x.shape[0]))
        x = F.relu(self.fc1(x))
        return self.fc2(x)


model = LeNet()
module = model.conv1
print(list(module.named_parameters())[1])
print(list(module.named_buffers()))
prune.random_unstructured(module, name="weight", amount=0.3)
print([name for name, _ in module.named_parameters()], [name for name, _ in module.named_buffers()])
print(module.weight[0], module._forward_pre_hooks[next(iter(module._forward_pre_hooks))].__class__.__name__)
prune.l1_unstructured(module, name="bias", amount=3)
print(module.bias)
prune.ln_structured(module, name="weight", amount=0.5, n=2, dim=0)
print(module.weight.sum((1, 2, 3)))
for hook in module._forward_pre_hooks.values():
    if hook._tensor_name == "weight":
        print([type(each).__name__ for each in hook])
print(list(model.state_dict().keys()))
prune.remove(module, "weight")
print([name for name, _ in module.named_parameters()])
for name, module in model.named_modules():
    if isinstance(module, torch.nn.Linear):
        prune.l1_unstructured(module, name="weight", amount=0.4)
print(dict(model.named_buffers()).keys())
model = LeNet()
parameters_to_prune = ((model.conv1, "weight"), (model.conv2, "weight"), (model.fc1, "weight"), (model.fc2, "weight"))
prune.global_unstructured(parameters_to_prune, pruning_method=prune.L1Unstructured, amount=0.2)
for module, name in parameters_to_prune:
    print(f"Sparsity: {100.0 * float(torch.sum(module.weight == 0)) / float(module.weight.nelement()):.2f}%")


class FooBarPruningMethod(prune.BasePruningMethod):
    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        mask = default_mask.clone()
        mask.view(-1)[::2] = 0
        return mask


def foobar_unstructured(module, name):
    FooBarPruningMethod.apply(module, name)
    return module


model = LeNet()
foobar_unstructured(model.fc2, name="bias")
print(model.fc2.bias_mask, prune.is_pruned(model))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(torch.randn(4, 1, 28, 28)), torch.tensor([1, 2, 3, 4]))
    loss.backward()
    optimizer.step()
    print(loss.item(), model.fc2.bias)
