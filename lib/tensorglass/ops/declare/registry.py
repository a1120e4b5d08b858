"""The operator table: every operator is declared once, and everything else is derived from the declaration.

A declaration is a function under a decorator. `operator` declares one that is written with tensors (a view, an
index, a composition); `ops.declare.pointwise` and `ops.declare.reduction` declare one by its kernel alone and
supply dtypes, broadcasting and results. From the table come the functions of the namespace, the methods of Tensor,
the in-place forms, the operators' tests and the reference page. `docs/adding-an-operator.md` shows how to add one.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from tensorglass.graph.derivative import derivative_of
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.wrap import explaining, in_one, passing
from tensorglass.ops.declare.autocast import by_list
from tensorglass.ops.declare.lazy_loading import Awaited, awaited
from tensorglass.ops.declare.seams import unrecorded, with_shortcut
from tensorglass.tensor import torch_function
from tensorglass.tensor.tensor import Tensor

F = TypeVar("F", bound=Callable[..., Any])


class Sample(NamedTuple):
    """One call that tests make of an operator: ``operator(*arguments, **keywords)``."""

    arguments: tuple[Any, ...]
    keywords: Mapping[str, Any] = MappingProxyType({})


def sample(*arguments: Any, **keywords: Any) -> Sample:
    """Describe a call: ``sample(x, 0, keepdim=True)``."""
    return Sample(arguments, keywords)


class Operator(NamedTuple):
    """One row of the table."""

    name: str
    function: Callable[..., Any]  #: what ``torch.<name>`` calls, if `is_function`
    kind: str  #: "pointwise", "reduction", "view", "creation", …: a heading of the reference page
    is_function: bool = True  #: whether the namespace has it
    is_method: bool = True  #: whether Tensor has it as a method
    is_attribute: bool = False  #: whether Tensor has it as an attribute: x.T
    setter: Callable[..., None] | None = None  #: the setter of the attribute
    inplace: Callable[..., Any] | None = None  #: the in-place form, the method ``<name>_``
    has_out: bool = False  #: whether it takes ``out=``
    aliases: tuple[str, ...] = ()  #: further names of the same operator: absolute for abs, special.expit for sigmoid
    dunders: Mapping[str, Callable[..., Any]] = MappingProxyType({})  #: Python's names for the method: __add__
    samples: Callable[[], Iterable[Sample]] | None = None  #: calls to test it with
    differs: str | None = None  #: how it differs from PyTorch's operator, if it does
    method: Callable[..., Any] | None = None  #: the method, if it is not the function itself
    #: what a failed call is checked against; None: the operator checks its own calls
    signatures: tuple[str, ...] | None = None
    namespace: str = ""  #: "linalg" for linalg_det, which is ``torch.linalg.det``

    @property
    def path(self) -> str:
        """The function's path in PyTorch: "abs", "linalg.det"."""
        return f"{self.namespace}.{self.name.removeprefix(f'{self.namespace}_')}" if self.namespace else self.name


OPERATORS: dict[str, Operator] = {}

#: The in-place forms that are also functions of PyTorch's namespace: ``torch.relu_(x)``.
IN_PLACE_FUNCTIONS = frozenset((
    "abs_", "acos_", "acosh_", "addmv_", "arccos_", "arccosh_", "arcsin_", "arcsinh_", "arctan_", "arctanh_",
    "as_strided_", "asin_", "asinh_", "atan_", "atanh_", "ceil_", "clamp_", "clamp_max_", "clamp_min_", "clip_",
    "conj_physical_", "cos_", "cosh_", "deg2rad_", "detach_", "erf_", "erfc_", "exp2_", "exp_", "expm1_", "fill_",
    "fix_", "floor_", "frac_", "gcd_", "i0_", "index_put_", "lcm_", "ldexp_", "log10_", "log1p_", "log2_", "log_",
    "logit_", "nan_to_num_", "neg_", "negative_", "rad2deg_", "reciprocal_", "relu_", "resize_as_", "round_", "rsqrt_",
    "sigmoid_", "sin_", "sinc_", "sinh_", "sqrt_", "square_", "tan_", "tanh_", "trunc_", "xlogy_", "zero_",
))  # fmt: skip


#: An example of each operator, by the operator's path. They come from a file and are added to the docstrings; tests run
#: them here and on PyTorch.
with open(os.path.join(os.path.dirname(__file__), "examples.txt"), encoding="utf-8") as _file:
    EXAMPLES = dict(block.split("\n", 1) for block in _file.read().strip().split("\n\n"))


def declare(row: Operator) -> None:
    """Add a row to the table, and its example to its docstrings."""
    if row.name in OPERATORS:
        raise ValueError(f"the operator {row.name} is declared twice")
    OPERATORS[row.name] = row
    example = EXAMPLES.get(row.path)
    if example is not None:
        for form in {id(form): form for form in (row.function, row.method, row.inplace) if form is not None}.values():
            form.__doc__ = f"{form.__doc__}\n\n{example}\n"
    if _is_attached:  # the row belongs to a family that was imported later, or to a user's program
        _hand_out(row)


def operator(
    kind: str,
    *,
    function: bool = True,
    method: bool = True,
    attribute: bool = False,
    setter: Callable[..., None] | None = None,
    inplace: Callable[..., Any] | bool = False,
    out: bool = False,
    aliases: Iterable[str] = (),
    dunders: Iterable[str] = (),
    samples: Callable[[], Iterable[Sample]] | None = None,
    differs: str | None = None,
    method_form: Callable[..., Any] | None = None,
    signatures: Iterable[str] | None = (),
    namespace: str = "",
) -> Callable[[F], F]:
    """Declare an operator that is written with tensors. Its name is the function's.

    The name of an operator that only exists in place ends in an underscore: ``fill_``, ``index_add_``; that of one in
    a `namespace` begins with it: ``linalg_det`` is ``torch.linalg.det``, and no method. A call that
    fails is explained from the function's signature and annotations, or from `signatures` where PyTorch has several;
    None: the operator explains it itself. `method_form` is the method if its arguments differ. `inplace` is the
    in-place form, or True where that is the operator with its input as ``out=``.
    """

    def enter(body: F) -> F:
        wrapped = _written_to_input(body) if inplace is True else inplace or None
        if wrapped is not None and wrapped.__doc__ is None:
            wrapped.__doc__ = body.__doc__
        derivative = derivative_of(body)
        if derivative is not None:
            body = recorded(body, derivative=derivative, is_in_place=body.__name__.endswith("_"))
            wrapped = None if wrapped is None else recorded(wrapped, derivative=derivative, is_in_place=True)
        declare(
            Operator(
                name=body.__name__,
                function=body,
                kind=kind,
                is_function=function,
                is_method=method and not namespace,
                is_attribute=attribute,
                setter=setter,
                inplace=wrapped,
                has_out=out,
                aliases=tuple(aliases),
                dunders=dict.fromkeys(dunders, body),
                samples=samples,
                differs=differs,
                method=method_form,
                signatures=None if signatures is None else tuple(signatures),
                namespace=namespace,
            )
        )
        return body

    return enter


def _written_to_input(body: Callable[..., Any]) -> Callable[..., Any]:
    """The in-place form of an operator: the operator with its input as ``out=``."""

    def form(input: Tensor, *arguments: Any, **keywords: Any) -> Tensor:
        return body(input, *arguments, out=input, **keywords)

    form.__name__ = form.__qualname__ = f"{body.__name__}_"
    form.__module__ = body.__module__
    form.__doc__ = f"`{body.__name__}`, written to `input`."
    parameters = inspect.signature(body).parameters.values()
    taken = [parameter for parameter in parameters if parameter.name != "out"]
    vars(form).update(__signature__=inspect.Signature(taken), looked_at_as=body)
    return form


#: The functions of the namespace and its modules, by path: "add", "linalg.det".
FUNCTIONS: dict[str, Callable[..., Any]] = {}
_is_attached = False
_awaited: set[str] = set()  #: the methods that Tensor has an `Awaited` for


def attach() -> dict[str, Callable[..., Any]]:
    """Give Tensor its methods, and return the namespace's functions by name. Later declarations are added, too."""
    global _is_attached
    for row in OPERATORS.values():
        _hand_out(row)
    for path in awaited():
        home, _, name = path.rpartition(".")
        if home == "Tensor" and name not in vars(Tensor):
            setattr(Tensor, name, Awaited(name))
            _awaited.add(name)
    for name, attribute in list(vars(Tensor).items()):
        if isinstance(attribute, property) and attribute.fset is None:
            setattr(Tensor, name, attribute.setter(_not_writable(name)))
    _is_attached = True
    return {path: function for path, function in FUNCTIONS.items() if "." not in path}


def under_name(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function under another name, which it tells."""

    @wraps(function)
    def renamed(*arguments: Any, **keywords: Any) -> Any:
        return function(*arguments, **keywords)

    renamed.__name__ = renamed.__qualname__ = name
    return renamed


def _hand_out(row: Operator) -> None:
    for name in (row.name, *[alias for alias in row.aliases if "." not in alias]):
        if row.is_function and not row.namespace:
            _enter(name, row, _explained(row, name, row.function))
        if row.is_method:
            _give(name, row, _explained(row, name, row.method or row.function, is_method=True))
        if row.is_attribute:
            _give(name, row, property(row.function, row.setter))
        if row.inplace is not None and row.is_method:
            _give(f"{name}_", row, _explained(row, f"{name}_", row.inplace, is_method=True))
        for form, body in ((name, row.function), (f"{name}_", row.inplace)):
            if body is not None and form in IN_PLACE_FUNCTIONS:
                _enter(form, row, _explained(row, form, body))
    for path in (row.path, *row.aliases):
        if "." in path:
            _enter(path, row, _explained(row, path.replace(".", "_"), row.function))
    for name, method in row.dunders.items():
        _give(name, row, by_list(row.name, with_shortcut(name, method)))


def _enter(path: str, row: Operator, function: Callable[..., Any]) -> None:
    home, _, name = f"tensorglass.{path}".rpartition(".")
    _tell(row, function, home, name)
    FUNCTIONS[path] = function


def _give(name: str, row: Operator, member: Any) -> None:
    if name in _awaited:
        _awaited.remove(name)
        if type(vars(Tensor).get(name)) is not Awaited:  # a user's program has replaced it
            return
    if not isinstance(member, property):
        _tell(row, member, "tensorglass", f"Tensor.{name}")
    setattr(Tensor, name, member)


def _tell(row: Operator, public: Callable[..., Any], home: str, name: str) -> None:
    """Set the public module and name of what users call: pickle stores them."""
    if public is not row.function:  # `row.function` keeps the name of the module that declares it
        public.__module__, public.__qualname__ = home, name
        public.__name__ = f"{home}.{name}".removeprefix("tensorglass.").removeprefix("Tensor.").replace(".", "_")


def _not_writable(name: str) -> Callable[[Tensor, Any], None]:
    def refuse(self: Tensor, value: Any) -> None:
        raise AttributeError(f"attribute '{name}' of 'torch._C.TensorBase' objects is not writable")

    return refuse


def _explained(row: Operator, name: str, body: Callable[..., Any], *, is_method: bool = False) -> Callable[..., Any]:
    names = (row.name, f"{row.name}_") if is_method else (row.name, row.path.replace(".", "_"))
    operator = f"{row.name}_" if body is row.inplace else row.name
    if row.signatures is None and row.name in _NOT_OVERRIDABLE:
        return with_shortcut(operator, body)
    if row.signatures is None and name in names:
        form = passing(body, unrecorded(body))  # `body` words errors with its own name; an alias needs another
    else:
        form = explaining(body, name, row.signatures or (), is_method=is_method, unrecorded=unrecorded(body))
    public = by_list(operator, with_shortcut(operator, form))
    if name in _IN_ONE and not is_method:
        public = in_one(public, body, name)
    _given_out.append((form, public, row.name not in _NOT_OVERRIDABLE))
    if torch_function.subclasses:
        _make_overridable(*_given_out[-1])
    return public


#: Functions that take several ints as one tuple; as methods they also take them as separate arguments.
_IN_ONE = frozenset(("flip", "permute", "reshape", "tile"))
#: The operators that never dispatch to `__torch_function__`: they treat tensors as data.
_NOT_OVERRIDABLE = frozenset((
    "arange", "as_subclass", "as_tensor", "asarray", "broadcast_shapes", "from_dlpack", "from_numpy", "frombuffer",
    "full", "is_storage", "is_tensor", "linspace", "load", "logspace", "new", "range", "save", "tensor", "to_dlpack",
    "typename",
))  # fmt: skip
_OVERRIDABLE = frozenset((
    "__contains__", "__delitem__", "__getitem__", "__invert__", "__matmul__", "__pos__", "__reversed__",
    "__rmatmul__", "__rsub__", "__rtruediv__", "__setitem__", "where",
))  # fmt: skip
#: forms that can be made overridable, what users call, and whether they dispatch
_given_out: list[tuple[Callable[..., Any], Callable[..., Any], bool]] = []


def _make_overridable(form: Any, public: Callable[..., Any], dispatches: bool) -> None:
    form.make_overridable(public, torch_function.overridable if dispatches else torch_function.not_overridable)


def _make_all_overridable() -> None:
    """Make operators look for subclasses of Tensor."""
    for arguments in _given_out:
        _make_overridable(*arguments)
    for row in OPERATORS.values():
        if row.is_attribute:
            setter = row.setter and torch_function.on_plain_self(row.setter)
            inherited = vars(Tensor)[row.name].fset
            setattr(Tensor, row.name, property(torch_function.on_plain_self(row.function), setter or inherited))
        for name, method in row.dunders.items():
            if method is row.function and name in _OVERRIDABLE:
                public = torch_function.public_method(name) if name == "__matmul__" else None
                form = by_list(row.name, torch_function.overridable(with_shortcut(name, method), public))
                _tell(row, form, "tensorglass", f"Tensor.{name}")
                setattr(Tensor, name, form)


torch_function.on_first_subclass.append(_make_all_overridable)
