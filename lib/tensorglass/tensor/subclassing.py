"""Deriving a class from Tensor: what happens to operators on its tensors, and what the class gets for it.

Tensor's attributes and Python's operators have no door for classes, so a derived class gets its own of each, which ask
`__torch_function__` and then do what Tensor's do. Operators' methods have doors.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from tensorglass.tensor.tensor import Tensor
from tensorglass.tensor.torch_function import (
    PUBLIC,
    Off,
    ask,
    derived,
    each_of,
    hand_over,
    overloaded,
    public_form,
    when_first_derived,
)

#: What Tensor has of its own and Python's `object` has too.
_SHOWS = {"__repr__", "__format__", "__reduce_ex__", "__eq__", *PUBLIC}
#: What Python asks the derived class first, when the other operand is a plain tensor.
_FORWARD = {
    "__rsub__": "sub",
    "__rtruediv__": "div",
    "__rpow__": "pow",
    "__rmod__": "remainder",
    "__rmatmul__": "matmul",
}
_KEPT = frozenset(("__getattr__", "__torch_function__"))  # as they are
#: Modules whose methods have no doors.
_HEADER = ("tensorglass.tensor.tensor", "tensorglass.graph.tensor_fields", "tensorglass.autograd.backward")


def converted(result: Any, kind: type) -> Any:
    """The tensors in a result as tensors of a class: those that are none of it yet."""
    if isinstance(result, Tensor) and not isinstance(result, kind):
        return result.as_subclass(kind)
    if isinstance(result, (tuple, list)):
        parts = [converted(each, kind) for each in result]
        return type(result)._make(parts) if hasattr(result, "_make") else type(result)(parts)
    return result


def _usual(cls: type, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """What happens to tensors of derived classes: the operator runs, and its results are of the class.

    Define a class method of this name in a class of your own to have a say in every operator on its tensors; call
    ``super().__torch_function__(func, types, args, kwargs)`` for what usually happens.
    """
    if not all(issubclass(cls, each) for each in types):
        return NotImplemented
    with Off():
        result = func(*args, **(kwargs or {}))
    return result if func in nowrap_functions() else converted(result, cls)


def nowrap_functions() -> set[Callable[..., Any]]:
    """The attributes that give a tensor as it is, whatever the class."""
    return {vars(Tensor)["grad"].__get__, vars(Tensor)["_base"].__get__}


def _derive(cls: type, **keywords: Any) -> None:
    """Called by Python when a class is derived from Tensor."""
    super(Tensor, cls).__init_subclass__(**keywords)  # type: ignore[misc]  # `cls` is derived from Tensor
    if not derived:
        for open_doors in when_first_derived:
            open_doors()
    derived.append(weakref.ref(cls))
    if Tensor in cls.__bases__:
        before = cls.__mro__[: cls.__mro__.index(Tensor)]
        for name, member in list(vars(Tensor).items()):
            if _needs_its_own(name, member) and not any(name in vars(each) for each in before):
                form = _property(member) if isinstance(member, property) else _method(name)
                setattr(cls, name, _iterate if name == "__iter__" else form)


def _needs_its_own(name: str, member: Any) -> bool:
    if name in _SHOWS:
        return True
    if name in _KEPT or name in vars(object) or (name.startswith("_") and not name.endswith("__")):
        return False
    if isinstance(member, property):
        return True
    return callable(member) and (name.startswith("__") or member.__module__ in _HEADER)


def _method(name: str) -> Callable[..., Any]:
    member: Callable[..., Any] = vars(Tensor)[name]

    @wraps(member)
    def call(self: Tensor, *arguments: Any, **keywords: Any) -> Any:
        asked = overloaded(each_of((self, *arguments, *keywords.values())))
        if not asked:
            return vars(Tensor)[name](self, *arguments, **keywords)
        if name in _FORWARD and isinstance(arguments[0], Tensor):  # Python asks the derived class first
            answer = ask(vars(Tensor)[_FORWARD[name]], asked, (*arguments, self), {})
        else:
            answer = ask(public_form(name), asked, (self, *arguments), keywords)
        is_operand = name.startswith("__") and len(arguments) == 1 and name not in ("__getitem__", "__contains__")
        if answer is NotImplemented and not is_operand:  # for which Python asks the other operand
            return hand_over(public_form(name), asked, (self, *arguments), keywords)
        return answer

    return call


def _iterate(self: Tensor) -> Iterator[Any]:
    """The rows, each of this class."""
    if not self.dim():
        raise TypeError("iteration over a 0-d tensor")
    return iter(self.unbind(0))


def _property(member: property) -> property:
    def handed(form: Callable[..., Any] | None, public: Callable[..., Any]) -> Any:
        if form is None:
            return None

        def call(self: Tensor, *arguments: Any) -> Any:
            asked = overloaded((self, *arguments))
            return hand_over(public, asked, (self, *arguments), {}) if asked else public(self, *arguments)

        return call

    return property(
        handed(member.fget, member.__get__),
        handed(member.fset, member.__set__),
        handed(member.fdel, member.__delete__),
        member.__doc__,
    )


def attach() -> None:
    """Give Tensor what Python and operators ask of it."""
    _usual.__name__, _usual.__qualname__ = "__torch_function__", "Tensor.__torch_function__"
    Tensor.__torch_function__ = classmethod(_usual)  # type: ignore[attr-defined]  # attached: this is a floor above
    Tensor.__init_subclass__ = classmethod(_derive)  # type: ignore[assignment, method-assign]  # as above
