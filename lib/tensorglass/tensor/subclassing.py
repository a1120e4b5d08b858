"""Subclasses of Tensor: what Python does when one is defined, and the default `__torch_function__`.

Operators' methods dispatch by themselves. Tensor's attributes and Python's operators do not, which keeps them fast, so
each subclass gets its own versions of them, which dispatch and then do what Tensor's do.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from tensorglass.tensor.tensor import Tensor
from tensorglass.tensor.torch_function import (
    METHOD_NAMES,
    PLAIN_TYPES,
    call_handlers,
    disabled_torch_function,
    dispatch,
    flattened,
    not_dispatching,
    on_first_subclass,
    overloaded_arguments,
    overrides_nothing,
    public_method,
    subclasses,
)

#: Methods of Python's `object` that Tensor defines too.
_OF_OBJECT = {"__repr__", "__format__", "__reduce_ex__", "__eq__", *METHOD_NAMES}
#: Reflected operators, which Python tries first on the subclass when the left operand is a plain tensor.
_REFLECTED = {
    "__rsub__": "sub",
    "__rtruediv__": "div",
    "__rpow__": "pow",
    "__rmod__": "remainder",
    "__rmatmul__": "matmul",
}
_INHERITED = frozenset(("__getattr__", "__torch_function__"))


def converted(result: Any, kind: type) -> Any:
    """A result with its tensors as tensors of a class."""
    if isinstance(result, Tensor) and not isinstance(result, kind):
        return result.as_subclass(kind)
    if isinstance(result, (tuple, list)):
        parts = [converted(part, kind) for part in result]
        return type(result)._make(parts) if hasattr(result, "_make") else type(result)(parts)
    return result


def _default_torch_function(cls: type, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """The default handler of subclasses: the operator runs, and its results are of the subclass.

    Define a class method of this name in a subclass to override operators on its tensors; call
    ``super().__torch_function__(func, types, args, kwargs)`` for this default.
    """
    if not all(issubclass(cls, kind) for kind in types):
        return NotImplemented
    result = disabled_torch_function(cls, func, types, args, kwargs)
    return result if result is NotImplemented or func in nowrap_functions() else converted(result, cls)


def nowrap_functions() -> set[Callable[..., Any]]:
    """The attributes that return the stored tensor itself, whatever its class."""
    return {vars(Tensor)["grad"].__get__, vars(Tensor)["_base"].__get__}


def _init_subclass(cls: type, is_plain: bool = False, **keywords: Any) -> None:
    """Called by Python when a subclass of Tensor is defined. An `is_plain` subclass, such as Parameter, overrides
    nothing.
    """
    super(Tensor, cls).__init_subclass__(**keywords)  # type: ignore[misc]  # `cls` is a subclass of Tensor
    if is_plain:
        overrides_nothing(cls)
        return
    if not subclasses:
        for make_overridable in on_first_subclass:
            make_overridable()
    subclasses.append(weakref.ref(cls))
    if not PLAIN_TYPES.isdisjoint(cls.__bases__):
        before = cls.__mro__[: cls.__mro__.index(Tensor)]
        for name, member in list(vars(Tensor).items()):
            if _needs_its_own(name, member) and not any(name in vars(ancestor) for ancestor in before):
                form = _property(member) if isinstance(member, property) else _method(name)
                setattr(cls, name, _iterate if name == "__iter__" else form)


def _needs_its_own(name: str, member: Any) -> bool:
    if name in _OF_OBJECT:
        return True
    if name in _INHERITED or name in vars(object) or (name.startswith("_") and not name.endswith("__")):
        return False
    if isinstance(member, property):
        return True
    return callable(member) and (name.startswith("__") or name in not_dispatching)


def _method(name: str) -> Callable[..., Any]:
    member: Callable[..., Any] = vars(Tensor)[name]

    @wraps(member)
    def call(self: Tensor, *arguments: Any, **keywords: Any) -> Any:
        overloaded = overloaded_arguments(flattened((self, *arguments, *keywords.values())))
        if not overloaded:
            return vars(Tensor)[name](self, *arguments, **keywords)
        if name in _REFLECTED and isinstance(arguments[0], Tensor):
            answer = call_handlers(vars(Tensor)[_REFLECTED[name]], overloaded, (*arguments, self), {})
        else:
            answer = call_handlers(public_method(name), overloaded, (self, *arguments), keywords)
        is_operand = name.startswith("__") and len(arguments) == 1 and name not in ("__getitem__", "__contains__")
        if answer is NotImplemented and not is_operand:  # for binary operators, Python tries the other operand next
            return dispatch(public_method(name), overloaded, (self, *arguments), keywords)
        return answer

    return call


def _iterate(self: Tensor) -> Iterator[Any]:
    """The rows, each of this class."""
    if not self.dim():
        raise TypeError("iteration over a 0-d tensor")
    return iter(self.unbind(0))


def _property(member: property) -> property:
    def dispatching(form: Callable[..., Any] | None, public: Callable[..., Any]) -> Any:
        if form is None:
            return None

        def call(self: Tensor, *arguments: Any) -> Any:
            overloaded = overloaded_arguments((self, *arguments))
            if overloaded:
                return dispatch(public, overloaded, (self, *arguments), {})
            return public(self, *arguments)

        return call

    return property(
        dispatching(member.fget, member.__get__),
        dispatching(member.fset, member.__set__),
        dispatching(member.fdel, member.__delete__),
        member.__doc__,
    )


def attach() -> None:
    """Give Tensor its default `__torch_function__` and `__init_subclass__`."""
    handler = _default_torch_function
    handler.__name__, handler.__qualname__ = "__torch_function__", "Tensor.__torch_function__"
    Tensor.__torch_function__ = classmethod(handler)  # type: ignore[attr-defined]  # attached to the class here
    Tensor.__init_subclass__ = classmethod(_init_subclass)  # type: ignore[assignment, method-assign]  # as above
