"""Every optimizer leaves the parameters, the state and the groups that PyTorch's leaves after 20 steps."""

from __future__ import annotations

import copy
import importlib
import io
import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle is missing: pip install torch==2.13.0")
pytest.importorskip("expecttest", reason="PyTorch's table of optimizers needs it: pip install expecttest")

from torch.testing._internal.common_optimizers import optim_db  # noqa: E402  # after the oracle is known to be there

BOTH = (torch, tensorglass)
TOLERANCE = {"float64": 1e-13, "float32": 2e-6, "complex128": 1e-13}
INPUTS = [
    pytest.param(info.optim_cls.__name__, sample.kwargs, dtype, id=f"{info.optim_cls.__name__}-{sample.kwargs}-{dtype}")
    for info in optim_db
    if info.optim_cls.__name__ not in ("LBFGS", "SparseAdam")
    for sample in info.optim_inputs_func("cpu")
    for dtype in TOLERANCE
    if not (dtype == "complex128" and info.optim_cls.__name__ in ("Adafactor", "Muon"))
]
NAMES = sorted({info.optim_cls.__name__ for info in optim_db})


def arrays(seed: int, dtype: str, shapes: list[tuple[int, ...]]) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [
        (rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if dtype == "complex128" else 0)).astype(dtype)
        for shape in shapes
    ]


def shapes_for(name: str) -> list[tuple[int, ...]]:
    return [(3, 4), (5, 2)] if name == "Muon" else [(3, 4), (5,), (2, 3, 2)]


def translated(value: Any, library: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return library.tensor(value.detach().numpy())
    return tuple(translated(item, library) for item in value) if isinstance(value, tuple) else value


def make(library: Any, name: str, options: dict[str, Any], dtype: str = "float64") -> tuple[list[Any], Any]:
    params = [library.tensor(array).requires_grad_() for array in arrays(0, dtype, shapes_for(name))]
    given = {key: translated(value, library) for key, value in options.items()}
    return params, getattr(library.optim, name)(params, **given)


def steps(library: Any, params: list[Any], optimizer: Any, count: int, dtype: str = "float64", seed: int = 1) -> None:
    for number in range(count):
        for param, grad in zip(params, arrays(seed + number, dtype, [tuple(p.shape) for p in params]), strict=True):
            param.grad = library.tensor(grad)
        optimizer.step()


def plain(value: Any) -> Any:
    """A state dict with arrays for tensors, so that both libraries' can be compared."""
    if isinstance(value, (torch.Tensor, tensorglass.Tensor)):
        return ("tensor", str(value.dtype), tuple(value.shape), value.detach().numpy())
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return type(value)(plain(item) for item in value) if isinstance(value, (list, tuple)) else value


def assert_same(one: Any, other: Any, tolerance: float) -> None:
    assert type(one) is type(other), (one, other)
    if isinstance(one, dict):
        assert list(one) == list(other)
        for key in one:
            assert_same(one[key], other[key], tolerance)
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(other)
        for left, right in zip(one, other, strict=True):
            assert_same(left, right, tolerance)
    elif isinstance(one, np.ndarray):
        np.testing.assert_allclose(other, one, rtol=tolerance, atol=tolerance / 10)
    elif isinstance(one, float):
        assert one == pytest.approx(other, rel=tolerance)
    else:
        assert one == other


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "options", "dtype"), INPUTS)
def test_twenty_steps(name: str, options: dict[str, Any], dtype: str) -> None:
    left = []
    for library in BOTH:
        params, optimizer = make(library, name, options, dtype)
        steps(library, params, optimizer, 20, dtype)
        left.append((plain(params), plain(optimizer.state_dict()), repr(optimizer)))
    # Muon multiplies matrices in bfloat16, which has 8 bits: products may round to the neighbour.
    tolerance = 5e-2 if name == "Muon" else TOLERANCE[dtype]
    assert_same(left[0], left[1], tolerance)


def with_flag(library: Any, name: str, options: dict[str, Any]) -> Any:
    """The parameters after five steps, and after two more of an optimizer that loaded the state; or the error."""
    try:
        params, optimizer = make(library, name, options)
        steps(library, params, optimizer, 5)
        others, other = make(library, name, options)
        other.load_state_dict(optimizer.state_dict())
        steps(library, others, other, 2)
    except (AssertionError, RuntimeError, TypeError, ValueError) as error:
        return type(error).__name__, str(error).split("\n")[0]
    return [plain(item) for item in (params, optimizer.state_dict(), others, other.state_dict())]


@pytest.mark.sweep
@pytest.mark.parametrize("flag", ["foreach", "fused", "capturable", "differentiable"])
@pytest.mark.parametrize("info", optim_db, ids=lambda info: info.optim_cls.__name__)
def test_flags_change_or_refuse_what_they_do_in_pytorch(info: Any, flag: str) -> None:
    name = info.optim_cls.__name__
    for sample in info.optim_inputs_func("cpu") if name not in ("LBFGS", "SparseAdam") else ():
        one, other = (with_flag(library, name, {**sample.kwargs, flag: True}) for library in BOTH)
        # PyTorch's ASGD computes rates in float32 where it has lists of parameters. Muon: see above.
        assert_same(one, other, {"Muon": 5e-2, "ASGD": 1e-6}.get(name, 1e-12))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"lr": 0.1, "max_iter": 4},
        {"line_search_fn": "strong_wolfe"},
        {"line_search_fn": "strong_wolfe", "history_size": 3, "max_iter": 30},
        {"line_search_fn": "strong_wolfe", "max_eval": 7},
        {"lr": 0.2, "tolerance_grad": 1e-3},
        {"lr": 3, "max_iter": 50, "line_search_fn": "strong_wolfe", "tolerance_change": 1e-4},
    ],
    ids=str,
)
def test_lbfgs(options: dict[str, Any]) -> None:
    left = []
    for library in BOTH:
        params, optimizer = make(library, "LBFGS", options)
        calls = []

        def closure(
            library: Any = library, params: Any = params, optimizer: Any = optimizer, calls: Any = calls
        ) -> Any:
            optimizer.zero_grad()
            loss = sum(((param - 1) ** 2).sum() + 0.1 * (param**4).sum() for param in params)
            loss.backward()
            calls.append(loss.item())
            return loss

        returned = [optimizer.step(closure).item() for _ in range(4)]
        state = optimizer.state_dict()["state"][0]
        left.append((plain(params), returned, calls, state["func_evals"], state["n_iter"], sorted(state)))
    assert_same(left[0], left[1], 1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_refusals(name: str) -> None:
    info = next(info for info in optim_db if info.optim_cls.__name__ == name)
    refused = 0
    for line in info.optim_error_inputs_func("cpu", torch.float32):
        given = line.optimizer_error_input
        if name == "SparseAdam" and "sparse" in str(line.error_regex).lower():
            continue  # there are no sparse tensors here
        words = []
        for library in BOTH:
            params = given.params
            if library is tensorglass:
                params = ours(params, {})
            options = {key: translated(value, library) for key, value in given.kwargs.items()}
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    optimizer = getattr(library.optim, name)(params, **options)
                    if line.error_on != 0:
                        optimizer.step(lambda: 1.0)
                    words.append(("fine", [str(warning.message) for warning in caught]))
                except Exception as error:  # the error is compared
                    message = str(error).splitlines()[0].replace("tensorglass", "torch")
                    words.append((type(error).__name__, message))
        assert words[0] == words[1]
        refused += 1
    assert refused


def ours(params: Any, made: dict[int, Any]) -> Any:
    """The same in tensorglass; a tensor that occurs twice is one tensor here too."""
    if isinstance(params, torch.Tensor):
        if id(params) not in made:
            twin = made[id(params)] = tensorglass.tensor(params.detach().numpy(), requires_grad=params.requires_grad)
            if params.grad is not None:
                twin.grad = tensorglass.tensor(params.grad.numpy())
        return made[id(params)]
    if isinstance(params, dict):
        return {key: ours(item, made) for key, item in params.items()}
    return type(params)(ours(item, made) for item in params) if isinstance(params, (list, tuple, set)) else params


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("LBFGS", "SparseAdam")])
def test_a_checkpoint_of_pytorch_goes_on_here_and_back(name: str, tmp_path: Any) -> None:
    params, optimizer = make(torch, name, {"lr": 0.02})
    steps(torch, params, optimizer, 5)
    torch.save({"params": [p.detach() for p in params], "optimizer": optimizer.state_dict()}, tmp_path / "theirs.pt")
    optimizer.load_state_dict(optimizer.state_dict())  # counts become float64, here and there
    steps(torch, params, optimizer, 5, seed=50)

    saved = tensorglass.load(tmp_path / "theirs.pt")
    mine = [param.requires_grad_() for param in saved["params"]]
    here = getattr(tensorglass.optim, name)(mine, lr=0.5)
    here.load_state_dict(saved["optimizer"])
    steps(tensorglass, mine, here, 5, seed=50)
    # PyTorch's ASGD rounds its rate to float32 even where it is kept in float64.
    tolerance = {"Muon": 5e-2, "ASGD": 1e-7}.get(name, 1e-13)
    assert_same(plain(params), plain(mine), tolerance)

    tensorglass.save(here.state_dict(), tmp_path / "ours.pt")
    back = getattr(torch.optim, name)(params, lr=0.5)
    back.load_state_dict(torch.load(tmp_path / "ours.pt", weights_only=True))
    assert_same(plain(optimizer.state_dict()), plain(back.state_dict()), tolerance)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("LBFGS", "SparseAdam")])
def test_copies_and_pickles_go_on(name: str) -> None:
    left = []
    for library in BOTH:
        params, optimizer = make(library, name, {})
        steps(library, params, optimizer, 3)
        copied = copy.deepcopy(optimizer)
        pickled = pickle.load(io.BytesIO(pickle.dumps(optimizer)))
        for twin in (copied, pickled):
            steps(library, twin.param_groups[0]["params"], twin, 3, seed=9)
        left.append([plain(twin.state_dict()) for twin in (optimizer, copied, pickled)])
    assert_same(left[0], left[1], 5e-2 if name == "Muon" else 1e-13)


def test_groups_names_and_repr() -> None:
    left = []
    for library in BOTH:
        first, second, third = (library.tensor(array).requires_grad_() for array in arrays(0, "float64", [(2,)] * 3))
        optimizer = library.optim.SGD(
            [{"params": [("w", first)], "lr": 0.5}, {"params": [("b", second)]}], lr=0.1, momentum=0.9
        )
        optimizer.add_param_group({"params": [("late", third)], "weight_decay": 0.1})
        steps(library, [first, second, third], optimizer, 3)
        state = optimizer.state_dict()
        words = []
        for wrong in (
            {"params": [first]},
            {"params": {second}},
            [first],
            {"params": [1]},
            {"params": [("x", first), 2]},
        ):
            with pytest.raises((TypeError, ValueError)) as refused:
                optimizer.add_param_group(wrong)
            words.append((refused.type, str(refused.value).replace("tensorglass", "torch")))
        left.append((plain([first, second, third]), plain(state), repr(optimizer), words))
    assert_same(left[0], left[1], 1e-13)


def hooks_called(library: Any) -> list[str]:
    called: list[str] = []

    def note(words: str) -> Any:
        return lambda *_: called.append(words)

    params, optimizer = make(library, "SGD", {"lr": 0.1})
    module = importlib.import_module(f"{library.__name__}.optim.optimizer")
    handles = [
        module.register_optimizer_step_pre_hook(note("before every step")),
        module.register_optimizer_step_post_hook(note("after every step")),
        optimizer.register_step_pre_hook(note("before")),
        optimizer.register_step_post_hook(note("after")),
        optimizer.register_state_dict_pre_hook(note("state before")),
        optimizer.register_state_dict_post_hook(note("state after")),
        optimizer.register_load_state_dict_pre_hook(note("load before")),
        optimizer.register_load_state_dict_post_hook(note("load after")),
        optimizer.register_load_state_dict_post_hook(note("load after, first"), prepend=True),
    ]
    steps(library, params, optimizer, 1)
    optimizer.load_state_dict(optimizer.state_dict())
    for handle in handles:
        handle.remove()
    steps(library, params, optimizer, 1)
    return called


def test_hooks_run_in_order() -> None:
    assert hooks_called(torch) == hooks_called(tensorglass)


def test_zero_grad() -> None:
    for library in BOTH:
        params, optimizer = make(library, "Adam", {})
        loss = sum((param**2).sum() for param in params)
        loss.backward()
        grads = [param.grad for param in params]
        optimizer.zero_grad(set_to_none=False)
        assert all(param.grad is grad for param, grad in zip(params, grads, strict=True))
        assert all((grad == 0).all() for grad in grads)
        optimizer.zero_grad()
        assert all(param.grad is None for param in params)


@pytest.mark.parametrize("name", ["SGD", "Adam", "Adagrad", "RMSprop", "NAdam", "RAdam", "Adadelta", "ASGD"])
def test_a_step_can_be_differentiated(name: str) -> None:
    """The gradient of the parameters after two steps with respect to the gradient that the steps were given."""
    gradients = []
    for library in BOTH:
        start = library.tensor([0.3, -0.7, 1.1], dtype=library.float64, requires_grad=True)
        push = library.tensor([0.5, 0.25, -1.0], dtype=library.float64, requires_grad=True)
        param = start.clone()
        optimizer = getattr(library.optim, name)([param], lr=0.1, differentiable=True)
        for _ in range(2):
            param.grad = push * 2
            optimizer.step()
        param.pow(2).sum().backward()
        gradients.append((start.grad.numpy(), push.grad.numpy()))
    for theirs, ours_ in zip(*gradients, strict=True):
        np.testing.assert_allclose(ours_, theirs, rtol=1e-4)  # PyTorch corrects in float32 here


@pytest.mark.parametrize("library", [tensorglass, torch], ids=["tensorglass", "pytorch"])
def test_an_optimizer_of_ones_own_may_keep_its_parameters_under_the_name_that_pytorchs_lbfgs_has(library: Any) -> None:
    class Own(library.optim.Optimizer):
        def __init__(self, params: Any) -> None:
            super().__init__(params, {"lr": 1.0})
            self._params = self.param_groups[0]["params"]

    x = library.ones(2, requires_grad=True)
    optimizer = Own([x])
    x.sum().backward()
    optimizer.zero_grad()
    optimizer.add_param_group({"params": [library.ones(1, requires_grad=True)]})
    assert x.grad is None


@pytest.mark.parametrize("name", ["Adam", "AdamW", "Adamax", "NAdam", "RAdam"])
def test_betas_in_a_list_are_kept_as_pytorch_keeps_them(name: str) -> None:
    def kept(library: Any) -> list[str]:
        weight = library.ones(2, requires_grad=True)
        make = getattr(library.optim, name)
        plain = make([weight], betas=[0.9, 0.99])
        grouped = make([{"params": [weight], "betas": [0.8, 0.9]}])
        shown = [repr(each["betas"]) for each in (plain.defaults, *plain.param_groups, *grouped.param_groups)]
        if name in ("Adam", "AdamW"):
            betas = library.tensor([0.9]), library.tensor([0.99])
            shown += [str(beta.shape) for beta in make([weight], betas=betas, capturable=True).param_groups[0]["betas"]]
        return shown

    assert kept(tensorglass) == kept(torch)
