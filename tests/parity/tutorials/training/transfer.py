"""A trained body with a new head: what is frozen, groups of parameters, buffers, copies of the best state."""

import copy

import torch
import torch.nn as nn
import torch.optim as optim
from torch.optim import lr_scheduler

torch.manual_seed(2)


class Backbone(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d((2, 2))
        )
        self.fc = nn.Linear(32, classes)

    def forward(self, x):
        return self.fc(torch.flatten(self.features(x), 1))


model_conv = Backbone()
saved = copy.deepcopy(model_conv.state_dict())
for param in model_conv.parameters():
    param.requires_grad = False
num_ftrs = model_conv.fc.in_features
model_conv.fc = nn.Linear(num_ftrs, 2)
print([name for name, p in model_conv.named_parameters() if p.requires_grad])
print(sum(p.numel() for p in model_conv.parameters() if p.requires_grad), "of", sum(p.numel() for p in model_conv.parameters()))
criterion = nn.CrossEntropyLoss()
optimizer_conv = optim.SGD(model_conv.fc.parameters(), lr=0.01, momentum=0.9)
exp_lr_scheduler = lr_scheduler.StepLR(optimizer_conv, step_size=2, gamma=0.1)
inputs = {phase: torch.randn(12, 3, 8, 8) for phase in ("train", "val")}
labels = {phase: torch.randint(0, 2, (12,)) for phase in ("train", "val")}
best_acc, best_model_wts = 0.0, copy.deepcopy(model_conv.state_dict())
for epoch in range(5):
    for phase in ["train", "val"]:
        if phase == "train":
            model_conv.train()
        else:
            model_conv.eval()
        optimizer_conv.zero_grad()
        with torch.set_grad_enabled(phase == "train"):
            outputs = model_conv(inputs[phase])
            _, preds = torch.max(outputs, 1)
            loss = criterion(outputs, labels[phase])
            if phase == "train":
                loss.backward()
                optimizer_conv.step()
        if phase == "train":
            exp_lr_scheduler.step()
        epoch_acc = torch.sum(preds == labels[phase].data).double() / 12
        print(f"{phase} Loss: {loss.item():.4f} Acc: {epoch_acc:.4f}", exp_lr_scheduler.get_last_lr())
        if phase == "val" and epoch_acc > best_acc:
            best_acc = epoch_acc
            best_model_wts = copy.deepcopy(model_conv.state_dict())
model_conv.load_state_dict(best_model_wts)
print(model_conv.features[1].running_mean, model_conv.features[1].num_batches_tracked)
print(torch.equal(saved["features.0.weight"], model_conv.features[0].weight))
try:
    model_conv.load_state_dict(saved)
except RuntimeError as error:
    print(error)
saved.pop("fc.weight")
saved.pop("fc.bias")
saved["extra"] = torch.zeros(1)
print(model_conv.load_state_dict(saved, strict=False))
optimizer = optim.AdamW(
    [{"params": model_conv.features.parameters(), "lr": 1e-4}, {"params": model_conv.fc.parameters(), "weight_decay": 0.1}], lr=1e-2
)
print(optimizer)
for p in model_conv.features.parameters():
    p.requires_grad_(True)
for _ in range(2):
    optimizer.zero_grad(set_to_none=True)
    loss = criterion(model_conv(inputs["train"]), labels["train"])
    loss.backward()
    optimizer.step()
    print(loss.item())
backbone = nn.Sequential(*list(model_conv.children())[:-1])
print(backbone(inputs["val"]).shape, backbone)
print({name: tuple(m.weight.shape) for name, m in model_conv.named_modules() if isinstance(m, (nn.Conv2d, nn.Linear))})
