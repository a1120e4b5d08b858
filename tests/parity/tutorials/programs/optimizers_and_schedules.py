"""Every optimizer on one small problem, every schedule on one optimizer, LBFGS with its closure."""

import torch
from torch import nn, optim
from torch.optim.lr_scheduler import (
    ChainedScheduler,
    ConstantLR,
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    CyclicLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    OneCycleLR,
    PolynomialLR,
    ReduceLROnPlateau,
    SequentialLR,
    StepLR,
)


def make():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))
    return model, torch.randn(16, 3), torch.randn(16, 1)


for name, options in {
    "SGD": dict(lr=0.1, momentum=0.9, nesterov=True, weight_decay=1e-3),
    "Adam": dict(lr=0.01, amsgrad=True),
    "AdamW": dict(lr=0.01),
    "Adamax": {},
    "NAdam": {},
    "RAdam": dict(lr=0.01),
    "RMSprop": dict(momentum=0.5, centered=True),
    "Rprop": {},
    "Adagrad": dict(lr_decay=0.1),
    "Adadelta": {},
    "ASGD": dict(lambd=0.01),
    "Adafactor": dict(lr=0.05),
}.items():
    model, x, y = make()
    optimizer = getattr(optim, name)(model.parameters(), **options)
    for step in range(8):
        optimizer.zero_grad()
        loss = nn.functional.smooth_l1_loss(model(x), y)
        loss.backward()
        optimizer.step()
    state = optimizer.state_dict()
    print(name, loss.item(), sorted(state["state"][0]), model[0].weight[0].tolist())

model, x, y = make()
optimizer = optim.LBFGS(model.parameters(), lr=0.5, max_iter=5, history_size=4, line_search_fn="strong_wolfe")
for step in range(3):

    def closure():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        return loss

    print("LBFGS", optimizer.step(closure).item())

for name, make_schedule in {
    "StepLR": lambda o: StepLR(o, 3, 0.5),
    "MultiStepLR": lambda o: MultiStepLR(o, [2, 6]),
    "ExponentialLR": lambda o: ExponentialLR(o, 0.9),
    "Lambda": lambda o: LambdaLR(o, lambda epoch: 0.95**epoch),
    "Multiplicative": lambda o: MultiplicativeLR(o, lambda epoch: 0.9),
    "Cosine": lambda o: CosineAnnealingLR(o, 5, 0.01),
    "Restarts": lambda o: CosineAnnealingWarmRestarts(o, 3, 2),
    "Cyclic": lambda o: CyclicLR(o, 0.01, 0.1, 3, mode="triangular2"),
    "OneCycle": lambda o: OneCycleLR(o, max_lr=0.5, total_steps=12),
    "Polynomial": lambda o: PolynomialLR(o, 6, 2.0),
    "Constant": lambda o: ConstantLR(o, 0.5, 4),
    "Linear": lambda o: LinearLR(o, 0.25, total_iters=5),
    "Sequential": lambda o: SequentialLR(o, [LinearLR(o, 0.1, total_iters=4), CosineAnnealingLR(o, 6)], milestones=[4]),
    "Chained": lambda o: ChainedScheduler([ConstantLR(o, 0.1, 2), ExponentialLR(o, 0.9)]),
}.items():
    model, x, y = make()
    optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    schedule = make_schedule(optimizer)
    rates = []
    for epoch in range(10):
        optimizer.step()
        rates.append(optimizer.param_groups[0]["lr"])
        schedule.step()
    print(
        name,
        rates,
        schedule.get_last_lr(),
        schedule.last_epoch if name != "Chained" else "",
        optimizer.param_groups[0]["momentum"],
    )
    if name not in ("Lambda", "Multiplicative", "Cyclic", "Sequential", "Chained"):
        print(schedule.state_dict())

model, x, y = make()
optimizer = optim.SGD(model.parameters(), lr=0.1)
plateau = ReduceLROnPlateau(optimizer, "min", patience=1, factor=0.1, threshold=1e-2, min_lr=1e-4)
for epoch, value in enumerate([1.0, 0.9, 0.9, 0.9, 0.9, 0.8, 0.8, 0.8, 0.8]):
    plateau.step(value)
    print(epoch, plateau.get_last_lr(), plateau.num_bad_epochs)
handle = optimizer.register_step_post_hook(lambda o, args, kwargs: print("stepped", type(o).__name__))
optimizer.step()
handle.remove()
optimizer.add_param_group({"params": [nn.Parameter(torch.zeros(2))], "lr": 1.0})
print(optimizer)
for bad in (
    lambda: optim.SGD([], lr=0.1),
    lambda: optim.SGD(model.parameters(), lr=-1.0),
    lambda: optim.Adam([torch.ones(2) * 2 + nn.Parameter(torch.ones(2))]),
):
    try:
        bad()
    except (ValueError, TypeError) as error:
        print(type(error).__name__, error)
