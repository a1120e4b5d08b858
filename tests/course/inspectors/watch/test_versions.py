"""A watched program writes as an unwatched one does: each operator of PyTorch's counts its writes alike."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from glassroom import watch
from glassroom.inspectors.watch.accounts import Account

torch = pytest.importorskip("torch", reason="what PyTorch's operators count is asked of PyTorch")
modes = pytest.importorskip("torch.utils._python_dispatch", reason="where PyTorch keeps its modes")

# With arguments that do not match, these read beyond their memory, or divide by zero.
CRASHING = {
    "aten::_batch_norm_no_update.out", "aten::_fused_sgd.tensor_lr_out", "aten::_fused_sgd_.tensor_lr",
    "aten::_nnpack_spatial_convolution.out", "aten::_transform_bias_rescale_qkv.out",
}  # fmt: skip
ATTEMPTS = 40
TENSORS: tuple[Callable[[], Any], ...] = (
    lambda: torch.ones(4, 4),
    lambda: torch.ones(4),
    lambda: torch.zeros(4, dtype=torch.int64),
    lambda: torch.ones(()),
    lambda: torch.ones(1, 2, 4, 4),
    lambda: torch.ones(4, 4, dtype=torch.bool),
)
VALUES: dict[str, Callable[[random.Random], Any]] = {
    "int": lambda numbers: numbers.choice([0, 1, 2, 4, 6]),
    "bool": lambda numbers: numbers.random() < 0.5,
    "float": lambda _: 0.5,
    "number": lambda numbers: numbers.choice([1, 0.5]),
    "str": lambda numbers: numbers.choice(["sum", "mean", "none", "floor", "reflect", "ij"]),
    "Device": lambda _: torch.device("cpu"),
    "Layout": lambda _: torch.strided,
    "ScalarType": lambda _: torch.float32,
    "MemoryFormat": lambda _: torch.contiguous_format,
    "Generator": lambda _: torch.Generator(),
    "Storage": lambda _: torch.ones(4).untyped_storage(),
    "Dimname": lambda _: "a",
    "Stream": lambda _: None,
}


def writing_operators() -> Iterator[Any]:
    for name in sorted(torch._C._dispatch_get_all_op_names()):
        library, _, rest = name.partition("::")
        packet, _, overload = rest.partition(".")
        if library == "aten" and name not in CRASHING and hasattr(torch.ops.aten, packet):
            operator = getattr(getattr(torch.ops.aten, packet), overload or "default", None)
            if operator is not None and operator._schema.is_mutable:
                yield operator


def a_value(kind: Any, numbers: random.Random) -> Any:
    if str(kind) == "Tensor":
        return TENSORS[numbers.randrange(len(TENSORS)) if numbers.random() < 0.6 else 0]()
    if str(kind).startswith("Optional"):
        return None if numbers.random() < 0.6 else a_value(kind.getElementType(), numbers)
    if str(kind) == "List[int]":
        return [numbers.choice([1, 2, 4])] * numbers.choice([1, 2, 2, 3])
    if str(kind).startswith("List"):
        state, values = numbers.getstate(), []
        for _ in range(2):  # alike, so that they go together
            numbers.setstate(state)
            values.append(a_value(kind.getElementType(), numbers))
        return values
    return VALUES[str(kind)](numbers)


def arguments(operator: Any, seed: int) -> tuple[list[Any], dict[str, Any]]:
    """Arguments of the types that the schema asks for; the same at each call."""
    numbers, by_place, by_name = random.Random(seed), [], {}
    for argument in operator._schema.arguments:
        is_left = argument.has_default_value() and numbers.random() < 0.7
        if argument.kwarg_only and is_left:
            continue
        value = argument.default_value if is_left else a_value(argument.real_type, numbers)
        if argument.kwarg_only:
            by_name[argument.name] = value
        else:
            by_place.append(value)
    return by_place, by_name


def tensors_in(value: Any) -> Iterator[Any]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from tensors_in(item)


def outcome(operator: Any, seed: int) -> tuple[type | None, list[tuple[Any, int]]]:
    """How a call ends, and the sizes of its tensors and their versions after it."""
    by_place, by_name = arguments(operator, seed)
    given = list(tensors_in([*by_place, *by_name.values()]))
    sizes = [tensor.shape for tensor in given]
    torch.default_generator.manual_seed(0)
    error = None
    try:
        operator(*by_place, **by_name)
    except (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError) as raised:
        error = type(raised)
    return error, [(tensor.shape == size, tensor._version) for tensor, size in zip(given, sizes, strict=True)]


@pytest.mark.filterwarnings("ignore")
def test_every_operator_that_writes_counts_its_writes_as_without_a_watch() -> None:
    ran, foreach, differing = 0, 0, []
    for operator in writing_operators():
        for seed in range(ATTEMPTS):
            plain = outcome(operator, seed)
            if plain[0] is None:
                break
        else:
            continue
        ran += 1
        foreach += "_foreach_" in str(operator)
        account = Account()
        account.open()
        try:
            watched = outcome(operator, seed)
        finally:
            account.close()
        # Under a dispatch mode PyTorch resizes an `out=` of another size by `resize_`, which counts a write too.
        allowed = [
            (before, after) if before == after or after == (False, before[1] + 1) else None
            for before, after in zip(plain[1], watched[1], strict=True)
        ]
        if watched[0] is not None or None in allowed:
            differing.append((str(operator), plain, watched))
    assert differing == []
    assert ran > 900
    assert foreach > 100


def test_a_backward_that_must_fail_fails_under_the_watch() -> None:
    def clipped() -> None:
        w = torch.ones(3, requires_grad=True)
        h = w * 2
        loss = (h * h).sum()
        torch._foreach_mul_([h.detach()], 3.0)
        loss.backward()

    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        clipped()
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as raised:
        watch(clipped)
    assert "no version counts it" not in "".join(raised.value.__notes__)


@pytest.mark.parametrize("optimizer", ["SGD", "Adam", "AdamW", "RMSprop"])
def test_optimizers_clipping_and_averages_count_as_without_a_watch(optimizer: str) -> None:
    def train() -> list[int]:
        torch.default_generator.manual_seed(0)
        net = torch.nn.Linear(3, 2)
        averaged = torch.optim.swa_utils.AveragedModel(net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn())
        steps = getattr(torch.optim, optimizer)(net.parameters(), lr=0.1, foreach=True)
        for _ in range(2):
            steps.zero_grad()
            net(torch.ones(4, 3)).sum().backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0, foreach=True)
            steps.step()
            averaged.update_parameters(net)
        tensors = [*net.parameters(), *averaged.parameters(), *[parameter.grad for parameter in net.parameters()]]
        return [tensor._version for tensor in tensors]

    seen: list[list[int]] = []
    watched = watch(lambda: seen.append(train()))
    assert seen == [train()]
    assert max(seen[0]) > 1
    assert "no version counts it" not in watched.text


def test_a_kernel_in_python_counts_its_writes_as_without_a_watch() -> None:
    @torch.library.custom_op("glassroom_versions::double_twice", mutates_args={"x"})
    def double_twice(x: torch.Tensor) -> None:
        seen.append(x._version)
        x *= 2
        x *= 2
        seen.append(x._version)

    @torch.library.custom_op("glassroom_versions::doubled", mutates_args=())
    def doubled(x: torch.Tensor) -> torch.Tensor:
        result = x.clone()
        result *= 2
        results = (result, torch.zeros(2), torch.zeros_like(x), x.new_zeros(2), torch.stack([x]), x.double(), x + 1)
        seen.extend(result._version for result in results)
        return result

    def cell() -> None:
        x = torch.ones(3)
        double_twice(x)
        y = doubled(x)
        seen.extend((x._version, y._version, int(x.sum()), int(y.sum())))

    seen: list[int] = []
    cell()
    plain = seen.copy()
    seen.clear()
    watched = watch(cell)
    assert seen == plain
    assert "no version counts it" not in watched.text
    assert "results[5] in doubled(): new storage" in watched.text


def test_within_a_handler_of_the_programs_own_writes_to_lists_count_as_without_a_watch() -> None:
    class Own(modes.TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return func(*args, **(kwargs or {}))

    def cell() -> None:
        listed = [torch.zeros(2), torch.zeros(2)]
        with Own():
            torch._foreach_add_(listed, 1.0)
            listed[1].add_(1)
        versions.append([tensor._version for tensor in listed])

    versions: list[list[int]] = []
    cell()
    watch(cell)
    assert versions[0] == versions[1]
