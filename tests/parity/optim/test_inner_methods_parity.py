"""Methods of optimizers, schedules and `GradScaler` that PyTorch does not document."""

from __future__ import annotations

import textwrap

import pytest
from parity.same_source import disagreement, seen_by_ours

PROGRAMS = {
    "an option that each group must give": """
        required = torch.optim.Optimizer.__repr__.__globals__["required"]
        see(repr(required), type(required).__name__)
        parameters = [{"params": [torch.nn.Parameter(torch.zeros(2))]}]
        attempt(lambda: torch.optim.Optimizer(parameters, {"lr": required}))
        see(torch.optim.Optimizer([parameters[0] | {"lr": 0.5}], {"lr": required}).param_groups[0]["lr"])
    """,
    "shapes of schedules": """
        schedules = torch.optim.lr_scheduler
        see([schedules.OneCycleLR._annealing_cos(1.0, 3.0, part / 4) for part in range(5)])
        see([schedules.OneCycleLR._annealing_linear(1.0, 3.0, part / 4) for part in range(5)])
        def sgd():
            return torch.optim.SGD([torch.nn.Parameter(torch.zeros(2))], lr=0.1, momentum=0.9)
        class Cycle(schedules.OneCycleLR):
            def _anneal_func(self, *args):
                return 2 * super()._anneal_func(*args)
        optimizer = sgd()
        schedule = Cycle(optimizer, 0.5, total_steps=4, anneal_strategy="linear")
        optimizer.step(), schedule.step()
        see(schedule.get_last_lr())
        cyclic = schedules.CyclicLR(sgd(), 0.1, 0.5, mode="exp_range", gamma=0.5)
        see(cyclic._triangular_scale_fn(3), cyclic._triangular2_scale_fn(3), cyclic._exp_range_scale_fn(0.5, 3))
        swa = torch.optim.swa_utils.SWALR(sgd(), 0.01, 3)
        see(swa.anneal_func(0.25), swa._linear_anneal(0.25), swa._cosine_anneal(0.25), swa._get_initial_lr(2, 1, 0.5))
        see(sorted(swa.state_dict()))
        swa._set_anneal_func("linear")
        other = torch.optim.swa_utils.SWALR(sgd(), 0.01, 3)
        other.load_state_dict(swa.state_dict())
        see(other.anneal_func(0.25))
        plateau = schedules.ReduceLROnPlateau(sgd())
        plateau._init_is_better("max", 0.5, "abs")
        see(plateau._is_better(2.0, 1.0), plateau._is_better(1.2, 1.0), plateau.mode_worse)
        attempt(lambda: plateau._init_is_better("no", 0.5, "abs"))
    """,
    "LBFGS by hand": """
        x = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
        z = torch.nn.Parameter(torch.tensor([1.0 + 1j]))
        optimizer = torch.optim.LBFGS([x, z], line_search_fn="strong_wolfe")
        def closure():
            optimizer.zero_grad()
            loss = (x ** 4).sum() + (z * z.conj()).real.sum()
            loss.backward()
            return loss
        see(optimizer._numel(), len(optimizer._params))
        with torch.no_grad():
            here = optimizer._clone_param()
            evaluate = torch.enable_grad()(closure)
            see(*optimizer._directional_evaluate(evaluate, here, 0.5, torch.ones(4)))
            optimizer._set_param([value + 1 for value in here])
        see(x, z, optimizer._gather_flat_grad())
    """,
    "a subclass sees where LBFGS looks": """
        class Seeing(torch.optim.LBFGS):
            def _directional_evaluate(self, closure, x, t, d):
                see("looked")
                return super()._directional_evaluate(closure, x, t, d)
        x = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
        optimizer = Seeing([x], max_iter=2, line_search_fn="strong_wolfe")
        def closure():
            optimizer.zero_grad()
            loss = (x ** 4).sum()
            loss.backward()
            return loss
        optimizer.step(closure)
        see(x)
    """,
    "helpers of optimizers": """
        import importlib
        optimizer = importlib.import_module(torch.optim.Optimizer.__module__)
        class Own(torch.optim.Optimizer):
            def __init__(self, params, differentiable=False):
                super().__init__(params, {"differentiable": differentiable})
            @optimizer._use_grad_for_differentiable
            def step(self, closure=None):
                see(torch.is_grad_enabled())
        for differentiable in (False, True):
            Own([torch.nn.Parameter(torch.ones(1))], differentiable).step()
        see(optimizer._get_value(torch.tensor(2.5)), optimizer._get_value(3), optimizer._stack_if_compiling([1]))
        see(optimizer._default_to_fused_or_foreach([torch.ones(1)], True), optimizer._get_scalar_dtype())
        lists = [torch.ones(2), torch.ones(2, dtype=torch.complex64)], [torch.ones(2), torch.zeros(2) * 1j]
        optimizer._view_as_real(*lists)
        see(*[[tuple(tensor.shape) for tensor in tensors] for tensors in lists])
        find = torch.nn.parallel.distributed._find_tensors
        see(len(list(find({"a": [torch.ones(1), (torch.ones(2), 3)], "b": "text"}))))
    """,
    "steps of a scaler": """
        class Scaler(torch.amp.GradScaler):
            def _unscale_grads_(self, optimizer, inv_scale, found_inf, allow_fp16):
                see("unscale", inv_scale, found_inf, allow_fp16)
                return super()._unscale_grads_(optimizer, inv_scale, found_inf, True)
            def _maybe_opt_step(self, optimizer, optimizer_state, *args, **kwargs):
                see("step", optimizer_state["stage"].name)
                return super()._maybe_opt_step(optimizer, optimizer_state, *args, **kwargs)
        scaler = Scaler("cpu", init_scale=4.0)
        attempt(lambda: scaler._check_inf_per_device(None))
        see(scaler._get_scale_async())
        p = torch.nn.Parameter(torch.ones(2))
        optimizer = torch.optim.SGD([p], lr=1.0)
        for factor in (1.0, float("inf")):
            optimizer.zero_grad()
            scaler.scale((p * factor).sum()).backward()
            see(scaler._get_scale_async(), list(scaler._check_inf_per_device(optimizer).values()), p.grad)
            scaler.unscale_(optimizer)
            see(list(scaler._found_inf_per_device(optimizer).values()), p.grad)
            scaler.step(optimizer), scaler.update()
            see(p, scaler._scale, scaler._growth_tracker)
        fresh = torch.amp.GradScaler("cpu")
        fresh._lazy_init_scale_growth_tracker("cpu")
        see(fresh._scale, fresh._growth_tracker)
    """,
}


@pytest.mark.parametrize("source", PROGRAMS.values(), ids=PROGRAMS)
def test_inner_methods_of_optimizers_and_schedules(source: str) -> None:
    assert seen_by_ours(textwrap.dedent(source))
    assert disagreement(source) is None, disagreement(source)


RULES = {
    "Adadelta": ("rho=.9, weight_decay=.1", "rho eps weight_decay lr maximize", 2),
    "Adagrad": ("lr_decay=.1, weight_decay=.1", "lr_decay eps weight_decay lr maximize", 1),
    "Adam": ("amsgrad=True, weight_decay=.1", "amsgrad eps weight_decay lr maximize betas", 3),
    "AdamW": ("maximize=True", "amsgrad eps weight_decay lr maximize betas", 3),
    "Adamax": ("weight_decay=.1", "eps weight_decay lr maximize betas", 2),
    "ASGD": ("lambd=.01, t0=1.", "lambd lr t0 alpha weight_decay maximize", 3),
    "NAdam": ("weight_decay=.1", "eps weight_decay lr maximize momentum_decay betas", 3),
    "RAdam": ("decoupled_weight_decay=True", "eps weight_decay lr maximize decoupled_weight_decay betas", 2),
    "RMSprop": ("momentum=.9, centered=True", "lr alpha eps weight_decay momentum centered maximize", 3),
    "Rprop": ("", "maximize", 2),
    "SGD": ("momentum=.9, nesterov=True, weight_decay=.1", "weight_decay momentum lr dampening nesterov maximize", 1),
}  # fmt: skip


@pytest.mark.parametrize("name", RULES)
def test_a_subclass_gathers_its_lists_and_calls_the_rule(name: str) -> None:
    options, named, count = RULES[name]
    source = f"""
        class Own(torch.optim.{name}):
            @torch.no_grad()
            def step(self):
                for group in self.param_groups:
                    params, grads, lists = [], [], [[] for _ in range({count + (name != "SGD")})]
                    see(self._init_group(group, params, grads, *lists))
                    given = {{key: group[key] for key in "{named}".split()}}
                    if "betas" in given:
                        given["beta1"], given["beta2"] = given.pop("betas")
                    if "{name}" == "Rprop":
                        given["etaminus"], given["etaplus"] = group["etas"]
                        given["step_size_min"], given["step_size_max"] = group["step_sizes"]
                    if "{name}" == "RMSprop":
                        lists[1], lists[2] = lists[2], lists[1]
                    if "{name}" == "ASGD":
                        lists[0], lists[1] = lists[1], lists[0]
                    torch.optim._functional.{name.lower()}(params, grads, *lists, **given)
                    for values in lists:
                        see(*values)
                    if "{name}" == "SGD":
                        for param, buffer in zip(params, lists[0]):
                            self.state[param]["momentum_buffer"] = buffer
        a = torch.nn.Parameter(torch.arange(3.0) + 1)
        b = torch.nn.Parameter(torch.tensor([[1.0, -2.0], [0.5, 0.25]], dtype=torch.float64))
        idle = torch.nn.Parameter(torch.ones(1))
        own = Own([a, idle, b], lr=0.1, {options})
        for _ in range(3):
            own.zero_grad()
            ((a ** 2).sum() + (b ** 3).sum()).backward()
            own.step()
            see(a, b, idle)
        attempt(lambda: torch.optim._functional.adam(
            [a], [a], [a], [a], [], [1], amsgrad=False, beta1=.9, beta2=.9, lr=.1, weight_decay=0, eps=0,
            maximize=False))
    """
    assert len(seen_by_ours(textwrap.dedent(source))) > 15
    assert disagreement(source) is None, disagreement(source)


def test_the_rules_stand_in_the_modules_of_their_optimizers() -> None:
    from tensorglass.optim import _functional
    from tensorglass.optim.adam import adam
    from tensorglass.optim.sgd import sgd

    assert (adam, sgd) == (_functional.adam, _functional.sgd)
