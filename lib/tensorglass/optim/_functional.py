"""The rules of optimizers as functions of lists: `torch.optim._functional.adam`, also `torch.optim.adam.adam`.

Optimizers that others derive from PyTorch's gather these lists by `_init_group`, and call such a function. It changes
the parameters, and what the rule remembers of them, in place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorglass.optim.adadelta import Adadelta
from tensorglass.optim.adagrad import Adagrad
from tensorglass.optim.adam import Adam
from tensorglass.optim.adamax import Adamax
from tensorglass.optim.asgd import ASGD
from tensorglass.optim.nadam import NAdam
from tensorglass.optim.per_parameter import PerParameterOptimizer, as_pairs
from tensorglass.optim.radam import RAdam
from tensorglass.optim.rmsprop import RMSprop
from tensorglass.optim.rprop import Rprop
from tensorglass.optim.sgd import SGD
from tensorglass.tensor.tensor import Tensor

__all__ = ["adadelta", "adagrad", "adam", "adamax", "adamw", "asgd", "nadam", "radam", "rmsprop", "rprop", "sgd"]

Tensors = Sequence[Tensor]


def _apply(
    kind: type[PerParameterOptimizer],
    params: Tensors,
    grads: Tensors,
    lists: dict[str, Sequence[Tensor]],
    **options: Any,
) -> None:
    """Call the rule of a class for each parameter; `lists` has what it remembers, by the keys of its state."""
    if not all(isinstance(step, Tensor) for step in lists["step"]):
        raise RuntimeError("API has changed, `state_steps` argument must contain a list of singleton tensors")
    rule = object.__new__(kind)  # its options are those that are given here
    for number, (param, grad) in enumerate(zip(params, grads, strict=True)):
        state = {key: as_pairs(values[number]) for key, values in lists.items() if values}
        rule.update(as_pairs(param), as_pairs(-grad if options["maximize"] else grad), state, options)


def adam(
    params: Tensors, grads: Tensors, exp_avgs: Tensors, exp_avg_sqs: Tensors, max_exp_avg_sqs: Tensors,
    state_steps: Tensors, foreach: bool | None = None, capturable: bool = False, differentiable: bool = False,
    fused: bool | None = None, grad_scale: Tensor | None = None, found_inf: Tensor | None = None,
    has_complex: bool = False, decoupled_weight_decay: bool = False, *, amsgrad: bool, beta1: Any, beta2: Any, lr: Any,
    weight_decay: float, eps: float, maximize: bool,
) -> None:  # fmt: skip
    """One step of `Adam`."""
    largest = max_exp_avg_sqs if amsgrad else []
    lists = {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "max_exp_avg_sq": largest, "step": state_steps}
    _apply(
        Adam, params, grads, lists, lr=lr, betas=(beta1, beta2), eps=eps, weight_decay=weight_decay, amsgrad=amsgrad,
        maximize=maximize, differentiable=differentiable, decoupled_weight_decay=decoupled_weight_decay,
    )  # fmt: skip


def adamw(
    params: Tensors, grads: Tensors, exp_avgs: Tensors, exp_avg_sqs: Tensors, max_exp_avg_sqs: Tensors,
    state_steps: Tensors, foreach: bool | None = None, capturable: bool = False, differentiable: bool = False,
    fused: bool | None = None, grad_scale: Tensor | None = None, found_inf: Tensor | None = None,
    has_complex: bool = False, *, amsgrad: bool, beta1: Any, beta2: Any, lr: Any, weight_decay: float, eps: float,
    maximize: bool,
) -> None:  # fmt: skip
    """One step of `AdamW`."""
    adam(
        params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, differentiable=differentiable,
        decoupled_weight_decay=True, amsgrad=amsgrad, beta1=beta1, beta2=beta2, lr=lr, weight_decay=weight_decay,
        eps=eps, maximize=maximize,
    )  # fmt: skip


def sgd(
    params: Tensors, d_p_list: Tensors, momentum_buffer_list: list[Tensor | None], has_sparse_grad: bool = False,
    foreach: bool | None = None, fused: bool | None = None, grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None, *, weight_decay: float, momentum: float, lr: Any, dampening: float,
    nesterov: bool, maximize: bool,
) -> None:  # fmt: skip
    """One step of `SGD`; a buffer that is None is made, and put into the list."""
    rule = object.__new__(SGD)
    options = {
        "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay, "nesterov": nesterov
    }  # fmt: skip
    for number, (param, grad) in enumerate(zip(params, d_p_list, strict=True)):
        state = {} if momentum == 0 else {"momentum_buffer": momentum_buffer_list[number]}
        rule.update(param, -grad if maximize else grad, state, options)
        if momentum != 0:
            momentum_buffer_list[number] = state["momentum_buffer"]


def adadelta(
    params: Tensors, grads: Tensors, square_avgs: Tensors, acc_deltas: Tensors, state_steps: Tensors,
    capturable: bool = False, foreach: bool | None = None, differentiable: bool = False, has_complex: bool = False, *,
    lr: float, rho: float, eps: float, weight_decay: float, maximize: bool,
) -> None:  # fmt: skip
    """One step of `Adadelta`."""
    lists = {"square_avg": square_avgs, "acc_delta": acc_deltas, "step": state_steps}
    _apply(Adadelta, params, grads, lists, lr=lr, rho=rho, eps=eps, weight_decay=weight_decay, maximize=maximize)


def adagrad(
    params: Tensors, grads: Tensors, state_sums: Tensors, state_steps: Tensors, fused: bool | None = None,
    grad_scale: Tensor | None = None, found_inf: Tensor | None = None, has_sparse_grad: bool = False,
    foreach: bool | None = None, differentiable: bool = False, has_complex: bool = False, *, lr: float,
    weight_decay: float, lr_decay: float, eps: float, maximize: bool,
) -> None:  # fmt: skip
    """One step of `Adagrad`."""
    options = {"lr": lr, "weight_decay": weight_decay, "lr_decay": lr_decay, "eps": eps, "maximize": maximize}
    _apply(Adagrad, params, grads, {"sum": state_sums, "step": state_steps}, **options)


def adamax(
    params: Tensors, grads: Tensors, exp_avgs: Tensors, exp_infs: Tensors, state_steps: Tensors,
    foreach: bool | None = None, maximize: bool = False, differentiable: bool = False, capturable: bool = False,
    has_complex: bool = False, *, eps: float, beta1: float, beta2: float, lr: float, weight_decay: float,
) -> None:  # fmt: skip
    """One step of `Adamax`."""
    _apply(
        Adamax, params, grads, {"exp_avg": exp_avgs, "exp_inf": exp_infs, "step": state_steps}, lr=lr,
        betas=(beta1, beta2), eps=eps, weight_decay=weight_decay, maximize=maximize, differentiable=differentiable,
    )  # fmt: skip


def asgd(
    params: Tensors, grads: Tensors, axs: Tensors, mus: Tensors, etas: Tensors, state_steps: Tensors,
    foreach: bool | None = None, maximize: bool = False, differentiable: bool = False, capturable: bool = False,
    has_complex: bool = False, *, lambd: float, lr: float, t0: float, alpha: float, weight_decay: float,
) -> None:  # fmt: skip
    """One step of `ASGD`."""
    lists = {"ax": axs, "mu": mus, "eta": etas, "step": state_steps}
    options = {"lambd": lambd, "lr": lr, "t0": t0, "alpha": alpha, "weight_decay": weight_decay}
    _apply(ASGD, params, grads, lists, maximize=maximize, **options)


def nadam(
    params: Tensors, grads: Tensors, exp_avgs: Tensors, exp_avg_sqs: Tensors, mu_products: Tensors,
    state_steps: Tensors, decoupled_weight_decay: bool = False, foreach: bool | None = None, capturable: bool = False,
    differentiable: bool = False, has_complex: bool = False, maximize: bool = False, *, beta1: float, beta2: float,
    lr: float, weight_decay: float, momentum_decay: float, eps: float,
) -> None:  # fmt: skip
    """One step of `NAdam`."""
    lists = {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "mu_product": mu_products, "step": state_steps}
    _apply(
        NAdam, params, grads, lists, lr=lr, betas=(beta1, beta2), eps=eps, weight_decay=weight_decay,
        momentum_decay=momentum_decay, maximize=maximize, differentiable=differentiable,
        decoupled_weight_decay=decoupled_weight_decay,
    )  # fmt: skip


def radam(
    params: Tensors, grads: Tensors, exp_avgs: Tensors, exp_avg_sqs: Tensors, state_steps: Tensors,
    decoupled_weight_decay: bool = False, foreach: bool | None = None, differentiable: bool = False,
    capturable: bool = False, has_complex: bool = False, maximize: bool = False, *, beta1: float, beta2: float,
    lr: float, weight_decay: float, eps: float,
) -> None:  # fmt: skip
    """One step of `RAdam`."""
    _apply(
        RAdam, params, grads, {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "step": state_steps}, lr=lr,
        betas=(beta1, beta2), eps=eps, weight_decay=weight_decay, maximize=maximize,
        decoupled_weight_decay=decoupled_weight_decay,
    )  # fmt: skip


def rmsprop(
    params: Tensors, grads: Tensors, square_avgs: Tensors, grad_avgs: Tensors, momentum_buffer_list: Tensors,
    state_steps: Tensors, foreach: bool | None = None, maximize: bool = False, differentiable: bool = False,
    capturable: bool = False, has_complex: bool = False, *, lr: float, alpha: float, eps: float, weight_decay: float,
    momentum: float, centered: bool,
) -> None:  # fmt: skip
    """One step of `RMSprop`."""
    lists = {
        "square_avg": square_avgs, "grad_avg": grad_avgs, "momentum_buffer": momentum_buffer_list, "step": state_steps
    }  # fmt: skip
    _apply(
        RMSprop, params, grads, lists, lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum,
        centered=centered, maximize=maximize,
    )  # fmt: skip


def rprop(
    params: Tensors, grads: Tensors, prevs: Tensors, step_sizes: Tensors, state_steps: Tensors,
    foreach: bool | None = None, capturable: bool = False, maximize: bool = False, differentiable: bool = False,
    has_complex: bool = False, *, step_size_min: float, step_size_max: float, etaminus: float, etaplus: float,
) -> None:  # fmt: skip
    """One step of `Rprop`."""
    lists = {"prev": prevs, "step_size": step_sizes, "step": state_steps}
    etas, sizes = (etaminus, etaplus), (step_size_min, step_size_max)
    _apply(Rprop, params, grads, lists, etas=etas, step_sizes=sizes, maximize=maximize)
