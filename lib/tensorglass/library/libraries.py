"""Namespaces of operators: a `Library` declares some by their schemas, and has kernels for them.

library = torch.library.Library("mylib", "DEF")
library.define("twice(Tensor x) -> Tensor")
library.impl("twice", lambda x: 2 * x, "CPU")
torch.ops.mylib.twice(torch.ones(2))
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained
from tensorglass.library.custom_operators import CustomOpDef
from tensorglass.library.kernels import DeclaredOperator, key_of
from tensorglass.ops.declare.inner_names import DECLARED, OpOverload, OpOverloadPacket, namespace

Operator = CustomOpDef | DeclaredOperator | OpOverload | OpOverloadPacket | str

_KINDS = ("IMPL", "DEF", "FRAGMENT")
_defining: set[str] = set()  #: the namespaces that have a `Library` of the kind "DEF"


class Library:
    """A namespace: `kind` "DEF" makes it, "FRAGMENT" adds operators to it, "IMPL" adds kernels alone.

    Kernels are for `dispatch_key`, such as "CPU", "CUDA", "Meta", "Autograd" or "CompositeExplicitAutograd", unless
    `impl` names another. Operators of PyTorch itself, "aten", keep their kernels.
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in _KINDS:
            raise ValueError(f"Unsupported kind: {kind}")
        if ns in ("prim", "prims") or (ns == "aten" and kind == "DEF"):
            raise ValueError(f"{ns} is a reserved namespace. Please try creating a library with another name.")
        if kind == "DEF" and ns in _defining:
            raise RuntimeError(
                f"Only a single TORCH_LIBRARY can be used to register the namespace {ns}; please put all of your "
                "definitions in a single TORCH_LIBRARY block."
            )
        if kind == "DEF":
            _defining.add(ns)
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        self._own: list[str] = []

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Declare an operator: ``define("twice(Tensor x) -> Tensor")``. Its name is returned."""
        if alias_analysis not in ("", "FROM_SCHEMA", "CONSERVATIVE"):
            raise RuntimeError(f"Invalid alias_analysis type {alias_analysis}")
        if self.kind == "IMPL":
            raise RuntimeError("define() cannot be called on a Library of the kind IMPL")
        name, bracket, rest = schema.partition("(")
        if not bracket:
            raise RuntimeError("Tried to parse a function schema but only the operator name was given")
        name = name.strip().removeprefix(f"{self.ns}::")
        self._own.append(_declare(f"{self.ns}::{name}", f"({rest}"))
        return name.partition(".")[0]

    def impl(
        self,
        op_name: str | OpOverload,
        fn: Callable[..., Any],
        dispatch_key: str = "",
        *,
        with_keyset: bool = False,
        allow_override: bool = True,
    ) -> None:
        """Have `fn` run the operator for this key. An operator that is declared later takes it then."""
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        key = dispatch_key or self.dispatch_key or "CompositeImplicitAutograd"
        plain = op_name.name() if isinstance(op_name, OpOverload) else op_name
        name = f"{self.ns}::{plain.partition('::')[2] or plain}"
        if self.ns == "aten":
            return None if key == "Meta" else _refuse_to_replace(name)
        if with_keyset:
            given = fn

            def fn(*args: Any, **kwargs: Any) -> Any:
                return given(None, *args, **kwargs)

        return _add_kernel(name, key, fn)

    def fallback(self, fn: Callable[..., Any], dispatch_key: str = "", *, with_keyset: bool = False) -> None:
        """Not here: a kernel for all operators."""
        _refuse_to_replace("all operators")

    def _register_fake(self, op_name: str, fn: Callable[..., Any], _stacklevel: int = 1, **_: Any) -> None:
        _add_kernel(f"{self.ns}::{op_name.partition('::')[2] or op_name}", "Meta", fn)

    def _destroy(self) -> None:
        """Forget the operators that this library has declared."""
        _defining.discard(self.ns)
        for name in self._own:
            DECLARED.pop(name, None)
            vars(namespace(self.ns)).pop(name.partition("::")[2].partition(".")[0], None)


@contextmanager
def _scoped_library(*args: Any, **kwargs: Any) -> Iterator[Library]:
    """A `Library` whose operators are forgotten at the end of the block."""
    library = Library(*args, **kwargs)
    try:
        yield library
    finally:
        library._destroy()


#: Kernels of operators that are not declared yet, by the operators' names.
_waiting: dict[str, dict[str, Callable[..., Any]]] = {}


def _declare(name: str, schema: str) -> str:
    if name in DECLARED:
        raise RuntimeError(
            f"Tried to register an operator ({name}{schema}) with the same name and overload name multiple times. Each "
            "overload's schema should only be registered with a single call to def()."
        )
    operator = DECLARED[name] = DeclaredOperator(name, schema)
    operator.kernels.update(_waiting.pop(name, {}))
    return name


def _add_kernel(name: str, key: str, fn: Callable[..., Any]) -> None:
    operator = DECLARED.get(name)
    if isinstance(operator, CustomOpDef):
        operator.register_kernel(key.lower(), fn)
    elif isinstance(operator, DeclaredOperator):
        operator.kernels[key] = fn
    else:
        _waiting.setdefault(name, {})[key] = fn


def _refuse_to_replace(name: str) -> None:
    raise explained(
        NotImplementedError(f"{name}: kernels of PyTorch's own operators cannot be replaced here"),
        "Instead, declare an operator with torch.library.custom_op, or derive a class from torch.Tensor with "
        "__torch_function__.",
    )


def define(qualname: str, schema: str, *, lib: Library | None = None, tags: Any = ()) -> None:
    """Declare an operator ``"namespace::name"`` by its schema, ``"(Tensor x) -> Tensor"``; `impl` adds kernels."""
    if not isinstance(qualname, str):
        raise ValueError(f"define(qualname, schema): expected qualname to be instance of str, got {type(qualname)}")
    space, _, name = qualname.partition("::")
    if not name:
        raise RuntimeError(f"Expected qualname to be of the form 'namespace::name', got {qualname!r}")
    if not schema.lstrip().startswith("("):
        raise ValueError(
            f'define(qualname, schema, ...): expected schema to look like e.g. "(Tensor x) -> Tensor" but got '
            f'"{schema}"'
        )
    _declare(f"{space}::{name}", schema.strip())


def impl(
    qualname: str,
    types: str | Sequence[str],
    func: Callable[..., Any] | None = None,
    *,
    lib: Library | None = None,
) -> Any:
    """Have a function run an operator on types of devices, "cpu" or "default" for all. Without `func`, a decorator."""
    keys = {key_of(each) for each in ([types] if isinstance(types, str) else types)}

    def register(function: Callable[..., Any]) -> None:
        for key in sorted(keys):
            _add_kernel(qualname, key, function)

    return register if func is None else register(func)


def _named(op: Operator) -> CustomOpDef | DeclaredOperator:
    """The operator that is meant."""
    if isinstance(op, (CustomOpDef, DeclaredOperator)):
        return op
    if isinstance(op, OpOverloadPacket):
        name = op._qualified_op_name
    else:
        name = op.name() if isinstance(op, OpOverload) else op
    found = DECLARED.get(name.removesuffix(".default"))
    if not isinstance(found, (CustomOpDef, DeclaredOperator)):
        raise RuntimeError(f"operator {name} does not exist")
    return found


def register_fake(
    op: Operator,
    func: Callable[..., Any] | None = None,
    /,
    *,
    lib: Library | None = None,
    _stacklevel: int = 1,
    allow_override: bool = True,
) -> Any:
    """Give an operator the function that makes a result of the right size: it runs on tensors of device "meta".

    Without `func`, a decorator.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        operator = _named(op)
        if isinstance(operator, CustomOpDef):
            operator.register_fake(function)
        else:
            operator.kernels["Meta"] = function
        return function

    return register if func is None else register(func)


def impl_abstract(
    qualname: str, func: Callable[..., Any] | None = None, *, lib: Library | None = None, _stacklevel: int = 1
) -> Any:
    """An older name of `register_fake`."""
    warnings.warn(
        "`torch.library.impl_abstract` was renamed to `torch.library.register_fake`. Please use that instead; we will "
        "remove `torch.library.impl_abstract` in a future version of PyTorch.",
        FutureWarning,
        stacklevel=2,
    )
    return register_fake(qualname, func, lib=lib)


def register_kernel(
    op: Operator,
    device_types: str | Sequence[str] | None,
    func: Callable[..., Any] | None = None,
    /,
    *,
    lib: Library | None = None,
) -> Any:
    """Have a function run an operator on types of devices, "cpu"; None for all. Without `func`, a decorator."""
    operator = _named(op)
    if isinstance(operator, CustomOpDef):
        return operator.register_kernel(device_types, func)
    return impl(operator.name, "default" if device_types is None else device_types, func)


def register_autograd(
    op: Operator,
    backward: Callable[..., Any],
    /,
    *,
    setup_context: Callable[..., Any] | None = None,
    lib: Library | None = None,
) -> None:
    """Give an operator, or the one of that name, a derivative: see `CustomOpDef.register_autograd`."""
    if isinstance(op, str) and op not in DECLARED:
        space, _, plain = op.partition("::")
        raise AttributeError(f"'_OpNamespace' '{space}' object has no attribute '{plain}'")
    operator = _named(op)
    if isinstance(operator, DeclaredOperator):
        declared = operator

        def run(*args: Any, **kwargs: Any) -> Any:
            return declared.run(*args, **kwargs)

        run.__signature__ = declared.signature  # type: ignore[attr-defined]  # read by `inspect`
        schema = declared.schema.removeprefix(declared.name)
        operator = CustomOpDef(declared.name, run, schema, mutates="!)" in schema)
        declared.with_derivative = operator
    operator.register_autograd(backward, setup_context=setup_context)


def register_vmap(op: Operator, func: Callable[..., Any] | None = None, /, *, lib: Library | None = None) -> Any:
    """Take the function that computes a whole batch; it is not needed, as `func.vmap` runs each slice by itself."""
    _named(op)
    return None if func is not None else lambda function: function


def register_torch_dispatch(
    op: Operator,
    torch_dispatch_class: Any,
    func: Callable[..., Any] | None = None,
    /,
    *,
    lib: Library | None = None,
) -> Any:
    """Take the function for a class with ``__torch_dispatch__``, which no tensor here has."""
    _named(op)
    return (lambda function: function) if func is None else func


def register_autocast(op: Operator, device_type: str, cast_inputs: DType, /, *, lib: Library | None = None) -> None:
    """Have an operator of `custom_op` run in this dtype where autocast is on for this type of device."""
    operator = _named(op)
    if not isinstance(operator, CustomOpDef):
        raise NotImplementedError(f"register_autocast of {operator.name}, which is not of torch.library.custom_op")
    operator.register_autocast(device_type, cast_inputs)


def fallthrough_kernel() -> None:
    """A mark in PyTorch for keys that need no kernel. It is not to be called."""
    raise NotImplementedError("fallthrough_kernel() should never be called.")
