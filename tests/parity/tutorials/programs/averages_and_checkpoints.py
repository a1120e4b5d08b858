"""SWA and EMA, checkpoints that go on, gradient checkpointing, accumulation, mixed precision, clipping."""

import os
import tempfile

import torch
from torch import nn
from torch.optim.swa_utils import SWALR, AveragedModel, get_ema_multi_avg_fn, update_bn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
data = TensorDataset(torch.randn(32, 6), torch.randint(0, 3, (32,)))
loader = DataLoader(data, batch_size=8, shuffle=True)
model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3))
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
swa_model = AveragedModel(model)
ema_model = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=6)
swa_scheduler = SWALR(optimizer, swa_lr=0.05, anneal_epochs=2)
for epoch in range(6):
    for input, target in loader:
        optimizer.zero_grad()
        loss = loss_fn(model(input), target)
        loss.backward()
        optimizer.step()
        ema_model.update_parameters(model)
    if epoch > 2:
        swa_model.update_parameters(model)
        swa_scheduler.step()
    else:
        scheduler.step()
    print(epoch, loss.item(), optimizer.param_groups[0]["lr"])
update_bn(loader, swa_model)
swa_model.eval()
with torch.no_grad():
    print(swa_model(data[:4][0]), swa_model.n_averaged)
print(list(ema_model.state_dict()), ema_model.module[0].weight[0])

# a checkpoint, and what goes on from it
with tempfile.TemporaryDirectory() as folder:
    PATH = os.path.join(folder, "checkpoint.tar")
    torch.save(
        {
            "epoch": 6,
            "model_state_dict": model.state_dict(),
            "optimizer_state_dict": optimizer.state_dict(),
            "loss": loss.item(),
            "rng": torch.get_rng_state(),
            "scheduler": scheduler.state_dict(),
        },
        PATH,
    )
    found = torch.load(PATH, map_location=torch.device("cpu"))
again = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3))
again.load_state_dict(found["model_state_dict"])
optimizer_again = torch.optim.SGD(again.parameters(), lr=0.0)
optimizer_again.load_state_dict(found["optimizer_state_dict"])
torch.set_rng_state(found["rng"])
print(found["epoch"], found["loss"], found["scheduler"], found["optimizer_state_dict"]["param_groups"])
for net, steps in ((again, optimizer_again), (model, optimizer)):
    torch.manual_seed(1)
    steps.zero_grad()
    loss = loss_fn(net(data[:8][0]), data[:8][1])
    loss.backward()
    steps.step()
    print(loss.item(), net[0].weight.sum().item())

# activations that are computed again
body = nn.Sequential(nn.Linear(6, 6), nn.Tanh(), nn.Linear(6, 6), nn.Dropout(0.5), nn.Linear(6, 1))
x = torch.randn(4, 6, requires_grad=True)
for run in (
    lambda: body(x),
    lambda: checkpoint(body, x, use_reentrant=False),
    lambda: checkpoint_sequential(body, 2, x, use_reentrant=False),
):
    torch.manual_seed(3)
    body.zero_grad()
    x.grad = None
    run().sum().backward()
    print(x.grad[0], body[0].weight.grad.norm())

# several small batches for one step, with clipped gradients
optimizer.zero_grad()
for i, (input, target) in enumerate(loader):
    (loss_fn(model(input), target) / 2).backward()
    if (i + 1) % 2 == 0:
        print(
            nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.1),
            nn.utils.clip_grad_value_(model.parameters(), 0.01),
        )
        optimizer.step()
        optimizer.zero_grad()

# mixed precision
scaler = torch.amp.GradScaler("cpu", enabled=True)
for epoch in range(2):
    for input, target in loader:
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
            output = model(input)
            assert output.dtype is torch.bfloat16
            loss = loss_fn(output, target)
            assert loss.dtype is torch.float32
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    print(epoch, f"{loss.item():.2f} {norm.item():.1f}", scaler.get_scale())
print(scaler.state_dict())
