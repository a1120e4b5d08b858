"""What layers, losses and optimizers refuse, in which words; and mixed precision."""

import torch
import torch.nn.functional as F
from torch import nn

REFUSED = [
    lambda: nn.Conv2d(3, 4, 3, groups=2),
    lambda: nn.Conv2d(1, 1, 3)(torch.ones(2, 2, 5, 5)),
    lambda: nn.BatchNorm2d(3)(torch.ones(2, 3)),
    lambda: nn.BatchNorm1d(3)(torch.ones(1, 3)),
    lambda: nn.GroupNorm(2, 3),
    lambda: F.cross_entropy(torch.ones(2, 3), torch.tensor([0, 5])),
    lambda: F.nll_loss(torch.ones(2, 3), torch.ones(2)),
    lambda: nn.Embedding(3, 2)(torch.tensor([4])),
    lambda: nn.Dropout(1.5),
    lambda: nn.LSTM(3, 4)(torch.ones(2, 2, 2)),
    lambda: F.mse_loss(torch.ones(2), torch.ones(3)),
    lambda: F.interpolate(torch.ones(1, 1, 2, 2)),
    lambda: nn.MaxPool2d(3)(torch.ones(1, 1, 2, 2)),
    lambda: F.fractional_max_pool2d(torch.ones(1, 1, 8, 8), 2, 3, _random_samples=torch.ones(1, 1, 2).double()),
    lambda: nn.Linear(3, 2)(torch.ones(2, 3).long()),
    lambda: nn.Linear(2, 2).double()(torch.ones(1, 2)),
    lambda: nn.Linear(2, 2).to(torch.int32),
    lambda: nn.MultiheadAttention(7, 2),
    lambda: nn.Sequential(nn.Linear(2, 2)).load_state_dict({"0.weight": torch.ones(3, 2)}),
    lambda: torch.optim.SGD([], 0.1),
    lambda: torch.optim.Adam([torch.ones(1)], lr=-1.0),
    lambda: torch.optim.SGD([torch.ones(1, requires_grad=True) * 2], 0.1),
    lambda: torch.distributions.Normal(0.0, -1.0),
    lambda: torch.utils.data.random_split(range(7), [3, 3]),
    lambda: torch.func.grad(lambda a: a * 2)(torch.ones(3)),
]
for call in REFUSED:
    try:
        print(call())
    except Exception as error:  # noqa: BLE001  # it is the point
        print(type(error).__name__, str(error).split("\n")[0])

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 3))
layer, head = nn.GRU(4, 8, batch_first=True), nn.Linear(8, 3)
optimizer = torch.optim.AdamW([*net.parameters(), *layer.parameters(), *head.parameters()], lr=1e-2)
scaler = torch.amp.GradScaler("cpu")
x, y = torch.randn(6, 5, 4), torch.tensor([0, 1, 2, 0, 1, 2])
for _ in range(3):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output, hidden = layer(x)
        logits = net(x[:, -1]) + head(hidden[-1])
        with torch.autocast("cpu", enabled=False):
            exact = logits.float() @ torch.ones(3, 3)
        loss = F.cross_entropy(logits, y)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    print(output.dtype, logits.dtype, exact.dtype, loss.dtype, f"{loss.item():.1f}", scaler.get_scale())
