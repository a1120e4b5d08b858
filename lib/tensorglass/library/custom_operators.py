"""Operators that are declared by a function: `custom_op`.

To autograd such an operator is one node: nothing inside is recorded, and its derivative is what `register_autograd` is
given.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tensorglass.core.devices import as_device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.library.autograd import Call, as_function
from tensorglass.library.schema import infer_schema
from tensorglass.ops.declare import autocast
from tensorglass.ops.declare.inner_names import DECLARED
from tensorglass.tensor.autograd_meta import requires_grad
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor


class CustomOpDef:
    """An operator that `custom_op` declared. Call it like the function."""

    def __init__(self, name: str, function: Callable[..., Any], schema: str, mutates: bool) -> None:
        self._qualname = name
        self._function = function
        self._schema = f"{name}{schema}"
        self._mutates = mutates
        takes = schema.partition(" -> ")[0].partition("*, ")
        if "Tensor" in takes[2]:
            raise NotImplementedError(
                "custom_op with kwarg-only Tensor args. Please make your tensors not kwarg-only. Got: "
                f"{name.split('::')[1]}{schema}"
            )
        #: the places of what is written to
        self._written = [place for place, parameter in enumerate(takes[0].split(", ")) if "!)" in parameter]
        self._signature = inspect.signature(function)
        parameters = self._signature.parameters.values()
        self._positional = [parameter for parameter in parameters if parameter.kind is not parameter.KEYWORD_ONLY]
        has_names = len(self._positional) < len(parameters)
        #: what runs on types of devices that `register_kernel` named; on others, the function
        self._kernels: dict[str, Callable[..., Any]] = {}
        self._switched_off: set[str] = set()
        #: in which dtype it runs where autocast is on, for types of devices
        self._cast_to: dict[str, DType] = {}
        self._backward: Callable[..., Any] | None = None
        self._setup_context: Callable[..., Any] | None = None
        self._node = as_function(name, self._run_function, has_names, lambda: (self._backward, self._setup_context))

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise RuntimeError(f"{self._qualname}(): {error}. Declaration: {self._schema}") from None
        bound.apply_defaults()
        arguments, named = list(bound.args), bound.kwargs
        if self._cast_to:
            arguments = self._cast(arguments)
        if state.grad and any(requires_grad(tensor) for tensor in _tensors_in(arguments)):
            call = Call(arguments, self._positional, named)
            result = call.together(self._node.apply(*call.take(), call))
        else:
            result = self._run_function(*arguments, **named)
        for place in self._written:
            for tensor in _tensors_in(arguments[place : place + 1]):
                if not tensor.is_inference():
                    tensor._written()
        return result

    def register_autograd(
        self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None
    ) -> None:
        """Give the operator a derivative.

        ``backward(ctx, *grads)`` returns a gradient for each argument, None where there is none. What it needs,
        ``setup_context(ctx, inputs, output)`` notes; with keyword-only parameters,
        ``setup_context(ctx, inputs, keyword_only_inputs, output)``.
        """
        if self._mutates:
            raise RuntimeError(
                f"Cannot register autograd formula for non-functional operator {self!r} with schema {self._schema}. "
                "Please create a functional operator and register an autograd formula for that."
            )
        self._backward, self._setup_context = backward, setup_context

    def register_fake(self, fn: Callable[..., Any], /) -> Callable[..., Any]:
        """Take the function that makes a result of the right size and dtype: it runs on tensors of device "meta"."""
        self._kernels["meta"] = fn
        return fn

    def register_kernel(
        self, device_types: str | Sequence[str] | None, fn: Callable[..., Any] | None = None, /
    ) -> Callable[..., Any]:
        """Give the operator another function for types of devices, "cpu"; None for all. Without `fn`, a decorator."""

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            if device_types is None:
                self._function = function
            for device_type in [device_types] if isinstance(device_types, str) else device_types or ():
                self._kernels[device_type] = function
            return function

        return register if fn is None else register(fn)

    def register_vmap(self, func: Callable[..., Any] | None = None, /) -> Any:
        """Take the function that computes a whole batch; it is not needed, as `func.vmap` runs each slice by itself."""
        return None if func is not None else lambda function: function

    def register_torch_dispatch(
        self, torch_dispatch_class: Any, fn: Callable[..., Any] | None = None, /
    ) -> Callable[..., Any]:
        """Take the function for a class with ``__torch_dispatch__``, which no tensor here has."""
        return (lambda function: function) if fn is None else fn

    def register_autocast(self, device_type: str, cast_inputs: DType) -> None:
        """Have the operator run in this dtype where autocast is on for this type of device, "cpu" or "cuda"."""
        self._cast_to[as_device(device_type).type] = cast_inputs

    @contextmanager
    def set_kernel_enabled(self, device_type: str, enabled: bool = True) -> Iterator[None]:
        """Within the block, run the function that was registered for a type of device, or the operator's own."""
        before = set(self._switched_off)
        (self._switched_off.discard if enabled else self._switched_off.add)(device_type)
        try:
            yield
        finally:
            self._switched_off = before

    def _cast(self, arguments: list[Any]) -> list[Any]:
        """The arguments, with floating-point tensors in the dtype of `register_autocast` where autocast is on."""
        place = self._place(arguments)
        wanted = self._cast_to.get(place)
        if wanted is None or place not in autocast.state.dtypes:
            return arguments
        return [
            argument.to(wanted) if isinstance(argument, Tensor) and argument.is_floating_point() else argument
            for argument in arguments
        ]

    def _place(self, arguments: Sequence[Any]) -> str:
        """The type of the device that a call runs on: that of the first tensor."""
        return next((tensor.device.type for tensor in _tensors_in(arguments)), "cpu")

    def _run_function(self, *arguments: Any, **named: Any) -> Any:
        """The function's result, if its memory is its own."""
        place = self._place([*arguments, *named.values()])
        kernel = None if place in self._switched_off else self._kernels.get(place)
        result = (kernel or self._function)(*arguments, **named)
        storages = [id(tensor._storage) for tensor in _tensors_in(arguments)]
        for tensor in _tensors_in([result]):
            if id(tensor._storage) in storages:
                raise RuntimeError(
                    f"{self._qualname.split('::')[1]} (with implementation in {inspect.getmodule(self._function)}): "
                    "The output of this custom operator (1) must not also be an input to this custom operator and (2) "
                    "may not alias any inputs to this custom operator or other returns. The most common way to trigger "
                    "this error is if we have y = custom_op(x) and y and x are the same Tensor. Please instead return "
                    "a clone of the offending output tensor(s) (e.g. return x.clone()) or refactor the custom operator "
                    "to not return y."
                )
            storages.append(id(tensor._storage))
        return result


def custom_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: str | Sequence[str] | None = None,
    schema: str | None = None,
    tags: Any = None,
) -> Any:
    """Declare an operator ``"namespace::name"`` by a function whose parameters and result are annotated.

    `mutates_args` names the tensors that it writes to, ``()`` for none. The result may share no memory with an
    argument. Without `fn`, a decorator. `device_types` are those that the function is for; here all is on the CPU.
    `tags` tell PyTorch's compiler about it. `schema` stands in for the annotations:
    ``"(Tensor x, float width) -> Tensor"``.
    """
    namespace, plain = name.split("::")
    written = mutates_args if isinstance(mutates_args, str) else list(mutates_args)

    def declare(function: Callable[..., Any]) -> CustomOpDef:
        full_schema = infer_schema(function, mutates_args=written) if schema is None else schema
        operator = DECLARED[name] = CustomOpDef(f"{namespace}::{plain}", function, full_schema, mutates=bool(written))
        return operator

    return declare if fn is None else declare(fn)


def triton_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    schema: str | None = None,
) -> Any:
    """Declare an operator as `custom_op` does. Kernels of Triton cannot be called here: `wrap_triton` refuses."""
    return custom_op(name, fn, mutates_args=mutates_args, schema=schema)


def _tensors_in(values: Iterable[Any]) -> list[Tensor]:
    """All tensors among the values, and in lists and tuples among them."""
    tensors: list[Tensor] = []
    for value in values:
        if isinstance(value, Tensor):
            tensors.append(value)
        elif isinstance(value, (list, tuple)):
            tensors += _tensors_in(value)
    return tensors
